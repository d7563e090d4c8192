/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: simulation: what must happen, told without the engine
 *
 * A request is carried out on the model when it is posted: what it reads and
 * writes, where, and which packets carry it follows from that, in posting
 * order. Whatever the engine then sends, writes and reports is compared.
 */
#ifndef _TUFF_SIM_MODEL_H
#define _TUFF_SIM_MODEL_H

#include <linux/types.h>

#include "engine/types.h"
#include "engine/wqe.h"

struct sim;
struct sim_qp;
struct sim_rq;
struct sim_mix;

#define SIM_MAX_SGE	8
/* Bytes that precede the payload in the receive buffer of a datagram. */
#define SIM_GRH_LEN	40
/* A key that no region has. */
#define SIM_BAD_LKEY	0x77777777
/* Any status but success: the request may end in several ways. */
#define SIM_STATUS_ANY	0xfe

/* Local memory of a request. */
struct sim_piece {
	struct tuff_mr *mr;
	u32 off;
	u32 len;
};

/**
 * struct sim_wr - one send request, and what is known of it
 * @idx: its number in posting order; also its wr_id
 * @opcode: &enum tuff_wr_opcode
 * @flags: &enum tuff_send_flags
 * @num_sge: entries of @sge
 * @expect: status it must complete with
 * @lkey: nonzero: local key written to the ring instead of the right one
 * @sge: local memory
 * @len: bytes of the message
 * @imm: immediate data
 * @rmr: remote memory
 * @va: remote address as posted
 * @rkey: remote key as posted
 * @compare_add: atomic operand
 * @swap: atomic operand
 * @av: UD: where to
 * @dest: UD: queue pair meant
 * @qkey: UD: Q_Key as posted
 * @data: bytes that are sent, or that READ or ATOMIC must bring
 * @psn: of its first packet, counted from the flow's first
 * @npsn: packets (READ: of the answer)
 * @sent: its first packet went out
 * @executed: bytes that the responder wrote, in order
 * @received: the responder's consumer was told
 * @got: READ, ATOMIC: bytes of the answer that arrived in memory
 * @lost: UC, UD: it will not arrive (any more)
 * @done: it left the send queue
 * @reported: a completion was seen
 * @status: of the completion
 */
struct sim_wr {
	u32 idx;
	u8 opcode;
	u8 flags;
	u8 num_sge;
	u8 expect;
	u32 lkey;
	struct sim_piece sge[SIM_MAX_SGE];
	u32 len;
	__be32 imm;
	struct tuff_mr *rmr;
	u64 va;
	u32 rkey;
	u64 compare_add;
	u64 swap;
	struct tuff_av *av;
	struct sim_qp *dest;
	u32 qkey;
	u8 *data;

	u32 psn;
	u32 npsn;
	bool sent;
	bool received;
	bool lost;
	bool done;
	bool reported;
	u8 status;
	u32 executed;
	u32 got;
};

/**
 * struct sim_recv - one receive request, and what is known of it
 * @idx: its number in posting order; also its wr_id
 * @buf: buffer of the queue's region
 * @num_sge: entries of @sge
 * @bad_lkey: posted with a wrong local key
 * @sge: the memory
 * @len: capacity
 * @by: queue pair that took it, or NULL
 */
struct sim_recv {
	u32 idx;
	u32 buf;
	u8 num_sge;
	bool bad_lkey;
	struct sim_piece sge[SIM_MAX_SGE];
	u32 len;
	struct sim_qp *by;
};

