// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: loopback: a request goes to the peer's QP on this host as it is
 *
 * No packet has to exist between two QPs of one host: the requester lends the
 * record of its request, and the responder copies from memory to memory. Where
 * the peer's QP is free just then, it is not even lent: the requester's run is
 * the responder's as well. PSNs and MSN move as the packets would have moved
 * them, so that packets can take over at any message. They do whenever
 * something is not as it should be: the request comes back as it went, and the
 * packets that are then sent find, count, answer and report whatever it is.
 */
#include "engine/loop.h"

#include <linux/errno.h>
#include <linux/minmax.h>

#include "engine/early.h"
#include "engine/psn.h"
#include "engine/replay.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/retransmit.h"
#include "engine/scatter.h"
#include "engine/segment.h"
#include "engine/world.h"
#include "engine/wqe.h"

/* Bytes copied in one run of a QP, and the packets of a budget they stand for. */
#define TUFF_LOOP_BYTES		(256 * 1024)
#define TUFF_LOOP_COST		64

/**
 * struct tuff_piece - walks over a list of memory pieces
 * @sge: piece it stands in
 * @left: pieces from @sge on
 * @off: bytes into it
 */
struct tuff_piece {
	const struct tuff_sge *sge;
	u32 left;
	u32 off;
};

/* Requester's side */

/**
 * tuff_loop_wanted() - does a request go to the peer's QP itself?
 * @qp: connected queue pair
 * @wqe: the request that holds nxt
 *
 * Context: owner of @qp.
 * Return: yes or no.
 */
bool tuff_loop_wanted(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	struct tuff_requester *r = &qp->requester;

	if (r->nxt != wqe->psn)
		return false;
	if (wqe->loop == TUFF_LOOP_PACKETS)
		r->loop = false;
	else if (r->una == r->max)
		r->loop = tuff_world_loop(qp);
	return r->loop && !r->no_loop;
}

/* Requests at the head that were carried out leave the queue. */
static void tuff_loop_advance(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_swqe *wqe;
	u32 before = r->una;

	while ((wqe = tuff_requester_head(qp)) && wqe->loop == TUFF_LOOP_DONE) {
		if (wqe->status != TUFF_WC_SUCCESS) {
			tuff_requester_fail(qp, wqe->status);
			return;
		}
		r->una = tuff_psn_add(wqe->psn, wqe->npsn);
		tuff_requester_complete(qp, wqe, TUFF_WC_SUCCESS);
	}
	if (r->una != before)
		tuff_requester_settle(qp, tuff_psn_diff(r->una, before));
}

/* Of what is unanswered no packet was ever sent: all of it is as if new. */
static void tuff_loop_rewind(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->max = r->una;
	tuff_retransmit_from(qp, r->una);
}

static void tuff_loop_answered(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	switch (wqe->loop_answer) {
	case TUFF_LOOP_FAILED:
		wqe->status = TUFF_WC_LOC_PROT_ERR;
		fallthrough;
	case TUFF_LOOP_DONE:
		wqe->loop = TUFF_LOOP_DONE;
		tuff_loop_advance(qp);
		return;
	case TUFF_LOOP_RNR:
		wqe->loop = TUFF_LOOP_NOT;
		tuff_world_count(qp, TUFF_CNT_RNR_NAK_RETRY_ERR);
		tuff_loop_rewind(qp);
		tuff_retransmit_rnr(qp, wqe->loop_code);
		return;
	case TUFF_LOOP_LATE:
		/* The one before it has, or will have, everything sent anew. */
		wqe->loop = TUFF_LOOP_NOT;
		if (wqe != tuff_requester_head(qp))
			return;
		break;
	default:
		break;
	}
	wqe->loop = TUFF_LOOP_PACKETS;
	tuff_loop_rewind(qp);
}

/**
 * tuff_loop_collect() - requests that came back from the peer's QP
 * @qp: queue pair, in any state
 *
 * Context: owner of @qp.
 */
void tuff_loop_collect(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe;

	while ((wqe = tuff_world_loop_back(qp))) {
		qp->requester.nr_lent--;
		if (qp->state == TUFF_QPS_RTS || qp->state == TUFF_QPS_SQD)
			tuff_loop_answered(qp, wqe);
		else
			wqe->loop = TUFF_LOOP_NOT;
	}
}

/* Responder's side */

