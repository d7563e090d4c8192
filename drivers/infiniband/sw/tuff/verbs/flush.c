// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: receives that a user posts in ERR
 *
 * Each has to be completed in error (IBA 10.3.1), but posting to a mapped ring
 * makes no call, and in ERR no packet has the ring looked at. So as long as a
 * user's QP stays in ERR its ring is looked at now and then: soon after
 * something was found, ever less often while nothing is.
 */

#include "verbs/queue.h"

#include <linux/jiffies.h>
#include <linux/minmax.h>

#include "verbs/qp.h"
#include "owner.h"

#define TUFF_FLUSH_MIN_MS	2
#define TUFF_FLUSH_MAX_MS	1024

static void tuff_flush_later(struct tuff_vqp *vqp)
{
	schedule_delayed_work(&vqp->flush_work,
			      msecs_to_jiffies(vqp->flush_wait_ms));
}

/**
 * tuff_flush_watch() - nothing is posted for now
 * @vqp: queue pair with a receive queue of its own
 *
 * Context: owner of @vqp.
 */
void tuff_flush_watch(struct tuff_vqp *vqp)
{
	if (likely(vqp->qp.state != TUFF_QPS_ERR) || !vqp->qp.user ||
	    test_bit(TUFF_VQP_DEAD, &vqp->flags))
		return;
	vqp->flush_wait_ms = TUFF_FLUSH_MIN_MS;
	tuff_flush_later(vqp);
}

/**
 * tuff_flush_work() - look whether something was posted
 * @work: &tuff_vqp.flush_work
 *
 * Context: Process context.
 */
void tuff_flush_work(struct work_struct *work)
{
	struct tuff_vqp *vqp = container_of(to_delayed_work(work),
					    struct tuff_vqp, flush_work);

	tuff_owner_lock(vqp);
	if (vqp->qp.state == TUFF_QPS_ERR &&
	    !test_bit(TUFF_VQP_DEAD, &vqp->flags)) {
		if (tuff_ring_posted(&vqp->rq)) {
			/* The run flushes it and has us called again. */
			tuff_owner_raise(vqp);
		} else {
			vqp->flush_wait_ms = min(2 * vqp->flush_wait_ms,
						 TUFF_FLUSH_MAX_MS);
			tuff_flush_later(vqp);
		}
	}
	tuff_owner_unlock(vqp);
}
