// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: modify and query of queue pairs
 *
 * A modify has four steps: each value by itself; memory that may be needed;
 * then, owning the QP, the move in the state that the QP is in just now; and
 * only when nothing can fail any more the change itself.
 */

#include "verbs/qp_attr.h"

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <linux/slab.h>

#include "verbs/attr.h"
#include "verbs/av.h"
#include "verbs/cq.h"
#include "verbs/dev.h"
#include "verbs/limits.h"
#include "verbs/qp.h"
#include "verbs/queue.h"
#include "owner.h"
#include "wire/wire.h"

/* enum ib_mtu counts from 256 bytes = 1. */
#define TUFF_MTU_SHIFT_0	7

/* Looks at a queue that is being flushed; each lets a run flush a part. */
#define TUFF_MODIFY_ROUNDS	1000

#define TUFF_QP_ACCESS							\
	(IB_ACCESS_LOCAL_WRITE | IB_ACCESS_REMOTE_WRITE |		\
	 IB_ACCESS_REMOTE_READ | IB_ACCESS_REMOTE_ATOMIC)

/**
 * struct tuff_modify - a modify on its way
 * @attr: new values
 * @mask: which of them
 * @port_mtu: what the port carries, &enum ib_mtu; 0 when not asked for
 * @av: new path; after the change the old one, to be put
 * @replay: new answers; after the change the old ones, to be freed
 * @nr_replay: entries of the new @replay
 */
struct tuff_modify {
	const struct ib_qp_attr *attr;
	int mask;
	u8 port_mtu;
	struct tuff_av *av;
	struct tuff_replay *replay;
	u8 nr_replay;
};

static bool tuff_modify_enters(const struct tuff_modify *m,
			       enum ib_qp_state state)
{
	return m->mask & IB_QP_STATE && m->attr->qp_state == state;
}

