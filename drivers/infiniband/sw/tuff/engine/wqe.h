/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the kernel's own record of a posted work request */
#ifndef _TUFF_ENGINE_WQE_H
#define _TUFF_ENGINE_WQE_H

#include <linux/list.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "engine/types.h"

struct rxe_send_wqe;
struct rxe_recv_wqe;

/* Values of enum ib_wr_opcode, which the user ABI shares. */
enum tuff_wr_opcode {
	TUFF_WR_RDMA_WRITE		= 0,
	TUFF_WR_RDMA_WRITE_WITH_IMM	= 1,
	TUFF_WR_SEND			= 2,
	TUFF_WR_SEND_WITH_IMM		= 3,
	TUFF_WR_RDMA_READ		= 4,
	TUFF_WR_ATOMIC_CMP_AND_SWP	= 5,
	TUFF_WR_ATOMIC_FETCH_AND_ADD	= 6,
	TUFF_WR_SEND_WITH_INV		= 9,
	TUFF_WR_NONE			= 0xff,	/* no such request */
};

/* Values of enum ib_send_flags, which the user ABI shares. */
enum tuff_send_flags {
	TUFF_SEND_FENCE		= 1 << 0,
	TUFF_SEND_SIGNALED	= 1 << 1,
	TUFF_SEND_SOLICITED	= 1 << 2,
	TUFF_SEND_INLINE	= 1 << 3,
};

/* Values of enum ib_wc_status. */
enum tuff_wc_status {
	TUFF_WC_SUCCESS			= 0,
	TUFF_WC_LOC_LEN_ERR		= 1,
	TUFF_WC_LOC_QP_OP_ERR		= 2,
	TUFF_WC_LOC_PROT_ERR		= 4,
	TUFF_WC_WR_FLUSH_ERR		= 5,
	TUFF_WC_MW_BIND_ERR		= 6,
	TUFF_WC_BAD_RESP_ERR		= 7,
	TUFF_WC_LOC_ACCESS_ERR		= 8,
	TUFF_WC_REM_INV_REQ_ERR		= 9,
	TUFF_WC_REM_ACCESS_ERR		= 10,
	TUFF_WC_REM_OP_ERR		= 11,
	TUFF_WC_RETRY_EXC_ERR		= 12,
	TUFF_WC_RNR_RETRY_EXC_ERR	= 13,
	TUFF_WC_REM_ABORT_ERR		= 16,
	TUFF_WC_FATAL_ERR		= 19,
	TUFF_WC_GENERAL_ERR		= 21,
};

/* Values of enum ib_wc_opcode. */
enum tuff_wc_opcode {
	TUFF_WC_SEND			= 0,
	TUFF_WC_RDMA_WRITE		= 1,
	TUFF_WC_RDMA_READ		= 2,
	TUFF_WC_COMP_SWAP		= 3,
	TUFF_WC_FETCH_ADD		= 4,
	TUFF_WC_RECV			= 128,
	TUFF_WC_RECV_RDMA_WITH_IMM	= 129,
};

/* Values of enum ib_wc_flags. */
enum tuff_wc_flags {
	TUFF_WC_GRH			= 1 << 0,
	TUFF_WC_WITH_IMM		= 1 << 1,
	TUFF_WC_WITH_INVALIDATE		= 1 << 2,
	TUFF_WC_WITH_SMAC		= 1 << 4,
	TUFF_WC_WITH_VLAN		= 1 << 5,
	TUFF_WC_WITH_NETWORK_HDR_TYPE	= 1 << 6,
};

#define TUFF_MSG_MAX	0x80000000U	/* bytes in one message (IBA 9.4) */

/*
 * Where a request stands that may go to a QP of this host without packets. It
 * is lent to that QP, comes back with an answer, and is never released while
 * it is away.
 */
enum tuff_loop {
	TUFF_LOOP_NOT,		/* nothing of this */
	TUFF_LOOP_LENT,		/* the peer has it */
	TUFF_LOOP_DONE,		/* it was carried out */
	TUFF_LOOP_FAILED,	/* it was, and its result has nowhere to go */
	TUFF_LOOP_RNR,		/* no receive request */
	TUFF_LOOP_LATE,		/* something before it was not carried out */
	TUFF_LOOP_PACKETS,	/* not possible so: let packets tell */
};

/**
 * struct tuff_swqe - one send work request in flight
 * @node: on &tuff_qp.sq, oldest first
 * @wr_id: the consumer's cookie
 * @opcode: &enum tuff_wr_opcode
 * @status: &enum tuff_wc_status; other than success when the request was
 *	found wrong before it was sent: it then completes with it in its turn
 * @flags: &enum tuff_send_flags
 * @length: bytes of the message
 * @psn: PSN of its first packet
 * @npsn: PSNs it takes; 0 until the requester has started it
 * @imm: immediate data, network order
 * @inv_rkey: R_Key to invalidate at the peer
 * @rkey: remote key
 * @va: remote address
 * @compare_add: atomic operand
 * @swap: atomic operand
 * @av: UD: reference to the address vector
 * @dqpn: UD: destination QP number
 * @qkey: UD: Q_Key
 * @pkey_index: GSI: P_Key index
 * @inline_data: the data are @data, not @sge
 * @loop: &enum tuff_loop: loopback, where the peer's QP takes the request itself
 * @loop_answer: the peer's, while it has the request: &enum tuff_loop
 * @loop_code: the peer's: timer code with TUFF_LOOP_RNR
 * @loop_node: on the peer's list of such requests, or the way back
 * @loop_from: the world's: queue pair it came from
 * @loop_off: bytes the peer has copied so far
 * @common_size: the world's: its memory is that of most requests
 * @num_sge: entries of @sge
 * @sge: local memory, each entry with its reference, or the inline data
 * @data: the same storage as bytes
 *
 * Filled once, from the user's ring or a kernel consumer's work request, and
 * never written by anyone but the kernel.
 */
