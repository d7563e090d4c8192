// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: the program: which seeds, which scenarios, how reported */
#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "regress.h"
#include "scenario.h"

#define SIM_MAX_SCENARIOS	128
#define SIM_MAX_JOBS		64
/* Reports of more failures than this help nobody. */
#define SIM_MAX_REPORTS		5

/**
 * struct sim_opts - the command line
 * @from: first seed
 * @to: last seed
 * @only: one scenario, or NULL: each seed has one, in turn
 * @jobs: processes
 * @minutes: go on with new seeds for so long
 * @trace: print each packet
 */
struct sim_opts {
	u64 from;
	u64 to;
	const struct scenario *only;
	u32 jobs;
	u32 minutes;
	bool trace;
};

/* What a scenario came to. */
struct sim_tally {
	u64 seeds;
	u64 failed;
	u64 first_failed;
	u64 events;
};

/**
 * struct sim_job - one process's results, in memory shared with the parent
 * @seed: what it is at, for the case that it crashes
 * @scenario: likewise
 * @regress: a row of regress.c is being run
 * @tally: per scenario
 */
struct sim_job {
	u64 seed;
	u32 scenario;
	u64 done;
	u64 reports;
	struct sim_tally tally[SIM_MAX_SCENARIOS];
};

static u32 sim_scenario_idx(const struct scenario *scenario)
{
	u32 i;

	for (i = 0; sim_scenario(i) != scenario; i++)
		;
	return i;
}

static void sim_one(struct sim_job *job, u64 seed, u32 idx, bool trace)
{
	struct sim_tally *tally = &job->tally[idx];
	char *text = NULL;
	size_t len = 0;
	u64 events;
	FILE *report;
	bool good;

	job->seed = seed;
	job->scenario = idx;
	report = open_memstream(&text, &len);
	good = sim_run(sim_scenario(idx), seed, trace ? stderr : NULL, report,
		       &events);
	fclose(report);
	if (!good) {
		if (!tally->failed++)
			tally->first_failed = seed;
		/* One write: reports of several processes do not mix. */
		if (job->reports++ < SIM_MAX_REPORTS &&
		    write(STDERR_FILENO, text, len) < 0)
			job->reports--;
	}
	free(text);
	tally->seeds++;
	tally->events += events;
	job->done++;
}

static void sim_work(struct sim_job *job, const struct sim_opts *opts, u32 me)
{
	u64 seed;
	u32 idx;

	for (seed = opts->from + me; seed <= opts->to; seed += opts->jobs) {
		idx = opts->only ? sim_scenario_idx(opts->only) :
				   seed % sim_nr_scenarios();
		sim_one(job, seed, idx, opts->trace);
	}
}

/* Seeds that failed once; scenarios they named may have gone since. */
static void sim_work_regress(struct sim_job *job)
{
	const struct sim_regress *row;

	for (row = sim_regress; row->scenario; row++) {
		const struct scenario *scenario;

		scenario = sim_scenario_find(row->scenario);
		if (scenario)
			sim_one(job, row->seed, sim_scenario_idx(scenario),
				false);
	}
}

/* A process that did not end by itself: which seed killed it. */
static bool sim_job_crashed(struct sim_job *job, int status)
{
	struct sim_tally *tally = &job->tally[job->scenario];

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return false;
	fprintf(stderr,
		"# CRASHED scenario %s seed %llu\n# replay: %s --scenario %s --seed %llu --trace\n",
		sim_scenario(job->scenario)->name, job->seed,
		program_invocation_name, sim_scenario(job->scenario)->name, job->seed);
	tally->seeds++;
	if (!tally->failed++)
		tally->first_failed = job->seed;
	return true;
}

static void sim_progress(const struct sim_job *jobs,
			 const struct sim_opts *opts)
{
	u64 done = 0;
	u32 i;

	for (i = 0; i < opts->jobs; i++)
		done += jobs[i].done;
	if (opts->minutes)
		fprintf(stderr, "sim: %llu seeds\n", done);
	else
		fprintf(stderr, "sim: %llu of %llu seeds\n", done,
			opts->to - opts->from + 1);
}

static void sim_fork_jobs(struct sim_job *jobs, const struct sim_opts *opts)
{
	pid_t pid[SIM_MAX_JOBS];
	u32 i, left = opts->jobs, waits = 0;
	int status;

	for (i = 0; i < opts->jobs; i++) {
		pid[i] = fork();
		if (pid[i] < 0) {
			perror("sim: fork");
			exit(1);
		}
		if (!pid[i]) {
			if (!i && !opts->only)
				sim_work_regress(&jobs[i]);
			sim_work(&jobs[i], opts, i);
			exit(0);
		}
	}
	while (left) {
		for (i = 0; i < opts->jobs; i++) {
			if (pid[i] <= 0 ||
			    waitpid(pid[i], &status, WNOHANG) != pid[i])
				continue;
			pid[i] = 0;
			left--;
			sim_job_crashed(&jobs[i], status);
		}
		usleep(20000);
		if (++waits % 500 == 0)
			sim_progress(jobs, opts);
	}
}

