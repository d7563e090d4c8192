// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: queue pairs whose state changes under traffic */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <stdlib.h>

#include "engine/psn.h"
#include "scenario.h"

/* How often a scenario looks whether it can go on. */
#define SIM_LOOK_NS		200000

/* Some moment of a run: more often an early one. */
static u64 sim_life_moment(struct sim *sim)
{
	return sim_below(sim, 1ULL << sim_range(sim, 10, 21));
}

static struct sim_qp *sim_life_qp(struct sim *sim, u32 end)
{
	return sim->host[end].qp[0];
}

static struct sim_qp *sim_life_either(struct sim *sim)
{
	return sim_life_qp(sim, sim_below(sim, 2));
}

/* modify to ERR under traffic */

static void sim_life_error(struct sim *sim, void *arg, u64 val)
{
	sim_qp_set_error(arg);
	sim_qp_kick(arg);
}

static void sim_life_setup_error(struct sim *sim)
{
	sim_row_setup(sim);
	sim_at(sim, sim_life_moment(sim), sim_life_error, sim_life_either(sim),
	       0);
}

/* modify to RESET, or destroy, under traffic; the peer notices by itself */

static void sim_life_vanish(struct sim *sim, void *arg, u64 val)
{
	sim_qp_vanish(arg);
}

static void sim_life_setup_vanish(struct sim *sim)
{
	sim_row_setup(sim);
	sim_at(sim, sim_life_moment(sim), sim_life_vanish,
	       sim_life_either(sim), 0);
}

/* both ends are reset and connected anew while old packets are about */

static void sim_life_reuse(struct sim *sim, void *arg, u64 val)
{
	const struct sim_row *row = sim->scenario->data;
	u32 i;

	/* Lent requests bring turns, in which packets of the old life leave. */
	for (i = 0; i < 2; i++)
		sim_loop_quiesce(sim_life_qp(sim, i));
	for (i = 0; i < 2; i++) {
		struct sim_qp *sqp = sim_life_qp(sim, i);

		sim_qp_reset(sqp);
		/* As consumers do it: PSNs of the old life are far behind. */
		sqp->attr.sq_psn = (sqp->attr.sq_psn + 0x100000 +
				    sim_below(sim, 1000)) & TUFF_PSN_MASK;
	}
	sim_qp_connect(sim_life_qp(sim, 0), sim_life_qp(sim, 1));
	sim_qp_connect(sim_life_qp(sim, 1), sim_life_qp(sim, 0));
	for (i = 0; i < 2; i++)
		sim_stage_start(sim, row, sim_life_qp(sim, i));
	if (val)
		sim_at(sim, sim_life_moment(sim), sim_life_reuse, NULL,
		       val - 1);
}

static void sim_life_setup_reuse(struct sim *sim)
{
	sim_row_setup(sim);
	sim_at(sim, sim_life_moment(sim), sim_life_reuse, NULL,
	       sim_below(sim, 3));
}

/* RTS to SQD and back */

static void sim_life_drain(struct sim *sim, void *arg, u64 val);

static void sim_life_undrain(struct sim *sim, void *arg, u64 val)
{
	bool early = !sim_below(sim, 4);
	struct sim_qp *sqp = arg;
	u32 owed = val >> 8;

	if (sqp->nr_events[TUFF_EVENT_SQ_DRAINED] > owed)
		sim_fail(sim, "the send queue drained twice");
	if (sqp->nr_events[TUFF_EVENT_SQ_DRAINED] < owed) {
		if (!early) {
			sim_at(sim, SIM_LOOK_NS, sim_life_undrain, sqp, val);
			return;
		}
		/* Back before the event came: it will not come any more. */
		owed = sqp->nr_events[TUFF_EVENT_SQ_DRAINED];
	}
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_RTS);
	sim_qp_kick(sqp);
	val = owed << 8 | (val & 0xff);
	if (val & 0xff)
		sim_at(sim, sim_life_moment(sim), sim_life_drain, sqp,
		       val - 1);
}

/* @val: events so far, and 8 bits of how many more times */
static void sim_life_drain(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;

	tuff_qp_set_state(&sqp->qp, TUFF_QPS_SQD);
	sim_qp_kick(sqp);
	sim_at(sim, sim_below(sim, SIM_LOOK_NS), sim_life_undrain, sqp,
	       val + (1 << 8));
}

