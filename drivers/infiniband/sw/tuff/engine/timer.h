/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the deadlines of a queue pair, over the world's one timer */
#ifndef _TUFF_ENGINE_TIMER_H
#define _TUFF_ENGINE_TIMER_H

#include "engine/qp.h"

void tuff_timer_arm(struct tuff_qp *qp, enum tuff_timer timer, u64 delay_ns);
void tuff_timer_retry(struct tuff_qp *qp);
void tuff_timer_disarm(struct tuff_qp *qp, enum tuff_timer timer);
bool tuff_timer_armed(const struct tuff_qp *qp, enum tuff_timer timer);
bool tuff_timer_expired(struct tuff_qp *qp, enum tuff_timer timer, u64 now);
void tuff_timer_program(struct tuff_qp *qp);
void tuff_timer_stop(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_TIMER_H */
