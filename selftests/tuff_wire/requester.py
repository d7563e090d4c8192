#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""What the device sends, and what it makes of a raw peer's answers."""

import os
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import pyverbs.enums as e  # noqa: E402

import wire  # noqa: E402
from peer import MTU, Failed, Suite, Target, main, same  # noqa: E402

IPV4_TOS, IPV4_TTL = 1, 8


class Requester(Suite):
    """The device posts, we answer."""

    def with_target(self, body, **how):
        target = Target(self.device, **how)
        try:
            body(target)
        finally:
            target.close()

    def expect(self, opcode, psn, seconds=3):
        packet = self.peer.receive(seconds)
        if packet is None:
            raise Failed("no packet, expected opcode %#04x PSN %d" % (opcode,
                                                                      psn))
        same((hex(opcode), psn), (hex(packet.opcode), packet.psn),
             "opcode, PSN")
        return packet

    def reply(self, target, psn, syndrome=0x1f, msn=1, opcode=wire.ACK,
              payload=b"", **fields):
        self.peer.send(wire.Packet(opcode, target.qpn, psn & 0xffffff, payload,
                                   syndrome=syndrome, msn=msn, **fields))

    def test_headers(self):
        """Headers of a SEND are what hardware sends"""
        def body(t):
            t.post_send(length=5)
            packet = self.expect(wire.SEND_ONLY, 100)
            same(3, packet.pad, "PadCnt")
            same(1, packet.ackreq, "AckReq")
            same(1, packet.migreq, "MigReq")
            same(0x4321, packet.qpn, "QPN")
            same(64, packet.ip[IPV4_TTL], "TTL")
            self.reply(t, 100)
            t.completion(e.IBV_WC_SUCCESS)
            ports = {packet.sport}
            for n in range(1, 4):
                t.post_send(length=5)
                ports.add(self.expect(wire.SEND_ONLY, 100 + n).sport)
                self.reply(t, 100 + n, msn=1 + n)
                t.completion(e.IBV_WC_SUCCESS)
            same(1, len(ports), "number of source ports of one QP")
        self.with_target(body)

    def test_segments(self):
        """A WRITE of three packets: RETH in the first, AckReq in the last"""
        def body(t):
            t.post_send(e.IBV_WR_RDMA_WRITE, length=2 * MTU + 3, va=0x5005)
            first = self.expect(wire.WRITE_FIRST, 100)
            same((0x5005, 0x77, 2 * MTU + 3),
                 (first.va, first.rkey, first.length), "RETH")
            same(MTU, len(first.payload), "payload")
            same(MTU, len(self.expect(wire.WRITE_MIDDLE, 101).payload),
                 "payload")
            last = self.expect(wire.WRITE_LAST, 102)
            same(3, len(last.payload), "payload")
            same(1, last.ackreq, "AckReq")
            self.reply(t, 102)
            t.completion(e.IBV_WC_SUCCESS)
        self.with_target(body)

    def test_coalesced(self):
        """One acknowledgement completes all before it"""
        def body(t):
            for n in range(5):
                t.post_send(wr_id=n)
                self.expect(wire.SEND_ONLY, 100 + n)
            self.reply(t, 103, msn=4)
            for n in range(4):
                t.completion(e.IBV_WC_SUCCESS, n)
            t.quiet()
            self.reply(t, 104, msn=5)
            t.completion(e.IBV_WC_SUCCESS, 4)
        self.with_target(body)

    def test_sequence_nak(self):
        """A sequence NAK: what it names is sent again, from there"""
        def body(t):
            t.post_send(e.IBV_WR_RDMA_WRITE, length=3 * MTU)
            sent = [self.expect(k, 100 + n).payload for n, k in enumerate(
                (wire.WRITE_FIRST, wire.WRITE_MIDDLE, wire.WRITE_LAST))]
            self.reply(t, 101, 0x60, msn=0)
            again = [self.expect(wire.WRITE_MIDDLE, 101).payload,
                     self.expect(wire.WRITE_LAST, 102).payload]
            same(sent[1:], again, "bytes")
            self.reply(t, 102)
            t.completion(e.IBV_WC_SUCCESS)
        self.with_target(body)

    def test_timeout(self):
        """No answer: sent again after the ack timeout, then given up"""
        def body(t):
            start = time.monotonic()
            t.post_send()
            for n in range(3):
                self.expect(wire.SEND_ONLY, 100, 10)
                if n and time.monotonic() - start < 0.03:
                    raise Failed("sent again after %f s" % (
                        time.monotonic() - start))
                start = time.monotonic()
            t.completion(e.IBV_WC_RETRY_EXC_ERR)
            same(e.IBV_QPS_ERR, t.state(), "state")
        # 4.096 us * 2^13: 34 ms; the first and two more
        self.with_target(body, timeout=13, retry_cnt=2)

    def test_rnr(self):
        """RNR NAK: a pause of at least its timer, then again, then given up"""
        def body(t):
            t.post_send()
            for n in range(3):
                packet = self.expect(wire.SEND_ONLY, 100, 10)
                now = time.monotonic()
                # timer code 20: 10.24 ms
                if n and now - before < 0.0102:
                    raise Failed("sent again after %f s" % (now - before))
                before = now
                self.reply(t, packet.psn, 0x20 | 20, msn=0)
            t.completion(e.IBV_WC_RNR_RETRY_EXC_ERR)
        self.with_target(body, rnr_retry=2, timeout=18)

    def test_naks(self):
        """Each NAK gives its own status"""
        for code, status in ((0x61, e.IBV_WC_REM_INV_REQ_ERR),
                             (0x62, e.IBV_WC_REM_ACCESS_ERR),
                             (0x63, e.IBV_WC_REM_OP_ERR)):
            def body(t):
                t.post_send(wr_id=1)
                t.post_send(wr_id=2)
                self.expect(wire.SEND_ONLY, 100)
                self.expect(wire.SEND_ONLY, 101)
                self.reply(t, 100, code, msn=0)
                t.completion(status, 1)
                t.completion(e.IBV_WC_WR_FLUSH_ERR, 2)
                same(e.IBV_QPS_ERR, t.state(), "state")
            self.with_target(body)

    def test_nak_acknowledges(self):
        """A NAK acknowledges what is before it"""
        def body(t):
            for n in range(3):
                t.post_send(wr_id=n)
                self.expect(wire.SEND_ONLY, 100 + n)
            self.reply(t, 102, 0x62, msn=2)
            t.completion(e.IBV_WC_SUCCESS, 0)
            t.completion(e.IBV_WC_SUCCESS, 1)
            t.completion(e.IBV_WC_REM_ACCESS_ERR, 2)
        self.with_target(body)

    def test_read(self):
        """READ: the answer's packets are put together"""
        def body(t):
            t.post_send(e.IBV_WR_RDMA_READ, length=2 * MTU + 9, va=0x9000)
            packet = self.expect(wire.READ_REQUEST, 100)
            same((0x9000, 0x77, 2 * MTU + 9),
                 (packet.va, packet.rkey, packet.length), "RETH")
            data = os.urandom(2 * MTU + 9)
            for n, kind in enumerate((wire.READ_FIRST, wire.READ_MIDDLE,
                                      wire.READ_LAST)):
                self.reply(t, 100 + n, opcode=kind,
                           payload=data[n * MTU:(n + 1) * MTU])
            wc = t.completion(e.IBV_WC_SUCCESS)
            same(len(data), wc.byte_len, "byte_len")
            same(data, t.mr.read(len(data), 0), "bytes")
        self.with_target(body)

    def test_read_gap(self):
        """READ: a gap in the answer is asked for again"""
        def body(t):
            t.post_send(e.IBV_WR_RDMA_READ, length=3 * MTU, va=0x9000)
            self.expect(wire.READ_REQUEST, 100)
            data = os.urandom(3 * MTU)
            self.reply(t, 100, opcode=wire.READ_FIRST, payload=data[:MTU])
            self.reply(t, 102, opcode=wire.READ_LAST, payload=data[2 * MTU:])
            packet = self.expect(wire.READ_REQUEST, 101)
            same((0x9000 + MTU, 2 * MTU), (packet.va, packet.length), "RETH")
            self.reply(t, 101, opcode=wire.READ_FIRST,
                       payload=data[MTU:2 * MTU])
            self.reply(t, 102, opcode=wire.READ_LAST, payload=data[2 * MTU:])
            t.completion(e.IBV_WC_SUCCESS)
            same(data, t.mr.read(len(data), 0), "bytes")
        self.with_target(body)

    def test_read_limit(self):
        """No more READs under way than max_rd_atomic"""
        def body(t):
            for n in range(6):
                t.post_send(e.IBV_WR_RDMA_READ, wr_id=n, length=8)
            for n in range(4):
                self.expect(wire.READ_REQUEST, 100 + n)
            self.peer.nothing(50)
            for n in range(6):
                self.reply(t, 100 + n, opcode=wire.READ_ONLY, msn=n + 1,
                           payload=b"r" * 8)
                if n < 2:
                    self.expect(wire.READ_REQUEST, 104 + n)
                t.completion(e.IBV_WC_SUCCESS, n)
        self.with_target(body, timeout=18)

    def test_atomic(self):
        """ATOMIC: the operands go out, the original value comes back"""
        def body(t):
            t.post_send(e.IBV_WR_ATOMIC_CMP_AND_SWP, length=8, va=0x9000)
            packet = self.expect(wire.COMPARE_SWAP, 100)
            same((0x9000, 0x77, 2, 1),
                 (packet.va, packet.rkey, packet.swap, packet.compare),
                 "AtomicETH")
            self.reply(t, 100, opcode=wire.ATOMIC_ACKNOWLEDGE,
                       orig=0x1122334455667788)
            t.completion(e.IBV_WC_SUCCESS)
            same(0x1122334455667788,
                 int.from_bytes(t.mr.read(8, 0), "little"), "value")
        self.with_target(body)

    def test_wrong_answers(self):
        """Answers that cannot be: dropped, and the right one still does it"""
        def body(t):
            t.post_send(e.IBV_WR_RDMA_READ, length=100)
            self.expect(wire.READ_REQUEST, 100)
            for psn, kind, data in ((50, wire.ACK, b""),
                                    (5000, wire.ACK, b""),
                                    (200, wire.READ_ONLY, b"x" * 100),
                                    (90, wire.READ_ONLY, b"x" * 100)):
                self.reply(t, psn, opcode=kind, payload=data)
            self.peer.nothing(20)
            t.quiet()
            self.reply(t, 100, opcode=wire.READ_ONLY, payload=b"y" * 100)
            t.completion(e.IBV_WC_SUCCESS)
            same(b"y" * 100, t.mr.read(100, 0), "bytes")
        self.with_target(body, timeout=18)

    def test_bad_read_length(self):
        """READ answer of the wrong length: an error, no byte too many"""
        for size in (96, 104):
            def body(t):
                t.mr.write(b"g" * 256, 256, 0)
                t.post_send(e.IBV_WR_RDMA_READ, length=100)
                self.expect(wire.READ_REQUEST, 100)
                self.reply(t, 100, opcode=wire.READ_ONLY,
                           payload=b"x" * size)
                wc = t.poll(3)
                if wc is not None and wc.status == e.IBV_WC_SUCCESS:
                    raise Failed("success with %d bytes of 100" % size)
                same(b"g" * 156, t.mr.read(156, 100), "bytes behind it")
            self.with_target(body, timeout=12, retry_cnt=1)

    def test_ud(self):
        """UD: SEND carries Q_Key and source QPN"""
        from pyverbs.addr import AH, AHAttr, GID, GlobalRoute
        from pyverbs.wr import SGE, SendWR
        from peer import IPB

        def body(t):
            gid = GID("0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x"
                      % tuple(map(int, IPB.split("."))))
            route = GlobalRoute(dgid=gid, hop_limit=64,
                                sgid_index=self.device.gid_index)
            ah = AH(self.device.pd, attr=AHAttr(gr=route, is_global=1,
                                                port_num=1))
            wr = SendWR(wr_id=1, opcode=e.IBV_WR_SEND, num_sge=1,
                        sg=[SGE(t.mr.buf, 33, t.mr.lkey)])
            wr.set_wr_ud(ah, 0x777, 0x1234)
            t.qp.post_send(wr)
            packet = self.expect(wire.UD | wire.SEND_ONLY, 100)
            same((0x777, 0x1234, t.qpn, 33),
                 (packet.qpn, packet.qkey, packet.sqpn, len(packet.payload)),
                 "QPN, Q_Key, source QPN, length")
            t.completion(e.IBV_WC_SUCCESS)
            ah.close()
        self.with_target(body, kind=e.IBV_QPT_UD)


if __name__ == "__main__":
    main(Requester)
