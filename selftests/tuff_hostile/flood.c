// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: very many packets, systematic ones and random ones */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "hostile.h"

#define CHUNK		4096	/* packets between two looks at the counters */
#define MAX_LENGTH	64
#define NR_CAPTURED	512
#define MAX_TP		1500

static uint8_t captured[NR_CAPTURED][FRAME_MAX];
static int lens[NR_CAPTURED], nr_captured;

/* What a chunk has to leave behind. */
static int chunk_end(struct account *a)
{
	int err = account_check(a);

	if (!err)
		err = targets_unharmed();
	if (!err)
		err = targets_revive();
	if (err >= 0)
		account_begin(a);
	return err < 0 ? err : 0;
}

static int send_all(struct account *a, const struct packet *p)
{
	account_add(a, p);
	return a->total % CHUNK ? 0 : chunk_end(a);
}

static int sweep_qpn(struct account *a, uint32_t qpn, bool sparse)
{
	static const uint8_t some[] = { 0, 4, 11, 12, 15, 16, 20, 28, 32, 44 };
	int opcode, len, pad, i, lengths = sparse ? ARRAY_LEN(some) :
						    MAX_LENGTH + 1;
	uint64_t seed = qpn;
	struct packet p = blank;
	int err = 0;

	for (opcode = 0; opcode < 256 && !err; opcode++) {
		for (i = 0; i < lengths && !err; i++) {
			len = sparse ? some[i] : i;
			/* The last bytes of the four pads differ, too. */
			for (pad = 0; pad < 4 && !err; pad++) {
				if (sparse && pad != ((opcode + i) & 3))
					continue;
				vt_fill(p.tp, sizeof(p.tp) / 8, vt_random(&seed));
				/* Far ahead: nothing gets executed. */
				forge_bth(&p, opcode, qpn, 0x700000, len);
				p.tp[1] |= pad << 4;
				err = send_all(a, &p);
			}
		}
	}
	return err;
}

/*
 * All opcodes, lengths and pads to one target; NULL: to numbers that nobody
 * has.
 */
int flood_sweep(const char *name, bool sparse)
{
	static const uint32_t free_qpns[] = { 0, 2, 0x5a5a5a, 0xfffffe,
					      MULTICAST_QPN };
	const struct target *t = name ? target_find(name) : NULL;
	struct account a;
	int err = 0;
	size_t i;

	account_begin(&a);
	if (t)
		err = sweep_qpn(&a, t->qpn, sparse);
	for (i = 0; !t && i < ARRAY_LEN(free_qpns) && !err; i++)
		err = sweep_qpn(&a, free_qpns[i], sparse);
	return err ? err : chunk_end(&a);
}

static uint32_t pick(uint64_t *seed, uint32_t n)
{
	return vt_random(seed) % n;
}

static void put32(uint8_t *p, uint32_t v)
{
	p[0] = v >> 24;
	p[1] = v >> 16;
	p[2] = v >> 8;
	p[3] = v;
}

/* A RETH or AtomicETH that may be right, and is nearly so. */
static void set_reth(struct packet *p, uint64_t *seed, struct live *live)
{
	static const uint32_t lengths[] = { 0, 1, 8, 64, 1024, 3000, 65536,
					    65537, 0x7fffffff, 0xffffffff };
	static const int64_t offsets[] = { 0, 1, 7, 8, 65535, 65536, -1, -8 };
	uint64_t va = (uintptr_t)open_mr->addr;
	uint32_t rkey = open_mr->rkey;

	switch (pick(seed, 6)) {
	case 0:
		va = (uintptr_t)locked_mr->addr;
		rkey = locked_mr->rkey;
		break;
	case 1:
		va = live->va[0];
		rkey = live->rkey[0];
		break;
	case 2:
		va = 0 - (uint64_t)pick(seed, 100);
		break;
	}
	va += offsets[pick(seed, ARRAY_LEN(offsets))];
	put32(p->tp + BTH_LEN, va >> 32);
	put32(p->tp + BTH_LEN + 4, va);
	put32(p->tp + BTH_LEN + 8, rkey);
	put32(p->tp + BTH_LEN + 12, lengths[pick(seed, ARRAY_LEN(lengths))]);
}

