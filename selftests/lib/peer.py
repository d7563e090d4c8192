# SPDX-License-Identifier: GPL-2.0
"""A peer made of a raw socket, and queue pairs of the device it talks to.

The device is in one network namespace, the raw socket in another, at the
other end of a veth pair.  What the device sends is seen by a packet socket.
"""

import ctypes
import os
import select
import socket
import sys
import time

from pyverbs.addr import AHAttr, GID, GlobalRoute
from pyverbs.cq import CQ
from pyverbs.device import Context
from pyverbs.mr import MR
from pyverbs.pd import PD
from pyverbs.qp import QP, QPAttr, QPCap, QPInitAttr
from pyverbs.wr import SGE, RecvWR, SendWR
import pyverbs.enums as e

import wire

SCALE = int(os.environ.get("TUFF_TIME_SCALE", "1"))
IPA, IPB = "198.51.100.1", "198.51.100.2"
LENGTH = 16384
MTU = 1024
PEER_QPN = 0x4321
OTHER_DROPS = ["rx_icrc_encapsulated", "rx_cnp_ignored"]
RIGHTS = e.IBV_ACCESS_LOCAL_WRITE | e.IBV_ACCESS_REMOTE_WRITE | \
    e.IBV_ACCESS_REMOTE_READ | e.IBV_ACCESS_REMOTE_ATOMIC


class Failed(Exception):
    """A test's verdict, with the value that was wrong."""


def same(want, got, what):
    if want != got:
        raise Failed("%s: expected %s, got %s" % (what, want, got))


def until(condition, seconds=3):
    """Poll a condition; return its last value."""
    end = time.monotonic() + seconds * SCALE
    while True:
        value = condition()
        if value or time.monotonic() > end:
            return value
        time.sleep(0.005)


def sockets(netns, netdev):
    """A raw sender and a sniffer in another namespace."""
    libc = ctypes.CDLL(None, use_errno=True)
    with open("/proc/self/ns/net", "rb") as own, \
            open("/run/netns/" + netns, "rb") as other:
        if libc.setns(other.fileno(), 0x40000000):
            raise OSError(ctypes.get_errno(), "setns")
        try:
            send = socket.socket(socket.AF_INET, socket.SOCK_RAW,
                                 socket.IPPROTO_RAW)
            sniff = socket.socket(socket.AF_PACKET, socket.SOCK_RAW,
                                  socket.htons(3))
            sniff.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)
            sniff.bind((netdev, 0))
        finally:
            libc.setns(own.fileno(), 0x40000000)
    return send, sniff


class Peer:
    """The far end."""

    def __init__(self, netns, netdev):
        self.out, self.sniff = sockets(netns, netdev)

    def send(self, packet, src=IPB, **ip):
        data = packet if isinstance(packet, bytes) else \
            packet.frame(src, IPA, **ip)
        self.out.sendto(data, (IPA, 0))

    def receive(self, seconds=3):
        """The next packet of the device, or None."""
        end = time.monotonic() + seconds * SCALE
        while True:
            left = max(end - time.monotonic(), 0)
            if not select.select([self.sniff], [], [], left)[0]:
                return None
            data, address = self.sniff.recvfrom(65536)
            if address[2] == 4:         # our own
                continue
            ip = wire.from_ethernet(data)
            if ip is not None and ip[0] >> 4 == 4 and \
                    socket.inet_ntoa(ip[12:16]) == IPA:
                packet = wire.Parsed(ip)
                if packet.faults:
                    raise Failed("the device sent %s: %s" % (
                        packet, ", ".join(packet.faults)))
                return packet

    def nothing(self, milliseconds=100):
        """The device keeps silent."""
        packet = self.receive(milliseconds / 1000 / SCALE)
        if packet:
            raise Failed("the device answered: %s syndrome %#x" % (
                packet, packet.syndrome))

    def forget(self):
        while self.receive(0):
            pass


