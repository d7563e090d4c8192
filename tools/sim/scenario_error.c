// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: requests that must fail, each in its own way */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/math.h>
#include <stdlib.h>

#include "post.h"
#include "scenario.h"

/**
 * struct sim_error_row - one request of many is wrong
 * @row: pairs, network and the right requests
 * @spoil: makes a wrong request, or NULL
 * @prepare: changes the attributes or receives before the start, or NULL
 * @expect: status of the wrong one
 * @expect_recv: status of the receive request it spoils, or 0
 */
struct sim_error_row {
	struct sim_row row;
	void (*spoil)(struct sim_qp *sqp, struct sim_wr *wr);
	void (*prepare)(struct sim *sim, struct sim_qp_attr *attr);
	u8 expect;
	u8 expect_recv;
};

/**
 * struct sim_error - a run
 * @row: table row
 * @pair: the first one posts the wrong request
 * @bad: which request is wrong: counted in posting order, or (when the
 *	receive queue is what is wrong) of those that take a receive request
 * @nr_recv: requests posted that take a receive request
 */
struct sim_error {
	const struct sim_error_row *row;
	struct sim_qp *pair[2];
	u32 bad;
	u32 nr_recv;
};

static const u8 sim_rdma_opcodes[] = {
	TUFF_WR_RDMA_WRITE, TUFF_WR_RDMA_WRITE_WITH_IMM, TUFF_WR_RDMA_READ,
	TUFF_WR_ATOMIC_CMP_AND_SWP, TUFF_WR_ATOMIC_FETCH_AND_ADD,
};

static u32 sim_spoil_len(struct sim_qp *sqp)
{
	return sim_range(sqp->sim, 1, sqp->flow.mix->max_len);
}

/* A request that looks at remote memory; it is right so far. */
static void sim_spoil_rdma(struct sim_qp *sqp, struct sim_wr *wr)
{
	u8 opcode = sim_rdma_opcodes[sim_below(sqp->sim,
					       ARRAY_SIZE(sim_rdma_opcodes))];
	bool atomic = opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
		      opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD;

	sim_load_make_op(sqp, wr, opcode, atomic ? 8 : sim_spoil_len(sqp));
}

/* One that reads local memory, which it does not have in the request. */
static void sim_spoil_local(struct sim_qp *sqp, struct sim_wr *wr)
{
	u8 opcode = sim_below(sqp->sim, 2) ? TUFF_WR_SEND : TUFF_WR_RDMA_WRITE;

	sim_load_make_op(sqp, wr, opcode, sim_spoil_len(sqp));
	wr->flags &= ~TUFF_SEND_INLINE;
}

static void sim_spoil_lkey(struct sim_qp *sqp, struct sim_wr *wr)
{
	if (sim_below(sqp->sim, 2))
		sim_spoil_local(sqp, wr);
	else
		sim_spoil_rdma(sqp, wr);
	wr->flags &= ~TUFF_SEND_INLINE;
	wr->lkey = SIM_BAD_LKEY;
}

/* READ and ATOMIC into memory that may only be read. */
static void sim_spoil_lkey_access(struct sim_qp *sqp, struct sim_wr *wr)
{
	bool read = sim_below(sqp->sim, 2);

	sim_load_make_op(sqp, wr, read ? TUFF_WR_RDMA_READ :
			 TUFF_WR_ATOMIC_FETCH_AND_ADD,
			 read ? sim_spoil_len(sqp) : 8);
	wr->num_sge = 1;
	wr->sge[0] = (struct sim_piece){
		.mr = sqp->flow.source[0], .len = wr->len,
	};
}

static void sim_spoil_lkey_pd(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct tuff_mr *mr;

	sim_spoil_local(sqp, wr);
	mr = sim_mr_create(sqp->host, SIM_ROLE_FORBIDDEN, 99, wr->len,
			   TUFF_ACCESS_LOCAL_WRITE);
	wr->num_sge = 1;
	wr->sge[0] = (struct sim_piece){ .mr = mr, .len = wr->len };
}

static void sim_spoil_opcode(struct sim_qp *sqp, struct sim_wr *wr)
{
	static const u8 opcodes[] = { 7, 8, 9, 10, 12, 14, 15, 31, 200, 255 };

	sim_load_make_op(sqp, wr, TUFF_WR_SEND, sim_spoil_len(sqp));
	wr->opcode = opcodes[sim_below(sqp->sim, ARRAY_SIZE(opcodes))];
}

