// SPDX-License-Identifier: GPL-2.0
/* tuff: the receiving half: is this packet the next one, and what if not */
#include "engine/responder.h"

#include <linux/string.h>

#include "engine/aeth.h"
#include "engine/early.h"
#include "engine/execute.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/replay.h"
#include "engine/timer.h"
#include "engine/world.h"
#include "engine/wqe.h"

/* UC: packets that the network may bring twice, that far apart. */
#define TUFF_UC_DUPLICATES	4096

/**
 * tuff_responder_start() - expect the first PSN (INIT to RTR)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_responder_start(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;

	s->state = TUFF_RESPONDER_IDLE;
	s->owed = TUFF_OWED_NOTHING;
	s->fatal = 0;
	s->silent = false;
	s->comm_est = false;
	s->last_wqe = false;
	s->replay_next = 0;
	s->replay_due = false;
	s->epsn = qp->attr.rq_psn;
	s->msn = 0;
	s->wqe = NULL;
	s->offset = 0;
	s->resid = 0;
	tuff_early_start(qp);
	if (s->replay)
		memset(s->replay, 0, s->nr_replay * sizeof(*s->replay));
}

/**
 * tuff_responder_owe_nak() - refuse: the connection ends with this NAK
 * @qp: queue pair
 * @syndrome: invalid request, remote access or remote operational error
 *
 * The NAK leaves after the answers that are still owed for earlier requests;
 * then the QP goes to ERR (IBA 9.9.3.1.1).
 *
 * Context: owner of @qp.
 */
void tuff_responder_owe_nak(struct tuff_qp *qp, u8 syndrome)
{
	struct tuff_responder *s = &qp->responder;
	enum tuff_event event;

	switch (syndrome) {
	case TUFF_NAK_INVALID:
		tuff_world_count(qp, TUFF_CNT_RESP_REMOTE_INVALID_REQUEST);
		event = TUFF_EVENT_QP_REQ_ERR;
		break;
	case TUFF_NAK_ACCESS:
		tuff_world_count(qp, TUFF_CNT_RESP_REMOTE_ACCESS_ERRORS);
		event = TUFF_EVENT_QP_ACCESS_ERR;
		break;
	default:
		tuff_world_count(qp, TUFF_CNT_RESP_REMOTE_OP_ERRORS);
		event = TUFF_EVENT_QP_FATAL;
	}
	s->owed = TUFF_OWED_NAK;
	s->syndrome = syndrome;
	s->silent = true;
	s->fatal = event + 1;
}

static void tuff_responder_settle(struct tuff_qp *qp,
				  const struct tuff_pkt *pkt,
				  struct tuff_verdict v)
{
	struct tuff_responder *s = &qp->responder;

	switch (v.kind) {
	case TUFF_VERDICT_DONE:
		/*
		 * execute has moved epsn and msn. The answer of a READ or
		 * ATOMIC acknowledges it, and all before it.
		 */
		if (pkt->op->kind == TUFF_KIND_READ ||
		    pkt->op->kind == TUFF_KIND_ATOMIC)
			s->owed = TUFF_OWED_NOTHING;
		else if (pkt->hdr.ackreq && qp->type == TUFF_QPT_RC)
			s->owed = TUFF_OWED_ACK;
		break;
	case TUFF_VERDICT_RNR:
		tuff_world_count(qp, TUFF_CNT_OUT_OF_BUFFER);
		s->owed = TUFF_OWED_RNR;
		s->silent = true;
		break;
	case TUFF_VERDICT_NAK:
		tuff_responder_owe_nak(qp, v.syndrome);
		break;
	case TUFF_VERDICT_DROP:
		tuff_world_drop(qp, pkt, v.reason);
		break;
	}
}

