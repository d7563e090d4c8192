// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: requests that come before their turn
 *
 * To a requester that goes back to the missing packet and sends everything
 * again from there, they are worth nothing: they are dropped, as IBA 9.7.5.2.6
 * wants it. One that sends the missing packet alone, and then goes on with new
 * ones, gets those kept that follow a gap. What it does is seen: after the
 * packet that closed the gap, and not those behind it, the last of all that had
 * come before comes again. It has to be seen more than once, since losses can
 * look like that.
 *
 * How long a gap may last until it is reported is learned as well. A packet
 * that comes twice, after its absence was reported once, was only overtaken: the
 * report came too soon.
 */
#include "engine/early.h"

#include <linux/minmax.h>

#include "engine/psn.h"
#include "engine/responder.h"
#include "engine/timer.h"
#include "engine/world.h"

/* So often must a requester be seen to send only what is missing. */
#define TUFF_EARLY_PROOFS	2

/*
 * Longer than that no gap is kept from the requester, ns: less than what it
 * waits itself before it probes, or what was lost would look like being late.
 */
#define TUFF_EARLY_PATIENCE_MAX	1500000U

/* So long may the packet at the next gap be on its way behind another, ns. */
#define TUFF_EARLY_NEXT_NS	500000U

/* A NAK is repeated after twice the usual time, and no sooner than that, ns. */
#define TUFF_EARLY_AGAIN_NS	250000U
#define TUFF_EARLY_AGAIN_MAX	8
#define TUFF_EARLY_ANSWER_MAX	100000000ULL

static struct tuff_early_slot *tuff_early_slot(struct tuff_early *e, u32 psn)
{
	return &e->slot[psn % TUFF_EARLY_SLOTS];
}

static void tuff_early_free(struct tuff_qp *qp, struct tuff_early_slot *slot)
{
	void *buf = slot->buf;

	slot->buf = NULL;
	qp->responder.early.nr--;
	tuff_world_pkt_free(qp, buf);
}

/* What lies before the expected packet is of no use any more. */
static void tuff_early_pass(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_early *e = &s->early;
	u32 n = min(tuff_psn_sub(s->epsn, e->base), TUFF_EARLY_SLOTS);
	u32 psn = e->base;

	e->base = s->epsn;
	for (; n && e->nr; n--, psn++)
		if (tuff_early_slot(e, psn)->buf)
			tuff_early_free(qp, tuff_early_slot(e, psn));
}

/**
 * tuff_early_clear() - let go of all that was kept
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_early_clear(struct tuff_qp *qp)
{
	struct tuff_early *e = &qp->responder.early;
	u32 i;

	if (!e->slot)
		return;
	for (i = 0; i < TUFF_EARLY_SLOTS && e->nr; i++)
		if (e->slot[i].buf)
			tuff_early_free(qp, &e->slot[i]);
	tuff_world_early_free(qp, e->slot);
	e->slot = NULL;
}

/**
 * tuff_early_start() - nothing is known of the requester (INIT to RTR)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_early_start(struct tuff_qp *qp)
{
	tuff_early_clear(qp);
	qp->responder.early = (struct tuff_early){ };
}

/**
 * tuff_early_look() - a request: what does it tell of the requester?
 * @qp: RC queue pair
 * @pkt: the packet, before it is handled
 *
 * Context: owner of @qp.
 */
void tuff_early_look(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_early *e = &qp->responder.early;

	if (!e->closed)
		return;
	if (pkt->hdr.psn == qp->responder.epsn) {
		e->closed = false;
	} else if (tuff_psn_add(pkt->hdr.psn, 1) == e->next) {
		e->closed = false;
		if (e->proofs < TUFF_EARLY_PROOFS)
			e->proofs++;
	}
}

/* Are packets kept for this requester? */
static bool tuff_early_wanted(struct tuff_qp *qp)
{
	struct tuff_early *e = &qp->responder.early;

	switch (tuff_world_early(qp)) {
	case TUFF_EARLY_NEVER:
		return false;
	case TUFF_EARLY_ALWAYS:
		break;
	default:
		if (e->proofs < TUFF_EARLY_PROOFS)
			return false;
	}
	if (!e->slot)
		e->slot = tuff_world_early_slots(qp);
	return e->slot;
}

/*
 * Is the missing packet still to be expected, so that a timer ends the wait?
 * Not behind an RNR NAK, after which everything comes again.
 */
static bool tuff_early_in_time(const struct tuff_qp *qp)
{
	const struct tuff_responder *s = &qp->responder;

	return s->early.reported < TUFF_EARLY_AGAIN_MAX &&
	       (!s->silent || s->early.reported);
}

/**
 * tuff_early_keep() - a packet beyond the expected one
 * @qp: RC queue pair
 * @pkt: the packet
 *
 * Context: owner of @qp.
 * Return: true when it is kept until its turn comes.
 */
bool tuff_early_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_early *e = &s->early;
	struct tuff_early_slot *slot;

	if (!e->since_ns) {
		e->since_ns = tuff_world_now(qp);
		e->fresh = true;
		if (!e->closed)
			e->next = s->epsn;
	}
	if (!tuff_psn_before(pkt->hdr.psn, e->next))
		e->next = tuff_psn_add(pkt->hdr.psn, 1);
	if (tuff_psn_sub(pkt->hdr.psn, s->epsn) >= TUFF_EARLY_SLOTS ||
	    !tuff_early_in_time(qp) || !tuff_early_wanted(qp))
		return false;
	tuff_early_pass(qp);
	slot = tuff_early_slot(e, pkt->hdr.psn);
	if (slot->buf)
		return false;
	slot->buf = tuff_world_pkt_keep(qp, pkt);
	if (!slot->buf)
		return false;
	slot->came_ns = tuff_world_now(qp);
	e->nr++;
	tuff_world_count(qp, TUFF_CNT_RX_EARLY);
	return true;
}

