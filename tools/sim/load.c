// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: consumers that post at random, by a mix */
#include "load.h"

#include <linux/kernel.h>
#include <linux/minmax.h>
#include <string.h>

#include "post.h"
#include "sim.h"

static const u8 sim_kind_opcodes[SIM_NR_KINDS] = {
	[SIM_KIND_SEND]		= TUFF_WR_SEND,
	[SIM_KIND_SEND_IMM]	= TUFF_WR_SEND_WITH_IMM,
	[SIM_KIND_WRITE]	= TUFF_WR_RDMA_WRITE,
	[SIM_KIND_WRITE_IMM]	= TUFF_WR_RDMA_WRITE_WITH_IMM,
	[SIM_KIND_READ]		= TUFF_WR_RDMA_READ,
	[SIM_KIND_SWAP]		= TUFF_WR_ATOMIC_CMP_AND_SWP,
	[SIM_KIND_ADD]		= TUFF_WR_ATOMIC_FETCH_AND_ADD,
};

static struct tuff_mr *sim_load_region(struct sim_qp *flow, struct sim_qp *at,
				       enum sim_role role, u32 access)
{
	struct sim *sim = flow->sim;
	u32 len = 2 * flow->flow.mix->max_len + 2048 + sim_below(sim, 64);
	struct tuff_mr *mr;

	mr = sim_mr_create(at->host, role, at->pd, len, access);
	mr->flow = flow;
	return mr;
}

/**
 * sim_load_memory() - register what the requests of a mix need
 * @sqp: queue pair that will post them, its peer known
 * @mix: what they look like
 */
void sim_load_memory(struct sim_qp *sqp, const struct sim_mix *mix)
{
	u32 write = TUFF_ACCESS_LOCAL_WRITE;
	u32 all = write | TUFF_ACCESS_REMOTE_WRITE | TUFF_ACCESS_REMOTE_READ |
		  TUFF_ACCESS_REMOTE_ATOMIC;
	struct sim_flow *flow = &sqp->flow;
	u32 i;

	flow->mix = mix;
	flow->packets_left = mix->max_packets;
	for (i = 0; i < 2; i++) {
		flow->source[i] =
			sim_load_region(sqp, sqp, SIM_ROLE_SOURCE, 0);
		flow->sink[i] =
			sim_load_region(sqp, sqp, SIM_ROLE_SINK, write);
		flow->remote[i] =
			sim_load_region(sqp, sqp->peer, SIM_ROLE_REMOTE, all);
	}
}

static u8 sim_load_opcode(struct sim *sim, const struct sim_mix *mix)
{
	u32 i, sum = 0, pick;

	for (i = 0; i < SIM_NR_KINDS; i++)
		sum += mix->weight[i];
	pick = sim_below(sim, sum);
	for (i = 0; pick >= mix->weight[i]; i++)
		pick -= mix->weight[i];
	return sim_kind_opcodes[i];
}

static u32 sim_load_border(struct sim *sim, u32 mtu)
{
	const u32 borders[] = {
		0, 1, 2, 3, 4, 5, 7, 8, 9, mtu - 1, mtu, mtu + 1,
		2 * mtu - 1, 2 * mtu, 2 * mtu + 1, 3 * mtu - 1, 3 * mtu,
		3 * mtu + 1, 65535, 65536, 65537,
	};

	return borders[sim_below(sim, ARRAY_SIZE(borders))];
}

/* A length that leaves packets for the requests after it. */
static u32 sim_load_len(struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	const struct sim_mix *mix = flow->mix;
	u32 mtu = 1U << sqp->attr.mtu_shift;
	struct sim *sim = sqp->sim;
	u32 len, npsn;

	if (sim_chance(sim, mix->border_ppm))
		len = sim_load_border(sim, mtu);
	else
		len = sim_below(sim, sim_below(sim, mix->max_len) + 1);
	npsn = len / mtu + 1;
	if (len > mix->max_len || npsn > flow->packets_left) {
		len = sim_below(sim, 2) ? sim_below(sim, 16) :
		      min(mix->max_len, mtu - (u32)sim_below(sim, 8));
		npsn = 1;
	}
	if (!tuff_qp_connected(&sqp->qp))
		len = min(len, mtu);
	flow->packets_left -= min(npsn, flow->packets_left);
	return len;
}

/* Cut @len bytes into pieces that lie anywhere in the two regions. */
static void sim_load_pieces(struct sim_qp *sqp, struct sim_wr *wr,
			    struct tuff_mr *const mrs[2])
{
	u32 max_sge = min_t(u32, sqp->attr.max_send_sge, SIM_MAX_SGE);
	struct sim *sim = sqp->sim;
	u32 left = wr->len, i;

