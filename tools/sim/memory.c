// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: every write of the engine, held against the model */
#include <linux/minmax.h>
#include <string.h>

#include "engine/wqe.h"
#include "model.h"
#include "sim.h"

/* The queue pair whose packet is being looked at. */
static struct sim_qp *sim_memory_receiver(struct sim_host *host)
{
	u32 i;

	for (i = 0; i < host->nr_qps; i++)
		if (host->qp[i]->rx)
			return host->qp[i];
	return NULL;
}

/* Has the responder nothing left to do for @wr? */
static bool sim_wr_is_executed(const struct sim_wr *wr)
{
	if (wr->lost)
		return true;
	if (sim_wr_takes_recv(wr) && !wr->received)
		return false;
	switch (wr->opcode) {
	case TUFF_WR_RDMA_READ:
	case TUFF_WR_SEND:
	case TUFF_WR_SEND_WITH_IMM:
		return true;
	default:
		return wr->executed == wr->len;
	}
}

/**
 * sim_flow_executed() - has the responder carried out all before a request
 * @flow: the requests
 * @idx: the request
 *
 * Return: true when it has.
 */
bool sim_flow_executed(struct sim_flow *flow, u32 idx)
{
	while (flow->executing < flow->posted &&
	       sim_wr_is_executed(&flow->wr[flow->executing]))
		flow->executing++;
	return flow->executing >= idx;
}

/* Where byte @off of a list of pieces lies must be @va; bytes that follow. */
static bool sim_memory_place(const struct sim_piece *sge, u32 num_sge, u32 off,
			     const struct tuff_mr *mr, u64 va, u32 len)
{
	u32 room;
	u8 *at = sim_pieces_at(sge, num_sge, off, &room);

	return at && at == mr->model + (va - mr->va) && len <= room;
}

/* An answer arrives in the requester's memory. */
static void sim_memory_sink(struct sim_qp *sqp, struct sim_wr *wr, u32 off,
			    const struct tuff_mr *mr, u64 va, u32 len)
{
	struct sim *sim = sqp->sim;

	if (wr->done || off != wr->got)
		sim_fail(sim, "wr %u: byte %u of the answer, %u is next",
			 wr->idx, off, wr->got);
	else if (!sim_memory_place(wr->sge, wr->num_sge, off, mr, va, len))
		sim_fail(sim, "wr %u: byte %u of the answer written at %#llx",
			 wr->idx, off, va);
	else if (off + len > wr->len ||
		 memcmp(mr->mem + (va - mr->va), wr->data + off, len))
		sim_fail(sim, "wr %u: wrong answer, bytes %u to %u", wr->idx,
			 off, off + len - 1);
	wr->got += len;
	if (wr->got == wr->len)
		sqp->flow.rd_open--;
}

/* UC: a message that was overtaken by the next one is lost. */
static void sim_memory_skip(struct sim_flow *flow, const struct sim_wr *wr)
{
	u32 i;

	for (i = flow->executing; i < wr->idx; i++)
		if (!sim_wr_is_executed(&flow->wr[i]))
			flow->wr[i].lost = true;
}

/* The payload of a SEND or WRITE arrives: in order, once. */
static bool sim_memory_turn(struct sim_qp *from, struct sim_wr *wr, u32 off,
			    u32 len)
{
	struct sim *sim = from->sim;

	if (from->qp.type == TUFF_QPT_UC && !off)
		sim_memory_skip(&from->flow, wr);
	if (wr->lost) {
		sim_fail(sim, "wr %u goes on after it was lost", wr->idx);
	} else if (!sim_flow_executed(&from->flow, wr->idx)) {
		sim_fail(sim, "wr %u is carried out before wr %u", wr->idx,
			 from->flow.executing);
	} else if (off != wr->executed || off + len > wr->len) {
		sim_fail(sim, "wr %u: byte %u carried out, %u is next",
			 wr->idx, off, wr->executed);
	} else {
		wr->executed += len;
		return true;
	}
	return false;
}

static void sim_memory_remote(struct sim_qp *from, struct sim_wr *wr, u32 off,
			      struct tuff_mr *mr, u64 va, u32 len)
{
	struct sim *sim = from->sim;

