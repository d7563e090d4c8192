// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: one thing wrong at a time, in each layer */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hostile.h"

#define ROUNDS	20

static const uint8_t device6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0xa, [15] = 1 };
static const uint8_t attacker6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0xa, [15] = 77 };

static int end(struct account *a)
{
	int err = account_check(a);

	return err ? err : targets_unharmed();
}

/* A SEND to a queue pair, over IPv4 or IPv6. */
static struct packet send_to(const char *name, bool v6, int len)
{
	const struct target *t = target_find(name);
	struct packet p = blank;
	uint8_t base = t->type == IBV_QPT_RC ? OP_RC :
		       t->type == IBV_QPT_UC ? OP_UC : OP_UD;

	p.v6 = v6;
	if (v6) {
		memcpy(p.src, attacker6, 16);
		memcpy(p.dst, device6, 16);
	}
	vt_fill(p.tp, len, 99);
	forge_bth(&p, base | OP_SEND_ONLY, t->qpn, 5000, len);
	return p;
}

/* Both fragments of a frame, cut at @at bytes of IP payload (IPv4). */
static void cut4(const uint8_t *frame, int len, int at)
{
	uint8_t part[FRAME_MAX], *ip = part + 14;
	int rest = len - 34 - at;

	memcpy(part, frame, 34 + at);
	ip[2] = (20 + at) >> 8;
	ip[3] = 20 + at;
	ip[6] = 0x20;
	ip[7] = 0;
	forge_ip_sum(ip);
	forge_queue(part, 34 + at);
	memcpy(part + 34, frame + 34 + at, rest);
	ip[2] = (20 + rest) >> 8;
	ip[3] = 20 + rest;
	ip[6] = at >> 11;
	ip[7] = at >> 3;
	forge_ip_sum(ip);
	forge_queue(part, 34 + rest);
}

/* The same for IPv6: a fragment header comes between. */
static void cut6(const uint8_t *frame, int len, int at, uint8_t id)
{
	uint8_t part[FRAME_MAX], *ip = part + 14, *fh = ip + 40;
	int rest = len - 54 - at, i;

	for (i = 0; i < 2; i++) {
		int size = i ? rest : at, from = i ? at : 0;

		memcpy(part, frame, 54);
		ip[4] = (size + 8) >> 8;
		ip[5] = size + 8;
		ip[6] = 44;
		memset(fh, 0, 8);
		fh[0] = 17;
		fh[2] = from >> 8;
		fh[3] = from | !i;	/* more fragments */
		fh[7] = id;
		memcpy(fh + 8, frame + 54 + from, size);
		forge_queue(part, 14 + 40 + 8 + size);
	}
}

/* Whole again, they are still nothing that RoCEv2 knows. */
int layers_fragments(void)
{
	struct packet p = send_to("live RC", false, 400);
	struct packet p6 = send_to("RC over IPv6", true, 400);
	uint8_t frame[FRAME_MAX];
	struct account a;
	int i, len;

	account_begin(&a);
	p.frag = 0;
	for (i = 0; i < ROUNDS; i++) {
		len = forge(&p, frame);
		frame[14 + 5] = i;	/* IP ID; then the ICRC is wrong, too */
		forge_ip_sum(frame + 14);
		cut4(frame, len, 8 + 16 * i);
		a.sent[WHY_FRAGMENT]++;
		len = forge(&p6, frame);
		cut6(frame, len, 8 + 16 * i, i);
		a.sent[WHY_FRAGMENT]++;
	}
	return end(&a);
}

int layers_options(void)
{
	struct packet p = send_to("live RC", false, 100);
	struct packet p6 = send_to("RC over IPv6", true, 100);
	struct account a;

	account_begin(&a);
	for (p.options = 0; p.options <= 10; p.options++)
		account_add(&a, &p);
	for (p6.options = 0; p6.options <= 3; p6.options++)
		account_add(&a, &p6);
	return end(&a);
}

/*
 * The host has VLAN 5, and VLAN 7 in it. What comes by others is not for it,
 * what comes by these is judged as if it came without.
 */