/* A request from before: it was carried out already (IBA 9.7.5.1.4). */
static void tuff_responder_duplicate(struct tuff_qp *qp,
				     const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;

	tuff_world_count(qp, TUFF_CNT_DUPLICATE_REQUEST);
	tuff_early_again(qp, pkt);
	if (pkt->op->kind == TUFF_KIND_READ ||
	    pkt->op->kind == TUFF_KIND_ATOMIC) {
		qp->alone = TUFF_QP_ALONE;
		if (!tuff_replay_again(qp, pkt))
			tuff_world_drop(qp, pkt, TUFF_CNT_DROP_DUPLICATE);
		return;
	}
	if (s->owed == TUFF_OWED_NOTHING)
		s->owed = TUFF_OWED_ACK;
}

/* Packets have come, and the expected one has not (IBA 9.7.5.2.6). */
static void tuff_responder_report(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;

	s->owed = TUFF_OWED_NAK;
	s->syndrome = TUFF_NAK_SEQUENCE;
	s->silent = true;
	tuff_early_reported(qp);
}

/**
 * tuff_responder_missing() - a packet is missing before others
 * @qp: RC queue pair
 *
 * Says so, once, when it is late.
 *
 * Context: owner of @qp.
 */
void tuff_responder_missing(struct tuff_qp *qp)
{
	u64 wait = tuff_early_wait(qp);

	if (wait)
		tuff_timer_arm(qp, TUFF_TIMER_EARLY, wait);
	else
		tuff_responder_report(qp);
}

/**
 * tuff_responder_late() - the wait for the expected packet is over
 * @qp: RC queue pair
 *
 * Context: owner of @qp.
 */
void tuff_responder_late(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;

	if (!s->early.since_ns || s->fatal)
		return;
	if (!s->silent)
		tuff_responder_missing(qp);
	else if (s->early.reported)
		tuff_responder_report(qp);
}

/*
 * A gap before this packet: say so once, then wait. Who has packets kept sends
 * the missing one and one of these again: if only that comes, the missing one
 * was lost once more.
 */
static void tuff_responder_gap(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	bool kept = tuff_early_keep(qp, pkt);

	if (kept)
		tuff_world_count(qp, TUFF_CNT_OUT_OF_SEQUENCE);
	else
		tuff_world_drop(qp, pkt, s->silent ? TUFF_CNT_DROP_SILENT :
					 TUFF_CNT_OUT_OF_SEQUENCE);
	if (!s->silent)
		tuff_responder_missing(qp);
	else if (!kept && s->early.reported && s->owed == TUFF_OWED_NOTHING &&
		 tuff_early_has(qp, pkt))
		tuff_responder_report(qp);
}

/**
 * tuff_responder_next() - carry out the expected packet
 * @qp: RC queue pair
 * @pkt: the packet
 *
 * Context: owner of @qp.
 * Return: true when that was done, and another one is expected now.
 */
bool tuff_responder_next(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_verdict v = tuff_execute(qp, pkt);

	tuff_responder_settle(qp, pkt, v);
	return v.kind == TUFF_VERDICT_DONE;
}

static void tuff_responder_rc(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	s32 ahead = tuff_psn_diff(pkt->hdr.psn, s->epsn);

	tuff_early_look(qp, pkt);
	if (ahead < 0) {
		tuff_responder_duplicate(qp, pkt);
		return;
	}
	if (ahead > 0) {
		tuff_responder_gap(qp, pkt);
		return;
	}
	tuff_early_closed(qp);
	/* The gap has closed before the NAK for it left: it must not leave. */
	if (s->silent && s->owed != TUFF_OWED_NOTHING)
		s->owed = TUFF_OWED_ACK;
	s->silent = false;
	if (tuff_responder_next(qp, pkt) && s->early.nr)
		tuff_early_run(qp);
}

/*
 * UC (IBA 9.8.2.2): a gap kills the message it falls into; the next message
 * starts afresh, wherever it stands, into the same receive request. Only what
 * stands a little before is taken for a duplicate made by the network.
 */
