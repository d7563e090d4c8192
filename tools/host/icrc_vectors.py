#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""tuff: the ICRC vectors of the unit tests: check them, or make them again.

Without arguments: read tests/icrc_vectors_kunit.h and compute each packet's
ICRC once more, by nothing but zlib and the rules of IBA A17.3.4.
--generate: print that file, with packets from scapy (Debian: python3-scapy).
scapy computes the ICRC of IPv4 packets itself; of IPv6 it does not, so those
are this program's, which must agree with scapy on all the others.
"""
import argparse
import os
import re
import struct
import sys
import zlib

HEADER = os.path.normpath(os.path.join(
    os.path.dirname(os.path.abspath(__file__)), "..", "..", "drivers",
    "infiniband", "sw", "tuff", "tests", "icrc_vectors_kunit.h"))


def icrc(packet):
    """ICRC bytes of a packet that starts with IP and ends with an ICRC."""
    data = bytearray(packet[:-4])
    if data[0] >> 4 == 4:
        udp = 20
        for at in (1, 8, 10, 11):       # ToS, TTL, header checksum
            data[at] = 0xff
    else:
        udp = 40
        data[0] |= 0x0f                 # traffic class, flow label
        for at in (1, 2, 3, 7):         # and the hop limit
            data[at] = 0xff
    data[udp + 6] = data[udp + 7] = 0xff    # UDP checksum
    data[udp + 8 + 4] = 0xff                # FECN, BECN, reserved
    return struct.pack("<I", zlib.crc32(b"\xff" * 8 + bytes(data)))


def recipes():
    """(name, extended headers and payload, fields of BTH) per vector."""
    reth = struct.pack(">QII", 0x7f0012345678, 0x1a2b3c, 24)
    atomic = struct.pack(">QIQQ", 0x7f0012345678, 0x1a2b3c, 7, 9)
    deth = struct.pack(">II", 0x80010000, 1)
    data = bytes(range(24))
    return (
        ("RC_SEND_ONLY", data, dict(opcode=0x04, ackreq=1)),
        ("RC_SEND_FIRST", bytes(40), dict(opcode=0x00)),
        ("RC_SEND_ONLY_IMM", b"\x11\x22\x33\x44" + data[:5] + bytes(3),
         dict(opcode=0x05, padcount=3, solicited=1)),
        ("RC_WRITE_ONLY", reth + data, dict(opcode=0x0a, fecn=1)),
        ("RC_READ_REQUEST", reth, dict(opcode=0x0c, ackreq=1)),
        ("RC_READ_RESPONSE_ONLY", b"\x1f\x00\x00\x07" + data,
         dict(opcode=0x10)),
        ("RC_ACK", b"\x1f\x00\x00\x01", dict(opcode=0x11)),
        ("RC_ATOMIC_ACK", b"\x1f\x00\x00\x02" + data[:8], dict(opcode=0x12)),
        ("RC_COMPARE_SWAP", atomic, dict(opcode=0x13)),
        ("UC_SEND_ONLY", b"", dict(opcode=0x24)),
        ("UD_SEND_ONLY", deth + data, dict(opcode=0x64, dqpn=1)),
        ("CNP", bytes(16), dict(opcode=0x81, becn=1, psn=0)),
    )


def generate():
    try:
        from scapy.contrib.roce import BTH
        from scapy.layers.inet import IP, UDP
        from scapy.layers.inet6 import IPv6
        from scapy.packet import Raw
    except ImportError as why:
        sys.exit(f"icrc_vectors.py: no scapy ({why}): "
                 "apt-get install python3-scapy, run with /usr/bin/python3")

    made = []
    for n, (name, rest, fields) in enumerate(recipes()):
        fields = {"migreq": 1, "dqpn": 0x11 + n, "psn": 0xfffff0 + n, **fields}
        udp = dict(sport=0xc000 + 17 * n, dport=4791, chksum=0)
        v4 = (IP(src="192.0.2.1", dst="192.0.2.2", tos=2 + 4 * n, id=n * 4111,
                 flags="DF", ttl=64 - n) /
              UDP(**udp) / BTH(**fields) / Raw(rest))
        raw4 = bytes(v4)
        if icrc(raw4) != raw4[-4:]:
            sys.exit(f"{name}: scapy and this program do not agree")
        made.append((name + "/IPv4", raw4))

        # The last four bytes are the place that the checksum goes to.
        v6 = (IPv6(src="2001:db8::1", dst="2001:db8::2", tc=2 + 4 * n,
                   fl=0x12345 * n & 0xfffff, hlim=64 - n) /
              UDP(**udp) / BTH(icrc=0, **fields) / Raw(rest))
        raw6 = bytes(v6)
        made.append((name + "/IPv6", raw6[:-4] + icrc(raw6)))
    emit(made)


def emit(made):
    print("/* SPDX-License-Identifier: GPL-2.0 */")
    print("/*\n * tuff: packets with their ICRC, IP header first\n *")
    print(" * Written by tools/host/icrc_vectors.py --generate: the packets, "
          "and the ICRC of\n * the IPv4 ones, by scapy. Not to be changed by "
          "hand.\n */")
    print("#ifndef _TUFF_TESTS_ICRC_VECTORS_KUNIT_H")
    print("#define _TUFF_TESTS_ICRC_VECTORS_KUNIT_H\n")
    print("#include <linux/types.h>\n")
    for n, (name, raw) in enumerate(made):
        print(f"/* {name} */")
        print(f"static const u8 tuff_icrc_packet_{n}[] = {{")
        for at in range(0, len(raw), 12):
            print("\t" + " ".join(f"0x{b:02x}," for b in raw[at:at + 12]))
        print("};\n")
    print("static const struct tuff_icrc_vector {")
    print("\tconst char *name;\n\tconst u8 *packet;\n\tu32 len;")
    print("} tuff_icrc_vectors[] = {")
    print("#define TUFF_ICRC_VECTOR(n, name) \\\n"
          "\t{ name, tuff_icrc_packet_##n, sizeof(tuff_icrc_packet_##n) }")
    for n, (name, _) in enumerate(made):
        print(f'\tTUFF_ICRC_VECTOR({n}, "{name}"),')
    print("#undef TUFF_ICRC_VECTOR\n};\n")
    print("#endif /* _TUFF_TESTS_ICRC_VECTORS_KUNIT_H */")


def check():
    text = open(HEADER, encoding="ascii").read()
    packets = re.findall(r"/\* (\S+) \*/\nstatic const u8 \w+\[\] = "
                         r"\{([^}]*)\};", text)
    print(f"TAP version 13\n1..{len(packets) or 1}")
    bad = 0
    for n, (name, body) in enumerate(packets, 1):
        raw = bytes(int(b, 16) for b in re.findall(r"0x[0-9a-f]{2}", body))
        ok = icrc(raw) == raw[-4:]
        bad += not ok
        print(f"{'ok' if ok else 'not ok'} {n} {name}")
    if not packets:
        print(f"not ok 1 no packets in {HEADER}")
    return 1 if bad or not packets else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--generate", action="store_true",
                        help="print the vectors anew, with scapy")
    if parser.parse_args().generate:
        return generate()
    return check()


if __name__ == "__main__":
    sys.exit(main())
