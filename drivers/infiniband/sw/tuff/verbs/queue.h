/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what world.c asks of the queues: next request, completion, event */
#ifndef _TUFF_VERBS_QUEUE_H
#define _TUFF_VERBS_QUEUE_H

#include <rdma/ib_verbs.h>

#include "engine/qp.h"
#include "engine/wqe.h"
#include "tuff.h"

struct rxe_recv_wqe;
struct tuff_ring;
struct work_struct;

/* sq.c and rq.c; all by the owner of @vqp. See engine/world.h for the rest. */
struct tuff_swqe *tuff_sq_next(struct tuff_vqp *vqp);
bool tuff_sq_posted(struct tuff_vqp *vqp);
void tuff_sq_done(struct tuff_vqp *vqp, struct tuff_swqe *wqe);
struct tuff_rwqe *tuff_rq_next(struct tuff_vqp *vqp);
void tuff_rq_done(struct tuff_vqp *vqp, struct tuff_rwqe *wqe);

/* By the owner, on the way through RESET: nothing is posted any more. */
void tuff_sq_discard(struct tuff_vqp *vqp);
void tuff_rq_discard(struct tuff_vqp *vqp);

/* After the last run of a user's QP. */
void tuff_sq_free_spares(struct tuff_vqp *vqp);

/* rq.c: one receive request out of a ring, into kernel memory. */
u32 tuff_rq_read(const struct tuff_ring *ring, struct rxe_recv_wqe *dst,
		 u32 len);

/*
 * cq.c; any context up to interrupts off. @wc is complete, @wc->qp too; for
 * users it is turned into their format. False: the completion is lost, the
 * queue is in error, and the QP follows it on its next run by itself.
 */
bool tuff_cq_push(struct tuff_cq *cq, struct tuff_vqp *vqp,
		  const struct ib_wc *wc, bool solicited);

/* event.c: deliver an asynchronous event later, outside all locks. */
void tuff_vqp_event(struct tuff_vqp *vqp, enum ib_event_type event);
void tuff_event_work(struct work_struct *work);

/* flush.c: by the owner, in ERR: nothing is left to flush for now. */
void tuff_flush_watch(struct tuff_vqp *vqp);
void tuff_flush_work(struct work_struct *work);

#endif /* _TUFF_VERBS_QUEUE_H */