static void tuff_responder_uc(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	s32 ahead = tuff_psn_diff(pkt->hdr.psn, s->epsn);
	bool starts = tuff_opcode_starts(pkt->op);
	struct tuff_verdict v;

	if (ahead < 0 && ahead >= -TUFF_UC_DUPLICATES) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_UC_SEQUENCE);
		return;
	}
	if (ahead || (s->state != TUFF_RESPONDER_IDLE && starts))
		s->state = TUFF_RESPONDER_SKIP;
	if (s->state == TUFF_RESPONDER_SKIP) {
		if (!starts) {
			tuff_world_drop(qp, pkt, TUFF_CNT_DROP_UC_SEQUENCE);
			return;
		}
		s->state = TUFF_RESPONDER_IDLE;
	}
	s->epsn = pkt->hdr.psn;
	v = tuff_execute(qp, pkt);
	if (v.kind != TUFF_VERDICT_DONE) {
		s->epsn = tuff_psn_add(s->epsn, 1);
		s->state = TUFF_RESPONDER_SKIP;
	}
	tuff_responder_settle(qp, pkt, v);
}

/**
 * tuff_responder_established() - something came: tell who waits in RTR
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_responder_established(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;

	if (qp->state != TUFF_QPS_RTR || s->comm_est)
		return;
	s->comm_est = true;
	tuff_world_event(qp, TUFF_EVENT_COMM_EST);
}

/**
 * tuff_responder_complete() - the receive request at hand ends
 * @qp: queue pair with a receive request at hand
 * @cqe: its completion, but for the cookie
 *
 * Context: owner of @qp.
 */
void tuff_responder_complete(struct tuff_qp *qp, struct tuff_cqe *cqe)
{
	struct tuff_rwqe *wqe = qp->responder.wqe;

	cqe->wr_id = wqe->wr_id;
	qp->responder.wqe = NULL;
	if (cqe->status == TUFF_WC_WR_FLUSH_ERR)
		tuff_world_count(qp, TUFF_CNT_RESP_CQE_FLUSH_ERROR);
	else if (cqe->status != TUFF_WC_SUCCESS)
		tuff_world_count(qp, TUFF_CNT_RESP_CQE_ERROR);
	/* The slot first: who sees the completion may post at once. */
	tuff_world_rwqe_done(qp, wqe);
	tuff_world_cqe_recv(qp, cqe);
}

/**
 * tuff_responder_handle() - a request packet for a connected QP
 * @qp: RC or UC queue pair in RTR, RTS, SQD or SQE
 * @pkt: SEND, WRITE, READ or ATOMIC packet
 *
 * Answers are owed, and leave at the end of the run.
 *
 * Context: owner of @qp.
 */
void tuff_responder_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;

	if (s->fatal) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_QP_STATE);
		return;
	}
	tuff_responder_established(qp);
	if (qp->type == TUFF_QPT_RC)
		tuff_responder_rc(qp, pkt);
	else
		tuff_responder_uc(qp, pkt);
}

/**
 * tuff_responder_flush() - one receive request ends as flushed (ERR)
 * @qp: queue pair
 *
 * Of a shared queue only the request being filled is ours; that it was the
 * last is an event (IBA 10.2.9.6).
 *
 * Context: owner of @qp.
 * Return: true when there was one.
 */
bool tuff_responder_flush(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_cqe cqe = {
		.status = TUFF_WC_WR_FLUSH_ERR,
		.opcode = TUFF_WC_RECV,
	};

	if (!s->wqe && !qp->has_srq)
		s->wqe = tuff_world_next_rwqe(qp);
	if (s->wqe) {
		tuff_responder_complete(qp, &cqe);
		return true;
	}
	if (qp->has_srq && !s->last_wqe) {
		s->last_wqe = true;
		tuff_world_event(qp, TUFF_EVENT_LAST_WQE_REACHED);
	}
	return false;
}
