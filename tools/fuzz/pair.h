/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: fuzz target "pair": three queue pairs, their rings, the air between
 *
 * Queue pairs 0 and 1 are connected to each other, 2 to itself; 1 and 2 may
 * share a receive queue. All that the engine asks of the world and all that it
 * reports is held against rules that do not know how the engine works.
 */
#ifndef _TUFF_FUZZ_PAIR_H
#define _TUFF_FUZZ_PAIR_H

#include <linux/list.h>
#include <linux/types.h>

#include "check.h"
#include "engine/drop.h"
#include "engine/qp.h"
#include "engine/wqe.h"
#include "frame.h"
#include "verbs/ring.h"

#define PAIR_QPS	3
#define PAIR_AVS	PAIR_QPS
#define PAIR_AIR	64	/* packets on their way */
#define PAIR_SLOTS	16	/* of a ring, a power of two */
#define PAIR_MAX_SGE	4
#define PAIR_MAX_INLINE	64
#define PAIR_QKEY	0x11111111

/* The regions; keys are small numbers that the fuzzer finds. */
enum pair_region {
	PAIR_MR_ALL,		/* everybody may do everything */
	PAIR_MR_LOCAL,		/* no remote access */
	PAIR_MR_READ,		/* nobody may write */
	PAIR_MR_FOREIGN,	/* another protection domain's: untouchable */
	PAIR_MR_TOP,		/* ends with the address space */
	PAIR_MRS,
};

struct tuff_mr {
	u32 lkey;
	u32 rkey;
	u32 pd;
	u32 access;
	u64 va;
	u32 len;
	u8 *bytes;
	bool dead;
	int refs;
};

struct tuff_av {
	struct sim_path path;
	u32 num;
	int refs;
};

/**
 * struct pair_ended - a request that left its queue
 * @valid: there is one, whose completion was not seen yet
 * @owed: it must have one
 * @ordinal: its number in the order of fetching
 */
struct pair_ended {
	bool valid;
	bool owed;
	u64 ordinal;
};

/**
 * struct pair_qp - a queue pair and what is known of it
 * @qp: the engine's part
 * @idx: 0, 1 or 2
 * @peer: whom it is connected to
 * @sq: send ring, hostile
 * @rq: own receive ring, hostile
 * @recv: @rq, or the shared one
 * @rwqe: the receive record, as many pieces as there can be
 * @taken: @rwqe is the engine's
 * @pieces: what @rwqe had when it was loaded: where the engine may write
 * @num_pieces: of them
 * @loop_in: requests lent to it
 * @loop_out: its own that came back
 * @timer_at: when its timer fires, 0 = not set
 * @raised: a run was asked for
 * @resetting: requests end without completions
 * @sends: send requests fetched
 * @sends_done: of which left the queue
 * @recvs: receive requests fetched
 * @send_ended: the latest of @sends_done
 * @recv_ended: the latest of the receives
 * @sent_to_recv: completed with success, and took a receive at the peer
 * @received: receive completions with success
 */
struct pair_qp {
	struct tuff_qp qp;
	u32 idx;
	struct pair_qp *peer;
	struct tuff_ring sq;
	struct tuff_ring rq;
	struct tuff_ring *recv;
	struct tuff_rwqe *rwqe;
	bool taken;
	struct tuff_sge pieces[PAIR_MAX_SGE];
	u32 num_pieces;
	struct list_head loop_in;
	struct list_head loop_out;
	u64 timer_at;
	bool raised;
	bool resetting;
	u64 sends;
	u64 sends_done;
	u64 recvs;
	struct pair_ended send_ended;
	struct pair_ended recv_ended;
	u64 sent_to_recv;
	u64 received;
};

/**
 * struct pair - everything of one input
 * @now: the time, ns
 * @type: &enum tuff_qp_type of all queue pairs
 * @srq: 1 and 2 share @shared
 * @loop: peers are found on this host
 * @busy: they are found busy, and have requests lent to them
 * @ipv6: as the packets are
 * @honest: no packet is made up, no ring is scribbled on, no memory revoked
 * @tx_ret: what transmit returns, for @tx_left more calls
 * @tx_left: calls
 * @no_memory: so many requests cannot be fetched for want of memory
 * @qp: the queue pairs
 * @shared: shared receive ring
 * @mr: the regions
 * @av: address handles, one to each queue pair
 * @air: packets on their way, the oldest first
 * @nr_air: of them
 * @ip_id: of the next packet
 * @in: the queue pair whose door was entered
 * @rx: the packet it looks at
 * @rx_behind: the one that came, while @rx is one that was kept
 * @early: whose packets are kept when they come before their turn
 * @nr_kept: of them
 * @drops: packets the engine dropped
 * @events: asynchronous events it raised
 */
struct pair {
	u64 now;
	u8 type;
	bool srq;
	bool loop;
	bool busy;
	bool ipv6;
	bool honest;
	int tx_ret;
	u32 tx_left;
	u32 no_memory;
	struct pair_qp qp[PAIR_QPS];
	struct tuff_ring shared;
	struct tuff_mr mr[PAIR_MRS];
	struct tuff_av av[PAIR_AVS];
	struct sim_frame *air[PAIR_AIR];
	u32 nr_air;
	u16 ip_id;
	struct pair_qp *in;
	const struct tuff_pkt *rx;
	const struct tuff_pkt *rx_behind;
	enum tuff_early_mode early;
	u32 nr_kept;
	u32 drops;
	u32 events;
};

extern struct pair pair;

static inline struct pair_qp *pair_qp_of(struct tuff_qp *qp)
{
	return (struct pair_qp *)qp;
}

/* pair_world.c */
void pair_launch(struct sim_frame *frame);
struct sim_frame *pair_land(u32 idx);
void pair_air_clear(void);
void *pair_slot(struct tuff_ring *ring);
void pair_posted(struct tuff_ring *ring);

/* pair_check.c: rules */
void pair_check_write(const struct tuff_mr *mr, u64 va, u32 len);
void pair_check_ended(struct pair_qp *p, struct pair_ended *ended, u64 ordinal,
		      bool owed);
void pair_check_cqe(struct pair_qp *p, struct pair_ended *ended,
		    const struct tuff_cqe *cqe);
void pair_check_qp(struct pair_qp *p);
void pair_check_still(struct pair_qp *p);
void pair_check_flushed(struct pair_qp *p);
void pair_check_end(void);

/* pair_life.c: made, run, taken apart */
void pair_set_up(const u8 how[8]);
void pair_tear_down(void);
void pair_set_state(struct pair_qp *p, u8 state);
void pair_connect(struct pair_qp *p);
bool pair_flushed(struct pair_qp *p);
void pair_reset(struct pair_qp *p);
void pair_run(struct pair_qp *p);
void pair_tick(struct pair_qp *p);
bool pair_parse(const struct sim_frame *frame, struct tuff_pkt *pkt);
void pair_deliver(struct sim_frame *frame, bool run);
void pair_settle(void);

#endif /* _TUFF_FUZZ_PAIR_H */
