// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: hosts, networks and pairs as most scenarios want them */
#include <linux/minmax.h>

#include "engine/psn.h"
#include "scenario.h"

/**
 * sim_stage_host() - draw how hosts behave
 * @sim: the run
 */
void sim_stage_host(struct sim *sim)
{
	struct sim_knobs *knobs = &sim->knobs;

	knobs->ipv6 = sim_below(sim, 2);
	knobs->run_delay_ns = sim_below(sim, 3) ? sim_below(sim, 2000) : 0;
	knobs->timer_slack_ns = sim_below(sim, 5000);
	knobs->batch_ppm = sim_below(sim, 3) * 40 * SIM_PERCENT;
	knobs->max_budget = sim_below(sim, 2) ? 64 : sim_range(sim, 1, 8);
	/* Mostly packets; else all, or some, of it without. */
	if (!sim_below(sim, 4)) {
		knobs->loop_ppm = sim_below(sim, 2) ? 1000000 : 500000;
		knobs->lend_ppm = sim_below(sim, 3) * 500000;
	}
	if (!sim_below(sim, 4))
		knobs->enomem_ppm = 5 * SIM_PERCENT;
	if (!sim_below(sim, 4))
		knobs->eagain_ppm = 2 * SIM_PERCENT;
	knobs->early[0] = sim->seed % TUFF_NR_EARLY_MODES;
	knobs->early[1] = sim->seed / TUFF_NR_EARLY_MODES % TUFF_NR_EARLY_MODES;
}

static void sim_stage_link(struct sim *sim, enum sim_weather weather,
			   struct sim_link *link)
{
	u32 bad = sim_range(sim, 1, 10) * SIM_PERCENT;

	link->delay_ns = sim_range(sim, 500, 10000);
	link->spare = true;
	link->wear_ppm = sim_below(sim, 3) * 10 * SIM_PERCENT;
	switch (weather) {
	case SIM_CLEAN:
	case SIM_IMPATIENT:
		break;
	case SIM_LOSSY:
		link->loss_ppm = bad;
		break;
	case SIM_GAPS:
		link->gap_ppm = 4 * bad;
		break;
	case SIM_DOUBLING:
		link->dup_ppm = 3 * bad;
		break;
	case SIM_REORDERING:
		link->reorder_ppm = 2 * bad;
		link->jitter_ns = sim_below(sim, 5000);
		break;
	case SIM_CORRUPTING:
		link->corrupt_ppm = bad;
		break;
	case SIM_STORM:
		link->loss_ppm = sim_below(sim, 3) * SIM_PERCENT;
		link->dup_ppm = sim_below(sim, 5) * SIM_PERCENT;
		link->reorder_ppm = sim_below(sim, 5) * SIM_PERCENT;
		link->corrupt_ppm = sim_below(sim, 3) * SIM_PERCENT;
		link->forge_ppm = sim_below(sim, 5) * SIM_PERCENT;
		link->jitter_ns = sim_below(sim, 5000);
		break;
	case SIM_CONGESTED:
	case SIM_BACKPRESSURE:
		/* 1 to 16 Gb/s */
		link->ns_per_byte_q8 = sim_range(sim, 128, 2048);
		link->queue_len = sim_range(sim, 16, 128) * 1024;
		link->block = weather == SIM_BACKPRESSURE;
		break;
	}
}

/**
 * sim_stage_weather() - draw how the network behaves
 * @sim: the run
 * @weather: what kind of trouble
 */
void sim_stage_weather(struct sim *sim, enum sim_weather weather)
{
	u32 i;

	for (i = 0; i < 4; i++)
		sim_stage_link(sim, weather, &sim->link[i / 2][i % 2]);
	if (weather == SIM_IMPATIENT)
		sim->link[0][1].delay_ns = sim_range(sim, 20000, 60000);
}

/* An ack timeout that suits the network: 4.096 us * 2^t. */
static u8 sim_stage_timeout(struct sim *sim, enum sim_weather weather)
{
	switch (weather) {
	case SIM_CLEAN:
	case SIM_GAPS:
	case SIM_BACKPRESSURE:
		return 17;
	case SIM_CONGESTED:
		return sim_range(sim, 11, 14);
	case SIM_IMPATIENT:
		return 2;
	default:
		return sim_range(sim, 6, 12);
	}
}

/**
 * sim_stage_attr() - draw attributes of both ends of a pair
 * @sim: the run
 * @row: what is wanted
 * @attr: filled
 */
void sim_stage_attr(struct sim *sim, const struct sim_row *row,
		    struct sim_qp_attr *attr)
{
	*attr = (struct sim_qp_attr){
		.type = row->type,
		.mtu_shift = sim_range(sim, 8, 12),
		.timeout = sim_stage_timeout(sim, row->weather),
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = sim_below(sim, 14),
		.max_rd_atomic = sim_range(sim, 1, 16),
		.max_send_sge = sim_range(sim, 1, SIM_MAX_SGE),
		.max_recv_sge = sim_range(sim, 1, SIM_MAX_SGE),
		.sig_all = !sim_below(sim, 3),
		.has_srq = row->flags & SIM_SRQ,
		.kernel = !sim_below(sim, 3),
		.max_inline = sim_below(sim, 2) ? sim_below(sim, 400) : 64,
		.max_send_wr = sim_range(sim, 1, 64),
		.sq_psn = sim_rand(sim) & TUFF_PSN_MASK,
		.access = TUFF_ACCESS_REMOTE_WRITE | TUFF_ACCESS_REMOTE_READ |
			  TUFF_ACCESS_REMOTE_ATOMIC,
	};
	/*
	 * Code 0 is a pause of 655 ms: who holds the last shared receive in
	 * the middle of a message has all others ask for it all that time.
	 */
	if (attr->has_srq && !attr->min_rnr_timer)
		attr->min_rnr_timer = 1;
	if (row->flags & SIM_WRAP)
		attr->sq_psn = 0xfffffe - sim_below(sim, 32);
	if (row->flags & SIM_TINY) {
		attr->max_send_wr = sim_range(sim, 1, 3);
		attr->max_rd_atomic = sim_range(sim, 1, 2);
	}
}

