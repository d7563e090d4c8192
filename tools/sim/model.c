// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: requests carried out on the model, and their completions */
#include "engine/wqe.h"
#include "model.h"

#include <linux/bits.h>
#include <linux/minmax.h>
#include <stdlib.h>
#include <string.h>

#include "engine/psn.h"
#include "load.h"
#include "sim.h"

static bool sim_wr_is_atomic(const struct sim_wr *wr)
{
	return wr->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
	       wr->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD;
}

/**
 * sim_wr_is_rd_atomic() - does a request bring something back
 * @wr: request
 *
 * Return: true for READ and the atomics.
 */
bool sim_wr_is_rd_atomic(const struct sim_wr *wr)
{
	return wr->opcode == TUFF_WR_RDMA_READ || sim_wr_is_atomic(wr);
}

/**
 * sim_wr_takes_recv() - does a request consume a receive request
 * @wr: request
 *
 * Return: true for SEND and whatever has immediate data.
 */
bool sim_wr_takes_recv(const struct sim_wr *wr)
{
	return wr->opcode == TUFF_WR_SEND ||
	       wr->opcode == TUFF_WR_SEND_WITH_IMM ||
	       wr->opcode == TUFF_WR_RDMA_WRITE_WITH_IMM;
}

static bool sim_wr_has_imm(const struct sim_wr *wr)
{
	return wr->opcode == TUFF_WR_SEND_WITH_IMM ||
	       wr->opcode == TUFF_WR_RDMA_WRITE_WITH_IMM;
}

static bool sim_wr_is_write(const struct sim_wr *wr)
{
	return wr->opcode == TUFF_WR_RDMA_WRITE ||
	       wr->opcode == TUFF_WR_RDMA_WRITE_WITH_IMM;
}

/**
 * sim_wr_by_psn() - the request to which a packet belongs
 * @sqp: the queue pair that posted it
 * @psn: PSN of the packet, or of its answer
 * @packet: set to its number within the message
 *
 * Return: the request, or NULL when none has that PSN.
 */
struct sim_wr *sim_wr_by_psn(struct sim_qp *sqp, u32 psn, u32 *packet)
{
	u32 off = (psn - sqp->attr.sq_psn) & TUFF_PSN_MASK;
	struct sim_flow *flow = &sqp->flow;
	u32 low = 0, high = flow->posted;

	if (off >= flow->next_psn)
		return NULL;
	/* The last request that starts at or before the packet. */
	while (high - low > 1) {
		u32 mid = (low + high) / 2;

		if (flow->wr[mid].psn <= off)
			low = mid;
		else
			high = mid;
	}
	/* Requests without packets share the PSN of their successor. */
	*packet = off - flow->wr[low].psn;
	return *packet < flow->wr[low].npsn ? &flow->wr[low] : NULL;
}

/**
 * sim_pieces_at() - a place in a list of memory pieces
 * @sge: the list
 * @num_sge: its entries
 * @off: of the place, from the start of the list
 * @len: set to the bytes that follow it in one piece
 *
 * Return: the place in the model, or NULL when the list is shorter.
 */
u8 *sim_pieces_at(const struct sim_piece *sge, u32 num_sge, u32 off, u32 *len)
{
	for (; num_sge; sge++, num_sge--) {
		if (off < sge->len) {
			*len = sge->len - off;
			return sge->mr->model + sge->off + off;
		}
		off -= sge->len;
	}
	return NULL;
}

static void sim_model_gather(struct sim_wr *wr)
{
	u32 off = 0, n = 0;
	u8 *from;

	while (off < wr->len &&
	       (from = sim_pieces_at(wr->sge, wr->num_sge, off, &n))) {
		n = min(n, wr->len - off);
		memcpy(wr->data + off, from, n);
		off += n;
	}
}

static void sim_model_scatter(struct sim_wr *wr)
{
	u32 off = 0, n = 0;
	u8 *to;

	while (off < wr->len &&
	       (to = sim_pieces_at(wr->sge, wr->num_sge, off, &n))) {
		n = min(n, wr->len - off);
		memcpy(to, wr->data + off, n);
		off += n;
	}
}

