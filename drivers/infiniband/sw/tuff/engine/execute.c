// SPDX-License-Identifier: GPL-2.0
/* tuff: carry out a request packet that stands at the expected PSN */
#include "engine/execute.h"

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/replay.h"
#include "engine/scatter.h"
#include "engine/segment.h"
#include "engine/world.h"
#include "engine/wqe.h"

static const struct tuff_verdict tuff_verdict_done = {
	.kind = TUFF_VERDICT_DONE,
};

/* RC ends the connection, UC forgets the message (IBA 9.9.3). */
static struct tuff_verdict tuff_refuse(const struct tuff_qp *qp, u8 syndrome)
{
	if (qp->type == TUFF_QPT_RC)
		return (struct tuff_verdict){
			.kind = TUFF_VERDICT_NAK,
			.syndrome = syndrome,
		};
	return (struct tuff_verdict){
		.kind = TUFF_VERDICT_DROP,
		.reason = TUFF_CNT_DROP_UC_INVALID,
	};
}

static struct tuff_verdict tuff_not_ready(const struct tuff_qp *qp)
{
	if (qp->type == TUFF_QPT_RC)
		return (struct tuff_verdict){ .kind = TUFF_VERDICT_RNR };
	return (struct tuff_verdict){
		.kind = TUFF_VERDICT_DROP,
		.reason = TUFF_CNT_OUT_OF_BUFFER,
	};
}

/* Does the opcode follow what came before it? (IBA 9.7.4.1.3) */
static bool tuff_execute_order(const struct tuff_qp *qp,
			       const struct tuff_pkt *pkt)
{
	bool starts = tuff_opcode_starts(pkt->op);

	switch (qp->responder.state) {
	case TUFF_RESPONDER_SEND:
		return !starts && pkt->op->kind == TUFF_KIND_SEND;
	case TUFF_RESPONDER_WRITE:
		return !starts && pkt->op->kind == TUFF_KIND_WRITE;
	default:
		return starts;
	}
}

/* Payload length by position (IBA 9.7.4.1.6). */
static bool tuff_execute_length(const struct tuff_qp *qp,
				const struct tuff_pkt *pkt)
{
	u32 mtu = tuff_qp_mtu(qp);

	switch (pkt->op->position) {
	case TUFF_POS_FIRST:
	case TUFF_POS_MIDDLE:
		return pkt->len == mtu;
	case TUFF_POS_LAST:
		return pkt->len >= 1 && pkt->len <= mtu;
	case TUFF_POS_ONLY:
		return pkt->len <= mtu;
	default:
		return !pkt->len;
	}
}

/* Is the operation enabled on this QP? (IBA 9.7.4.1.4) */
static bool tuff_execute_enabled(const struct tuff_qp *qp,
				 const struct tuff_pkt *pkt)
{
	switch (pkt->op->kind) {
	case TUFF_KIND_WRITE:
		return qp->attr.access & TUFF_ACCESS_REMOTE_WRITE;
	case TUFF_KIND_READ:
		return qp->attr.access & TUFF_ACCESS_REMOTE_READ;
	case TUFF_KIND_ATOMIC:
		return qp->attr.access & TUFF_ACCESS_REMOTE_ATOMIC;
	default:
		return true;
	}
}

/* The packet, and with the last one the message, has been taken in. */
static void tuff_execute_step(struct tuff_qp *qp, const struct tuff_pkt *pkt,
			      u8 state)
{
	struct tuff_responder *s = &qp->responder;

	s->epsn = tuff_psn_add(s->epsn, 1);
	if (tuff_opcode_ends(pkt->op)) {
		s->msn = tuff_psn_add(s->msn, 1);
		s->state = TUFF_RESPONDER_IDLE;
	} else {
		s->state = state;
	}
}

/* Make sure that a receive request is at hand. */
static bool tuff_execute_rwqe(struct tuff_qp *qp)
{
	struct tuff_responder *s = &qp->responder;

	if (!s->wqe)
		s->wqe = tuff_world_next_rwqe(qp);
	return s->wqe;
}

/* The receive request ends with @status. */
static void tuff_execute_rwqe_end(struct tuff_qp *qp,
				  const struct tuff_pkt *pkt, u8 status,
				  u8 opcode)
{
	struct tuff_cqe cqe = {
		.status = status,
		.opcode = opcode,
		.byte_len = qp->responder.offset,
		.solicited = pkt->hdr.solicited,
	};

	if (pkt->op->hdrs & TUFF_HDR_IMMDT) {
		cqe.flags |= TUFF_WC_WITH_IMM;
		cqe.imm = pkt->hdr.imm;
	}
	tuff_responder_complete(qp, &cqe);
}