static void sim_life_setup_drain(struct sim *sim)
{
	sim_row_setup(sim);
	sim_at(sim, sim_life_moment(sim), sim_life_drain,
	       sim_life_qp(sim, 0), sim_below(sim, 4));
	sim_at(sim, sim_life_moment(sim), sim_life_drain,
	       sim_life_qp(sim, 1), sim_below(sim, 4));
}

/* one end is ready to send late */

static void sim_life_ready(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;

	sim_qp_to_rts(sqp);
	sim_qp_kick(sqp);
	sim_stage_start(sim, sim->scenario->data, sqp);
}

static void sim_life_setup_rtr(struct sim *sim)
{
	const struct sim_row *row = sim->scenario->data;
	struct sim_qp *late;

	sim_row_setup(sim);
	late = sim_life_qp(sim, 1);
	sim_qp_reset(late);
	sim_qp_to_rtr(late, late->peer);
	sim_load_recv_start(late->rq, row->max_wrs, 0);
	sim_at(sim, sim_life_moment(sim) + 20000, sim_life_ready, late, 0);
}

static void sim_life_finish_rtr(struct sim *sim)
{
	struct sim_qp *late = sim_life_qp(sim, 1);

	if (late->nr_events[TUFF_EVENT_COMM_EST] > 1)
		sim_fail(sim, "communication was established %u times",
			 late->nr_events[TUFF_EVENT_COMM_EST]);
}

/* the network is cut */

static void sim_life_cut(struct sim *sim, void *arg, u64 ways)
{
	sim->link[0][1].cut = ways & 1;
	sim->link[1][0].cut = ways & 2;
}

static void sim_life_setup_silent(struct sim *sim)
{
	const struct sim_row *row = sim->scenario->data;
	struct sim_qp_attr attr;
	struct sim_qp *pair[2];

	sim_stage_host(sim);
	sim_stage_weather(sim, row->weather);
	sim_stage_attr(sim, row, &attr);
	attr.timeout = sim_range(sim, 6, 14);
	attr.retry_cnt = sim_below(sim, 8);
	sim_stage_pair_attr(sim, row, &attr, pair);
	pair[0]->flow.may_fail = BIT(TUFF_WC_RETRY_EXC_ERR);
	sim_stage_start(sim, row, pair[0]);
	sim_at(sim, sim_life_moment(sim), sim_life_cut, NULL,
	       sim_range(sim, 1, 3));
}

static void sim_life_finish_silent(struct sim *sim)
{
	const u64 *counter = sim->host[0].counter;
	struct sim_qp *sqp = sim_life_qp(sim, 0);
	u32 tries = sqp->attr.retry_cnt + 1;

	if (!sqp->flow.broken)
		return;
	/* An answer that waits for memory makes timeouts before the cut. */
	if (counter[TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR] < tries ||
	    (counter[TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR] > tries &&
	     !sim->knobs.eagain_ppm))
		sim_fail(sim, "%llu timeouts before it gave up, not %u",
			 counter[TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR], tries);
	if (counter[TUFF_CNT_RETRY_EXCEEDED] != 1)
		sim_fail(sim, "retries exceeded %llu times",
			 counter[TUFF_CNT_RETRY_EXCEEDED]);
}

/* memory is deregistered under traffic */

#define SIM_LIFE_DEREG_FAILS	(BIT(TUFF_WC_LOC_PROT_ERR) |		\
				 BIT(TUFF_WC_REM_ACCESS_ERR) |		\
				 BIT(TUFF_WC_REM_OP_ERR) |		\
				 BIT(TUFF_WC_RETRY_EXC_ERR) |		\
				 BIT(TUFF_WC_WR_FLUSH_ERR))

static void sim_life_dereg(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;
	struct sim_flow *flow = &sqp->flow;
	struct tuff_mr *mrs[] = {
		flow->source[0], flow->sink[0], flow->remote[0],
		sqp->peer->rq->mr,
	};
	struct tuff_mr *mr = mrs[sim_below(sim, 4)];

	sqp->flow.may_fail |= SIM_LIFE_DEREG_FAILS;
	sqp->peer->flow.may_fail |= SIM_LIFE_DEREG_FAILS;
	sqp->expect_recv = TUFF_WC_LOC_PROT_ERR;
	sqp->peer->expect_recv = TUFF_WC_LOC_PROT_ERR;
	if (mr)
		sim_mr_dereg(mr);
	if (val)
		sim_at(sim, sim_life_moment(sim), sim_life_dereg,
		       sim_life_either(sim), val - 1);
}

