// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: every packet of the engine, held against the model */
#include <linux/minmax.h>
#include <string.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "model.h"
#include "sim.h"

/* What is being checked. */
struct sim_wire {
	struct sim *sim;
	struct sim_qp *sqp;
	const struct tuff_hdr *hdr;
	const struct tuff_opcode *op;
	const u8 *payload;
	u32 len;
	struct sim_wr *wr;
	u32 packet;
};

static u8 sim_wire_position(u8 first, u8 middle, u8 last, u8 only, u32 packet,
			    u32 npsn)
{
	if (npsn == 1)
		return only;
	if (!packet)
		return first;
	return packet == npsn - 1 ? last : middle;
}

/* The opcode, less the service, that the packet of a request must have. */
static u8 sim_wire_opcode(const struct sim_wr *wr, u32 packet)
{
	switch (wr->opcode) {
	case TUFF_WR_SEND:
		return sim_wire_position(TUFF_OP_SEND_FIRST,
					 TUFF_OP_SEND_MIDDLE,
					 TUFF_OP_SEND_LAST, TUFF_OP_SEND_ONLY,
					 packet, wr->npsn);
	case TUFF_WR_SEND_WITH_IMM:
		return sim_wire_position(TUFF_OP_SEND_FIRST,
					 TUFF_OP_SEND_MIDDLE,
					 TUFF_OP_SEND_LAST_IMM,
					 TUFF_OP_SEND_ONLY_IMM,
					 packet, wr->npsn);
	case TUFF_WR_RDMA_WRITE:
		return sim_wire_position(TUFF_OP_WRITE_FIRST,
					 TUFF_OP_WRITE_MIDDLE,
					 TUFF_OP_WRITE_LAST,
					 TUFF_OP_WRITE_ONLY, packet, wr->npsn);
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		return sim_wire_position(TUFF_OP_WRITE_FIRST,
					 TUFF_OP_WRITE_MIDDLE,
					 TUFF_OP_WRITE_LAST_IMM,
					 TUFF_OP_WRITE_ONLY_IMM,
					 packet, wr->npsn);
	case TUFF_WR_RDMA_READ:
		return TUFF_OP_READ_REQUEST;
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
		return TUFF_OP_COMPARE_SWAP;
	default:
		return TUFF_OP_FETCH_ADD;
	}
}

/* Payload: the bytes of the message that stand at this packet. */
static void sim_wire_payload(const struct sim_wire *w)
{
	u32 mtu = 1U << w->sqp->attr.mtu_shift;
	u32 off = w->packet * mtu;

	if (w->len != min(mtu, w->wr->len - off))
		sim_fail(w->sim, "wr %u packet %u: %u bytes of payload",
			 w->wr->idx, w->packet, w->len);
	else if (memcmp(w->payload, w->wr->data + off, w->len))
		sim_fail(w->sim, "wr %u packet %u: wrong payload", w->wr->idx,
			 w->packet);
	else if (w->hdr->pad != (-w->len & 3))
		sim_fail(w->sim, "PadCnt %u for %u bytes", w->hdr->pad, w->len);
}

static void sim_wire_headers(const struct sim_wire *w)
{
	u32 off = w->packet << w->sqp->attr.mtu_shift;
	const struct tuff_hdr *hdr = w->hdr;
	const struct sim_wr *wr = w->wr;
	bool read = wr->opcode == TUFF_WR_RDMA_READ;

	if (w->op->hdrs & TUFF_HDR_RETH &&
	    (hdr->va != wr->va + off || hdr->rkey != wr->rkey ||
	     hdr->dmalen != wr->len - off))
		sim_fail(w->sim, "wr %u: RETH is wrong", wr->idx);
	if (w->op->hdrs & TUFF_HDR_ATOMICETH &&
	    (hdr->va != wr->va || hdr->rkey != wr->rkey ||
	     (wr->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ?
	      hdr->compare != wr->compare_add || hdr->swap_add != wr->swap :
	      hdr->swap_add != wr->compare_add)))
		sim_fail(w->sim, "wr %u: AtomicETH is wrong", wr->idx);
	if (w->op->hdrs & TUFF_HDR_IMMDT && hdr->imm != wr->imm)
		sim_fail(w->sim, "wr %u: ImmDt is wrong", wr->idx);
	if (tuff_opcode_ends(w->op) && !read &&
	    !(w->op->hdrs & TUFF_HDR_ATOMICETH) &&
	    hdr->solicited != !!(wr->flags & TUFF_SEND_SOLICITED))
		sim_fail(w->sim, "wr %u: SE is wrong", wr->idx);
	if (w->op->hdrs & TUFF_HDR_DETH &&
	    (hdr->qkey != wr->qkey || hdr->sqpn != w->sqp->qp.qpn))
		sim_fail(w->sim, "wr %u: DETH is wrong", wr->idx);
}