static int sim_print(const struct sim_job *jobs, const struct sim_opts *opts)
{
	u32 nr = sim_nr_scenarios(), i, j, plan = 0, failed = 0, n = 0;
	struct sim_tally sum[SIM_MAX_SCENARIOS] = { };

	for (i = 0; i < nr; i++) {
		for (j = 0; j < opts->jobs; j++) {
			const struct sim_tally *t = &jobs[j].tally[i];

			if (t->failed && !sum[i].failed)
				sum[i].first_failed = t->first_failed;
			sum[i].seeds += t->seeds;
			sum[i].failed += t->failed;
			sum[i].events += t->events;
		}
		plan += sum[i].seeds != 0;
	}
	printf("KTAP version 1\n1..%u\n", plan);
	for (i = 0; i < nr; i++) {
		const struct sim_tally *t = &sum[i];

		if (!t->seeds)
			continue;
		printf("%sok %u %s # %llu seeds, %llu events each",
		       t->failed ? "not " : "", ++n, sim_scenario(i)->name,
		       t->seeds, t->events / t->seeds);
		if (t->failed)
			printf("; %llu failed, first: --scenario %s --seed %llu",
			       t->failed, sim_scenario(i)->name,
			       t->first_failed);
		printf("\n");
		failed += t->failed != 0;
	}
	printf("# sim: %u passed, %u failed\n", plan - failed, failed);
	return failed ? 1 : 0;
}

static int sim_range_of_seeds(const struct sim_opts *opts)
{
	size_t size = opts->jobs * sizeof(struct sim_job);
	struct sim_job *jobs;
	struct sim_opts now = *opts;
	time_t end = time(NULL) + 60 * opts->minutes;

	jobs = mmap(NULL, size, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (jobs == MAP_FAILED) {
		perror("sim: mmap");
		return 1;
	}
	do {
		if (now.jobs == 1 && now.trace)
			sim_work(jobs, &now, 0);
		else
			sim_fork_jobs(jobs, &now);
		now.from = now.to + 1;
		now.to = now.from + opts->to - opts->from;
	} while (opts->minutes && time(NULL) < end);
	return sim_print(jobs, opts);
}

static void sim_list(void)
{
	u32 i;

	for (i = 0; i < sim_nr_scenarios(); i++)
		printf("%-24s %s\n", sim_scenario(i)->name,
		       sim_scenario(i)->what);
}

static const struct option sim_options[] = {
	{ "seed",	required_argument, NULL, 's' },
	{ "from",	required_argument, NULL, 'f' },
	{ "to",		required_argument, NULL, 't' },
	{ "scenario",	required_argument, NULL, 'n' },
	{ "jobs",	required_argument, NULL, 'j' },
	{ "minutes",	required_argument, NULL, 'm' },
	{ "trace",	no_argument, NULL, 'v' },
	{ "list",	no_argument, NULL, 'l' },
	{ "help",	no_argument, NULL, 'h' },
	{ }
};

static void sim_usage(FILE *out)
{
	fprintf(out,
		"usage: sim [--from A --to B | --seed N] [--scenario NAME] [--jobs N] [--trace]\n"
		"       sim --from A --to B --minutes N    go on with new seeds\n"
		"       sim --list                         scenarios\n"
		"Two engines, a network and a clock, all drawn from one seed.\n"
		"Without --scenario each seed plays one, in turn.\n");
}

static u64 sim_number(const char *text)
{
	char *end;
	u64 n;

	errno = 0;
	n = strtoull(text, &end, 0);
	if (errno || *end || end == text) {
		fprintf(stderr, "sim: \"%s\" is no number\n", text);
		exit(2);
	}
	return n;
}

static void sim_option(struct sim_opts *opts, int option)
{
	switch (option) {
	case 's':
		opts->from = sim_number(optarg);
		opts->to = opts->from;
		break;
	case 'f':
		opts->from = sim_number(optarg);
		break;
	case 't':
		opts->to = sim_number(optarg);
		break;
	case 'n':
		opts->only = sim_scenario_find(optarg);
		if (!opts->only) {
			fprintf(stderr, "sim: no scenario \"%s\" (--list)\n",
				optarg);
			exit(2);
		}
		break;
	case 'j':
		opts->jobs = sim_number(optarg);
		break;
	case 'm':
		opts->minutes = sim_number(optarg);
		break;
	case 'v':
		opts->trace = true;
		break;
	case 'l':
		sim_list();
		exit(0);
	case 'h':
		sim_usage(stdout);
		exit(0);
	default:
		sim_usage(stderr);
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct sim_opts opts = { .from = 1, .to = 1000, .jobs = 1 };
	int option;

	while ((option = getopt_long(argc, argv, "", sim_options, NULL)) >= 0)
		sim_option(&opts, option);
	if (optind < argc || opts.from > opts.to || !opts.jobs ||
	    opts.jobs > SIM_MAX_JOBS) {
		sim_usage(stderr);
		return 2;
	}
	if (opts.from == opts.to)
		opts.jobs = 1;
	return sim_range_of_seeds(&opts);
}