static void sim_spoil_atomic_len(struct sim_qp *sqp, struct sim_wr *wr)
{
	static const u32 lens[] = { 0, 1, 4, 7, 9, 16 };

	sim_load_make_op(sqp, wr, TUFF_WR_ATOMIC_FETCH_AND_ADD,
			 lens[sim_below(sqp->sim, ARRAY_SIZE(lens))]);
}

static void sim_spoil_rkey(struct sim_qp *sqp, struct sim_wr *wr)
{
	sim_spoil_rdma(sqp, wr);
	wr->rkey ^= 0x40000000;
}

/* The local key of the very region is no remote key. */
static void sim_spoil_rkey_local(struct sim_qp *sqp, struct sim_wr *wr)
{
	sim_spoil_rdma(sqp, wr);
	wr->rkey = wr->rmr->lkey;
}

/* Past the end, before the start, and around the end of all addresses. */
static void sim_spoil_remote_range(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	sim_spoil_rdma(sqp, wr);
	switch (sim_below(sim, 3)) {
	case 0:
		wr->va = wr->rmr->va +
			 round_up(wr->rmr->len - wr->len + 1, 8);
		break;
	case 1:
		wr->va = wr->rmr->va - 8;
		break;
	default:
		wr->va = -(u64)8;
		break;
	}
}

static void sim_spoil_remote_access(struct sim_qp *sqp, struct sim_wr *wr)
{
	u32 access = TUFF_ACCESS_LOCAL_WRITE;

	sim_spoil_rdma(sqp, wr);
	/* All rights but the one that is needed. */
	if (wr->opcode != TUFF_WR_RDMA_READ)
		access |= TUFF_ACCESS_REMOTE_READ;
	if (wr->opcode != TUFF_WR_RDMA_WRITE &&
	    wr->opcode != TUFF_WR_RDMA_WRITE_WITH_IMM)
		access |= TUFF_ACCESS_REMOTE_WRITE;
	if (wr->opcode != TUFF_WR_ATOMIC_CMP_AND_SWP &&
	    wr->opcode != TUFF_WR_ATOMIC_FETCH_AND_ADD)
		access |= TUFF_ACCESS_REMOTE_ATOMIC;
	wr->rmr = sim_mr_create(sqp->peer->host, SIM_ROLE_FORBIDDEN,
				sqp->peer->pd, wr->len + 8, access);
	wr->va = wr->rmr->va;
	wr->rkey = wr->rmr->rkey;
}

static void sim_spoil_remote_pd(struct sim_qp *sqp, struct sim_wr *wr)
{
	sim_spoil_rdma(sqp, wr);
	wr->rmr = sim_mr_create(sqp->peer->host, SIM_ROLE_FORBIDDEN, 99,
				wr->len + 8, 0xf);
	wr->va = wr->rmr->va;
	wr->rkey = wr->rmr->rkey;
}

static void sim_spoil_align(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	sim_load_make_op(sqp, wr, sim_below(sim, 2) ?
			 TUFF_WR_ATOMIC_FETCH_AND_ADD :
			 TUFF_WR_ATOMIC_CMP_AND_SWP, 8);
	wr->va = wr->rmr->va + sim_range(sim, 1, 7);
}

/* Rights of the queue pair, not of the region. */
static void sim_prepare_no_access(struct sim *sim, struct sim_qp_attr *attr)
{
	attr->access = 0;
}

static void sim_prepare_no_rd_atomic(struct sim *sim, struct sim_qp_attr *attr)
{
	attr->max_rd_atomic = 0;
}

static void sim_spoil_rd_atomic(struct sim_qp *sqp, struct sim_wr *wr)
{
	if (sim_below(sqp->sim, 2))
		sim_load_make_op(sqp, wr, TUFF_WR_RDMA_READ,
				 sim_spoil_len(sqp));
	else
		sim_load_make_op(sqp, wr, TUFF_WR_ATOMIC_FETCH_AND_ADD, 8);
}

static void sim_spoil_too_long(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	sim_load_make_op(sqp, wr, sim_below(sim, 2) ? TUFF_WR_SEND :
			 TUFF_WR_SEND_WITH_IMM,
			 sqp->peer->rq->buf_len + sim_range(sim, 1, 600));
}

/* A few receives are there; the next message waits, and gives up. */
static void sim_prepare_rnr(struct sim *sim, struct sim_qp_attr *attr)
{
	attr->rnr_retry = sim_range(sim, 0, 6);
	/* Without packets no time passes, and receives would come too late. */
	sim->knobs.loop_ppm = 0;
}

