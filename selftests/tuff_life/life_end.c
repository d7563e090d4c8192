// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_life: the device goes, or the process does */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "life.h"

static int fatal(struct vt_dev *dev)
{
	struct pollfd fd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	int is;

	if (poll(&fd, 1, 0) != 1)
		return 0;
	if (ibv_get_async_event(dev->ctx, &event))
		return -EIO;
	is = event.event_type == IBV_EVENT_DEVICE_FATAL;
	printf("event: %s\n", ibv_event_type_str(event.event_type));
	ibv_ack_async_event(&event);
	return is;
}

/* Until the device ends: 0, -ETIMEDOUT, or another error. */
static int until_fatal(struct life *l, int seconds)
{
	uint64_t end = vt_now_ms() + VT_MS(seconds);
	int got;

	for (;;) {
		got = fatal(&l->a);
		if (!got && l->peer != &l->a)
			got = fatal(l->peer) < 0 ? -EIO : 0;
		if (got)
			return got < 0 ? got : 0;
		if (vt_now_ms() > end)
			return -ETIMEDOUT;
		if (!life_step(l))
			sched_yield();
	}
}

/* After the end every verb says so and none of them hangs. */
static int after_the_end(struct life *l)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;
	struct ibv_wc wc;
	int bad = 0;

	if (!life_post(l, 0, IBV_WR_RDMA_WRITE)) {
		printf("post_send succeeded after the end\n");
		bad = 1;
	}
	if (!ibv_query_qp(l->x[0].qp, &attr, IBV_QP_STATE, &init)) {
		printf("query_qp succeeded after the end\n");
		bad = 1;
	}
	if (ibv_reg_mr(l->a.pd, l->buf, 4096, 0)) {
		printf("reg_mr succeeded after the end\n");
		bad = 1;
	}
	while (ibv_poll_cq(l->acq, 1, &wc) > 0)
		;
	return bad;
}

int run_busy(struct life *l, int pairs, int seconds)
{
	int i, err;

	err = life_pairs(l, pairs, (struct vt_qp_spec){ .type = IBV_QPT_RC });
	for (i = 0; i < pairs * LIFE_AHEAD && !err; i++)
		err = life_post(l, i % pairs, IBV_WR_RDMA_WRITE);
	/* Each has completed something: now all of them are busy. */
	while (!err && l->done < (unsigned long)pairs * LIFE_AHEAD)
		if (!life_step(l))
			sched_yield();
	if (err) {
		fprintf(stderr, "cannot begin: %s\n", strerror(-err));
		return 1;
	}
	printf("busy\n");
	err = until_fatal(l, seconds);
	printf("%lu requests done, %lu failed: %s\n", l->done, l->failed,
	       err ? strerror(-err) : "fatal");
	if (err)
		return 1;
	err = after_the_end(l);
	life_exit(l);
	printf("end\n");
	return err;
}

static _Noreturn void hold(void)
{
	printf("holding\n");
	for (;;)
		pause();
}

int run_hold(struct life *l, int pairs)
{
	int i, err;

	err = life_pairs(l, pairs, (struct vt_qp_spec){
		.type = IBV_QPT_RC, .send_wr = 16, .recv_wr = 16 });
	if (err) {
		fprintf(stderr, "pair %d: %s\n", l->pairs, strerror(-err));
		return 1;
	}
	/* A few of them have something under way, too. */
	for (i = 0; i < 8 && i < pairs; i++)
		life_post(l, i, IBV_WR_RDMA_READ);
	hold();
}

int run_regions(struct life *l, int regions)
{
	int i;

	for (i = 0; i < regions; i++) {
		if (ibv_reg_mr(l->a.pd, l->buf, 4096, IBV_ACCESS_LOCAL_WRITE))
			continue;
		fprintf(stderr, "region %d: %s\n", i, strerror(errno));
		return 1;
	}
	hold();
}

/*
 * The rings of a device that is gone, and whose module may be: they can be
 * read and written by us and by a child, and unmapped.
 */
int run_maps(struct life *l)
{
	struct ibv_wc wc;
	int err, status;
	pid_t pid;

	err = life_pairs(l, 2, (struct vt_qp_spec){ .type = IBV_QPT_RC });
	if (err)
		return 1;
	printf("busy\n");
	err = until_fatal(l, 600);
	if (err) {
		printf("no fatal event: %s\n", strerror(-err));
		return 1;
	}
	/* The test says by a line that the module is gone as well. */
	if (getchar() == EOF)
		return 1;
	pid = fork();
	if (!pid) {
		(void)ibv_poll_cq(l->acq, 1, &wc);
		vt_post_recv(&l->x[0], 1, NULL, 0);
		_exit(0);
	}
	(void)ibv_poll_cq(l->acq, 1, &wc);
	vt_post_recv(&l->x[0], 1, NULL, 0);
	if (waitpid(pid, &status, 0) != pid || status) {
		printf("the child ended with %#x\n", status);
		return 1;
	}
	life_exit(l);
	printf("end\n");
	return 0;
}
