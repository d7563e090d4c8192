/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: scenarios, and the stage they are played on */
#ifndef _TUFF_SIM_SCENARIO_H
#define _TUFF_SIM_SCENARIO_H

#include <linux/types.h>
#include <stdio.h>

#include "load.h"
#include "sim.h"

/**
 * struct scenario - one row of a table
 * @name: for --scenario
 * @what: one line for --list
 * @setup: builds hosts, queue pairs and network, and starts consumers
 * @finish: more checks when nothing is left to happen, or NULL
 * @data: for @setup
 */
struct scenario {
	const char *name;
	const char *what;
	void (*setup)(struct sim *sim);
	void (*finish)(struct sim *sim);
	const void *data;
};

extern const struct scenario sim_rc_scenarios[];
extern const struct scenario sim_uc_scenarios[];
extern const struct scenario sim_ud_scenarios[];
extern const struct scenario sim_error_scenarios[];
extern const struct scenario sim_life_scenarios[];
extern const struct scenario sim_chaos_scenarios[];

const struct scenario *sim_scenario(u32 idx);
const struct scenario *sim_scenario_find(const char *name);
u32 sim_nr_scenarios(void);

/* run.c */
void sim_drain(struct sim *sim);
bool sim_run(const struct scenario *scenario, u64 seed, FILE *live,
	     FILE *report, u64 *nr_events);

/* How the network treats packets. */
enum sim_weather {
	SIM_CLEAN,		/* nothing goes wrong, ample timeouts */
	SIM_LOSSY,
	SIM_GAPS,		/* losses that are seen without a timeout */
	SIM_DOUBLING,
	SIM_REORDERING,
	SIM_CORRUPTING,
	SIM_STORM,		/* all of them, and forgeries */
	SIM_CONGESTED,		/* slow links, short queues that drop */
	SIM_BACKPRESSURE,	/* slow links, short queues that refuse */
	SIM_IMPATIENT,		/* timeouts shorter than the round trip */
};

/* What else is special about a row. */
enum sim_row_flags {
	SIM_ONE_WAY	= 1 << 0,
	SIM_WRAP	= 1 << 1,	/* PSNs pass 0xffffff */
	SIM_TINY	= 1 << 2,	/* small queues and limits */
	SIM_SLOW_RECV	= 1 << 3,	/* receivers that are not ready */
	SIM_SRQ		= 1 << 4,	/* pairs share receive queues */
	SIM_SELF	= 1 << 5,	/* connected to itself */
	SIM_MANY	= 1 << 6,	/* several pairs on one network */
	SIM_MANY_RECV	= 1 << 7,	/* long receive queues */
	SIM_NO_RECV	= 1 << 8,	/* receives are the caller's to post */
	SIM_SMALL_RECV	= 1 << 9,	/* buffers too small for some */
	SIM_STALLS	= 1 << 10,	/* hosts stand still now and then */
};

/**
 * struct sim_row - pairs of queue pairs that post requests of a mix
 * @type: &enum tuff_qp_type
 * @weather: what the network does
 * @flags: &enum sim_row_flags
 * @max_wrs: most requests of one queue pair
 * @mix: what they look like
 */
struct sim_row {
	u8 type;
	enum sim_weather weather;
	u32 flags;
	u32 max_wrs;
	struct sim_mix mix;
};

/* Flags of requests, as most mixes want them. */
#define SIM_MIX_FLAGS							\
	.border_ppm = 500000, .inline_ppm = 300000, .silent_ppm = 300000, \
	.fence_ppm = 30000, .solicited_ppm = 100000, .reuse_ppm = 50000

#define SIM_ROW(row_name, text, end, ...)				\
	{								\
		.name = (row_name), .what = (text),			\
		.setup = sim_row_setup, .finish = (end),		\
		.data = &(const struct sim_row){ __VA_ARGS__ },		\
	}

#define SIM_MAX_PAIRS	3

/* stage.c */
void sim_stage_host(struct sim *sim);
void sim_stage_weather(struct sim *sim, enum sim_weather weather);
void sim_stage_pair(struct sim *sim, const struct sim_row *row,
		    struct sim_qp *pair[2]);
void sim_stage_pair_attr(struct sim *sim, const struct sim_row *row,
			 const struct sim_qp_attr *attr,
			 struct sim_qp *pair[2]);
void sim_stage_attr(struct sim *sim, const struct sim_row *row,
		    struct sim_qp_attr *attr);
void sim_stage_start(struct sim *sim, const struct sim_row *row,
		     struct sim_qp *sqp);
void sim_row_setup(struct sim *sim);

#endif /* _TUFF_SIM_SCENARIO_H */
