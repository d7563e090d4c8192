// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_calls: a hostile user of the verbs' system calls
 *
 *	verbs_calls -d DEV [-P PEER] [-n CALLS] [-r ROUNDS]
 *
 * Beside it DEV and PEER have traffic, of another process.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "kselftest.h"

static const char *dev, *self;
static long nr_calls = 20000;
static int rounds = 100;

static int right(void)
{
	return raw_right(dev);
}

static int cut_short(void)
{
	return raw_cut_short(dev);
}

static int answers(void)
{
	return raw_answers(dev);
}

static int arguments(void)
{
	return raw_arguments(dev);
}

static int noise(void)
{
	return raw_noise(dev, nr_calls);
}

static int ioctls(void)
{
	return raw_ioctls(dev, nr_calls);
}

static int partly_mapped(void)
{
	return process_partly_mapped(dev, rounds * 5);
}

static int forked(void)
{
	return process_fork(dev);
}

static int executed(void)
{
	return process_exec(dev, self);
}

static int passed(void)
{
	return process_pass_fd(dev);
}

static int killed(void)
{
	return process_kill(dev, rounds);
}

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
	{ "commands by hand do what they should", right },
	{ "commands cut short", cut_short },
	{ "answers to where no memory is", answers },
	{ "every argument wrong in turn", arguments },
	{ "commands of noise", noise },
	{ "ioctls of noise", ioctls },
	{ "regions that are partly mapped", partly_mapped },
	{ "fork: the child uses what it inherits", forked },
	{ "exec: the new program uses the fd", executed },
	{ "the fd passed to another process, its owner killed", passed },
	{ "killed at any moment", killed },
};

/*
 * In a process of its own: what was destroyed behind the library's back keeps
 * its rings mapped, and so the context, as long as that lives.
 */
static int run_one(size_t i)
{
	int before[NR_KINDS], status, err;
	pid_t pid;

	err = objects_count(dev, before);
	if (err)
		return err;
	fflush(stdout);
	pid = fork();
	if (!pid) {
		err = tests[i].run();
		if (err)
			ksft_print_msg("%s\n", strerror(-err));
		fflush(stdout);
		_exit(!!err);
	}
	if (waitpid(pid, &status, 0) != pid || status) {
		ksft_print_msg("status %#x\n", status);
		return -EPROTO;
	}
	return objects_same(dev, before);
}

int main(int argc, char **argv)
{
	const char *peer = NULL;
	unsigned long done;
	struct live *live;
	size_t i;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	self = "/proc/self/exe";
	while ((c = getopt(argc, argv, "d:P:n:r:x:")) != -1) {
		switch (c) {
		case 'd':
			dev = optarg;
			break;
		case 'P':
			peer = optarg;
			break;
		case 'n':
			nr_calls = atol(optarg);
			break;
		case 'r':
			rounds = atoi(optarg);
			break;
		case 'x':
			return process_exec_child(atoi(optarg));
		}
	}
	if (!dev)
		return 2;
	ksft_print_header();
	ksft_set_plan(ARRAY_LEN(tests) + 1);
	live = live_start(dev, peer ? peer : dev);
	if (!live)
		ksft_exit_fail_msg("no traffic\n");
	for (i = 0; i < ARRAY_LEN(tests); i++) {
		uint64_t from = vt_now_ms();
		int err = run_one(i);

		ksft_print_msg("%llu ms\n",
			       (unsigned long long)(vt_now_ms() - from));
		if (!err && live_good(live))
			err = -1;
		ksft_test_result(!err, "%s\n", tests[i].name);
	}
	i = live_end(live, &done);
	ksft_print_msg("%lu rounds of traffic beside it\n", done);
	ksft_test_result(!i, "traffic of others is byte-exact throughout\n");
	ksft_finished();
}
