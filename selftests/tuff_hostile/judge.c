// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_packets: what a frame has to be counted as
 *
 * Written from the specification and from Documentation/wire.rst, not from
 * the module: an error there must not look right here.
 */
#include <string.h>

#include "hostile.h"

const char * const why_names[NR_WHY] = {
	[WHY_FRAGMENT]	= "rx_drop_fragment",
	[WHY_IP_HEADER]	= "rx_drop_ip_header",
	[WHY_LENGTH]	= "rx_drop_length",
	[WHY_TRUNCATED]	= "rx_drop_truncated",
	[WHY_OPCODE]	= "rx_drop_opcode",
	[WHY_VERSION]	= "rx_drop_version",
	[WHY_PAD]	= "rx_drop_pad",
	[WHY_ICRC]	= "rx_icrc_encapsulated",
	[WHY_MULTICAST]	= "rx_drop_multicast",
	[WHY_NO_QP]	= "rx_drop_no_qp",
	[WHY_CNP]	= "rx_cnp_ignored",
	[WHY_TRANSPORT]	= "rx_drop_transport",
	[WHY_STATE]	= "rx_drop_qp_state",
	[WHY_PKEY]	= "rx_drop_pkey",
	[WHY_QKEY]	= "rx_drop_qkey",
	[WHY_SOURCE]	= "rx_drop_source",
};

static uint32_t get24(const uint8_t *p)
{
	return p[0] << 16 | p[1] << 8 | p[2];
}

static uint32_t get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

static uint32_t get32(const uint8_t *p)
{
	return get16(p) << 16 | get16(p + 2);
}

/* BTH and what follows it; 0: an opcode that is not spoken. */
int header_length(uint8_t opcode)
{
	static const uint8_t after[0x15] = {
		[0x03] = 4, [0x05] = 4, [0x06] = 16, [0x09] = 4, [0x0a] = 16,
		[0x0b] = 20, [0x0c] = 16, [0x0d] = 4, [0x0f] = 4, [0x10] = 4,
		[0x11] = 4, [0x12] = 12, [0x13] = 28, [0x14] = 28,
	};
	int low = opcode & 0x1f;

	if (opcode == OP_CNP)
		return BTH_LEN + 16;
	switch (opcode & 0xe0) {
	case OP_RC:
		return low < 0x15 ? BTH_LEN + after[low] : 0;
	case OP_UC:
		return low < 0x0c ? BTH_LEN + after[low] : 0;
	case OP_UD:
		return low == 4 || low == 5 ? BTH_LEN + 8 + after[low] : 0;
	}
	return 0;
}

static bool carries_payload(uint8_t opcode)
{
	return opcode != OP_CNP && opcode != OP_READ_REQUEST &&
	       (opcode < OP_ACK || opcode > OP_FETCH_ADD);
}

static bool is_answer(uint8_t opcode)
{
	return opcode >= OP_READ_FIRST && opcode <= OP_ATOMIC_ACK;
}

/* Bytes that routers may change: all of the first four, half of the others. */
static const uint8_t masked[2][6] = {
	{ 1, 8, 10, 11, 1, 8 }, { 1, 2, 3, 7, 0, 0 },
};

static bool icrc_right(const uint8_t *ip, int hlen, const uint8_t *udp, int len)
{
	static const uint8_t ones[8] = { 255, 255, 255, 255, 255, 255, 255,
					 255 };
	uint8_t head[40 + 8 + BTH_LEN], *u = head + hlen, *bth = u + 8;
	const uint8_t *sum = udp + len - ICRC_LEN;
	uint32_t crc;
	int i;

	memcpy(head, ip, hlen);
	memcpy(u, udp, 8 + BTH_LEN);
	for (i = 0; i < 6; i++)
		head[masked[hlen == 40][i]] |= i < 4 ? 0xff : 0x0f;
	u[6] = 0xff;
	u[7] = 0xff;
	bth[4] = 0xff;
	crc = crc32_add(0xffffffff, ones, 8);
	crc = crc32_add(crc, head, hlen + 8 + BTH_LEN);
	crc = ~crc32_add(crc, udp + 8 + BTH_LEN,
			 len - 8 - BTH_LEN - ICRC_LEN);
	return (uint32_t)(sum[0] | sum[1] << 8 | sum[2] << 16 |
			  (uint32_t)sum[3] << 24) == crc;
}