	wr->num_sge = sim_range(sim, 1, max_sge);
	if (!wr->len && sim_below(sim, 2))
		wr->num_sge = 0;
	for (i = 0; i < wr->num_sge; i++) {
		struct sim_piece *sge = &wr->sge[i];

		sge->len = i == wr->num_sge - 1U ? left :
			   sim_below(sim, left + 1);
		sge->mr = mrs[sim_below(sim, 2)];
		sge->off = sim_below(sim, sge->mr->len - sge->len + 1);
		left -= sge->len;
	}
}

static bool sim_overlap(u64 a, u32 a_len, u64 b, u32 b_len)
{
	return a < b + b_len && b < a + a_len;
}

/*
 * A READ may be carried out again until it is answered: a WRITE or ATOMIC
 * behind it must not change what it reads, unless it waits (IBA 9.5).
 */
static bool sim_load_must_wait(const struct sim_flow *flow,
			       const struct sim_wr *wr)
{
	u32 i;

	for (i = flow->posted; i-- > flow->done;) {
		const struct sim_wr *read = &flow->wr[i];

		if (read->opcode == TUFF_WR_RDMA_READ && read->rmr == wr->rmr &&
		    sim_overlap(read->va - wr->rmr->va, read->len,
				wr->va - wr->rmr->va, wr->len))
			return true;
		if (read->flags & TUFF_SEND_FENCE)
			return false;
	}
	return false;
}

static void sim_load_remote(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;
	bool atomic = sim_wr_is_rd_atomic(wr) &&
		      wr->opcode != TUFF_WR_RDMA_READ;
	struct tuff_mr *mr = flow->remote[sim_below(sim, 2)];
	u32 off;

	off = sim_below(sim, mr->len - wr->len + 1);
	/* Often the same place again. */
	if (sim_below(sim, 4) == 0)
		off = min(64 * (u32)sim_below(sim, 4), mr->len - wr->len);
	if (atomic)
		off &= ~7U;
	wr->rmr = mr;
	wr->va = mr->va + off;
	wr->rkey = mr->rkey;
	if (!wr->len) {
		/* Nobody may look at the key of nothing. */
		wr->va = sim_rand(sim);
		wr->rkey = sim_rand(sim);
		return;
	}
	if (wr->opcode != TUFF_WR_RDMA_READ && sim_load_must_wait(flow, wr))
		wr->flags |= TUFF_SEND_FENCE;
	if (atomic) {
		wr->swap = sim_rand(sim);
		wr->compare_add = sim_rand(sim);
		if (sim_below(sim, 2))
			memcpy(&wr->compare_add, mr->model + off, 8);
	}
}

/* A datagram: to any queue pair, on the other host or the own one. */
static void sim_load_datagram(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;
	u32 to = sim_below(sim, 4) ? !sqp->host->idx : sqp->host->idx;
	struct sim_host *host = &sim->host[to];

	wr->av = sqp->host->av[to];
	wr->dest = host->qp[sim_below(sim, host->nr_qps)];
	wr->qkey = wr->dest->qp.attr.qkey;
	if (sim_chance(sim, sqp->flow.mix->qkey_ppm)) {
		wr->qkey ^= sim_range(sim, 1, 0xffff);
		wr->lost = true;
	}
}

/**
 * sim_load_make_op() - a request of the mix, but for its opcode and length
 * @sqp: queue pair
 * @wr: filled
 * @opcode: &enum tuff_wr_opcode
 * @len: bytes of the message
 */
void sim_load_make_op(struct sim_qp *sqp, struct sim_wr *wr, u8 opcode,
		      u32 len)
{
	struct sim_flow *flow = &sqp->flow;
	const struct sim_mix *mix = flow->mix;
	struct sim *sim = sqp->sim;

	memset(wr, 0, sizeof(*wr));
	wr->opcode = opcode;
	wr->len = len;
	wr->imm = sim_rand(sim);
	if (!sim_chance(sim, mix->silent_ppm))
		wr->flags |= TUFF_SEND_SIGNALED;
	if (sim_chance(sim, mix->fence_ppm))
		wr->flags |= TUFF_SEND_FENCE;
	if (sim_chance(sim, mix->solicited_ppm))
		wr->flags |= TUFF_SEND_SOLICITED;

	if (sim_wr_is_rd_atomic(wr)) {
		sim_load_pieces(sqp, wr, flow->sink);
	} else if (sim_chance(sim, mix->reuse_ppm)) {
		sim_load_pieces(sqp, wr, flow->sink);
		wr->flags |= TUFF_SEND_FENCE;
	} else {
		sim_load_pieces(sqp, wr, flow->source);
		if (wr->len <= sqp->attr.max_inline &&
		    sim_chance(sim, mix->inline_ppm))
			wr->flags |= TUFF_SEND_INLINE;
	}
	if (opcode != TUFF_WR_SEND && opcode != TUFF_WR_SEND_WITH_IMM)
		sim_load_remote(sqp, wr);
	else if (!tuff_qp_connected(&sqp->qp))
		sim_load_datagram(sqp, wr);
}

