// SPDX-License-Identifier: GPL-2.0
/* tuff: fuzz target "pair": queue pairs made, run, and taken apart */
#include "pair.h"

#include <string.h>

#include <linux/align.h>
#include <linux/minmax.h>
#include <rdma/rdma_user_rxe.h>

/* Most runs until all is quiet; more means that it never will be. */
#define PAIR_MAX_RUNS	20000
#define PAIR_BUDGET	16

static const u8 pair_address[16] = { 10, 11, 12, 13, 1, 2, 3, 4, 5, 6, 7, 8 };

static const struct {
	u32 pd;
	u32 access;
	u64 va;
	u32 len;
} pair_regions[PAIR_MRS] = {
	[PAIR_MR_ALL] = { 1, 0xf, 0x10000, 16384 },
	[PAIR_MR_LOCAL] = { 1, TUFF_ACCESS_LOCAL_WRITE, 0x20000, 4096 },
	[PAIR_MR_READ] = { 1, TUFF_ACCESS_REMOTE_READ, 0x30000, 4096 },
	[PAIR_MR_FOREIGN] = { 2, 0xf, 0x40000, 4096 },
	[PAIR_MR_TOP] = { 1, 0xf, -4096ULL, 4096 },
};

static void pair_enter(struct pair_qp *p)
{
	CHECK(!pair.in);
	pair.in = p;
}

static void pair_leave(struct pair_qp *p)
{
	pair.in = NULL;
	pair_check_qp(p);
}

void pair_set_state(struct pair_qp *p, u8 state)
{
	pair_enter(p);
	tuff_qp_set_state(&p->qp, state);
	pair_leave(p);
}

/* Of exactly its size, so that ASan sees its end. */
static void pair_ring_create(struct tuff_ring *ring, u32 stride)
{
	ring->stride = ALIGN(stride, 8);
	ring->mask = PAIR_SLOTS - 1;
	ring->buf = calloc(1, sizeof(*ring->buf) + PAIR_SLOTS * ring->stride);
	CHECK(ring->buf);
}

static void pair_mr_create(enum pair_region region)
{
	struct tuff_mr *mr = &pair.mr[region];
	u32 i;

	mr->lkey = 1 + region;
	mr->rkey = 1 + region;
	mr->pd = pair_regions[region].pd;
	mr->access = pair_regions[region].access;
	mr->va = pair_regions[region].va;
	mr->len = pair_regions[region].len;
	mr->bytes = malloc(mr->len);
	CHECK(mr->bytes);
	for (i = 0; i < mr->len; i++)
		mr->bytes[i] = region + i;
}

static void pair_av_create(struct tuff_av *av, u32 num)
{
	av->num = num;
	av->path.ipv6 = pair.ipv6;
	av->path.sport = 49152 + num;
	av->path.ttl = 64;
	memcpy(av->path.saddr, pair_address, sizeof(pair_address));
	memcpy(av->path.daddr, pair_address, sizeof(pair_address));
}

