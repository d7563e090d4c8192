/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: consumers that post at random, by a mix */
#ifndef _TUFF_SIM_LOAD_H
#define _TUFF_SIM_LOAD_H

#include "host.h"

/* Kinds of requests a mix weighs. */
enum sim_kind {
	SIM_KIND_SEND,
	SIM_KIND_SEND_IMM,
	SIM_KIND_WRITE,
	SIM_KIND_WRITE_IMM,
	SIM_KIND_READ,
	SIM_KIND_SWAP,
	SIM_KIND_ADD,
	SIM_NR_KINDS,
};

/**
 * struct sim_mix - what requests look like
 * @weight: of each &enum sim_kind
 * @max_len: bytes of the longest message
 * @max_packets: packets of all requests of a flow, about
 * @border_ppm: lengths at the borders: 0, 1, around multiples of the MTU
 * @inline_ppm: data inside the request, where they fit
 * @silent_ppm: not signalled
 * @fence_ppm: fenced, beside those that must be
 * @solicited_ppm: solicited
 * @reuse_ppm: what a READ brought is sent on (fenced)
 * @qkey_ppm: UD: sent with a wrong Q_Key
 */
struct sim_mix {
	u8 weight[SIM_NR_KINDS];
	u32 max_len;
	u32 max_packets;
	u32 border_ppm;
	u32 inline_ppm;
	u32 silent_ppm;
	u32 fence_ppm;
	u32 solicited_ppm;
	u32 reuse_ppm;
	u32 qkey_ppm;
};

void sim_load_memory(struct sim_qp *sqp, const struct sim_mix *mix);
void sim_load_start(struct sim_qp *sqp, u32 count);
void sim_load_make(struct sim_qp *sqp, struct sim_wr *wr);
void sim_load_make_op(struct sim_qp *sqp, struct sim_wr *wr, u8 opcode,
		      u32 len);
void sim_load_room(struct sim_qp *sqp);
void sim_load_recv_start(struct sim_rq *rq, u32 count, u64 delay_ns);
void sim_load_recv_room(struct sim_rq *rq);
void sim_load_recv_make(struct sim_rq *rq, struct sim_recv *recv);

#endif /* _TUFF_SIM_LOAD_H */