/* Is it sent again? The engine counts that too. */
static void sim_wire_again(const struct sim_wire *w)
{
	bool read = w->wr->opcode == TUFF_WR_RDMA_READ;
	struct sim_flow *flow = &w->sqp->flow;
	u32 psn = w->wr->psn + w->packet;

	if (w->sqp->qp.type != TUFF_QPT_RC) {
		/* Without acknowledgements nothing is ever sent again. */
		if (psn != flow->next_sent++)
			sim_fail(w->sim, "PSN %u is sent out of turn",
				 w->hdr->psn);
		return;
	}
	if (psn < flow->end_sent)
		w->sqp->host->expected[TUFF_CNT_TX_RETRANSMITS]++;
	else
		flow->end_sent = read ? w->wr->psn + w->wr->npsn : psn + 1;
}

/* READ and ATOMIC are limited; fenced requests wait for all of them. */
static void sim_wire_first(const struct sim_wire *w)
{
	struct sim_flow *flow = &w->sqp->flow;
	struct sim_wr *wr = w->wr;

	wr->sent = true;
	if (wr->flags & TUFF_SEND_FENCE && flow->rd_open)
		sim_fail(w->sim, "wr %u is fenced, %u answers are missing",
			 wr->idx, flow->rd_open);
	if (wr->idx && flow->wr[wr->idx - 1].npsn &&
	    !flow->wr[wr->idx - 1].status && !flow->wr[wr->idx - 1].sent)
		sim_fail(w->sim, "wr %u is sent before the one before it",
			 wr->idx);
	if (!sim_wr_is_rd_atomic(wr))
		return;
	flow->rd_open++;
	if (flow->rd_open > w->sqp->attr.max_rd_atomic)
		sim_fail(w->sim, "wr %u: %u READs and ATOMICs are open",
			 wr->idx, flow->rd_open);
}

static void sim_wire_request(struct sim_wire *w)
{
	struct sim_qp *sqp = w->sqp;
	u8 opcode = w->hdr->opcode & TUFF_OP_MASK;

	w->wr = sim_wr_by_psn(sqp, w->hdr->psn, &w->packet);
	if (!w->wr || w->wr->done) {
		sim_fail(w->sim, "PSN %u belongs to no open request",
			 w->hdr->psn);
		return;
	}
	if (opcode != sim_wire_opcode(w->wr, w->packet)) {
		sim_fail(w->sim, "wr %u packet %u of %u has opcode %#x",
			 w->wr->idx, w->packet, w->wr->npsn, opcode);
		return;
	}
	if (sqp->rnr_until > w->sim->now)
		sim_fail(w->sim, "wr %u is sent before the receiver is ready",
			 w->wr->idx);
	if (sqp->drained)
		sim_fail(w->sim, "wr %u is sent from a drained queue",
			 w->wr->idx);
	sim_wire_headers(w);
	if (!sim_wr_is_rd_atomic(w->wr))
		sim_wire_payload(w);
	else if (w->len)
		sim_fail(w->sim, "wr %u: a request with payload", w->wr->idx);
	if (!w->wr->sent)
		sim_wire_first(w);
	sim_wire_again(w);
}

/* All before the packet was carried out; @self: and the packet too. */
static void sim_wire_executed(const struct sim_wire *w, bool self)
{
	struct sim_qp *from = w->sqp->peer;
	u32 end = (w->packet + 1) << w->sqp->attr.mtu_shift;
	const struct sim_wr *wr = w->wr;
	bool done;

	if (!sim_flow_executed(&from->flow, wr->idx))
		sim_fail(w->sim, "PSN %u is answered, wr %u not carried out",
			 w->hdr->psn, from->flow.executing);
	if (!self || wr->opcode == TUFF_WR_RDMA_READ)
		return;
	if (w->packet == wr->npsn - 1)
		done = sim_flow_executed(&from->flow, wr->idx + 1);
	else
		done = wr->executed >= end;
	if (!done)
		sim_fail(w->sim, "PSN %u is answered and not carried out",
			 w->hdr->psn);
}

