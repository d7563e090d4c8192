// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: queue pairs: creation, numbers, references, destruction
 *
 * ib_core owns the struct ib_qp, and frees it as soon as destroy returns.
 * What packets, timers and other CPUs reach is struct tuff_vqp. Destroy takes
 * it out of the number table, puts it to RESET, marks it DEAD and waits for
 * its timer and work items; then it frees in process context what only an
 * owner that is not DEAD looks at. Who still has a reference finds a DEAD
 * queue pair, and drops it. A creation that fails goes the same way.
 */

#include "verbs/qp.h"

#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/uverbs_ioctl.h>

#include "engine/wqe.h"
#include "verbs/av.h"
#include "verbs/cq.h"
#include "verbs/dev.h"
#include "verbs/gather.h"
#include "verbs/limits.h"
#include "verbs/mem.h"
#include "verbs/queue.h"
#include "verbs/srq.h"
#include "owner.h"
#include "wire/wire.h"

#define TUFF_QPN_GSI	1

/* 0 and 1 are management's, 0xffffff is multicast. */
#define TUFF_QPNS	XA_LIMIT(0x10, TUFF_QPN_MULTICAST - 1)

static u32 tuff_qp_send_elem(const struct tuff_qp *qp)
{
	return sizeof(struct rxe_send_wqe) +
	       max_t(u32, qp->max_inline,
		     qp->max_send_sge * sizeof(struct rxe_sge));
}

static u32 tuff_qp_recv_elem(u32 max_sge)
{
	return sizeof(struct rxe_recv_wqe) + max_sge * sizeof(struct rxe_sge);
}

/**
 * tuff_vqp_get() - look a queue pair up
 * @dev: device
 * @qpn: its number
 *
 * Context: any.
 * Return: a reference, or NULL.
 */
struct tuff_vqp *tuff_vqp_get(struct tuff_dev *dev, u32 qpn)
{
	struct tuff_vqp *vqp;

	rcu_read_lock();
	vqp = xa_load(&dev->qps, qpn);
	if (vqp && !kref_get_unless_zero(&vqp->ref))
		vqp = NULL;
	rcu_read_unlock();
	return vqp;
}

/**
 * tuff_vqp_release() - the last reference to a queue pair is gone
 * @ref: &tuff_vqp.ref
 *
 * It has been DEAD for long.
 *
 * Context: any.
 */
void tuff_vqp_release(struct kref *ref)
{
	struct tuff_vqp *vqp = container_of(ref, struct tuff_vqp, ref);

	tuff_dev_put(vqp->dev);
	kfree_rcu(vqp, rcu);
}

/**
 * tuff_vqp_cq_broken() - a completion was lost: the QP has to go to ERR
 * @vqp: queue pair
 *
 * Not here: the caller is in the middle of a run.
 *
 * Context: owner of @vqp.
 */
void tuff_vqp_cq_broken(struct tuff_vqp *vqp)
{
	set_bit(TUFF_VQP_CQ_BROKEN, &vqp->flags);
	tuff_owner_raise(vqp);
}

static int tuff_qp_check_cap(const struct ib_qp_cap *cap, bool has_srq)
{
	if (cap->max_send_wr > TUFF_MAX_QP_WR ||
	    cap->max_send_sge > TUFF_MAX_SGE ||
	    cap->max_inline_data > TUFF_MAX_INLINE)
		return -EINVAL;
	if (has_srq)
		return 0;
	if (cap->max_recv_wr > TUFF_MAX_QP_WR ||
	    cap->max_recv_sge > TUFF_MAX_SGE)
		return -EINVAL;
	return 0;
}

static int tuff_qp_check_type(const struct ib_qp_init_attr *init, bool user)
{
	switch (init->qp_type) {
	case IB_QPT_RC:
	case IB_QPT_UC:
	case IB_QPT_UD:
		return 0;
	case IB_QPT_GSI:
		if (user)
			return -EOPNOTSUPP;
		return init->port_num == 1 && !init->srq ? 0 : -EINVAL;
	default:
		return -EOPNOTSUPP;
	}
}

