// SPDX-License-Identifier: GPL-2.0
/* tuff: the sending half: what goes out next, and how requests end */
#include "engine/requester.h"

#include <linux/err.h>
#include <linux/minmax.h>

#include "engine/loop.h"
#include "engine/mend.h"
#include "engine/psn.h"
#include "engine/retransmit.h"
#include "engine/rtt.h"
#include "engine/segment.h"
#include "engine/state.h"
#include "engine/timer.h"
#include "engine/ud.h"
#include "engine/window.h"
#include "engine/world.h"

/**
 * tuff_requester_head() - oldest send request in flight
 * @qp: queue pair
 *
 * Context: owner of @qp.
 * Return: the request, or NULL when there is none.
 */
struct tuff_swqe *tuff_requester_head(struct tuff_qp *qp)
{
	return list_first_entry_or_null(&qp->sq, struct tuff_swqe, node);
}

/**
 * tuff_requester_start() - begin at the first PSN (RTR to RTS)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_requester_start(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->state = TUFF_REQUESTER_READY;
	r->retry_left = qp->attr.retry_cnt;
	r->rnr_left = qp->attr.rnr_retry;
	r->nr_rd_atomic = 0;
	r->draining = false;
	r->naked = false;
	r->probes = 0;
	r->loop = false;
	r->since_ackreq = 0;
	tuff_window_start(qp);
	r->una = qp->attr.sq_psn;
	r->nxt = r->una;
	r->max = r->una;
	r->end = r->una;
	r->cur = NULL;
	r->reread_ns = 0;
	r->refused_ns = 0;
	r->rnr_ns = 0;
	tuff_mend_start(qp);
	tuff_rtt_start(qp);
}

/**
 * tuff_requester_resume() - send on after an error (SQE to RTS)
 * @qp: UC or UD queue pair, its send queue flushed
 *
 * A message that failed half sent has left PSNs that will not be used: the
 * next one starts behind them, and the peer sees a gap (IBA 9.8.2.2).
 *
 * Context: owner of @qp.
 */
void tuff_requester_resume(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->loop = false;
	r->una = r->end;
	r->nxt = r->end;
	r->max = r->end;
	r->cur = NULL;
}

/**
 * tuff_requester_complete() - a send request leaves the queue
 * @qp: queue pair
 * @wqe: the oldest request
 * @status: &enum tuff_wc_status
 *
 * Every request that was signalled or failed is reported here, once
 * (IBA 10.8.3).
 *
 * Context: owner of @qp.
 */
void tuff_requester_complete(struct tuff_qp *qp, struct tuff_swqe *wqe,
			     u8 status)
{
	struct tuff_cqe cqe = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = tuff_wc_opcode(wqe),
	};
	bool signaled;

	list_del(&wqe->node);
	qp->nr_sq--;
	if (qp->requester.cur == wqe)
		qp->requester.cur = NULL;
	if (wqe->npsn && tuff_swqe_is_rd_atomic(wqe)) {
		qp->requester.nr_rd_atomic--;
		cqe.byte_len = wqe->length;
	}
	if (status == TUFF_WC_WR_FLUSH_ERR)
		tuff_world_count(qp, TUFF_CNT_REQ_CQE_FLUSH_ERROR);
	else if (status != TUFF_WC_SUCCESS)
		tuff_world_count(qp, TUFF_CNT_REQ_CQE_ERROR);
	signaled = status != TUFF_WC_SUCCESS ||
		   (wqe->flags & TUFF_SEND_SIGNALED);
	/* The slot first: who sees the completion may post at once. */
	tuff_world_swqe_done(qp, wqe);
	if (signaled)
		tuff_world_cqe_send(qp, &cqe);
}

/**
 * tuff_requester_fail() - the oldest request ends in error
 * @qp: queue pair
 * @status: &enum tuff_wc_status, not success
 *
 * RC goes to ERR; unreliable services only stop their send queue (SQE,
 * IBA 10.3.1).
 *
 * Context: owner of @qp.
 */
void tuff_requester_fail(struct tuff_qp *qp, u8 status)
{
	struct tuff_swqe *wqe = tuff_requester_head(qp);

	if (wqe)
		tuff_requester_complete(qp, wqe, status);
	if (qp->type == TUFF_QPT_RC)
		tuff_qp_error(qp);
	else
		tuff_qp_sq_error(qp);
}

static struct tuff_swqe *tuff_requester_fetch(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_swqe *wqe;

	if (qp->state != TUFF_QPS_RTS || qp->nr_sq >= qp->max_send_wr)
		return NULL;
	wqe = tuff_world_next_swqe(qp);
	if (!wqe)
		return NULL;
	if (IS_ERR(wqe)) {
		tuff_timer_retry(qp);
		return NULL;
	}
	/* A READ nobody lets us send would wait for ever. */
	if (tuff_swqe_is_rd_atomic(wqe) && !qp->attr.max_rd_atomic)
		wqe->status = TUFF_WC_LOC_QP_OP_ERR;
	list_add_tail(&wqe->node, &qp->sq);
	qp->nr_sq++;
	wqe->psn = r->end;
	wqe->npsn = 0;
	return wqe;
}

