// SPDX-License-Identifier: GPL-2.0
/* tuff: asynchronous events of queue pairs, reported outside all locks */

#include "verbs/queue.h"

#include <linux/atomic.h>
#include <linux/bitops.h>

#include "verbs/qp.h"

/**
 * tuff_vqp_event() - owe an asynchronous event to the consumer
 * @vqp: queue pair
 * @event: of queue pairs only
 *
 * The same event twice before it could be reported is reported once.
 *
 * Context: owner of @vqp, which is not DEAD.
 */
void tuff_vqp_event(struct tuff_vqp *vqp, enum ib_event_type event)
{
	if (event == IB_EVENT_SQ_DRAINED && !vqp->sqd_notify)
		return;
	set_bit(event, &vqp->events);
	schedule_work(&vqp->event_work);
}

/**
 * tuff_event_work() - report what is owed
 * @work: &tuff_vqp.event_work
 *
 * Destroy waits for it before ib_core's shell goes.
 *
 * Context: Process context, no lock held.
 */
void tuff_event_work(struct work_struct *work)
{
	struct tuff_vqp *vqp = container_of(work, struct tuff_vqp, event_work);
	struct ib_qp *ibqp = READ_ONCE(vqp->ibqp);
	unsigned long events = xchg(&vqp->events, 0);
	struct ib_event event = {};
	unsigned int bit;

	if (!ibqp || !ibqp->event_handler)
		return;
	event.device = ibqp->device;
	event.element.qp = ibqp;
	for_each_set_bit(bit, &events, BITS_PER_LONG) {
		event.event = bit;
		ibqp->event_handler(&event, ibqp->qp_context);
	}
}