static void sim_model_atomic(struct sim_wr *wr, u8 *at)
{
	u64 old, new;

	memcpy(&old, at, 8);
	memcpy(wr->data, at, 8);
	if (wr->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD)
		new = old + wr->compare_add;
	else
		new = old == wr->compare_add ? wr->swap : old;
	memcpy(at, &new, 8);
}

/* Carry the request out on the model. */
static void sim_model_carry_out(struct sim_wr *wr)
{
	u8 *at;

	if (!wr->len || !wr->rmr)
		return;
	at = wr->rmr->model + (wr->va - wr->rmr->va);
	if (wr->opcode == TUFF_WR_RDMA_READ) {
		memcpy(wr->data, at, wr->len);
		sim_model_scatter(wr);
	} else if (sim_wr_is_atomic(wr)) {
		sim_model_atomic(wr, at);
		sim_model_scatter(wr);
	} else if (sim_wr_is_write(wr)) {
		memcpy(at, wr->data, wr->len);
	}
}

/* Does the request fail before any packet of it leaves? */
static bool sim_wr_fails_here(const struct sim_wr *wr)
{
	switch (wr->expect) {
	case TUFF_WC_LOC_LEN_ERR:
	case TUFF_WC_LOC_QP_OP_ERR:
	case TUFF_WC_LOC_PROT_ERR:
		return true;
	default:
		return false;
	}
}

/**
 * sim_model_post() - a request is posted
 * @sqp: queue pair
 * @wr: the request; fills what is known of it from now on
 *
 * After one that must fail the rest must be flushed.
 */
void sim_model_post(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim_flow *flow = &sqp->flow;
	u32 mtu = 1U << sqp->attr.mtu_shift;

	if (flow->doomed && wr->expect == TUFF_WC_SUCCESS)
		wr->expect = TUFF_WC_WR_FLUSH_ERR;
	wr->psn = flow->next_psn;
	wr->npsn = wr->len ? (wr->len + mtu - 1) / mtu : 1;
	flow->stopped |= sim_wr_fails_here(wr);
	if (flow->stopped)
		wr->npsn = 0;
	flow->next_psn += wr->npsn;

	wr->data = malloc(wr->len);
	if (!sim_wr_is_rd_atomic(wr))
		sim_model_gather(wr);
	if (wr->expect == TUFF_WC_SUCCESS)
		sim_model_carry_out(wr);
	else
		flow->doomed = true;
}

/* What "success" promises: IBA 9.7.5.1.2, 10.8.6. */
static void sim_model_succeeded(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	if (wr->expect != TUFF_WC_SUCCESS && wr->expect != SIM_STATUS_ANY)
		sim_fail(sim, "wr %u succeeds, it must fail with %u", wr->idx,
			 wr->expect);
	if (sqp->qp.type != TUFF_QPT_RC) {
		if (sqp->flow.next_sent < wr->psn + wr->npsn)
			sim_fail(sim, "wr %u succeeds unsent", wr->idx);
		return;
	}
	if (sim_wr_is_rd_atomic(wr)) {
		if (wr->got != wr->len)
			sim_fail(sim, "wr %u succeeds with %u bytes of %u",
				 wr->idx, wr->got, wr->len);
		return;
	}
	if (sim_wr_is_write(wr) && wr->executed != wr->len)
		sim_fail(sim, "wr %u succeeds, %u bytes of %u were written",
			 wr->idx, wr->executed, wr->len);
	if (sim_wr_takes_recv(wr) && !wr->received)
		sim_fail(sim, "wr %u succeeds, nobody received it", wr->idx);
}

/* Requests that left the queue: were they reported, if they had to be? */
static void sim_model_judge(struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;

	for (; flow->judged < flow->done; flow->judged++) {
		struct sim_wr *wr = &flow->wr[flow->judged];

		if (wr->reported)
			continue;
		if (sqp->attr.sig_all || wr->flags & TUFF_SEND_SIGNALED)
			sim_fail(sqp->sim, "no completion for wr %u", wr->idx);
		sim_model_succeeded(sqp, wr);
	}
}