/* Each of the numbers by itself: not more than the field or we can do. */
static bool tuff_modify_numbers_ok(const struct ib_qp_attr *attr, int mask)
{
	const struct {
		int bit;
		u32 value;
		u32 max;
	} rows[] = {
		{ IB_QP_STATE, attr->qp_state, IB_QPS_ERR },
		{ IB_QP_CUR_STATE, attr->cur_qp_state, IB_QPS_ERR },
		{ IB_QP_PKEY_INDEX, attr->pkey_index, TUFF_PKEY_TBL_LEN - 1 },
		{ IB_QP_TIMEOUT, attr->timeout, 31 },
		{ IB_QP_RETRY_CNT, attr->retry_cnt, 7 },
		{ IB_QP_RNR_RETRY, attr->rnr_retry, 7 },
		{ IB_QP_MIN_RNR_TIMER, attr->min_rnr_timer, 31 },
		{ IB_QP_RQ_PSN, attr->rq_psn, TUFF_QPN_MASK },
		{ IB_QP_SQ_PSN, attr->sq_psn, TUFF_QPN_MASK },
		{ IB_QP_DEST_QPN, attr->dest_qp_num, TUFF_QPN_MASK },
		{ IB_QP_MAX_QP_RD_ATOMIC, attr->max_rd_atomic,
		  TUFF_MAX_RD_ATOMIC },
		{ IB_QP_MAX_DEST_RD_ATOMIC, attr->max_dest_rd_atomic,
		  TUFF_MAX_RD_ATOMIC },
		{ IB_QP_PATH_MIG_STATE, attr->path_mig_state,
		  IB_MIG_MIGRATED },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		if (mask & rows[i].bit && rows[i].value > rows[i].max)
			return false;
	return true;
}

static int tuff_modify_check(const struct tuff_modify *m)
{
	const struct ib_qp_attr *attr = m->attr;

	if (m->mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	/* Alternate paths are InfiniBand's; queues keep their size. */
	if (m->mask & (IB_QP_ALT_PATH | IB_QP_CAP))
		return -EINVAL;
	if (!tuff_modify_numbers_ok(attr, m->mask))
		return -EINVAL;
	if (m->mask & IB_QP_PORT && attr->port_num != 1)
		return -EINVAL;
	if (m->mask & IB_QP_ACCESS_FLAGS &&
	    attr->qp_access_flags & ~TUFF_QP_ACCESS)
		return -EINVAL;
	if (m->mask & IB_QP_PATH_MTU &&
	    (attr->path_mtu < IB_MTU_256 || attr->path_mtu > m->port_mtu))
		return -EINVAL;
	return 0;
}

/* Nothing else may depend on the port: ERR and RESET work without one. */
static int tuff_modify_port_mtu(const struct tuff_vqp *vqp,
				struct tuff_modify *m)
{
	int mtu;

	if (!(m->mask & IB_QP_PATH_MTU) &&
	    (tuff_qp_connected(&vqp->qp) || !tuff_modify_enters(m, IB_QPS_RTR)))
		return 0;
	mtu = tuff_port_active_mtu(vqp->dev);
	if (mtu < 0)
		return mtu;
	m->port_mtu = mtu;
	return 0;
}

/* Only reads what modify itself writes: attr_mutex is held. */
static int tuff_modify_prepare(struct tuff_vqp *vqp, struct tuff_modify *m)
{
	const struct ib_qp_attr *attr = m->attr;
	u32 dqpn = vqp->qp.attr.dqpn;
	int err;

	if (m->mask & IB_QP_DEST_QPN)
		dqpn = attr->dest_qp_num;
	if (m->mask & IB_QP_AV) {
		m->av = tuff_av_create(vqp->dev, vqp->pd, &attr->ah_attr,
				       vqp->qp.qpn, dqpn, GFP_KERNEL_ACCOUNT);
		if (IS_ERR(m->av)) {
			err = PTR_ERR(m->av);
			m->av = NULL;
			return err;
		}
	}
	if (m->mask & IB_QP_MAX_DEST_RD_ATOMIC && attr->max_dest_rd_atomic) {
		m->nr_replay = attr->max_dest_rd_atomic;
		m->replay = kzalloc_objs(*m->replay, m->nr_replay,
					 GFP_KERNEL_ACCOUNT);
		if (!m->replay)
			return -ENOMEM;
	}
	return 0;
}

/* What may be changed in this state, and has to be (IBA tables 91 to 95). */
static int tuff_modify_check_move(const struct tuff_qp *qp,
				  const struct tuff_modify *m)
{
	enum ib_qp_state cur = (enum ib_qp_state)qp->state;
	enum ib_qp_state next = cur;

	if (m->mask & IB_QP_CUR_STATE && m->attr->cur_qp_state != cur)
		return -EINVAL;
	if (m->mask & IB_QP_STATE)
		next = m->attr->qp_state;
	if (!ib_modify_qp_is_ok(cur, next, (enum ib_qp_type)qp->type, m->mask))
		return -EINVAL;
	return 0;
}

/*
 * Answers that a peer may ask for again move along, the newest ones when there
 * is room for fewer.
 */
static void tuff_modify_replay(struct tuff_qp *qp, struct tuff_modify *m)
{
	struct tuff_responder *s = &qp->responder;
	u8 keep = min(s->nr_replay, m->nr_replay);
	u8 i, from;

	for (i = 0; i < keep; i++) {
		from = (s->replay_next + s->nr_replay - keep + i) %
		       s->nr_replay;
		m->replay[i] = s->replay[from];
	}
	swap(s->replay, m->replay);
	s->nr_replay = m->nr_replay;
	s->replay_next = s->nr_replay ? keep % s->nr_replay : 0;
}

static void tuff_modify_path(struct tuff_qp *qp, struct tuff_modify *m)
{
	const struct ib_qp_attr *attr = m->attr;

	if (m->mask & IB_QP_PKEY_INDEX) {
		qp->attr.pkey_index = attr->pkey_index;
		qp->attr.pkey = TUFF_PKEY_DEFAULT;
	}
	if (m->mask & IB_QP_QKEY)
		qp->attr.qkey = attr->qkey;
	if (m->mask & IB_QP_DEST_QPN)
		qp->attr.dqpn = attr->dest_qp_num;
	if (m->mask & IB_QP_AV)
		swap(qp->av, m->av);
	if (m->mask & (IB_QP_AV | IB_QP_DEST_QPN))
		tuff_loop_forget_peer(tuff_vqp_of_qp(qp));
	if (m->mask & IB_QP_PATH_MTU)
		qp->attr.path_mtu_shift = attr->path_mtu + TUFF_MTU_SHIFT_0;
	else if (!tuff_qp_connected(qp) && m->port_mtu)
		qp->attr.path_mtu_shift = m->port_mtu + TUFF_MTU_SHIFT_0;
}

static void tuff_modify_transport(struct tuff_qp *qp, struct tuff_modify *m)
{
	const struct ib_qp_attr *attr = m->attr;

	if (m->mask & IB_QP_ACCESS_FLAGS)
		qp->attr.access = attr->qp_access_flags;
	if (m->mask & IB_QP_TIMEOUT)
		qp->attr.timeout = attr->timeout;
	if (m->mask & IB_QP_RETRY_CNT)
		qp->attr.retry_cnt = attr->retry_cnt;
	if (m->mask & IB_QP_RNR_RETRY)
		qp->attr.rnr_retry = attr->rnr_retry;
	if (m->mask & IB_QP_MIN_RNR_TIMER)
		qp->attr.min_rnr_timer = attr->min_rnr_timer;
	if (m->mask & IB_QP_RQ_PSN)
		qp->attr.rq_psn = attr->rq_psn;
	if (m->mask & IB_QP_SQ_PSN)
		qp->attr.sq_psn = attr->sq_psn;
	if (m->mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->attr.max_rd_atomic = attr->max_rd_atomic;
	if (m->mask & IB_QP_MAX_DEST_RD_ATOMIC) {
		qp->attr.max_dest_rd_atomic = attr->max_dest_rd_atomic;
		tuff_modify_replay(qp, m);
	}
}

/* To RESET: what modify set and what was posted is gone. */
static void tuff_modify_reset(struct tuff_vqp *vqp, struct tuff_modify *m)
{
	struct tuff_qp *qp = &vqp->qp;

	qp->attr = (struct tuff_qp_attr) {
		.path_mtu_shift = IB_MTU_256 + TUFF_MTU_SHIFT_0,
	};
	tuff_qp_set_state(qp, TUFF_QPS_RESET);
	tuff_vqp_empty(vqp);
	swap(qp->av, m->av);
	swap(qp->responder.replay, m->replay);
	qp->responder.nr_replay = 0;
	vqp->sqd_notify = false;
	tuff_cq_clean(vqp->send_cq, vqp->ibqp);
	tuff_cq_clean(vqp->recv_cq, vqp->ibqp);
}

static void tuff_modify_commit(struct tuff_vqp *vqp, struct tuff_modify *m)
{
	struct tuff_qp *qp = &vqp->qp;
	u8 old = qp->state;

	if (tuff_modify_enters(m, IB_QPS_RESET)) {
		tuff_modify_reset(vqp, m);
		return;
	}
	tuff_modify_path(qp, m);
	tuff_modify_transport(qp, m);
	if (tuff_modify_enters(m, IB_QPS_SQD))
		vqp->sqd_notify = m->mask & IB_QP_EN_SQD_ASYNC_NOTIFY &&
				  m->attr->en_sqd_async_notify;
	/* A receive that was posted in RESET was not posted (IBA 10.3.1). */
	if (m->mask & IB_QP_STATE && old == TUFF_QPS_RESET)
		tuff_rq_discard(vqp);
	if (m->mask & IB_QP_STATE && m->attr->qp_state != old)
		tuff_qp_set_state(qp, m->attr->qp_state);
}

/* Nothing is left that a send queue in error has to flush. */
static bool tuff_modify_is_flushed(struct tuff_vqp *vqp)
{
	return vqp->qp.state != TUFF_QPS_SQE ||
	       (!vqp->qp.nr_sq && !tuff_sq_posted(vqp));
}

/*
 * Own the QP when the move to RTS may be made. From SQE: what was posted before
 * ends as flushed, before what comes next is sent (IBA 10.3.1). Who goes on
 * posting meanwhile is waited for so long only.
 */
static int tuff_modify_lock(struct tuff_vqp *vqp, const struct tuff_modify *m)
{
	int i;

	for (i = 0; i < TUFF_MODIFY_ROUNDS; i++) {
		tuff_owner_lock(vqp);
		if (!tuff_modify_enters(m, IB_QPS_RTS) ||
		    tuff_modify_is_flushed(vqp))
			return 0;
		tuff_owner_unlock(vqp);
		tuff_owner_kick(vqp);
		usleep_range(20, 100);
	}
	return -EBUSY;
}

static int tuff_modify_run(struct tuff_vqp *vqp, struct tuff_modify *m)
{
	int err;

	err = tuff_modify_port_mtu(vqp, m);
	if (!err)
		err = tuff_modify_check(m);
	if (!err)
		err = tuff_modify_prepare(vqp, m);
	if (err)
		return err;

	/* Nothing may be away when the send queue is emptied. */
	if (tuff_modify_enters(m, IB_QPS_RESET))
		tuff_loop_quiesce(vqp);
	err = tuff_modify_lock(vqp, m);
	if (err)
		return err;
	err = tuff_modify_check_move(&vqp->qp, m);
	if (!err)
		tuff_modify_commit(vqp, m);
	tuff_owner_unlock(vqp);
	return err;
}

/**
 * tuff_modify_qp() - change attributes and the state of a queue pair
 * @ibqp: queue pair
 * @attr: new values
 * @mask: which of them
 * @udata: not used
 *
 * All of it happens, or nothing.
 *
 * Context: Process context; may wait for requests to be flushed.
 * Return: 0; -EINVAL when the state does not allow it, something required is
 * missing or a value is out of range; -EBUSY when a send queue in error is
 * posted to all the time; other errno. IBA 11.2.4.2.
 */
int tuff_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct tuff_vqp *vqp = tuff_vqp_of(ibqp);
	struct tuff_modify m = { .attr = attr, .mask = mask };
	int err;

	mutex_lock(&vqp->attr_mutex);
	err = tuff_modify_run(vqp, &m);
	mutex_unlock(&vqp->attr_mutex);

	tuff_av_put(m.av);
	kfree(m.replay);
	/* What waits for the new state: flushing, sending, draining. */
	if (!err)
		tuff_owner_kick(vqp);
	return err;
}

static void tuff_query_cap(const struct tuff_vqp *vqp, struct ib_qp_cap *cap)
{
	cap->max_send_wr = vqp->qp.max_send_wr;
	cap->max_send_sge = vqp->qp.max_send_sge;
	cap->max_inline_data = vqp->qp.max_inline;
	cap->max_recv_wr = vqp->rq.mask;
	cap->max_recv_sge = vqp->qp.max_recv_sge;
}

static void tuff_query_attr(const struct tuff_vqp *vqp,
			    struct ib_qp_attr *attr)
{
	const struct tuff_qp *qp = &vqp->qp;

	attr->qp_state = (enum ib_qp_state)qp->state;
	attr->cur_qp_state = attr->qp_state;
	attr->path_mtu = qp->attr.path_mtu_shift - TUFF_MTU_SHIFT_0;
	attr->path_mig_state = IB_MIG_MIGRATED;
	attr->qkey = qp->attr.qkey;
	attr->rq_psn = qp->responder.epsn;
	attr->sq_psn = qp->requester.end;
	attr->dest_qp_num = qp->attr.dqpn;
	attr->qp_access_flags = qp->attr.access;
	attr->pkey_index = qp->attr.pkey_index;
	attr->en_sqd_async_notify = vqp->sqd_notify;
	attr->sq_draining = qp->state == TUFF_QPS_SQD &&
			    qp->requester.draining;
	attr->max_rd_atomic = qp->attr.max_rd_atomic;
	attr->max_dest_rd_atomic = qp->attr.max_dest_rd_atomic;
	attr->min_rnr_timer = qp->attr.min_rnr_timer;
	attr->port_num = 1;
	attr->timeout = qp->attr.timeout;
	attr->retry_cnt = qp->attr.retry_cnt;
	attr->rnr_retry = qp->attr.rnr_retry;
	if (qp->av) {
		attr->ah_attr = qp->av->attr;
		attr->ah_attr.grh.sgid_attr = NULL;
	}
}

/**
 * tuff_query_qp() - attributes and state of a queue pair
 * @ibqp: queue pair
 * @attr: filled
 * @mask: not used: all of them are
 * @init: filled
 *
 * netlink asks as well, and kernels differ in whether the QP may be in
 * destruction then: it is looked up.
 *
 * Context: Process context.
 * Return: 0, or -EAGAIN for a QP that is being destroyed, which netlink leaves
 * out then. IBA 11.2.4.3.
 */
int tuff_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct tuff_dev *dev = tuff_dev_of(ibqp->device);
	struct tuff_vqp *vqp = tuff_vqp_get(dev, ibqp->qp_num);
	bool dead;

	if (!vqp)
		return -EAGAIN;
	memset(attr, 0, sizeof(*attr));
	tuff_owner_lock(vqp);
	dead = test_bit(TUFF_VQP_DEAD, &vqp->flags);
	if (!dead) {
		tuff_query_cap(vqp, &attr->cap);
		tuff_query_attr(vqp, attr);
	}
	tuff_owner_unlock(vqp);
	if (dead) {
		tuff_vqp_put(vqp);
		return -EAGAIN;
	}

	*init = (struct ib_qp_init_attr) {
		.event_handler = ibqp->event_handler,
		.qp_context = ibqp->qp_context,
		.send_cq = ibqp->send_cq,
		.recv_cq = ibqp->recv_cq,
		.srq = ibqp->srq,
		.cap = attr->cap,
		.sq_sig_type = vqp->qp.sig_all ? IB_SIGNAL_ALL_WR :
						 IB_SIGNAL_REQ_WR,
		.qp_type = ibqp->qp_type,
		.port_num = 1,
	};
	tuff_vqp_put(vqp);
	return 0;
}