static void sim_life_setup_dereg(struct sim *sim)
{
	sim_row_setup(sim);
	sim_at(sim, sim_life_moment(sim), sim_life_dereg,
	       sim_life_either(sim), sim_below(sim, 2));
}

/* memory is deregistered while its READs are being answered */

static void sim_life_dereg_remote(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;
	u32 i;

	sqp->flow.may_fail |= SIM_LIFE_DEREG_FAILS;
	sqp->peer->flow.may_fail |= SIM_LIFE_DEREG_FAILS;
	for (i = 0; i < 2; i++)
		sim_mr_dereg(sqp->flow.remote[i]);
}

static void sim_life_setup_dereg_read(struct sim *sim)
{
	sim_row_setup(sim);
	/* Answers wait for transmit: there is time to deregister. */
	sim->knobs.eagain_ppm = 20 * SIM_PERCENT;
	sim->knobs.loop_ppm = 0;
	sim_at(sim, sim_life_moment(sim), sim_life_dereg_remote,
	       sim_life_qp(sim, 0), 0);
}

/* memory is deregistered when nobody needs it any more: nothing may fail */

static void sim_life_retire(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;
	struct sim_flow *flow = &sqp->flow;

	/* From now on requests use the other region only. */
	flow->retired = flow->remote[0];
	flow->retire_at = flow->posted;
	flow->remote[0] = flow->remote[1];
}

static void sim_life_setup_retire(struct sim *sim)
{
	u32 i;

	sim_row_setup(sim);
	for (i = 0; i < 2; i++)
		sim_at(sim, sim_life_moment(sim), sim_life_retire,
		       sim_life_qp(sim, i), 0);
}

/* unreliable services: an error stops the send queue only (SQE) */

static void sim_life_recover(struct sim *sim, void *arg, u64 rounds)
{
	struct sim_qp *sqp = arg;
	struct sim_flow *flow = &sqp->flow;

	if (sqp->qp.state == TUFF_QPS_ERR)
		return;
	if (sqp->qp.state == TUFF_QPS_SQE && flow->done == flow->posted) {
		sim_model_recover(sqp, sqp->qp.requester.end);
		tuff_qp_set_state(&sqp->qp, TUFF_QPS_RTS);
		/* Memory may have gone; what is posted now uses the rest. */
		flow->source[0] = flow->source[1];
		flow->to_post += rounds ? 5 : 0;
		rounds -= !!rounds;
		sim_qp_kick(sqp);
		sim_load_room(sqp);
	}
	if (flow->done != flow->to_post || sqp->qp.state == TUFF_QPS_SQE)
		sim_at(sim, SIM_LOOK_NS, sim_life_recover, sqp, rounds);
}

static void sim_life_make_sqe(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	if (!tuff_qp_connected(&sqp->qp) && !sim_below(sim, 12)) {
		/* A datagram is one packet. */
		sim_load_make_op(sqp, wr, TUFF_WR_SEND,
				 (1U << sqp->attr.mtu_shift) + 1);
		wr->expect = TUFF_WC_LOC_LEN_ERR;
		return;
	}
	sim_load_make(sqp, wr);
	if (sqp->flow.doomed || sim_below(sim, 6) || !wr->len)
		return;
	wr->flags &= ~TUFF_SEND_INLINE;
	wr->lkey = SIM_BAD_LKEY;
	wr->expect = TUFF_WC_LOC_PROT_ERR;
}

static void sim_life_setup_sqe(struct sim *sim)
{
	u32 i;

	sim_row_setup(sim);
	for (i = 0; i < 2; i++) {
		struct sim_qp *sqp = sim_life_qp(sim, i);

		sqp->flow.make = sim_life_make_sqe;
		sim_at(sim, SIM_LOOK_NS, sim_life_recover, sqp, 3);
	}
}

static void sim_life_setup_sqe_dereg(struct sim *sim)
{
	u32 i;

	sim_life_setup_dereg(sim);
	for (i = 0; i < 2; i++)
		sim_at(sim, SIM_LOOK_NS, sim_life_recover,
		       sim_life_qp(sim, i), 3);
}