static void sim_wire_msn(const struct sim_wire *w, u32 messages)
{
	if (w->hdr->msn != (messages & TUFF_PSN_MASK))
		sim_fail(w->sim, "PSN %u is answered with MSN %u, not %u",
			 w->hdr->psn, w->hdr->msn, messages);
}

static void sim_wire_nak(const struct sim_wire *w)
{
	const struct sim_wr *wr = w->wr;
	bool wanted;

	sim_wire_executed(w, false);
	if (w->hdr->syndrome == TUFF_NAK_SEQUENCE)
		return;
	wanted = w->sqp->peer->flow.may_fail || wr->expect == SIM_STATUS_ANY;
	switch (w->hdr->syndrome) {
	case TUFF_NAK_INVALID:
		wanted |= wr->expect == TUFF_WC_REM_INV_REQ_ERR;
		break;
	case TUFF_NAK_ACCESS:
		wanted |= wr->expect == TUFF_WC_REM_ACCESS_ERR;
		break;
	case TUFF_NAK_OPERATION:
		wanted |= wr->expect == TUFF_WC_REM_OP_ERR;
		break;
	}
	if (!wanted)
		sim_fail(w->sim, "wr %u is refused with syndrome %#x", wr->idx,
			 w->hdr->syndrome);
}

static void sim_wire_ack(const struct sim_wire *w)
{
	const struct sim_wr *wr = w->wr;
	bool last = w->packet == wr->npsn - 1 ||
		    wr->opcode == TUFF_WR_RDMA_READ;

	switch (w->hdr->syndrome & TUFF_AETH_TYPE_MASK) {
	case TUFF_AETH_ACK:
		sim_wire_executed(w, true);
		sim_wire_msn(w, last ? wr->idx + 1 : wr->idx);
		break;
	case TUFF_AETH_RNR:
		sim_wire_executed(w, false);
		if (!sim_wr_takes_recv(wr))
			sim_fail(w->sim, "RNR NAK for wr %u", wr->idx);
		break;
	default:
		sim_wire_nak(w);
	}
}

static void sim_wire_response(struct sim_wire *w)
{
	struct sim_qp *from = w->sqp->peer;
	u64 orig;

	w->wr = sim_wr_by_psn(from, w->hdr->psn, &w->packet);
	if (!w->wr) {
		u32 last = (from->attr.sq_psn - 1) & TUFF_PSN_MASK;

		/*
		 * A NAK may name a PSN that nobody has been given yet, and a
		 * packet of an earlier connection may be acknowledged again.
		 */
		if (w->op->kind != TUFF_KIND_ACK ||
		    (w->hdr->syndrome != TUFF_NAK_SEQUENCE &&
		     w->hdr->psn != last))
			sim_fail(w->sim, "an answer for PSN %u, nobody's",
				 w->hdr->psn);
		return;
	}
	if (w->op->kind == TUFF_KIND_ACK) {
		sim_wire_ack(w);
		return;
	}
	sim_wire_executed(w, true);
	if (w->op->hdrs & TUFF_HDR_AETH)
		sim_wire_msn(w, w->wr->idx + 1);
	if (w->op->kind == TUFF_KIND_ATOMIC_ACK) {
		memcpy(&orig, w->wr->data, 8);
		if (!sim_wr_is_rd_atomic(w->wr) || w->wr->len != 8 ||
		    w->hdr->orig != orig)
			sim_fail(w->sim, "wr %u: wrong atomic result",
				 w->wr->idx);
		return;
	}
	if (w->wr->opcode != TUFF_WR_RDMA_READ)
		sim_fail(w->sim, "wr %u is no READ, but answered", w->wr->idx);
	else if (tuff_opcode_ends(w->op) != (w->packet == w->wr->npsn - 1))
		sim_fail(w->sim, "wr %u: answer packet %u has opcode %#x",
			 w->wr->idx, w->packet, w->hdr->opcode);
	else if (w->wr->got <= w->packet << w->sqp->attr.mtu_shift)
		/* A late duplicate of what arrived may read newer bytes. */
		sim_wire_payload(w);
}

