/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: how long an answer takes */
#ifndef _TUFF_ENGINE_RTT_H
#define _TUFF_ENGINE_RTT_H

#include "engine/qp.h"

void tuff_rtt_start(struct tuff_qp *qp);
void tuff_rtt_sent(struct tuff_qp *qp, u32 psn);
void tuff_rtt_answered(struct tuff_qp *qp);
void tuff_rtt_spoil(struct tuff_qp *qp);
u64 tuff_rtt_ns(const struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_RTT_H */