static int tuff_qp_check_init(const struct ib_qp *ibqp,
			      const struct ib_qp_init_attr *init, bool user)
{
	int err;

	if (init->create_flags)
		return -EOPNOTSUPP;
	err = tuff_qp_check_type(init, user);
	if (err)
		return err;
	if (!init->send_cq || !init->recv_cq)
		return -EINVAL;
	/* L_Keys of receives are looked up in the domain of the QP. */
	if (init->srq && init->srq->pd != ibqp->pd)
		return -EINVAL;
	return tuff_qp_check_cap(&init->cap, init->srq);
}

static int tuff_qp_check_udata(const struct ib_udata *udata)
{
	if (!udata)
		return 0;
	if (udata->inlen || udata->outlen < sizeof(struct rxe_create_qp_resp))
		return -EINVAL;
	return 0;
}

/* What is asked for, and with users what their ring elements then hold. */
static void tuff_qp_set_limits(struct tuff_qp *qp,
			       const struct ib_qp_cap *cap)
{
	u32 room = max_t(u32, cap->max_inline_data,
			 cap->max_send_sge * sizeof(struct rxe_sge));

	qp->max_send_wr = cap->max_send_wr;
	qp->max_send_sge = cap->max_send_sge;
	qp->max_inline = cap->max_inline_data;
	if (qp->user) {
		qp->max_send_sge = min_t(u32, TUFF_MAX_SGE,
					 room / sizeof(struct rxe_sge));
		qp->max_inline = min_t(u32, TUFF_MAX_INLINE, room);
	}
	if (!qp->has_srq)
		qp->max_recv_sge = cap->max_recv_sge;
}

static struct tuff_vqp *tuff_vqp_alloc(struct ib_qp *ibqp,
				       const struct ib_qp_init_attr *init,
				       bool user)
{
	struct tuff_dev *dev = tuff_dev_of(ibqp->device);
	struct tuff_vqp *vqp;
	struct tuff_qp *qp;

	if (!atomic_add_unless(&dev->nr_qps, 1, TUFF_MAX_QP))
		return NULL;
	vqp = kzalloc_obj(*vqp, GFP_KERNEL_ACCOUNT);
	if (!vqp) {
		atomic_dec(&dev->nr_qps);
		return NULL;
	}
	qp = &vqp->qp;
	kref_init(&vqp->ref);
	vqp->dev = dev;
	tuff_dev_get(dev);
	vqp->ibqp = ibqp;
	vqp->pd = ibqp->pd;
	tuff_owner_setup(vqp);
	tuff_gather_setup(vqp);
	tuff_loop_setup(vqp);
	spin_lock_init(&vqp->post_lock);
	INIT_LIST_HEAD(&vqp->posted);
	INIT_LIST_HEAD(&vqp->free);
	mutex_init(&vqp->attr_mutex);
	INIT_WORK(&vqp->event_work, tuff_event_work);
	INIT_DELAYED_WORK(&vqp->flush_work, tuff_flush_work);
	vqp->send_cq = tuff_cq_get(tuff_cq_of(init->send_cq));
	vqp->recv_cq = tuff_cq_get(tuff_cq_of(init->recv_cq));
	if (init->srq)
		vqp->srq = tuff_srq_get(tuff_srq_of(init->srq));

	tuff_qp_init(qp);
	qp->type = init->qp_type;
	qp->user = user;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->has_srq = init->srq;
	tuff_qp_set_limits(qp, &init->cap);
	return vqp;
}

/* Records that a kernel consumer's requests are copied into. */
static int tuff_vqp_alloc_records(struct tuff_vqp *vqp)
{
	struct tuff_qp *qp = &vqp->qp;
	size_t size = ALIGN(tuff_swqe_size(qp->max_send_sge, qp->max_inline),
			    __alignof__(struct tuff_swqe));
	u32 i;

	if (!qp->max_send_wr)
		return 0;
	vqp->records = kvcalloc(qp->max_send_wr, size, GFP_KERNEL);
	if (!vqp->records)
		return -ENOMEM;
	for (i = 0; i < qp->max_send_wr; i++) {
		struct tuff_swqe *wqe = vqp->records + i * size;

		list_add_tail(&wqe->node, &vqp->free);
	}
	return 0;
}

