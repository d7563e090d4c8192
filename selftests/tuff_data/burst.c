// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_data: a burst: random requests of all kinds from both sides at
 * once, as many outstanding as the queues hold
 *
 * Side with seed S is requester of list S; the other side knows list S too,
 * so it can post the receives in order and say how its memory must look.
 * Each request has a slot of its own, local and remote, so what order they
 * are carried out in shows only in the completions.
 */
#include "data.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <string.h>

#define SLOT		16384
#define MAX_BURST	96
#define WAIT_MS		VT_MS(60)

struct item {
	uint32_t op;
	uint32_t size;
	bool signalled;
	uint64_t seed;
};

static unsigned int burst_list(struct side *s, uint64_t seed,
			       unsigned int ops, struct item *items)
{
	static const uint8_t rc[] = { OP_SEND, OP_SEND_IMM, OP_WRITE,
		OP_WRITE_IMM, OP_FAA, OP_READ };
	unsigned int kinds = sizeof(rc) - (s->session.no_reads ? 2 : 0);
	static const uint32_t border[] = { 0, 1, 2, 3, 4, 5 };
	uint32_t mtu = 128u << s->session.mtu;
	unsigned int i;

	if (ops > MAX_BURST)
		ops = MAX_BURST;
	for (i = 0; i < ops; i++) {
		uint64_t r = vt_random(&seed);

		items[i].op = rc[r % kinds];
		items[i].signalled = r >> 8 & 1 || i == ops - 1 || i % 16 == 15;
		items[i].seed = seed;
		if (items[i].op == OP_FAA)
			items[i].size = 8;
		else if (r >> 16 & 1)
			items[i].size = (r >> 24) % (SLOT - 64);
		else
			items[i].size = (mtu * (r >> 24 & 1) +
				border[(r >> 32) % ARRAY_LEN(border)]);
	}
	return ops;
}

static bool item_writes(const struct item *it)
{
	return it->op == OP_WRITE || it->op == OP_WRITE_IMM;
}

static bool item_recv(const struct item *it)
{
	return it->op == OP_SEND || it->op == OP_SEND_IMM ||
	       it->op == OP_WRITE_IMM;
}

/* The responder's memory for list @seed, before it starts; and the receives. */
int burst_prepare(struct side *s, uint64_t seed, unsigned int ops)
{
	struct item items[MAX_BURST];
	unsigned int i;
	int err;

	ops = burst_list(s, seed, ops, items);
	area_clear(&s->in, ops * SLOT);
	for (i = 0; i < ops; i++) {
		uint8_t *at = s->in.mem + i * SLOT;
		uint8_t *image = s->in.image + i * SLOT;
		struct ibv_sge sge = {
			.addr = (uintptr_t)at, .length = SLOT - 64,
			.lkey = s->in.mr[i & 1]->lkey,
		};
		uint64_t sum = items[i].seed + 1;

		if (items[i].op == OP_READ) {
			vt_fill(at, items[i].size, items[i].seed);
			vt_fill(image, items[i].size, items[i].seed);
		} else if (items[i].op == OP_FAA) {
			memcpy(at, &items[i].seed, 8);
			memcpy(image, &sum, 8);
		} else {
			vt_fill(image, items[i].size, items[i].seed);
		}
		if (!item_recv(&items[i]))
			continue;
		err = vt_post_recv(&s->qp, i, &sge, 1);
		if (err)
			return fail(s, "post_recv: %s", strerror(-err));
	}
	return 0;
}

static int burst_post(struct side *s, const struct item *it, unsigned int i,
		      uint64_t va, uint32_t rkey)
{
	static const enum ibv_wr_opcode wrs[NR_OPS] = {
		[OP_SEND] = IBV_WR_SEND,
		[OP_SEND_IMM] = IBV_WR_SEND_WITH_IMM,
		[OP_WRITE] = IBV_WR_RDMA_WRITE,
		[OP_WRITE_IMM] = IBV_WR_RDMA_WRITE_WITH_IMM,
		[OP_READ] = IBV_WR_RDMA_READ,
		[OP_FAA] = IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->out.mem + i * SLOT,
		.length = it->size, .lkey = s->out.mr[i & 1]->lkey,
	};
	struct ibv_send_wr *bad, wr = {
		.wr_id = i, .sg_list = &sge, .num_sge = 1,
		.opcode = wrs[it->op], .imm_data = htonl(i),
		.send_flags = it->signalled ? IBV_SEND_SIGNALED : 0,
	};

	if (it->op == OP_FAA) {
		wr.wr.atomic.remote_addr = va + i * SLOT;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
	} else {
		wr.wr.rdma.remote_addr = va + i * SLOT;
		wr.wr.rdma.rkey = rkey;
	}
	return -ibv_post_send(s->qp.qp, &wr, &bad);
}