static void pair_qp_create(u32 idx, const u8 how[8])
{
	static const u8 timeouts[] = { 10, 1, 14, 0 };
	static const u8 peers[PAIR_QPS] = { 1, 0, 2 };
	struct pair_qp *p = &pair.qp[idx];
	struct tuff_qp *qp = &p->qp;

	tuff_qp_init(qp);
	p->idx = idx;
	p->peer = &pair.qp[peers[idx]];
	INIT_LIST_HEAD(&p->loop_in);
	INIT_LIST_HEAD(&p->loop_out);
	qp->qpn = idx + 1;
	qp->type = pair.type;
	qp->user = true;
	qp->sig_all = how[0] & 0x40;
	qp->has_srq = pair.srq && idx;
	qp->max_send_sge = how[4] % (PAIR_MAX_SGE + 1);
	qp->max_recv_sge = 1 + (how[4] >> 4) % PAIR_MAX_SGE;
	qp->max_inline = how[5] % (PAIR_MAX_INLINE + 1);
	qp->max_send_wr = 1 + (how[5] >> 4) % (PAIR_SLOTS - 1);
	qp->responder.nr_replay = 1 + (how[3] >> 2) % 3;
	qp->responder.replay = calloc(qp->responder.nr_replay,
				      sizeof(*qp->responder.replay));
	CHECK(qp->responder.replay);
	qp->av = tuff_qp_connected(qp) ? &pair.av[peers[idx]] : NULL;
	qp->attr = (struct tuff_qp_attr){
		.pkey = TUFF_PKEY_DEFAULT,
		.path_mtu_shift = 8 + how[1] % 5,
		.timeout = timeouts[how[2] >> 6],
		.retry_cnt = how[2] & 7,
		.rnr_retry = how[2] >> 3 & 7,
		.min_rnr_timer = how[1] >> 3,
		.max_rd_atomic = how[3] & 3,
		.access = (how[6] & 0xe) ^ 0xe,
		.dqpn = peers[idx] + 1U,
		.qkey = PAIR_QKEY,
		.rq_psn = (how[7] << 16 | 0xfffff0) & TUFF_QPN_MASK,
		.sq_psn = (how[7] << 16 | 0xfffff0) & TUFF_QPN_MASK,
	};
	pair_ring_create(&p->sq, sizeof(struct rxe_send_wqe) +
			 max_t(u32, qp->max_send_sge * sizeof(struct rxe_sge),
			       qp->max_inline));
	pair_ring_create(&p->rq, sizeof(struct rxe_recv_wqe) +
			 qp->max_recv_sge * sizeof(struct rxe_sge));
	p->recv = qp->has_srq ? &pair.shared : &p->rq;
	p->rwqe = malloc(sizeof(*p->rwqe) +
			 (qp->has_srq ? PAIR_MAX_SGE : qp->max_recv_sge) *
			 sizeof(p->rwqe->sge[0]));
	CHECK(p->rwqe);
}

/* RESET to RTS. */
void pair_connect(struct pair_qp *p)
{
	pair_set_state(p, TUFF_QPS_INIT);
	pair_set_state(p, TUFF_QPS_RTR);
	pair_set_state(p, TUFF_QPS_RTS);
}

/* No request of @p is lent any more. */
static void pair_quiesce(struct pair_qp *p)
{
	u32 tries;

	p->qp.requester.no_loop = true;
	for (tries = 0; p->qp.requester.nr_lent; tries++) {
		CHECK(tries < PAIR_MAX_RUNS);
		pair_run(p->peer);
		pair_run(p);
	}
}

/* What modify waits for before it leaves SQE for RTS. */
bool pair_flushed(struct pair_qp *p)
{
	u32 tries;

	for (tries = 0; tries < 100; tries++) {
		if (!p->qp.nr_sq && !tuff_ring_posted(&p->sq))
			return true;
		pair_run(p->peer);
		pair_run(p);
	}
	return false;
}

/* modify to RESET, and what verbs does about the rings. */
void pair_reset(struct pair_qp *p)
{
	pair_quiesce(p);
	p->resetting = true;
	pair_set_state(p, TUFF_QPS_RESET);
	p->resetting = false;
	p->send_ended.valid = false;
	p->recv_ended.valid = false;
	tuff_ring_discard(&p->sq);
	tuff_ring_discard(&p->rq);
}

void pair_set_up(const u8 how[8])
{
	static const u8 types[] = {
		TUFF_QPT_RC, TUFF_QPT_UC, TUFF_QPT_UD, TUFF_QPT_GSI,
	};
	u32 i;

	memset(&pair, 0, sizeof(pair));
	pair.now = 1;
	pair.type = types[how[0] & 3];
	pair.srq = how[0] & 4;
	pair.loop = how[0] & 8;
	pair.ipv6 = how[0] & 0x10;
	pair.honest = how[0] & 0x20;
	pair.busy = how[0] & 0x40;
	pair.early = (how[6] >> 6) % TUFF_NR_EARLY_MODES;
	for (i = 0; i < PAIR_MRS; i++)
		pair_mr_create(i);
	for (i = 0; i < PAIR_AVS; i++)
		pair_av_create(&pair.av[i], i + 1);
	pair_ring_create(&pair.shared, sizeof(struct rxe_recv_wqe) +
			 PAIR_MAX_SGE * sizeof(struct rxe_sge));
	for (i = 0; i < PAIR_QPS; i++)
		pair_qp_create(i, how);
	for (i = 0; i < PAIR_QPS; i++)
		pair_connect(&pair.qp[i]);
}

