// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_load: many objects at a time, and queue pairs that never rest
 *
 *	verbs_load -d DEV [-P PEER] [-n NUMBER] [-t SECONDS] MODE
 *
 *	qps	NUMBER queue pairs, in pairs, with traffic on all of them
 *	mrs	NUMBER regions; the first and the last of them are used
 *	cqs	NUMBER completion queues; each is polled
 *	busy	NUMBER pairs, busy for SECONDS; how late others get the CPU
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "../lib/verbs.h"

#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ)
#define BUF_LEN	(64 * 1024)
#define ROUNDS	4		/* requests of each queue pair */
#define WAIT_MS	60000

static struct vt_dev a, b;
static uint8_t *buf;
static struct ibv_mr *amr, *bmr;
static struct ibv_cq *cq, *peer_cq;

static int start(const char *dev, const char *peer)
{
	int err = vt_open(&a, dev, "v4");

	if (!err)
		err = vt_open(&b, peer ? peer : dev, "v4");
	if (err)
		return err;
	buf = mmap(NULL, 2 * BUF_LEN, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	amr = ibv_reg_mr(a.pd, buf, BUF_LEN, ACCESS);
	bmr = ibv_reg_mr(b.pd, buf + BUF_LEN, BUF_LEN, ACCESS);
	cq = ibv_create_cq(a.ctx, 32768, NULL, NULL, 0);
	peer_cq = ibv_create_cq(b.ctx, 1, NULL, NULL, 0);
	return amr && bmr && cq && peer_cq ? 0 : -errno;
}

static int finish(void)
{
	int err = 0;

	err |= ibv_destroy_cq(cq);
	err |= ibv_destroy_cq(peer_cq);
	err |= ibv_dereg_mr(amr);
	err |= ibv_dereg_mr(bmr);
	vt_close(&a);
	vt_close(&b);
	return -err;
}

static int post(struct vt_qp *qp, int i, uint32_t len)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf, .length = len, .lkey = amr->lkey,
	};

	return vt_post_rdma(qp, i % 2 ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE, i,
			    &sge, IBV_SEND_SIGNALED,
			    (uintptr_t)buf + BUF_LEN, bmr->rkey);
}

static int make_pair(struct vt_qp *x, struct vt_qp *y)
{
	struct vt_qp_spec spec = {
		.type = IBV_QPT_RC, .send_wr = ROUNDS, .recv_wr = 1,
		.timeout = 18,
	};
	int err;

	spec.cq = cq;
	err = vt_qp_create(x, &a, &spec);
	spec.cq = peer_cq;
	if (!err)
		err = vt_qp_create(y, &b, &spec);
	return err ? err : vt_qp_pair(x, y);
}

/* Everything that was posted completes, well, whatever the order. */
static int collect(int count)
{
	struct ibv_wc wc[64];
	int n;

	while (count > 0) {
		n = vt_poll(cq, wc, count < 64 ? count : 64, WAIT_MS);
		if (n <= 0)
			return n ? n : -ETIMEDOUT;
		for (count -= n; n--;)
			if (wc[n].status)
				return -EPROTO;
	}
	return 0;
}

static int run_qps(int number)
{
	int pairs = number / 2, i, round, made, err = 0;
	struct vt_qp *x = calloc(pairs, sizeof(*x));
	struct vt_qp *y = calloc(pairs, sizeof(*y));

	if (!x || !y)
		return -ENOMEM;
	for (made = 0; made < pairs && !err; made++)
		err = make_pair(&x[made], &y[made]);
	printf("%d queue pairs: %s\n", 2 * made, strerror(-err));
	for (round = 0; round < ROUNDS && !err; round++) {
		for (i = 0; i < pairs && !err; i++)
			err = post(&x[i], i, 4096);
		if (!err)
			err = collect(pairs);
	}
	printf("%d requests on each: %s\n", round, strerror(-err));
	while (made--) {
		vt_qp_destroy(&x[made]);
		vt_qp_destroy(&y[made]);
	}
	free(x);
	free(y);
	return err;
}

static int use_mr(struct ibv_mr *mr)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)buf, .length = 4096, .lkey = mr->lkey,
	};
	struct vt_qp x, y;
	int err = make_pair(&x, &y);

	if (!err)
		err = vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 1, &sge,
				   IBV_SEND_SIGNALED,
				   (uintptr_t)buf + BUF_LEN, bmr->rkey);
	if (!err)
		err = collect(1);
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return err;
}

