// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: sending only what is missing again
 *
 * A peer that keeps what comes before its turn, see early.c, needs the missing
 * packet only. Whether it does nobody says, so it is tried, with as many losses
 * at first: some show the peer that this side knows how, and one shows that it
 * works. When the next packet is missing, too, though it was sent before, the
 * peer hardly keeps any, and gets everything again.
 */
#include "engine/mend.h"

#include "engine/psn.h"
#include "engine/retransmit.h"
#include "engine/world.h"

#define TUFF_TRUST_FIRST	4	/* trials; more: it was seen to work */
#define TUFF_TRUST_FULL		8

#define TUFF_TRUST_AGAIN	64	/* losses after which it is tried anew */

/* A packet that went alone so often, in vain, waits for the timeout. */
#define TUFF_MENDS_MAX		8

/* Quicker than that no answer comes, ns. */
#define TUFF_MEND_MIN_NS	20000

/**
 * tuff_mend_start() - nothing is known of the peer (RTR to RTS)
 * @qp: queue pair
 *
 * Context: owner of @qp.
 */
void tuff_mend_start(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->trust = TUFF_TRUST_FIRST;
	r->mend = TUFF_MEND_NONE;
	r->mends = 0;
	r->losses = 0;
	r->mended = false;
	r->last = r->una;
}

/**
 * tuff_mend_trusts() - does the peer keep what comes before its turn?
 * @qp: queue pair
 *
 * Context: owner of @qp.
 * Return: true when it was seen to, and not seen to drop it since.
 */
bool tuff_mend_trusts(struct tuff_qp *qp)
{
	return qp->requester.trust > TUFF_TRUST_FIRST &&
	       tuff_world_early(qp) != TUFF_EARLY_NEVER;
}

/**
 * tuff_mend_judge() - a packet is missing: shall it go alone?
 * @qp: RC queue pair whose packet at una is reported missing for the first time
 *
 * When it is the one behind the last that went alone, the peer is trusted less.
 *
 * Context: owner of @qp.
 * Return: yes or no.
 */
bool tuff_mend_judge(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	if (tuff_world_early(qp) == TUFF_EARLY_NEVER)
		return false;
	if (!r->trust) {
		/* Losses that came together may have looked like that. */
		r->trust = ++r->losses % TUFF_TRUST_AGAIN == 0;
		return r->trust;
	}
	if (!r->mended || r->una != r->mended_end)
		return true;
	r->trust--;
	return tuff_mend_trusts(qp);
}

/**
 * tuff_mend_lost() - a packet is reported missing once more: was it lost again?
 * @qp: RC queue pair
 *
 * The peer says so when only the packet came that was sent behind it.
 *
 * Context: owner of @qp.
 * Return: yes or no.
 */
bool tuff_mend_lost(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	return r->mended && tuff_mend_trusts(qp) && r->mends < TUFF_MENDS_MAX &&
	       tuff_world_now(qp) - r->mended_ns > TUFF_MEND_MIN_NS;
}

/**
 * tuff_mend_begin() - the packet at una goes next, and alone
 * @qp: RC queue pair with packets to send again
 *
 * Context: owner of @qp.
 */
void tuff_mend_begin(struct tuff_qp *qp)
{
	tuff_retransmit_from(qp, qp->requester.una);
	qp->requester.mend = TUFF_MEND_ALONE;
	qp->requester.mends++;
}

/**
 * tuff_mend_sent() - a packet was sent that is to go alone
 * @qp: RC queue pair
 *
 * Behind it follows the last one that was sent before. It shows the peer who it
 * has to do with, and brings the next NAK when more is missing: the same packet
 * again, or others.
 *
 * Context: owner of @qp.
 */
void tuff_mend_sent(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;
	bool alone = r->mend == TUFF_MEND_ALONE;
	u32 next = r->nxt;

	r->mend = TUFF_MEND_NONE;
	if (alone && !tuff_psn_before(next, r->last))
		return;	/* what follows is the last one anyway */
	tuff_retransmit_seek(qp, alone ? r->last : r->max);
	if (!alone)
		return;
	r->mend = TUFF_MEND_TAIL;
	r->mended = true;
	r->mended_end = next;
	r->mended_ns = tuff_world_now(qp);
}

/**
 * tuff_mend_progress() - una moved: was one packet enough?
 * @qp: RC queue pair
 *
 * Context: owner of @qp.
 */
void tuff_mend_progress(struct tuff_qp *qp)
{
	struct tuff_requester *r = &qp->requester;

	r->mends = 0;
	if (!r->mended || !tuff_psn_before(r->mended_end, r->una))
		return;
	r->mended = false;
	r->trust = TUFF_TRUST_FULL;
}
