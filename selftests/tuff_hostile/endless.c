// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_scribble: a peer on this host that never comes to an end
 *
 * Its queue pair is in ERR, and as often as requests of it are flushed its
 * ring says that there are more. What another process has on the way to it has
 * to complete all the same, and that one's queue pair to be destroyed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/verbs.h"
#include "rings.h"

/* More than one run copies: it is lent, see engine/loop.c. */
#define LONG_MESSAGE	(1024 * 1024)
#define ROUNDS		8

struct endless {
	struct vt_dev dev;
	struct vt_qp good, bad;
	struct rxe_queue_buf *sq;
	struct ibv_mr *mr;
	uint8_t *mem;
	volatile bool stop;
};

/* Not on the CPU that flushes, which it would have to wait for. */
static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void run_anywhere(void)
{
	cpu_set_t set;

	memset(&set, 0xff, sizeof(set));
	pthread_setaffinity_np(pthread_self(), sizeof(set), &set);
}

static void *never_empty(void *arg)
{
	struct endless *e = arg;
	volatile struct rxe_queue_buf *sq = e->sq;

	run_on(1);
	while (!e->stop)
		sq->producer_index = (sq->consumer_index - 1) & sq->index_mask;
	return NULL;
}

static bool is_known(const struct ring *rings, int n, const struct ring *r)
{
	while (n--)
		if (rings[n].q == r->q)
			return true;
	return false;
}

/* The bad one's send queue: new, and of large elements. */
static int bad_create(struct endless *e)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .send_wr = 1024 };
	struct ring before[MAX_RINGS], after[MAX_RINGS];
	int n = rings_find(before), all, i, err;

	err = vt_qp_create(&e->bad, &e->dev, &spec);
	all = err ? 0 : rings_find(after);
	for (i = 0; i < all; i++)
		if (!is_known(before, n, &after[i]) &&
		    after[i].q->log2_elem_size >= 8)
			e->sq = after[i].q;
	return err ? err : e->sq ? 0 : -ENOENT;
}

static int open_all(struct endless *e, const char *dev)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 4,
				   .retry_cnt = 1 };
	int err;

	err = vt_open(&e->dev, dev, "v4");
	if (err)
		return err;
	e->mem = calloc(2, LONG_MESSAGE);
	e->mr = ibv_reg_mr(e->dev.pd, e->mem, 2 * LONG_MESSAGE,
			   IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
	if (!e->mr)
		return -errno;
	err = bad_create(e);
	if (!err)
		err = vt_qp_create(&e->good, &e->dev, &spec);
	if (!err)
		err = vt_qp_pair(&e->good, &e->bad);
	return err;
}

/* It ends with an error, since nobody answers; but it ends. */
static int one_message(struct endless *e)
{
	struct ibv_sge sge = { (uintptr_t)e->mem, LONG_MESSAGE, e->mr->lkey };
	struct ibv_wc wc;
	int err;

	/* It goes on by itself from there. */
	ring_doorbell(e->bad.qp);
	err = vt_post_rdma(&e->good, IBV_WR_RDMA_WRITE, 1, &sge,
			   IBV_SEND_SIGNALED, sge.addr + LONG_MESSAGE,
			   e->mr->rkey);
	if (!err)
		err = vt_poll_status(e->good.scq, &wc, IBV_WC_RETRY_EXC_ERR,
				     10000);
	if (!err)
		err = vt_qp_modify_state(&e->good, IBV_QPS_RESET);
	return err;
}

int endless_flush(const char *dev)
{
	struct endless e = {};
	struct vt_addr bad;
	pthread_t thread;
	uint64_t began;
	int err, i;

	err = open_all(&e, dev);
	if (!err)
		err = vt_qp_modify_state(&e.bad, IBV_QPS_ERR);
	if (!err)
		err = -pthread_create(&thread, NULL, never_empty, &e);
	if (err)
		return err;
	run_on(0);
	vt_qp_addr(&e.bad, &bad);
	for (i = 0; i < ROUNDS && !err; i++) {
		err = one_message(&e);
		if (!err)
			err = vt_qp_connect(&e.good, &bad);
	}
	began = vt_now_ms();
	vt_qp_destroy(&e.good);
	printf("# %d messages, destroyed in %lu ms\n", i,
	       (unsigned long)(vt_now_ms() - began));
	e.stop = true;
	pthread_join(thread, NULL);
	run_anywhere();
	vt_qp_destroy(&e.bad);
	ibv_dereg_mr(e.mr);
	vt_close(&e.dev);
	free(e.mem);
	return err;
}
