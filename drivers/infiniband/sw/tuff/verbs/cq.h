/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: completion queues */
#ifndef _TUFF_VERBS_CQ_H
#define _TUFF_VERBS_CQ_H

#include <linux/interrupt.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <rdma/ib_verbs.h>

#include "verbs/ring.h"
#include "tuff.h"

/* Bits of &tuff_cq.todo. */
#define TUFF_CQ_TODO_COMP	0x1	/* call the completion handler */
#define TUFF_CQ_TODO_ERR	0x2	/* report IB_EVENT_CQ_ERR */

/**
 * struct tuff_cq - a completion queue
 * @ref: ib_core's shell, and one for each queue of a QP that completes here
 * @dev: the device
 * @resize: one at a time
 * @lock: protects all below. Irq-safe, innermost. It is taken under QP locks
 *	and by kernel consumers in any context
 * @ibcq: ib_core's shell; NULL from destroy on
 * @ring: of struct ib_uverbs_wc when @user, of struct ib_wc else
 * @user: a user maps @ring and polls it itself
 * @broken: it overflowed, or the user moved its index where it cannot be;
 *	nothing is written any more (IBA 10.10.2.2: CQ error)
 * @armed: what the consumer asked to be told: IB_CQ_SOLICITED, IB_CQ_NEXT_COMP
 * @todo: calls into the consumer that are owed
 * @tasklet: makes these calls: no lock is held there, one run at a time
 */
struct tuff_cq {
	struct kref ref;
	struct tuff_dev *dev;
	struct mutex resize;	/* outside of @lock */
	spinlock_t lock;	/* innermost, any context */
	struct ib_cq *ibcq;
	struct tuff_ring ring;
	bool user;
	bool broken;
	u8 armed;
	u8 todo;
	struct tasklet_struct tasklet;
};

/* ib_core's shell: allocated and freed by it. */
struct tuff_ibcq {
	struct ib_cq ibcq;
	struct tuff_cq *cq;
};

static inline struct tuff_cq *tuff_cq_of(struct ib_cq *ibcq)
{
	return container_of(ibcq, struct tuff_ibcq, ibcq)->cq;
}

void tuff_cq_release(struct kref *ref);

static inline struct tuff_cq *tuff_cq_get(struct tuff_cq *cq)
{
	kref_get(&cq->ref);
	return cq;
}

/* Process context. */
static inline void tuff_cq_put(struct tuff_cq *cq)
{
	if (cq)
		kref_put(&cq->ref, tuff_cq_release);
}

/* cq.c */
int tuff_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int tuff_resize_user_cq(struct ib_cq *ibcq, unsigned int cqe,
			struct ib_udata *udata);
int tuff_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata);
int tuff_poll_cq(struct ib_cq *ibcq, int nr, struct ib_wc *wc);
int tuff_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags flags);
void tuff_cq_clean(struct tuff_cq *cq, const struct ib_qp *ibqp);

#endif /* _TUFF_VERBS_CQ_H */
