// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: a network that loses, doubles, reorders and corrupts */
#include "net.h"

#include <linux/minmax.h>
#include <linux/unaligned.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "host.h"
#include "ladder.h"
#include "sim.h"

/*
 * A connection with no more retries left than this is spared: that retries
 * run out by bad luck alone would be right, and hide what is wrong.
 */
#define SIM_SPARE_RETRIES	4

/**
 * sim_link_full() - would a packet have to wait too long
 * @sim: the run
 * @link: the direction
 *
 * Return: true when the queue has no room.
 */
bool sim_link_full(struct sim *sim, const struct sim_link *link)
{
	u64 wait;

	if (!link->queue_len || link->busy_until <= sim->now)
		return false;
	wait = (link->busy_until - sim->now) * 256;
	return wait / link->ns_per_byte_q8 >= link->queue_len;
}

/* A NAK that ends a connection is said once: then nobody is there any more. */
static bool sim_frame_ends(const struct sim_frame *frame)
{
	return frame->hdr.opcode == (TUFF_TRANSPORT_RC | TUFF_OP_ACK) &&
	       frame->hdr.syndrome > TUFF_NAK_SEQUENCE;
}

static bool sim_link_spares(const struct sim_link *link,
			    const struct sim_frame *frame)
{
	const struct sim_qp *sqp = frame->qp;

	if (!link->spare || sqp->qp.type != TUFF_QPT_RC)
		return false;
	if (sim_frame_ends(frame))
		return true;
	return sqp->qp.requester.retry_left <= SIM_SPARE_RETRIES ||
	       sqp->peer->qp.requester.retry_left <= SIM_SPARE_RETRIES;
}

/* When a packet that is sent now arrives, if nothing befalls it. */
static u64 sim_link_arrival(struct sim *sim, struct sim_link *link, u32 len)
{
	u64 at;

	link->busy_until = max(link->busy_until, sim->now) +
			   ((u64)len * link->ns_per_byte_q8) / 256;
	at = link->busy_until + link->delay_ns;
	if (link->jitter_ns)
		at += sim_below(sim, link->jitter_ns + 1);
	return at;
}

/* A burst: the ICRC must tell, wherever it covers. */
static void sim_link_damage(struct sim *sim, struct sim_frame *frame)
{
	u32 off = sim_below(sim, frame->len);
	u32 end = min_t(u32, off + sim_range(sim, 1, 3), frame->len);

	for (; off < end; off++) {
		frame->data[off] ^= sim_range(sim, 1, 255);
		frame->damaged |= sim_frame_covered(frame, off);
	}
	frame->touched = true;
	sim_ladder_frame(sim, SIM_RUNG_DAMAGED, frame);
}

/*
 * A packet of somebody who cannot belong here, with a right ICRC: other
 * P_Key, transport or (where that matters) source address. Its payload is
 * changed: taken for good, it shows in memory.
 */
static void sim_link_forge(struct sim *sim, const struct sim_frame *real,
			   u64 delay)
{
	struct sim_frame *frame = sim_frame_copy(real);
	u32 bth = sim_frame_bth_off(frame);
	u32 i;

	switch (sim_below(sim, tuff_qp_connected(&real->qp->qp) ? 3 : 2)) {
	case 0:
		put_unaligned_be16(0x8123, frame->data + bth + 2);
		break;
	case 1:
		frame->data[bth] ^= 0x20;	/* RC for UC, UC for RC */
		break;
	default:
		sim_frame_set_saddr(frame, sim_range(sim, 1, 255));
		break;
	}
	for (i = 0; i < frame->payload_len && i < 64; i++)
		frame->data[frame->len - 8 - i] ^= 0x55;
	sim_frame_seal(frame);
	frame->forged = true;
	sim_ladder_frame(sim, SIM_RUNG_FORGED, frame);
	sim_at(sim, delay, sim_host_deliver, frame, 0);
}

/* Once sent, and not the last of its message: will its loss be seen? */
static bool sim_link_gap(struct sim *sim, struct sim_link *link,
			 const struct sim_frame *frame)
{
	const struct tuff_opcode *op = &tuff_opcodes[frame->hdr.opcode];
	bool answer = tuff_opcode_is_response(op);
	u32 psn = frame->hdr.psn;

	if (!link->gap_ppm || (link->seen_any[answer] &&
			       tuff_psn_diff(psn, link->seen[answer]) <= 0))
		return false;
	link->seen_any[answer] = true;
	link->seen[answer] = psn;
	return !tuff_opcode_ends(op) && !frame->hdr.ackreq &&
	       sim_chance(sim, link->gap_ppm);
}

/* Put a packet on its way, with what befalls it there. */
static void sim_link_carry(struct sim *sim, struct sim_link *link,
			   struct sim_frame *frame, u64 at)
{
	bool spared = sim_link_spares(link, frame);

	if (!spared && sim_chance(sim, link->reorder_ppm)) {
		sim_ladder_frame(sim, SIM_RUNG_OVERTAKEN, frame);
		at += sim_below(sim, 3 * link->delay_ns + 1);
	} else {
		at = max(at, link->last_arrival + 1);
		link->last_arrival = at;
	}
	if (sim_chance(sim, link->dup_ppm)) {
		sim_ladder_frame(sim, SIM_RUNG_DOUBLED, frame);
		sim_at(sim, at - sim->now + sim_below(sim, 2 * link->delay_ns + 1),
		       sim_host_deliver, sim_frame_copy(frame), 0);
	}
	if (sim_chance(sim, link->forge_ppm))
		sim_link_forge(sim, frame, at - sim->now);
	if (sim_chance(sim, link->wear_ppm))
		sim_frame_wear(frame, sim_rand(sim));
	if (!spared && sim_chance(sim, link->corrupt_ppm))
		sim_link_damage(sim, frame);
	sim_at(sim, at - sim->now, sim_host_deliver, frame, 0);
}

/**
 * sim_link_send() - a host sends a packet
 * @sim: the run
 * @frame: the packet; its reference is taken
 */
void sim_link_send(struct sim *sim, struct sim_frame *frame)
{
	struct sim_link *link = &sim->link[frame->from][frame->to];
	bool lost = false;
	u64 at;

	sim_ladder_frame(sim, SIM_RUNG_SENT, frame);
	if (link->cut)
		lost = true;
	else if (!sim_link_spares(link, frame))
		lost = sim_link_full(sim, link) ||
		       sim_chance(sim, link->loss_ppm) ||
		       sim_link_gap(sim, link, frame);
	if (lost) {
		sim_ladder_frame(sim, SIM_RUNG_LOST, frame);
		sim_frame_put(frame);
		return;
	}
	at = sim_link_arrival(sim, link, frame->len);
	sim_link_carry(sim, link, frame, at);
}
