/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: sending only what is missing again */
#ifndef _TUFF_ENGINE_MEND_H
#define _TUFF_ENGINE_MEND_H

#include "engine/qp.h"

void tuff_mend_start(struct tuff_qp *qp);
bool tuff_mend_trusts(struct tuff_qp *qp);
bool tuff_mend_judge(struct tuff_qp *qp);
bool tuff_mend_lost(struct tuff_qp *qp);
void tuff_mend_begin(struct tuff_qp *qp);
void tuff_mend_sent(struct tuff_qp *qp);
void tuff_mend_progress(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_MEND_H */
