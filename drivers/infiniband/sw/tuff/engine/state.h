/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: QP states, and what entering one of them does */
#ifndef _TUFF_ENGINE_STATE_H
#define _TUFF_ENGINE_STATE_H

#include "engine/qp.h"

void tuff_qp_sq_error(struct tuff_qp *qp);
void tuff_qp_check_drained(struct tuff_qp *qp);
bool tuff_qp_flush(struct tuff_qp *qp, int *budget);

#endif /* _TUFF_ENGINE_STATE_H */
