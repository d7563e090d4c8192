// SPDX-License-Identifier: GPL-2.0
/* tuff: fuzz target "pair": the rules that nothing may break */
#include "pair.h"

#include "engine/psn.h"
#include "engine/timer.h"

static bool pair_covers(const struct tuff_sge *sge, u32 num,
			const struct tuff_mr *mr, u64 va, u32 len)
{
	for (; num; sge++, num--)
		if (sge->mr == mr && va >= sge->addr &&
		    va - sge->addr <= sge->len &&
		    len <= sge->len - (va - sge->addr))
			return true;
	return false;
}

/* Memory that a READ or ATOMIC of anybody's send queue brings answers to. */
static bool pair_awaits(const struct pair_qp *p, const struct tuff_mr *mr,
			u64 va, u32 len)
{
	struct tuff_swqe *wqe;

	list_for_each_entry(wqe, &p->qp.sq, node)
		if (wqe->opcode >= TUFF_WR_RDMA_READ && wqe->npsn &&
		    pair_covers(wqe->sge, wqe->num_sge, mr, va, len))
			return true;
	return false;
}

/* Bytes are about to be written: did anybody allow it? */
void pair_check_write(const struct tuff_mr *mr, u64 va, u32 len)
{
	const u32 remote = TUFF_ACCESS_REMOTE_WRITE |
			   TUFF_ACCESS_REMOTE_ATOMIC;
	const struct pair_qp *p = pair.in;
	u32 i;

	CHECK(p && mr->access & (TUFF_ACCESS_LOCAL_WRITE | remote));
	if (mr->access & p->qp.attr.access & remote)
		return;
	if (p->taken && pair_covers(p->pieces, p->num_pieces, mr, va, len))
		return;
	for (i = 0; i < PAIR_QPS; i++)
		if (pair_awaits(&pair.qp[i], mr, va, len))
			return;
	CHECK(!"a write that nobody allowed");
}

/* The completion of a request follows at once, or there is none. */
static void pair_check_none_owed(const struct pair_ended *ended)
{
	CHECK(!ended->valid || !ended->owed);
}

void pair_check_ended(struct pair_qp *p, struct pair_ended *ended, u64 ordinal,
		      bool owed)
{
	pair_check_none_owed(ended);
	ended->valid = !p->resetting;
	ended->owed = owed;
	ended->ordinal = ordinal;
}

void pair_check_cqe(struct pair_qp *p, struct pair_ended *ended,
		    const struct tuff_cqe *cqe)
{
	CHECK(p == pair.in && !p->resetting);
	/* Of a request that has left its queue just now, and only once. */
	CHECK(ended->valid && ended->ordinal == cqe->wr_id);
	CHECK(ended->owed || cqe->status != TUFF_WC_SUCCESS);
	CHECK(cqe->status != TUFF_WC_WR_FLUSH_ERR ||
	      p->qp.state == TUFF_QPS_ERR || p->qp.state == TUFF_QPS_SQE);
	ended->valid = false;
}

static void pair_check_requester(const struct pair_qp *p)
{
	const struct tuff_requester *r = &p->qp.requester;
	u32 nr_rd_atomic = 0, nr_lent = 0, nr = 0;
	struct tuff_swqe *wqe;

	list_for_each_entry(wqe, &p->qp.sq, node) {
		nr++;
		nr_rd_atomic += wqe->npsn && wqe->opcode >= TUFF_WR_RDMA_READ;
		nr_lent += wqe->loop == TUFF_LOOP_LENT;
	}
	CHECK(nr == p->qp.nr_sq && nr <= p->qp.max_send_wr);
	CHECK(nr == p->sends - p->sends_done);
	CHECK(nr == tuff_ring_fetched(&p->sq));
	CHECK(nr_rd_atomic == r->nr_rd_atomic && nr_lent == r->nr_lent);
	if (p->qp.state != TUFF_QPS_RTS && p->qp.state != TUFF_QPS_SQD)
		return;
	CHECK(!tuff_psn_before(r->nxt, r->una));
	CHECK(!tuff_psn_before(r->max, r->nxt));
	CHECK(tuff_qp_connected(&p->qp) ? !tuff_psn_before(r->end, r->max) :
	      r->una == r->max);
}

