// SPDX-License-Identifier: GPL-2.0
/* tuff: posting of work requests, and the doorbell */

#include "verbs/post.h"

#include <linux/list.h>

#include "engine/wqe.h"
#include "verbs/av.h"
#include "verbs/gather.h"
#include "verbs/qp.h"
#include "verbs/queue.h"
#include "verbs/srq.h"
#include "owner.h"

#define TUFF_POST_FLAGS							\
	(IB_SEND_FENCE | IB_SEND_SIGNALED | IB_SEND_SOLICITED | IB_SEND_INLINE)

/* IBA 10.3.1: before RTS a send request is an immediate error. */
static bool tuff_post_send_allowed(const struct tuff_vqp *vqp)
{
	return READ_ONCE(vqp->qp.state) >= TUFF_QPS_RTS;
}

/*
 * A doorbell before RTS answers that what it announces is refused, so it has
 * to leave the ring: RTS must not find it there later.
 */
static int tuff_post_refuse(struct tuff_vqp *vqp)
{
	bool refused;

	tuff_owner_lock(vqp);
	refused = !tuff_post_send_allowed(vqp);
	if (refused)
		tuff_sq_discard(vqp);
	tuff_owner_unlock(vqp);
	return refused ? -EINVAL : 0;
}

static int tuff_post_doorbell(struct tuff_vqp *vqp)
{
	int err = 0;

	if (unlikely(!tuff_post_send_allowed(vqp)))
		err = tuff_post_refuse(vqp);
	if (err || tuff_gather_doorbell(vqp))
		return err;
	tuff_owner_kick(vqp);
	tuff_gather_done(vqp);
	return 0;
}

static void tuff_post_fill_remote(const struct tuff_qp *qp,
				  struct tuff_swqe *wqe,
				  const struct ib_send_wr *wr)
{
	wqe->imm = wr->ex.imm_data;

	if (!tuff_qp_connected(qp)) {
		const struct ib_ud_wr *ud = ud_wr(wr);

		if (ud->ah)
			wqe->av = tuff_av_get_ah(ud->ah);
		wqe->dqpn = ud->remote_qpn & TUFF_QPN_MASK;
		wqe->qkey = ud->remote_qkey;
		wqe->pkey_index = ud->pkey_index;
		return;
	}

	switch (wr->opcode) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		wqe->va = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->va = atomic_wr(wr)->remote_addr;
		wqe->rkey = atomic_wr(wr)->rkey;
		wqe->compare_add = atomic_wr(wr)->compare_add;
		wqe->swap = atomic_wr(wr)->swap;
		break;
	default:
		break;
	}
}

static void tuff_post_fill(struct tuff_qp *qp, struct tuff_swqe *wqe,
			   const struct ib_send_wr *wr)
{
	const struct ib_sge *sge = wr->sg_list;
	int i;

	tuff_swqe_init(wqe);
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags & TUFF_POST_FLAGS;
	tuff_post_fill_remote(qp, wqe, wr);
	for (i = 0; i < wr->num_sge; i++, sge++) {
		/* Without a DMA device an address is a kernel pointer. */
		if (wr->send_flags & IB_SEND_INLINE)
			tuff_swqe_add_inline(qp, wqe,
					     (void *)(uintptr_t)sge->addr,
					     sge->length);
		else
			tuff_swqe_add_sge(qp, wqe, sge->addr, sge->length,
					  sge->lkey);
	}
	tuff_swqe_check(qp, wqe);
}

/*
 * What is wrong with the request itself is an immediate error; what is wrong
 * with its memory becomes its completion (IBA 11.4.1.1).
 */
static int tuff_post_one_locked(struct tuff_vqp *vqp,
				const struct ib_send_wr *wr)
{
	struct tuff_swqe *wqe;

	lockdep_assert_held(&vqp->post_lock);

	if (!tuff_post_send_allowed(vqp))
		return -EINVAL;
	wqe = list_first_entry_or_null(&vqp->free, struct tuff_swqe, node);
	if (!wqe)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > vqp->qp.max_send_sge)
		return -EINVAL;
	tuff_post_fill(&vqp->qp, wqe, wr);
	if (wqe->status == TUFF_WC_LOC_QP_OP_ERR) {
		tuff_swqe_release(&vqp->qp, wqe);
		return -EINVAL;
	}
	list_move_tail(&wqe->node, &vqp->posted);
	return 0;
}

