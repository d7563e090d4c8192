// SPDX-License-Identifier: GPL-2.0
/* tuff: QP states, and what entering one of them does */
#include "engine/state.h"

#include <linux/err.h>

#include "engine/early.h"
#include "engine/loop.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/timer.h"
#include "engine/world.h"

/**
 * tuff_qp_init() - a QP in RESET
 * @qp: zeroed memory; its number, type and limits are the caller's to fill
 *
 * Context: any; nobody else knows @qp yet.
 */
void tuff_qp_init(struct tuff_qp *qp)
{
	INIT_LIST_HEAD(&qp->sq);
	qp->state = TUFF_QPS_RESET;
	qp->attr.path_mtu_shift = 8;
}

/*
 * Back to RESET: requests vanish without completions (IBA 10.3.1). The caller
 * has seen to it that none is lent to another QP.
 */
static void tuff_qp_reset(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe;

	tuff_timer_stop(qp);
	while ((wqe = tuff_requester_head(qp))) {
		list_del(&wqe->node);
		qp->nr_sq--;
		tuff_world_swqe_done(qp, wqe);
	}
	tuff_requester_start(qp);
	if (qp->responder.wqe)
		tuff_world_rwqe_done(qp, qp->responder.wqe);
	tuff_responder_start(qp);
	tuff_loop_refuse(qp);
	qp->requester.no_loop = false;
}

/**
 * tuff_qp_set_state() - enter a state
 * @qp: queue pair
 * @state: &enum tuff_qp_state; verbs has checked that the move is legal and
 *	has filled &tuff_qp.attr for it
 *
 * The only writer of &tuff_qp.state after tuff_qp_init(). The caller runs the
 * QP afterwards: flushing (ERR, SQE) and sending (RTS) happen there. From SQE
 * to RTS it has seen before that nothing is left to be flushed.
 *
 * Context: owner of @qp.
 */
void tuff_qp_set_state(struct tuff_qp *qp, u8 state)
{
	u8 old = qp->state;

	tuff_world_state(qp, state);
	WRITE_ONCE(qp->state, state);
	switch (state) {
	case TUFF_QPS_RESET:
		tuff_qp_reset(qp);
		break;
	case TUFF_QPS_RTR:
		if (old == TUFF_QPS_INIT)
			tuff_responder_start(qp);
		break;
	case TUFF_QPS_RTS:
		if (old == TUFF_QPS_RTR)
			tuff_requester_start(qp);
		else if (old == TUFF_QPS_SQE)
			tuff_requester_resume(qp);
		qp->requester.draining = false;
		break;
	case TUFF_QPS_SQD:
		if (old == TUFF_QPS_RTS) {
			qp->requester.draining = true;
			tuff_qp_check_drained(qp);
		}
		break;
	case TUFF_QPS_SQE:
	case TUFF_QPS_ERR:
		tuff_timer_stop(qp);
		tuff_early_clear(qp);
		break;
	}
}

/**
 * tuff_qp_error() - the connection is over: to ERR, everything is flushed
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_qp_error(struct tuff_qp *qp)
{
	if (qp->state == TUFF_QPS_ERR || qp->state == TUFF_QPS_RESET)
		return;
	tuff_qp_set_state(qp, TUFF_QPS_ERR);
	tuff_world_raise(qp);
}

/**
 * tuff_qp_sq_error() - the send queue of an unreliable QP stops (SQE)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_qp_sq_error(struct tuff_qp *qp)
{
	if (qp->state != TUFF_QPS_RTS && qp->state != TUFF_QPS_SQD)
		return;
	tuff_qp_set_state(qp, TUFF_QPS_SQE);
	tuff_world_raise(qp);
}

/**
 * tuff_qp_check_drained() - in SQD: has all that was begun completed?
 * @qp: queue pair
 *
 * Raises the event that modify to SQD owes, once (IBA 10.3.1.5).
 *
 * Context: owner of @qp.
 */
void tuff_qp_check_drained(struct tuff_qp *qp)
{
	struct tuff_swqe *head;

	if (!qp->requester.draining || qp->state != TUFF_QPS_SQD)
		return;
	head = tuff_requester_head(qp);
	if (head && head->npsn)
		return;
	qp->requester.draining = false;
	tuff_world_event(qp, TUFF_EVENT_SQ_DRAINED);
}

/* One send request ends as flushed. False: none is left, or not now. */
static bool tuff_qp_flush_send(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe = tuff_requester_head(qp);

	/* Not while a QP of this host has it: it will come back. */
	if (wqe && wqe->loop == TUFF_LOOP_LENT)
		return false;
	if (!wqe) {
		wqe = tuff_world_next_swqe(qp);
		if (!wqe)
			return false;
		if (IS_ERR(wqe)) {
			tuff_timer_retry(qp);
			return false;
		}
		wqe->npsn = 0;
		list_add_tail(&wqe->node, &qp->sq);
		qp->nr_sq++;
	}
	tuff_requester_complete(qp, wqe, TUFF_WC_WR_FLUSH_ERR);
	return true;
}

/**
 * tuff_qp_flush() - complete what is posted as flushed (ERR, SQE)
 * @qp: queue pair
 * @budget: requests of this run, counted down
 *
 * Context: owner of @qp.
 * Return: true when the budget ended it.
 */
bool tuff_qp_flush(struct tuff_qp *qp, int *budget)
{
	while (*budget > 0 && tuff_qp_flush_send(qp))
		--*budget;
	while (*budget > 0 && qp->state == TUFF_QPS_ERR &&
	       tuff_responder_flush(qp))
		--*budget;
	return *budget <= 0;
}
