// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: packets that are right, from the wrong one or too late */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "hostile.h"

#define NR_SENDS	4
#define NR_REPLAYS	50

static int wrong(const char *what)
{
	printf("# %s\n", what);
	return -EPROTO;
}

static void put64(uint8_t *p, uint64_t v)
{
	int i;

	for (i = 0; i < 8; i++)
		p[i] = v >> (56 - 8 * i);
}

/* An ACK or NAK to the open RC queue pair. */
static void answer(struct packet *p, const struct target *t, uint32_t psn,
		   uint8_t syndrome)
{
	*p = blank;
	forge_bth(p, OP_RC | OP_ACK, t->qpn, psn & 0xffffff, BTH_LEN + 4);
	p->tp[8] = 0;
	memset(p->tp + BTH_LEN, 0, 4);
	p->tp[BTH_LEN] = syndrome;
}

static int still_waits(struct target *t)
{
	struct ibv_wc wc;

	if (vt_qp_state(t->qp) != IBV_QPS_RTS)
		return wrong("the queue pair left RTS");
	if (ibv_poll_cq(t->qp->scq, 1, &wc))
		return wrong("a completion came of a forged answer");
	return 0;
}

/* Every syndrome, from somebody else, with PSNs that it waits for. */
static int answers_of_strangers(struct target *t)
{
	struct account a;
	struct packet p;
	int syndrome, i, sent = 0;
	uint64_t end = vt_deadline(5000);

	account_begin(&a);
	for (syndrome = 0; syndrome < 256; syndrome++) {
		for (i = -1; i <= NR_SENDS; i++, sent++) {
			answer(&p, t, t->qp->psn + i, syndrome);
			memcpy(p.src, stranger4, 4);
			forge_send(&p);
		}
	}
	forge_flush();
	while (account_grown(&a, WHY_SOURCE) < sent && !vt_expired(end))
		sched_yield();
	if (account_grown(&a, WHY_SOURCE) != sent)
		return wrong("not each was counted as rx_drop_source");
	return still_waits(t);
}

/* Every syndrome, from the peer, with PSNs of long ago and of never. */
static int answers_out_of_window(struct target *t)
{
	static const int far[] = { -0x7fffff, -0x10000, -100, -2, NR_SENDS,
				   NR_SENDS + 1, 100, 0x10000, 0x7fffff };
	struct packet p;
	int syndrome;
	size_t i;

	for (syndrome = 0; syndrome < 256; syndrome++) {
		for (i = 0; i < ARRAY_LEN(far); i++) {
			answer(&p, t, t->qp->psn + far[i], syndrome);
			forge_send(&p);
		}
	}
	forge_flush();
	return still_waits(t);
}

int forged_answers(void)
{
	struct target *t = target_find("open RC");
	struct ibv_sge sge = { (uintptr_t)open_mr->addr, 64, open_mr->lkey };
	struct ibv_wc wc[NR_SENDS];
	struct packet p;
	int i, err;

	err = target_restart(t);
	for (i = 0; i < NR_SENDS && !err; i++)
		err = vt_post_send(t->qp, IBV_WR_SEND, i, &sge, 1,
				   IBV_SEND_SIGNALED);
	if (!err)
		err = answers_of_strangers(t);
	if (!err)
		err = answers_out_of_window(t);
	for (i = 0; i < NR_REPLAYS && !err; i++) {
		p = blank;
		forge_bth(&p, OP_CNP, t->qpn, 0, BTH_LEN + 16);
		err = forge_send(&p);
	}
	if (err)
		return err;
	answer(&p, t, t->qp->psn + NR_SENDS - 1, 0x1f);
	forge_send(&p);
	forge_flush();
	if (vt_poll(t->qp->scq, wc, NR_SENDS, 10000) != NR_SENDS)
		return wrong("the right answer completes nothing");
	for (i = 0; i < NR_SENDS; i++)
		if (wc[i].wr_id != (uint64_t)i || wc[i].status)
			return wrong("completions after the right answer");
	return 0;
}