struct tuff_swqe {
	struct list_head node;
	u64 wr_id;
	u8 opcode;
	u8 status;
	u8 flags;
	u8 num_sge;
	bool inline_data;
	u8 loop;
	u8 loop_answer;
	u8 loop_code;
	bool common_size;
	u16 pkey_index;
	u32 length;
	u32 psn;
	u32 npsn;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u32 rkey;
	u64 va;
	u64 compare_add;
	u64 swap;
	struct tuff_av *av;
	u32 dqpn;
	u32 qkey;
	u32 loop_off;
	struct list_head loop_node;
	void *loop_from;
	union {
		DECLARE_FLEX_ARRAY(struct tuff_sge, sge);
		DECLARE_FLEX_ARRAY(u8, data);
	};
};

/**
 * struct tuff_rwqe - one receive work request being filled
 * @wr_id: the consumer's cookie
 * @status: other than success when the request was found wrong
 * @num_sge: entries of @sge
 * @length: capacity, bytes
 * @sge: local memory, each entry with its reference
 */
struct tuff_rwqe {
	u64 wr_id;
	u8 status;
	u8 num_sge;
	u32 length;
	struct tuff_sge sge[];
};

/**
 * struct tuff_cqe - one completion, as the engine reports it
 * @wr_id: the consumer's cookie
 * @status: &enum tuff_wc_status
 * @opcode: &enum tuff_wc_opcode; undefined by verbs when @status is an error
 * @flags: &enum tuff_wc_flags
 * @byte_len: bytes received or read
 * @imm: immediate data when TUFF_WC_WITH_IMM
 * @inv_rkey: invalidated key when TUFF_WC_WITH_INVALIDATE
 * @src_qp: UD: sender
 * @pkey_index: GSI: index of the packet's P_Key
 * @solicited: raise a solicited-only notification too
 * @pkt: UD: the packet, for the address fields the world adds (may be NULL)
 */
struct tuff_cqe {
	u64 wr_id;
	u8 status;
	u8 opcode;
	u16 flags;
	u32 byte_len;
	union {
		__be32 imm;
		u32 inv_rkey;
	};
	u32 src_qp;
	u16 pkey_index;
	bool solicited;
	const struct tuff_pkt *pkt;
};

static inline bool tuff_swqe_is_send(const struct tuff_swqe *wqe)
{
	return wqe->opcode == TUFF_WR_SEND ||
	       wqe->opcode == TUFF_WR_SEND_WITH_IMM;
}

static inline bool tuff_swqe_has_imm(const struct tuff_swqe *wqe)
{
	return wqe->opcode == TUFF_WR_SEND_WITH_IMM ||
	       wqe->opcode == TUFF_WR_RDMA_WRITE_WITH_IMM;
}

/* Does it take a receive request at the peer? */
static inline bool tuff_swqe_takes_receive(const struct tuff_swqe *wqe)
{
	return tuff_swqe_is_send(wqe) || tuff_swqe_has_imm(wqe);
}

static inline bool tuff_swqe_is_atomic(const struct tuff_swqe *wqe)
{
	return wqe->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD;
}

/* Bytes of a record that holds @num_sge pieces or @inline_len bytes. */
static inline size_t tuff_swqe_size(u32 num_sge, u32 inline_len)
{
	size_t sges = (size_t)num_sge * sizeof(struct tuff_sge);

	return offsetof(struct tuff_swqe, sge) +
	       (sges > inline_len ? sges : inline_len);
}

/* A user's work request. */
void tuff_swqe_load(struct tuff_qp *qp, struct tuff_swqe *wqe,
		    const struct rxe_send_wqe *user, u32 bytes);

/*
 * A kernel consumer's work request: tuff_swqe_init(), then fill wr_id,
 * opcode, flags and what the opcode needs (imm, rkey and va, compare_add and
 * swap; UD: av with a reference, dqpn, qkey, pkey_index), then
 * tuff_swqe_add_sge() for each piece or tuff_swqe_add_inline(), then
 * tuff_swqe_check(). What is wrong ends up in status; the first fault counts.
 */
void tuff_swqe_init(struct tuff_swqe *wqe);
void tuff_swqe_add_sge(struct tuff_qp *qp, struct tuff_swqe *wqe, u64 addr,
		       u32 len, u32 lkey);
void tuff_swqe_add_inline(struct tuff_qp *qp, struct tuff_swqe *wqe,
			  const void *data, u32 len);
void tuff_swqe_check(struct tuff_qp *qp, struct tuff_swqe *wqe);

void tuff_swqe_release(struct tuff_qp *qp, struct tuff_swqe *wqe);

/* A user's receive work request. */
void tuff_rwqe_load(struct tuff_qp *qp, struct tuff_rwqe *wqe,
		    const struct rxe_recv_wqe *user, u32 bytes, u32 max_sge);

/* A kernel consumer's: tuff_rwqe_init(), wr_id, tuff_rwqe_add_sge(). */
void tuff_rwqe_init(struct tuff_rwqe *wqe);
void tuff_rwqe_add_sge(struct tuff_qp *qp, struct tuff_rwqe *wqe, u32 max_sge,
		       u64 addr, u32 len, u32 lkey);

void tuff_rwqe_release(struct tuff_qp *qp, struct tuff_rwqe *wqe);

u8 tuff_wc_opcode(const struct tuff_swqe *wqe);

#endif /* _TUFF_ENGINE_WQE_H */
