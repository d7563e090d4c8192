// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: the consumer's side of the rings, as librxe writes them */
#include "post.h"

#include <rdma/rdma_user_rxe.h>
#include <string.h>

#include "engine/world.h"
#include "model.h"
#include "sim.h"

/**
 * sim_post_room() - send requests that can be posted now
 * @sqp: queue pair
 *
 * Return: how many.
 */
u32 sim_post_room(const struct sim_qp *sqp)
{
	return sqp->sq_len - (sqp->flow.posted - sqp->flow.done);
}

static void sim_post_sge(struct sim *sim, struct rxe_sge *to,
			 const struct sim_piece *from, u32 lkey)
{
	if (!from->len) {
		/* Nobody may look at the key of nothing. */
		to->addr = sim_rand(sim);
		to->lkey = sim_rand(sim);
		to->length = 0;
		return;
	}
	to->addr = from->mr->va + from->off;
	to->length = from->len;
	to->lkey = lkey ? lkey : from->mr->lkey;
}

static void sim_post_remote(const struct sim_wr *wr, struct rxe_send_wr *to)
{
	switch (wr->opcode) {
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
	case TUFF_WR_ATOMIC_FETCH_AND_ADD:
		to->wr.atomic.remote_addr = wr->va;
		to->wr.atomic.rkey = wr->rkey;
		to->wr.atomic.compare_add = wr->compare_add;
		to->wr.atomic.swap = wr->swap;
		break;
	case TUFF_WR_RDMA_READ:
	case TUFF_WR_RDMA_WRITE:
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		to->wr.rdma.remote_addr = wr->va;
		to->wr.rdma.rkey = wr->rkey;
		break;
	}
	if (wr->opcode == TUFF_WR_SEND_WITH_IMM ||
	    wr->opcode == TUFF_WR_RDMA_WRITE_WITH_IMM)
		to->ex.imm_data = wr->imm;
	if (wr->av) {
		to->wr.ud.remote_qpn = wr->dest->qp.qpn;
		to->wr.ud.remote_qkey = wr->qkey;
		to->wr.ud.ah_num = wr->av->num;
	}
}

static void sim_post_data(struct sim *sim, const struct sim_wr *wr,
			  struct rxe_dma_info *to)
{
	u32 i;

	to->length = wr->len;
	to->resid = sim_rand(sim);
	to->cur_sge = sim_rand(sim);
	to->sge_offset = sim_rand(sim);
	if (wr->flags & TUFF_SEND_INLINE) {
		memcpy(to->inline_data, wr->data, wr->len);
		return;
	}
	/* librxe has got this length wrong: nobody may rely on it. */
	if (wr->num_sge > 1 && sim_chance(sim, 10 * SIM_PERCENT))
		to->length = sim_rand(sim);
	to->num_sge = wr->num_sge;
	for (i = 0; i < wr->num_sge; i++)
		sim_post_sge(sim, &to->sge[i], &wr->sge[i], wr->lkey);
}

/**
 * sim_post_send() - post a send request, without ringing the doorbell
 * @sqp: queue pair with room for it
 * @wr: the request
 */
void sim_post_send(struct sim_qp *sqp, const struct sim_wr *wr)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;
	struct rxe_send_wqe *slot;
	struct sim_wr *own;

	if (!sim_post_room(sqp) || flow->posted == flow->max) {
		sim_fail(sim, "a send request too many");
		return;
	}
	own = &flow->wr[flow->posted];
	*own = *wr;
	own->idx = flow->posted;
	sim_model_post(sqp, own);

	slot = (void *)(sqp->sq + flow->posted % sqp->sq_len * sqp->sq_slot);
	/* What the kernel must not believe is there, and wrong. */
	memset(slot, 0xa5, sqp->sq_slot);
	memset(&slot->wr, 0, sizeof(slot->wr));
	memset(&slot->dma, 0, sizeof(slot->dma));
	slot->wr.wr_id = own->idx;
	slot->wr.opcode = own->opcode;
	slot->wr.send_flags = own->flags;
	sim_post_remote(own, &slot->wr);
	sim_post_data(sim, own, &slot->dma);
	flow->posted++;
	sim_ladder_note(sim, sqp, "posted a send request, wr", own->idx);
}

/**
 * sim_post_to_record() - what a kernel consumer's post does to a record
 * @sqp: queue pair
 * @wr: the request
 * @wqe: filled, as engine/wqe.h says
 */
void sim_post_to_record(struct sim_qp *sqp, const struct sim_wr *wr,
			struct tuff_swqe *wqe)
{
	struct rxe_sge sge;
	u32 i;

