/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: a network that loses, doubles, reorders and corrupts */
#ifndef _TUFF_SIM_NET_H
#define _TUFF_SIM_NET_H

#include <linux/types.h>

#include "frame.h"

struct sim;

/**
 * struct sim_link - one direction between two hosts
 * @loss_ppm: packets that vanish
 * @dup_ppm: packets that come twice
 * @reorder_ppm: packets that are overtaken
 * @corrupt_ppm: packets of which bytes change
 * @forge_ppm: packets that are followed by a forgery
 * @wear_ppm: packets whose variant fields change, as routers may do
 * @gap_ppm: packets that vanish when they are sent first and others of the
 *	same message follow: what is missing is seen without a timeout
 * @delay_ns: propagation
 * @jitter_ns: and at most that much more
 * @ns_per_byte_q8: serialisation, in 1/256 ns; 0 = no limit
 * @queue_len: bytes that may wait for serialisation; 0 = no limit
 * @block: a full queue refuses (-EAGAIN) instead of dropping
 * @cut: nothing arrives any more
 * @spare: lose nothing of a connection that has few retries left
 * @seen: last PSN sent, of requests and of answers
 * @seen_any: there was one
 * @busy_until: when the last byte will be out
 * @last_arrival: when the last packet arrives
 */
struct sim_link {
	u32 loss_ppm;
	u32 dup_ppm;
	u32 reorder_ppm;
	u32 corrupt_ppm;
	u32 forge_ppm;
	u32 wear_ppm;
	u32 gap_ppm;
	u64 delay_ns;
	u64 jitter_ns;
	u32 ns_per_byte_q8;
	u32 queue_len;
	bool block;
	bool cut;
	bool spare;
	u32 seen[2];
	bool seen_any[2];
	u64 busy_until;
	u64 last_arrival;
};

bool sim_link_full(struct sim *sim, const struct sim_link *link);
void sim_link_send(struct sim *sim, struct sim_frame *frame);

#endif /* _TUFF_SIM_NET_H */