/**
 * struct sim_flow - the requests of one queue pair, posting order
 * @wr: requests
 * @max: room in @wr
 * @to_post: requests that shall be posted in the end
 * @posted: requests posted
 * @fetched: of which the engine took
 * @done: of which left the send queue
 * @judged: of which are known to have been reported if they had to be
 * @next_psn: PSNs given so far, counted from the first
 * @next_sent: UC, UD: PSN that must be sent next, counted from the first
 * @end_sent: RC: one past the highest PSN sent, counted from the first
 * @executing: first request the responder has not wholly carried out
 * @rd_open: READ and ATOMIC sent and not answered
 * @broken: a completion in error was seen: only flushed ones may follow
 * @doomed: a request that must fail was posted: the rest must be flushed
 * @stopped: one that must fail before it is sent was: nothing more is sent
 * @flushing: the queue pair is in error: what is left must be flushed
 * @may_fail: statuses (bits) that any request may end with, of the
 *	scenario's doing
 * @armed: a posting event is on the heap
 * @mix: what requests look like
 * @packets_left: of the mix's budget
 * @make: instead of the mix, or NULL
 * @source: local memory that is sent
 * @sink: local memory for answers
 * @remote: memory of the peer
 * @retired: was remote memory: deregistered when all that used it is done
 * @retire_at: that many requests may have used it
 * @gap_ns: the consumer posts that long after there is room
 * @burst: and so many at once
 */
struct sim_flow {
	struct sim_wr *wr;
	u32 max;
	u32 to_post;
	u32 posted;
	u32 fetched;
	u32 done;
	u32 judged;
	u32 next_psn;
	u32 next_sent;
	u32 end_sent;
	u32 executing;
	u32 rd_open;
	u32 may_fail;
	bool broken;
	bool doomed;
	bool stopped;
	bool flushing;
	bool armed;
	const struct sim_mix *mix;
	u32 packets_left;
	void (*make)(struct sim_qp *sqp, struct sim_wr *wr);
	struct tuff_mr *source[2];
	struct tuff_mr *sink[2];
	struct tuff_mr *remote[2];
	struct tuff_mr *retired;
	u32 retire_at;
	u64 gap_ns;
	u32 burst;
};

bool sim_wr_is_rd_atomic(const struct sim_wr *wr);
bool sim_wr_takes_recv(const struct sim_wr *wr);
struct sim_wr *sim_wr_by_psn(struct sim_qp *sqp, u32 psn, u32 *packet);
u8 *sim_pieces_at(const struct sim_piece *sge, u32 num_sge, u32 off, u32 *len);

/* model.c: posting and completions */
void sim_model_post(struct sim_qp *sqp, struct sim_wr *wr);
void sim_model_done(struct sim_qp *sqp, u64 wr_id);
void sim_model_cqe_send(struct sim_qp *sqp, const struct tuff_cqe *cqe);
void sim_model_cqe_recv(struct sim_qp *sqp, const struct tuff_cqe *cqe);
void sim_model_quiet(struct sim_qp *sqp);
void sim_model_recover(struct sim_qp *sqp, u32 psn);
void sim_model_forget(struct sim_qp *sqp);

/* memory.c: what the engine may write, and where */
void sim_memory_pkt_write(struct tuff_mr *mr, u64 va,
			  const struct tuff_pkt *pkt, u32 off, u32 len);
void sim_memory_write(struct tuff_mr *mr, u64 va, const void *src, u32 len);
void sim_memory_atomic(struct tuff_mr *mr, u64 va, bool fetch_add, u64 compare,
		       u64 swap_add);

void sim_memory_lent(struct tuff_mr *mr, u64 va, u32 len);
void sim_memory_lent_undone(struct sim_wr *wr);

bool sim_flow_executed(struct sim_flow *flow, u32 idx);

/* wire.c: what the engine may send */
void sim_wire_received(struct sim_qp *sqp, const struct tuff_hdr *hdr);
void sim_wire_check(struct sim_qp *sqp, const struct tuff_hdr *hdr,
		    const u8 *payload, u32 len);
void sim_wire_lent(struct sim_qp *sqp, u32 psn);
void sim_wire_lent_done(struct sim_qp *sqp, struct sim_wr *wr);

#endif /* _TUFF_SIM_MODEL_H */