/* May @wqe, of which nothing was sent yet, begin? (IBA 9.4.4, 10.8.3.3) */
static bool tuff_requester_may_begin(const struct tuff_qp *qp,
				     const struct tuff_swqe *wqe)
{
	const struct tuff_requester *r = &qp->requester;

	if (qp->state != TUFF_QPS_RTS)
		return false;
	if (!r->nr_rd_atomic)
		return true;
	if (wqe->flags & TUFF_SEND_FENCE)
		return false;
	return !tuff_swqe_is_rd_atomic(wqe) ||
	       r->nr_rd_atomic < qp->attr.max_rd_atomic;
}

/* Give @wqe its PSNs: from here on it is in flight. */
static void tuff_requester_begin(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_requester *r = &qp->requester;
	bool rd_atomic = tuff_swqe_is_rd_atomic(wqe);

	if (rd_atomic && wqe->opcode != TUFF_WR_RDMA_READ)
		wqe->npsn = 1;
	else
		wqe->npsn = tuff_segment_npsn(qp, wqe->length);
	if (rd_atomic)
		r->nr_rd_atomic++;
	r->end = tuff_psn_add(r->end, wqe->npsn);
}

/*
 * Room for the packet at nxt? The further pieces of a READ wait, when they are
 * asked for first, until all before is answered.
 */
static bool tuff_requester_window(const struct tuff_qp *qp,
				  const struct tuff_swqe *wqe)
{
	const struct tuff_requester *r = &qp->requester;

	if (r->mend)
		return true;
	if (wqe->opcode == TUFF_WR_RDMA_READ && r->nxt == r->max &&
	    r->nxt != wqe->psn)
		return r->nxt == r->una;
	return tuff_window_open(qp);
}

/*
 * The request whose packet goes out now, or NULL. One that was found wrong
 * stops the queue; it is reported when it is the oldest, so that what was
 * posted before it completes before it.
 */
static struct tuff_swqe *tuff_requester_pick(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_swqe *wqe = r->cur;

	if (!wqe) {
		struct tuff_swqe *tail = list_empty(&qp->sq) ? NULL :
			list_last_entry(&qp->sq, struct tuff_swqe, node);

		if (tail && (!tail->npsn || tail->status != TUFF_WC_SUCCESS))
			wqe = tail;
		else
			wqe = tuff_requester_fetch(qp);
		if (!wqe)
			return NULL;
		r->cur = wqe;
	}
	if (wqe->status != TUFF_WC_SUCCESS) {
		if (wqe == tuff_requester_head(qp))
			tuff_requester_fail(qp, wqe->status);
		return NULL;
	}
	if (!wqe->npsn) {
		if (!tuff_requester_may_begin(qp, wqe))
			return NULL;
		if (!tuff_window_open(qp))
			return NULL;
		tuff_requester_begin(qp, wqe);
	}
	return tuff_requester_window(qp, wqe) ? wqe : NULL;
}

static bool tuff_requester_wants_ack(const struct tuff_qp *qp,
				     const struct tuff_swqe *wqe, u32 next)
{
	if (qp->type != TUFF_QPT_RC)
		return false;
	if (next == tuff_psn_add(wqe->psn, wqe->npsn) || qp->requester.mend)
		return true;
	return qp->requester.since_ackreq + 1U >= tuff_window_ackreq(qp);
}

/**
 * tuff_requester_passed() - what stands at nxt is on its way
 * @qp: connected queue pair
 * @wqe: the request it belongs to
 * @npsn: PSNs it takes
 *
 * Context: owner of @qp.
 */
void tuff_requester_passed(struct tuff_qp *qp, struct tuff_swqe *wqe, u32 npsn)
{
	struct tuff_requester *r = &qp->requester;

	if (r->nxt == r->max)
		r->last = r->nxt;
	r->nxt = tuff_psn_add(r->nxt, npsn);
	if (tuff_psn_before(r->max, r->nxt))
		r->max = r->nxt;
	if (r->nxt == tuff_psn_add(wqe->psn, wqe->npsn))
		r->cur = list_is_last(&wqe->node, &qp->sq) ? NULL :
			 list_next_entry(wqe, node);
}

/* The packet at nxt went out; @npsn PSNs are taken by it. */
static void tuff_requester_sent(struct tuff_qp *qp, struct tuff_swqe *wqe,
				u32 npsn, bool ackreq)
{
	struct tuff_requester *r = &qp->requester;

	if (tuff_psn_before(r->nxt, r->max))
		tuff_world_count(qp, TUFF_CNT_TX_RETRANSMITS);
	else if (ackreq && qp->type == TUFF_QPT_RC)
		tuff_rtt_sent(qp, r->nxt);
	r->refused_ns = 0;
	tuff_requester_passed(qp, wqe, npsn);
	r->since_ackreq = ackreq ? 0 : r->since_ackreq + 1;
	if (r->mend)
		tuff_mend_sent(qp);

	if (qp->type == TUFF_QPT_UC) {
		/* Nothing comes back: sent is done (IBA 9.8.3). */
		r->una = r->nxt;
		if (r->nxt == tuff_psn_add(wqe->psn, wqe->npsn))
			tuff_requester_complete(qp, wqe, TUFF_WC_SUCCESS);
		tuff_qp_check_drained(qp);
	} else if (!tuff_timer_armed(qp, TUFF_TIMER_RTO)) {
		tuff_retransmit_arm(qp);
	} else if (ackreq && qp->attr.timeout) {
		tuff_retransmit_arm_probe(qp);
	}
}

