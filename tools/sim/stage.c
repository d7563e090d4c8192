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
	if (!sim_below(sim, 4))
		knobs->enomem_ppm = 5 * SIM_PERCENT;
	if (!sim_below(sim, 4))
		knobs->eagain_ppm = 2 * SIM_PERCENT;
}

static void sim_stage_link(struct sim *sim, enum sim_weather weather,
			   struct sim_link *link)
{
	u32 bad = sim_range(sim, 1, 10) * SIM_PERCENT;

	link->delay_ns = sim_range(sim, 500, 10000);
	link->spare = true;
	switch (weather) {
	case SIM_CLEAN:
	case SIM_IMPATIENT:
		break;
	case SIM_LOSSY:
		link->loss_ppm = bad;
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

/**
 * sim_stage_timeout() - an ack timeout that suits the network
 * @sim: the run
 * @weather: as given to sim_stage_weather()
 *
 * Return: the attribute: 4.096 us * 2^t.
 */
u8 sim_stage_timeout(struct sim *sim, enum sim_weather weather)
{
	switch (weather) {
	case SIM_CLEAN:
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
 * @type: &enum tuff_qp_type
 * @weather: as given to sim_stage_weather()
 * @attr: filled
 */
void sim_stage_attr(struct sim *sim, u8 type, enum sim_weather weather,
		    struct sim_qp_attr *attr)
{
	*attr = (struct sim_qp_attr){
		.type = type,
		.mtu_shift = sim_range(sim, 8, 12),
		.timeout = sim_stage_timeout(sim, weather),
		.retry_cnt = 7,
		.rnr_retry = 7,
		.min_rnr_timer = sim_range(sim, 1, 12),
		.max_rd_atomic = sim_range(sim, 1, 16),
		.max_send_sge = sim_range(sim, 1, SIM_MAX_SGE),
		.max_recv_sge = sim_range(sim, 1, SIM_MAX_SGE),
		.sig_all = !sim_below(sim, 3),
		.max_inline = sim_below(sim, 2) ? sim_below(sim, 400) : 64,
		.max_send_wr = sim_range(sim, 1, 64),
		.sq_psn = sim_rand(sim) & TUFF_PSN_MASK,
		.access = TUFF_ACCESS_REMOTE_WRITE | TUFF_ACCESS_REMOTE_READ |
			  TUFF_ACCESS_REMOTE_ATOMIC,
	};
}

/**
 * sim_stage_pair() - two connected queue pairs, one on each host
 * @sim: the run
 * @attr: attributes of both; each draws its own first PSN after the first
 * @buf_len: bytes of a receive buffer
 * @pair: filled
 */
void sim_stage_pair(struct sim *sim, const struct sim_qp_attr *attr,
		    u32 buf_len, struct sim_qp *pair[2])
{
	struct sim_qp_attr own = *attr;
	u32 i;

	for (i = 0; i < 2; i++) {
		struct sim_host *host = &sim->host[i];
		u32 pd = 7 + i;
		struct sim_rq *rq;

		rq = sim_rq_create(host, pd, sim_range(sim, 1, 16),
				   attr->max_recv_sge, buf_len);
		pair[i] = sim_qp_create(host, pd, &own, rq);
		own.sq_psn = (own.sq_psn + sim_below(sim, 64)) & TUFF_PSN_MASK;
	}
	sim_qp_connect(pair[0], pair[1]);
	sim_qp_connect(pair[1], pair[0]);
}
