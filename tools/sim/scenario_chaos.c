// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: several ends of several queue pairs, whenever they come */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "scenario.h"

/* How often a scenario looks whether it can go on. */
#define SIM_CHAOS_LOOK_NS	200000

#define SIM_CHAOS_FAILS		(BIT(TUFF_WC_LOC_PROT_ERR) |		\
				 BIT(TUFF_WC_REM_ACCESS_ERR) |		\
				 BIT(TUFF_WC_REM_OP_ERR) |		\
				 BIT(TUFF_WC_RETRY_EXC_ERR) |		\
				 BIT(TUFF_WC_WR_FLUSH_ERR))

/* Some moment of a run: more often an early one. */
static u64 sim_chaos_moment(struct sim *sim)
{
	return sim_below(sim, 1ULL << sim_range(sim, 10, 21));
}

/*
 * What happens to one queue pair makes its peer's requests fail. Of a shared
 * receive queue both may hold a request that others need.
 */
static void sim_chaos_may_fail(struct sim_qp *sqp)
{
	if (sqp->attr.has_srq) {
		sqp->rq->to_post += 2;
		sqp->peer->rq->to_post += 2;
		sim_load_recv_room(sqp->rq);
		sim_load_recv_room(sqp->peer->rq);
	}
	sqp->flow.may_fail |= SIM_CHAOS_FAILS;
	sqp->peer->flow.may_fail |= SIM_CHAOS_FAILS;
	sqp->expect_recv = TUFF_WC_LOC_PROT_ERR;
	sqp->peer->expect_recv = TUFF_WC_LOC_PROT_ERR;
}

static void sim_chaos_error(struct sim_qp *sqp)
{
	sim_qp_set_error(sqp);
	sim_qp_kick(sqp);
}

static void sim_chaos_vanish(struct sim_qp *sqp)
{
	struct sim_rq *rq = sqp->rq;
	u32 to_post = rq->to_post;
	bool taken = sqp->taken;

	sim_qp_vanish(sqp);
	if (!sqp->attr.has_srq)
		return;
	/*
	 * A shared receive queue outlives those who use it, but for the request
	 * that this one was filling.
	 */
	rq->to_post = to_post;
	rq->completed += taken;
	sim_load_recv_room(rq);
}

static void sim_chaos_dereg(struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	struct tuff_mr *mrs[] = {
		flow->source[0], flow->sink[0], flow->remote[0],
	};
	struct tuff_mr *mr = mrs[sim_below(sqp->sim, ARRAY_SIZE(mrs))];

	if (mr && !mr->dead)
		sim_mr_dereg(mr);
}

static void sim_chaos_undrain(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;

	if (sqp->gone || sqp->qp.state != TUFF_QPS_SQD)
		return;
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_RTS);
	sim_qp_kick(sqp);
}

static void sim_chaos_drain(struct sim_qp *sqp)
{
	struct sim *sim = sqp->sim;

	if (sqp->qp.state != TUFF_QPS_RTS)
		return;
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_SQD);
	sim_qp_kick(sqp);
	sim_at(sim, sim_chaos_moment(sim), sim_chaos_undrain, sqp, 0);
}

/* Unreliable services: their send queue stopped, the consumer goes on. */
static void sim_chaos_recover(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;
	struct sim_flow *flow = &sqp->flow;

	if (sqp->gone || sqp->qp.state == TUFF_QPS_ERR)
		return;
	if (sqp->qp.state == TUFF_QPS_SQE && flow->done == flow->posted) {
		sim_model_recover(sqp, sqp->qp.requester.end);
		tuff_qp_set_state(&sqp->qp, TUFF_QPS_RTS);
		flow->source[0] = flow->source[1];
		sim_qp_kick(sqp);
		sim_load_room(sqp);
	}
	if (flow->done != flow->to_post || sqp->qp.state == TUFF_QPS_SQE)
		sim_at(sim, SIM_CHAOS_LOOK_NS, sim_chaos_recover, sqp, 0);
}

static void sim_chaos_strike(struct sim *sim, void *arg, u64 val)
{
	static void (*const strikes[])(struct sim_qp *sqp) = {
		sim_chaos_error, sim_chaos_vanish, sim_chaos_dereg,
		sim_chaos_drain, sim_chaos_drain,
	};
	struct sim_host *host = &sim->host[sim_below(sim, 2)];
	struct sim_qp *sqp = host->qp[sim_below(sim, host->nr_qps)];

	if (!sqp->gone) {
		sim_chaos_may_fail(sqp);
		strikes[sim_below(sim, ARRAY_SIZE(strikes))](sqp);
	}
	if (val)
		sim_at(sim, sim_chaos_moment(sim), sim_chaos_strike, NULL,
		       val - 1);
}

static void sim_chaos_setup(struct sim *sim)
{
	u32 h, i;

	sim_row_setup(sim);
	sim_at(sim, sim_chaos_moment(sim), sim_chaos_strike, NULL,
	       sim_range(sim, 1, 6));
	for (h = 0; h < 2; h++)
		for (i = 0; i < sim->host[h].nr_qps; i++)
			if (sim->host[h].qp[i]->attr.type != TUFF_QPT_RC)
				sim_at(sim, SIM_CHAOS_LOOK_NS,
				       sim_chaos_recover,
				       sim->host[h].qp[i], 0);
}

#define SIM_CHAOS_ROW(row_name, text, ...)				\
	{								\
		.name = (row_name), .what = (text),			\
		.setup = sim_chaos_setup,				\
		.data = &(const struct sim_row){			\
			.max_wrs = 60, __VA_ARGS__			\
		},							\
	}

const struct scenario sim_chaos_scenarios[] = {
	SIM_CHAOS_ROW("chaos_rc", "all that can happen to queue pairs, at once",
		      .type = TUFF_QPT_RC, .weather = SIM_STORM,
		      .flags = SIM_MANY | SIM_STALLS,
		      .mix = { .weight = { 3, 2, 3, 2, 3, 1, 1 },
			       SIM_MIX_FLAGS, .max_len = 8192,
			       .max_packets = 150 }),
	SIM_CHAOS_ROW("chaos_srq", "the same with shared receive queues",
		      .type = TUFF_QPT_RC, .weather = SIM_LOSSY,
		      .flags = SIM_MANY | SIM_SRQ | SIM_MANY_RECV,
		      .mix = { .weight = { 4, 3, 1, 2, 1, 1, 1 },
			       SIM_MIX_FLAGS, .max_len = 4096,
			       .max_packets = 90 }),
	SIM_CHAOS_ROW("chaos_busy", "the same over links that refuse packets",
		      .type = TUFF_QPT_RC, .weather = SIM_BACKPRESSURE,
		      .flags = SIM_MANY | SIM_SLOW_RECV,
		      .mix = { .weight = { 3, 2, 3, 2, 3, 1, 1 },
			       SIM_MIX_FLAGS, .max_len = 8192,
			       .max_packets = 150 }),
	SIM_CHAOS_ROW("chaos_uc", "the same, UC",
		      .type = TUFF_QPT_UC, .weather = SIM_BACKPRESSURE,
		      .flags = SIM_MANY,
		      .mix = { .weight = { 3, 2, 2, 2 }, SIM_MIX_FLAGS,
			       .max_len = 4096, .max_packets = 60 }),
	SIM_CHAOS_ROW("chaos_ud", "the same, UD",
		      .type = TUFF_QPT_UD, .weather = SIM_BACKPRESSURE,
		      .flags = SIM_MANY,
		      .mix = { .weight = { 3, 2 }, SIM_MIX_FLAGS,
			       .max_len = 4096, .max_packets = 60 }),
	{ }
};
