/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: how many packets may be unanswered */
#ifndef _TUFF_ENGINE_WINDOW_H
#define _TUFF_ENGINE_WINDOW_H

#include "engine/qp.h"

void tuff_window_start(struct tuff_qp *qp);
bool tuff_window_open(const struct tuff_qp *qp);
u32 tuff_window_ackreq(const struct tuff_qp *qp);
void tuff_window_progress(struct tuff_qp *qp, u32 npsn);
void tuff_window_gap(struct tuff_qp *qp);
void tuff_window_timeout(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_WINDOW_H */
