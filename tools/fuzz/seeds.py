#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Inputs for the fuzzers out of other stacks' packets.

usage: seeds.py [CAPTURE...]

Takes captures (pcap: Ethernet, cooked or raw IP) and, without any, the packets
that scapy made for the unit tests. For each kind of packet there is one input
in corpus/parse, as it was, and one in corpus/pair, where it comes in to a queue
pair that expects it: number, PSN, keys and address are put right.
"""

import os
import re
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
VECTORS = os.path.join(HERE, "../../drivers/infiniband/sw/tuff/tests",
                       "icrc_vectors_kunit.h")
ROCE_PORT = 4791
LINK_TYPES = {1: 14, 101: 0, 113: 16, 276: 20}  # bytes before the IP header
# Of fuzz_pair.c and pair_life.c.
RC, UC, UD = 0x00, 0x20, 0x60
TYPES = {RC: 0, UC: 1, UD: 2}
POST_RECV, RAW, CALM = 1, 7, 14
PSN, KEY, VA, QKEY = 0xfffff0, 1, 0x10000, 0x11111111
RETH = (0x06, 0x0a, 0x0b, 0x0c)
ATOMIC = (0x13, 0x14)


def captured(path):
    """Yield the IP packets of a pcap file."""
    with open(path, "rb") as file:
        data = file.read()
    order = {b"\xd4\xc3\xb2\xa1": "<", b"\xa1\xb2\xc3\xd4": ">",
             b"\x4d\x3c\xb2\xa1": "<", b"\xa1\xb2\x3c\x4d": ">"}.get(data[:4])
    if not order:
        sys.exit("%s: no pcap file" % path)
    link = struct.unpack_from(order + "I", data, 20)[0] & 0xffff
    at = 24
    while at + 16 <= len(data):
        size, whole = struct.unpack_from(order + "II", data, at + 8)
        if size == whole and link in LINK_TYPES:
            yield data[at + 16 + LINK_TYPES[link]:at + 16 + size]
        at += 16 + size


def vectors():
    """Yield the IP packets of the unit tests."""
    with open(VECTORS, encoding="ascii") as file:
        for text in re.findall(r"packet_\d+\[\] = \{(.*?)\}", file.read(),
                               re.S):
            yield bytes(int(n, 16) for n in re.findall(r"0x\w\w", text))


def transport(packet):
    """Return what stands from the BTH to the ICRC, or nothing."""
    if len(packet) < 20:
        return b""
    udp = 40 if packet[0] >> 4 == 6 else (packet[0] & 15) * 4
    proto = packet[6] if packet[0] >> 4 == 6 else packet[9]
    if proto != 17 or len(packet) < udp + 8 + 16:
        return b""
    _, port, size = struct.unpack_from(">HHH", packet, udp)
    return packet[udp + 8:udp + size] if port == ROCE_PORT else b""


def at_home(bth):
    """The same packet for queue pair 1 of the pair, which expects it."""
    out = bytearray(bth)
    struct.pack_into(">HI", out, 2, 0xffff, 1)
    struct.pack_into(">I", out, 8, (out[8] & 0x80) << 24 | PSN)
    op, service = out[0] & 0x1f, out[0] & 0xe0
    if service == UD:
        struct.pack_into(">I", out, 12, QKEY)
    elif op in RETH or op in ATOMIC:
        struct.pack_into(">QI", out, 12, VA, KEY)
    return bytes(out)


def pair_input(bth):
    """Two receives are posted, the packet comes, its answer leaves."""
    how = bytes([TYPES[bth[0] & 0xe0], 0, 0, 0, 0x11, 0x70, 0, 0])
    body = at_home(bth)[:-4]
    recv = bytes([POST_RECV, 1, 0x7f, 0, 0])
    return how + recv * 2 + bytes([RAW, len(body) - 12]) + body + \
        bytes([CALM, 8])


def write(folder, name, data):
    with open(os.path.join(HERE, "corpus", folder, name), "wb") as file:
        file.write(data)


def main(paths):
    seen = set()
    packets = [p for path in paths for p in captured(path)] if paths else \
        vectors()
    for bth in map(transport, packets):
        kind = (bth[0], len(bth)) if bth else None
        if not kind or kind in seen or len(bth) > 260:
            continue
        seen.add(kind)
        name = "packet-%02x-%d" % kind
        write("parse", name, b"\0\0" + bth)
        if bth[0] & 0xe0 in TYPES:
            write("pair", name, pair_input(bth))
    print("%d kinds of packets" % len(seen))


if __name__ == "__main__":
    main(sys.argv[1:])