static void set_psn(struct packet *p, uint64_t *seed, const struct target *t)
{
	uint32_t psn = t->psn + pick(seed, 4) - 1;

	/* The answers that it waits for have its own numbers. */
	if (p->tp[0] >= OP_READ_FIRST && p->tp[0] <= OP_ATOMIC_ACK && t->qp)
		psn = t->qp->psn + pick(seed, 6);
	p->tp[9] = psn >> 16;
	p->tp[10] = psn >> 8;
	p->tp[11] = psn;
}

/* One change of a packet. */
static void mutate(struct packet *p, uint64_t *seed)
{
	static const uint8_t bytes[] = { 0, 1, 0x7f, 0x80, 0xff };
	int at = p->len ? pick(seed, p->len) : 0;
	int n = 1 + pick(seed, 16), from;
	const uint8_t *other;

	/* The headers matter more than the payload. */
	if (at > 64 && pick(seed, 4))
		at %= 64;
	switch (pick(seed, 8)) {
	case 0:
		p->tp[at] = bytes[pick(seed, sizeof(bytes))];
		break;
	case 1:
		p->tp[at] = vt_random(seed);
		break;
	case 2:
		p->len = at;
		break;
	case 3:
		if (p->len + n < MAX_TP) {
			vt_fill(p->tp + p->len, n, vt_random(seed));
			p->len += n;
		}
		break;
	case 4:
		p->tp[0] = vt_random(seed);
		break;
	case 5:
		/* The head of another one, of the same queue pair. */
		from = pick(seed, nr_captured);
		other = captured[from] + 14 + 20 + 8;
		p->tp[0] = other[0];
		if (at + n <= lens[from] - 42 && at + n <= MAX_TP && at > 11)
			memcpy(p->tp + at, other + at, n);
		break;
	default:
		p->tp[at] ^= 1 << pick(seed, 8);
	}
}

/* From a captured packet to one for a target. */
static void make_mutation(struct packet *p, uint64_t *seed, struct live *live)
{
	int i = pick(seed, nr_captured), n = pick(seed, 4);
	const struct target *t = &targets[pick(seed, nr_targets)];

	/* Half of all goes to those that take them. */
	if (pick(seed, 2))
		t = &targets[nr_targets - 7 + pick(seed, 3)];
	*p = blank;
	p->len = lens[i] - 14 - 20 - 8 - ICRC_LEN;
	memcpy(p->tp, captured[i] + 14 + 20 + 8, p->len);
	p->tp[5] = t->qpn >> 16;
	p->tp[6] = t->qpn >> 8;
	p->tp[7] = t->qpn;
	set_psn(p, seed, t);
	if (header_length(p->tp[0]) >= BTH_LEN + 16 && !pick(seed, 2))
		set_reth(p, seed, live);
	while (n--)
		mutate(p, seed);
	if (!pick(seed, 8))
		p->spoil = 1 + pick(seed, 255);
	if (!pick(seed, 16))
		p->udp_less = pick(seed, p->len + 12);
	/* Nobody's peer: the traffic of others is not to be forged. */
	if (!pick(seed, 4))
		p->src[3] = 100 + pick(seed, 100);
	p->sport = vt_random(seed);
}

/*
 * Nothing is wrong with it, and it is for a queue pair that others use: a
 * datagram with the right Q_Key is taken whoever sends it, and would then be
 * what these others find in place of their own. So may the GSI queue pair
 * answer; flood_mads() is for that.
 */
static bool is_taken(const struct packet *p)
{
	struct packet plain = *p;
	uint8_t frame[FRAME_MAX];
	uint32_t qpn = p->tp[5] << 16 | p->tp[6] << 8 | p->tp[7];
	int i, len;

	/* The layers below are no part of what the queue pair looks at. */
	plain.options = 0;
	plain.nr_vlans = 0;
	len = forge(&plain, frame);
	if (judge(frame, len, targets, nr_targets) != WHY_OPEN)
		return false;
	for (i = 0; i < nr_targets; i++)
		if (targets[i].qpn == qpn && !targets[i].qp)
			return true;
	return false;
}