/*
 * A receive request that cannot take the message: local error, and a NAK. UC
 * drops a message that is too long and keeps the request for the next; one
 * whose memory is gone ends the QP there too.
 */
static struct tuff_verdict
tuff_execute_rwqe_bad(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		      u8 status, u8 syndrome)
{
	bool rc = qp->type == TUFF_QPT_RC;

	if (rc || status != TUFF_WC_LOC_LEN_ERR)
		tuff_execute_rwqe_end(qp, pkt, status, TUFF_WC_RECV);
	if (!rc && status != TUFF_WC_LOC_LEN_ERR)
		tuff_qp_error(qp);
	return tuff_refuse(qp, syndrome);
}

static struct tuff_verdict tuff_execute_send(struct tuff_qp *qp,
					     const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;

	if (tuff_opcode_starts(pkt->op)) {
		tuff_world_count(qp, TUFF_CNT_RX_SEND_REQUESTS);
		s->offset = 0;
		if (!tuff_execute_rwqe(qp))
			return tuff_not_ready(qp);
	}
	if (s->wqe->status != TUFF_WC_SUCCESS)
		return tuff_execute_rwqe_bad(qp, pkt, s->wqe->status,
					     TUFF_NAK_OPERATION);
	if (pkt->len > s->wqe->length - s->offset) {
		tuff_world_count(qp, TUFF_CNT_RESP_LOCAL_LENGTH_ERROR);
		return tuff_execute_rwqe_bad(qp, pkt, TUFF_WC_LOC_LEN_ERR,
					     TUFF_NAK_INVALID);
	}
	if (pkt->len && tuff_scatter_pkt(s->wqe->sge, s->wqe->num_sge,
					 s->offset, pkt))
		return tuff_execute_rwqe_bad(qp, pkt, TUFF_WC_LOC_PROT_ERR,
					     TUFF_NAK_OPERATION);
	s->offset += pkt->len;
	if (tuff_opcode_ends(pkt->op))
		tuff_execute_rwqe_end(qp, pkt, TUFF_WC_SUCCESS, TUFF_WC_RECV);
	tuff_execute_step(qp, pkt, TUFF_RESPONDER_SEND);
	return tuff_verdict_done;
}

/* First packet of a WRITE: what its RETH promises (IBA 9.7.4.1.5). */
static bool tuff_execute_write_start(struct tuff_qp *qp,
				     const struct tuff_pkt *pkt, u8 *syndrome)
{
	struct tuff_responder *s = &qp->responder;
	const struct tuff_hdr *hdr = &pkt->hdr;
	struct tuff_mr *mr;

	tuff_world_count(qp, TUFF_CNT_RX_WRITE_REQUESTS);
	*syndrome = TUFF_NAK_INVALID;
	if (hdr->dmalen > TUFF_MSG_MAX)
		return false;
	if (tuff_opcode_ends(pkt->op) ? hdr->dmalen != pkt->len :
					hdr->dmalen <= pkt->len)
		return false;
	if (hdr->dmalen) {
		*syndrome = TUFF_NAK_ACCESS;
		mr = tuff_world_rkey_get(qp, hdr->rkey, hdr->va, hdr->dmalen,
					 TUFF_ACCESS_REMOTE_WRITE);
		if (!mr)
			return false;
		tuff_world_mr_put(mr);
	}
	s->va = hdr->va;
	s->rkey = hdr->rkey;
	s->resid = hdr->dmalen;
	s->offset = 0;
	return true;
}

/* Does the payload agree with what is still to come of the WRITE? */
static bool tuff_execute_write_fits(const struct tuff_qp *qp,
				    const struct tuff_pkt *pkt)
{
	u32 resid = qp->responder.resid;

	return tuff_opcode_ends(pkt->op) ? pkt->len == resid :
					   pkt->len < resid;
}

static bool tuff_execute_write_copy(struct tuff_qp *qp,
				    const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	struct tuff_mr *mr;
	int ret;

	if (!pkt->len)
		return true;
	/* Looked up for each packet: the key may be revoked in between. */
	mr = tuff_world_rkey_get(qp, s->rkey, s->va, pkt->len,
				 TUFF_ACCESS_REMOTE_WRITE);
	if (!mr)
		return false;
	ret = tuff_world_pkt_write(mr, s->va, pkt, 0, pkt->len);
	tuff_world_mr_put(mr);
	return !ret;
}