static int tuff_vqp_alloc_sq(struct tuff_vqp *vqp, struct ib_udata *udata,
			     struct rxe_create_qp_resp *resp)
{
	struct tuff_qp *qp = &vqp->qp;
	int err;

	if (!udata)
		return tuff_vqp_alloc_records(vqp);
	err = tuff_ring_create(&vqp->sq, udata, qp->max_send_wr,
			       tuff_qp_send_elem(qp), &resp->sq_mi);
	if (!err)
		qp->max_send_wr = vqp->sq.mask;
	return err;
}

/* The queue, and what one request on its way out of it needs. */
static int tuff_vqp_alloc_rq(struct tuff_vqp *vqp, u32 max_recv_wr,
			     struct ib_udata *udata,
			     struct rxe_create_qp_resp *resp)
{
	struct tuff_qp *qp = &vqp->qp;
	u32 max_sge = vqp->srq ? vqp->srq->max_sge : qp->max_recv_sge;
	u32 recv_elem = tuff_qp_recv_elem(max_sge);

	vqp->rwqe = kzalloc_flex(*vqp->rwqe, sge, max_sge, GFP_KERNEL_ACCOUNT);
	vqp->scratch_len = qp->user ? max(recv_elem, tuff_qp_send_elem(qp)) :
				      recv_elem;
	vqp->scratch = kmalloc(vqp->scratch_len, GFP_KERNEL_ACCOUNT);
	if (!vqp->rwqe || !vqp->scratch)
		return -ENOMEM;
	if (vqp->srq)
		return 0;
	return tuff_ring_create(&vqp->rq, udata, max_recv_wr, recv_elem,
				&resp->rq_mi);
}

static int tuff_vqp_alloc_queues(struct tuff_vqp *vqp, u32 max_recv_wr,
				 struct ib_udata *udata)
{
	struct rxe_create_qp_resp resp = {};
	int err;