static int tuff_post_send_kernel(struct tuff_vqp *vqp,
				 const struct ib_send_wr *wr,
				 const struct ib_send_wr **bad_wr)
{
	const struct ib_send_wr *first = wr;
	unsigned long flags;
	int err = 0;

	spin_lock_irqsave(&vqp->post_lock, flags);
	for (; wr; wr = wr->next) {
		err = tuff_post_one_locked(vqp, wr);
		if (err)
			break;
	}
	spin_unlock_irqrestore(&vqp->post_lock, flags);

	if (err)
		*bad_wr = wr;
	if (wr != first)
		tuff_owner_kick(vqp);
	return err;
}

/**
 * tuff_post_send() - post send requests
 * @ibqp: queue pair
 * @wr: kernel consumers: list of requests; users: NULL, the doorbell for what
 *	is in their ring
 * @bad_wr: the first request that was not posted
 *
 * Context: any, interrupts off included; users: process context.
 * Return: 0; -EINVAL (state, request, or requests to a user's QP); -ENOMEM
 * (queue full). IBA 11.4.1.1.
 */
int tuff_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr)
{
	struct tuff_vqp *vqp = tuff_vqp_of(ibqp);

	if (!vqp->qp.user)
		return tuff_post_send_kernel(vqp, wr, bad_wr);
	if (wr) {
		*bad_wr = wr;
		return -EINVAL;
	}
	return tuff_post_doorbell(vqp);
}

/* Under the lock of @ring's producers. */
static int tuff_post_one_recv(struct tuff_ring *ring, u32 max_sge,
			      const struct ib_recv_wr *wr)
{
	struct rxe_recv_wqe *slot;
	int i;

	if (wr->num_sge < 0 || wr->num_sge > max_sge)
		return -EINVAL;
	slot = tuff_ring_free_slot(ring);
	if (!slot)
		return -ENOMEM;
	slot->wr_id = wr->wr_id;
	slot->dma.num_sge = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++) {
		slot->dma.sge[i].addr = wr->sg_list[i].addr;
		slot->dma.sge[i].length = wr->sg_list[i].length;
		slot->dma.sge[i].lkey = wr->sg_list[i].lkey;
	}
	tuff_ring_post(ring);
	return 0;
}

static int tuff_post_recv_list(struct tuff_ring *ring, u32 max_sge,
			       const struct ib_recv_wr *wr,
			       const struct ib_recv_wr **bad_wr)
{
	int err;

	for (; wr; wr = wr->next) {
		err = tuff_post_one_recv(ring, max_sge, wr);
		if (err) {
			*bad_wr = wr;
			return err;
		}
	}
	return 0;
}

/**
 * tuff_post_recv() - post receive requests
 * @ibqp: queue pair of a kernel consumer; users write to their ring
 * @wr: list of requests
 * @bad_wr: the first request that was not posted
 *
 * Context: any, interrupts off included.
 * Return: 0; -EINVAL (state, request, user's QP, or QP with an SRQ); -ENOMEM
 * (queue full). IBA 11.4.1.2.
 */
int tuff_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr)
{
	struct tuff_vqp *vqp = tuff_vqp_of(ibqp);
	unsigned long flags;
	int err = -EINVAL;

	*bad_wr = wr;
	if (vqp->qp.user || vqp->srq)
		return -EINVAL;

	spin_lock_irqsave(&vqp->post_lock, flags);
	if (READ_ONCE(vqp->qp.state) != TUFF_QPS_RESET)
		err = tuff_post_recv_list(&vqp->rq, vqp->qp.max_recv_sge, wr,
					  bad_wr);
	spin_unlock_irqrestore(&vqp->post_lock, flags);

	/*
	 * Elsewhere the next packet finds it; in ERR none comes. The barrier
	 * pairs with tuff_rq_next(): either finds what the other did.
	 */
	smp_mb();
	if (READ_ONCE(vqp->qp.state) == TUFF_QPS_ERR)
		tuff_owner_kick(vqp);
	return err;
}

/**
 * tuff_post_srq_recv() - post receive requests to a shared queue
 * @ibsrq: shared receive queue of a kernel consumer
 * @wr: list of requests
 * @bad_wr: the first request that was not posted
 *
 * Context: any, interrupts off included.
 * Return: 0; -EINVAL (request, or user's queue); -ENOMEM (queue full).
 * IBA 11.4.1.2.
 */
int tuff_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr)
{
	struct tuff_srq *srq = tuff_srq_of(ibsrq);
	unsigned long flags;
	int err;

	*bad_wr = wr;
	if (srq->user)
		return -EINVAL;
	spin_lock_irqsave(&srq->lock, flags);
	err = tuff_post_recv_list(&srq->ring, srq->max_sge, wr, bad_wr);
	spin_unlock_irqrestore(&srq->lock, flags);
	return err;
}