static bool tuff_loop_enabled(const struct tuff_qp *qp,
			      const struct tuff_swqe *wqe)
{
	switch (wqe->opcode) {
	case TUFF_WR_RDMA_WRITE:
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		return qp->attr.access & TUFF_ACCESS_REMOTE_WRITE;
	case TUFF_WR_RDMA_READ:
		return qp->responder.nr_replay &&
		       qp->attr.access & TUFF_ACCESS_REMOTE_READ;
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
	case TUFF_WR_ATOMIC_FETCH_AND_ADD:
		return qp->responder.nr_replay && !(wqe->va & 7) &&
		       qp->attr.access & TUFF_ACCESS_REMOTE_ATOMIC;
	default:
		return true;
	}
}

/* May @wqe be carried out here and now? TUFF_LOOP_NOT: yes, else the answer. */
static u8 tuff_loop_check(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	struct tuff_responder *s = &qp->responder;
	s32 ahead = tuff_psn_diff(wqe->psn, s->epsn);

	if (qp->state < TUFF_QPS_RTR || qp->state == TUFF_QPS_ERR ||
	    !tuff_world_loop_from_peer(qp, wqe))
		return TUFF_LOOP_PACKETS;
	if (ahead > 0)
		return TUFF_LOOP_LATE;
	if (ahead < 0 || s->fatal || s->state != TUFF_RESPONDER_IDLE ||
	    s->owed != TUFF_OWED_NOTHING || tuff_replay_pending(qp) ||
	    !tuff_loop_enabled(qp, wqe))
		return TUFF_LOOP_PACKETS;
	return TUFF_LOOP_NOT;
}

/* Have the receive request at hand that @wqe needs. */
static u8 tuff_loop_receive(struct tuff_qp *qp, struct tuff_swqe *wqe,
			    bool data)
{
	struct tuff_responder *s = &qp->responder;

	if (!s->wqe)
		s->wqe = tuff_world_next_rwqe(qp);
	if (!s->wqe) {
		if (qp->type != TUFF_QPT_RC)
			return TUFF_LOOP_PACKETS;
		tuff_world_count(qp, TUFF_CNT_OUT_OF_BUFFER);
		wqe->loop_code = qp->attr.min_rnr_timer;
		return TUFF_LOOP_RNR;
	}
	if (s->wqe->status != TUFF_WC_SUCCESS ||
	    (data && wqe->length > s->wqe->length))
		return TUFF_LOOP_PACKETS;
	return TUFF_LOOP_NOT;
}

static void tuff_piece_skip(struct tuff_piece *p, u32 n)
{
	while (p->left && n >= p->sge->len - p->off) {
		n -= p->sge->len - p->off;
		p->off = 0;
		p->sge++;
		p->left--;
	}
	p->off += n;
}

/* Bytes [@off, @off + @len) of one list to the same place of another. */
static int tuff_loop_copy(struct tuff_piece to, struct tuff_piece from,
			  u32 off, u32 len)
{
	int ret;
	u32 n;

	tuff_piece_skip(&to, off);
	tuff_piece_skip(&from, off);
	/* What nearly all messages are. */
	if (to.left == 1 && from.left == 1 && len <= to.sge->len - to.off &&
	    len <= from.sge->len - from.off)
		return tuff_world_mr_copy(to.sge->mr, to.sge->addr + to.off,
					  from.sge->mr,
					  from.sge->addr + from.off, len);
	while (len) {
		if (!to.left || !from.left)
			return -EFAULT;
		n = min3(len, to.sge->len - to.off, from.sge->len - from.off);
		ret = tuff_world_mr_copy(to.sge->mr, to.sge->addr + to.off,
					 from.sge->mr,
					 from.sge->addr + from.off, n);
		if (ret)
			return ret;
		tuff_piece_skip(&to, n);
		tuff_piece_skip(&from, n);
		len -= n;
	}
	return 0;
}

static int tuff_loop_copy_inline(struct tuff_piece to,
				 const struct tuff_swqe *wqe)
{
	return tuff_scatter_mem(to.sge, to.left, 0, wqe->data, wqe->length);
}

/**
 * tuff_loop_copy_message() - all of a message into a list of pieces
 * @sge: the list, long enough
 * @num_sge: its entries
 * @off: byte of the list where the message begins
 * @wqe: the message
 *
 * Context: owner of the QPs of both.
 * Return: 0, or -EFAULT when a region went away; a part may have been written.
 */