/* Pauses that RNR NAKs ask for, in us (IBA table 45). */
static const u32 sim_rnr_us[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960,
	1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960,
	61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

/**
 * sim_wire_received() - the engine has seen a packet
 * @sqp: queue pair
 * @hdr: its headers
 *
 * An RNR NAK that it heeds makes it silent for a while. Not called while it
 * is: the news is old.
 */
void sim_wire_received(struct sim_qp *sqp, const struct tuff_hdr *hdr)
{
	const struct tuff_opcode *op = &tuff_opcodes[hdr->opcode];
	struct sim *sim = sqp->sim;

	if (op->kind != TUFF_KIND_ACK ||
	    (hdr->syndrome & TUFF_AETH_TYPE_MASK) != TUFF_AETH_RNR ||
	    sqp->qp.requester.state != TUFF_REQUESTER_RNR)
		return;
	sqp->rnr_until = sim->now + SIM_NS_PER_US *
			 sim_rnr_us[hdr->syndrome & TUFF_AETH_CODE_MASK];
}

static u8 sim_wire_transport(const struct sim_qp *sqp)
{
	switch (sqp->qp.type) {
	case TUFF_QPT_RC:
		return TUFF_TRANSPORT_RC;
	case TUFF_QPT_UC:
		return TUFF_TRANSPORT_UC;
	default:
		return TUFF_TRANSPORT_UD;
	}
}

/**
 * sim_wire_check() - the engine sends a packet: is it the right one
 * @sqp: queue pair
 * @hdr: its headers
 * @payload: its payload
 * @len: bytes of that
 */
void sim_wire_check(struct sim_qp *sqp, const struct tuff_hdr *hdr,
		    const u8 *payload, u32 len)
{
	struct sim_wire w = {
		.sim = sqp->sim,
		.sqp = sqp,
		.hdr = hdr,
		.op = &tuff_opcodes[hdr->opcode],
		.payload = payload,
		.len = len,
	};
	u8 state = sqp->qp.state;

	if (!w.op->valid ||
	    (hdr->opcode & TUFF_TRANSPORT_MASK) != sim_wire_transport(sqp))
		sim_fail(w.sim, "opcode %#x is sent", hdr->opcode);
	if (hdr->pkey != TUFF_PKEY_DEFAULT)
		sim_fail(w.sim, "P_Key %#x is sent", hdr->pkey);
	if (tuff_qp_connected(&sqp->qp) && hdr->dqpn != sqp->peer->qp.qpn)
		sim_fail(w.sim, "sent to QP %u", hdr->dqpn);
	if (state != TUFF_QPS_RTS && state != TUFF_QPS_SQD &&
	    !tuff_opcode_is_response(w.op))
		sim_fail(w.sim, "a request is sent in state %u", state);
	if (tuff_opcode_is_response(w.op))
		sim_wire_response(&w);
	else
		sim_wire_request(&w);
}

/**
 * sim_wire_lent() - the engine lends a request instead of sending packets
 * @sqp: queue pair
 * @psn: the request's first PSN
 */
void sim_wire_lent(struct sim_qp *sqp, u32 psn)
{
	struct sim_wire w = { .sim = sqp->sim, .sqp = sqp };

	w.wr = sim_wr_by_psn(sqp, psn, &w.packet);
	if (!w.wr || w.packet || w.wr->done) {
		sim_fail(sqp->sim, "lends PSN %u, no start of a request", psn);
		return;
	}
	if (!w.wr->sent)
		sim_wire_first(&w);
}

/**
 * sim_wire_lent_done() - a lent request was carried out
 * @sqp: queue pair that lent it
 * @wr: the request
 */
void sim_wire_lent_done(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim_flow *flow = &sqp->flow;

	if (sqp->qp.type == TUFF_QPT_RC && !sim_wr_is_rd_atomic(wr) &&
	    !sim_flow_executed(flow, wr->idx + 1))
		sim_fail(sqp->sim, "wr %u is done and not carried out",
			 wr->idx);
	flow->end_sent = wr->psn + wr->npsn;
	flow->next_sent = flow->end_sent;
}