#define SIM_LIFE_MIX							\
	.mix = { .weight = { 3, 2, 3, 2, 3, 1, 1 }, SIM_MIX_FLAGS,	\
		 .max_len = 8192, .max_packets = 250 }

#define SIM_LIFE_MIX_READ						\
	.mix = { .weight = { 1, 0, 1, 0, 5, 1, 1 }, SIM_MIX_FLAGS,	\
		 .max_len = 8192, .max_packets = 200 }

#define SIM_LIFE_MIX_UNRELIABLE						\
	.mix = { .weight = { 3, 2, 2, 2 }, SIM_MIX_FLAGS,		\
		 .max_len = 4096, .max_packets = 60 }

#define SIM_LIFE_MIX_DATAGRAM						\
	.mix = { .weight = { 3, 2 }, SIM_MIX_FLAGS,			\
		 .max_len = 4096, .max_packets = 60 }

#define SIM_LIFE_ROW(row_name, text, begin, end, ...)			\
	{								\
		.name = (row_name), .what = (text),			\
		.setup = (begin), .finish = (end),			\
		.data = &(const struct sim_row){			\
			.max_wrs = 100, __VA_ARGS__			\
		},							\
	}

const struct scenario sim_life_scenarios[] = {
	SIM_LIFE_ROW("life_error", "modify to ERR under traffic",
		     sim_life_setup_error, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_STORM, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_error_rnr", "the same, receivers are not ready",
		     sim_life_setup_error, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_LOSSY, .flags = SIM_SLOW_RECV,
		     SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_error_uc", "modify to ERR under traffic, UC",
		     sim_life_setup_error, NULL, .type = TUFF_QPT_UC,
		     .weather = SIM_STORM, SIM_LIFE_MIX_UNRELIABLE),
	SIM_LIFE_ROW("life_vanish", "an end is destroyed under traffic",
		     sim_life_setup_vanish, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_STORM, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_reuse", "reset and connected anew under traffic",
		     sim_life_setup_reuse, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_STORM, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_reuse_wrap", "the same where PSNs wrap",
		     sim_life_setup_reuse, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_LOSSY, .flags = SIM_WRAP, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_drain", "the send queue is drained and resumed",
		     sim_life_setup_drain, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_STORM, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_rtr", "an end that is ready to send late",
		     sim_life_setup_rtr, sim_life_finish_rtr,
		     .type = TUFF_QPT_RC, .weather = SIM_STORM,
		     .flags = SIM_ONE_WAY, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_silent", "the network is cut",
		     sim_life_setup_silent, sim_life_finish_silent,
		     .type = TUFF_QPT_RC, .weather = SIM_CLEAN,
		     .flags = SIM_MANY_RECV, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_dereg", "memory is deregistered under traffic",
		     sim_life_setup_dereg, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_CLEAN, SIM_LIFE_MIX),
	SIM_LIFE_ROW("life_dereg_read", "memory goes while it is read",
		     sim_life_setup_dereg_read, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_BACKPRESSURE, SIM_LIFE_MIX_READ),
	SIM_LIFE_ROW("life_retire", "memory goes when nobody needs it",
		     sim_life_setup_retire, NULL, .type = TUFF_QPT_RC,
		     .weather = SIM_DOUBLING, SIM_LIFE_MIX_READ),
	SIM_LIFE_ROW("life_sqe_uc", "a failed request stops the send queue",
		     sim_life_setup_sqe, NULL, .type = TUFF_QPT_UC,
		     .weather = SIM_LOSSY, SIM_LIFE_MIX_UNRELIABLE),
	SIM_LIFE_ROW("life_sqe_ud", "the same with datagrams",
		     sim_life_setup_sqe, NULL, .type = TUFF_QPT_UD,
		     .weather = SIM_LOSSY, SIM_LIFE_MIX_DATAGRAM),
	SIM_LIFE_ROW("life_dereg_uc", "memory goes in mid message, UC",
		     sim_life_setup_sqe_dereg, NULL, .type = TUFF_QPT_UC,
		     .weather = SIM_BACKPRESSURE, SIM_LIFE_MIX_UNRELIABLE),
	SIM_LIFE_ROW("life_dereg_ud", "memory goes, UD",
		     sim_life_setup_sqe_dereg, NULL, .type = TUFF_QPT_UD,
		     .weather = SIM_BACKPRESSURE, SIM_LIFE_MIX_DATAGRAM),
	{ }
};
