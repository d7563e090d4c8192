/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the protocol's part of a queue pair, and the doors into the engine */
#ifndef _TUFF_ENGINE_QP_H
#define _TUFF_ENGINE_QP_H

#include <linux/list.h>
#include <linux/types.h>

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
	TUFF_NR_TIMERS,
};

/* What the requester waits for before anything more is sent. */
enum tuff_requester_state {
	TUFF_REQUESTER_READY,	/* may send what the window allows */
	TUFF_REQUESTER_RNR,	/* until TUFF_TIMER_RNR */
};

/**
 * struct tuff_requester - sending half of a connection, and its completer
 * @state: what it waits for
 * @retry_left: timeouts and sequence errors before it gives up
 * @rnr_left: RNR NAKs before it gives up (7: for ever)
 * @nr_rd_atomic: READ and ATOMIC requests without their whole answer
 * @draining: SQ_DRAINED is owed (modify to SQD asked for the event)
 * @una: PSN of the oldest unanswered packet
 * @nxt: PSN of the next packet to send; behind @max while retransmitting
 * @max: one past the highest PSN ever sent
 * @end: one past the last PSN given to a work request
 * @cur: work request that holds @nxt, NULL when all that was fetched is sent
 * @nr_lent: requests that the peer's QP on this host has just now
 * @loop: requests go to the peer's QP itself; changes only when nothing is
 *	unanswered, so that packets and lent requests do not overtake each other
 * @no_loop: none may be lent: somebody waits for @nr_lent to become 0
 * @window: packets that may be unanswered, see window.c
 * @threshold: beyond it @window grows slowly
 * @since_ackreq: packets sent since the last one with AckReq
 * @naked: a NAK or implied NAK for @una was acted on: further ones are the
 *	same news until @una moves
 * @probes: of @una, see tuff_retransmit_probe()
 * @gap_psn: an answer for it came while @una was missing
 * @reread_ns: READs were asked for anew then, ns: not again before a round trip
 * @refused_ns: since when transmit has had no room for the packet at @nxt; 0 =
 *	it has
 * @clocked_psn: packet whose answer is awaited, see rtt.c
 * @clocked_ns: when it was sent; 0 = none is clocked
 * @rtt_ns: round trip, 0 = not known
 *
 * una <= nxt <= max <= end, in PSN order.
 */
struct tuff_requester {
	u8 state;
	u8 retry_left;
	u8 rnr_left;
	bool draining;
	bool naked;
	u8 probes;
	bool loop;
	bool no_loop;
	u8 nr_rd_atomic;
	u16 since_ackreq;
	u16 window;
	u16 threshold;
	u32 nr_lent;
	u32 una;
	u32 nxt;
	u32 max;
	u32 end;
	u32 gap_psn;
	u32 clocked_psn;
	struct tuff_swqe *cur;
	u64 reread_ns;
	u64 refused_ns;
	u64 clocked_ns;
	u64 rtt_ns;
};

/* One READ or ATOMIC this responder answered or is answering. */
struct tuff_replay {
	u8 opcode;		/* BTH opcode of the request; 0 = free */
	bool answered;		/* all of it was sent once */
	u32 psn;		/* first PSN of the answer */
	u32 npsn;		/* packets of the answer */
	u32 from;		/* packet where the latest request began */
	u32 sent;		/* packets before this were sent (== npsn: done) */
	u32 msn;		/* MSN that the answer carries */
	u32 rkey;
	u32 length;
	u64 va;
	u64 orig;		/* ATOMIC: the saved result */
};

/* What the responder is in the middle of. */
enum tuff_responder_state {
	TUFF_RESPONDER_IDLE,	/* expects FIRST, ONLY or a request */
	TUFF_RESPONDER_SEND,	/* expects SEND MIDDLE or LAST */
	TUFF_RESPONDER_WRITE,	/* expects WRITE MIDDLE or LAST */
	TUFF_RESPONDER_SKIP,	/* UC: message broken, wait for the next start */
};

/* What the responder owes to the requester. */
enum tuff_owed {
	TUFF_OWED_NOTHING,
	TUFF_OWED_ACK,
	TUFF_OWED_NAK,		/* then silence until the expected PSN comes */
	TUFF_OWED_RNR,
};

/**
 * struct tuff_responder - receiving half of a connection
 * @state: what it is in the middle of
 * @owed: acknowledgement to be sent at the end of this run
 * @syndrome: AETH syndrome of an owed NAK
 * @silent: a NAK for @epsn went out: nothing more until @epsn arrives
 * @fatal: the owed NAK ends the connection: &enum tuff_event to raise after
 *	it, plus one; 0 = none
 * @comm_est: the first packet in RTR was reported
 * @last_wqe: shared receive queue: that no more will be taken was reported
 * @epsn: expected PSN
 * @msn: completed requests, 24 bits
 * @wqe: receive request being filled, or NULL
 * @offset: bytes of the current message that arrived
 * @va: WRITE: where the next byte goes
 * @resid: WRITE: bytes still to come
 * @rkey: WRITE: the message's R_Key
 * @replay: ring of READ and ATOMIC answers, @nr_replay entries
 * @nr_replay: max_dest_rd_atomic, at least 1
 * @replay_next: entry that the next READ or ATOMIC takes
 * @replay_due: some answer may be unsent
 */
struct tuff_responder {
	u8 state;
	u8 owed;
	u8 syndrome;
	u8 fatal;
	bool silent;
	bool comm_est;
	bool last_wqe;
	u8 nr_replay;
	u8 replay_next;
	bool replay_due;
	u32 epsn;
	u32 msn;
	struct tuff_rwqe *wqe;
	u32 offset;
	u32 resid;
	u64 va;
	u32 rkey;
	struct tuff_replay *replay;
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