	if (wr->opcode != TUFF_WR_RDMA_WRITE &&
	    wr->opcode != TUFF_WR_RDMA_WRITE_WITH_IMM)
		sim_fail(sim, "wr %u is no WRITE, but writes", wr->idx);
	else if (wr->rmr != mr || va != wr->va + off ||
		 (wr->expect != TUFF_WC_SUCCESS && wr->expect < 32))
		sim_fail(sim, "wr %u may not write at %#llx", wr->idx, va);
	else if (sim_memory_turn(from, wr, off, len) &&
		 memcmp(mr->mem + (va - mr->va), wr->data + off, len))
		sim_fail(sim, "wr %u writes wrong bytes, %u to %u", wr->idx,
			 off, off + len - 1);
}

static void sim_memory_recv(struct sim_qp *sqp, struct sim_qp *from,
			    struct sim_wr *wr, u32 off, struct tuff_mr *mr,
			    u64 va, u32 len)
{
	bool ud = !tuff_qp_connected(&sqp->qp);
	struct sim_recv *recv = sqp->taken;
	struct sim *sim = sqp->sim;

	if (!recv || !sim_wr_takes_recv(wr) || wr->rmr)
		sim_fail(sim, "wr %u may not fill a receive buffer", wr->idx);
	else if (!sim_memory_place(recv->sge, recv->num_sge,
				   ud ? off + SIM_GRH_LEN : off, mr, va, len))
		sim_fail(sim, "wr %u: byte %u received at %#llx", wr->idx, off,
			 va);
	else if ((ud || sim_memory_turn(from, wr, off, len)) &&
		 memcmp(mr->mem + (va - mr->va), wr->data + off, len))
		sim_fail(sim, "wr %u: wrong bytes received, %u to %u", wr->idx,
			 off, off + len - 1);
	/* UC: they stay when the message is lost and the next one shorter. */
	memcpy(mr->model + (va - mr->va), mr->mem + (va - mr->va), len);
}

/**
 * sim_memory_pkt_write() - the engine wrote bytes of a packet
 * @mr: region
 * @va: address
 * @pkt: packet
 * @off: first byte of its payload
 * @len: bytes
 */
void sim_memory_pkt_write(struct tuff_mr *mr, u64 va,
			  const struct tuff_pkt *pkt, u32 off, u32 len)
{
	struct sim_qp *sqp = sim_memory_receiver(mr->host);
	struct sim *sim = mr->host->sim;
	struct sim_qp *from;
	struct sim_wr *wr;
	u32 packet;

	if (!sqp || sqp->rx != pkt || !len) {
		sim_fail(sim, "a write that belongs to no packet");
		return;
	}
	/* Answers belong to a request of ours, requests to one of the peer. */
	from = mr->role == SIM_ROLE_SINK ? sqp :
	       ((struct sim_frame *)pkt->buf)->qp;
	wr = sim_wr_by_psn(from, pkt->hdr.psn, &packet);
	if (!wr) {
		sim_fail(sim, "a write for PSN %u, which nobody has",
			 pkt->hdr.psn);
		return;
	}
	off += packet << sqp->attr.mtu_shift;
	switch (mr->role) {
	case SIM_ROLE_SINK:
		sim_memory_sink(sqp, wr, off, mr, va, len);
		break;
	case SIM_ROLE_REMOTE:
		sim_memory_remote(from, wr, off, mr, va, len);
		break;
	case SIM_ROLE_RECV:
		sim_memory_recv(sqp, from, wr, off, mr, va, len);
		break;
	default:
		sim_fail(sim, "a write where nobody may write");
	}
}

/**
 * sim_memory_lent() - the engine wrote bytes of a lent request
 * @mr: region
 * @va: address
 * @len: bytes
 */
void sim_memory_lent(struct tuff_mr *mr, u64 va, u32 len)
{
	struct sim *sim = mr->host->sim;
	struct sim_qp *sqp = sim_loop_responder(sim);
	struct sim_qp *from;
	struct sim_wr *wr;
	u32 packet;

	if (!sqp) {
		sim_fail(sim, "a copy for no request");
		return;
	}
	from = sqp->loop_now->loop_from;
	wr = sim_wr_by_psn(from, sqp->loop_now->psn, &packet);
	switch (wr ? mr->role : SIM_ROLE_FORBIDDEN) {
	case SIM_ROLE_SINK:
		sim_memory_sink(from, wr, wr->got, mr, va, len);
		break;
	case SIM_ROLE_REMOTE:
		sim_memory_remote(from, wr, wr->executed, mr, va, len);
		break;
	case SIM_ROLE_RECV:
		sim_memory_recv(sqp, from, wr, tuff_qp_connected(&sqp->qp) ?
				wr->executed : sqp->loop_off, mr, va, len);
		sqp->loop_off += len;
		break;
	default:
		sim_fail(sim, "a copy where nobody may write");
	}
}