int tuff_loop_copy_message(const struct tuff_sge *sge, u32 num_sge, u32 off,
			   const struct tuff_swqe *wqe)
{
	struct tuff_piece from = { wqe->sge, wqe->num_sge, 0 };
	struct tuff_piece to = { sge, num_sge, 0 };

	if (wqe->inline_data)
		return tuff_scatter_mem(sge, num_sge, off, wqe->data,
					wqe->length);
	tuff_piece_skip(&to, off);
	return tuff_loop_copy(to, from, 0, wqe->length);
}

/*
 * Move up to @n bytes of @wqe's message, from where the last call ended. All
 * of an inline message at once: it is small.
 */
static int tuff_loop_move(struct tuff_qp *qp, struct tuff_swqe *wqe, u32 n)
{
	struct tuff_piece local = { wqe->sge, wqe->num_sge, 0 };
	bool read = wqe->opcode == TUFF_WR_RDMA_READ;
	struct tuff_sge sge = { .addr = wqe->va, .len = wqe->length };
	struct tuff_piece remote = { &sge, 1, 0 };
	int ret;

	if (!wqe->length)
		return 0;
	if (tuff_swqe_is_send(wqe)) {
		remote.sge = qp->responder.wqe->sge;
		remote.left = qp->responder.wqe->num_sge;
	} else {
		sge.mr = tuff_world_rkey_get(qp, wqe->rkey, wqe->va,
					     wqe->length,
					     read ? TUFF_ACCESS_REMOTE_READ :
						    TUFF_ACCESS_REMOTE_WRITE);
		if (!sge.mr)
			return -EFAULT;
	}
	if (wqe->inline_data)
		ret = tuff_loop_copy_inline(remote, wqe);
	else if (read)
		ret = tuff_loop_copy(local, remote, wqe->loop_off, n);
	else
		ret = tuff_loop_copy(remote, local, wqe->loop_off, n);
	if (sge.mr)
		tuff_world_mr_put(sge.mr);
	if (!ret)
		wqe->loop_off += n;
	return ret;
}

/* The result reaches the requester's memory, or its request fails. */
static u8 tuff_loop_atomic(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	bool add = wqe->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD;
	struct tuff_mr *mr;
	u64 orig;
	int ret;

	mr = tuff_world_rkey_get(qp, wqe->rkey, wqe->va, sizeof(orig),
				 TUFF_ACCESS_REMOTE_ATOMIC);
	if (!mr)
		return TUFF_LOOP_PACKETS;
	ret = tuff_world_mr_atomic(mr, wqe->va, add,
				   add ? 0 : wqe->compare_add,
				   add ? wqe->compare_add : wqe->swap, &orig);
	tuff_world_mr_put(mr);
	if (ret)
		return TUFF_LOOP_PACKETS;
	if (tuff_scatter_mem(wqe->sge, wqe->num_sge, 0, &orig, sizeof(orig)))
		return TUFF_LOOP_FAILED;
	return TUFF_LOOP_DONE;
}

/* All of @wqe was moved: what its last packet would have brought about. */
static void tuff_loop_finish(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_cqe cqe = {
		.opcode = tuff_swqe_is_send(wqe) ? TUFF_WC_RECV :
						   TUFF_WC_RECV_RDMA_WITH_IMM,
		.byte_len = wqe->length,
		.solicited = wqe->flags & TUFF_SEND_SOLICITED,
	};

	tuff_early_closed(qp);
	s->epsn = tuff_psn_add(s->epsn, wqe->npsn);
	s->msn = tuff_psn_add(s->msn, 1);
	s->silent = false;
	tuff_world_count(qp, TUFF_CNT_LOOPBACK_MESSAGES);
	if (!tuff_swqe_takes_receive(wqe))
		return;
	if (tuff_swqe_has_imm(wqe)) {
		cqe.flags = TUFF_WC_WITH_IMM;
		cqe.imm = wqe->imm;
	}
	tuff_responder_complete(qp, &cqe);
}