/* A receive queue for each queue pair, or one for all of a host. */
static struct sim_rq *sim_stage_rq(struct sim_host *host,
				   const struct sim_row *row,
				   const struct sim_qp_attr *attr)
{
	u32 buf_len = row->flags & SIM_SMALL_RECV ? row->mix.max_len / 2 :
						     row->mix.max_len;
	u32 len = sim_range(host->sim, 1, 16);

	if (row->flags & SIM_SRQ && host->nr_rqs)
		return host->rq[0];
	if (row->flags & SIM_MANY_RECV)
		len = row->max_wrs;
	return sim_rq_create(host, 7 + host->idx, len, attr->max_recv_sge,
			     buf_len + SIM_GRH_LEN);
}

/**
 * sim_stage_pair_attr() - two connected queue pairs, one on each host
 * @sim: the run
 * @row: what is wanted
 * @attr: attributes of both; the second draws a first PSN near the first's
 * @pair: filled; twice the same one when the row wants it so
 */
void sim_stage_pair_attr(struct sim *sim, const struct sim_row *row,
			 const struct sim_qp_attr *attr,
			 struct sim_qp *pair[2])
{
	u32 i, ends = row->flags & SIM_SELF ? 1 : 2;
	struct sim_qp_attr own = *attr;

	for (i = 0; i < ends; i++) {
		struct sim_host *host = &sim->host[i];

		pair[i] = sim_qp_create(host, 7 + i, &own,
					sim_stage_rq(host, row, &own));
		own.sq_psn = (own.sq_psn + sim_below(sim, 64)) & TUFF_PSN_MASK;
	}
	if (ends == 1)
		pair[1] = pair[0];
	sim_qp_connect(pair[0], pair[1]);
	if (ends == 2)
		sim_qp_connect(pair[1], pair[0]);
}

/**
 * sim_stage_pair() - two connected queue pairs with attributes drawn
 * @sim: the run
 * @row: what is wanted
 * @pair: filled
 */
void sim_stage_pair(struct sim *sim, const struct sim_row *row,
		    struct sim_qp *pair[2])
{
	struct sim_qp_attr attr;

	sim_stage_attr(sim, row, &attr);
	sim_stage_pair_attr(sim, row, &attr, pair);
}

/**
 * sim_stage_start() - have a queue pair post requests, and its peer receives
 * @sim: the run
 * @row: what is wanted
 * @sqp: queue pair
 */
void sim_stage_start(struct sim *sim, const struct sim_row *row,
		     struct sim_qp *sqp)
{
	struct sim_flow *flow = &sqp->flow;
	struct sim_rq *rq = sqp->peer->rq;
	u32 count = sim_range(sim, 1, row->max_wrs);
	u64 delay = 0;

	if (!flow->mix)
		sim_load_memory(sqp, &row->mix);
	flow->packets_left = row->mix.max_packets;
	flow->burst = sim_range(sim, 1, 16);
	flow->gap_ns = sim_below(sim, 2) ? sim_below(sim, 20000) : 0;
	if (row->flags & SIM_SLOW_RECV) {
		rq->burst = sim_range(sim, 1, 3);
		delay = sim_below(sim, 300000);
	}
	if (!(row->flags & SIM_NO_RECV))
		sim_load_recv_start(rq, rq->to_post - rq->posted + count,
				    delay);
	sim_load_start(sqp, count);
}

/**
 * sim_row_setup() - set up a &struct sim_row
 * @sim: the run
 */
void sim_row_setup(struct sim *sim)
{
	const struct sim_row *row = sim->scenario->data;
	struct sim_qp *pair[SIM_MAX_PAIRS][2];
	u32 i, nr = 1, nr_avs = 4;

	sim_stage_host(sim);
	sim_stage_weather(sim, row->weather);
	if (row->flags & SIM_STALLS) {
		/* Long for the shortest timeout, but not for all its retries. */
		sim->knobs.stall_ppm = sim_range(sim, 1, 4) * SIM_PERCENT / 4;
		sim->knobs.stall_ns = sim_range(sim, 1, 1000) * SIM_NS_PER_US;
	}
	/* Address handles 0 and 1 of a host lead to hosts 0 and 1. */
	if (row->type == TUFF_QPT_RC || row->type == TUFF_QPT_UC)
		nr_avs = 0;
	for (i = 0; i < nr_avs; i++)
		sim_av_create(&sim->host[i / 2], i % 2, true);
	if (row->flags & SIM_MANY)
		nr = sim_range(sim, 2, SIM_MAX_PAIRS);
	for (i = 0; i < nr; i++)
		sim_stage_pair(sim, row, pair[i]);
	for (i = 0; i < nr; i++) {
		sim_stage_start(sim, row, pair[i][0]);
		if (pair[i][1] != pair[i][0] && !(row->flags & SIM_ONE_WAY))
			sim_stage_start(sim, row, pair[i][1]);
	}
}
