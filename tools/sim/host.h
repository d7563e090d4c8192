/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: what a host has: memory, queues, queue pairs, counters */
#ifndef _TUFF_SIM_HOST_H
#define _TUFF_SIM_HOST_H

#include <linux/list.h>
#include <linux/types.h>

#include "engine/drop.h"
#include "engine/qp.h"
#include "frame.h"
#include "model.h"

struct sim;

#define SIM_MAX_MRS	64
#define SIM_MAX_QPS	8
#define SIM_MAX_RQS	8
#define SIM_MAX_AVS	8
#define SIM_NR_EVENTS	6	/* of enum tuff_event */

/* What a region serves for: decides who may write there, and what. */
enum sim_role {
	SIM_ROLE_SOURCE,	/* SEND and WRITE read it; nobody writes */
	SIM_ROLE_SINK,		/* answers of READ and ATOMIC arrive here */
	SIM_ROLE_REMOTE,	/* the peer's WRITE, READ and ATOMIC work here */
	SIM_ROLE_RECV,		/* receive buffers */
	SIM_ROLE_FORBIDDEN,	/* nobody may touch it at all */
};

/**
 * struct tuff_mr - a memory region
 * @host: whose
 * @flow: queue pair whose requests work in it; NULL: receive buffers
 * @role: &enum sim_role
 * @pd: protection domain
 * @lkey: local key
 * @rkey: remote key
 * @access: &enum tuff_access
 * @va: address that the consumer uses
 * @len: bytes
 * @mem: the memory, exactly @len bytes
 * @model: what it must be when all posted requests are done
 * @refs: the table's, and the engine's
 * @dead: deregistered
 */
struct tuff_mr {
	struct sim_host *host;
	struct sim_qp *flow;
	u8 role;
	bool dead;
	u32 pd;
	u32 lkey;
	u32 rkey;
	u32 access;
	u64 va;
	u32 len;
	u8 *mem;
	u8 *model;
	int refs;
};

/**
 * struct tuff_av - an address vector
 * @path: IP header
 * @to: host it leads to
 * @num: AH number, 0 when it belongs to a queue pair
 * @refs: the owner's, and one for each request that uses it
 */
struct tuff_av {
	struct sim_path path;
	u8 to;
	u32 num;
	int refs;
};

/**
 * struct sim_rq - a receive queue, of one queue pair or shared
 * @host: whose
 * @pd: protection domain
 * @ring: slots as the user library writes them
 * @slot_size: bytes of a slot of @ring
 * @len: slots of @ring
 * @max_sge: pieces of one request
 * @mr: where the buffers lie, one after the other
 * @buf_len: bytes of one buffer
 * @buf_busy: per buffer: index of the request that has it, or -1
 * @nr_bufs: buffers in @mr
 * @recv: all requests ever posted, in order
 * @max_recv: room in @recv
 * @posted: requests posted so far
 * @fetched: of which the engine took
 * @completed: of which were reported to the consumer
 * @to_post: requests that shall be posted in the end
 * @delay_ns: a slow consumer posts that long after there is room
 * @burst: and so many at once
 * @armed: a posting event is on the heap
 * @spoil: makes some requests wrong, or NULL
 */
struct sim_rq {
	struct sim_host *host;
	u32 pd;
	u8 *ring;
	u32 slot_size;
	u32 len;
	u32 max_sge;
	struct tuff_mr *mr;
	u32 buf_len;
	s32 *buf_busy;
	u32 nr_bufs;
	struct sim_recv *recv;
	u32 max_recv;
	u32 posted;
	u32 fetched;
	u32 completed;
	u32 to_post;
	u64 delay_ns;
	u32 burst;
	bool armed;
	void (*spoil)(struct sim_rq *rq, struct sim_recv *recv);
};

/* Attributes of a queue pair, fixed when it is created. */
struct sim_qp_attr {
	u8 type;
	u8 mtu_shift;
	u8 timeout;
	u8 retry_cnt;
	u8 rnr_retry;
	u8 min_rnr_timer;
	u8 max_rd_atomic;
	u8 max_send_sge;
	u8 max_recv_sge;
	bool sig_all;
	bool has_srq;
	bool kernel;	/* work requests come from a kernel consumer */
	u16 max_inline;
	u32 max_send_wr;
	u32 sq_psn;
	u32 access;
};