static int run_mrs(int number)
{
	struct ibv_mr **mrs = calloc(number, sizeof(*mrs));
	int i, err = 0;

	if (!mrs)
		return -ENOMEM;
	for (i = 0; i < number; i++) {
		mrs[i] = ibv_reg_mr(a.pd, buf, 4096, ACCESS);
		if (!mrs[i])
			break;
	}
	printf("%d regions: %s\n", i, i < number ? strerror(errno) : "ok");
	err = i < number ? -errno : use_mr(mrs[0]);
	if (!err)
		err = use_mr(mrs[number - 1]);
	while (i--)
		err = ibv_dereg_mr(mrs[i]) ? -EIO : err;
	free(mrs);
	return err;
}

static int run_cqs(int number)
{
	struct ibv_cq **cqs = calloc(number, sizeof(*cqs));
	struct ibv_wc wc;
	int i, err = 0;

	if (!cqs)
		return -ENOMEM;
	for (i = 0; i < number; i++) {
		cqs[i] = ibv_create_cq(a.ctx, 100, NULL, NULL, 0);
		if (!cqs[i]) {
			err = -errno;
			break;
		}
	}
	printf("%d completion queues: %s\n", i, strerror(-err));
	while (i--) {
		if (ibv_poll_cq(cqs[i], 1, &wc))
			err = -EPROTO;
		err = ibv_destroy_cq(cqs[i]) ? -EIO : err;
	}
	free(cqs);
	return err;
}

/* Another thread, which sleeps 10 ms at a time: how late it is at worst. */
static atomic_bool stop;
static uint64_t latest_ms;

static void *sleeper(void *arg)
{
	const struct timespec nap = { .tv_nsec = 10000000 };
	uint64_t before, took;

	(void)arg;
	while (!stop) {
		before = vt_now_ms();
		nanosleep(&nap, NULL);
		took = vt_now_ms() - before;
		if (took > latest_ms)
			latest_ms = took;
	}
	return NULL;
}

static int keep_busy(struct vt_qp *x, int pairs, int seconds)
{
	uint64_t end = vt_now_ms() + 1000ULL * seconds;
	struct ibv_wc wc[16];
	long done = 0;
	int i, n, err = 0;

	for (i = 0; i < pairs * ROUNDS && !err; i++)
		err = post(&x[i % pairs], i % pairs, BUF_LEN);
	while (!err && vt_now_ms() < end) {
		n = ibv_poll_cq(cq, 16, wc);
		for (done += n; n-- > 0 && !err;)
			err = wc[n].status ? -EPROTO :
			      post(&x[wc[n].wr_id], wc[n].wr_id, BUF_LEN);
	}
	if (!err)
		err = collect(pairs * ROUNDS);
	printf("%ld requests in %d s, others waited for %llu ms at most\n",
	       done, seconds, (unsigned long long)latest_ms);
	return err ? err : done ? 0 : -ENODATA;
}

static int run_busy(int pairs, int seconds)
{
	struct vt_qp x[64], y[64];
	pthread_t thread;
	int i, err = 0;

	for (i = 0; i < pairs && i < 64 && !err; i++)
		err = make_pair(&x[i], &y[i]);
	if (err || pthread_create(&thread, NULL, sleeper, NULL))
		return err ? err : -EAGAIN;
	err = keep_busy(x, pairs, seconds);
	stop = true;
	pthread_join(thread, NULL);
	while (i--) {
		vt_qp_destroy(&x[i]);
		vt_qp_destroy(&y[i]);
	}
	/* A softirq that never ends shows as seconds. */
	return err ? err : latest_ms < 1000ULL * vt_scale() ? 0 : -ETIME;
}

int main(int argc, char **argv)
{
	const char *dev = NULL, *peer = NULL, *mode;
	int number = 100, seconds = 10, c, err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:n:t:")) != -1) {
		if (c == 'd')
			dev = optarg;
		else if (c == 'P')
			peer = optarg;
		else if (c == 'n')
			number = atoi(optarg);
		else if (c == 't')
			seconds = atoi(optarg);
	}
	mode = argv[optind];
	if (!dev || !mode || number < 1)
		return 2;
	err = start(dev, peer);
	if (!err && !strcmp(mode, "qps"))
		err = run_qps(number);
	else if (!err && !strcmp(mode, "mrs"))
		err = run_mrs(number);
	else if (!err && !strcmp(mode, "cqs"))
		err = run_cqs(number);
	else if (!err)
		err = run_busy(number, seconds);
	if (!err)
		err = finish();
	if (err)
		printf("%s: %s\n", mode, strerror(-err));
	return err ? 1 : 0;
}
