/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the protocol's part of a queue pair, and the doors into the engine */
#ifndef _TUFF_ENGINE_QP_H
#define _TUFF_ENGINE_QP_H

#include <linux/list.h>
#include <linux/types.h>

#include "engine/halves.h"
#include "engine/types.h"

/* Values of enum ib_qp_type. */
enum tuff_qp_type {
	TUFF_QPT_GSI	= 1,
	TUFF_QPT_RC	= 2,
	TUFF_QPT_UC	= 3,
	TUFF_QPT_UD	= 4,
};

/* Values of enum ib_qp_state. */
enum tuff_qp_state {
	TUFF_QPS_RESET	= 0,
	TUFF_QPS_INIT	= 1,
	TUFF_QPS_RTR	= 2,
	TUFF_QPS_RTS	= 3,
	TUFF_QPS_SQD	= 4,
	TUFF_QPS_SQE	= 5,
	TUFF_QPS_ERR	= 6,
};

/* Access bits of enum ib_access_flags that the engine asks for. */
enum tuff_access {
	TUFF_ACCESS_LOCAL_WRITE		= 1 << 0,
	TUFF_ACCESS_REMOTE_WRITE	= 1 << 1,
	TUFF_ACCESS_REMOTE_READ		= 1 << 2,
	TUFF_ACCESS_REMOTE_ATOMIC	= 1 << 3,
};

/* Asynchronous events the engine raises; the world maps them to IB_EVENT_*. */
enum tuff_event {
	TUFF_EVENT_COMM_EST,
	TUFF_EVENT_SQ_DRAINED,
	TUFF_EVENT_QP_FATAL,
	TUFF_EVENT_QP_REQ_ERR,
	TUFF_EVENT_QP_ACCESS_ERR,
	TUFF_EVENT_LAST_WQE_REACHED,
};

enum tuff_timer {
	TUFF_TIMER_RTO,		/* requester: no answer in time */
	TUFF_TIMER_RNR,		/* requester: the receiver was not ready */
	TUFF_TIMER_TX,		/* transmit found no memory: try again */
	TUFF_TIMER_REREAD,	/* requester: a gap in answers was seen, ask anew */
	TUFF_TIMER_PROBE,	/* requester: an answer is late by what is usual */
	TUFF_TIMER_EARLY,	/* responder: a gap does not close by itself */
	TUFF_NR_TIMERS,
};

/* Attributes set by modify_qp, all checked by verbs before they come here. */
struct tuff_qp_attr {
	u16 pkey;
	u16 pkey_index;
	u8 path_mtu_shift;	/* 8..12: 256..4096 bytes */
	u8 timeout;		/* 4.096 us * 2^timeout; 0 = none */
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	u8 max_rd_atomic;
	u8 max_dest_rd_atomic;
	u8 access;		/* &enum tuff_access, remote bits */
	u32 dqpn;
	u32 qkey;
	u32 rq_psn;
	u32 sq_psn;
};

/* Packets that leave one by one after a loss; &tuff_qp.alone. */
#define TUFF_QP_ALONE		1024

/**
 * struct tuff_qp - protocol state of one queue pair
 * @qpn: own number
 * @type: &enum tuff_qp_type
 * @state: &enum tuff_qp_state; written by tuff_qp_set_state() only
 * @user: the work requests come from a user's ring
 * @sig_all: every send request completes with a CQE
 * @has_srq: receive requests come from a shared queue
 * @max_send_sge: SGEs of one send request
 * @max_recv_sge: SGEs of one receive request
 * @max_inline: inline bytes of one send request
 * @max_send_wr: send requests in flight at once
 * @nr_sq: entries of @sq
 * @sq: send requests in flight (&tuff_swqe.node), oldest first
 * @attr: what modify_qp set
 * @av: connected QPs: the path to the peer
 * @requester: sending half
 * @responder: receiving half
 * @alone: packets that shall leave one by one, after a loss; the world counts
 *	it down
 * @answers_first: in the next run they are sent before requests
 * @deadline: per &enum tuff_timer, ns; 0 = not armed
 * @timer_at: what the world's one timer of this QP is set to, 0 = unset
 *
 * Every function of the engine that takes a tuff_qp is called by the one
 * owner of that QP (softirq or BHs off); the engine itself has no locks.
 */
struct tuff_qp {
	u32 qpn;
	u8 type;
	u8 state;
	bool user;
	bool sig_all;
	bool has_srq;
	u8 max_send_sge;
	u8 max_recv_sge;
	u16 max_inline;
	u32 max_send_wr;
	u32 nr_sq;
	struct list_head sq;
	struct tuff_qp_attr attr;
	struct tuff_av *av;
	struct tuff_requester requester;
	struct tuff_responder responder;
	u32 alone;
	bool answers_first;
	u64 deadline[TUFF_NR_TIMERS];
	u64 timer_at;
};

static inline u32 tuff_qp_mtu(const struct tuff_qp *qp)
{
	return 1U << qp->attr.path_mtu_shift;
}

static inline bool tuff_qp_connected(const struct tuff_qp *qp)
{
	return qp->type == TUFF_QPT_RC || qp->type == TUFF_QPT_UC;
}

/* state.c */
void tuff_qp_init(struct tuff_qp *qp);
void tuff_qp_set_state(struct tuff_qp *qp, u8 state);
void tuff_qp_error(struct tuff_qp *qp);

/* run.c: the doors. Bounded work; true = call again soon. */
void tuff_qp_receive(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_qp_accepts(struct tuff_qp *qp, const struct tuff_pkt *pkt);
void tuff_qp_timeout(struct tuff_qp *qp);
bool tuff_qp_run(struct tuff_qp *qp, int budget);

#endif /* _TUFF_ENGINE_QP_H */