class Device:
    """The device under test."""

    def __init__(self, name, gid_index):
        self.name, self.gid_index = name, gid_index
        self.ctx = Context(name=name)
        self.pd = PD(self.ctx)
        self.folder = "/sys/class/infiniband/%s/ports/1/hw_counters/" % name
        self.counts = os.path.exists(self.folder + "rx_drop_opcode")

    def counters(self, *names):
        """What the counters are now.

        ib_core takes them at most once a jiffy, whatever "lifespan" says:
        who read them before the event waits, or sees the old ones.
        """
        time.sleep(0.01)
        return [self._read(name) for name in names]

    def counter(self, name):
        return self.counters(name)[0]

    def _read(self, name):
        with open(self.folder + name, encoding="ascii") as file:
            return int(file.read())

    def drops(self):
        """Every packet that was thrown away, for whatever reason."""
        names = [n for n in os.listdir(self.folder)
                 if n.startswith("rx_drop_")] + OTHER_DROPS
        return dict(zip(names, self.counters(*names)))

    def growth(self, before):
        now = self.drops()
        return {n: now[n] - before[n] for n in now if now[n] != before[n]}


class Target:
    """A queue pair of the device, connected with the raw peer."""

    def __init__(self, device, kind=e.IBV_QPT_RC, sq_psn=100, rq_psn=5000,
                 **attributes):
        self.device = device
        self.cq = CQ(device.ctx, 256)
        self.mr = MR(device.pd, LENGTH, RIGHTS)
        cap = QPCap(max_send_wr=32, max_recv_wr=64, max_send_sge=1,
                    max_recv_sge=1)
        self.qp = QP(device.pd, QPInitAttr(qp_type=kind, scq=self.cq,
                                           rcq=self.cq, cap=cap))
        self.kind, self.psn, self.sq_psn = kind, rq_psn, sq_psn
        self.msn = 0
        attr = QPAttr(port_num=1)
        attr.qkey = 0x11111111
        attr.dest_qp_num, attr.path_mtu = PEER_QPN, e.IBV_MTU_1024
        attr.rq_psn, attr.sq_psn = rq_psn, sq_psn
        attr.max_rd_atomic = attr.max_dest_rd_atomic = 4
        attr.qp_access_flags = RIGHTS
        attr.min_rnr_timer, attr.timeout = 12, 14
        attr.retry_cnt = attr.rnr_retry = 7
        for name, value in attributes.items():
            setattr(attr, name, value)
        route = GlobalRoute(dgid=GID("0000:0000:0000:0000:0000:ffff:%02x%02x:"
                                     "%02x%02x" % tuple(map(
                                         int, IPB.split(".")))),
                            sgid_index=device.gid_index, hop_limit=64)
        attr.ah_attr = AHAttr(gr=route, is_global=1, port_num=1)
        self.qp.to_rts(attr)
        self.qpn = self.qp.qp_num

    def post_recv(self, wr_id=1, offset=8192, length=4096):
        self.qp.post_recv(RecvWR(wr_id=wr_id, num_sge=1, sg=[
            SGE(self.mr.buf + offset, length, self.mr.lkey)]))

    def post_send(self, opcode=e.IBV_WR_SEND, wr_id=1, length=64, va=0x1000,
                  rkey=0x77):
        wr = SendWR(wr_id=wr_id, opcode=opcode, num_sge=1, sg=[
            SGE(self.mr.buf, length, self.mr.lkey)])
        if opcode in (e.IBV_WR_RDMA_WRITE, e.IBV_WR_RDMA_READ):
            wr.set_wr_rdma(rkey, va)
        elif opcode in (e.IBV_WR_ATOMIC_CMP_AND_SWP,
                        e.IBV_WR_ATOMIC_FETCH_AND_ADD):
            wr.set_wr_atomic(rkey, va, 1, 2)
        self.qp.post_send(wr)

    def poll(self, seconds=5):
        """The next completion, or None."""
        def one():
            count, found = self.cq.poll(1)
            return found[0] if count else None
        return until(one, seconds)

    def completion(self, status, wr_id=1, seconds=10):
        wc = self.poll(seconds)
        if wc is None:
            raise Failed("no completion of %d" % wr_id)
        same((wr_id, status), (wc.wr_id, wc.status), "completion, status")
        return wc

    def quiet(self):
        count, found = self.cq.poll(1)
        if count:
            raise Failed("completion %d, status %d" % (found[0].wr_id,
                                                       found[0].status))

    def state(self):
        return self.qp.query(e.IBV_QP_STATE)[0].qp_state

    def packet(self, opcode, payload=b"", **fields):
        """A request with the PSN the device expects."""
        fields.setdefault("psn", self.psn)
        base = {e.IBV_QPT_UC: wire.UC, e.IBV_QPT_UD: wire.UD}.get(self.kind,
                                                                 wire.RC)
        return wire.Packet(opcode | base, self.qpn, payload=payload,
                           **dict({"ackreq": 1}, **fields))

    def took(self, packets=1, messages=1):
        self.psn = (self.psn + packets) & 0xffffff
        self.msn += messages

    def close(self):
        self.qp.close()
        self.cq.close()
        self.mr.close()