static int capture(void)
{
	if (!nr_captured)
		nr_captured = forge_capture(captured, lens, NR_CAPTURED, 20000);
	if (nr_captured == NR_CAPTURED)
		return 0;
	printf("# captured %d packets only\n", nr_captured);
	return -ENODATA;
}

/* Captured packets with a few changes, mostly with a right ICRC. */
int flood_mutations(long n, uint64_t seed, struct live *live)
{
	long total = 0, open = 0;
	uint8_t frame[FRAME_MAX];
	struct account a;
	struct packet p;
	int len, err;

	err = capture();
	account_begin(&a);
	while (!err && total < n) {
		make_mutation(&p, &seed, live);
		if (is_taken(&p))
			continue;
		len = forge(&p, frame);
		account_frame(&a, frame, len);
		err = forge_queue(frame, len);
		total++;
		if (err || a.total % CHUNK)
			continue;
		open += a.sent[WHY_OPEN];
		err = chunk_end(&a);
	}
	if (!err)
		err = chunk_end(&a);
	printf("# %ld mutations of %d packets, %ld came from a peer\n", total,
	       nr_captured, open);
	return err;
}

/*
 * Anything may be wrong, from the IP header on. Which of these the kernel
 * keeps to itself is not told here; nothing gets in, nothing falls over.
 */
int flood_layers(long n, uint64_t seed, struct live *live)
{
	uint8_t frame[FRAME_MAX], *ip;
	struct packet p;
	int len, changes, err;
	long i;

	err = capture();
	for (i = 0; !err && i < n; i++) {
		make_mutation(&p, &seed, live);
		if (is_taken(&p))
			continue;
		p.options = pick(&seed, 8) ? 0 : pick(&seed, 11);
		p.nr_vlans = pick(&seed, 8) ? 0 : pick(&seed, 3);
		p.vlan[0] = 5;
		p.vlan[1] = 5;
		len = forge(&p, frame);
		ip = frame + 14 + 4 * p.nr_vlans;
		for (changes = pick(&seed, 4); changes >= 0; changes--)
			ip[pick(&seed, 28)] ^= 1 << pick(&seed, 8);
		/* Not as one of those who do talk with each other. */
		if (!memcmp(ip + 12, "\xc6\x33\x64\x02", 4))
			continue;
		if (pick(&seed, 4))
			forge_ip_sum(ip);
		err = forge_queue(frame, len - pick(&seed, 8) / 7 *
				  pick(&seed, len - 14));
		if (!err && i % CHUNK == CHUNK - 1)
			err = forge_flush();
		if (!err && i % CHUNK == CHUNK - 1)
			err = targets_unharmed();
	}
	if (!err)
		err = forge_flush();
	if (!err)
		err = targets_unharmed();
	return err < 0 ? err : targets_revive() < 0 ? -EIO : 0;
}

/* Management datagrams of noise, with the right Q_Key. */
int flood_mads(int n, uint64_t seed)
{
	struct packet p = blank;
	int i, err = 0;

	for (i = 0; i < n && !err; i++) {
		forge_bth(&p, OP_UD | OP_SEND_ONLY, 1, i, BTH_LEN + 8 + 256);
		vt_fill(p.tp + BTH_LEN, 8 + 256, vt_random(&seed));
		put32(p.tp + BTH_LEN, GSI_QKEY);
		/* Base version, a class that somebody has, class version. */
		p.tp[20] = 1;
		p.tp[21] = pick(&seed, 4) == 0 ? vt_random(&seed) :
			   pick(&seed, 2) ? 0x07 : 0x04;
		p.tp[22] = pick(&seed, 3);
		if (!pick(&seed, 4))
			p.len = BTH_LEN + 8 + 4 * pick(&seed, 65);
		err = forge_send(&p);
	}
	return err ? err : forge_flush();
}