/* Carry out @wqe, or a part of it: TUFF_LOOP_LENT when there is more to do. */
static u8 tuff_loop_execute(struct tuff_qp *qp, struct tuff_swqe *wqe,
			    u32 *bytes)
{
	u8 answer = tuff_loop_check(qp, wqe);
	u32 n;

	if (answer != TUFF_LOOP_NOT)
		return answer;
	tuff_responder_established(qp);
	if (tuff_swqe_takes_receive(wqe)) {
		answer = tuff_loop_receive(qp, wqe, tuff_swqe_is_send(wqe));
		if (answer != TUFF_LOOP_NOT)
			return answer;
	}
	if (tuff_swqe_is_atomic(wqe)) {
		answer = tuff_loop_atomic(qp, wqe);
	} else {
		n = min(*bytes, wqe->length - wqe->loop_off);
		if (wqe->inline_data)
			n = wqe->length;
		if (tuff_loop_move(qp, wqe, n))
			return TUFF_LOOP_PACKETS;
		*bytes -= min(*bytes, n);
		answer = wqe->loop_off < wqe->length ? TUFF_LOOP_LENT :
						       TUFF_LOOP_DONE;
	}
	if (answer == TUFF_LOOP_DONE || answer == TUFF_LOOP_FAILED)
		tuff_loop_finish(qp, wqe);
	return answer;
}

/**
 * tuff_loop_refuse() - give back all that the peer's QP lent
 * @qp: queue pair that goes to RESET
 *
 * Context: owner of @qp.
 */
void tuff_loop_refuse(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe;

	while ((wqe = tuff_world_loop_peek(qp))) {
		wqe->loop_answer = TUFF_LOOP_PACKETS;
		tuff_world_loop_return(qp, wqe);
	}
}

/**
 * tuff_loop_serve() - carry out requests that the peer's QP lent
 * @qp: queue pair, in any state
 * @budget: requests of this run
 *
 * Context: owner of @qp.
 * Return: true when the budget ended it.
 */
bool tuff_loop_serve(struct tuff_qp *qp, int budget)
{
	u32 bytes = TUFF_LOOP_BYTES;
	struct tuff_swqe *wqe;
	u8 answer;

	while ((wqe = tuff_world_loop_peek(qp))) {
		if (!budget-- || !bytes)
			return true;
		answer = tuff_loop_execute(qp, wqe, &bytes);
		if (answer == TUFF_LOOP_LENT)
			return true;
		wqe->loop_answer = answer;
		tuff_world_loop_return(qp, wqe);
	}
	return false;
}

/* Requester's side again, which calls the responder's where that is free */

/*
 * Carry @wqe out in this very run, when the peer's QP is free and there is no
 * more of it than one run may copy. False: it has to be lent.
 */
static bool tuff_loop_direct(struct tuff_qp *qp, struct tuff_swqe *wqe,
			     int *budget)
{
	struct tuff_requester *r = &qp->requester;
	u32 bytes = TUFF_LOOP_BYTES;
	struct tuff_qp *peer;

	if (r->nr_lent || wqe->length > bytes)
		return false;
	peer = tuff_world_loop_enter(qp, wqe);
	if (!peer)
		return false;
	wqe->loop_off = 0;
	wqe->loop_answer = tuff_loop_execute(peer, wqe, &bytes);
	tuff_world_loop_leave(qp, wqe);
	*budget -= wqe->length / (TUFF_LOOP_BYTES / TUFF_LOOP_COST);
	tuff_requester_passed(qp, wqe, wqe->npsn);
	tuff_loop_answered(qp, wqe);
	return true;
}

/**
 * tuff_loop_send() - have a request carried out by the peer's QP
 * @qp: connected queue pair
 * @wqe: the request that holds nxt, at its start
 * @budget: packets of this run, counted down for what was copied
 *
 * Context: owner of @qp.
 * Return: false when the run must end.
 */
bool tuff_loop_send(struct tuff_qp *qp, struct tuff_swqe *wqe, int *budget)
{
	struct tuff_requester *r = &qp->requester;

	/* Sent once more while it is still away: wait for the news. */
	if (wqe->loop == TUFF_LOOP_LENT)
		return false;
	if (tuff_loop_direct(qp, wqe, budget))
		return r->state == TUFF_REQUESTER_READY;
	wqe->loop = TUFF_LOOP_LENT;
	wqe->loop_off = 0;
	if (!tuff_world_loop_give(qp, wqe)) {
		wqe->loop = TUFF_LOOP_PACKETS;
		return true;
	}
	r->nr_lent++;
	tuff_requester_passed(qp, wqe, wqe->npsn);
	return true;
}
