#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Each field with a wrong value: dropped, counted by its own name, no harm."""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "../lib"))

import pyverbs.enums as e  # noqa: E402

import wire  # noqa: E402
from peer import IPA, IPB, MTU, Suite, Target, main  # noqa: E402


class Drops(Suite):
    """One live QP; everything wrong is sent to it in turn."""

    def __init__(self, device, peer):
        super().__init__(device, peer)
        self.rc = Target(device)
        self.uc = Target(device, kind=e.IBV_QPT_UC)
        self.ud = Target(device, kind=e.IBV_QPT_UD)

    def raw(self, size, opcode=wire.SEND_ONLY):
        """The first bytes of a right packet, and a right ICRC after them."""
        packet = self.rc.packet(opcode, b"p" * 64)
        return wire.frame(IPB, IPA, packet.transport()[:size])

    def test_icrc(self):
        """ICRC"""
        for spoil in (1, 0x80, 0xff):
            self.dropped(self.rc.packet(wire.SEND_ONLY, b"x"),
                         "rx_icrc_encapsulated", self.rc, spoil=spoil)
        self.alive(self.rc)

    def test_truncated(self):
        """Shorter than its headers"""
        for size in (0, 4, 8, 11):
            self.dropped(self.raw(size), ["rx_drop_truncated",
                                          "rx_drop_length"], self.rc)
        for size in (12, 16, 27):
            self.dropped(self.raw(size, wire.WRITE_ONLY),
                         ["rx_drop_truncated", "rx_drop_length"], self.rc)
        self.alive(self.rc)

    def test_udp_length(self):
        """UDP length that is not the packet's"""
        # What the IP layer takes for itself is dropped there.
        self.peer.send(self.rc.packet(wire.SEND_ONLY, b"x" * 16), length=20)
        self.peer.send(self.rc.packet(wire.SEND_ONLY, b"x" * 16), length=4)
        self.peer.nothing(50)
        self.rc.quiet()
        self.alive(self.rc)

    def test_version(self):
        """Transport version"""
        for tver in (1, 8, 15):
            self.dropped(self.rc.packet(wire.SEND_ONLY, b"x", tver=tver),
                         "rx_drop_version", self.rc)
        self.alive(self.rc)

    def test_opcodes(self):
        """Opcodes that nobody has"""
        for opcode in (0x15, 0x18, 0x1f, 0x2c, 0x40, 0x63, 0x66, 0x7f, 0x80,
                       0xa5, 0xc0, 0xff):
            packet = self.rc.packet(wire.SEND_ONLY, b"x")
            packet.opcode = opcode
            self.dropped(packet, "rx_drop_opcode", self.rc)
        self.alive(self.rc)

    def test_transport(self):
        """Opcodes of another transport"""
        for target, base in ((self.rc, wire.UC), (self.rc, wire.UD),
                             (self.uc, wire.RC), (self.uc, wire.UD),
                             (self.ud, wire.RC), (self.ud, wire.UC)):
            packet = target.packet(wire.SEND_ONLY, b"x")
            packet.opcode = base | wire.SEND_ONLY
            self.dropped(packet, "rx_drop_transport", target)
        self.alive(self.rc)

    def test_pad(self):
        """PadCnt of more than there is"""
        self.dropped(self.rc.packet(wire.SEND_ONLY, b"", pad=3),
                     ["rx_drop_pad", "rx_drop_truncated", "rx_drop_length"],
                     self.rc)
        self.dropped(self.rc.packet(wire.READ_REQUEST, b"", pad=2),
                     ["rx_drop_pad", "rx_drop_truncated", "rx_drop_length"],
                     self.rc)
        self.alive(self.rc)

    def test_pkey(self):
        """P_Key"""
        for pkey in (0, 0x1234, 0x7ffe):
            self.dropped(self.rc.packet(wire.SEND_ONLY, b"x", pkey=pkey),
                         "rx_drop_pkey", self.rc)
        self.alive(self.rc)

    def test_qpn(self):
        """Destination QPN"""
        for qpn in (0, 2, 0xabcdef, self.rc.qpn + 0x800000 & 0xffffff):
            packet = self.rc.packet(wire.SEND_ONLY, b"x")
            packet.qpn = qpn
            self.dropped(packet, "rx_drop_no_qp", self.rc)
        packet = self.rc.packet(wire.SEND_ONLY, b"x")
        packet.qpn = 1
        self.dropped(packet, "rx_drop_transport", self.rc)
        packet.qpn = 0xffffff
        self.dropped(packet, ["rx_drop_multicast", "rx_drop_no_qp",
                              "rx_drop_transport"], self.rc)
        self.alive(self.rc)

    def test_source(self):
        """Source address of somebody else"""
        for source in ("198.51.100.77", "203.0.113.9"):
            self.dropped(self.rc.packet(wire.SEND_ONLY, b"x"),
                         "rx_drop_source", self.rc, src=source)
        self.alive(self.rc)

    def test_qkey(self):
        """Q_Key"""
        for qkey in (0, 0x11111110, 0x80000001):
            self.dropped(self.ud.packet(wire.SEND_ONLY, b"x", qkey=qkey,
                                        sqpn=5), "rx_drop_qkey", self.ud)

    def test_ud_without_receive(self):
        """UD: no receive, or one that is too small"""
        self.dropped(self.ud.packet(wire.SEND_ONLY, b"x" * 64, sqpn=5,
                                    qkey=0x11111111),
                     "rx_drop_ud_no_buffer", self.ud)
        self.ud.post_recv(4, length=40 + 63)
        self.dropped(self.ud.packet(wire.SEND_ONLY, b"x" * 64, sqpn=5,
                                    qkey=0x11111111),
                     "rx_drop_ud_length", self.ud)
        self.peer.send(self.ud.packet(wire.SEND_ONLY, b"x" * 63, sqpn=5,
                                      qkey=0x11111111))
        self.ud.completion(e.IBV_WC_SUCCESS, 4)

    def test_stale_answers(self):
        """Acknowledgements that nobody waits for"""
        for psn in (0, self.rc.sq_psn - 1, self.rc.sq_psn, 77777):
            self.dropped(wire.Packet(wire.ACK, self.rc.qpn, psn,
                                     syndrome=0x1f),
                         ["rx_drop_ack_stale", "rx_drop_ack_invalid"],
                         self.rc)
        self.alive(self.rc)

    def test_reset(self):
        """A queue pair that does not receive"""
        target = Target(self.device)
        target.qp.to_reset() if hasattr(target.qp, "to_reset") else \
            target.qp.modify(_attr(e.IBV_QPS_RESET), e.IBV_QP_STATE)
        self.dropped(target.packet(wire.SEND_ONLY, b"x"),
                     ["rx_drop_qp_state", "rx_drop_no_qp"])
        target.close()

    def test_fragment(self):
        """IP fragments"""
        packet = self.rc.packet(wire.SEND_ONLY, b"f" * MTU)
        # First fragment of several, alone: IP keeps it, nothing arrives.
        self.peer.send(packet, frag=0x2000)
        self.peer.nothing(50)
        self.rc.quiet()
        self.alive(self.rc)

    def test_cnp(self):
        """A congestion notification is not answered"""
        self.peer.send(wire.Packet(0x81, self.rc.qpn, 0, b"\0" * 16, becn=1))
        self.peer.nothing(50)
        self.rc.quiet()
        self.alive(self.rc)


def _attr(state):
    from pyverbs.qp import QPAttr
    return QPAttr(qp_state=state)


if __name__ == "__main__":
    main(Drops)
