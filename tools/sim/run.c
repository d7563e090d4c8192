// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: one seed of one scenario, from set-up to the last check */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "scenario.h"

/**
 * sim_drain() - run until nothing is left to happen
 * @sim: the run
 */
void sim_drain(struct sim *sim)
{
	while (sim_step(sim))
		sim_check_event(sim);
}

/* All queue pairs end: by way of ERR, which flushes, or by RESET alone. */
static void sim_tear_down(struct sim *sim)
{
	bool flush = sim_below(sim, 2);
	u32 h, i;

	for (h = 0; h < 2; h++)
		for (i = 0; flush && i < sim->host[h].nr_qps; i++) {
			struct sim_qp *sqp = sim->host[h].qp[i];

			if (sqp->gone)
				continue;
			/* Receives have no doorbell that would flush them. */
			sqp->rq->to_post = sqp->rq->posted;
			sim_qp_set_error(sqp);
			sim_qp_kick(sqp);
		}
	if (flush) {
		sim_drain(sim);
		sim_check_flushed(sim);
	}
	for (h = 0; h < 2; h++)
		for (i = 0; i < sim->host[h].nr_qps; i++)
			sim_qp_reset(sim->host[h].qp[i]);
	sim_check_event(sim);
	sim_check_leaks(sim);
}

static u64 sim_hash(const char *name)
{
	u64 hash = 0xcbf29ce484222325ULL;

	for (; *name; name++)
		hash = (hash ^ (u8)*name) * 0x100000001b3ULL;
	return hash;
}

/* Where a queue pair stands: what a stuck one waits for. */
static void sim_report_qp(const struct sim_qp *sqp, FILE *out)
{
	const struct tuff_requester *r = &sqp->qp.requester;
	const struct tuff_responder *s = &sqp->qp.responder;

	fprintf(out, "# %c qp %u state %u: %u posted, %u done\n",
		'A' + sqp->host->idx, sqp->qp.qpn, sqp->qp.state,
		sqp->flow.posted, sqp->flow.done);
	fprintf(out, "#   requester %u una %u nxt %u max %u end %u\n", r->state,
		r->una, r->nxt, r->max, r->end);
	fprintf(out, "#   rd_atomic %u lent %u retries %u rnr %u\n",
		r->nr_rd_atomic, r->nr_lent, r->retry_left, r->rnr_left);
	fprintf(out, "#   responder %u owed %u silent %u epsn %u msn %u\n",
		s->state, s->owed, s->silent, s->epsn, s->msn);
}

static void sim_report(const struct sim *sim, FILE *out)
{
	u32 h, i;

	fprintf(out, "# FAILED scenario %s seed %llu after %llu events\n",
		sim->scenario->name, sim->seed, sim->nr_events);
	fprintf(out, "# %s\n", sim->why);
	sim_ladder_print(sim, out);
	for (h = 0; h < 2; h++)
		for (i = 0; i < sim->host[h].nr_qps; i++)
			sim_report_qp(sim->host[h].qp[i], out);
	fprintf(out, "# replay: %s --scenario %s --seed %llu --trace\n",
		program_invocation_name, sim->scenario->name, sim->seed);
}

/**
 * sim_run() - one seed of one scenario
 * @scenario: table row
 * @seed: all chance comes from it
 * @live: each line of the ladder goes there at once, or NULL
 * @report: what went wrong goes there
 * @nr_events: how many there were
 *
 * Return: true when all was right.
 */
bool sim_run(const struct scenario *scenario, u64 seed, FILE *live,
	     FILE *report, u64 *nr_events)
{
	struct sim *sim = malloc(sizeof(*sim));
	bool good;

	sim_init(sim, seed);
	sim->rng ^= sim_hash(scenario->name);
	sim->scenario = scenario;
	sim->ladder.live = live;
	sim_hosts_init(sim);
	scenario->setup(sim);
	sim_drain(sim);
	if (!sim->failed && scenario->finish)
		scenario->finish(sim);
	if (!sim->failed)
		sim_check_done(sim);
	if (!sim->failed)
		sim_check_memory(sim);
	if (!sim->failed)
		sim_tear_down(sim);
	if (!sim->failed)
		sim_check_counters(sim);
	good = !sim->failed;
	if (!good)
		sim_report(sim, report);
	*nr_events = sim->nr_events;
	sim_exit(sim);
	sim_hosts_exit(sim);
	free(sim->priv);
	free(sim);
	return good;
}
