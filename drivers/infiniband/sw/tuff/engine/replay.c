// SPDX-License-Identifier: GPL-2.0
/* tuff: kept answers of READ and ATOMIC requests */
#include "engine/replay.h"

#include <linux/errno.h>
#include <linux/minmax.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/responder.h"
#include "engine/segment.h"
#include "engine/timer.h"
#include "engine/world.h"

static bool tuff_replay_unsent(const struct tuff_replay *e)
{
	return e->sent < e->npsn;
}

/**
 * tuff_replay_room() - may one more READ or ATOMIC be accepted?
 * @qp: RC queue pair
 *
 * Finished answers are kept for duplicates until their place is needed, also
 * while one is being sent again: a requester that asks for more has got it,
 * and the duplicate came late. One that was never sent whole may not be
 * overwritten: the requester has broken max_dest_rd_atomic (IBA 9.4.4).
 *
 * Context: owner of @qp.
 * Return: true when there is a place.
 */
bool tuff_replay_room(const struct tuff_qp *qp)
{
	const struct tuff_responder *s = &qp->responder;
	const struct tuff_replay *e;

	if (!s->nr_replay)
		return false;
	e = &s->replay[s->replay_next];
	return e->answered || !tuff_replay_unsent(e);
}

static struct tuff_replay *tuff_replay_add(struct tuff_qp *qp,
					   const struct tuff_pkt *pkt,
					   u32 npsn)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_replay *e = &s->replay[s->replay_next];

	if (++s->replay_next == s->nr_replay)
		s->replay_next = 0;
	s->epsn = tuff_psn_add(s->epsn, npsn);
	s->msn = tuff_psn_add(s->msn, 1);
	s->replay_due = true;
	*e = (struct tuff_replay){
		.opcode = pkt->hdr.opcode,
		.psn = pkt->hdr.psn,
		.npsn = npsn,
		.msn = s->msn,
		.rkey = pkt->hdr.rkey,
		.va = pkt->hdr.va,
	};
	return e;
}

/**
 * tuff_replay_add_read() - accept a READ request
 * @qp: RC queue pair; tuff_replay_room() was true
 * @pkt: the request, checked
 *
 * Moves the expected PSN past the whole answer.
 *
 * Context: owner of @qp.
 */
void tuff_replay_add_read(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	u32 npsn = tuff_segment_npsn(qp, pkt->hdr.dmalen);

	tuff_replay_add(qp, pkt, npsn)->length = pkt->hdr.dmalen;
}

/**
 * tuff_replay_add_atomic() - keep the result of an atomic
 * @qp: RC queue pair; tuff_replay_room() was true
 * @pkt: the request, carried out
 * @orig: what stood in memory before
 *
 * Context: owner of @qp.
 */
void tuff_replay_add_atomic(struct tuff_qp *qp, const struct tuff_pkt *pkt,
			    u64 orig)
{
	tuff_replay_add(qp, pkt, 1)->orig = orig;
}

/*
 * The newest first: after 2^24 PSNs without a READ or ATOMIC an old answer's
 * PSNs come round again, and a newer one may stand among them.
 */
static struct tuff_replay *tuff_replay_find(struct tuff_qp *qp, u32 psn)
{
	struct tuff_responder *s = &qp->responder;
	u8 at = s->replay_next;
	u8 i;

	for (i = 0; i < s->nr_replay; i++) {
		struct tuff_replay *e;

		at = at ? at - 1 : s->nr_replay - 1;
		e = &s->replay[at];
		if (((psn - e->psn) & TUFF_PSN_MASK) < e->npsn)
			return e;
	}
	return NULL;
}

/**
 * tuff_replay_again() - a READ or ATOMIC came again (IBA 9.7.5.1.4)
 * @qp: RC queue pair
 * @pkt: the duplicate
 *
 * A READ may come back from any of its packets on: then for exactly the rest.
 * It is read anew; an ATOMIC is answered from what was kept.
 *
 * Context: owner of @qp.
 * Return: false when it does not match what was asked, or is no longer kept.
 */
bool tuff_replay_again(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_replay *e = tuff_replay_find(qp, pkt->hdr.psn);
	const struct tuff_hdr *hdr = &pkt->hdr;
	u32 idx, off;

	if (!e || e->opcode != hdr->opcode || e->rkey != hdr->rkey)
		return false;
	idx = (hdr->psn - e->psn) & TUFF_PSN_MASK;
	off = idx << qp->attr.path_mtu_shift;
	if (hdr->va != e->va + off)
		return false;
	if (pkt->op->kind == TUFF_KIND_READ && hdr->dmalen != e->length - off)
		return false;
	e->from = idx;
	e->sent = idx;
	qp->responder.replay_due = true;
	return true;
}

/* The unsent answer that comes first in PSN order, or NULL. */
static struct tuff_replay *tuff_replay_first(const struct tuff_qp *qp)
{
	const struct tuff_responder *s = &qp->responder;
	struct tuff_replay *first = NULL;
	u8 i;

