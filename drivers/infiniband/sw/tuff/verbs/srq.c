// SPDX-License-Identifier: GPL-2.0
/* tuff: shared receive queues: life, limit event, the next request */

#include "verbs/srq.h"

#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/xarray.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/dev.h"
#include "verbs/limits.h"
#include "verbs/queue.h"

/* Numbers stay clear of 0, and away from QP numbers for whoever reads both. */
#define TUFF_SRQ_NUMBERS	XA_LIMIT(0x10001, 0xffffff)

static u32 tuff_srq_elem_size(u32 max_sge)
{
	return sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge);
}

static void tuff_srq_limit_work(struct work_struct *work)
{
	struct tuff_srq *srq = container_of(work, struct tuff_srq, limit_work);
	struct ib_srq *ibsrq = srq->ibsrq;
	struct ib_event event = {
		.device = ibsrq->device,
		.element.srq = ibsrq,
		.event = IB_EVENT_SRQ_LIMIT_REACHED,
	};

	if (ibsrq->event_handler)
		ibsrq->event_handler(&event, ibsrq->srq_context);
}

/**
 * tuff_srq_take() - take the next posted receive request
 * @srq: shared receive queue
 * @dst: kernel memory for a copy
 * @len: its size
 *
 * The slot is the consumer's again at once: QPs finish in any order.
 *
 * Context: owner of a QP that receives from @srq.
 * Return: bytes of the copy, 0 when nothing is posted.
 */
u32 tuff_srq_take(struct tuff_srq *srq, struct rxe_recv_wqe *dst, u32 len)
{
	unsigned long flags;
	u32 bytes = 0;
	u32 posted;

	spin_lock_irqsave(&srq->lock, flags);
	posted = tuff_ring_posted(&srq->ring);
	if (posted) {
		bytes = tuff_rq_read(&srq->ring, dst, len);
		tuff_ring_advance(&srq->ring);
		tuff_ring_release(&srq->ring);
		if (posted <= srq->limit) {
			srq->limit = 0;
			schedule_work(&srq->limit_work);
		}
	}
	spin_unlock_irqrestore(&srq->lock, flags);
	return bytes;
}

/**
 * tuff_srq_release() - the last reference to a shared receive queue is gone
 * @ref: &tuff_srq.ref
 *
 * Context: Process context.
 */
void tuff_srq_release(struct kref *ref)
{
	struct tuff_srq *srq = container_of(ref, struct tuff_srq, ref);

	if (srq->num)
		xa_erase_irq(&srq->dev->srqs, srq->num);
	tuff_ring_destroy(&srq->ring);
	atomic_dec(&srq->dev->nr_srqs);
	kfree(srq);
}

static int tuff_srq_check_init(const struct ib_srq_init_attr *init)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr || init->attr.max_wr > TUFF_MAX_SRQ_WR)
		return -EINVAL;
	if (init->attr.max_sge > TUFF_MAX_SRQ_SGE)
		return -EINVAL;
	/* The limit is none of the input: it is armed by modify (IBA 11.2.3.1). */
	return 0;
}

static struct tuff_srq *tuff_srq_alloc(struct ib_srq *ibsrq,
				       const struct ib_srq_init_attr *init,
				       bool user)
{
	struct tuff_dev *dev = tuff_dev_of(ibsrq->device);
	struct tuff_srq *srq;

	if (!atomic_add_unless(&dev->nr_srqs, 1, TUFF_MAX_SRQ))
		return NULL;
	srq = kzalloc_obj(*srq, GFP_KERNEL_ACCOUNT);
	if (!srq) {
		atomic_dec(&dev->nr_srqs);
		return NULL;
	}
	kref_init(&srq->ref);
	spin_lock_init(&srq->lock);
	mutex_init(&srq->resize);
	INIT_WORK(&srq->limit_work, tuff_srq_limit_work);
	srq->dev = dev;
	srq->ibsrq = ibsrq;
	srq->user = user;
	srq->max_sge = max(init->attr.max_sge, 1U);
	return srq;
}

static int tuff_srq_setup(struct tuff_srq *srq, u32 max_wr,
			  struct ib_udata *udata)
{
	struct rxe_create_srq_resp resp = {};
	struct tuff_dev *dev = srq->dev;
	int err;

	err = tuff_ring_create(&srq->ring, udata, max_wr,
			       tuff_srq_elem_size(srq->max_sge), &resp.mi);
	if (err)
		return err;
	err = xa_alloc_cyclic_irq(&dev->srqs, &srq->num, srq, TUFF_SRQ_NUMBERS,
				  &dev->next_srqn, GFP_KERNEL);
	if (err < 0)
		return err;
	resp.srq_num = srq->num;
	return udata ? ib_copy_to_udata(udata, &resp, sizeof(resp)) : 0;
}

/**
 * tuff_create_srq() - create a shared receive queue
 * @ibsrq: ib_core's shell
 * @init: attributes; becomes what was granted
 * @udata: of the user's call, NULL for a kernel consumer
 *
 * Context: Process context.
 * Return: 0 or errno. IBA 11.2.3.1.
 */
