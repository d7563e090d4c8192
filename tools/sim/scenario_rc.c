// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: reliable connections that work, whatever the network does */
#include <linux/minmax.h>
#include <linux/types.h>

#include "check.h"
#include "engine/psn.h"
#include "scenario.h"

#define SIM_RC_MAX_PAIRS	3

/* What is special about a row. */
enum sim_rc_flags {
	SIM_RC_ONE_WAY		= 1 << 0,
	SIM_RC_WRAP		= 1 << 1,	/* PSNs pass 0xffffff */
	SIM_RC_TINY		= 1 << 2,	/* small queues and limits */
	SIM_RC_SLOW_RECV	= 1 << 3,	/* RNR NAKs */
	SIM_RC_SRQ		= 1 << 4,
	SIM_RC_SELF		= 1 << 5,	/* connected to itself */
	SIM_RC_MANY		= 1 << 6,	/* several pairs on one network */
};

struct sim_rc_row {
	enum sim_weather weather;
	u32 flags;
	u32 max_wrs;
	struct sim_mix mix;
};

static void sim_rc_attr(struct sim *sim, const struct sim_rc_row *row,
			struct sim_qp_attr *attr)
{
	sim_stage_attr(sim, TUFF_QPT_RC, row->weather, attr);
	if (row->flags & SIM_RC_WRAP)
		attr->sq_psn = (0xfffffe - sim_below(sim, 32)) & TUFF_PSN_MASK;
	if (row->flags & SIM_RC_TINY) {
		attr->max_send_wr = sim_range(sim, 1, 3);
		attr->max_rd_atomic = sim_range(sim, 1, 2);
	}
	if (row->flags & SIM_RC_SRQ)
		attr->has_srq = true;
}

/* Receive queues: one for each queue pair, or one for all of a host. */
static struct sim_rq *sim_rc_rq(struct sim_host *host,
				const struct sim_rc_row *row,
				const struct sim_qp_attr *attr)
{
	u32 len = sim_range(host->sim, 1, 16);

	if (row->flags & SIM_RC_SRQ && host->nr_rqs)
		return host->rq[0];
	/* Who wants to see no retry must not be short of receives. */
	if (row->weather == SIM_CLEAN || row->weather == SIM_BACKPRESSURE)
		len = row->max_wrs;
	return sim_rq_create(host, 7 + host->idx, len, attr->max_recv_sge,
			     row->mix.max_len + 8);
}

static void sim_rc_pair(struct sim *sim, const struct sim_rc_row *row,
			struct sim_qp *pair[2])
{
	u32 i, ends = row->flags & SIM_RC_SELF ? 1 : 2;
	struct sim_qp_attr attr;

	sim_rc_attr(sim, row, &attr);
	for (i = 0; i < ends; i++) {
		struct sim_host *host = &sim->host[i];

		pair[i] = sim_qp_create(host, 7 + i, &attr,
					sim_rc_rq(host, row, &attr));
		attr.sq_psn = (attr.sq_psn + sim_below(sim, 64)) &
			      TUFF_PSN_MASK;
	}
	if (ends == 1)
		pair[1] = pair[0];
	sim_qp_connect(pair[0], pair[1]);
	if (ends == 2)
		sim_qp_connect(pair[1], pair[0]);
}

static void sim_rc_start(struct sim *sim, const struct sim_rc_row *row,
			 struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim_rq *rq = sqp->peer->rq;
	u32 count = sim_range(sim, 1, row->max_wrs);
	u64 delay = 0;

	sim_load_memory(sqp, &row->mix);
	flow->burst = sim_range(sim, 1, 16);
	flow->gap_ns = sim_below(sim, 2) ? sim_below(sim, 20000) : 0;
	if (row->flags & SIM_RC_SLOW_RECV) {
		rq->burst = sim_range(sim, 1, 3);
		delay = sim_below(sim, 300000);
	}
	sim_load_recv_start(rq, rq->to_post - rq->posted + count, delay);
	sim_load_start(sqp, count);
}

static void sim_rc_setup(struct sim *sim)
{
	const struct sim_rc_row *row = sim->scenario->data;
	struct sim_qp *pair[SIM_RC_MAX_PAIRS][2];
	u32 i, nr = 1;

	sim_stage_host(sim);
	if (row->weather == SIM_CLEAN)
		sim->knobs.eagain_ppm = 0;
	sim_stage_weather(sim, row->weather);
	if (row->flags & SIM_RC_MANY)
		nr = sim_range(sim, 2, SIM_RC_MAX_PAIRS);
	for (i = 0; i < nr; i++)
		sim_rc_pair(sim, row, pair[i]);
	for (i = 0; i < nr; i++) {
		sim_rc_start(sim, row, pair[i][0]);
		if (pair[i][1] != pair[i][0] && !(row->flags & SIM_RC_ONE_WAY))
			sim_rc_start(sim, row, pair[i][1]);
	}
}

static void sim_rc_finish_clean(struct sim *sim)
{
	sim_check_clean(sim);
}