	tuff_swqe_init(wqe);
	wqe->wr_id = wr->idx;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->flags;
	wqe->imm = wr->imm;
	wqe->va = wr->va;
	wqe->rkey = wr->rkey;
	wqe->compare_add = wr->compare_add;
	wqe->swap = wr->swap;
	if (wr->av) {
		wqe->av = tuff_world_ah_get(&sqp->qp, wr->av->num);
		wqe->dqpn = wr->dest->qp.qpn;
		wqe->qkey = wr->qkey;
	}
	if (wr->flags & TUFF_SEND_INLINE)
		tuff_swqe_add_inline(&sqp->qp, wqe, wr->data, wr->len);
	for (i = 0; i < wr->num_sge && !(wr->flags & TUFF_SEND_INLINE); i++) {
		sim_post_sge(sqp->sim, &sge, &wr->sge[i], wr->lkey);
		tuff_swqe_add_sge(&sqp->qp, wqe, sge.addr, sge.length,
				  sge.lkey);
	}
	tuff_swqe_check(&sqp->qp, wqe);
}

/**
 * sim_post_recv_to_record() - the same for a receive request
 * @sqp: queue pair that takes it
 * @recv: the request
 * @wqe: filled
 */
void sim_post_recv_to_record(struct sim_qp *sqp, const struct sim_recv *recv,
			     struct tuff_rwqe *wqe)
{
	u32 i, lkey = recv->bad_lkey ? SIM_BAD_LKEY : 0;
	struct rxe_sge sge;

	tuff_rwqe_init(wqe);
	wqe->wr_id = recv->idx;
	for (i = 0; i < recv->num_sge; i++) {
		sim_post_sge(sqp->sim, &sge, &recv->sge[i], lkey);
		tuff_rwqe_add_sge(&sqp->qp, wqe, sqp->rq->max_sge, sge.addr,
				  sge.length, sge.lkey);
	}
}

/**
 * sim_post_recv_room() - receive requests that can be posted now
 * @rq: receive queue
 *
 * Return: how many.
 */
u32 sim_post_recv_room(const struct sim_rq *rq)
{
	u32 i, n = 0, room = rq->len - (rq->posted - rq->fetched);

	for (i = 0; i < rq->nr_bufs; i++)
		n += rq->buf_busy[i] < 0;
	return n < room ? n : room;
}

/**
 * sim_post_recv() - post a receive request
 * @rq: receive queue with room for it
 * @recv: the request; it gets a free buffer, in which its pieces lie
 */
void sim_post_recv(struct sim_rq *rq, const struct sim_recv *recv)
{
	struct sim *sim = rq->host->sim;
	struct rxe_recv_wqe *slot;
	struct sim_recv *own;
	u32 i, buf = 0;

	if (!sim_post_recv_room(rq) || rq->posted == rq->max_recv) {
		sim_fail(sim, "a receive request too many");
		return;
	}
	while (rq->buf_busy[buf] >= 0)
		buf++;
	own = &rq->recv[rq->posted];
	*own = *recv;
	own->idx = rq->posted;
	own->buf = buf;
	rq->buf_busy[buf] = own->idx;

	slot = (void *)(rq->ring + rq->posted % rq->len * rq->slot_size);
	memset(slot, 0, rq->slot_size);
	slot->wr_id = own->idx;
	slot->dma.num_sge = own->num_sge;
	slot->dma.length = sim_rand(sim);
	for (i = 0; i < own->num_sge; i++) {
		own->sge[i].mr = rq->mr;
		own->sge[i].off += buf * rq->buf_len;
		sim_post_sge(sim, &slot->dma.sge[i], &own->sge[i],
			     own->bad_lkey ? SIM_BAD_LKEY : 0);
	}
	/* What the message leaves alone must stay as it is now. */
	sim_fill(sim, rq->mr->mem + buf * rq->buf_len, rq->buf_len);
	memcpy(rq->mr->model + buf * rq->buf_len,
	       rq->mr->mem + buf * rq->buf_len, rq->buf_len);
	rq->posted++;
}

/**
 * sim_post_recv_done() - a receive request has ended: its buffer is free
 * @rq: receive queue
 * @recv: the request
 */
void sim_post_recv_done(struct sim_rq *rq, struct sim_recv *recv)
{
	if (rq->buf_busy[recv->buf] != (s32)recv->idx) {
		sim_fail(rq->host->sim, "receive request %u ended twice",
			 recv->idx);
		return;
	}
	rq->buf_busy[recv->buf] = -1;
}