/**
 * sim_load_make() - a request of the mix
 * @sqp: queue pair
 * @wr: filled
 */
void sim_load_make(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim_flow *flow = &sqp->flow;
	u8 opcode = sim_load_opcode(sqp->sim, flow->mix);

	if (opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
	    opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD) {
		flow->packets_left -= !!flow->packets_left;
		sim_load_make_op(sqp, wr, opcode, 8);
	} else {
		sim_load_make_op(sqp, wr, opcode, sim_load_len(sqp));
	}
}

static void sim_load_post(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;
	struct sim_flow *flow = &sqp->flow;
	u32 n = sim_range(sim, 1, flow->burst);
	struct sim_wr wr;

	flow->armed = false;
	while (n-- && flow->posted < flow->to_post && sim_post_room(sqp)) {
		if (flow->make)
			flow->make(sqp, &wr);
		else
			sim_load_make(sqp, &wr);
		sim_post_send(sqp, &wr);
	}
	sim_qp_kick(sqp);
	sim_load_room(sqp);
}

/**
 * sim_load_room() - the send queue may have room: post on
 * @sqp: queue pair
 */
void sim_load_room(struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;

	if (flow->armed || flow->posted >= flow->to_post || !sim_post_room(sqp))
		return;
	flow->armed = true;
	sim_at(sim, sim_below(sim, flow->gap_ns + 1), sim_load_post, sqp, 0);
}

/**
 * sim_load_start() - have a consumer post send requests
 * @sqp: queue pair
 * @count: that many more
 */
void sim_load_start(struct sim_qp *sqp, u32 count)
{
	sqp->flow.to_post = sqp->flow.posted + count;
	sim_load_room(sqp);
}

/**
 * sim_load_recv_make() - a receive request whose pieces fill a buffer
 * @rq: receive queue
 * @recv: filled
 */
void sim_load_recv_make(struct sim_rq *rq, struct sim_recv *recv)
{
	u32 max_sge = min_t(u32, rq->max_sge, SIM_MAX_SGE);
	struct sim *sim = rq->host->sim;
	u32 left = rq->buf_len, i, j;

	memset(recv, 0, sizeof(*recv));
	recv->num_sge = sim_range(sim, 1, max_sge);
	for (i = 0; i < recv->num_sge; i++) {
		struct sim_piece *sge = &recv->sge[i];

		sge->len = i == recv->num_sge - 1U ? left :
			   sim_below(sim, left + 1);
		sge->off = rq->buf_len - left;
		left -= sge->len;
	}
	/* The order of the list need not be that of the memory. */
	for (i = recv->num_sge; i > 1; i--) {
		struct sim_piece tmp = recv->sge[i - 1];

		j = sim_below(sim, i);
		recv->sge[i - 1] = recv->sge[j];
		recv->sge[j] = tmp;
	}
	recv->len = rq->buf_len;
}

static void sim_load_recv_post(struct sim *sim, void *arg, u64 val)
{
	struct sim_rq *rq = arg;
	u32 n = sim_range(sim, 1, rq->burst);
	struct sim_recv recv;

	rq->armed = false;
	while (n-- && rq->posted < rq->to_post && sim_post_recv_room(rq)) {
		sim_load_recv_make(rq, &recv);
		if (rq->spoil)
			rq->spoil(rq, &recv);
		sim_post_recv(rq, &recv);
	}
	sim_load_recv_room(rq);
}

/**
 * sim_load_recv_room() - the receive queue may have room: post on
 * @rq: receive queue
 *
 * Also called with none: the posting event looks again.
 */
void sim_load_recv_room(struct sim_rq *rq)
{
	struct sim *sim = rq->host->sim;

	if (rq->armed || rq->posted >= rq->to_post)
		return;
	if (rq->posted - rq->completed >= rq->len)
		return;
	rq->armed = true;
	sim_at(sim, sim_below(sim, rq->delay_ns + 1) + 1, sim_load_recv_post,
	       rq, 0);
}

/**
 * sim_load_recv_start() - have a consumer post receive requests
 * @rq: receive queue
 * @count: that many more
 * @delay_ns: it takes up to that long
 */
void sim_load_recv_start(struct sim_rq *rq, u32 count, u64 delay_ns)
{
	rq->to_post = rq->posted + count;
	rq->delay_ns = delay_ns;
	if (!delay_ns)
		sim_load_recv_post(rq->host->sim, rq, 0);
	sim_load_recv_room(rq);
}