/**
 * sim_model_done() - a request left the send queue
 * @sqp: queue pair
 * @wr_id: its cookie
 *
 * Its completion, if there is one, follows at once.
 */
void sim_model_done(struct sim_qp *sqp, u64 wr_id)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim_wr *wr;

	if (wr_id != flow->done || flow->done >= flow->fetched) {
		sim_fail(sqp->sim, "request %llu leaves the queue, %u is next",
			 wr_id, flow->done);
		return;
	}
	sim_model_judge(sqp);
	wr = &flow->wr[flow->done++];
	wr->done = true;
	if (flow->retired && flow->done >= flow->retire_at)
		sim_mr_dereg(flow->retired);
	if (wr->opcode == TUFF_WR_RDMA_READ && !wr->len && wr->sent)
		flow->rd_open--;
	if (sqp->qp.state == TUFF_QPS_RESET)
		flow->judged = flow->done;
	else
		sim_load_room(sqp);
}

static u8 sim_wr_wc_opcode(const struct sim_wr *wr)
{
	switch (wr->opcode) {
	case TUFF_WR_RDMA_WRITE:
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		return TUFF_WC_RDMA_WRITE;
	case TUFF_WR_RDMA_READ:
		return TUFF_WC_RDMA_READ;
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
		return TUFF_WC_COMP_SWAP;
	case TUFF_WR_ATOMIC_FETCH_AND_ADD:
		return TUFF_WC_FETCH_ADD;
	default:
		return TUFF_WC_SEND;
	}
}

/* May the request end in this error here? */
static bool sim_model_error_fits(const struct sim_flow *flow,
				 const struct sim_wr *wr, u8 status)
{
	if (flow->broken || flow->flushing)
		return status == TUFF_WC_WR_FLUSH_ERR;
	if (flow->may_fail & BIT(status))
		return true;
	return status == wr->expect || wr->expect == SIM_STATUS_ANY;
}

/**
 * sim_model_cqe_send() - a completion on the send queue's CQ
 * @sqp: queue pair
 * @cqe: the completion
 */
void sim_model_cqe_send(struct sim_qp *sqp, const struct tuff_cqe *cqe)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;
	struct sim_wr *wr;

	if (flow->judged == flow->done || cqe->wr_id != flow->done - 1) {
		sim_fail(sim, "completion of wr %llu, %u left the queue",
			 cqe->wr_id, flow->done);
		return;
	}
	wr = &flow->wr[cqe->wr_id];
	if (wr->reported)
		sim_fail(sim, "wr %u completes twice", wr->idx);
	wr->reported = true;
	wr->status = cqe->status;
	if (cqe->status == TUFF_WC_WR_FLUSH_ERR)
		sqp->host->expected[TUFF_CNT_REQ_CQE_FLUSH_ERROR]++;
	else if (cqe->status != TUFF_WC_SUCCESS)
		sqp->host->expected[TUFF_CNT_REQ_CQE_ERROR]++;
	if (cqe->status != TUFF_WC_SUCCESS) {
		if (!sim_model_error_fits(flow, wr, cqe->status))
			sim_fail(sim, "wr %u ends with status %u, expected %u",
				 wr->idx, cqe->status, wr->expect);
		flow->broken = true;
		return;
	}
	if (flow->broken)
		sim_fail(sim, "wr %u succeeds after an error", wr->idx);
	if (!sqp->attr.sig_all && !(wr->flags & TUFF_SEND_SIGNALED))
		sim_fail(sim, "wr %u was not signalled", wr->idx);
	if (cqe->opcode != sim_wr_wc_opcode(wr))
		sim_fail(sim, "wr %u completes as %u", wr->idx, cqe->opcode);
	if (sim_wr_is_rd_atomic(wr) && cqe->byte_len != wr->len)
		sim_fail(sim, "wr %u: byte_len %u, not %u", wr->idx,
			 cqe->byte_len, wr->len);
	sim_model_succeeded(sqp, wr);
}

/*
 * The message that a receive completion is about: the one whose packet the
 * engine is looking at.
 */
static struct sim_wr *sim_model_message(struct sim_qp *sqp)
{
	struct sim_qp *from;
	u32 packet;