/* Weights: SEND, SEND_IMM, WRITE, WRITE_IMM, READ, SWAP, ADD. */
#define SIM_MIX_ALL	.weight = { 3, 2, 3, 2, 3, 1, 1 }
#define SIM_MIX_RD	.weight = { 1, 0, 1, 0, 5, 2, 2 }
#define SIM_MIX_RECV	.weight = { 4, 3, 0, 2, 1, 0, 0 }

/* Flags of requests, as most rows want them. */
#define SIM_MIX_FLAGS							\
	.border_ppm = 500000, .inline_ppm = 300000, .silent_ppm = 300000, \
	.fence_ppm = 30000, .solicited_ppm = 100000, .reuse_ppm = 50000

#define SIM_RC_ROW(row_name, text, end, ...)				\
	{								\
		.name = (row_name), .what = (text),			\
		.setup = sim_rc_setup, .finish = (end),			\
		.data = &(const struct sim_rc_row){ __VA_ARGS__ },	\
	}

const struct scenario sim_rc_scenarios[] = {
	SIM_RC_ROW("rc_clean", "every operation and length, nothing is lost",
		   sim_rc_finish_clean,
		   .weather = SIM_CLEAN, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 16384,
			    .max_packets = 120 }),
	SIM_RC_ROW("rc_long", "messages up to 64 KiB and a byte",
		   sim_rc_finish_clean,
		   .weather = SIM_CLEAN, .flags = SIM_RC_ONE_WAY,
		   .max_wrs = 6,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 65537,
			    .max_packets = 300 }),
	SIM_RC_ROW("rc_long_lossy", "long messages over a lossy network", NULL,
		   .weather = SIM_LOSSY, .flags = SIM_RC_ONE_WAY,
		   .max_wrs = 6,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 65537,
			    .max_packets = 150 }),
	SIM_RC_ROW("rc_lossy", "packets vanish", NULL,
		   .weather = SIM_LOSSY, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_doubling", "packets come twice", NULL,
		   .weather = SIM_DOUBLING, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_reordering", "packets are overtaken", NULL,
		   .weather = SIM_REORDERING, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_corrupting", "bytes of packets change", NULL,
		   .weather = SIM_CORRUPTING, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_storm", "all of that, and forged packets", NULL,
		   .weather = SIM_STORM, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_storm_read", "READ and ATOMIC answers are replayed",
		   NULL,
		   .weather = SIM_STORM, .max_wrs = 40,
		   .mix = { SIM_MIX_RD, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_lossy_read", "READ and ATOMIC over a lossy network",
		   NULL,
		   .weather = SIM_LOSSY, .max_wrs = 40,
		   .mix = { SIM_MIX_RD, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_congested", "slow links whose queues overflow", NULL,
		   .weather = SIM_CONGESTED, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 16384,
			    .max_packets = 100 }),
	SIM_RC_ROW("rc_backpressure", "slow links that refuse packets",
		   sim_rc_finish_clean,
		   .weather = SIM_BACKPRESSURE, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 16384,
			    .max_packets = 100 }),
	SIM_RC_ROW("rc_impatient", "ack timeouts shorter than the round trip",
		   NULL,
		   .weather = SIM_IMPATIENT, .max_wrs = 20,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 2048,
			    .max_packets = 30 }),
	SIM_RC_ROW("rc_wrap", "PSNs pass the end of 24 bits", NULL,
		   .weather = SIM_STORM, .flags = SIM_RC_WRAP, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_tiny", "small queues, few READs at once", NULL,
		   .weather = SIM_STORM, .flags = SIM_RC_TINY, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	SIM_RC_ROW("rc_rnr", "receivers that are not ready", NULL,
		   .weather = SIM_LOSSY, .flags = SIM_RC_SLOW_RECV,
		   .max_wrs = 20,
		   .mix = { SIM_MIX_RECV, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 50 }),
	SIM_RC_ROW("rc_rnr_storm", "the same in a storm", NULL,
		   .weather = SIM_STORM,
		   .flags = SIM_RC_SLOW_RECV | SIM_RC_TINY, .max_wrs = 20,
		   .mix = { SIM_MIX_RECV, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 50 }),
	SIM_RC_ROW("rc_fence", "many fences", NULL,
		   .weather = SIM_LOSSY, .max_wrs = 40,
		   .mix = { SIM_MIX_RD, .border_ppm = 500000,
			    .silent_ppm = 300000, .fence_ppm = 400000,
			    .reuse_ppm = 300000, .max_len = 2048,
			    .max_packets = 60 }),
	SIM_RC_ROW("rc_srq", "pairs that share receive queues", NULL,
		   .weather = SIM_STORM, .flags = SIM_RC_SRQ | SIM_RC_MANY,
		   .max_wrs = 15,
		   .mix = { SIM_MIX_RECV, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 30 }),
	SIM_RC_ROW("rc_many", "several pairs on one network", NULL,
		   .weather = SIM_CONGESTED, .flags = SIM_RC_MANY,
		   .max_wrs = 15,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 40 }),
	SIM_RC_ROW("rc_self", "a queue pair connected to itself", NULL,
		   .weather = SIM_STORM, .flags = SIM_RC_SELF, .max_wrs = 40,
		   .mix = { SIM_MIX_ALL, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 80 }),
	{ }
};