void pair_run(struct pair_qp *p)
{
	p->raised = false;
	pair_enter(p);
	if (tuff_qp_run(&p->qp, PAIR_BUDGET))
		p->raised = true;
	pair_leave(p);
}

/* The timer of @p fires, now or when it is due. */
void pair_tick(struct pair_qp *p)
{
	if (!p->timer_at)
		return;
	pair.now = max(pair.now, p->timer_at);
	p->timer_at = 0;
	pair_enter(p);
	tuff_qp_timeout(&p->qp);
	pair_leave(p);
	p->raised = true;
}

/* A packet as the engine sees it; false: it does not. */
bool pair_parse(const struct sim_frame *frame, struct tuff_pkt *pkt)
{
	return sim_frame_check(frame, pair_address, pkt) == SIM_FRAME_GOOD &&
	       pkt->hdr.dqpn && pkt->hdr.dqpn <= PAIR_QPS;
}

/* A packet arrives; @run: and is not the first of several. */
void pair_deliver(struct sim_frame *frame, bool run)
{
	struct tuff_pkt pkt;
	struct pair_qp *p;

	if (!pair_parse(frame, &pkt)) {
		sim_frame_put(frame);
		return;
	}
	p = &pair.qp[pkt.hdr.dqpn - 1];
	if (p->qp.state != TUFF_QPS_RESET) {
		pair_enter(p);
		pair.rx = &pkt;
		tuff_qp_receive(&p->qp, &pkt);
		pair.rx = NULL;
		pair_leave(p);
		p->raised = true;
		if (run)
			pair_run(p);
	}
	sim_frame_put(frame);
}

/* Run whoever asked for it until nobody does. */
void pair_settle(void)
{
	u32 runs = 0, i;
	bool more;

	do {
		more = false;
		for (i = 0; i < PAIR_QPS; i++) {
			if (!pair.qp[i].raised)
				continue;
			CHECK(runs++ < PAIR_MAX_RUNS);
			pair_run(&pair.qp[i]);
			more = true;
		}
	} while (more);
	for (i = 0; i < PAIR_QPS; i++)
		pair_check_still(&pair.qp[i]);
}

/* All to ERR, all is flushed, then to RESET: nothing may be left. */
void pair_tear_down(void)
{
	u32 i;

	pair.no_memory = 0;
	pair.tx_left = 0;
	for (i = 0; i < PAIR_QPS; i++) {
		struct pair_qp *p = &pair.qp[i];

		if (p->qp.state == TUFF_QPS_RESET)
			pair_connect(p);
		pair_set_state(p, TUFF_QPS_ERR);
		p->raised = true;
	}
	pair_settle();
	for (i = 0; i < PAIR_QPS; i++) {
		pair_tick(&pair.qp[i]);
		pair_settle();
		pair_check_flushed(&pair.qp[i]);
	}
	for (i = 0; i < PAIR_QPS; i++)
		pair_reset(&pair.qp[i]);
	pair_air_clear();
	pair_check_end();
	for (i = 0; i < PAIR_QPS; i++) {
		free(pair.qp[i].qp.responder.replay);
		free(pair.qp[i].sq.buf);
		free(pair.qp[i].rq.buf);
		free(pair.qp[i].rwqe);
	}
	free(pair.shared.buf);
	for (i = 0; i < PAIR_MRS; i++)
		free(pair.mr[i].bytes);
}
