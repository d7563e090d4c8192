#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What the device answers to packets, right and wrong, of a raw peer."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import pyverbs.enums as e  # noqa: E402

import wire  # noqa: E402
from peer import MTU, Suite, Target, main, same  # noqa: E402

NAK_SEQUENCE, NAK_INVALID, NAK_ACCESS = 0x60, 0x61, 0x62


class Responder(Suite):
    """Requests, and their acknowledgements."""

    def with_target(self, body, **how):
        target = Target(self.device, **how)
        try:
            body(target)
        finally:
            target.close()

    def refused(self, body, syndrome, **how):
        """What @body sends is answered by this NAK; the QP is in ERR."""
        def run(target):
            psn = body(target)
            self.answer(target, wire.ACK, target.psn if psn is None else psn,
                        syndrome)
            same(e.IBV_QPS_ERR, target.state(), "state")
        self.with_target(run, **how)

    def test_send(self):
        """SEND of one and of many packets"""
        def body(t):
            self.alive(t)
            t.post_recv(2)
            data = os.urandom(2 * MTU + 77)
            kinds = (wire.SEND_FIRST, wire.SEND_MIDDLE, wire.SEND_LAST)
            for n, kind in enumerate(kinds):
                self.peer.send(t.packet(kind, data[n * MTU:(n + 1) * MTU],
                                        psn=t.psn + n, ackreq=n == 2))
            t.took(3)
            self.acknowledged(t)
            same(len(data), t.completion(e.IBV_WC_SUCCESS, 2).byte_len,
                 "byte_len")
            same(data, t.mr.read(len(data), 8192), "bytes")
        self.with_target(body)

    def test_write(self):
        """WRITE of one and of many packets, with immediate"""
        def body(t):
            data = os.urandom(2 * MTU)
            self.peer.send(t.packet(wire.WRITE_FIRST, data[:MTU],
                                    va=t.mr.buf + 1, rkey=t.mr.rkey,
                                    length=len(data), ackreq=0))
            t.took(1, 0)
            self.peer.send(t.packet(wire.WRITE_LAST, data[MTU:]))
            t.took()
            self.acknowledged(t)
            same(data, t.mr.read(len(data), 1), "bytes")
            t.post_recv(3)
            self.peer.send(t.packet(wire.WRITE_ONLY_IMM, b"abc", rkey=t.mr.rkey,
                                    va=t.mr.buf, length=3, imm=0x12345678))
            t.took()
            self.acknowledged(t)
            wc = t.completion(e.IBV_WC_SUCCESS, 3)
            same(3, wc.byte_len, "byte_len")
            same(e.IBV_WC_RECV_RDMA_WITH_IMM, wc.opcode, "opcode")
            same(b"abc", t.mr.read(3, 0), "bytes")
        self.with_target(body)

    def test_read(self):
        """READ is answered by packets with the right PSNs"""
        def body(t):
            data = os.urandom(2 * MTU + 5)
            t.mr.write(data, len(data), 0)
            self.peer.send(t.packet(wire.READ_REQUEST, va=t.mr.buf,
                                    rkey=t.mr.rkey, length=len(data)))
            got = b""
            for n, kind in enumerate((wire.READ_FIRST, wire.READ_MIDDLE,
                                      wire.READ_LAST)):
                got += self.answer(t, kind, t.psn + n).payload
            same(data, got, "bytes")
            t.took(3)
            self.alive(t)
            # What a requester asks for again when it missed the middle
            self.peer.send(t.packet(wire.READ_REQUEST, va=t.mr.buf + MTU,
                                    rkey=t.mr.rkey, length=MTU + 5, psn=5001))
            same(data[MTU:2 * MTU],
                 self.answer(t, wire.READ_FIRST, 5001).payload, "bytes again")
            same(data[2 * MTU:],
                 self.answer(t, wire.READ_LAST, 5002).payload, "bytes again")
            self.alive(t)
        self.with_target(body)

    def test_atomic(self):
        """ATOMIC, and its duplicate is answered without being done again"""
        def body(t):
            t.mr.write((7).to_bytes(8, "little"), 8, 0)
            add = t.packet(wire.FETCH_ADD, va=t.mr.buf, rkey=t.mr.rkey,
                           swap=5)
            for _ in range(3):
                self.peer.send(add)
                packet = self.answer(t, wire.ATOMIC_ACKNOWLEDGE, 5000)
                same(7, packet.orig, "original value")
            same(12, int.from_bytes(t.mr.read(8, 0), "little"), "value")
            t.took()
            self.peer.send(t.packet(wire.COMPARE_SWAP, va=t.mr.buf,
                                    rkey=t.mr.rkey, swap=99, compare=12))
            same(12, self.answer(t, wire.ATOMIC_ACKNOWLEDGE, t.psn).orig,
                 "original value")
            t.took()
            same(99, int.from_bytes(t.mr.read(8, 0), "little"), "value")
            self.alive(t)
        self.with_target(body)

    def test_gap(self):
        """A gap is NAKed once, then silence until the missing one comes"""
        def body(t):
            for n in range(1, 4):
                self.peer.send(t.packet(wire.SEND_ONLY, b"x", psn=t.psn + n))
            self.answer(t, wire.ACK, t.psn, NAK_SEQUENCE)
            self.peer.nothing(50)
            self.alive(t)
            self.peer.send(t.packet(wire.SEND_ONLY, b"x", psn=t.psn + 9))
            self.answer(t, wire.ACK, t.psn, NAK_SEQUENCE)
            self.alive(t)
        self.with_target(body)

    def test_duplicate(self):
        """A duplicate SEND is acknowledged and not delivered again"""
        def body(t):
            self.alive(t)
            before = self.device.counts and \
                self.device.counter("duplicate_request")
            t.post_recv(5)
            for psn in (t.psn - 1, t.psn - 1000):
                self.peer.send(t.packet(wire.SEND_ONLY, b"again", psn=psn))
                packet = self.peer.receive()
                same(0, packet.syndrome >> 5, "kind of the answer")
                same(t.psn - 1, packet.psn, "PSN of the answer")
            t.quiet()
            if self.device.counts:
                same(before + 2, self.device.counter("duplicate_request"),
                     "duplicate_request")
        self.with_target(body)

    def missing(self, t, ahead):
        """These come, the expected one does not: one NAK."""
        for n in ahead:
            self.peer.send(t.packet(wire.SEND_ONLY, b"%d" % n, psn=t.psn + n))
        self.answer(t, wire.ACK, t.psn, NAK_SEQUENCE)
        self.peer.nothing(20)

    def arrives(self, t, packets=1):
        """The expected one comes, and so many are acknowledged with it."""
        self.peer.send(t.packet(wire.SEND_ONLY, b"0"))
        t.took(packets, packets)
        self.acknowledged(t)

    def test_mends(self):
        """Who repeats only what is missing has what follows kept"""
        def body(t):
            for _ in range(16):
                t.post_recv(1)
            for kept in (0, 1):
                self.missing(t, (1, 2, 3))
                self.arrives(t)
                # The last of them again, and not those between.
                self.missing(t, (2,))
                self.arrives(t)
                if kept:
                    self.answer(t, wire.ACK, t.psn, NAK_SEQUENCE)
                    self.arrives(t, 2)
                else:
                    self.arrives(t)
                    self.arrives(t)
            self.missing(t, (2, 1, 4))
            self.arrives(t, 3)
            # The next gap, though nothing else comes.
            self.answer(t, wire.ACK, t.psn, NAK_SEQUENCE)
            self.arrives(t, 2)
            for _ in range(t.msn):
                t.completion(e.IBV_WC_SUCCESS)
            t.quiet()
        if self.device.counts:
            before = self.device.counter("rx_early_packets")
        self.with_target(body)
        if self.device.counts:
            same(before + 4, self.device.counter("rx_early_packets"),
                 "rx_early_packets")

    def test_goes_back(self):
        """Who repeats everything has nothing kept"""
        def body(t):
            for _ in range(12):
                t.post_recv(1)
            for _ in range(3):
                self.missing(t, (1, 2, 3))
                for _ in range(4):
                    self.arrives(t)
        self.with_target(body)

    def test_wrap(self):
        """PSNs wrap around"""
        def body(t):
            for _ in range(4):
                self.alive(t)
        self.with_target(body, rq_psn=0xfffffe)

    def test_not_ready(self):
        """No receive: RNR NAK with the timer that was set"""
        def body(t):
            for _ in range(2):
                self.peer.send(t.packet(wire.SEND_ONLY, b"x"))
                self.answer(t, wire.ACK, t.psn, 0x20 | 12)
            self.alive(t)
        self.with_target(body)

    def test_middle_alone(self):
        """MIDDLE and LAST without FIRST: invalid request"""
        for kind in (wire.SEND_MIDDLE, wire.SEND_LAST, wire.WRITE_MIDDLE,
                     wire.WRITE_LAST):
            def body(t):
                t.post_recv(1)
                self.peer.send(t.packet(kind, b"m" * MTU))
            self.refused(body, NAK_INVALID)

    def test_first_again(self):
        """FIRST, ONLY or READ inside of a message: invalid request"""
        for kind in (wire.SEND_FIRST, wire.SEND_ONLY, wire.WRITE_ONLY,
                     wire.WRITE_MIDDLE, wire.READ_REQUEST):
            def body(t):
                t.post_recv(1)
                self.peer.send(t.packet(wire.SEND_FIRST, b"f" * MTU,
                                        ackreq=0))
                t.took(1, 0)
                data = b"" if kind == wire.READ_REQUEST else b"f" * MTU
                self.peer.send(t.packet(kind, data, va=t.mr.buf, length=MTU,
                                        rkey=t.mr.rkey))
            self.refused(body, NAK_INVALID)

    def test_lengths(self):
        """Payloads that do not fit their opcode: invalid request"""
        for kind, size in ((wire.SEND_FIRST, MTU - 4),
                           (wire.SEND_FIRST, 0), (wire.SEND_ONLY, MTU + 4)):
            def body(t):
                t.post_recv(1)
                self.peer.send(t.packet(kind, b"l" * size))
            self.refused(body, NAK_INVALID)

        def empty_last(t):
            t.post_recv(1)
            self.peer.send(t.packet(wire.SEND_FIRST, b"f" * MTU, ackreq=0))
            t.took(1, 0)
            self.peer.send(t.packet(wire.SEND_LAST))
        self.refused(empty_last, NAK_INVALID)

    def test_write_lengths(self):
        """More or less data than the RETH says: invalid request"""
        def too_long(t):
            self.peer.send(t.packet(wire.WRITE_ONLY, b"w" * 8, va=t.mr.buf,
                                    rkey=t.mr.rkey, length=4))
        self.refused(too_long, NAK_INVALID)

        def too_short(t):
            self.peer.send(t.packet(wire.WRITE_FIRST, b"w" * MTU, ackreq=0,
                                    va=t.mr.buf, rkey=t.mr.rkey,
                                    length=2 * MTU))
            t.took(1, 0)
            self.peer.send(t.packet(wire.WRITE_LAST, b"w" * 8))
        self.refused(too_short, NAK_INVALID)

        def zero(t):
            before = t.mr.read(64, 0)
            self.peer.send(t.packet(wire.WRITE_ONLY, b"w" * 8, va=t.mr.buf,
                                    rkey=t.mr.rkey, length=0))
            self.answer(t, wire.ACK, t.psn, NAK_INVALID)
            same(before, t.mr.read(64, 0), "bytes")
        self.with_target(zero)

    def test_access(self):
        """Keys and ranges that are wrong: remote access error"""
        for kind in (wire.WRITE_ONLY, wire.READ_REQUEST, wire.FETCH_ADD,
                     wire.COMPARE_SWAP):
            for wrong in ({"rkey": 0x1234567}, {"va": (1 << 64) - 8},
                          {"va": 0}):
                def body(t):
                    data = b"w" * 8 if kind == wire.WRITE_ONLY else b""
                    self.peer.send(t.packet(kind, data, **dict(
                        {"va": t.mr.buf, "rkey": t.mr.rkey, "length": 8},
                        **wrong)))
                self.refused(body, NAK_ACCESS)

    def test_misaligned(self):
        """ATOMIC at an odd address: invalid request"""
        def body(t):
            self.peer.send(t.packet(wire.FETCH_ADD, va=t.mr.buf + 4,
                                    rkey=t.mr.rkey))
        self.refused(body, NAK_INVALID)

    def test_ignored_fields(self):
        """MigReq, ToS, TTL, IP ID, source port, UDP checksum do not matter"""
        def body(t):
            for fields, ip in (({"migreq": 0}, {}), ({}, {"tos": 0xb8}),
                               ({}, {"ttl": 3}), ({}, {"ident": 1}),
                               ({}, {"sport": 1025}), ({"becn": 1}, {}),
                               ({"fecn": 1}, {})):
                t.post_recv(1)
                self.peer.send(t.packet(wire.SEND_ONLY, b"same", **fields),
                               **ip)
                t.took()
                self.acknowledged(t)
                t.completion(e.IBV_WC_SUCCESS)
        self.with_target(body)

    def test_uc(self):
        """UC: a broken message is dropped whole, the next one arrives"""
        def body(t):
            t.post_recv(1)
            t.post_recv(2)
            self.peer.send(t.packet(wire.SEND_FIRST, b"f" * MTU))
            t.took(2, 0)            # one is lost
            self.peer.send(t.packet(wire.SEND_LAST, b"l"))
            t.took(1, 0)
            t.quiet()
            self.peer.send(t.packet(wire.SEND_ONLY, b"whole"))
            t.took()
            same(5, t.completion(e.IBV_WC_SUCCESS, 1).byte_len, "byte_len")
            # After a gap of whole messages, too.
            t.took(7, 0)
            self.peer.send(t.packet(wire.SEND_ONLY, b"on"))
            t.took()
            same(2, t.completion(e.IBV_WC_SUCCESS, 2).byte_len, "byte_len")
            self.peer.nothing(20)
            same(e.IBV_QPS_RTS, t.state(), "state")
        self.with_target(body, kind=e.IBV_QPT_UC)


if __name__ == "__main__":
    main(Responder)
