// SPDX-License-Identifier: GPL-2.0
/* tuff: completion queues: filling, polling, arming, resizing */

#include "verbs/cq.h"

#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/dev.h"
#include "verbs/limits.h"
#include "verbs/qp.h"
#include "verbs/queue.h"

/* IBV_WC_WITH_INV: libibverbs and the kernel count these flags differently. */
#define TUFF_UVERBS_WC_WITH_INV		BIT(3)

static u32 tuff_cq_elem_size(bool user)
{
	return user ? sizeof(struct ib_uverbs_wc) : sizeof(struct ib_wc);
}

/*
 * Calls into the consumer. In a tasklet, since verbs and QP runs must not make
 * them: a kernel consumer's handler may well post, poll or arm.
 */
static void tuff_cq_tasklet(struct tasklet_struct *tasklet)
{
	struct tuff_cq *cq = from_tasklet(cq, tasklet, tasklet);
	struct ib_event event = { .event = IB_EVENT_CQ_ERR };
	struct ib_cq *ibcq;
	u8 todo;

	spin_lock_irq(&cq->lock);
	ibcq = cq->ibcq;
	todo = cq->todo;
	cq->todo = 0;
	spin_unlock_irq(&cq->lock);

	/* Destroy waits for this tasklet before the shell goes. */
	if (!ibcq)
		return;
	if (todo & TUFF_CQ_TODO_COMP && ibcq->comp_handler)
		ibcq->comp_handler(ibcq, ibcq->cq_context);
	if (todo & TUFF_CQ_TODO_ERR && ibcq->event_handler) {
		event.device = ibcq->device;
		event.element.cq = ibcq;
		ibcq->event_handler(&event, ibcq->cq_context);
	}
}

static void tuff_cq_owe_locked(struct tuff_cq *cq, u8 todo)
{
	lockdep_assert_held(&cq->lock);

	if (!cq->ibcq)
		return;
	cq->todo |= todo;
	tasklet_schedule(&cq->tasklet);
}

/*
 * uverbs' handler only queues an event and wakes the reader: it may be called
 * under locks, and the reader then need not wait for a softirq.
 */
static void tuff_cq_notify_locked(struct tuff_cq *cq)
{
	lockdep_assert_held(&cq->lock);

	cq->armed = 0;
	if (!cq->user)
		tuff_cq_owe_locked(cq, TUFF_CQ_TODO_COMP);
	else if (cq->ibcq)
		cq->ibcq->comp_handler(cq->ibcq, cq->ibcq->cq_context);
}

static void tuff_cq_break_locked(struct tuff_cq *cq)
{
	lockdep_assert_held(&cq->lock);

	if (cq->broken)
		return;
	cq->broken = true;
	tuff_dev_count(cq->dev, TUFF_CNT_CQ_OVERFLOW);
	tuff_cq_owe_locked(cq, TUFF_CQ_TODO_ERR);
}

static void tuff_cq_fill_user(struct ib_uverbs_wc *dst, const struct ib_wc *wc,
			      u32 qpn)
{
	u32 flags = wc->wc_flags & (IB_WC_GRH | IB_WC_WITH_IMM);

	if (wc->wc_flags & IB_WC_WITH_INVALIDATE)
		flags |= TUFF_UVERBS_WC_WITH_INV;

	*dst = (struct ib_uverbs_wc) {
		.wr_id = wc->wr_id,
		.status = wc->status,
		.opcode = wc->opcode,
		.vendor_err = wc->vendor_err,
		.byte_len = wc->byte_len,
		.ex.imm_data = wc->ex.imm_data,
		.qp_num = qpn,
		.src_qp = wc->src_qp,
		.wc_flags = flags,
		.pkey_index = wc->pkey_index,
		.slid = wc->slid,
		.sl = wc->sl,
		.dlid_path_bits = wc->dlid_path_bits,
		.port_num = wc->port_num,
	};
}

/* Errors count as solicited (IBA 11.4.2.2). */
static bool tuff_cq_wants_locked(const struct tuff_cq *cq,
				 const struct ib_wc *wc, bool solicited)
{
	lockdep_assert_held(&cq->lock);

	if (cq->armed & IB_CQ_NEXT_COMP)
		return true;
	return cq->armed & IB_CQ_SOLICITED &&
	       (solicited || wc->status != IB_WC_SUCCESS);
}

static bool tuff_cq_push_locked(struct tuff_cq *cq, const struct ib_wc *wc,
				u32 qpn, bool solicited)
{
	int held;

	lockdep_assert_held(&cq->lock);

	if (cq->broken)
		return false;
	held = tuff_ring_held(&cq->ring);
	if (held < 0 || held >= cq->ring.mask) {
		tuff_cq_break_locked(cq);
		return false;
	}
	if (cq->user)
		tuff_cq_fill_user(tuff_ring_slot(&cq->ring), wc, qpn);
	else
		*(struct ib_wc *)tuff_ring_slot(&cq->ring) = *wc;
	tuff_ring_publish(&cq->ring);
	if (tuff_cq_wants_locked(cq, wc, solicited))
		tuff_cq_notify_locked(cq);
	return true;
}

