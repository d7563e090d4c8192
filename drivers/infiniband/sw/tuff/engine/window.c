// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: how many packets may be unanswered
 *
 * Go-back-N sends all of them again when one is lost, and a slow or crowded
 * receiver answers the last of a full window only after it has worked through
 * the rest: to send as much again while it does only makes it later. So the
 * window opens as answers come, and closes when packets are lost or answers
 * stay away. With nothing lost it is fully open after a few round trips.
 */
#include "engine/window.h"

#include <linux/minmax.h>

#include "engine/psn.h"

/* In packets. The first burst must not look like loss on a slow host. */
#define TUFF_WINDOW_FIRST	32
#define TUFF_WINDOW_MIN		8
#define TUFF_WINDOW_MAX		256
/* Within a long message ask for an acknowledgement at least this often. */
#define TUFF_WINDOW_ACKREQ	32

/**
 * tuff_window_start() - nothing is known of the path
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_window_start(struct tuff_qp *qp)
{
	qp->requester.window = TUFF_WINDOW_FIRST;
	qp->requester.threshold = TUFF_WINDOW_MAX;
	qp->requester.recovering = false;
}

/**
 * tuff_window_open() - may one more packet be sent?
 * @qp: queue pair
 *
 * A READ counts with all packets of its answer, but may begin while there is
 * room for one.
 *
 * Context: owner of @qp.
 * Return: yes or no.
 */
bool tuff_window_open(const struct tuff_qp *qp)
{
	const struct tuff_requester *r = &qp->requester;

	return tuff_psn_diff(r->nxt, r->una) < r->window;
}

/**
 * tuff_window_ackreq() - how often to ask for an acknowledgement
 * @qp: queue pair
 *
 * Twice a window at least, or it would close for want of answers.
 *
 * Context: owner of @qp.
 * Return: packets.
 */
u32 tuff_window_ackreq(const struct tuff_qp *qp)
{
	return min_t(u32, TUFF_WINDOW_ACKREQ, qp->requester.window / 2);
}

/**
 * tuff_window_progress() - answers came
 * @qp: queue pair
 * @npsn: packets they cover
 *
 * The window doubles in a round trip up to where packets were lost, and then
 * grows by a few.
 *
 * Context: owner of @qp.
 */
void tuff_window_progress(struct tuff_qp *qp, u32 npsn)
{
	struct tuff_requester *r = &qp->requester;
	u32 more = r->window < r->threshold ? npsn : min(npsn, 2U);

	if (r->recovering && !tuff_psn_before(r->una, r->recover))
		r->recovering = false;
	r->window = min_t(u32, TUFF_WINDOW_MAX, r->window + more);
}

/**
 * tuff_window_gap() - a packet was lost, others arrive
 * @qp: queue pair
 *
 * Gaps in what was sent before the window was made smaller are the same news.
 *
 * Context: owner of @qp.
 */
void tuff_window_gap(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->recovering)
		return;
	r->recovering = true;
	r->recover = r->max;
	r->window = max_t(u32, TUFF_WINDOW_MIN, r->window / 2);
	r->threshold = r->window;
}

/**
 * tuff_window_timeout() - no answer came: begin anew, carefully
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_window_timeout(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->threshold = max_t(u32, TUFF_WINDOW_MIN, r->window / 2);
	r->window = TUFF_WINDOW_MIN;
}