int layers_vlans(void)
{
	static const struct {
		int nr;
		uint16_t tag[2];
		bool known;
	} rows[] = {
		{ 1, { 0 }, true }, { 1, { 5 }, true }, { 2, { 5, 7 }, true },
		{ 1, { 9 }, false }, { 2, { 5, 9 }, false },
		{ 2, { 9, 5 }, false }, { 1, { 4095 }, false },
		/* Priority and drop bits are no part of the number. */
		{ 1, { 0xf005 }, true },
	};
	static const char * const names[] = { "live RC", "RC in ERR",
					      "UD in RTS" };
	struct account a;
	size_t i, k;

	account_begin(&a);
	for (i = 0; i < ARRAY_LEN(rows); i++) {
		for (k = 0; k < ARRAY_LEN(names); k++) {
			struct packet p = send_to(names[k], false, 100);

			p.nr_vlans = rows[i].nr;
			memcpy(p.vlan, rows[i].tag, sizeof(p.vlan));
			if (rows[i].known)
				account_add(&a, &p);
			else
				forge_send(&p);
		}
	}
	return end(&a);
}

/* UDP, IP and Ethernet do not agree about where it ends. */
int layers_lengths(void)
{
	uint8_t frame[FRAME_MAX];
	struct account a;
	int i, len;

	account_begin(&a);
	for (i = 0; i < 120; i++) {
		struct packet p = send_to("live RC", false, 100);

		p.udp_less = i;
		account_add(&a, &p);
		p = send_to("RC over IPv6", true, 100);
		/* UDP length 0 is a jumbogram's, that IPv6 drops or takes. */
		p.udp_less = i % 100;
		account_add(&a, &p);
		/* Padding of the link layer is nobody's. */
		p = send_to("UC in RTS", false, 12 + 4 * (i % 4));
		len = forge(&p, frame);
		memset(frame + len, 0xa5, i);
		account_frame(&a, frame, len + i);
		forge_queue(frame, len + i);
		/* The frame ends before the IP packet does. */
		p = send_to("live RC", false, 100);
		len = forge(&p, frame);
		account_frame(&a, frame, len - 1 - i % 100);
		forge_queue(frame, len - 1 - i % 100);
	}
	return end(&a);
}

/* Each bit of a packet turned, its ICRC left as it was. */
static void turned_bits(struct account *a, const char *name)
{
	struct packet p = send_to(name, false, 36);
	uint8_t frame[FRAME_MAX];
	int len = forge(&p, frame), bit;

	for (bit = (14 + 20 + 8) * 8; bit < len * 8; bit++) {
		frame[bit / 8] ^= 1 << bit % 8;
		account_frame(a, frame, len);
		forge_queue(frame, len);
		frame[bit / 8] ^= 1 << bit % 8;
	}
}

static void wrong_fields(struct account *a, const char *name)
{
	static const uint16_t pkeys[] = { 0, 1, 0x7ffe, 0x8000, 0xfffe,
					  0xffff, 0x7fff };
	struct packet p = send_to(name, false, 36), q;
	size_t i;

	for (i = 0; i < 16; i++) {
		q = p;
		q.tp[1] |= i;			/* TVer */
		account_add(a, &q);
		q = p;
		q.sport = i * 4369;
		account_add(a, &q);
		q = p;
		q.tos = i * 17;
		q.ttl = 1 + i;
		account_add(a, &q);
		q = p;
		q.src[3] = 101 + i;
		account_add(a, &q);
		q = p;
		q.tp[4] = i * 17;		/* FECN, BECN, reserved */
		account_add(a, &q);
	}
	for (i = 0; i < ARRAY_LEN(pkeys); i++) {
		q = p;
		q.tp[2] = pkeys[i] >> 8;
		q.tp[3] = pkeys[i];
		account_add(a, &q);
	}
	q = p;
	forge_bth(&q, OP_CNP, target_find(name)->qpn, 0, BTH_LEN + 16);
	q.tp[4] = 0x40;
	account_add(a, &q);
	turned_bits(a, name);
}

/* Of every target that nobody may reach. */
int layers_fields(void)
{
	struct account a;
	int i, err = 0;

	for (i = 0; i < nr_targets && !err; i++) {
		if (targets[i].open || targets[i].v6)
			continue;
		account_begin(&a);
		wrong_fields(&a, targets[i].name);
		err = end(&a);
		if (err)
			printf("# target %s\n", targets[i].name);
	}
	return err;
}
