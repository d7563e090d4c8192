// SPDX-License-Identifier: GPL-2.0
/* tuff: send queues: the next posted request, and what becomes of its slot */

#include "verbs/queue.h"

#include <linux/err.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "verbs/qp.h"

/*
 * Fetched requests of a user lie in memory of their own: no more of it than its
 * limits allow, and none of the reserves.
 */
#define TUFF_SQ_GFP	(GFP_NOWAIT | __GFP_NOWARN | __GFP_ACCOUNT)

/* Records of the common size that a QP keeps for its next requests. */
#define TUFF_SQ_SPARES	24

static struct tuff_swqe *tuff_sq_next_kernel(struct tuff_vqp *vqp)
{
	struct tuff_swqe *wqe;
	unsigned long flags;

	spin_lock_irqsave(&vqp->post_lock, flags);
	wqe = list_first_entry_or_null(&vqp->posted, struct tuff_swqe, node);
	if (wqe)
		list_del(&wqe->node);
	spin_unlock_irqrestore(&vqp->post_lock, flags);
	return wqe;
}

/*
 * A user's request is copied in two steps, its head and then as much of its
 * pieces or inline bytes as the head, now out of the user's reach, speaks of.
 * Returns the bytes of the copy, and in @size those of a record for it.
 */
static u32 tuff_sq_read(struct tuff_vqp *vqp, size_t *size)
{
	struct rxe_send_wqe *user = vqp->scratch;
	u32 num_sge, inline_len;
	u32 len;

	tuff_ring_copy(&vqp->sq, user, 0, sizeof(*user));
	num_sge = min_t(u32, user->dma.num_sge, vqp->qp.max_send_sge);
	inline_len = min_t(u32, user->dma.length, vqp->qp.max_inline);
	/* Without a piece the length is one of inline bytes, flag or not. */
	if (num_sge && !(user->wr.send_flags & TUFF_SEND_INLINE))
		inline_len = 0;

	*size = tuff_swqe_size(num_sge, inline_len);
	len = max_t(u32, num_sge * sizeof(struct rxe_sge), inline_len);
	len = min_t(u32, len, vqp->scratch_len - sizeof(*user));
	tuff_ring_copy(&vqp->sq, user->dma.inline_data, sizeof(*user), len);
	return sizeof(*user) + len;
}

/* A record of @size bytes; all but the large ones are of one size. */
static struct tuff_swqe *tuff_sq_alloc(struct tuff_vqp *vqp, size_t size)
{
	const size_t common = tuff_swqe_size(1, 0);
	struct tuff_swqe *wqe;

	if (size > common)
		return kmalloc(size, TUFF_SQ_GFP);
	wqe = list_first_entry_or_null(&vqp->free, struct tuff_swqe, node);
	if (!wqe)
		return kmalloc(common, TUFF_SQ_GFP);
	list_del(&wqe->node);
	vqp->nr_spares--;
	return wqe;
}

static void tuff_sq_free(struct tuff_vqp *vqp, struct tuff_swqe *wqe)
{
	if (!wqe->common_size || vqp->nr_spares == TUFF_SQ_SPARES) {
		kfree(wqe);
		return;
	}
	list_add(&wqe->node, &vqp->free);
	vqp->nr_spares++;
}

static struct tuff_swqe *tuff_sq_next_user(struct tuff_vqp *vqp)
{
	struct tuff_swqe *wqe;
	size_t size;
	u32 bytes;

	if (!tuff_ring_posted(&vqp->sq))
		return NULL;
	bytes = tuff_sq_read(vqp, &size);
	wqe = tuff_sq_alloc(vqp, size);
	if (!wqe)
		return ERR_PTR(-ENOMEM);
	tuff_ring_advance(&vqp->sq);
	tuff_swqe_load(&vqp->qp, wqe, vqp->scratch, bytes);
	wqe->common_size = size <= tuff_swqe_size(1, 0);
	return wqe;
}

/**
 * tuff_sq_next() - fetch the next posted send request
 * @vqp: queue pair
 *
 * Context: owner of @vqp.
 * Return: its record, for tuff_sq_done() in the order of fetching; NULL when
 * nothing is posted; ERR_PTR(-ENOMEM) when it stays posted for lack of memory.
 */
struct tuff_swqe *tuff_sq_next(struct tuff_vqp *vqp)
{
	return vqp->qp.user ? tuff_sq_next_user(vqp) :
			      tuff_sq_next_kernel(vqp);
}

/**
 * tuff_sq_posted() - is there a send request to be fetched?
 * @vqp: queue pair
 *
 * Context: owner of @vqp.
 * Return: yes or no.
 */
bool tuff_sq_posted(struct tuff_vqp *vqp)
{
	if (vqp->qp.user)
		return tuff_ring_posted(&vqp->sq);
	/* A post that is missed here kicks the QP when it is done. */
	return !list_empty_careful(&vqp->posted);
}

/**
 * tuff_sq_done() - a send request has left the queue
 * @vqp: queue pair
 * @wqe: its record, the oldest one fetched
 *
 * Its slot is the consumer's again. The engine calls this before it reports
 * the completion: whoever sees that may post at once.
 *
 * Context: owner of @vqp.
 */
void tuff_sq_done(struct tuff_vqp *vqp, struct tuff_swqe *wqe)
{
	unsigned long flags;

	tuff_swqe_release(&vqp->qp, wqe);
	if (vqp->qp.user) {
		vqp->gather.told = wqe->flags & TUFF_SEND_SIGNALED;
		tuff_sq_free(vqp, wqe);
		tuff_ring_release(&vqp->sq);
		return;
	}
	spin_lock_irqsave(&vqp->post_lock, flags);
	list_add(&wqe->node, &vqp->free);
	spin_unlock_irqrestore(&vqp->post_lock, flags);
}

/**
 * tuff_sq_discard() - drop what was posted and not fetched
 * @vqp: queue pair in RESET, or before RTS; nothing is fetched
 *
 * Context: owner of @vqp.
 */
void tuff_sq_discard(struct tuff_vqp *vqp)
{
	struct tuff_swqe *wqe;

	if (tuff_ring_exists(&vqp->sq))
		tuff_ring_discard(&vqp->sq);
	while ((wqe = tuff_sq_next_kernel(vqp)))
		tuff_sq_done(vqp, wqe);
}

/**
 * tuff_sq_free_spares() - free the records that are kept for later requests
 * @vqp: queue pair of a user, on its way out
 *
 * Context: process.
 */
void tuff_sq_free_spares(struct tuff_vqp *vqp)
{
	struct tuff_swqe *wqe, *next;

	list_for_each_entry_safe(wqe, next, &vqp->free, node)
		kfree(wqe);
}