static const struct target *whose(uint32_t qpn, const struct target *targets,
				  int n)
{
	int i;

	for (i = 0; i < n; i++)
		if (targets[i].qpn == qpn)
			return &targets[i];
	return NULL;
}

/* Of a packet whose form is right: what its queue pair says. */
static enum why judge_target(const struct target *t, const uint8_t *bth,
			     const uint8_t *ip)
{
	static const enum ibv_qp_state answers[] = { IBV_QPS_RTS, IBV_QPS_SQD };
	bool v6 = ip[0] >> 4 == 6, takes;
	uint8_t transport = t->type == IBV_QPT_RC ? OP_RC :
			    t->type == IBV_QPT_UC ? OP_UC : OP_UD;
	int size = v6 ? 16 : 4;

	if (bth[0] == OP_CNP)
		return WHY_CNP;
	if ((bth[0] & 0xe0) != transport)
		return WHY_TRANSPORT;
	/* It may end up in ERR by what its peer sends. */
	if (t->open)
		return WHY_OPEN;
	takes = t->state == answers[0] || t->state == answers[1];
	if (t->state == IBV_QPS_RTR || t->state == IBV_QPS_SQE)
		takes = !is_answer(bth[0]);
	if (!takes)
		return WHY_STATE;
	if ((get16(bth + 2) & 0x7fff) != 0x7fff)
		return WHY_PKEY;
	if (t->type == IBV_QPT_UD)
		return get32(bth + BTH_LEN) == t->qkey ? WHY_OPEN : WHY_QKEY;
	if (v6 != t->v6 ||
	    memcmp(ip + (v6 ? 8 : 12), t->peer, size) ||
	    memcmp(ip + (v6 ? 24 : 16), t->own, size))
		return WHY_SOURCE;
	return WHY_OPEN;
}

static enum why judge_transport(const uint8_t *ip, int hlen,
				const uint8_t *udp, int udp_len,
				const struct target *targets, int n)
{
	const uint8_t *bth = udp + 8;
	int total = udp_len - 8, need, rest, pad;
	const struct target *t;

	if (total < BTH_LEN)
		return WHY_TRUNCATED;
	need = header_length(bth[0]);
	if (!need)
		return WHY_OPCODE;
	if (bth[1] & 0x0f)
		return WHY_VERSION;
	if (total < need + ICRC_LEN)
		return WHY_TRUNCATED;
	rest = total - need - ICRC_LEN;
	pad = bth[1] >> 4 & 3;
	if (pad > rest)
		return WHY_PAD;
	if (rest % 4 || (!carries_payload(bth[0]) && rest))
		return WHY_LENGTH;
	if (!icrc_right(ip, hlen, udp, udp_len))
		return WHY_ICRC;
	if (get24(bth + 5) == MULTICAST_QPN)
		return WHY_MULTICAST;
	t = whose(get24(bth + 5), targets, n);
	return t ? judge_target(t, bth, ip) : WHY_NO_QP;
}

/*
 * An Ethernet frame whose IP header is right but for its options, and not a
 * fragment. An IPv6 extension header is one that has next header and length.
 */
enum why judge(const uint8_t *frame, int len, const struct target *targets,
	       int nr_targets)
{
	const uint8_t *p = frame + 12, *ip;
	int hlen, ip_len, udp_len;

	while (get16(p) == 0x8100 || get16(p) == 0x88a8)
		p += 4;
	ip = p + 2;
	if (ip[0] >> 4 == 4) {
		hlen = (ip[0] & 15) * 4;
		ip_len = get16(ip + 2) - hlen;
		if (hlen != 20)
			return WHY_IP_HEADER;
	} else {
		hlen = 40;
		ip_len = get16(ip + 4);
		if (ip[6] != 17)
			return WHY_IP_HEADER;
	}
	udp_len = get16(ip + hlen + 4);
	if (udp_len < 8 || udp_len > ip_len ||
	    ip + hlen + ip_len > frame + len)
		return WHY_KERNEL;
	if (udp_len != ip_len)
		return WHY_LENGTH;
	return judge_transport(ip, hlen, ip + hlen, udp_len, targets,
			       nr_targets);
}