/* What holds after each step. */
void pair_check_qp(struct pair_qp *p)
{
	const struct tuff_requester *r = &p->qp.requester;
	u32 i;

	pair_check_none_owed(&p->send_ended);
	pair_check_none_owed(&p->recv_ended);
	pair_check_requester(p);
	CHECK(p->qp.responder.epsn <= TUFF_PSN_MASK);
	CHECK(!p->qp.responder.wqe == !p->taken);
	CHECK(p->qp.timer_at == p->timer_at);
	for (i = 0; i < TUFF_NR_TIMERS; i++)
		CHECK(!p->qp.deadline[i] ||
		      (p->timer_at && p->timer_at <= p->qp.deadline[i]));
	if (r->state == TUFF_REQUESTER_RNR && p->qp.state == TUFF_QPS_RTS)
		CHECK(tuff_timer_armed(&p->qp, TUFF_TIMER_RNR));
	/* What a peer says has been carried out, it was told. */
	if (pair.honest && p->qp.type == TUFF_QPT_RC)
		CHECK(p->sent_to_recv <= p->peer->received);
}

static void pair_check_sending(const struct pair_qp *p)
{
	const struct tuff_requester *r = &p->qp.requester;
	bool retry = tuff_timer_armed(&p->qp, TUFF_TIMER_TX);

	if (r->una != r->max && !r->nr_lent && p->qp.attr.timeout)
		CHECK(retry || tuff_timer_armed(&p->qp, TUFF_TIMER_RTO) ||
		      tuff_timer_armed(&p->qp, TUFF_TIMER_RNR));
	if (p->qp.state != TUFF_QPS_RTS || r->state != TUFF_REQUESTER_READY ||
	    r->una != r->max || r->nr_lent || retry)
		return;
	/* Nothing is on its way, and nothing is waited for. */
	CHECK(list_empty(&p->qp.sq) && !tuff_ring_posted(&p->sq));
}

/* Nobody has asked for a run: what is not done waits for something. */
void pair_check_still(struct pair_qp *p)
{
	bool retry = tuff_timer_armed(&p->qp, TUFF_TIMER_TX);

	CHECK(list_empty(&p->loop_in) && list_empty(&p->loop_out));
	switch (p->qp.state) {
	case TUFF_QPS_RTR:
	case TUFF_QPS_RTS:
	case TUFF_QPS_SQD:
		CHECK(!p->qp.responder.owed || retry);
		if (p->qp.state != TUFF_QPS_RTR)
			pair_check_sending(p);
		break;
	case TUFF_QPS_ERR:
		CHECK(p->qp.has_srq || !tuff_ring_posted(&p->rq));
		CHECK(!p->taken);
		fallthrough;
	case TUFF_QPS_SQE:
		CHECK(retry || list_empty(&p->qp.sq));
		CHECK(retry || !tuff_ring_posted(&p->sq));
	}
}

/* ERR, and all that was posted has ended. */
void pair_check_flushed(struct pair_qp *p)
{
	CHECK(p->qp.state == TUFF_QPS_ERR);
	CHECK(!p->qp.nr_sq && !tuff_ring_posted(&p->sq));
	CHECK(p->sends == p->sends_done);
	CHECK(!p->timer_at);
}

/* Nobody holds anything, and what nobody may touch is as it was. */
void pair_check_end(void)
{
	u32 i, b;

	CHECK(!pair.nr_kept);
	for (i = 0; i < PAIR_MRS; i++)
		CHECK(!pair.mr[i].refs);
	for (i = 0; i < PAIR_AVS; i++)
		CHECK(!pair.av[i].refs);
	for (i = PAIR_MR_READ; i <= PAIR_MR_FOREIGN; i++)
		for (b = 0; b < pair.mr[i].len; b++)
			CHECK(pair.mr[i].bytes[b] == (u8)(i + b));
}
