/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: a tiny world for unit tests of the engine
 *
 * A few regions and address vectors with counted references, posted requests,
 * and logs of what the engine sent and reported. Reset by the init of each
 * suite that uses it; its exit calls tuff_kunit_world_check().
 */
#ifndef _TUFF_TESTS_WORLD_KUNIT_H
#define _TUFF_TESTS_WORLD_KUNIT_H

#include <linux/types.h>

#include "engine/drop.h"
#include "engine/qp.h"
#include "engine/types.h"
#include "engine/wqe.h"

struct kunit;

#define TUFF_KUNIT_MRS	8
#define TUFF_KUNIT_AVS	4
#define TUFF_KUNIT_WQES	32
#define TUFF_KUNIT_LOG	512

struct tuff_mr {
	u32 key;
	u64 va;
	u64 len;
	u32 access;
	int refs;
	u8 *bytes;	/* NULL: nothing is behind it, accesses fail */
};

struct tuff_av {
	u32 num;
	int refs;
};

/* A packet the engine sent, a completion it reported. */
struct tuff_kunit_tx {
	struct tuff_hdr hdr;
	u32 off;
	u32 len;
};

struct tuff_kunit_cqe {
	struct tuff_cqe cqe;
	bool recv;
};

/**
 * struct tuff_kunit_world - what a test sets up and looks at
 * @mrs: regions, the first @nr_mrs of them exist
 * @avs: address vectors, the first @nr_avs of them exist
 * @nr_mrs: regions
 * @nr_avs: address vectors
 * @nr_key_gets: look-ups of keys, found or not
 * @nr_ah_gets: look-ups of address handles, found or not
 * @bad_puts: references put that nobody had
 * @now: the time, ns
 * @timer_at: what the timer was last set to, 0 = cancelled
 * @raised: a run was asked for
 * @foreign: packets come from an address that is not the peer's
 * @lent: what a peer on this host lent, or NULL
 * @early: whose packets are kept
 * @no_memory: none is kept
 * @nr_kept: packets kept
 * @tx_ret: what tuff_world_tx() returns
 * @nr_txs: packets sent since this was last set to 0; likewise the others
 * @nr_cqes: completions reported
 * @nr_events: asynchronous events
 * @counts: per &enum tuff_counter, drops too
 * @drop: reason of the latest drop
 * @nr_swqes: send requests that wait to be fetched
 * @nr_rwqes: receive requests that wait to be fetched
 * @txs: the packets
 * @cqes: the completions
 * @events: the events
 * @swqes: the send requests
 * @rwqes: the receive requests
 */
struct tuff_kunit_world {
	struct tuff_mr mrs[TUFF_KUNIT_MRS];
	struct tuff_av avs[TUFF_KUNIT_AVS];
	u32 nr_mrs;
	u32 nr_avs;
	u32 nr_key_gets;
	u32 nr_ah_gets;
	u32 bad_puts;
	u64 now;
	u64 timer_at;
	bool raised;
	struct tuff_swqe *lent;
	bool foreign;
	enum tuff_early_mode early;
	bool no_memory;
	u32 nr_kept;
	int tx_ret;
	u32 nr_txs;
	u32 nr_cqes;
	u32 nr_events;
	u32 nr_swqes;
	u32 nr_rwqes;
	u32 counts[TUFF_NR_COUNTERS];
	u32 drop;
	struct tuff_kunit_tx txs[TUFF_KUNIT_LOG];
	struct tuff_kunit_cqe cqes[TUFF_KUNIT_LOG];
	u32 events[TUFF_KUNIT_LOG];
	struct tuff_swqe *swqes[TUFF_KUNIT_WQES];
	struct tuff_rwqe *rwqes[TUFF_KUNIT_WQES];
};

extern struct tuff_kunit_world tuff_kunit_world;

int tuff_kunit_world_init(struct kunit *test);
void tuff_kunit_world_check(struct kunit *test);
struct tuff_mr *tuff_kunit_mr_add(u32 key, u64 va, u64 len, u32 access);
struct tuff_av *tuff_kunit_av_add(u32 num);
int tuff_kunit_refs(void);
void tuff_kunit_forget(void);

#endif /* _TUFF_TESTS_WORLD_KUNIT_H */
