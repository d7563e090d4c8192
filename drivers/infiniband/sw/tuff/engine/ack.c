// SPDX-License-Identifier: GPL-2.0
/* tuff: acknowledgements: one at the end of a run */
#include "engine/ack.h"

#include <linux/errno.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/replay.h"
#include "engine/timer.h"
#include "engine/world.h"

static void tuff_ack_build(const struct tuff_qp *qp, struct tuff_hdr *hdr)
{
	const struct tuff_responder *s = &qp->responder;

	*hdr = (struct tuff_hdr){
		.opcode = TUFF_TRANSPORT_RC | TUFF_OP_ACK,
		.migreq = true,
		.pkey = qp->attr.pkey,
		.dqpn = qp->attr.dqpn,
		.psn = s->epsn,
		.msn = s->msn,
	};
	switch (s->owed) {
	case TUFF_OWED_ACK:
		/* Names the last packet that was taken in. */
		hdr->psn = tuff_psn_add(s->epsn, -1);
		hdr->syndrome = TUFF_AETH_ACK | TUFF_AETH_NO_CREDITS;
		break;
	case TUFF_OWED_RNR:
		hdr->syndrome = TUFF_AETH_RNR | qp->attr.min_rnr_timer;
		break;
	default:
		hdr->syndrome = s->syndrome;
	}
}

/**
 * tuff_ack_run() - send the acknowledgement that is owed
 * @qp: RC queue pair
 *
 * All that came in since the last run is covered by one (IBA 9.7.5.1.2). It
 * waits while READ or ATOMIC answers are due: it would acknowledge them.
 * After a NAK that ends the connection, the QP goes to ERR here.
 *
 * Context: owner of @qp.
 */
void tuff_ack_run(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_hdr hdr;
	u8 fatal;

	if (s->owed == TUFF_OWED_NOTHING || tuff_replay_pending(qp))
		return;
	tuff_ack_build(qp, &hdr);
	if (tuff_world_tx(qp, qp->av, &hdr, NULL) == -EAGAIN) {
		tuff_timer_retry(qp);
		return;
	}
	tuff_world_count(qp, TUFF_CNT_TX_ACKS);
	s->owed = TUFF_OWED_NOTHING;
	fatal = s->fatal;
	if (fatal) {
		tuff_qp_error(qp);
		tuff_world_event(qp, fatal - 1);
	}
}