	for (i = 0; i < s->nr_replay; i++) {
		struct tuff_replay *e = &s->replay[i];

		if (tuff_replay_unsent(e) &&
		    (!first || tuff_psn_before(e->psn, first->psn)))
			first = e;
	}
	return first;
}

/**
 * tuff_replay_pending() - are answers still to be sent?
 * @qp: queue pair
 *
 * Context: owner of @qp.
 * Return: true while acknowledgements of later requests must wait.
 */
bool tuff_replay_pending(const struct tuff_qp *qp)
{
	return qp->responder.replay_due && tuff_replay_first(qp);
}

static void tuff_replay_hdr(const struct tuff_qp *qp,
			    const struct tuff_replay *e, struct tuff_hdr *hdr)
{
	*hdr = (struct tuff_hdr){
		.migreq = true,
		.pkey = qp->attr.pkey,
		.dqpn = qp->attr.dqpn,
		.psn = tuff_psn_add(e->psn, e->sent),
		.syndrome = TUFF_AETH_ACK | TUFF_AETH_NO_CREDITS,
		.msn = e->msn,
	};
}

static int tuff_replay_send_atomic(struct tuff_qp *qp, struct tuff_replay *e)
{
	struct tuff_hdr hdr;

	tuff_replay_hdr(qp, e, &hdr);
	hdr.opcode = TUFF_TRANSPORT_RC | TUFF_OP_ATOMIC_ACK;
	hdr.orig = e->orig;
	return tuff_world_tx(qp, qp->av, &hdr, NULL);
}

static u8 tuff_replay_read_op(const struct tuff_replay *e)
{
	bool first = e->sent == e->from;
	bool last = e->sent == e->npsn - 1;

	if (first)
		return last ? TUFF_OP_READ_RESPONSE_ONLY :
			      TUFF_OP_READ_RESPONSE_FIRST;
	return last ? TUFF_OP_READ_RESPONSE_LAST : TUFF_OP_READ_RESPONSE_MIDDLE;
}

static int tuff_replay_send_read(struct tuff_qp *qp, struct tuff_replay *e)
{
	u32 off = e->sent << qp->attr.path_mtu_shift;
	struct tuff_sge sge = {
		.addr = e->va + off,
		.len = min(e->length - off, tuff_qp_mtu(qp)),
	};
	struct tuff_payload pl = {
		.sge = &sge,
		.num_sge = 1,
		.len = sge.len,
	};
	struct tuff_hdr hdr;
	int ret;

	tuff_replay_hdr(qp, e, &hdr);
	hdr.opcode = TUFF_TRANSPORT_RC | tuff_replay_read_op(e);
	hdr.pad = -pl.len & 3;
	if (!pl.len)
		return tuff_world_tx(qp, qp->av, &hdr, NULL);
	sge.mr = tuff_world_rkey_get(qp, e->rkey, sge.addr, sge.len,
				     TUFF_ACCESS_REMOTE_READ);
	if (!sge.mr)
		return -EFAULT;
	ret = tuff_world_tx(qp, qp->av, &hdr, &pl);
	tuff_world_mr_put(sge.mr);
	return ret;
}

/*
 * The memory of a READ went away: the answer ends in a NAK that stands at the
 * PSN of the packet that cannot be sent (IBA 9.7.5.2.4).
 */
static void tuff_replay_revoke(struct tuff_qp *qp, struct tuff_replay *e)
{
	struct tuff_responder *s = &qp->responder;
	u32 psn = tuff_psn_add(e->psn, e->sent);
	u8 i;

	for (i = 0; i < s->nr_replay; i++)
		s->replay[i].sent = s->replay[i].npsn;
	s->epsn = psn;
	tuff_responder_owe_nak(qp, TUFF_NAK_ACCESS);
}

/**
 * tuff_replay_run() - send answers that are due
 * @qp: queue pair
 * @budget: packets of this run, counted down
 *
 * Context: owner of @qp.
 * Return: true when the budget ended it.
 */
bool tuff_replay_run(struct tuff_qp *qp, int *budget)
{
	struct tuff_replay *e;
	int ret;

	if (!qp->responder.replay_due)
		return false;
	while ((e = tuff_replay_first(qp))) {
		if (*budget <= 0)
			return true;
		--*budget;
		if ((e->opcode & TUFF_OP_MASK) == TUFF_OP_READ_REQUEST)
			ret = tuff_replay_send_read(qp, e);
		else
			ret = tuff_replay_send_atomic(qp, e);
		if (ret == -EAGAIN) {
			/* A spent budget would ask for another run at once. */
			++*budget;
			tuff_timer_retry(qp);
			return false;
		}
		if (ret && e->answered) {
			/* A late duplicate, whose memory is no longer lent. */
			tuff_world_count(qp, TUFF_CNT_DROP_DUPLICATE);
			e->sent = e->npsn;
			continue;
		}
		if (ret) {
			tuff_replay_revoke(qp, e);
			return false;
		}
		if (++e->sent == e->npsn)
			e->answered = true;
	}
	qp->responder.replay_due = false;
	return false;
}