/**
 * tuff_early_has() - is it one of those that are kept?
 * @qp: RC queue pair
 * @pkt: packet beyond the expected one
 *
 * Context: owner of @qp.
 * Return: yes or no.
 */
bool tuff_early_has(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;

	return s->early.nr &&
	       tuff_psn_sub(pkt->hdr.psn, s->epsn) < TUFF_EARLY_SLOTS &&
	       tuff_early_slot(&s->early, pkt->hdr.psn)->buf;
}

/**
 * tuff_early_wait() - may the gap before what is kept close by itself?
 * @qp: RC queue pair
 *
 * Context: owner of @qp.
 * Return: for how long, ns; 0: it is to be reported, or there is none.
 */
u64 tuff_early_wait(struct tuff_qp *qp)
{
	struct tuff_early *e = &qp->responder.early;
	u64 now, end = e->since_ns + e->patience_ns;

	if (!e->nr || !e->patience_ns)
		return 0;
	now = tuff_world_now(qp);
	return now < end ? end - now : 0;
}

/**
 * tuff_early_reported() - a NAK for the gap is about to go out
 * @qp: RC queue pair
 *
 * It may get lost. Who has packets kept has not sent them again, so that the
 * missing one is all that there is to wait for: the NAK is repeated.
 *
 * Context: owner of @qp.
 */
void tuff_early_reported(struct tuff_qp *qp)
{
	struct tuff_early *e = &qp->responder.early;
	u64 again = 2ULL * e->answer_ns + TUFF_EARLY_AGAIN_NS;

	if (!e->reported)
		e->reported_ns = tuff_world_now(qp);
	if (e->reported == TUFF_EARLY_AGAIN_MAX) {
		/* Nobody answers: there is nothing to keep them for. */
		tuff_early_clear(qp);
		return;
	}
	if (e->nr)
		tuff_timer_arm(qp, TUFF_TIMER_EARLY, again << e->reported);
	e->reported++;
}

static void tuff_early_be_patient(struct tuff_early *e, u64 late_ns)
{
	e->patience_ns = clamp_t(u64, 2 * late_ns, e->patience_ns,
				 TUFF_EARLY_PATIENCE_MAX);
}

/* The longest time counts, what was only overtaken comes too soon. */
static void tuff_early_answered(struct tuff_early *e, u64 ns)
{
	u64 usual = e->answer_ns - e->answer_ns / 8;

	e->answer_ns = clamp_t(u64, ns, usual, TUFF_EARLY_ANSWER_MAX);
}

/**
 * tuff_early_closed() - the packet that all the others waited for is there
 * @qp: RC queue pair; its expected PSN is still the one of that packet
 *
 * Context: owner of @qp.
 */
void tuff_early_closed(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_early *e = &s->early;
	u8 reported = e->reported;
	u64 now, late;

	if (!e->since_ns)
		return;
	now = tuff_world_now(qp);
	late = now - e->since_ns;
	e->since_ns = 0;
	e->reported = 0;
	tuff_timer_disarm(qp, TUFF_TIMER_EARLY);
	/* One packet behind a gap is next in turn for either requester. */
	e->closed = reported && tuff_psn_sub(e->next, s->epsn) > 2;
	if (!reported && !s->silent && e->fresh)
		tuff_early_be_patient(e, late);
	/* After several reports it is not known to which of them it came. */
	if (reported != 1)
		return;
	tuff_early_answered(e, now - e->reported_ns);
	/* The one that was reported before has not come twice: it was lost. */
	if (e->late_ns)
		e->patience_ns -= e->patience_ns / 8;
	e->late_psn = s->epsn;
	e->late_ns = late;
}

/**
 * tuff_early_again() - a packet that was carried out comes again
 * @qp: RC queue pair
 * @pkt: the packet
 *
 * Context: owner of @qp.
 */
void tuff_early_again(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_early *e = &qp->responder.early;

	if (!e->late_ns || pkt->hdr.psn != e->late_psn)
		return;
	tuff_early_be_patient(e, e->late_ns);
	e->late_ns = 0;
}

/* The next gap: since when is it known? */
static void tuff_early_next_gap(struct tuff_qp *qp)
{
	struct tuff_early *e = &qp->responder.early;
	u32 psn = e->base;

	while (!tuff_early_slot(e, psn)->buf)
		psn++;
	e->since_ns = tuff_early_slot(e, psn)->came_ns;
	e->fresh = false;
	/* Who sends everything again sends that packet next. */
	tuff_timer_arm(qp, TUFF_TIMER_EARLY,
		       max_t(u64, tuff_early_wait(qp), TUFF_EARLY_NEXT_NS));
}

/**
 * tuff_early_run() - those of the kept whose turn it is now
 * @qp: RC queue pair, whose expected packet has just been carried out
 *
 * Context: owner of @qp.
 */
void tuff_early_run(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_early *e = &s->early;
	struct tuff_early_slot *slot;
	struct tuff_pkt pkt;
	void *buf;
	bool done;

	tuff_early_pass(qp);
	while (e->nr) {
		slot = tuff_early_slot(e, s->epsn);
		if (!slot->buf) {
			tuff_early_next_gap(qp);
			return;
		}
		buf = slot->buf;
		slot->buf = NULL;
		e->nr--;
		done = tuff_world_pkt_kept(qp, buf, &pkt) &&
		       tuff_responder_next(qp, &pkt);
		tuff_world_pkt_free(qp, buf);
		if (!done)
			return;
		tuff_early_pass(qp);
	}
}