/* A WRITE, or ATOMIC with @operand, at @psn to the region's first bytes. */
static void write_at(struct target *t, uint32_t psn, uint8_t byte)
{
	struct packet p = blank;

	forge_bth(&p, OP_RC | OP_WRITE_ONLY, t->qpn, psn & 0xffffff,
		  BTH_LEN + 16 + 64);
	put64(p.tp + 12, (uintptr_t)open_mr->addr);
	put64(p.tp + 20, (uint64_t)open_mr->rkey << 32 | 64);
	memset(p.tp + 28, byte, 64);
	forge_send(&p);
}

static void add_at(struct target *t, uint32_t psn, uint64_t operand)
{
	struct packet p = blank;

	forge_bth(&p, OP_RC | OP_FETCH_ADD, t->qpn, psn & 0xffffff,
		  BTH_LEN + 28);
	put64(p.tp + 12, (uintptr_t)open_mr->addr);
	p.tp[20] = open_mr->rkey >> 24;
	p.tp[21] = open_mr->rkey >> 16;
	p.tp[22] = open_mr->rkey >> 8;
	p.tp[23] = open_mr->rkey;
	put64(p.tp + 24, operand);
	put64(p.tp + 32, 0);
	forge_send(&p);
}

static int until(volatile uint8_t *at, uint8_t byte)
{
	uint64_t end = vt_deadline(5000);

	forge_flush();
	while (*at != byte && !vt_expired(end))
		sched_yield();
	return *at == byte ? 0 : wrong("a right request was not carried out");
}

/* What was carried out is not carried out again, nor what is not yet due. */
static int replayed_writes(struct target *t)
{
	static const int far[] = { -0x7fffff, -1000, -1, 0, 2, 3, 1000,
				   0x7fffff, 0x800001 };
	volatile uint8_t *at = open_mr->addr;
	int i, err;
	size_t k;

	write_at(t, 5000, 'A');
	err = until(at, 'A');
	for (i = 0; i < NR_REPLAYS && !err; i++)
		for (k = 0; k < ARRAY_LEN(far); k++)
			write_at(t, 5000 + far[k], 'B');
	if (!err)
		err = forge_flush();
	if (!err && *at != 'A')
		err = wrong("a WRITE was carried out again, or early");
	return err;
}

static int replayed_atomics(struct target *t)
{
	volatile uint64_t *at = open_mr->addr;
	uint64_t was = *at;
	int i, err;

	add_at(t, 5001, 1);
	err = until(open_mr->addr, 'B');
	for (i = 0; i < NR_REPLAYS && !err; i++) {
		add_at(t, 5001, 1);
		add_at(t, 5001, 1000);
		add_at(t, 5000 - i, 1000);
	}
	forge_flush();
	if (!err && *at != was + 1)
		err = wrong("an ATOMIC was carried out again");
	return err;
}

static int replayed_sends(struct target *t)
{
	struct packet p = blank;
	struct ibv_wc wc;
	int i;

	forge_bth(&p, OP_RC | OP_SEND_ONLY, t->qpn, 5002, BTH_LEN + 64);
	memset(p.tp + BTH_LEN, 'S', 64);
	for (i = 0; i < NR_REPLAYS; i++)
		forge_send(&p);
	forge_flush();
	if (vt_poll_status(t->qp->rcq, &wc, IBV_WC_SUCCESS, 5000))
		return wrong("no completion of a SEND");
	if (ibv_poll_cq(t->qp->rcq, 1, &wc))
		return wrong("a SEND was received again");
	return 0;
}

int forged_replays(void)
{
	struct target *t = target_find("open RC");
	int err;

	err = target_restart(t);
	if (!err)
		err = replayed_writes(t);
	if (!err)
		err = replayed_atomics(t);
	if (!err)
		err = replayed_sends(t);
	if (!err && vt_qp_state(t->qp) != IBV_QPS_RTS)
		err = wrong("the queue pair left RTS");
	return err;
}

