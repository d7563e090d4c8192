// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: unreliable connections: a message comes whole or not */
#include "check.h"
#include "scenario.h"

/* Weights: SEND, SEND_IMM, WRITE, WRITE_IMM. */
#define SIM_MIX_UC	.weight = { 3, 2, 3, 2 }

#define SIM_UC_ROW(row_name, text, end, ...)				\
	SIM_ROW(row_name, text, end, .type = TUFF_QPT_UC, __VA_ARGS__)

/* Requests that the responder must not carry out: their sender never knows. */
static void sim_uc_make_refused(struct sim_qp *sqp, struct sim_wr *wr)
{
	struct sim *sim = sqp->sim;

	sim_load_make(sqp, wr);
	if (!wr->rmr || !wr->len || sim_below(sim, 3))
		return;
	/* Keys differ from all others in these bits. */
	wr->rkey ^= 0x40000000;
	wr->lost = true;
}

static void sim_uc_setup_refused(struct sim *sim)
{
	u32 h, i;

	sim_row_setup(sim);
	for (h = 0; h < 2; h++)
		for (i = 0; i < sim->host[h].nr_qps; i++)
			sim->host[h].qp[i]->flow.make = sim_uc_make_refused;
}

const struct scenario sim_uc_scenarios[] = {
	SIM_UC_ROW("uc_clean", "SEND and WRITE, nothing is lost",
		   sim_check_clean,
		   .weather = SIM_CLEAN, .flags = SIM_MANY_RECV,
		   .max_wrs = 120,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 16384,
			    .max_packets = 400 }),
	SIM_UC_ROW("uc_long", "messages up to 64 KiB and a byte",
		   sim_check_clean,
		   .weather = SIM_CLEAN,
		   .flags = SIM_ONE_WAY | SIM_MANY_RECV, .max_wrs = 20,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 65537,
			    .max_packets = 700 }),
	SIM_UC_ROW("uc_lossy", "packets vanish", NULL,
		   .weather = SIM_LOSSY, .max_wrs = 120,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 400 }),
	SIM_UC_ROW("uc_storm", "packets vanish, double, are overtaken, forged",
		   NULL,
		   .weather = SIM_STORM, .max_wrs = 120,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 400 }),
	SIM_UC_ROW("uc_wrap", "PSNs pass the end of 24 bits", NULL,
		   .weather = SIM_STORM, .flags = SIM_WRAP, .max_wrs = 120,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 400 }),
	SIM_UC_ROW("uc_not_ready", "receivers that are not ready", NULL,
		   .weather = SIM_LOSSY, .flags = SIM_SLOW_RECV,
		   .max_wrs = 120,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 400 }),
	SIM_UC_ROW("uc_backpressure", "slow links that refuse packets",
		   sim_check_clean,
		   .weather = SIM_BACKPRESSURE,
		   .flags = SIM_MANY_RECV | SIM_MANY, .max_wrs = 30,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 8192,
			    .max_packets = 200 }),
	SIM_UC_ROW("uc_srq", "pairs that share receive queues", NULL,
		   .weather = SIM_STORM, .flags = SIM_SRQ | SIM_MANY,
		   .max_wrs = 20,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 60 }),
	SIM_UC_ROW("uc_small", "receive buffers too small for some", NULL,
		   .weather = SIM_CLEAN, .flags = SIM_SMALL_RECV,
		   .max_wrs = 60,
		   .mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 3000,
			    .max_packets = 400 }),
	{
		.name = "uc_refused",
		.what = "WRITEs that may not be carried out, unnoticed",
		.setup = sim_uc_setup_refused,
		.data = &(const struct sim_row){
			.type = TUFF_QPT_UC, .weather = SIM_LOSSY,
			.max_wrs = 120,
			.mix = { SIM_MIX_UC, SIM_MIX_FLAGS, .max_len = 4096,
				 .max_packets = 100 },
		},
	},
	{ }
};
