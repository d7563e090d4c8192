/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: requests that come before their turn */
#ifndef _TUFF_ENGINE_EARLY_H
#define _TUFF_ENGINE_EARLY_H

#include "engine/qp.h"

void tuff_early_start(struct tuff_qp *qp);
void tuff_early_clear(struct tuff_qp *qp);
void tuff_early_look(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_early_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_early_has(struct tuff_qp *qp, const struct tuff_pkt *pkt);
u64 tuff_early_wait(struct tuff_qp *qp);
void tuff_early_reported(struct tuff_qp *qp);
void tuff_early_closed(struct tuff_qp *qp);
void tuff_early_again(struct tuff_qp *qp, const struct tuff_pkt *pkt);
void tuff_early_run(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_EARLY_H */