static void sim_error_spoil_recv(struct sim_rq *rq, struct sim_recv *recv)
{
	struct sim_error *error = rq->host->sim->priv;

	if (rq->posted != error->bad || rq != error->pair[1]->rq)
		return;
	recv->bad_lkey = true;
	recv->num_sge = 1;
	recv->sge[0] = (struct sim_piece){ .len = rq->buf_len };
}

static bool sim_error_by_recv(const struct sim_error *error)
{
	return !error->row->spoil;
}

static void sim_error_make(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim_error *error = sqp->sim->priv;
	bool bad;

	if (!sim_error_by_recv(error)) {
		if (sqp->flow.posted == error->bad) {
			error->row->spoil(sqp, wr);
			wr->expect = error->row->expect;
		} else {
			sim_load_make(sqp, wr);
		}
		return;
	}
	sim_load_make(sqp, wr);
	if (!sim_wr_takes_recv(wr))
		return;
	bad = error->nr_recv++ == error->bad;
	if (bad && !sqp->flow.doomed)
		wr->expect = error->row->expect;
}

static void sim_error_setup(struct sim *sim)
{
	const struct sim_error_row *row = sim->scenario->data;
	struct sim_error *error = calloc(1, sizeof(*error));
	struct sim_qp_attr attr;
	struct sim_flow *flow;

	sim->priv = error;
	error->row = row;
	sim_stage_host(sim);
	sim_stage_weather(sim, row->row.weather);
	/*
	 * An answer that is lost before the NAK that ends the connection can
	 * not be asked for again: the peer is gone. That would be another end.
	 */
	sim->link[1][0].loss_ppm = 0;
	sim_stage_attr(sim, &row->row, &attr);
	if (row->prepare)
		row->prepare(sim, &attr);
	sim_stage_pair_attr(sim, &row->row, &attr, error->pair);

	error->bad = sim_below(sim, row->row.max_wrs / 2);
	error->pair[1]->expect_recv = row->expect_recv;
	if (row->expect_recv && !row->spoil)
		error->pair[1]->rq->spoil = sim_error_spoil_recv;
	/* What the other direction sees: a peer that is gone or refuses. */
	error->pair[1]->flow.may_fail = BIT(TUFF_WC_WR_FLUSH_ERR) |
					BIT(TUFF_WC_RETRY_EXC_ERR);
	flow = &error->pair[0]->flow;
	flow->make = sim_error_make;
	sim_stage_start(sim, &row->row, error->pair[0]);
	/* The wrong one must be reached. */
	flow->to_post = row->row.max_wrs;
	sim_load_recv_start(error->pair[1]->rq,
			    row->expect == TUFF_WC_RNR_RETRY_EXC_ERR ?
			    error->bad : row->row.max_wrs, 0);
	if (!sim_below(sim, 2))
		return;
	sim_load_recv_start(error->pair[0]->rq, row->row.max_wrs, 0);
	sim_stage_start(sim, &row->row, error->pair[1]);
}

static void sim_error_finish(struct sim *sim)
{
	struct sim_error *error = sim->priv;
	struct sim_qp *sqp = error->pair[0];
	u32 i, bad = sqp->flow.posted;

	for (i = 0; i < sqp->flow.posted; i++)
		if (sqp->flow.wr[i].expect == error->row->expect)
			bad = min(bad, i);
	if (bad == sqp->flow.posted)
		return;		/* too few that take a receive request */
	if (sqp->qp.state != TUFF_QPS_ERR)
		sim_fail(sim, "the queue pair is in state %u, not ERR",
			 sqp->qp.state);
	for (i = 0; i < sqp->flow.posted; i++) {
		u8 status = i < bad ? TUFF_WC_SUCCESS :
			    i > bad ? TUFF_WC_WR_FLUSH_ERR : error->row->expect;

		if (sqp->flow.wr[i].status != status)
			sim_fail(sim, "wr %u ended with %u, not %u", i,
				 sqp->flow.wr[i].status, status);
	}
	i = error->row->expect_recv;
	if (i && error->pair[1]->nr_recv_status[i] != 1)
		sim_fail(sim, "%u receive requests ended with %u",
			 error->pair[1]->nr_recv_status[i], i);
}

#define SIM_ERROR_MIX							\
	.mix = { .weight = { 3, 2, 3, 2, 3, 1, 1 }, SIM_MIX_FLAGS,	\
		 .max_len = 3000, .max_packets = 60 }

