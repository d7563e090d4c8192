// SPDX-License-Identifier: GPL-2.0
/* tuff: the only place that decides what is sent again */
#include "engine/retransmit.h"

#include <linux/minmax.h>

#include "engine/mend.h"
#include "engine/psn.h"
#include "engine/requester.h"
#include "engine/rnr.h"
#include "engine/rtt.h"
#include "engine/segment.h"
#include "engine/timer.h"
#include "engine/window.h"
#include "engine/world.h"

/* A transmit side that has had no room for so long is taken for a dead one. */
#define TUFF_REFUSED_MAX_NS	2000000000ULL

/*
 * An answer that takes so many times as long as usual will hardly come. Less
 * than milliseconds say nothing: hosts stand still for as long.
 */
#define TUFF_PROBE_RTTS		8
#define TUFF_PROBE_MIN_NS	2000000ULL
#define TUFF_PROBES_MAX		12	/* after which the wait grows no more */

/* The longest pause for a receiver that does not ask for one. */
#define TUFF_RNR_SLOW_NS	10000000ULL

/**
 * tuff_retransmit_seek() - the next packet to send is the one at a PSN
 * @qp: queue pair
 * @psn: una <= @psn <= max
 *
 * All that a retransmission is: move nxt, and find the request that holds it.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_seek(struct tuff_qp *qp, u32 psn)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_swqe *wqe;

	tuff_rtt_spoil(qp);
	r->nxt = psn;
	r->since_ackreq = 0;
	r->mend = TUFF_MEND_NONE;
	r->cur = NULL;
	list_for_each_entry(wqe, &qp->sq, node) {
		if (!wqe->npsn)
			break;
		if (((psn - wqe->psn) & TUFF_PSN_MASK) < wqe->npsn) {
			r->cur = wqe;
			break;
		}
	}
}

/**
 * tuff_retransmit_from() - send everything again from a PSN on
 * @qp: queue pair
 * @psn: una <= @psn <= max
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_from(struct tuff_qp *qp, u32 psn)
{
	qp->requester.mended = false;
	tuff_retransmit_seek(qp, psn);
}

static u64 tuff_retransmit_rto_ns(const struct tuff_qp *qp)
{
	bool again = qp->requester.retry_left < qp->attr.retry_cnt;

	return (again ? 4 : 2) * (4096ULL << qp->attr.timeout);
}

/**
 * tuff_retransmit_arm_probe() - (re)start the wait for a late answer
 * @qp: RC queue pair with a timeout
 *
 * There is none as long as nobody was asked for an answer, or it is not known
 * what is usual; and close to the timeout, since a probe would tell nothing
 * that this does not.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_arm_probe(struct tuff_qp *qp)
{
	const struct tuff_requester *r = &qp->requester;
	bool asked = tuff_psn_diff(r->nxt, r->una) > r->since_ackreq;
	u64 delay = max(TUFF_PROBE_RTTS * r->rtt_ns, TUFF_PROBE_MIN_NS);

	delay <<= r->probes;
	if (asked && r->rtt_ns && delay < tuff_retransmit_rto_ns(qp) / 2)
		tuff_timer_arm(qp, TUFF_TIMER_PROBE, delay);
	else
		tuff_timer_disarm(qp, TUFF_TIMER_PROBE);
}

/**
 * tuff_retransmit_arm() - an answer is due: (re)start the timeout
 * @qp: queue pair
 *
 * The nominal timeout is 4.096 us * 2^t; IBA 9.7.6.1.3 lets it fire up to
 * four times later. Doubling it keeps a slow host's jitter from looking like
 * loss; when a round was spent already, all four times are given. Timeout 0
 * means to wait for ever.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_arm(struct tuff_qp *qp)
{
	if (!qp->attr.timeout || qp->type != TUFF_QPT_RC)
		return;
	tuff_timer_arm(qp, TUFF_TIMER_RTO, tuff_retransmit_rto_ns(qp));
	tuff_retransmit_arm_probe(qp);
}

/**
 * tuff_retransmit_disarm() - no answer is due
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_disarm(struct tuff_qp *qp)
{
	tuff_timer_disarm(qp, TUFF_TIMER_RTO);
	tuff_timer_disarm(qp, TUFF_TIMER_PROBE);
	tuff_timer_disarm(qp, TUFF_TIMER_REREAD);
}

/* One more round is spent; false when none was left: the request failed. */
static bool tuff_retransmit_spend(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (!r->retry_left) {
		tuff_world_count(qp, TUFF_CNT_RETRY_EXCEEDED);
		tuff_requester_fail(qp, TUFF_WC_RETRY_EXC_ERR);
		return false;
	}
	r->retry_left--;
	return true;
}