int tuff_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata)
{
	struct tuff_srq *srq;
	int err;

	if (udata && udata->outlen < sizeof(struct rxe_create_srq_resp))
		return -EINVAL;
	err = tuff_srq_check_init(init);
	if (err)
		return err;

	srq = tuff_srq_alloc(ibsrq, init, udata);
	if (!srq)
		return -ENOMEM;
	err = tuff_srq_setup(srq, init->attr.max_wr, udata);
	if (err) {
		tuff_srq_put(srq);
		return err;
	}
	init->attr.max_wr = srq->ring.mask;
	init->attr.max_sge = srq->max_sge;
	container_of(ibsrq, struct tuff_ibsrq, ibsrq)->srq = srq;
	return 0;
}

/**
 * tuff_destroy_srq() - destroy a shared receive queue
 * @ibsrq: ib_core's shell, freed afterwards
 * @udata: not used
 *
 * No QP receives from it any more: ib_core counts its users.
 *
 * Context: Process context.
 * Return: 0.
 */
int tuff_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	struct tuff_srq *srq = tuff_srq_of(ibsrq);

	cancel_work_sync(&srq->limit_work);
	tuff_srq_put(srq);
	return 0;
}

/* A step of that; -EAGAIN: it was not the last one. */
static int tuff_srq_move_locked(struct tuff_srq *srq, struct tuff_ring_move *m)
{
	struct tuff_ring *ring = &srq->ring;
	u32 posted;

	lockdep_assert_held(&srq->lock);

	posted = tuff_ring_posted(ring);
	if (posted > m->to->mask)
		return -EINVAL;
	if (!tuff_ring_move(m, ring, ring->head, ring->head + posted))
		return -EAGAIN;
	m->to->head = m->to->tail;
	swap(*ring, *m->to);
	return 0;
}

/* Exchange the rings; @ring is the new one, then the old one. */
static int tuff_srq_swap(struct tuff_srq *srq, struct tuff_ring *ring)
{
	struct tuff_ring_move m = {
		.to = ring,
		.max = TUFF_RING_MOVE_BYTES / ring->stride,
	};
	int err;

	mutex_lock(&srq->resize);
	do {
		spin_lock_irq(&srq->lock);
		err = tuff_srq_move_locked(srq, &m);
		spin_unlock_irq(&srq->lock);
		cond_resched();
	} while (err == -EAGAIN);
	mutex_unlock(&srq->resize);
	return err;
}

/* librxe passes a pointer for the answer, which belongs in the response. */
static int tuff_srq_answer_resize(struct ib_udata *udata,
				  const struct mminfo *info)
{
	struct rxe_modify_srq_cmd cmd;
	int err;

	if (udata->inlen < sizeof(cmd))
		return -EINVAL;
	err = ib_copy_from_udata(&cmd, udata, sizeof(cmd));
	if (err)
		return err;
	if (copy_to_user(u64_to_user_ptr(cmd.mmap_info_addr), info,
			 sizeof(*info)))
		return -EFAULT;
	return 0;
}

static int tuff_srq_resize(struct tuff_srq *srq, u32 max_wr,
			   struct ib_udata *udata)
{
	struct tuff_ring ring = {};
	struct mminfo info = {};
	int err;

	if (srq->user != !!udata)
		return -EINVAL;
	err = tuff_ring_create(&ring, udata, max_wr,
			       tuff_srq_elem_size(srq->max_sge), &info);
	if (!err && udata)
		err = tuff_srq_answer_resize(udata, &info);
	if (!err)
		err = tuff_srq_swap(srq, &ring);
	tuff_ring_destroy(&ring);
	return err;
}

/**
 * tuff_modify_srq() - change the size or arm the limit
 * @ibsrq: shared receive queue
 * @attr: new values
 * @mask: which of them
 * @udata: of the user's call, NULL for a kernel consumer
 *
 * Context: Process context.
 * Return: 0; -EINVAL when a value is out of range or the new size is less
 * than what is posted; other errno. IBA 11.2.3.3.
 */
int tuff_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct tuff_srq *srq = tuff_srq_of(ibsrq);
	u32 max_wr = srq->ring.mask;
	u32 limit = srq->limit;
	int err;

	if (mask & ~(IB_SRQ_MAX_WR | IB_SRQ_LIMIT))
		return -EINVAL;
	if (mask & IB_SRQ_MAX_WR)
		max_wr = attr->max_wr;
	if (mask & IB_SRQ_LIMIT)
		limit = attr->srq_limit;
	if (!max_wr || max_wr > TUFF_MAX_SRQ_WR || limit > max_wr)
		return -EINVAL;

	if (mask & IB_SRQ_MAX_WR) {
		err = tuff_srq_resize(srq, max_wr, udata);
		if (err)
			return err;
		attr->max_wr = srq->ring.mask;
	}
	if (mask & IB_SRQ_LIMIT) {
		spin_lock_irq(&srq->lock);
		srq->limit = limit;
		spin_unlock_irq(&srq->lock);
	}
	return 0;
}

/**
 * tuff_query_srq() - what was granted, and the limit
 * @ibsrq: shared receive queue
 * @attr: filled
 *
 * Context: Process context.
 * Return: 0. IBA 11.2.3.2.
 */
int tuff_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct tuff_srq *srq = tuff_srq_of(ibsrq);

	spin_lock_irq(&srq->lock);
	attr->max_wr = srq->ring.mask;
	attr->max_sge = srq->max_sge;
	attr->srq_limit = srq->limit;
	spin_unlock_irq(&srq->lock);
	return 0;
}
