#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""RoCEv2 packets, made and taken apart by an independent program.

Nothing here comes from the module: layouts and sums are written down again
from the specification, so that an error there does not look right here.

usage: wire.py check FILE [--from ADDRESS] [OPCODE...]

Reads a capture (pcap, Ethernet), recomputes the ICRC of every packet, looks
at each field that has only one right value, prints how often each opcode came,
and fails unless all OPCODEs did (hexadecimal). With an IPv4 address only what
was sent from there is looked at.
"""

import socket
import struct
import sys
import zlib

PORT = 4791

# What follows the BTH of an opcode without its transport (low 5 bits).
RETH, AETH, ATOMIC, ATOMIC_ACK, IMM, DETH, IETH = range(7)
LENGTH = {RETH: 16, AETH: 4, ATOMIC: 28, ATOMIC_ACK: 8, IMM: 4, DETH: 8,
          IETH: 4}
SEND_FIRST, SEND_MIDDLE, SEND_LAST, SEND_LAST_IMM, SEND_ONLY, \
    SEND_ONLY_IMM, WRITE_FIRST, WRITE_MIDDLE, WRITE_LAST, WRITE_LAST_IMM, \
    WRITE_ONLY, WRITE_ONLY_IMM, READ_REQUEST, READ_FIRST, READ_MIDDLE, \
    READ_LAST, READ_ONLY, ACK, ATOMIC_ACKNOWLEDGE, COMPARE_SWAP, \
    FETCH_ADD = range(0x15)
HEADERS = {
    SEND_LAST_IMM: [IMM], SEND_ONLY_IMM: [IMM], WRITE_FIRST: [RETH],
    WRITE_LAST_IMM: [IMM], WRITE_ONLY: [RETH], WRITE_ONLY_IMM: [RETH, IMM],
    READ_REQUEST: [RETH], READ_FIRST: [AETH], READ_LAST: [AETH],
    READ_ONLY: [AETH], ACK: [AETH], ATOMIC_ACKNOWLEDGE: [AETH, ATOMIC_ACK],
    COMPARE_SWAP: [ATOMIC], FETCH_ADD: [ATOMIC], 0x16: [IETH], 0x17: [IETH],
}
RC, UC, UD = 0x00, 0x20, 0x60


def extended(opcode):
    """The extended headers of an opcode, in order."""
    found = HEADERS.get(opcode & 0x1f, [])
    return [DETH] + found if opcode & 0xe0 == UD else list(found)


def header_length(opcode):
    return 12 + sum(LENGTH[h] for h in extended(opcode))


def ip_sum(header):
    total = sum(struct.unpack("!%dH" % (len(header) // 2), header))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return ~total & 0xffff


def icrc(ip, udp, transport):
    """The sum over an IP header, a UDP header, and BTH to pad."""
    ip, udp, bth = bytearray(ip), bytearray(udp), bytearray(transport)
    if ip[0] >> 4 == 4:
        ip[1] = 0xff                    # ToS
        ip[8] = 0xff                    # TTL
        ip[10:12] = b"\xff\xff"         # checksum
    else:
        ip[0] |= 0x0f                   # traffic class, flow label
        ip[1:4] = b"\xff\xff\xff"
        ip[7] = 0xff                    # hop limit
    udp[6:8] = b"\xff\xff"
    if len(bth) > 4:
        bth[4] = 0xff                   # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + ip + udp + bth))


class Packet:
    """One packet: fields of all headers it may have."""

    def __init__(self, opcode, qpn=0, psn=0, payload=b"", **fields):
        self.opcode, self.qpn, self.psn = opcode, qpn, psn
        self.payload = payload
        self.solicited = self.ackreq = self.tver = 0
        self.migreq, self.pkey = 1, 0xffff
        self.fecn = self.becn = 0
        self.pad = -len(payload) % 4
        self.va = self.rkey = self.length = 0
        self.swap = self.compare = self.orig = self.imm = 0
        self.qkey = self.sqpn = self.syndrome = self.msn = 0
        self.__dict__.update(fields)

    def transport(self):
        """BTH to pad, without the ICRC."""
        flags = self.solicited << 7 | self.migreq << 6 | \
            (self.pad & 3) << 4 | self.tver
        out = struct.pack("!BBHII", self.opcode, flags, self.pkey,
                          self.fecn << 31 | self.becn << 30 | self.qpn,
                          self.ackreq << 31 | self.psn)
        for header in extended(self.opcode):
            out += self.extended(header)
        return out + self.payload + bytes(-len(self.payload) % 4)

    def extended(self, header):
        if header == RETH:
            return struct.pack("!QII", self.va, self.rkey, self.length)
        if header == AETH:
            return struct.pack("!I", self.syndrome << 24 | self.msn)
        if header == ATOMIC:
            return struct.pack("!QIQQ", self.va, self.rkey, self.swap,
                               self.compare)
        if header == ATOMIC_ACK:
            return struct.pack("!Q", self.orig)
        if header == DETH:
            return struct.pack("!II", self.qkey, self.sqpn)
        return struct.pack("!I", self.imm)

    def frame(self, src, dst, **ip):
        """An IPv4 packet."""
        return frame(src, dst, self.transport(), **ip)


def frame(src, dst, transport, ident=0x1234, tos=0, ttl=64, sport=0xc123,
          spoil=0, udp_sum=0, frag=0x4000, length=None):
    """IPv4 and UDP around @transport; @spoil is xored into the ICRC."""
    size = 8 + len(transport) + 4
    udp = struct.pack("!HHHH", sport, PORT, size if length is None else length,
                      udp_sum)
    ip = struct.pack("!BBHHHBBH4s4s", 0x45, tos, 20 + size, ident, frag, ttl,
                     17, 0, socket.inet_aton(src), socket.inet_aton(dst))
    ip = ip[:10] + struct.pack("!H", ip_sum(ip)) + ip[12:]
    total = bytearray(icrc(ip, udp, transport))
    total[0] ^= spoil
    return ip + udp + transport + bytes(total)


class Parsed(Packet):
    """A packet from the wire; what is wrong with it is in .faults."""

    def __init__(self, ip):
        super().__init__(0)
        self.faults = []
        self.ip = ip
        self.version = ip[0] >> 4
        at = (ip[0] & 15) * 4 if self.version == 4 else 40
        self.udp = ip[at:at + 8]
        self.sport = struct.unpack("!H", self.udp[:2])[0]
        self.raw = ip[at + 8:]
        self.split()
        self.judge(at)

    def split(self):
        raw = self.raw
        self.opcode, flags, self.pkey, qpn, psn = struct.unpack(
            "!BBHII", raw[:12])
        self.solicited, self.migreq = flags >> 7, flags >> 6 & 1
        self.pad, self.tver = flags >> 4 & 3, flags & 15
        self.fecn, self.becn = qpn >> 31, qpn >> 30 & 1
        self.reserved = qpn >> 24 & 0x3f
        self.qpn, self.ackreq, self.psn = qpn & 0xffffff, psn >> 31, \
            psn & 0xffffff
        self.reserved |= psn >> 24 & 0x7f
        at = 12
        for header in extended(self.opcode):
            self.take(header, raw[at:at + LENGTH[header]])
            at += LENGTH[header]
        self.payload = raw[at:len(raw) - 4 - self.pad]
        self.padding = raw[len(raw) - 4 - self.pad:-4]

    def take(self, header, raw):
        if header == RETH:
            self.va, self.rkey, self.length = struct.unpack("!QII", raw)
        elif header == AETH:
            word, = struct.unpack("!I", raw)
            self.syndrome, self.msn = word >> 24, word & 0xffffff
        elif header == ATOMIC:
            self.va, self.rkey, self.swap, self.compare = struct.unpack(
                "!QIQQ", raw)
        elif header == ATOMIC_ACK:
            self.orig, = struct.unpack("!Q", raw)
        elif header == DETH:
            self.qkey, self.sqpn = struct.unpack("!II", raw)
        else:
            self.imm, = struct.unpack("!I", raw)

    def judge(self, at):
        """Note each field whose value is not the one right one."""
        self.must(icrc(self.ip[:at], self.udp, self.raw[:-4]) ==
                  self.raw[-4:], "ICRC %s" % self.raw[-4:].hex())
        self.must(self.sport >= 0xc000, "source port %d" % self.sport)
        self.must(struct.unpack("!H", self.udp[4:6])[0] ==
                  len(self.raw) + 8, "UDP length")
        self.must(self.udp[6:8] == b"\0\0" or self.version == 6,
                  "UDP checksum %s" % self.udp[6:8].hex())
        self.must(self.tver == 0, "TVer %d" % self.tver)
        self.must(self.pkey == 0xffff, "P_Key %#x" % self.pkey)
        self.must(self.reserved == 0, "reserved bits %#x" % self.reserved)
        self.must((len(self.payload) + self.pad) % 4 == 0, "PadCnt")
        self.must(self.padding == bytes(self.pad), "padding not zero")
        if self.version == 4:
            self.must(at == 20, "IP options")
            self.must(self.ip[6] & 0x40, "DF not set")
            self.must(self.ip[6] & 0x3f == 0 and self.ip[7] == 0, "fragment")
        kind = self.opcode & 0x1f
        if self.opcode & 0xe0 == RC and ACK <= kind <= ATOMIC_ACKNOWLEDGE \
                or READ_FIRST <= kind <= READ_ONLY:
            self.must(not self.ackreq, "AckReq in an answer")

    def must(self, good, text):
        if not good:
            self.faults.append(text)

    def __str__(self):
        return "opcode %#04x qpn %#x psn %d len %d" % (
            self.opcode, self.qpn, self.psn, len(self.payload))


def from_ethernet(data):
    """The IP packet to port 4791 in an Ethernet frame, or None."""
    kind, = struct.unpack("!H", data[12:14])
    at = 14
    if kind == 0x8100:
        kind, at = struct.unpack("!H", data[16:18])[0], 18
    ip = data[at:]
    if kind == 0x0800 and ip[9] == 17:
        length, = struct.unpack("!H", ip[2:4])
        head = (ip[0] & 15) * 4
    elif kind == 0x86dd and ip[6] == 17:
        length = 40 + struct.unpack("!H", ip[4:6])[0]
        head = 40
    else:
        return None
    if struct.unpack("!H", ip[head + 2:head + 4])[0] != PORT:
        return None
    return ip[:length]


def read_pcap(path):
    """Yield the frames of a capture."""
    with open(path, "rb") as file:
        magic = file.read(24)[:4]
        order = "<" if magic in (b"\xd4\xc3\xb2\xa1", b"\x4d\x3c\xb2\xa1") \
            else ">"
        while True:
            head = file.read(16)
            if len(head) < 16:
                return
            size, = struct.unpack(order + "I", head[8:12])
            yield file.read(size)


def check(path, wanted, source=None):
    seen, faults = {}, 0
    for number, data in enumerate(read_pcap(path), 1):
        ip = from_ethernet(data)
        if ip is None or source and ip[12:16] != source:
            continue
        packet = Parsed(ip)
        seen[packet.opcode] = seen.get(packet.opcode, 0) + 1
        if packet.faults:
            faults += 1
            if faults < 10:
                print("frame %d: %s: %s" % (number, packet,
                                            ", ".join(packet.faults)))
    for opcode in sorted(seen):
        print("opcode %#04x: %d" % (opcode, seen[opcode]))
    missing = sorted(set(wanted) - set(seen))
    if missing:
        print("never seen: " + " ".join("%#04x" % m for m in missing))
    print("%d packets, %d with faults" % (sum(seen.values()), faults))
    return 1 if faults or missing or not seen else 0


def main(argv):
    if len(argv) < 3 or argv[1] != "check":
        sys.exit(__doc__)
    words, source = argv[3:], None
    if words and words[0] == "--from":
        source = socket.inet_aton(words[1])
        words = words[2:]
    sys.exit(check(argv[2], [int(word, 16) for word in words], source))


if __name__ == "__main__":
    main(sys.argv)
