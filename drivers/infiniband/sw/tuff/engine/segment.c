// SPDX-License-Identifier: GPL-2.0
/* tuff: a send request cut into packets */
#include "engine/segment.h"

#include <linux/minmax.h>
#include <linux/string.h>

#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/world.h"
#include "engine/wqe.h"

/*
 * PSNs that one READ request may ask for. A READ of 2 GiB at path MTU 256
 * takes 2^23 of them, more than may be outstanding: it is asked for in
 * pieces, the next one when all before it has been answered.
 */
#define TUFF_READ_NPSN_MAX	(1U << 21)

/* Opcodes of a SEND or WRITE, by &enum tuff_position. */
struct tuff_segment_ops {
	u8 first;
	u8 middle;
	u8 last;
	u8 only;
};

static const struct tuff_segment_ops tuff_send_ops = {
	TUFF_OP_SEND_FIRST, TUFF_OP_SEND_MIDDLE,
	TUFF_OP_SEND_LAST, TUFF_OP_SEND_ONLY,
};

static const struct tuff_segment_ops tuff_send_imm_ops = {
	TUFF_OP_SEND_FIRST, TUFF_OP_SEND_MIDDLE,
	TUFF_OP_SEND_LAST_IMM, TUFF_OP_SEND_ONLY_IMM,
};

static const struct tuff_segment_ops tuff_write_ops = {
	TUFF_OP_WRITE_FIRST, TUFF_OP_WRITE_MIDDLE,
	TUFF_OP_WRITE_LAST, TUFF_OP_WRITE_ONLY,
};

static const struct tuff_segment_ops tuff_write_imm_ops = {
	TUFF_OP_WRITE_FIRST, TUFF_OP_WRITE_MIDDLE,
	TUFF_OP_WRITE_LAST_IMM, TUFF_OP_WRITE_ONLY_IMM,
};

/**
 * tuff_swqe_is_rd_atomic() - does a request bring back data?
 * @wqe: send request
 *
 * Return: true for READ and the atomics: they are limited by max_rd_atomic,
 * only their response acknowledges them, and fences wait for them.
 */
bool tuff_swqe_is_rd_atomic(const struct tuff_swqe *wqe)
{
	return wqe->opcode == TUFF_WR_RDMA_READ ||
	       wqe->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD;
}

/**
 * tuff_segment_npsn() - PSNs that a message of some length takes
 * @qp: queue pair, for its path MTU
 * @length: bytes
 *
 * Return: packets, at least 1 (IBA 9.7.2).
 */
u32 tuff_segment_npsn(const struct tuff_qp *qp, u32 length)
{
	if (!length)
		return 1;
	return ((length - 1) >> qp->attr.path_mtu_shift) + 1;
}

static u8 tuff_segment_op(const struct tuff_segment_ops *ops, u32 idx, u32 npsn)
{
	if (npsn == 1)
		return ops->only;
	if (!idx)
		return ops->first;
	return idx == npsn - 1 ? ops->last : ops->middle;
}

static const struct tuff_segment_ops *
tuff_segment_message_ops(const struct tuff_swqe *wqe)
{
	switch (wqe->opcode) {
	case TUFF_WR_SEND:
		return &tuff_send_ops;
	case TUFF_WR_SEND_WITH_IMM:
		return &tuff_send_imm_ops;
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		return &tuff_write_imm_ops;
	default:
		return &tuff_write_ops;
	}
}

static u32 tuff_segment_read(struct tuff_qp *qp, const struct tuff_swqe *wqe,
			     u32 idx, struct tuff_hdr *hdr)
{
	u32 npsn = TUFF_READ_NPSN_MAX - idx % TUFF_READ_NPSN_MAX;
	u32 off = idx << qp->attr.path_mtu_shift;

	/* From within a piece for the rest of it: more was never asked for. */
	npsn = min(npsn, wqe->npsn - idx);
	hdr->opcode = TUFF_TRANSPORT_RC | TUFF_OP_READ_REQUEST;
	hdr->ackreq = true;
	hdr->va = wqe->va + off;
	hdr->rkey = wqe->rkey;
	hdr->dmalen = min(wqe->length - off, npsn << qp->attr.path_mtu_shift);
	return npsn;
}

static u32 tuff_segment_atomic(const struct tuff_swqe *wqe,
			       struct tuff_hdr *hdr)
{
	bool swap = wqe->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP;

	hdr->opcode = TUFF_TRANSPORT_RC |
		      (swap ? TUFF_OP_COMPARE_SWAP : TUFF_OP_FETCH_ADD);
	hdr->ackreq = true;
	hdr->va = wqe->va;
	hdr->rkey = wqe->rkey;
	hdr->swap_add = swap ? wqe->swap : wqe->compare_add;
	hdr->compare = swap ? wqe->compare_add : 0;
	return 1;
}

static u32 tuff_segment_message(struct tuff_qp *qp,
				const struct tuff_swqe *wqe, u32 idx,
				struct tuff_hdr *hdr, struct tuff_payload *pl)
{
	u32 off = idx << qp->attr.path_mtu_shift;
	bool last = idx == wqe->npsn - 1;

	hdr->opcode = tuff_segment_op(tuff_segment_message_ops(wqe), idx,
				      wqe->npsn);
	if (qp->type == TUFF_QPT_UC)
		hdr->opcode |= TUFF_TRANSPORT_UC;
	hdr->va = wqe->va;
	hdr->rkey = wqe->rkey;
	hdr->dmalen = wqe->length;
	hdr->imm = wqe->imm;
	hdr->solicited = last && (wqe->flags & TUFF_SEND_SOLICITED);

	pl->data = wqe->inline_data ? wqe->data : NULL;
	pl->sge = wqe->inline_data ? NULL : wqe->sge;
	pl->num_sge = wqe->inline_data ? 0 : wqe->num_sge;
	pl->off = off;
	pl->len = min(wqe->length - off, tuff_qp_mtu(qp));
	hdr->pad = -pl->len & 3;
	return 1;
}

/**
 * tuff_segment() - the packet of a send request that stands at a PSN
 * @qp: connected queue pair
 * @wqe: the request, PSNs assigned
 * @psn: in the request's range
 * @hdr: filled; AckReq only where the operation itself demands it
 * @pl: filled; its length is 0 when the packet carries none
 *
 * The packet follows from the PSN alone, so sending again is the same call.
 * A READ from within its range asks for the rest (IBA 9.7.5.1.1).
 *
 * Context: owner of @qp.
 * Return: PSNs the packet takes: more than 1 for a READ.
 */
u32 tuff_segment(struct tuff_qp *qp, const struct tuff_swqe *wqe, u32 psn,
		 struct tuff_hdr *hdr, struct tuff_payload *pl)
{
	u32 idx = tuff_psn_diff(psn, wqe->psn) & TUFF_PSN_MASK;

	memset(hdr, 0, sizeof(*hdr));
	memset(pl, 0, sizeof(*pl));
	hdr->migreq = true;
	hdr->pkey = qp->attr.pkey;
	hdr->dqpn = qp->attr.dqpn;
	hdr->psn = psn;

	switch (wqe->opcode) {
	case TUFF_WR_RDMA_READ:
		return tuff_segment_read(qp, wqe, idx, hdr);
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
	case TUFF_WR_ATOMIC_FETCH_AND_ADD:
		return tuff_segment_atomic(wqe, hdr);
	default:
		return tuff_segment_message(qp, wqe, idx, hdr, pl);
	}
}