/* Wait until @upto is completed; completions come in the order of posting. */
static int burst_reap(struct side *s, const struct item *items,
		      unsigned int *next, unsigned int upto)
{
	uint64_t end = vt_deadline(WAIT_MS);
	struct ibv_wc wc;

	while (*next < upto) {
		if (!items[*next].signalled) {
			++*next;
			continue;
		}
		if (vt_expired(end))
			return fail(s, "request %u of the burst never completed",
				    *next);
		if (!ibv_poll_cq(s->qp.scq, 1, &wc)) {
			sched_yield();
			continue;
		}
		if (wc.status != IBV_WC_SUCCESS || wc.wr_id != *next)
			return fail(s, "request %u of the burst: wr_id %llu, %s",
				    *next, (unsigned long long)wc.wr_id,
				    ibv_wc_status_str(wc.status));
		++*next;
	}
	return 0;
}

int burst_run(struct side *s, uint64_t seed, unsigned int ops,
	      uint64_t va, uint32_t rkey)
{
	struct item items[MAX_BURST];
	unsigned int i, next = 0;
	struct ibv_wc wc;
	int err;

	ops = burst_list(s, seed, ops, items);
	area_clear(&s->out, ops * SLOT);
	for (i = 0; i < ops; i++) {
		size_t off = i * SLOT;

		vt_fill(s->out.image + off, items[i].size, items[i].seed);
		if (items[i].op == OP_FAA)
			memcpy(s->out.image + off, &items[i].seed, 8);
		else if (items[i].op != OP_READ)
			memcpy(s->out.mem + off, s->out.image + off,
			       items[i].size);
	}
	for (i = 0; i < ops; i++) {
		err = burst_post(s, &items[i], i, va, rkey);
		if (err)
			return fail(s, "post: %s", strerror(-err));
	}
	err = burst_reap(s, items, &next, ops);
	if (err)
		return err;
	if (ibv_poll_cq(s->qp.scq, 1, &wc))
		return fail(s, "a completion too many");
	return area_check(s, &s->out, ops * SLOT, "burst, local memory");
}

/* After the requester is done: receives in order, and every byte. */
int burst_check(struct side *s, uint64_t seed, unsigned int ops)
{
	struct item items[MAX_BURST];
	struct ibv_wc wc;
	unsigned int i;
	bool imm;

	ops = burst_list(s, seed, ops, items);
	for (i = 0; i < ops; i++) {
		if (!item_recv(&items[i]))
			continue;
		if (vt_poll(s->qp.rcq, &wc, 1, VT_MS(10)) != 1)
			return fail(s, "receive for request %u missing", i);
		if (wc.status != IBV_WC_SUCCESS ||
		    wc.byte_len != items[i].size)
			return fail(s, "receive for request %u: %s, %u bytes, not %u",
				    i, ibv_wc_status_str(wc.status),
				    wc.byte_len, items[i].size);
		/*
		 * Receives are taken in order, but each was posted with the
		 * number of its own request.
		 */
		if (wc.wr_id != i)
			return fail(s, "receive %llu for request %u",
				    (unsigned long long)wc.wr_id, i);
		imm = items[i].op != OP_SEND;
		if (imm != !!(wc.wc_flags & IBV_WC_WITH_IMM) ||
		    (imm && ntohl(wc.imm_data) != i))
			return fail(s, "receive %u: flags %#x immediate %#x",
				    i, wc.wc_flags, ntohl(wc.imm_data));
		imm = wc.opcode == IBV_WC_RECV_RDMA_WITH_IMM;
		if (imm != item_writes(&items[i]))
			return fail(s, "receive %u: opcode %d", i, wc.opcode);
	}
	return area_check(s, &s->in, ops * SLOT, "burst, remote memory");
}
