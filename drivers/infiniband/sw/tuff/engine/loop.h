/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: loopback: a request goes to the peer's QP on this host as it is */
#ifndef _TUFF_ENGINE_LOOP_H
#define _TUFF_ENGINE_LOOP_H

#include "engine/qp.h"

bool tuff_loop_wanted(struct tuff_qp *qp, const struct tuff_swqe *wqe);
bool tuff_loop_send(struct tuff_qp *qp, struct tuff_swqe *wqe, int *budget);
void tuff_loop_collect(struct tuff_qp *qp);
void tuff_loop_refuse(struct tuff_qp *qp);
int tuff_loop_copy_message(const struct tuff_sge *sge, u32 num_sge, u32 off,
			   const struct tuff_swqe *wqe);
bool tuff_loop_serve(struct tuff_qp *qp, int budget);

#endif /* _TUFF_ENGINE_LOOP_H */
