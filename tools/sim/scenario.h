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
	SIM_DOUBLING,
	SIM_REORDERING,
	SIM_CORRUPTING,
	SIM_STORM,		/* all of them, and forgeries */
	SIM_CONGESTED,		/* slow links, short queues that drop */
	SIM_BACKPRESSURE,	/* slow links, short queues that refuse */
	SIM_IMPATIENT,		/* timeouts shorter than the round trip */
};

/* stage.c */
void sim_stage_host(struct sim *sim);
void sim_stage_weather(struct sim *sim, enum sim_weather weather);
u8 sim_stage_timeout(struct sim *sim, enum sim_weather weather);
void sim_stage_attr(struct sim *sim, u8 type, enum sim_weather weather,
		    struct sim_qp_attr *attr);
void sim_stage_pair(struct sim *sim, const struct sim_qp_attr *attr,
		    u32 buf_len, struct sim_qp *pair[2]);

#endif /* _TUFF_SIM_SCENARIO_H */