/**
 * tuff_cq_push() - write one completion
 * @cq: completion queue
 * @vqp: queue pair it is of
 * @wc: the completion, with @wc->qp set
 * @solicited: it answers a solicited event
 *
 * A queue that has no room is in error from then on: IB_EVENT_CQ_ERR is
 * reported once and no entry is overwritten. The QP is asked to go to ERR on
 * its next run (IBA 10.10.2.2), see TUFF_VQP_CQ_BROKEN.
 *
 * Context: any, interrupts off included.
 * Return: whether it was written.
 */
bool tuff_cq_push(struct tuff_cq *cq, struct tuff_vqp *vqp,
		  const struct ib_wc *wc, bool solicited)
{
	unsigned long flags;
	bool ok;

	spin_lock_irqsave(&cq->lock, flags);
	ok = tuff_cq_push_locked(cq, wc, vqp->qp.qpn, solicited);
	spin_unlock_irqrestore(&cq->lock, flags);
	if (!ok)
		tuff_vqp_cq_broken(vqp);
	return ok;
}

/**
 * tuff_cq_clean() - forget the completions of a queue pair
 * @cq: completion queue
 * @ibqp: queue pair that goes away, or to RESET
 *
 * Entries of a kernel consumer point to the QP that ib_core is about to free.
 * A user's carry a number only, and the ring may be read just now: they stay.
 *
 * Context: any.
 */
void tuff_cq_clean(struct tuff_cq *cq, const struct ib_qp *ibqp)
{
	struct tuff_ring *ring = &cq->ring;
	unsigned long flags;
	u32 from, to;

	if (cq->user)
		return;
	spin_lock_irqsave(&cq->lock, flags);
	for (from = ring->tail, to = from; from != ring->head; from++) {
		struct ib_wc *wc = tuff_ring_at(ring, from);

		if (wc->qp == ibqp)
			continue;
		if (to != from)
			*(struct ib_wc *)tuff_ring_at(ring, to) = *wc;
		to++;
	}
	ring->head = to;
	ring->buf->producer_index = to & ring->mask;
	spin_unlock_irqrestore(&cq->lock, flags);
}

/**
 * tuff_poll_cq() - take completions
 * @ibcq: completion queue
 * @nr: entries of @wc
 * @wc: filled
 *
 * Users poll their ring themselves.
 *
 * Context: any, interrupts off included.
 * Return: completions taken, or -EINVAL for a user's queue.
 */
int tuff_poll_cq(struct ib_cq *ibcq, int nr, struct ib_wc *wc)
{
	struct tuff_cq *cq = tuff_cq_of(ibcq);
	unsigned long flags;
	int i;

	if (cq->user)
		return -EINVAL;
	spin_lock_irqsave(&cq->lock, flags);
	for (i = 0; i < nr; i++) {
		const struct ib_wc *oldest = tuff_ring_oldest(&cq->ring);

		if (!oldest)
			break;
		wc[i] = *oldest;
		tuff_ring_release(&cq->ring);
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	return i;
}

/**
 * tuff_req_notify_cq() - ask for a call at the next completion
 * @ibcq: completion queue
 * @flags: which completion, and whether to tell of those that are there
 *
 * Asking for any completion wins over asking for solicited ones, until the
 * call (IBA 11.4.2.2).
 *
 * Context: any, interrupts off included.
 * Return: 1 when IB_CQ_REPORT_MISSED_EVENTS was asked for and there are
 * completions which no call will announce, else 0.
 */
int tuff_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags)
{
	struct tuff_cq *cq = tuff_cq_of(ibcq);
	unsigned long irq_flags;
	int missed = 0;

	spin_lock_irqsave(&cq->lock, irq_flags);
	cq->armed |= flags & IB_CQ_SOLICITED_MASK;
	if (flags & IB_CQ_REPORT_MISSED_EVENTS)
		missed = tuff_ring_held(&cq->ring) > 0;
	spin_unlock_irqrestore(&cq->lock, irq_flags);
	return missed;
}

/**
 * tuff_cq_release() - the last reference to a completion queue is gone
 * @ref: &tuff_cq.ref
 *
 * Context: Process context.
 */
void tuff_cq_release(struct kref *ref)
{
	struct tuff_cq *cq = container_of(ref, struct tuff_cq, ref);

	tuff_ring_destroy(&cq->ring);
	atomic_dec(&cq->dev->nr_cqs);
	kfree(cq);
}

static struct tuff_cq *tuff_cq_alloc(struct ib_cq *ibcq, bool user)
{
	struct tuff_dev *dev = tuff_dev_of(ibcq->device);
	struct tuff_cq *cq;