static uint16_t sum16(const uint8_t *p, int len)
{
	uint32_t sum = 0;

	for (; len > 1; len -= 2, p += 2)
		sum += p[0] << 8 | p[1];
	while (sum >> 16)
		sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

/* An ICMP error about a packet to the live peer, as a router might say it. */
static void icmp_error(uint8_t type, uint8_t code, uint16_t mtu)
{
	uint8_t frame[FRAME_MAX], *ip = forge_ether(frame, 0x0800);
	uint8_t *icmp = ip + 20, *inner = icmp + 8, *udp = inner + 20;
	uint16_t sum;

	memset(ip, 0, 20 + 8 + 20 + 8 + BTH_LEN);
	ip[0] = 0x45;
	inner[0] = 0x45;
	ip[3] = 20 + 8 + 20 + 8 + BTH_LEN;
	ip[8] = 64;
	inner[8] = 64;
	ip[9] = 1;
	memcpy(ip + 12, attacker4, 4);
	memcpy(ip + 16, device4, 4);
	forge_ip_sum(ip);
	inner[2] = 4;			/* it was 1 KiB long */
	inner[6] = 0x40;
	inner[9] = 17;
	memcpy(inner + 12, device4, 4);
	memcpy(inner + 16, target_find("live RC")->peer, 4);
	forge_ip_sum(inner);
	udp[0] = 0xc1;
	udp[2] = ROCE_PORT >> 8;
	udp[3] = ROCE_PORT & 255;
	udp[4] = 4;
	icmp[0] = type;
	icmp[1] = code;
	icmp[6] = mtu >> 8;
	icmp[7] = mtu;
	sum = sum16(icmp, 8 + 20 + 8 + BTH_LEN);
	icmp[2] = sum >> 8;
	icmp[3] = sum;
	forge_queue(frame, 14 + 20 + 8 + 20 + 8 + BTH_LEN);
}

/* Counted, and nothing else: anybody can send them. */
int forged_icmp(void)
{
	long before = vt_counter(&device, "rx_icmp_errors");
	uint64_t end = vt_deadline(5000);
	int code, i;

	for (i = 0; i < NR_REPLAYS; i++) {
		for (code = 0; code < 16; code++)
			icmp_error(3, code, 0);
		icmp_error(3, 4, 68);
		icmp_error(3, 4, 600);
		icmp_error(11, 0, 0);
		icmp_error(12, 0, 0);
	}
	forge_flush();
	while (vt_counter(&device, "rx_icmp_errors") - before < NR_REPLAYS &&
	       !vt_expired(end))
		sched_yield();
	i = vt_counter(&device, "rx_icmp_errors") - before;
	printf("# %d of %d ICMP errors counted\n", i, NR_REPLAYS * 20);
	return i >= NR_REPLAYS ? 0 : wrong("ICMP errors are not counted");
}

/*
 * A router says that nothing larger than 1280 bytes passes, about a packet of
 * ours (UDP) or an echo, which the kernel believes of anybody.
 */
static void too_big(const uint8_t *device, const uint8_t *peer, uint8_t proto)
{
	uint8_t frame[FRAME_MAX], *ip = forge_ether(frame, 0x86dd);
	uint8_t *icmp = ip + 40, *inner = icmp + 8, *udp = inner + 40;
	uint8_t sum[40 + 8 + 40 + 8 + BTH_LEN] = "";
	int len = 8 + 40 + 8 + BTH_LEN;
	uint16_t s;

	memset(ip, 0, 40 + len);
	ip[0] = 0x60;
	ip[5] = len;
	ip[6] = 58;
	ip[7] = 64;
	memcpy(ip + 8, device, 16);
	ip[23] = 77;
	memcpy(ip + 24, device, 16);
	icmp[0] = 2;
	icmp[6] = 1280 >> 8;
	icmp[7] = 1280 & 255;
	inner[0] = 0x60;
	inner[4] = 4;
	inner[6] = proto;
	inner[7] = 64;
	memcpy(inner + 8, device, 16);
	memcpy(inner + 24, peer, 16);
	udp[0] = proto == 17 ? 0xc1 : 128;
	udp[2] = ROCE_PORT >> 8;
	udp[3] = ROCE_PORT & 255;
	udp[4] = 4;
	/* Pseudo header: both addresses, length, protocol. */
	memcpy(sum, ip + 8, 32);
	sum[35] = len;
	sum[39] = 58;
	memcpy(sum + 40, icmp, len);
	s = sum16(sum, 40 + len);
	icmp[2] = s >> 8;
	icmp[3] = s;
	forge_queue(frame, 14 + 40 + len);
}

/* Large packets go on over IPv6, whose way past such a route is another. */
int forged_too_big(const char *dev, const char *peer)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 14,
				   .mtu = IBV_MTU_4096 };
	struct ibv_sge from = { .length = 16384 }, to = from;
	static uint8_t mem[2 * 16384];
	struct vt_qp x = { }, y = { };
	struct vt_dev a, b;
	struct ibv_wc wc;
	int i, err;

	err = vt_open(&a, dev, "v6");
	if (!err)
		err = vt_open(&b, peer, "v6");
	if (err)
		return err;
	from.addr = (uintptr_t)mem;
	to.addr = (uintptr_t)mem + 16384;
	from.lkey = ibv_reg_mr(a.pd, mem, 16384, 0)->lkey;
	to.lkey = ibv_reg_mr(b.pd, mem + 16384, 16384,
			     IBV_ACCESS_LOCAL_WRITE)->lkey;
	err = vt_qp_create(&x, &a, &spec);
	if (!err)
		err = vt_qp_create(&y, &b, &spec);
	if (!err)
		err = vt_qp_pair(&x, &y);
	for (i = 0; i < 8 && !err; i++) {
		vt_fill(mem, 16384, i);
		err = vt_post_recv(&y, i, &to, 1);
		if (!err)
			err = vt_post_send(&x, IBV_WR_SEND, i, &from, 1,
					   IBV_SEND_SIGNALED);
		if (!err)
			err = vt_poll_status(x.scq, &wc, IBV_WC_SUCCESS, 10000);
		if (!err && memcmp(mem, mem + 16384, 16384))
			err = wrong("bytes of a SEND");
		too_big(a.gid.raw, b.gid.raw, i & 1 ? 17 : 58);
		forge_flush();
		usleep(2000 * vt_scale());
	}
	if (err)
		printf("# SEND %d: %s\n", i, strerror(-err));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	/* The regions go with their contexts. */
	ibv_close_device(a.ctx);
	ibv_close_device(b.ctx);
	return err;
}