/**
 * sim_memory_lent_undone() - a lent request comes back, to be sent as packets
 * @wr: the request
 *
 * What was copied of it is copied again, from its start.
 */
void sim_memory_lent_undone(struct sim_wr *wr)
{
	if (wr->executed < wr->len)
		wr->executed = 0;
	if (wr->got < wr->len)
		wr->got = 0;
}

/* Bytes of its own: the header before a datagram comes first. */
static void sim_memory_lent_write(struct tuff_mr *mr, u64 va, u32 len)
{
	struct sim_qp *sqp = sim_loop_responder(mr->host->sim);

	if (!sqp->loop_grh) {
		sim_memory_lent(mr, va, len);
		return;
	}
	if (len > sqp->loop_grh || mr->role != SIM_ROLE_RECV)
		sim_fail(mr->host->sim, "a datagram's header goes astray");
	else
		sqp->loop_grh -= len;
}

/**
 * sim_memory_write() - the engine wrote bytes of its own
 * @mr: region
 * @va: address
 * @src: bytes
 * @len: number of them
 *
 * Results of atomics, and the header that precedes a datagram.
 */
void sim_memory_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	struct sim_qp *sqp = sim_memory_receiver(mr->host);
	struct sim *sim = mr->host->sim;
	struct sim_wr *wr;
	u32 packet;

	if (sim_loop_responder(sim)) {
		sim_memory_lent_write(mr, va, len);
		return;
	}
	if (!sqp) {
		sim_fail(sim, "a write that belongs to no packet");
		return;
	}
	if (mr->role == SIM_ROLE_SINK) {
		wr = sim_wr_by_psn(sqp, sqp->rx->hdr.psn, &packet);
		if (!wr || !sim_wr_is_rd_atomic(wr) ||
		    wr->opcode == TUFF_WR_RDMA_READ)
			sim_fail(sim, "a result of no atomic");
		else
			sim_memory_sink(sqp, wr, wr->got, mr, va, len);
	} else if (mr->role != SIM_ROLE_RECV || len > SIM_GRH_LEN ||
		   tuff_qp_connected(&sqp->qp)) {
		sim_fail(sim, "a write where nobody may write");
	}
}

/**
 * sim_memory_atomic() - the engine carried out an atomic
 * @mr: region
 * @va: address
 * @fetch_add: which
 * @compare: operand
 * @swap_add: operand
 */
void sim_memory_atomic(struct tuff_mr *mr, u64 va, bool fetch_add, u64 compare,
		       u64 swap_add)
{
	struct sim_qp *sqp = sim_memory_receiver(mr->host);
	struct sim *sim = mr->host->sim;
	struct sim_qp *lent = sim_loop_responder(sim);
	struct sim_qp *from;
	struct sim_wr *wr;
	u32 packet, psn;

	if ((!sqp && !lent) || mr->role != SIM_ROLE_REMOTE) {
		sim_fail(sim, "an atomic where none may be");
		return;
	}
	from = lent ? lent->loop_now->loop_from :
		      ((struct sim_frame *)sqp->rx->buf)->qp;
	psn = lent ? lent->loop_now->psn : sqp->rx->hdr.psn;
	wr = sim_wr_by_psn(from, psn, &packet);
	if (!wr || wr->rmr != mr || wr->va != va ||
	    wr->opcode != (fetch_add ? TUFF_WR_ATOMIC_FETCH_AND_ADD :
				       TUFF_WR_ATOMIC_CMP_AND_SWP) ||
	    swap_add != (fetch_add ? wr->compare_add : wr->swap) ||
	    (!fetch_add && compare != wr->compare_add)) {
		sim_fail(sim, "an atomic that nobody posted, at %#llx", va);
		return;
	}
	sim_memory_turn(from, wr, wr->executed, 8);
}
