/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: packets as bytes, from the IP header to the ICRC */
#ifndef _TUFF_SIM_FRAME_H
#define _TUFF_SIM_FRAME_H

#include <linux/types.h>

#include "engine/types.h"

struct sim_qp;

/**
 * struct sim_frame - one packet on its way
 * @refs: the network's, and the one who handles it
 * @from: host that sent it
 * @to: host it is addressed to
 * @qp: queue pair that sent it
 * @hdr: as it was sent, for the ladder
 * @payload_len: likewise
 * @touched: bytes were changed on the way
 * @damaged: of which some are covered by the ICRC
 * @forged: made by the network, with a right ICRC: must have no effect
 * @ipv6: which IP header
 * @len: bytes of @data
 * @data: the packet
 */
struct sim_frame {
	u32 refs;
	u8 from;
	u8 to;
	bool touched;
	bool damaged;
	bool forged;
	bool ipv6;
	struct sim_qp *qp;
	struct tuff_hdr hdr;
	u32 payload_len;
	u32 len;
	u8 data[];
};

/**
 * struct sim_path - the IP part of an address vector
 * @ipv6: which IP header
 * @saddr: source, 4 or 16 bytes
 * @daddr: destination
 * @sport: UDP source port
 * @tos: ToS or traffic class
 * @ttl: hop limit
 */
struct sim_path {
	bool ipv6;
	u8 saddr[16];
	u8 daddr[16];
	u16 sport;
	u8 tos;
	u8 ttl;
};

/* What became of a received frame below the engine. */
enum sim_frame_fate {
	SIM_FRAME_GOOD,
	SIM_FRAME_BAD_IP,	/* the IP or UDP layer drops it */
	SIM_FRAME_BAD_ICRC,
	SIM_FRAME_BAD_HDR,	/* tuff_parse() drops it */
};

struct sim_frame *sim_frame_build(const struct sim_path *path, u16 ip_id,
				  const struct tuff_hdr *hdr,
				  const void *payload, u32 len);
struct sim_frame *sim_frame_copy(const struct sim_frame *frame);
void sim_frame_put(struct sim_frame *frame);
void sim_frame_seal(struct sim_frame *frame);
u32 sim_frame_bth_off(const struct sim_frame *frame);
bool sim_frame_covered(const struct sim_frame *frame, u32 off);
bool sim_frame_saddr_is(const struct sim_frame *frame, const u8 addr[16]);
void sim_frame_set_saddr(struct sim_frame *frame, u8 flip);
void sim_frame_wear(struct sim_frame *frame, u64 chance);
enum sim_frame_fate sim_frame_check(const struct sim_frame *frame,
				    const u8 addr[16], struct tuff_pkt *pkt);

#endif /* _TUFF_SIM_FRAME_H */
