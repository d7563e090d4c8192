#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""All 256 opcodes with many lengths, to all kinds of QP numbers; noise."""

import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import pyverbs.enums as e  # noqa: E402

import wire  # noqa: E402
from peer import IPA, IPB, Failed, Suite, Target, main, until  # noqa: E402

LENGTHS = (0, 1, 3, 4, 7, 8, 11, 12, 13, 15, 16, 19, 20, 23, 24, 27, 28, 31,
           32, 36, 40, 44, 48, 52, 60, 64)
SEED = int(os.environ.get("TUFF_SEED", "1"))
# Where a packet can be counted that changes nothing
COUNTED = ("out_of_sequence", "duplicate_request")


class Sweep(Suite):
    """Everything that is sent is counted somewhere; live QPs live on."""

    def __init__(self, device, peer):
        super().__init__(device, peer)
        self.targets = [Target(device), Target(device, kind=e.IBV_QPT_UC),
                        Target(device, kind=e.IBV_QPT_UD)]

    def total(self):
        if not self.device.counts:
            return 0
        return sum(self.device.drops().values()) + sum(
            self.device.counters(*COUNTED))

    def flood(self, frames):
        before, sent = self.total(), 0
        for data in frames:
            self.peer.send(data)
            sent += 1
        if self.device.counts and \
                not until(lambda: self.total() - before >= sent, 5):
            raise Failed("%d packets sent, %d counted" % (
                sent, self.total() - before))
        self.peer.forget()
        for target in self.targets:
            if target.state() != e.IBV_QPS_RTS:
                raise Failed("QP %#x is in state %d" % (target.qpn,
                                                        target.state()))
        self.alive(self.targets[0])

    def frames(self, qpn):
        """PSNs far ahead: what is well formed is out of sequence."""
        for opcode in range(256):
            for length in LENGTHS:
                bth = bytearray(os.urandom(length))
                head = wire.Packet(opcode, qpn, 0x700000).transport()[:12]
                bth[:12] = head[:min(12, length)]
                if length > 1:
                    bth[1] = 0x40 | (length & 3) << 4
                yield wire.frame(IPB, IPA, bytes(bth))

    def test_rc(self):
        """to a live RC queue pair"""
        self.flood(self.frames(self.targets[0].qpn))

    def test_ud(self):
        """to a live UD queue pair"""
        self.flood(self.frames(self.targets[2].qpn))

    def test_special(self):
        """to QP 0, QP 1, multicast and a number that is free"""
        for qpn in (0, 1, 0xffffff, 0x5a5a5a):
            self.flood(wire.frame(IPB, IPA, wire.Packet(
                opcode, qpn, 0x700000, b"x" * 24).transport())
                for opcode in range(256))

    def test_noise(self):
        """random bytes with a right ICRC"""
        rand = random.Random(SEED)
        self.flood(wire.frame(IPB, IPA, bytes(
            rand.randrange(256) for _ in range(rand.randrange(80))))
            for _ in range(2000))

    def test_mutations(self):
        """right packets with a few bits turned"""
        rand = random.Random(SEED)
        target = self.targets[0]

        def frames():
            for _ in range(3000):
                packet = target.packet(rand.randrange(0x15),
                                       b"d" * rand.choice((0, 8, 64)),
                                       psn=0x700000, va=target.mr.buf,
                                       rkey=target.mr.rkey, length=64)
                data = bytearray(packet.transport())
                for _ in range(rand.randrange(1, 4)):
                    # Not the PSN: it must stay far ahead.
                    at = rand.choice([n for n in range(len(data))
                                      if not 8 <= n < 12])
                    data[at] ^= 1 << rand.randrange(8)
                yield wire.frame(IPB, IPA, bytes(data))
        self.flood(frames())


if __name__ == "__main__":
    main(Sweep)
