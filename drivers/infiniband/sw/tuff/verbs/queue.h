/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what world.c asks of the queues: next request, completion, event */
#ifndef _TUFF_VERBS_QUEUE_H
#define _TUFF_VERBS_QUEUE_H

#include "engine/qp.h"
#include "engine/wqe.h"
#include "tuff.h"

/* post.c; all by the owner of @vqp. See engine/world.h for what they mean. */
struct tuff_swqe *tuff_sq_next(struct tuff_vqp *vqp);
bool tuff_sq_posted(struct tuff_vqp *vqp);
void tuff_sq_done(struct tuff_vqp *vqp, struct tuff_swqe *wqe);
struct tuff_rwqe *tuff_rq_next(struct tuff_vqp *vqp);
void tuff_rq_done(struct tuff_vqp *vqp, struct tuff_rwqe *wqe);

/* cq.c; any context up to interrupts off. @wc is complete but for the ring. */
void tuff_cq_push(struct tuff_cq *cq, struct tuff_vqp *vqp,
		  const struct ib_wc *wc, bool solicited);

/* qp.c: deliver an asynchronous event later, outside all locks. */
void tuff_vqp_event(struct tuff_vqp *vqp, enum ib_event_type event);

#endif /* _TUFF_VERBS_QUEUE_H */