/* Send the packet at nxt. Return false when the run must end. */
static bool tuff_requester_send(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_payload pl;
	struct tuff_hdr hdr;
	bool ackreq;
	u32 npsn;
	int ret;

	npsn = tuff_segment(qp, wqe, qp->requester.nxt, &hdr, &pl);
	ackreq = tuff_requester_wants_ack(qp, wqe,
					  tuff_psn_add(hdr.psn, npsn));
	hdr.ackreq |= ackreq;
	ret = tuff_world_tx(qp, qp->av, &hdr, pl.len ? &pl : NULL);
	if (ret == -EAGAIN) {
		tuff_retransmit_refused(qp);
		tuff_timer_retry(qp);
		return false;
	}
	if (ret) {
		/* Memory went away: fails in its turn, see pick(). */
		wqe->status = TUFF_WC_LOC_PROT_ERR;
		return true;
	}
	tuff_requester_sent(qp, wqe, npsn, ackreq);
	return true;
}

/* Packets wait for what the peer's QP on this host has just now. */
static bool tuff_requester_send_any(struct tuff_qp *qp, struct tuff_swqe *wqe,
				    int *budget)
{
	if (!tuff_qp_connected(qp))
		return tuff_ud_send(qp, wqe);
	if (tuff_loop_wanted(qp, wqe))
		return tuff_loop_send(qp, wqe, budget);
	return !qp->requester.nr_lent && tuff_requester_send(qp, wqe);
}

/**
 * tuff_requester_run() - send what may be sent
 * @qp: queue pair
 * @budget: packets of this run, counted down
 *
 * Context: owner of @qp.
 * Return: true when the budget ended it, and more may be sendable.
 */
bool tuff_requester_run(struct tuff_qp *qp, int *budget)
{
	struct tuff_swqe *wqe;

	if (qp->requester.state != TUFF_REQUESTER_READY)
		return false;
	for (;;) {
		if (qp->state != TUFF_QPS_RTS && qp->state != TUFF_QPS_SQD)
			return false;
		wqe = tuff_requester_pick(qp);
		if (!wqe)
			return false;
		if (*budget <= 0)
			return true;
		if (!tuff_requester_send_any(qp, wqe, budget))
			return false;
		--*budget;
	}
}

/**
 * tuff_requester_advance() - everything before a PSN has been answered
 * @qp: queue pair
 * @psn: one past the last answered packet, una < @psn <= max
 *
 * Moves una, completes SEND and WRITE requests that lie before @psn, and
 * stops at the first READ or ATOMIC: those end by their own responses.
 * Progress renews the retry counters and the timeout (IBA 9.9.2.1.1).
 *
 * Context: owner of @qp.
 */
void tuff_requester_advance(struct tuff_qp *qp, u32 psn)
{
	struct tuff_requester *r = &qp->requester;
	u32 left = tuff_psn_diff(psn, r->una);
	struct tuff_swqe *wqe;
	u32 before = r->una;

	while (left && (wqe = tuff_requester_head(qp)) && wqe->npsn) {
		u32 rest = wqe->npsn -
			   (tuff_psn_diff(r->una, wqe->psn) & TUFF_PSN_MASK);
		u32 n = min(left, rest);

		if (tuff_swqe_is_rd_atomic(wqe))
			break;
		r->una = tuff_psn_add(r->una, n);
		left -= n;
		if (n == rest)
			tuff_requester_complete(qp, wqe, TUFF_WC_SUCCESS);
	}
	if (r->una != before)
		tuff_requester_settle(qp, tuff_psn_diff(r->una, before));
}

/**
 * tuff_requester_settle() - una moved: put the rest of the state right
 * @qp: queue pair
 * @npsn: by how much it moved
 *
 * Context: owner of @qp.
 */
void tuff_requester_settle(struct tuff_qp *qp, u32 npsn)
{
	struct tuff_requester *r = &qp->requester;

	r->retry_left = qp->attr.retry_cnt;
	r->rnr_left = qp->attr.rnr_retry;
	r->naked = false;
	r->probes = 0;
	r->rnr_ns = 0;
	tuff_window_progress(qp, npsn);
	tuff_rtt_answered(qp);
	tuff_retransmit_progress(qp);
	/* What found no receive request has found one meanwhile. */
	if (r->state == TUFF_REQUESTER_RNR)
		tuff_retransmit_rnr_over(qp);
	if (r->una == r->max)
		tuff_retransmit_disarm(qp);
	else
		tuff_retransmit_arm(qp);
	tuff_qp_check_drained(qp);
}