/**
 * tuff_retransmit_refused() - transmit has no room for the packet at nxt
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_refused(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (!r->refused_ns)
		r->refused_ns = tuff_world_now(qp);
}

/*
 * Does the packet at nxt wait for room in this host? Then the network has not
 * lost it, and to spend a round for it would end connections whose rounds are
 * shorter than the wait.
 */
static bool tuff_retransmit_waits(const struct tuff_qp *qp, u64 now)
{
	const struct tuff_requester *r = &qp->requester;

	return r->refused_ns && now - r->refused_ns < TUFF_REFUSED_MAX_NS;
}

/**
 * tuff_retransmit_timeout() - no answer came in time (IBA 9.7.6.1.3)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_timeout(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->una == r->max || r->state != TUFF_REQUESTER_READY)
		return;
	/* A QP of this host has them: nothing can be lost. */
	if (r->nr_lent)
		return;
	if (tuff_retransmit_waits(qp, tuff_world_now(qp))) {
		tuff_retransmit_arm(qp);
		return;
	}
	tuff_world_count(qp, TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR);
	if (!tuff_retransmit_spend(qp))
		return;
	r->naked = false;
	/* A path may lose whole batches and let single packets through. */
	qp->alone = TUFF_QP_ALONE;
	tuff_window_timeout(qp);
	tuff_retransmit_from(qp, r->una);
	tuff_retransmit_arm(qp);
}

/* What is sent now asks for an answer, and waits for it. */
static void tuff_retransmit_probe_again(struct tuff_qp *qp)
{
	if (tuff_mend_trusts(qp)) {
		tuff_window_gap(qp);
		tuff_mend_begin(qp);
	} else {
		tuff_window_timeout(qp);
		tuff_retransmit_from(qp, qp->requester.una);
	}
}

/**
 * tuff_retransmit_probe() - an answer is late
 * @qp: queue pair
 *
 * What was lost at the end of all that was sent, or was lost again, nobody
 * reports; the timeout is a long time for it. A few packets are sent again, no
 * round is spent: whether the peer lives is for the timeout to say. Each
 * further probe waits twice as long, until una moves.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_probe(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->una == r->max || r->state != TUFF_REQUESTER_READY || r->nr_lent)
		return;
	if (!tuff_retransmit_waits(qp, tuff_world_now(qp))) {
		tuff_world_count(qp, TUFF_CNT_ADP_RETRANS);
		if (r->probes < TUFF_PROBES_MAX)
			r->probes++;
		tuff_retransmit_probe_again(qp);
		return;
	}
	tuff_retransmit_arm_probe(qp);
}

/**
 * tuff_retransmit_progress() - una moved: what is still to be sent again?
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_progress(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_swqe *head;

	tuff_mend_progress(qp);
	if (!tuff_psn_before(r->nxt, r->una))
		return;
	/*
	 * What was to be sent again has arrived after all. Who keeps packets
	 * may have those behind it as well; answers are asked for anew.
	 */
	head = tuff_requester_head(qp);
	if (tuff_mend_trusts(qp) && r->una != r->max && head &&
	    !tuff_swqe_is_rd_atomic(head))
		tuff_mend_begin(qp);
	else
		tuff_retransmit_from(qp, r->una);
}

/* What is missing is sent again, once: false: it was already. */
static bool tuff_retransmit_again(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->naked || r->state != TUFF_REQUESTER_READY)
		return false;
	/* One that was spent for a timeout is for the packet at una, too. */
	if (r->retry_left == qp->attr.retry_cnt && !tuff_retransmit_spend(qp))
		return false;
	r->naked = true;
	tuff_window_gap(qp);
	tuff_retransmit_from(qp, r->una);
	tuff_retransmit_arm(qp);
	return true;
}