	if (!atomic_add_unless(&dev->nr_cqs, 1, TUFF_MAX_CQ))
		return NULL;
	cq = kzalloc_obj(*cq, GFP_KERNEL_ACCOUNT);
	if (!cq) {
		atomic_dec(&dev->nr_cqs);
		return NULL;
	}
	kref_init(&cq->ref);
	spin_lock_init(&cq->lock);
	mutex_init(&cq->resize);
	tasklet_setup(&cq->tasklet, tuff_cq_tasklet);
	cq->dev = dev;
	cq->ibcq = ibcq;
	cq->user = user;
	return cq;
}

static int tuff_cq_check_attr(const struct ib_cq *ibcq,
			      const struct ib_cq_init_attr *attr)
{
	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > TUFF_MAX_CQE)
		return -EINVAL;
	if (attr->comp_vector >= ibcq->device->num_comp_vectors)
		return -EINVAL;
	return 0;
}

/**
 * tuff_create_cq() - create a completion queue
 * @ibcq: ib_core's shell
 * @attr: size and completion vector
 * @attrs: of the user's call, NULL for a kernel consumer
 *
 * Context: Process context.
 * Return: 0 or errno. IBA 11.2.8.1.
 */
int tuff_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct ib_udata *udata = attrs ? &attrs->driver_udata : NULL;
	struct rxe_create_cq_resp resp = {};
	struct tuff_cq *cq;
	int err;

	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;
	err = tuff_cq_check_attr(ibcq, attr);
	if (err)
		return err;

	cq = tuff_cq_alloc(ibcq, udata);
	if (!cq)
		return -ENOMEM;
	err = tuff_ring_create(&cq->ring, udata, attr->cqe,
			       tuff_cq_elem_size(udata), &resp.mi);
	if (!err && udata)
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (err) {
		tuff_cq_put(cq);
		return err;
	}
	ibcq->cqe = cq->ring.mask;
	container_of(ibcq, struct tuff_ibcq, ibcq)->cq = cq;
	return 0;
}

/**
 * tuff_destroy_cq() - destroy a completion queue
 * @ibcq: ib_core's shell, freed afterwards
 * @udata: not used
 *
 * No QP completes to it any more: ib_core counts its users. When this returns
 * no handler of the consumer runs, and none will.
 *
 * Context: Process context.
 * Return: 0.
 */
int tuff_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	struct tuff_cq *cq = tuff_cq_of(ibcq);

	spin_lock_irq(&cq->lock);
	cq->ibcq = NULL;
	spin_unlock_irq(&cq->lock);
	tasklet_kill(&cq->tasklet);
	tuff_cq_put(cq);
	return 0;
}

/* A step of that; -EAGAIN: it was not the last one. */
static int tuff_cq_move_locked(struct tuff_cq *cq, struct tuff_ring_move *m)
{
	struct tuff_ring *ring = &cq->ring;
	int held;

	lockdep_assert_held(&cq->lock);

	held = tuff_ring_held(ring);
	if (held < 0 || held > m->to->mask)
		return -EINVAL;
	if (!tuff_ring_move(m, ring, ring->tail, ring->head))
		return -EAGAIN;
	m->to->head = m->to->tail + held;
	swap(*ring, *m->to);
	cq->ibcq->cqe = ring->mask;
	return 0;
}

/*
 * Exchange the rings; @ring is the new one, then the old one. A kernel
 * consumer's is moved at once: tuff_cq_clean() may change what is in it.
 */
static int tuff_cq_swap(struct tuff_cq *cq, struct tuff_ring *ring)
{
	struct tuff_ring_move m = {
		.to = ring,
		.max = cq->user ? TUFF_RING_MOVE_BYTES / ring->stride : U32_MAX,
	};
	int err;

	mutex_lock(&cq->resize);
	do {
		spin_lock_irq(&cq->lock);
		err = tuff_cq_move_locked(cq, &m);
		spin_unlock_irq(&cq->lock);
		cond_resched();
	} while (err == -EAGAIN);
	mutex_unlock(&cq->resize);
	return err;
}

/**
 * tuff_resize_user_cq() - change the size of a completion queue
 * @ibcq: completion queue
 * @cqe: entries it has to hold
 * @udata: of the user's call; NULL for a kernel consumer
 *
 * Completions held and those that come meanwhile are kept, in order.
 *
 * Context: Process context.
 * Return: 0; -EINVAL when more are held than would fit; other errno.
 * IBA 11.2.8.3.
 */
int tuff_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			struct ib_udata *udata)
{
	struct tuff_cq *cq = tuff_cq_of(ibcq);
	struct rxe_resize_cq_resp resp = {};
	struct tuff_ring ring = {};
	int err;

	if (cq->user != !!udata)
		return -EINVAL;
	if (udata && udata->outlen < sizeof(resp))
		return -EINVAL;
	if (!cqe || cqe > TUFF_MAX_CQE)
		return -EINVAL;

	err = tuff_ring_create(&ring, udata, cqe, tuff_cq_elem_size(udata),
			       &resp.mi);
	/* The last step that can fail for a bad pointer comes first. */
	if (!err && udata)
		err = ib_copy_to_udata(udata, &resp, sizeof(resp));
	if (!err)
		err = tuff_cq_swap(cq, &ring);
	tuff_ring_destroy(&ring);
	return err;
}