	err = tuff_vqp_alloc_sq(vqp, udata, &resp);
	if (err)
		return err;
	err = tuff_vqp_alloc_rq(vqp, max_recv_wr, udata, &resp);
	if (err || !udata)
		return err;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/*
 * Numbers go round, from a random start: a packet that was on its way to a QP
 * now gone should find none. The table knows the number only, for now.
 */
static int tuff_vqp_number(struct tuff_vqp *vqp)
{
	struct tuff_dev *dev = vqp->dev;
	u32 qpn = TUFF_QPN_GSI;
	int err;

	if (vqp->qp.type == TUFF_QPT_GSI)
		err = xa_insert_irq(&dev->qps, qpn, NULL, GFP_KERNEL);
	else
		err = xa_alloc_cyclic_irq(&dev->qps, &qpn, NULL, TUFF_QPNS,
					  &dev->next_qpn, GFP_KERNEL);
	if (err < 0)
		return err;
	vqp->qp.qpn = qpn;
	return 0;
}

/**
 * tuff_vqp_empty() - everything that was posted is forgotten
 * @vqp: queue pair in RESET
 *
 * Context: owner of @vqp.
 */
void tuff_vqp_empty(struct tuff_vqp *vqp)
{
	tuff_sq_discard(vqp);
	tuff_rq_discard(vqp);
	tuff_loop_forget_peer(vqp);
	tuff_mr_put(vqp->last_lmr);
	tuff_mr_put(vqp->last_rmr);
	vqp->last_lmr = NULL;
	vqp->last_rmr = NULL;
}

static void tuff_vqp_free_parts(struct tuff_vqp *vqp)
{
	tuff_av_put(vqp->qp.av);
	vqp->qp.av = NULL;
	kfree(vqp->qp.responder.replay);
	vqp->qp.responder.replay = NULL;
	tuff_ring_destroy(&vqp->sq);
	tuff_ring_destroy(&vqp->rq);
	if (vqp->qp.user)
		tuff_sq_free_spares(vqp);
	kvfree(vqp->records);
	kfree(vqp->rwqe);
	kfree(vqp->scratch);
	tuff_srq_put(vqp->srq);
	tuff_cq_put(vqp->recv_cq);
	tuff_cq_put(vqp->send_cq);
	atomic_dec(&vqp->dev->nr_qps);
}

/* The end of a queue pair, whole or half built; see the head of this file. */
static void tuff_vqp_destroy(struct tuff_vqp *vqp)
{
	struct ib_qp *ibqp = vqp->ibqp;

	if (vqp->qp.qpn)
		xa_erase_irq(&vqp->dev->qps, vqp->qp.qpn);

	tuff_loop_quiesce(vqp);
	tuff_owner_lock(vqp);
	tuff_qp_set_state(&vqp->qp, TUFF_QPS_RESET);
	tuff_vqp_empty(vqp);
	WRITE_ONCE(vqp->ibqp, NULL);
	tuff_owner_unlock(vqp);
	tuff_owner_stop(vqp);
	tuff_gather_stop(vqp);
	tuff_loop_purge(vqp);
	cancel_delayed_work_sync(&vqp->flush_work);
	cancel_work_sync(&vqp->event_work);

	tuff_cq_clean(vqp->send_cq, ibqp);
	tuff_cq_clean(vqp->recv_cq, ibqp);
	tuff_vqp_free_parts(vqp);
	tuff_vqp_put(vqp);
}

static void tuff_qp_grant(const struct tuff_vqp *vqp, struct ib_qp_cap *cap)
{
	cap->max_send_wr = vqp->qp.max_send_wr;
	cap->max_send_sge = vqp->qp.max_send_sge;
	cap->max_inline_data = vqp->qp.max_inline;
	cap->max_recv_wr = vqp->rq.mask;
	cap->max_recv_sge = vqp->qp.max_recv_sge;
}

/**
 * tuff_create_qp() - create a queue pair
 * @ibqp: ib_core's shell
 * @init: attributes; the capabilities become what was granted
 * @udata: of the user's call, NULL for a kernel consumer
 *
 * Context: Process context.
 * Return: 0 or errno. IBA 11.2.4.1.
 */
int tuff_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata)
{
	struct tuff_vqp *vqp;
	int err;

	err = tuff_qp_check_udata(udata);
	if (err)
		return err;
	err = tuff_qp_check_init(ibqp, init, udata);
	if (err)
		return err;

	vqp = tuff_vqp_alloc(ibqp, init, udata);
	if (!vqp)
		return -ENOMEM;
	err = tuff_vqp_alloc_queues(vqp, init->cap.max_recv_wr, udata);
	if (!err)
		err = tuff_vqp_number(vqp);
	/* From here on packets find it. The number holds the place already. */
	if (!err)
		err = xa_err(xa_store_irq(&vqp->dev->qps, vqp->qp.qpn, vqp,
					  GFP_KERNEL));
	if (err) {
		tuff_vqp_destroy(vqp);
		return err;
	}
	tuff_qp_grant(vqp, &init->cap);
	ibqp->qp_num = vqp->qp.qpn;
	container_of(ibqp, struct tuff_ibqp, ibqp)->vqp = vqp;
	return 0;
}

/**
 * tuff_destroy_qp() - destroy a queue pair
 * @ibqp: ib_core's shell, freed afterwards
 * @udata: not used
 *
 * When this returns no handler of the consumer runs for this QP, none will,
 * and a kernel consumer's CQs hold no completion that points to it.
 *
 * Context: Process context.
 * Return: 0. IBA 11.2.4.4.
 */
int tuff_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	tuff_vqp_destroy(tuff_vqp_of(ibqp));
	return 0;
}
