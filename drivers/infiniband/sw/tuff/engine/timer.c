// SPDX-License-Identifier: GPL-2.0
/* tuff: the deadlines of a queue pair, over the world's one timer */
#include "engine/timer.h"

#include <linux/minmax.h>

#include "engine/responder.h"
#include "engine/retransmit.h"
#include "engine/world.h"

/* When there was no memory, and nothing will tell that there is some again. */
#define TUFF_RETRY_MIN_NS	100000ULL
#define TUFF_RETRY_MAX_NS	1000000ULL

/**
 * tuff_timer_program() - set the world's timer to the earliest deadline
 * @qp: queue pair
 *
 * A deadline that moved away leaves the world's timer where it is: it fires
 * once for nothing and is set anew then. That makes it cheap to push the
 * retransmission timeout ahead with every acknowledgement.
 *
 * Context: owner of @qp.
 */
void tuff_timer_program(struct tuff_qp *qp)
{
	u64 first = 0;
	int i;

	for (i = 0; i < TUFF_NR_TIMERS; i++) {
		u64 at = qp->deadline[i];

		if (at && (!first || at < first))
			first = at;
	}
	if (first && (!qp->timer_at || first < qp->timer_at)) {
		qp->timer_at = first;
		tuff_world_timer(qp, first);
	}
}

/**
 * tuff_timer_arm() - set a deadline, instead of the one it had
 * @qp: queue pair
 * @timer: which
 * @delay_ns: from now
 *
 * Context: owner of @qp.
 */
void tuff_timer_arm(struct tuff_qp *qp, enum tuff_timer timer, u64 delay_ns)
{
	qp->deadline[timer] = tuff_world_now(qp) + delay_ns;
	tuff_timer_program(qp);
}

/**
 * tuff_timer_retry() - no room or memory for a packet or a record: later again
 * @qp: queue pair
 *
 * Well before an ack timeout is over, the peer's too, which tends to be like
 * ours: what was not sent should not look like what was lost.
 *
 * Context: owner of @qp.
 */
void tuff_timer_retry(struct tuff_qp *qp)
{
	u64 delay = TUFF_RETRY_MAX_NS;

	if (qp->attr.timeout)
		delay = clamp_t(u64, 1024ULL << qp->attr.timeout,
				TUFF_RETRY_MIN_NS, TUFF_RETRY_MAX_NS);
	tuff_timer_arm(qp, TUFF_TIMER_TX, delay);
}

/**
 * tuff_timer_disarm() - forget a deadline
 * @qp: queue pair
 * @timer: which
 *
 * Context: owner of @qp.
 */
void tuff_timer_disarm(struct tuff_qp *qp, enum tuff_timer timer)
{
	qp->deadline[timer] = 0;
}

/**
 * tuff_timer_armed() - is a deadline set?
 * @qp: queue pair
 * @timer: which
 *
 * Return: true when it is, also when it has passed and was not handled yet.
 */
bool tuff_timer_armed(const struct tuff_qp *qp, enum tuff_timer timer)
{
	return qp->deadline[timer];
}

/**
 * tuff_timer_expired() - has a deadline passed? If so it is disarmed
 * @qp: queue pair
 * @timer: which
 * @now: current time, ns
 *
 * Context: owner of @qp.
 * Return: true when it was armed and has passed.
 */
bool tuff_timer_expired(struct tuff_qp *qp, enum tuff_timer timer, u64 now)
{
	if (!qp->deadline[timer] || now < qp->deadline[timer])
		return false;
	qp->deadline[timer] = 0;
	return true;
}

/**
 * tuff_timer_stop() - forget all deadlines and cancel the world's timer
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_timer_stop(struct tuff_qp *qp)
{
	int i;

	for (i = 0; i < TUFF_NR_TIMERS; i++)
		qp->deadline[i] = 0;
	qp->timer_at = 0;
	tuff_world_timer(qp, 0);
}

/**
 * tuff_qp_timeout() - the world's timer of this QP fired
 * @qp: queue pair
 *
 * May come late, or for a deadline that has moved. A tuff_qp_run() must
 * follow.
 *
 * Context: owner of @qp.
 */
void tuff_qp_timeout(struct tuff_qp *qp)
{
	u64 now = tuff_world_now(qp);

	qp->timer_at = 0;
	/* TX: nothing but the run that follows. */
	tuff_timer_expired(qp, TUFF_TIMER_TX, now);
	if (tuff_timer_expired(qp, TUFF_TIMER_RNR, now))
		tuff_retransmit_rnr_over(qp);
	if (tuff_timer_expired(qp, TUFF_TIMER_EARLY, now))
		tuff_responder_late(qp);
	if (tuff_timer_expired(qp, TUFF_TIMER_REREAD, now))
		tuff_retransmit_reread(qp);
	if (tuff_timer_expired(qp, TUFF_TIMER_RTO, now))
		tuff_retransmit_timeout(qp);
	else if (tuff_timer_expired(qp, TUFF_TIMER_PROBE, now))
		tuff_retransmit_probe(qp);
	tuff_timer_program(qp);
}
