// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: doorbells that wait for more of them
 *
 * A user's post is one system call for each request, and each would be a packet
 * of its own, through all of the stack, and an answer all the way back. Where
 * requests come in a stream they wait for each other: a few requests, and for
 * as long as these have taken to come so far. Then they travel as one batch, and
 * one answer comes for them.
 *
 * Who waits for a message before it sends the next one must not wait here. A
 * doorbell is of a stream only when several came right after each other, when
 * nothing was received between them, and when the consumer does not look at
 * its completions one by one.
 *
 * All of that is a guess that costs time only: the note of owner.c is left in
 * any case, every run of the queue pair takes what is posted, and the timer
 * brings one.
 */
#include "verbs/gather.h"

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <linux/moduleparam.h>

#include "owner.h"
#include "verbs/cq.h"
#include "verbs/qp.h"

static unsigned int tuff_gather_us = 50;
module_param_named(gather, tuff_gather_us, uint, 0644);
MODULE_PARM_DESC(gather, "Microseconds that a request of a stream may wait for more of them; 0: none");

#define TUFF_GATHER_STREAK	4	/* doorbells that make a stream */
#define TUFF_GATHER_MOST	16	/* requests that wait */
#define TUFF_GATHER_FEW		2	/* fewer are not worth the longest wait */
#define TUFF_GATHER_US_MAX	10000
#define TUFF_GATHER_GRACE_NS	NSEC_PER_MSEC

/*
 * Soft hrtimer: they have waited long enough. What is done for them now takes
 * its time from the process that posts: when there were several, the next
 * doorbell does not come late.
 */
static enum hrtimer_restart tuff_gather_timer(struct hrtimer *timer)
{
	struct tuff_vqp *vqp = container_of(timer, struct tuff_vqp,
					    gather.timer);

	if (READ_ONCE(vqp->gather.waiting) > 1)
		WRITE_ONCE(vqp->gather.last_ns,
			   ktime_get_ns() + TUFF_GATHER_GRACE_NS);
	tuff_owner_raise(vqp);

	return HRTIMER_NORESTART;
}

/* Has the consumer seen the completion of all that it wants to be told of? */
static bool tuff_gather_all_seen(struct tuff_vqp *vqp)
{
	struct tuff_cq *cq = vqp->send_cq;
	unsigned long flags;
	bool seen;

	if (!READ_ONCE(vqp->gather.told))
		return false;
	spin_lock_irqsave(&cq->lock, flags);
	seen = !tuff_ring_held(&cq->ring);
	spin_unlock_irqrestore(&cq->lock, flags);

	return seen;
}

/*
 * Is this doorbell one of a stream, which brings several requests in @most_ns?
 * Several threads may ring at once: then the guess is a bad one, no more.
 */
static bool tuff_gather_streams(struct tuff_vqp *vqp, u32 most_ns)
{
	struct tuff_gather *g = &vqp->gather;
	u32 heard = READ_ONCE(vqp->qp.responder.msn) + READ_ONCE(g->received);
	u64 now = ktime_get_ns();
	s64 gap = now - READ_ONCE(g->last_ns);
	u32 streak = READ_ONCE(g->streak);

	WRITE_ONCE(g->last_ns, now);
	if (gap >= most_ns / TUFF_GATHER_FEW || heard != READ_ONCE(g->heard) ||
	    tuff_gather_all_seen(vqp)) {
		WRITE_ONCE(g->heard, heard);
		WRITE_ONCE(g->streak, 0);
		return false;
	}
	/* A mean of the last ones. */
	if (gap > 0)
		WRITE_ONCE(g->gap_ns, (3 * READ_ONCE(g->gap_ns) + (u32)gap) / 4);
	if (streak < TUFF_GATHER_STREAK) {
		WRITE_ONCE(g->streak, streak + 1);
		return false;
	}

	return true;
}

/* As long as the most that may wait have taken to come so far. */
static void tuff_gather_wait(struct tuff_gather *g, u32 most_ns)
{
	u32 ns = min(TUFF_GATHER_MOST * READ_ONCE(g->gap_ns), most_ns);

	WRITE_ONCE(g->waiting, 1);
	hrtimer_start(&g->timer, ns_to_ktime(ns), HRTIMER_MODE_REL_SOFT);
}

/**
 * tuff_gather_doorbell() - may what was posted wait?
 * @vqp: queue pair of a user
 *
 * Context: process.
 * Return: true: a run will come; false: the caller kicks the QP now, and calls
 * tuff_gather_done().
 */
bool tuff_gather_doorbell(struct tuff_vqp *vqp)
{
	u32 most_ns = min_t(u32, READ_ONCE(tuff_gather_us),
			    TUFF_GATHER_US_MAX) * NSEC_PER_USEC;
	struct tuff_gather *g = &vqp->gather;

	if (!READ_ONCE(g->on_wire) || !most_ns ||
	    !tuff_gather_streams(vqp, most_ns))
		return false;
	set_bit(TUFF_VQP_DOORBELL, &vqp->flags);
	/* Who sees the bit relies on the timer, of which others are in charge. */
	preempt_disable();
	if (!test_and_set_bit(TUFF_VQP_GATHERS, &vqp->flags)) {
		tuff_gather_wait(g, most_ns);
		preempt_enable();
		return true;
	}
	preempt_enable();
	/*
	 * The timer is armed, or the run that takes the bit away is still to
	 * look for what is posted.
	 */
	WRITE_ONCE(g->waiting, READ_ONCE(g->waiting) + 1);
	if (READ_ONCE(g->waiting) < TUFF_GATHER_MOST)
		return true;
	hrtimer_try_to_cancel(&g->timer);

	return false;
}

/**
 * tuff_gather_done() - the run is over that a doorbell brought
 * @vqp: queue pair of a user
 *
 * From here on counts how soon the next doorbell comes.
 *
 * Context: process.
 */
void tuff_gather_done(struct tuff_vqp *vqp)
{
	if (READ_ONCE(vqp->gather.on_wire))
		WRITE_ONCE(vqp->gather.last_ns, ktime_get_ns());
}

/**
 * tuff_gather_setup() - the parts of a new QP that this file uses
 * @vqp: the QP, zeroed, not yet visible to anybody
 *
 * Context: process.
 */
void tuff_gather_setup(struct tuff_vqp *vqp)
{
	hrtimer_setup(&vqp->gather.timer, tuff_gather_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_SOFT);
}

/**
 * tuff_gather_stop() - nothing waits any more
 * @vqp: the QP, DEAD: nobody rings
 *
 * Context: process, may sleep; not the owner.
 */
void tuff_gather_stop(struct tuff_vqp *vqp)
{
	hrtimer_cancel(&vqp->gather.timer);
}
