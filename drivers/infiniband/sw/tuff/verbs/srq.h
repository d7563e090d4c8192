/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: shared receive queues */
#ifndef _TUFF_VERBS_SRQ_H
#define _TUFF_VERBS_SRQ_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "verbs/ring.h"
#include "tuff.h"

/**
 * struct tuff_srq - a shared receive queue
 * @ref: ib_core's shell, and one for each QP that receives from here
 * @dev: the device
 * @ibsrq: ib_core's shell; outlives @limit_work
 * @num: number in &tuff_dev.srqs, 0 = none yet
 * @max_sge: pieces of one request
 * @user: a user maps @ring and posts to it itself
 * @resize: one at a time
 * @lock: both sides of @ring, and @limit. Irq-safe, innermost. Taken under QP
 *	locks and by kernel consumers in any context
 * @ring: of struct rxe_recv_wqe
 * @limit: report when fewer requests than this are posted, once; 0 = do not
 * @limit_work: reports; process context, no lock held
 */
struct tuff_srq {
	struct kref ref;
	struct tuff_dev *dev;
	struct ib_srq *ibsrq;
	u32 num;
	u32 max_sge;
	bool user;
	struct mutex resize;	/* outside of @lock */
	spinlock_t lock;	/* innermost, any context */
	struct tuff_ring ring;
	u32 limit;
	struct work_struct limit_work;
};

/* ib_core's shell: allocated and freed by it. */
struct tuff_ibsrq {
	struct ib_srq ibsrq;
	struct tuff_srq *srq;
};

static inline struct tuff_srq *tuff_srq_of(struct ib_srq *ibsrq)
{
	return container_of(ibsrq, struct tuff_ibsrq, ibsrq)->srq;
}

void tuff_srq_release(struct kref *ref);

static inline struct tuff_srq *tuff_srq_get(struct tuff_srq *srq)
{
	kref_get(&srq->ref);
	return srq;
}

/* Process context. */
static inline void tuff_srq_put(struct tuff_srq *srq)
{
	if (srq)
		kref_put(&srq->ref, tuff_srq_release);
}

u32 tuff_srq_take(struct tuff_srq *srq, struct rxe_recv_wqe *dst, u32 len);

/* &ib_device_ops */
int tuff_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata);
int tuff_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int tuff_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr);
int tuff_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata);

#endif /* _TUFF_VERBS_SRQ_H */
