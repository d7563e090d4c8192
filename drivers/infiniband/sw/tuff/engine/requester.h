/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the sending half: what goes out next, and how requests end */
#ifndef _TUFF_ENGINE_REQUESTER_H
#define _TUFF_ENGINE_REQUESTER_H

#include "engine/qp.h"
#include "engine/wqe.h"

struct tuff_swqe *tuff_requester_head(struct tuff_qp *qp);
void tuff_requester_start(struct tuff_qp *qp);
void tuff_requester_resume(struct tuff_qp *qp);
void tuff_requester_passed(struct tuff_qp *qp, struct tuff_swqe *wqe, u32 npsn);
bool tuff_requester_run(struct tuff_qp *qp, int *budget);
void tuff_requester_complete(struct tuff_qp *qp, struct tuff_swqe *wqe,
			     u8 status);
void tuff_requester_fail(struct tuff_qp *qp, u8 status);
void tuff_requester_advance(struct tuff_qp *qp, u32 psn);
void tuff_requester_settle(struct tuff_qp *qp, u32 npsn);

#endif /* _TUFF_ENGINE_REQUESTER_H */
