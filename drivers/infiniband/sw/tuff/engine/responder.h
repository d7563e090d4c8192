/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the receiving half: is this packet the next one, and what if not */
#ifndef _TUFF_ENGINE_RESPONDER_H
#define _TUFF_ENGINE_RESPONDER_H

#include "engine/drop.h"
#include "engine/qp.h"

/* What becomes of a request that stood at the expected PSN. */
enum tuff_verdict_kind {
	TUFF_VERDICT_DONE,	/* carried out: the expected PSN moves on */
	TUFF_VERDICT_RNR,	/* no receive request: ask again later */
	TUFF_VERDICT_NAK,	/* refused: the connection ends */
	TUFF_VERDICT_DROP,	/* unreliable service: as if it never came */
};

/**
 * struct tuff_verdict - result of looking at one request packet
 * @kind: what is to be done
 * @syndrome: AETH syndrome of a NAK
 * @reason: counter of a drop
 */
struct tuff_verdict {
	u8 kind;
	u8 syndrome;
	u8 reason;
};

void tuff_responder_start(struct tuff_qp *qp);
void tuff_responder_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt);
void tuff_responder_owe_nak(struct tuff_qp *qp, u8 syndrome);
void tuff_responder_established(struct tuff_qp *qp);
void tuff_responder_complete(struct tuff_qp *qp, struct tuff_cqe *cqe);
void tuff_responder_missing(struct tuff_qp *qp);
void tuff_responder_late(struct tuff_qp *qp);
bool tuff_responder_next(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_responder_flush(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_RESPONDER_H */
