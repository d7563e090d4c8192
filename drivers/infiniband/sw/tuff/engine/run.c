// SPDX-License-Identifier: GPL-2.0
/* tuff: the doors into the engine: a packet, a run */
#include "engine/qp.h"

#include "engine/ack.h"
#include "engine/completer.h"
#include "engine/loop.h"
#include "engine/opcode.h"
#include "engine/replay.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/state.h"
#include "engine/ud.h"
#include "engine/world.h"

/* The high bit of a P_Key: full membership (IBA 10.9.1.1). */
#define TUFF_PKEY_FULL	0x8000

static u8 tuff_transport_of(const struct tuff_qp *qp)
{
	switch (qp->type) {
	case TUFF_QPT_RC:
		return TUFF_TRANSPORT_RC;
	case TUFF_QPT_UC:
		return TUFF_TRANSPORT_UC;
	default:
		return TUFF_TRANSPORT_UD;
	}
}

/* Same partition, and at least one of the two a full member (IBA 10.9.3). */
static bool tuff_pkey_match(u16 a, u16 b)
{
	return ((a ^ b) & ~TUFF_PKEY_FULL) == 0 && ((a | b) & TUFF_PKEY_FULL);
}

/* Requests are taken from RTR on, responses where requests are sent. */
static bool tuff_qp_takes(const struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	switch (qp->state) {
	case TUFF_QPS_RTR:
	case TUFF_QPS_SQE:
		return !tuff_opcode_is_response(pkt->op);
	case TUFF_QPS_RTS:
	case TUFF_QPS_SQD:
		return true;
	default:
		return false;
	}
}

/* Header checks that need the QP (IBA 9.6.1); TUFF_CNT_NONE: it is for us. */
static enum tuff_counter tuff_qp_check(struct tuff_qp *qp,
				       const struct tuff_pkt *pkt)
{
	const struct tuff_hdr *hdr = &pkt->hdr;
	u16 pkey = qp->attr.pkey;

	if ((hdr->opcode & TUFF_TRANSPORT_MASK) != tuff_transport_of(qp))
		return TUFF_CNT_DROP_TRANSPORT;
	if (!tuff_qp_takes(qp, pkt))
		return TUFF_CNT_DROP_QP_STATE;
	if (qp->type == TUFF_QPT_GSI)
		pkey = tuff_world_pkey(qp, qp->attr.pkey_index);
	if (!tuff_pkey_match(hdr->pkey, pkey))
		return TUFF_CNT_DROP_PKEY;
	if (!tuff_qp_connected(qp))
		return hdr->qkey == qp->attr.qkey ? TUFF_CNT_NONE :
						    TUFF_CNT_DROP_QKEY;
	return tuff_world_pkt_from_peer(qp, pkt) ? TUFF_CNT_NONE :
						   TUFF_CNT_DROP_SOURCE;
}

/**
 * tuff_qp_accepts() - would a datagram with these headers be let in?
 * @qp: UD queue pair
 * @pkt: its headers; there need not be a packet
 *
 * Context: owner of @qp.
 * Return: yes or no; nothing is counted.
 */
bool tuff_qp_accepts(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	return tuff_qp_check(qp, pkt) == TUFF_CNT_NONE;
}

/**
 * tuff_qp_receive() - a packet for this QP, its ICRC checked
 * @qp: queue pair
 * @pkt: parsed packet
 *
 * Answers leave with the tuff_qp_run() that must follow.
 *
 * Context: owner of @qp.
 */
void tuff_qp_receive(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	enum tuff_counter reason;

	if (pkt->op->kind == TUFF_KIND_CNP) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_CNP);
		return;
	}
	reason = tuff_qp_check(qp, pkt);
	if (reason != TUFF_CNT_NONE)
		tuff_world_drop(qp, pkt, reason);
	else if (!tuff_qp_connected(qp))
		tuff_ud_handle(qp, pkt);
	else if (tuff_opcode_is_response(pkt->op))
		tuff_completer_handle(qp, pkt);
	else
		tuff_responder_handle(qp, pkt);
}

/*
 * Answers and requests. Each has a budget of its own, and is first every other
 * time: what finds no room to be sent will find some the next time.
 */
static bool tuff_qp_run_both(struct tuff_qp *qp, int budget)
{
	bool requests_first = qp->responder.replay_due && !qp->answers_first &&
			      !qp->responder.fatal;
	int answers = budget;
	bool more = false;

	qp->answers_first = requests_first;
	if (requests_first)
		more = tuff_requester_run(qp, &budget);
	if (qp->state == TUFF_QPS_ERR)
		return more;
	more |= tuff_replay_run(qp, &answers);
	if (qp->responder.owed != TUFF_OWED_NOTHING)
		tuff_ack_run(qp);
	if (!requests_first)
		more |= tuff_requester_run(qp, &budget);
	return more;
}

/**
 * tuff_qp_run() - answer, acknowledge, send, flush
 * @qp: queue pair
 * @budget: packets or requests this run may handle
 *
 * Context: owner of @qp, after packets, timers, posts and state changes.
 * Return: true when there is more to do at once.
 */
bool tuff_qp_run(struct tuff_qp *qp, int budget)
{
	/* A peer's requests do not wait for an end of what is posted here. */
	int lent = budget;
	bool more = false;

	if (qp->requester.nr_lent)
		tuff_loop_collect(qp);
	switch (qp->state) {
	case TUFF_QPS_RESET:
	case TUFF_QPS_INIT:
		return tuff_loop_serve(qp, lent);
	case TUFF_QPS_ERR:
	case TUFF_QPS_SQE:
		more = tuff_qp_flush(qp, &budget);
		break;
	default:
		more = tuff_qp_run_both(qp, budget);
	}
	more |= tuff_loop_serve(qp, lent);
	tuff_world_tx_flush(qp);
	return more;
}
