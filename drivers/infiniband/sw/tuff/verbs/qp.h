/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: queue pairs as the module keeps them */
#ifndef _TUFF_VERBS_QP_H
#define _TUFF_VERBS_QP_H

#include <linux/hrtimer.h>
#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/skbuff.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <rdma/ib_verbs.h>

#include "engine/qp.h"
#include "verbs/ring.h"
#include "tuff.h"

/* Bits of &tuff_vqp.flags. */
enum {
	TUFF_VQP_RAISED,	/* on a CPU's list, waiting for its softirq run */
	TUFF_VQP_DOORBELL,	/* something was posted, or the owner must run */
	TUFF_VQP_TIMER,		/* the timer fired */
	TUFF_VQP_DEAD,		/* destroyed: runs do nothing, packets are dropped */
	TUFF_VQP_GATHERS,	/* posted requests wait for more, see gather.c */
	TUFF_VQP_CQ_BROKEN,	/* a completion was lost: the run moves to ERR */
};

/**
 * struct tuff_gather - requests that wait for more of them, see gather.c
 * @timer: ends the wait; soft, only raises
 * @last_ns: when the last doorbell was done with, or should be at the latest
 * @gap_ns: how long after that the next one comes
 * @heard: messages received when the last doorbell came alone
 * @received: owner's: receive completions
 * @streak: doorbells in a row
 * @waiting: requests that wait
 * @on_wire: owner's: what was sent last was a packet
 * @told: owner's: the request that was done last was signalled
 */
struct tuff_gather {
	struct hrtimer timer;
	u64 last_ns;
	u32 gap_ns;
	u32 heard;
	u32 received;
	u8 streak;
	u8 waiting;
	bool on_wire;
	bool told;
};

/**
 * struct tuff_vqp - a queue pair
 * @qp: the protocol's state; touched by the owner (holder of @lock) only
 * @ref: references: the creator's (until destroy), one for each packet
 *	in the backlog, sk_buff in flight, CPU list entry, running look-up
 * @rcu: freed after a grace period, look-ups are under RCU
 * @dev: device; its memory outlives all QPs, since each holds a reference on
 *	it; what hangs on it is gone when the QP is DEAD
 * @ibqp: ib_core's shell; NULL from destroy on, changed under @lock
 * @pd: the shell's protection domain; compared, never followed
 * @lock: ownership. BH-disabled. Innermost but for CQ, SRQ and xarray locks;
 *	a second one is only tried, see tuff_owner_enter()
 * @backlog: packets that came while another CPU was the owner; own lock
 * @sched: node on a CPU's list, see TUFF_VQP_RAISED
 * @flags: see above
 * @timer: the one timer of this QP (soft hrtimer); only raises
 * @gather: users' doorbells
 * @send_cq: reference
 * @recv_cq: reference
 * @srq: reference, or NULL
 * @sq: send requests of a user; empty for kernel QPs
 * @rq: receive requests; none when @srq
 * @scratch: owner's: the request that is being read, see @scratch_len
 * @scratch_len: bytes of @scratch
 * @rwqe: the one receive record, sized for the longest list of pieces
 * @last_lmr: owner's: region of the L_Key that was looked up last, or NULL
 * @last_rmr: owner's: the same for R_Keys
 * @post_lock: kernel consumers' posts: the two lists and the producer's side
 *	of @rq. Irq-safe, innermost but for the locks of MR and AH look-ups
 * @posted: kernel consumers: records posted and not yet fetched
 * @free: records not in use: those that kernel consumers post into; of a user
 *	a few that the owner keeps for the next requests
 * @nr_spares: owner's: how many those are
 * @records: kernel consumers: the memory of the records
 * @attr_mutex: one modify at a time; outermost, process context
 * @sqd_notify: the consumer wants to know when SQD has drained
 * @events: bits of &enum ib_event_type that are owed to the event handler
 * @event_work: reports @events; process context, no lock held
 * @flush_work: looks for receives that a user posts in ERR, see flush.c
 * @flush_wait_ms: when it looks again
 * @loop_lock: guards the two lists; BHs off, one at a time, below @lock
 * @loop_in: loopback: requests that the peer's QP lent to this one
 * @loop_out: own requests that came back
 * @loop_peer: owner's: reference on the peer's QP on this host, or NULL; of a
 *	datagram QP the one that was sent to last. It keeps the memory of a
 *	peer, and of its device, that are gone, until this QP sends again
 * @loop_daddr: owner's: datagram QP: the address that @loop_peer was found by
 * @loop_renewals: owner's: datagram QP: &tuff_net.renewals then
 * @tx_bytes: bytes of sk_buffs on their way; bounded, see wire/tx.c
 * @tx_blocked: the owner found @tx_bytes over the bound: the destructor raises
 * @ip_id: owner's: IPv4 ID of the next packet
 * @tx: batch being built during a run (wire/tx.c)
 *
 * What destroy frees itself, in process context: the rings, records and
 * references of the middle part. The last reference frees the rest.
 */
struct tuff_vqp {
	struct tuff_qp qp;
	struct kref ref;
	struct rcu_head rcu;
	struct tuff_dev *dev;
	struct ib_qp *ibqp;
	struct ib_pd *pd;

	spinlock_t lock;	/* ownership, BHs off */
	struct sk_buff_head backlog;
	struct list_head sched;
	unsigned long flags;
	struct hrtimer timer;
	struct tuff_gather gather;

	struct tuff_cq *send_cq;
	struct tuff_cq *recv_cq;
	struct tuff_srq *srq;
	struct tuff_ring sq;
	struct tuff_ring rq;
	void *scratch;
	u32 scratch_len;
	struct tuff_rwqe *rwqe;
	struct tuff_mr *last_lmr;
	struct tuff_mr *last_rmr;

	spinlock_t post_lock;	/* kernel posts, any context */
	struct list_head posted;
	struct list_head free;
	u32 nr_spares;
	void *records;

	struct mutex attr_mutex; /* modify, process context */
	bool sqd_notify;
	unsigned long events;
	struct work_struct event_work;
	struct delayed_work flush_work;
	unsigned int flush_wait_ms;

	spinlock_t loop_lock;	/* loopback lists, BHs off */
	struct list_head loop_in;
	struct list_head loop_out;
	struct tuff_vqp *loop_peer;
	struct in6_addr loop_daddr;
	int loop_renewals;

	atomic_t tx_bytes;
	atomic_t tx_blocked;
	u16 ip_id;
	struct sk_buff *tx;
};

/* ib_core's shell: allocated and freed by it. */
struct tuff_ibqp {
	struct ib_qp ibqp;
	struct tuff_vqp *vqp;
};

static inline struct tuff_vqp *tuff_vqp_of(struct ib_qp *ibqp)
{
	return container_of(ibqp, struct tuff_ibqp, ibqp)->vqp;
}

static inline struct tuff_vqp *tuff_vqp_of_qp(struct tuff_qp *qp)
{
	return container_of(qp, struct tuff_vqp, qp);
}

struct tuff_vqp *tuff_vqp_get(struct tuff_dev *dev, u32 qpn);
void tuff_vqp_release(struct kref *ref);
void tuff_vqp_cq_broken(struct tuff_vqp *vqp);
void tuff_vqp_empty(struct tuff_vqp *vqp);

/* Any context. */
static inline void tuff_vqp_put(struct tuff_vqp *vqp)
{
	kref_put(&vqp->ref, tuff_vqp_release);
}

/* &ib_device_ops */
int tuff_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata);
int tuff_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata);

#endif /* _TUFF_VERBS_QP_H */
