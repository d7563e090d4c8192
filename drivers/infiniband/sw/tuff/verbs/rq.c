// SPDX-License-Identifier: GPL-2.0
/* tuff: receive queues: the next posted request, and what becomes of its slot */

#include "verbs/queue.h"

#include <linux/minmax.h>

#include "verbs/qp.h"
#include "verbs/srq.h"

/**
 * tuff_rq_read() - copy the next receive request out of a ring
 * @ring: receive queue with something posted
 * @dst: kernel memory
 * @len: its size, at least that of *@dst
 *
 * The head first, then as many pieces as it speaks of and fit in @dst.
 *
 * Context: the one taker of @ring.
 * Return: bytes of the copy.
 */
u32 tuff_rq_read(const struct tuff_ring *ring, struct rxe_recv_wqe *dst,
		 u32 len)
{
	u32 num_sge, bytes;

	tuff_ring_copy(ring, dst, 0, sizeof(*dst));
	num_sge = min_t(u32, dst->dma.num_sge,
			(len - sizeof(*dst)) / sizeof(struct rxe_sge));
	bytes = num_sge * sizeof(struct rxe_sge);
	tuff_ring_copy(ring, dst->dma.sge, sizeof(*dst), bytes);
	return sizeof(*dst) + bytes;
}

/**
 * tuff_rq_next() - fetch the next posted receive request
 * @vqp: queue pair; its own queue or the shared one
 *
 * Context: owner of @vqp.
 * Return: its record, until tuff_rq_done(); NULL when nothing is posted.
 */
struct tuff_rwqe *tuff_rq_next(struct tuff_vqp *vqp)
{
	struct rxe_recv_wqe *user = vqp->scratch;
	u32 max_sge = vqp->qp.max_recv_sge;
	u32 bytes;

	if (vqp->srq) {
		max_sge = vqp->srq->max_sge;
		bytes = tuff_srq_take(vqp->srq, user, vqp->scratch_len);
		if (!bytes)
			return NULL;
	} else {
		if (unlikely(vqp->qp.state == TUFF_QPS_ERR))
			smp_mb();	/* pairs with tuff_post_recv() */
		if (!tuff_ring_posted(&vqp->rq)) {
			tuff_flush_watch(vqp);
			return NULL;
		}
		bytes = tuff_rq_read(&vqp->rq, user, vqp->scratch_len);
		tuff_ring_advance(&vqp->rq);
	}
	tuff_rwqe_load(&vqp->qp, vqp->rwqe, user, bytes, max_sge);
	return vqp->rwqe;
}

/**
 * tuff_rq_done() - a receive request has left the queue
 * @vqp: queue pair
 * @wqe: what tuff_rq_next() gave last
 *
 * As with tuff_sq_done() this comes before the completion.
 *
 * Context: owner of @vqp.
 */
void tuff_rq_done(struct tuff_vqp *vqp, struct tuff_rwqe *wqe)
{
	tuff_rwqe_release(&vqp->qp, wqe);
	/* A shared queue's slot went back when it was read. */
	if (!vqp->srq)
		tuff_ring_release(&vqp->rq);
}

/**
 * tuff_rq_discard() - drop what was posted
 * @vqp: queue pair in RESET
 *
 * Context: owner of @vqp.
 */
void tuff_rq_discard(struct tuff_vqp *vqp)
{
	unsigned long flags;

	if (!tuff_ring_exists(&vqp->rq))
		return;
	spin_lock_irqsave(&vqp->post_lock, flags);
	tuff_ring_discard(&vqp->rq);
	spin_unlock_irqrestore(&vqp->post_lock, flags);
}
