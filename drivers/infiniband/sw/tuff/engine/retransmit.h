/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the only place that decides what is sent again */
#ifndef _TUFF_ENGINE_RETRANSMIT_H
#define _TUFF_ENGINE_RETRANSMIT_H

#include "engine/qp.h"

void tuff_retransmit_seek(struct tuff_qp *qp, u32 psn);
void tuff_retransmit_from(struct tuff_qp *qp, u32 psn);
void tuff_retransmit_arm(struct tuff_qp *qp);
void tuff_retransmit_disarm(struct tuff_qp *qp);
void tuff_retransmit_arm_probe(struct tuff_qp *qp);
void tuff_retransmit_probe(struct tuff_qp *qp);
void tuff_retransmit_refused(struct tuff_qp *qp);
void tuff_retransmit_timeout(struct tuff_qp *qp);
void tuff_retransmit_progress(struct tuff_qp *qp);
void tuff_retransmit_nak(struct tuff_qp *qp);
void tuff_retransmit_gap(struct tuff_qp *qp, u32 psn);
void tuff_retransmit_reread(struct tuff_qp *qp);
void tuff_retransmit_rnr(struct tuff_qp *qp, u8 code);
void tuff_retransmit_rnr_over(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_RETRANSMIT_H */
