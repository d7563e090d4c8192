// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: datagrams, from anybody to anybody */
#include "check.h"
#include "scenario.h"

/* Weights: SEND, SEND_IMM. */
#define SIM_MIX_UD	.weight = { 3, 2 }

#define SIM_UD_ROW(row_name, text, end, ...)				\
	SIM_ROW(row_name, text, end, .type = TUFF_QPT_UD, __VA_ARGS__)

const struct scenario sim_ud_scenarios[] = {
	SIM_UD_ROW("ud_storm", "datagrams vanish, double, are forged", NULL,
		   .weather = SIM_STORM, .flags = SIM_MANY, .max_wrs = 150,
		   .mix = { SIM_MIX_UD, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 300, .qkey_ppm = 50000 }),
	SIM_UD_ROW("ud_not_ready", "receivers that are not ready", NULL,
		   .weather = SIM_CLEAN, .flags = SIM_SLOW_RECV | SIM_TINY,
		   .max_wrs = 150,
		   .mix = { SIM_MIX_UD, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 300, .qkey_ppm = 50000 }),
	SIM_UD_ROW("ud_srq", "queue pairs that share receive queues", NULL,
		   .weather = SIM_LOSSY, .flags = SIM_SRQ | SIM_MANY,
		   .max_wrs = 40,
		   .mix = { SIM_MIX_UD, SIM_MIX_FLAGS, .max_len = 4096,
			    .max_packets = 60 }),
	SIM_UD_ROW("ud_small", "receive buffers too small for some", NULL,
		   .weather = SIM_CLEAN, .flags = SIM_SMALL_RECV,
		   .max_wrs = 150,
		   .mix = { SIM_MIX_UD, .border_ppm = 800000,
			    .max_len = 700, .max_packets = 300 }),
	SIM_ROW("ud_gsi", "management datagrams: queue pair 1", NULL,
		.type = TUFF_QPT_GSI,
		.weather = SIM_STORM, .max_wrs = 60,
		.mix = { SIM_MIX_UD, SIM_MIX_FLAGS, .max_len = 256,
			 .max_packets = 100 }),
	{ }
};