	if (sqp->loop_now) {
		from = sqp->loop_now->loop_from;
		return sim_wr_by_psn(from, sqp->loop_now->psn, &packet);
	}
	if (!sqp->rx)
		return NULL;
	from = ((struct sim_frame *)sqp->rx->buf)->qp;
	return sim_wr_by_psn(from, sqp->rx->hdr.psn, &packet);
}

/* Buffer of @recv: @wr's data at @at, everything else untouched. */
static void sim_model_compare(struct sim_qp *sqp, struct sim_recv *recv,
			      const struct sim_wr *wr, u32 at)
{
	struct tuff_mr *mr = sqp->rq->mr;
	u32 base = recv->buf * sqp->rq->buf_len;
	u32 off = 0, n = 0;
	u8 *to;

	/* The buffer's model is what stood there when it was posted. */
	while (off < wr->len &&
	       (to = sim_pieces_at(recv->sge, recv->num_sge, at + off, &n))) {
		n = min(n, wr->len - off);
		memcpy(to, wr->data + off, n);
		off += n;
	}
	for (off = 0; off < at; off += n) {
		to = sim_pieces_at(recv->sge, recv->num_sge, off, &n);
		n = min(n, at - off);
		memcpy(to, mr->mem + (to - mr->model), n);
	}
	if (memcmp(mr->mem + base, mr->model + base, sqp->rq->buf_len))
		sim_fail(sqp->sim, "wr %u: receive buffer %u is wrong",
			 wr->idx, recv->idx);
}

static void sim_model_received(struct sim_qp *sqp, struct sim_recv *recv,
			       const struct tuff_cqe *cqe)
{
	bool ud = !tuff_qp_connected(&sqp->qp);
	struct sim_wr *wr = sim_model_message(sqp);
	const struct sim_frame *frame;
	struct sim *sim = sqp->sim;
	bool write;
	u32 len, sqpn;

	if (!wr || !sim_wr_takes_recv(wr)) {
		sim_fail(sim, "a receive completion for no message");
		return;
	}
	frame = sqp->rx ? sqp->rx->buf : NULL;
	sqpn = frame ? sqp->rx->hdr.sqpn :
	       ((struct sim_qp *)sqp->loop_now->loop_from)->qp.qpn;
	if (wr->received &&
	    !(ud && frame && sim->link[frame->from][frame->to].dup_ppm))
		sim_fail(sim, "wr %u was received twice", wr->idx);
	if (wr->lost)
		sim_fail(sim, "wr %u must not be received", wr->idx);
	if (ud ? wr->dest != sqp : wr->executed != wr->len)
		sim_fail(sim, "wr %u was received incompletely", wr->idx);
	write = sim_wr_is_write(wr);
	len = ud ? wr->len + SIM_GRH_LEN : wr->len;
	if (cqe->byte_len != len)
		sim_fail(sim, "receive: byte_len %u, not %u", cqe->byte_len,
			 len);
	if (cqe->opcode != (write ? TUFF_WC_RECV_RDMA_WITH_IMM : TUFF_WC_RECV))
		sim_fail(sim, "receive: opcode %u", cqe->opcode);
	if (sim_wr_has_imm(wr) != !!(cqe->flags & TUFF_WC_WITH_IMM) ||
	    (sim_wr_has_imm(wr) && cqe->imm != wr->imm))
		sim_fail(sim, "receive: immediate data are wrong");
	if (ud != !!(cqe->flags & TUFF_WC_GRH))
		sim_fail(sim, "receive: GRH flag is wrong");
	if (ud && cqe->src_qp != sqpn)
		sim_fail(sim, "receive: source QP %u", cqe->src_qp);
	if (cqe->solicited != !!(wr->flags & TUFF_SEND_SOLICITED))
		sim_fail(sim, "receive: solicited flag is wrong");
	wr->received = true;
	if (!write)
		sim_model_compare(sqp, recv, wr, len - wr->len);
}

/**
 * sim_model_cqe_recv() - a completion on the receive queue's CQ
 * @sqp: queue pair
 * @cqe: the completion
 */
