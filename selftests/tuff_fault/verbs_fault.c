// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_fault: verbs in which every allocation and copy fails in turn
 *
 *	verbs_fault -d DEV [-s STRIDE] [PATTERN]
 *
 * The kernel's fail-nth: the n-th chance that this task has to fail does. Each
 * case is run with n = 1, 2, ... until it gets through with n to spare, so
 * that everything has failed once: slab and page allocations, copies from and
 * to user space. A run that was hit may fail or not (some allocations have a
 * second way), but never breaks anything; one that was not hit succeeds. With
 * a STRIDE only each n that is 1 modulo it is tried.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"

#define FAULT_MAX	5000	/* no verb has that many */
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct fault_env env;

static int nth_fd = -1;

static void fault_arm(int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%d", nth);

	if (pwrite(nth_fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
}

/*
 * Whether the fault has come. The copy of the answer may be what fails: then it
 * had not come before.
 */
bool fault_came(void)
{
	char text[16] = {};

	return pread(nth_fd, text, sizeof(text) - 1, 0) > 0 && !atoi(text);
}

/* The write may be what fails, and then has done its work. */
static bool fault_disarm(void)
{
	bool came = fault_came();

	while (pwrite(nth_fd, "0", 1, 0) != 1)
		;
	return came;
}

/* One run; 1: the fault came, 0: it did not, negative: something is wrong. */
static int fault_once(const struct fault_case *c, int nth, int *errors)
{
	int err, undo;
	bool hit;

	err = c->prepare ? c->prepare() : 0;
	if (err) {
		ksft_print_msg("%s: prepare before fault %d: %s\n", c->name,
			       nth, strerror(-err));
		return err;
	}
	fault_arm(nth);
	err = c->run();
	hit = fault_disarm();
	undo = c->after ? c->after(err) : 0;
	if (undo) {
		ksft_print_msg("%s: cleaning up after fault %d: %s\n", c->name,
			       nth, strerror(-undo));
		return undo;
	}
	if (err && !hit) {
		ksft_print_msg("%s: %s without a fault\n", c->name,
			       strerror(-err));
		return err;
	}
	*errors += !!err;
	return hit;
}

static int fault_step(const struct fault_case *c, int stride)
{
	int nth, hit, hits = 0, errors = 0;

	for (nth = 1; nth < FAULT_MAX; nth += stride) {
		hit = fault_once(c, nth, &errors);
		if (hit < 0)
			return hit;
		if (!hit)
			break;
		hits++;
	}
	ksft_print_msg("%s: %d faults, %d errors\n", c->name, hits, errors);
	/* A verb without any chance to fail is one that was not tested. */
	return nth < FAULT_MAX && hits && (errors || stride > 1) ? 0 : -ERANGE;
}

static int env_init(const char *name)
{
	int err = vt_open(&env.dev, name, "v4");

	if (err)
		return err;
	env.name = name;
	env.buf = mmap(NULL, 2 * FAULT_LEN, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	env.mr = ibv_reg_mr(env.dev.pd, env.buf, 2 * FAULT_LEN, ACCESS);
	env.cq = ibv_create_cq(env.dev.ctx, 256, NULL, NULL, 0);
	nth_fd = open("/proc/self/fail-nth", O_RDWR);
	return env.mr && env.cq && nth_fd >= 0 ? 0 : -errno;
}

static int each_case(const struct fault_case *c, const char *pattern,
		     int stride)
{
	int n = 0;

	for (; c->name; c++) {
		if (pattern && !strstr(c->name, pattern))
			continue;
		n++;
		if (stride)
			ksft_test_result(!fault_step(c, stride), "%s\n",
					 c->name);
	}
	return n;
}

static int all_cases(const char *pattern, int stride)
{
	return each_case(object_cases, pattern, stride) +
	       each_case(qp_cases, pattern, stride) +
	       each_case(cm_cases, pattern, stride);
}

int main(int argc, char **argv)
{
	const char *dev = NULL;
	int c, err, stride = 1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:s:")) != -1) {
		if (c == 'd')
			dev = optarg;
		else if (c == 's')
			stride = atoi(optarg);
	}
	if (!dev || stride < 1) {
		fprintf(stderr, "usage: %s -d DEV [-s STRIDE] [PATTERN]\n",
			argv[0]);
		return 2;
	}
	ksft_print_header();
	ksft_set_plan(all_cases(argv[optind], 0));
	err = env_init(dev);
	if (!err)
		err = cm_start();
	if (err)
		ksft_exit_fail_msg("cannot start: %s\n", strerror(-err));
	all_cases(argv[optind], stride);
	ksft_finished();
}