/**
 * struct sim_qp - a queue pair
 * @qp: the engine's part
 * @sim: the run
 * @host: whose
 * @peer: other end; may be the same queue pair
 * @pd: protection domain
 * @attr: as created
 * @sq: send ring, slots as the user library writes them
 * @sq_slot: bytes of a slot of @sq
 * @sq_len: slots of @sq
 * @flow: the requests of this end and what is known of them
 * @rq: receive queue
 * @taken: receive request the engine has, or NULL
 * @ended: receive request that was given back, its completion must follow
 * @rwqe: its record in the engine's form
 * @rx: packet the engine is looking at, or NULL
 * @rx_behind: the one that came, while @rx is one that was kept
 * @loop_in: requests lent to it
 * @loop_out: its own that came back
 * @loop_grh: bytes before a datagram that are still to be written
 * @loop_off: bytes of a datagram that were written
 * @loop_now: lent request the engine is carrying out, or NULL
 * @timer_gen: events of cancelled timers have another number
 * @raised: a run is on the heap
 * @tx_blocked: the engine was told -EAGAIN for want of room
 * @rnr_until: the receiver asked for a pause until then
 * @drained: in SQD, and the event said so
 * @gone: destroyed under traffic
 * @expect_recv: error that receive requests may end with
 * @nr_recv_status: receive completions, per status
 * @nr_events: asynchronous events seen, per &enum tuff_event
 */
struct sim_qp {
	struct tuff_qp qp;
	struct sim *sim;
	struct sim_host *host;
	struct sim_qp *peer;
	u32 pd;
	struct sim_qp_attr attr;
	u8 *sq;
	u32 sq_slot;
	u32 sq_len;
	struct sim_flow flow;
	struct sim_rq *rq;
	struct sim_recv *taken;
	struct sim_recv *ended;
	struct tuff_rwqe *rwqe;
	const struct tuff_pkt *rx;
	const struct tuff_pkt *rx_behind;
	struct list_head loop_in;
	struct list_head loop_out;
	u32 loop_grh;
	u32 loop_off;
	struct tuff_swqe *loop_now;
	u64 timer_gen;
	bool raised;
	bool tx_blocked;
	u64 rnr_until;
	bool drained;
	bool gone;
	u8 expect_recv;
	u32 nr_recv_status[32];
	u32 nr_events[SIM_NR_EVENTS];
};

/**
 * struct sim_host - one end of the network
 * @sim: the run
 * @idx: 0 or 1
 * @addr: IP address
 * @ip_id: of the next packet
 * @mr: regions
 * @qp: queue pairs
 * @rq: receive queues
 * @av: address handles
 * @counter: as the engine counted
 * @expected: counters as they must be, of those that are known
 * @received: packets that reached the engine
 * @dropped: of which it dropped
 * @refused: packets that did not reach it
 * @records: send records allocated and not released
 * @stalled_until: nothing happens there before
 */
struct sim_host {
	struct sim *sim;
	u8 idx;
	u8 addr[16];
	u16 ip_id;
	struct tuff_mr *mr[SIM_MAX_MRS];
	u32 nr_mrs;
	struct sim_qp *qp[SIM_MAX_QPS];
	u32 nr_qps;
	struct sim_rq *rq[SIM_MAX_RQS];
	u32 nr_rqs;
	struct tuff_av *av[SIM_MAX_AVS];
	u32 nr_avs;
	u64 counter[TUFF_NR_COUNTERS];
	u64 expected[TUFF_NR_COUNTERS];
	u64 received;
	u64 dropped;
	u64 refused;
	s64 records;
	u64 stalled_until;
};

static inline struct sim_qp *sim_qp_of(struct tuff_qp *qp)
{
	return (struct sim_qp *)qp;
}

void sim_hosts_init(struct sim *sim);
void sim_hosts_exit(struct sim *sim);

struct tuff_mr *sim_mr_create(struct sim_host *host, enum sim_role role,
			      u32 pd, u32 len, u32 access);
void sim_mr_dereg(struct tuff_mr *mr);
u8 *sim_mr_at(const struct tuff_mr *mr, u64 va, u32 len);

struct sim_rq *sim_rq_create(struct sim_host *host, u32 pd, u32 len,
			     u32 max_sge, u32 buf_len);
struct tuff_av *sim_av_create(struct sim_host *host, u8 to, bool numbered);

struct sim_qp *sim_qp_create(struct sim_host *host, u32 pd,
			     const struct sim_qp_attr *attr,
			     struct sim_rq *rq);
void sim_qp_to_rtr(struct sim_qp *sqp, struct sim_qp *peer);
void sim_qp_to_rts(struct sim_qp *sqp);
void sim_qp_connect(struct sim_qp *sqp, struct sim_qp *peer);
void sim_qp_reset(struct sim_qp *sqp);
void sim_qp_vanish(struct sim_qp *sqp);
void sim_qp_set_error(struct sim_qp *sqp);

void sim_qp_kick(struct sim_qp *sqp);
void sim_qp_raise(struct sim_qp *sqp);
void sim_qp_set_timer(struct sim_qp *sqp, u64 when_ns);
void sim_host_deliver(struct sim *sim, void *arg, u64 val);

/* loop.c */
struct sim_qp *sim_loop_responder(struct sim *sim);
void sim_loop_quiesce(struct sim_qp *sqp);

#endif /* _TUFF_SIM_HOST_H */