void sim_model_cqe_recv(struct sim_qp *sqp, const struct tuff_cqe *cqe)
{
	struct sim_recv *recv = sqp->ended;

	if (!recv || cqe->wr_id != recv->idx) {
		sim_fail(sqp->sim, "receive completion %llu is out of turn",
			 cqe->wr_id);
		return;
	}
	sqp->ended = NULL;
	sqp->rq->completed++;
	sqp->nr_recv_status[cqe->status & 31]++;
	if (cqe->status == TUFF_WC_WR_FLUSH_ERR)
		sqp->host->expected[TUFF_CNT_RESP_CQE_FLUSH_ERROR]++;
	else if (cqe->status != TUFF_WC_SUCCESS)
		sqp->host->expected[TUFF_CNT_RESP_CQE_ERROR]++;
	if (cqe->status == TUFF_WC_SUCCESS)
		sim_model_received(sqp, recv, cqe);
	else if (cqe->status == TUFF_WC_WR_FLUSH_ERR ?
		 sqp->qp.state != TUFF_QPS_ERR :
		 cqe->status != sqp->expect_recv)
		sim_fail(sqp->sim, "receive request %u ends with status %u",
			 recv->idx, cqe->status);
	sim_load_recv_room(sqp->rq);
}

/**
 * sim_model_quiet() - an event is over: nothing may be half done
 * @sqp: queue pair
 */
void sim_model_quiet(struct sim_qp *sqp)
{
	sim_model_judge(sqp);
	if (sqp->ended)
		sim_fail(sqp->sim, "no completion for receive request %u",
			 sqp->ended->idx);
}

/**
 * sim_model_recover() - an unreliable queue pair left SQE: a new beginning
 * @sqp: queue pair, all of whose requests are done
 * @psn: PSN that its next request gets
 *
 * Of those that failed only what was sent has PSNs.
 */
void sim_model_recover(struct sim_qp *sqp, u32 psn)
{
	u32 end = (psn - sqp->attr.sq_psn) & TUFF_PSN_MASK;
	struct sim_flow *flow = &sqp->flow;
	u32 i;

	for (i = 0; i < flow->posted; i++) {
		struct sim_wr *wr = &flow->wr[i];

		wr->psn = min(wr->psn, end);
		wr->npsn = min(wr->npsn, end - wr->psn);
	}
	flow->next_psn = end;
	flow->next_sent = end;
	flow->broken = false;
	flow->doomed = false;
	flow->stopped = false;
}

/* A receive queue of one queue pair is emptied with it. */
static void sim_model_forget_recv(struct sim_rq *rq)
{
	u32 i;

	rq->fetched = rq->posted;
	rq->completed = rq->posted;
	rq->to_post = rq->posted;
	for (i = 0; i < rq->nr_bufs; i++)
		rq->buf_busy[i] = -1;
}

/**
 * sim_model_forget() - the queue pair was reset: a new life begins
 * @sqp: queue pair
 *
 * Its remote and local memory become what they are, its requests vanish.
 */
void sim_model_forget(struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	u32 i;

	sqp->ended = NULL;
	sqp->rnr_until = 0;
	if (!sqp->attr.has_srq)
		sim_model_forget_recv(sqp->rq);
	flow->to_post = 0;
	if (flow->fetched != flow->done)
		sim_fail(sqp->sim, "requests survived the reset");
	for (i = 0; i < flow->posted; i++)
		free(flow->wr[i].data);
	memset(flow->wr, 0, flow->posted * sizeof(*flow->wr));
	flow->posted = 0;
	flow->fetched = 0;
	flow->done = 0;
	flow->judged = 0;
	flow->next_psn = 0;
	flow->next_sent = 0;
	flow->end_sent = 0;
	flow->executing = 0;
	flow->rd_open = 0;
	flow->broken = false;
	flow->doomed = false;
	flow->stopped = false;
	flow->may_fail = 0;
	flow->flushing = false;
	for (i = 0; i < 2; i++) {
		struct tuff_mr *mrs[] = { flow->sink[i], flow->remote[i] };
		u32 j;

		for (j = 0; j < 2; j++)
			if (mrs[j])
				memcpy(mrs[j]->model, mrs[j]->mem, mrs[j]->len);
	}
}