class Suite:
    """Tests that are methods named test_*, in the order they stand in."""

    def __init__(self, device, peer):
        self.device, self.peer = device, peer

    def run(self, pattern=""):
        names = [n for n in type(self).__dict__
                 if n.startswith("test_") and pattern in n]
        print("TAP version 13\n1..%d" % len(names), flush=True)
        failures = 0
        for number, name in enumerate(names, 1):
            method = getattr(self, name)
            try:
                self.peer.forget()
                method()
                good = "ok"
            except Exception as err:    # every error is a verdict
                print("# %s: %s: %s" % (name, type(err).__name__, err))
                where = err.__traceback__
                while where:
                    print("#   line %d of %s" % (
                        where.tb_lineno, os.path.basename(
                            where.tb_frame.f_code.co_filename)))
                    where = where.tb_next
                good = "not ok"
                failures += 1
            text = (method.__doc__ or name).strip().split("\n")[0].rstrip(".")
            print("%s %d %s" % (good, number, text), flush=True)
        return 1 if failures else 0

    def dropped(self, packet, name, target=None, **ip):
        """One packet: not answered, and counted by this name and no other."""
        before = self.device.drops() if self.device.counts else None
        self.peer.send(packet, **ip)
        if before is not None:
            until(lambda: self.device.growth(before))
            if isinstance(name, str):
                name = [name]
            grown = self.device.growth(before)
            if len(grown) != 1 or list(grown)[0] not in name or \
                    list(grown.values()) != [1]:
                raise Failed("counted as %s, expected %s" % (
                    grown or "nothing", " or ".join(name)))
        self.peer.nothing(20)
        if target:
            target.quiet()

    def alive(self, target, text=b"still alive"):
        """A right SEND arrives, is acknowledged and completes."""
        target.post_recv(99)
        self.peer.send(target.packet(wire.SEND_ONLY, text))
        target.took()
        if target.kind == e.IBV_QPT_RC:
            self.acknowledged(target)
        wc = target.completion(e.IBV_WC_SUCCESS, 99)
        same(len(text), wc.byte_len, "byte_len")
        same(text, target.mr.read(len(text), 8192), "bytes")

    def answer(self, target, opcode, psn, syndrome=None):
        packet = self.peer.receive()
        if packet is None:
            raise Failed("no answer")
        same((hex(opcode), hex(PEER_QPN), psn),
             (hex(packet.opcode), hex(packet.qpn), packet.psn),
             "opcode, QPN, PSN of the answer")
        if syndrome is not None:
            same(hex(syndrome), hex(packet.syndrome), "syndrome")
        return packet

    def acknowledged(self, target):
        packet = self.answer(target, wire.ACK, target.psn - 1 & 0xffffff)
        same(0, packet.syndrome >> 5, "kind of the acknowledgement")
        same(target.msn, packet.msn, "MSN")
        return packet


def main(suite):
    if len(sys.argv) < 5:
        sys.exit("usage: %s DEV GID-INDEX NETNS NETDEV [PATTERN]"
                 % sys.argv[0])
    device = Device(sys.argv[1], int(sys.argv[2]))
    peer = Peer(sys.argv[3], sys.argv[4])
    pattern = sys.argv[5] if len(sys.argv) > 5 else ""
    sys.exit(suite(device, peer).run(pattern))
