// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_races: ends that meet what is under way
 *
 *	verbs_races -d DEV [-P PEER] [-n ROUNDS] [-e EVENTS] [-s SEED]
 *		[-T PATTERN] [tests | hold | busy]
 *
 *	tests	the races, ROUNDS of each; TAP
 *	hold	ROUNDS queue pairs; says "holding", waits to be killed
 *	busy	traffic until the device goes; says "busy"
 */
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "races.h"

struct races r = { .rounds = 500, .events = 20000, .seed = 1 };

static const struct {
	const char *name;
	int (*run)(void);
} tests[] = {
	{ "destroy under traffic", destroy_under_traffic },
	{ "destroy as timers fire", destroy_at_timers },
	{ "to ERR under traffic: each request completes once",
	  error_under_traffic },
	{ "to RESET under traffic, and back", reset_under_traffic },
	{ "to ERR and RESET as timers fire", states_at_timers },
	{ "READs against a modify that is refused", reads_against_modify },
	{ "SQE to RTS under traffic", recover_under_traffic },
	{ "mmap of rings against destroy", mmap_against_destroy },
	{ "remote region deregistered under traffic", dereg_remote },
	{ "local region deregistered under traffic", dereg_local },
	{ "objects in use stay", objects_in_use },
	{ "resize under traffic", resize_under_traffic },
	{ "resize to less than is held", resize_too_small },
	{ "crossed posts on two CPUs", crossed_posts },
	{ "a queue pair that is its own peer", own_peer },
	{ "arm, sleep, poll: no wake-up is lost", events_one_way },
};

int bad(const char *fmt, ...)
{
	va_list args;

	printf("# ");
	va_start(args, fmt);
	vprintf(fmt, args);
	va_end(args);
	printf("\n");
	return -1;
}

uint32_t rnd(uint32_t n)
{
	return vt_random(&r.seed) % n;
}

/* Busy, so that it can be shorter than a sleep. */
void pause_us(uint32_t us)
{
	struct timespec from, now;
	long passed;

	clock_gettime(CLOCK_MONOTONIC, &from);
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		passed = (now.tv_sec - from.tv_sec) * 1000000 +
			 (now.tv_nsec - from.tv_nsec) / 1000;
	} while (passed < (long)us);
}

void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

int side_open(struct side *s, const char *name)
{
	CHECK(vt_open(&s->dev, name, "v4"));
	s->buf = mmap(NULL, BUF_LEN, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	s->mr = ibv_reg_mr(s->dev.pd, s->buf, BUF_LEN, RIGHTS);
	s->cq = ibv_create_cq(s->dev.ctx, CQ_LEN, NULL, NULL, 0);
	return s->mr && s->cq ? 0 : bad("no memory region or queue");
}

void side_close(struct side *s)
{
	ibv_destroy_cq(s->cq);
	ibv_dereg_mr(s->mr);
	vt_close(&s->dev);
}

int make_pair(struct vt_qp *x, struct vt_qp *y, struct vt_qp_spec spec)
{
	memset(y, 0, sizeof(*y));
	spec.cq = r.a.cq;
	CHECK(vt_qp_create(x, &r.a.dev, &spec));
	spec.cq = r.b.cq;
	CHECK(vt_qp_create(y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(x, y));
	return 0;
}

/* A request of @qp, between the beginnings of both buffers. */
int post(struct vt_qp *qp, struct side *from, struct side *to,
	 enum ibv_wr_opcode op, uint64_t id, uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)from->buf, len, from->mr->lkey };

	if (op == IBV_WR_SEND)
		return vt_post_send(qp, op, id, &sge, 1, IBV_SEND_SIGNALED);
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD)
		sge.length = 8;
	return vt_post_rdma(qp, op, id, &sge, IBV_SEND_SIGNALED,
			    (uintptr_t)to->buf, to->mr->rkey);
}

int post_recvs(struct vt_qp *qp, struct side *s, int n)
{
	struct ibv_sge sge = { (uintptr_t)s->buf, BUF_LEN, s->mr->lkey };
	int err = 0;

	while (n-- && !err)
		err = vt_post_recv(qp, n, &sge, 1);
	return err;
}

/* Take what there is; returns how many. */
int drain(struct ibv_cq *cq)
{
	struct ibv_wc wc[32];
	int n, all = 0;

	while ((n = ibv_poll_cq(cq, 32, wc)) > 0)
		all += n;
	return all;
}

static pthread_t second;
static pthread_barrier_t begin, done;
static void (*second_fn)(void *);
static void *second_arg;

static void *second_main(void *unused)
{
	pin(1);
	for (;;) {
		pthread_barrier_wait(&begin);
		if (!second_fn)
			return unused;
		second_fn(second_arg);
		pthread_barrier_wait(&done);
	}
}

/* Both on one CPU would only ever meet where one of them yields. */
int second_start(void)
{
	pin(0);
	pthread_barrier_init(&begin, NULL, 2);
	pthread_barrier_init(&done, NULL, 2);
	return -pthread_create(&second, NULL, second_main, NULL);
}

void second_go(void (*fn)(void *), void *arg)
{
	second_fn = fn;
	second_arg = arg;
	pthread_barrier_wait(&begin);
}

void second_wait(void)
{
	pthread_barrier_wait(&done);
}

void second_stop(void)
{
	second_fn = NULL;
	pthread_barrier_wait(&begin);
	pthread_join(second, NULL);
}

static int run_tests(const char *pattern)
{
	size_t i, n = 0;

	for (i = 0; i < ARRAY_LEN(tests); i++)
		n += !!strstr(tests[i].name, pattern);
	ksft_print_header();
	ksft_set_plan(n);
	if (second_start())
		ksft_exit_fail_msg("no thread\n");
	for (i = 0; i < ARRAY_LEN(tests); i++) {
		uint64_t from = vt_now_ms();
		int err;

		if (!strstr(tests[i].name, pattern))
			continue;
		err = tests[i].run();
		drain(r.a.cq);
		drain(r.b.cq);
		ksft_print_msg("%llu ms\n",
			       (unsigned long long)(vt_now_ms() - from));
		ksft_test_result(!err, "%s\n", tests[i].name);
	}
	second_stop();
	side_close(&r.a);
	side_close(&r.b);
	ksft_finished();
}

int main(int argc, char **argv)
{
	const char *dev = NULL, *peer = NULL, *pattern = "", *mode = "tests";
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:n:e:s:T:")) != -1) {
		switch (c) {
		case 'd':
			dev = optarg;
			break;
		case 'P':
			peer = optarg;
			break;
		case 'n':
			r.rounds = atol(optarg);
			break;
		case 'e':
			r.events = atol(optarg);
			break;
		case 's':
			r.seed = atol(optarg);
			break;
		case 'T':
			pattern = optarg;
			break;
		}
	}
	if (optind < argc)
		mode = argv[optind];
	if (!dev || side_open(&r.a, dev) || side_open(&r.b, peer ? peer : dev))
		return 2;
	if (!strcmp(mode, "hold"))
		return mode_hold(r.rounds);
	if (!strcmp(mode, "busy"))
		return mode_busy(r.rounds);
	return run_tests(pattern);
}