static struct tuff_verdict tuff_execute_write(struct tuff_qp *qp,
					      const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	bool imm = pkt->op->hdrs & TUFF_HDR_IMMDT;
	u8 syndrome;

	if (tuff_opcode_starts(pkt->op) &&
	    !tuff_execute_write_start(qp, pkt, &syndrome))
		return tuff_refuse(qp, syndrome);
	if (!tuff_execute_write_fits(qp, pkt))
		return tuff_refuse(qp, TUFF_NAK_INVALID);
	/* Before the data, so that a repeated packet finds the state as is. */
	if (imm && !tuff_execute_rwqe(qp))
		return tuff_not_ready(qp);
	if (imm && s->wqe->status != TUFF_WC_SUCCESS)
		return tuff_execute_rwqe_bad(qp, pkt, s->wqe->status,
					     TUFF_NAK_OPERATION);
	if (!tuff_execute_write_copy(qp, pkt))
		return tuff_refuse(qp, TUFF_NAK_ACCESS);
	s->va += pkt->len;
	s->resid -= pkt->len;
	s->offset += pkt->len;
	if (imm)
		tuff_execute_rwqe_end(qp, pkt, TUFF_WC_SUCCESS,
				      TUFF_WC_RECV_RDMA_WITH_IMM);
	tuff_execute_step(qp, pkt, TUFF_RESPONDER_WRITE);
	return tuff_verdict_done;
}

static struct tuff_verdict tuff_execute_read(struct tuff_qp *qp,
					     const struct tuff_pkt *pkt)
{
	const struct tuff_hdr *hdr = &pkt->hdr;
	struct tuff_mr *mr;

	tuff_world_count(qp, TUFF_CNT_RX_READ_REQUESTS);
	if (hdr->dmalen > TUFF_MSG_MAX || !tuff_replay_room(qp) ||
	    tuff_segment_npsn(qp, hdr->dmalen) > TUFF_PSN_WINDOW)
		return tuff_refuse(qp, TUFF_NAK_INVALID);
	if (hdr->dmalen) {
		mr = tuff_world_rkey_get(qp, hdr->rkey, hdr->va, hdr->dmalen,
					 TUFF_ACCESS_REMOTE_READ);
		if (!mr)
			return tuff_refuse(qp, TUFF_NAK_ACCESS);
		tuff_world_mr_put(mr);
	}
	tuff_replay_add_read(qp, pkt);
	return tuff_verdict_done;
}

static struct tuff_verdict tuff_execute_atomic(struct tuff_qp *qp,
					       const struct tuff_pkt *pkt)
{
	const struct tuff_hdr *hdr = &pkt->hdr;
	struct tuff_mr *mr;
	u64 orig;
	int ret;

	tuff_world_count(qp, TUFF_CNT_RX_ATOMIC_REQUESTS);
	if ((hdr->va & 7) || !tuff_replay_room(qp))
		return tuff_refuse(qp, TUFF_NAK_INVALID);
	mr = tuff_world_rkey_get(qp, hdr->rkey, hdr->va, sizeof(orig),
				 TUFF_ACCESS_REMOTE_ATOMIC);
	if (!mr)
		return tuff_refuse(qp, TUFF_NAK_ACCESS);
	ret = tuff_world_mr_atomic(mr, hdr->va,
				   (hdr->opcode & TUFF_OP_MASK) ==
				   TUFF_OP_FETCH_ADD,
				   hdr->compare, hdr->swap_add, &orig);
	tuff_world_mr_put(mr);
	if (ret)
		return tuff_refuse(qp, TUFF_NAK_ACCESS);
	tuff_replay_add_atomic(qp, pkt, orig);
	return tuff_verdict_done;
}

/**
 * tuff_execute() - check and carry out the packet at the expected PSN
 * @qp: RC or UC queue pair
 * @pkt: request packet
 *
 * Checks in the order of IBA 9.7.4.1: opcode sequence, operation enabled,
 * length, then keys; nothing is written before all of them passed. On success
 * the expected PSN and the MSN have moved on and completions are reported.
 *
 * Context: owner of @qp.
 * Return: what the responder is to do.
 */
struct tuff_verdict tuff_execute(struct tuff_qp *qp,
				 const struct tuff_pkt *pkt)
{
	if (!tuff_execute_order(qp, pkt) || !tuff_execute_enabled(qp, pkt) ||
	    !tuff_execute_length(qp, pkt))
		return tuff_refuse(qp, TUFF_NAK_INVALID);
	switch (pkt->op->kind) {
	case TUFF_KIND_SEND:
		return tuff_execute_send(qp, pkt);
	case TUFF_KIND_WRITE:
		return tuff_execute_write(qp, pkt);
	case TUFF_KIND_READ:
		return tuff_execute_read(qp, pkt);
	case TUFF_KIND_ATOMIC:
		return tuff_execute_atomic(qp, pkt);
	default:
		return tuff_refuse(qp, TUFF_NAK_INVALID);
	}
}
