// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: how long an answer takes
 *
 * One packet at a time is clocked, from when it is sent first until una has
 * passed it. What was sent again says nothing: whose answer is it? (Karn)
 */
#include "engine/rtt.h"

#include "engine/psn.h"
#include "engine/world.h"

/* Weight of a new sample: 1/8, as in RFC 6298. */
#define TUFF_RTT_SHIFT	3

/**
 * tuff_rtt_start() - nothing is known of the path
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_rtt_start(struct tuff_qp *qp)
{
	qp->requester.clocked_ns = 0;
	qp->requester.rtt_ns = 0;
}

/**
 * tuff_rtt_sent() - a packet that will be answered was sent for the first time
 * @qp: queue pair
 * @psn: its PSN
 *
 * Context: owner of @qp.
 */
void tuff_rtt_sent(struct tuff_qp *qp, u32 psn)
{
	struct tuff_requester *r = &qp->requester;

	if (r->clocked_ns)
		return;
	r->clocked_psn = psn;
	r->clocked_ns = tuff_world_now(qp);
}

/**
 * tuff_rtt_answered() - una moved
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_rtt_answered(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	s64 off;

	if (!r->clocked_ns || !tuff_psn_before(r->clocked_psn, r->una))
		return;
	off = tuff_world_now(qp) - r->clocked_ns;
	r->clocked_ns = 0;
	if (r->rtt_ns)
		r->rtt_ns += (off - (s64)r->rtt_ns) >> TUFF_RTT_SHIFT;
	else
		r->rtt_ns = off;
}

/**
 * tuff_rtt_spoil() - packets are sent again
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_rtt_spoil(struct tuff_qp *qp)
{
	qp->requester.clocked_ns = 0;
}

/**
 * tuff_rtt_ns() - how long an answer takes
 * @qp: queue pair
 *
 * Context: owner of @qp.
 * Return: nanoseconds, smoothed; a part of the timeout as long as nothing
 * better is known.
 */
u64 tuff_rtt_ns(const struct tuff_qp *qp)
{
	if (qp->requester.rtt_ns)
		return qp->requester.rtt_ns;
	return (4096ULL << qp->attr.timeout) / 8;
}