/*
 * The host of the peer refuses the port: the request ends after its retries,
 * and a counter tells why.
 */
int refused_peer(const char *dev)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 12,
				   .retry_cnt = 3 };
	struct vt_addr peer = { .qpn = 0x4321 };
	struct ibv_sge sge = {};
	struct vt_dev d;
	struct vt_qp qp;
	struct ibv_wc wc;
	long errors, given_up;
	int err;

	err = vt_open(&d, dev, "v4");
	if (err)
		return err;
	peer.gid = d.gid;
	peer.gid.raw[15] = 2;
	errors = vt_counter(&d, "rx_icmp_errors");
	given_up = vt_counter(&d, "retry_exceeded");
	err = vt_qp_create(&qp, &d, &spec);
	if (!err)
		err = vt_qp_connect(&qp, &peer);
	if (!err)
		err = vt_post_send(&qp, IBV_WR_SEND, 1, &sge, 0,
				   IBV_SEND_SIGNALED);
	if (!err)
		err = vt_poll_status(qp.scq, &wc, IBV_WC_RETRY_EXC_ERR, 30000);
	if (!err && vt_counter(&d, "rx_icmp_errors") <= errors)
		err = wrong("rx_icmp_errors does not tell");
	if (!err && vt_counter(&d, "retry_exceeded") != given_up + 1)
		err = wrong("retry_exceeded does not tell");
	vt_qp_destroy(&qp);
	vt_close(&d);
	return err;
}