/* Without remote operations. */
#define SIM_ERROR_MIX_SEND						\
	.mix = { .weight = { 3, 2 }, SIM_MIX_FLAGS,			\
		 .max_len = 3000, .max_packets = 60 }

/* What takes a receive request also writes to it. */
#define SIM_ERROR_MIX_RECV						\
	.mix = { .weight = { 3, 2, 2, 0, 2, 1, 1 }, SIM_MIX_FLAGS,	\
		 .max_len = 3000, .max_packets = 60 }

#define SIM_ERROR_ROW(row_name, text, row_mix, row_flags, ...)		\
	{								\
		.name = (row_name), .what = (text),			\
		.setup = sim_error_setup, .finish = sim_error_finish,	\
		.data = &(const struct sim_error_row){			\
			.row = { .type = TUFF_QPT_RC,			\
				 .weather = SIM_LOSSY,			\
				 .flags = SIM_MANY_RECV | SIM_NO_RECV |	\
					  (row_flags),			\
				 .max_wrs = 16, row_mix },		\
			__VA_ARGS__					\
		},							\
	}

const struct scenario sim_error_scenarios[] = {
	SIM_ERROR_ROW("err_lkey", "a wrong local key", SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_lkey,
		      .expect = TUFF_WC_LOC_PROT_ERR),
	SIM_ERROR_ROW("err_lkey_access", "answers into read-only memory",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_lkey_access,
		      .expect = TUFF_WC_LOC_PROT_ERR),
	SIM_ERROR_ROW("err_lkey_pd", "local memory of another domain",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_lkey_pd,
		      .expect = TUFF_WC_LOC_PROT_ERR),
	SIM_ERROR_ROW("err_opcode", "requests that do not exist",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_opcode,
		      .expect = TUFF_WC_LOC_QP_OP_ERR),
	SIM_ERROR_ROW("err_atomic_len", "atomics not of 8 bytes",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_atomic_len,
		      .expect = TUFF_WC_LOC_LEN_ERR),
	SIM_ERROR_ROW("err_rd_atomic", "a READ where none may be open",
		      SIM_ERROR_MIX_SEND, 0,
		      .spoil = sim_spoil_rd_atomic,
		      .prepare = sim_prepare_no_rd_atomic,
		      .expect = TUFF_WC_LOC_QP_OP_ERR),
	SIM_ERROR_ROW("err_rkey", "a wrong remote key", SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_rkey,
		      .expect = TUFF_WC_REM_ACCESS_ERR),
	SIM_ERROR_ROW("err_rkey_local", "a local key as remote key",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_rkey_local,
		      .expect = TUFF_WC_REM_ACCESS_ERR),
	SIM_ERROR_ROW("err_remote_range", "remote memory outside the region",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_remote_range,
		      .expect = TUFF_WC_REM_ACCESS_ERR),
	SIM_ERROR_ROW("err_remote_access", "a right the region does not give",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_remote_access,
		      .expect = TUFF_WC_REM_ACCESS_ERR),
	SIM_ERROR_ROW("err_remote_pd", "remote memory of another domain",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_remote_pd,
		      .expect = TUFF_WC_REM_ACCESS_ERR),
	SIM_ERROR_ROW("err_atomic_align", "atomics not on 8 bytes",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_align,
		      .expect = TUFF_WC_REM_INV_REQ_ERR),
	SIM_ERROR_ROW("err_qp_access", "a right the queue pair does not give",
		      SIM_ERROR_MIX_SEND, 0,
		      .spoil = sim_spoil_rdma,
		      .prepare = sim_prepare_no_access,
		      .expect = TUFF_WC_REM_INV_REQ_ERR),
	SIM_ERROR_ROW("err_recv_len", "a receive buffer too small",
		      SIM_ERROR_MIX, 0,
		      .spoil = sim_spoil_too_long,
		      .expect = TUFF_WC_REM_INV_REQ_ERR,
		      .expect_recv = TUFF_WC_LOC_LEN_ERR),
	SIM_ERROR_ROW("err_recv_lkey", "a receive buffer that is none",
		      SIM_ERROR_MIX_RECV, 0,
		      .expect = TUFF_WC_REM_OP_ERR,
		      .expect_recv = TUFF_WC_LOC_PROT_ERR),
	SIM_ERROR_ROW("err_rnr", "no receive request ever comes",
		      SIM_ERROR_MIX_RECV, 0,
		      .prepare = sim_prepare_rnr,
		      .expect = TUFF_WC_RNR_RETRY_EXC_ERR),
	{ }
};