/**
 * tuff_retransmit_nak() - the packet at una is missing over there
 * @qp: queue pair
 *
 * A sequence NAK said so. The news may come several times, once is enough:
 * until una moves only the timeout helps. But when the packet was sent alone,
 * the same news once more means that it was lost again.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_nak(struct tuff_qp *qp)
{
	bool alone;

	if (qp->requester.naked) {
		if (tuff_mend_lost(qp))
			tuff_mend_begin(qp);
		return;
	}
	if (qp->requester.state != TUFF_REQUESTER_READY)
		return;
	alone = tuff_mend_judge(qp);
	if (tuff_retransmit_again(qp) && alone)
		tuff_mend_begin(qp);
}

/**
 * tuff_retransmit_gap() - an answer came while earlier ones are missing
 * @qp: queue pair
 * @psn: of the answer
 *
 * The implied NAK of IBA 9.7.5.1.2. Packets that overtake each other make gaps
 * too, and each time to ask for all the rest again would bring more answers,
 * and more gaps: once in a round trip is enough, if the gap is still there.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_gap(struct tuff_qp *qp, u32 psn)
{
	struct tuff_requester *r = &qp->requester;
	u64 now = tuff_world_now(qp);
	u64 next = r->reread_ns + tuff_rtt_ns(qp);

	r->gap_psn = psn;
	if (r->reread_ns && now < next) {
		if (!tuff_timer_armed(qp, TUFF_TIMER_REREAD))
			tuff_timer_arm(qp, TUFF_TIMER_REREAD, next - now);
		return;
	}
	if (r->naked)
		return;
	r->reread_ns = now;
	tuff_retransmit_again(qp);
}

/**
 * tuff_retransmit_reread() - a round trip after READs were asked for anew
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_reread(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->una != r->max && !r->nr_lent &&
	    tuff_psn_before(r->una, r->gap_psn))
		tuff_retransmit_gap(qp, r->gap_psn);
}

/*
 * The pause is at least what the receiver asks for. One that is not ready for
 * long is asked less and less often, but hardly later than it is ready: some
 * hundred queue pairs that ask every 10 us would leave a CPU no time for the
 * process that is to post the receives.
 */
static u64 tuff_retransmit_rnr_ns(struct tuff_qp *qp, u8 code)
{
	struct tuff_requester *r = &qp->requester;
	u64 now = tuff_world_now(qp);

	if (!r->rnr_ns)
		r->rnr_ns = now;
	return max(tuff_rnr_delay_ns(code),
		   min((now - r->rnr_ns) / 8, TUFF_RNR_SLOW_NS));
}

/**
 * tuff_retransmit_rnr() - the receiver was not ready (IBA 9.7.5.2.8)
 * @qp: queue pair
 * @code: timer code of the RNR NAK for the packet at una
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_rnr(struct tuff_qp *qp, u8 code)
{
	struct tuff_requester *r = &qp->requester;

	if (r->state == TUFF_REQUESTER_RNR)
		return;
	if (!r->rnr_left) {
		tuff_world_count(qp, TUFF_CNT_RNR_RETRY_EXCEEDED);
		tuff_requester_fail(qp, TUFF_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->attr.rnr_retry != 7)
		r->rnr_left--;
	r->state = TUFF_REQUESTER_RNR;
	tuff_retransmit_disarm(qp);
	tuff_timer_arm(qp, TUFF_TIMER_RNR, tuff_retransmit_rnr_ns(qp, code));
}

/**
 * tuff_retransmit_rnr_over() - the receiver's pause is over
 * @qp: queue pair
 *
 * It has passed, or the packet at una, which came a second time, was taken in
 * before.
 *
 * Context: owner of @qp.
 */
void tuff_retransmit_rnr_over(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (r->state != TUFF_REQUESTER_RNR)
		return;
	r->state = TUFF_REQUESTER_READY;
	r->naked = false;
	tuff_timer_disarm(qp, TUFF_TIMER_RNR);
	tuff_retransmit_from(qp, r->una);
	if (r->una != r->max)
		tuff_retransmit_arm(qp);
}
