// SPDX-License-Identifier: GPL-2.0
/* tuff: what verbs_errors and verbs_events are made with */
#include "harness.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"

struct env env;

static struct vt_dev dev_a, dev_b;

int bad(const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	ksft_print_msg("%s\n", text);
	return -1;
}

/* Two queue pairs connected with each other; UD: both ready. */
int pair(struct vt_qp *x, struct vt_qp *y, struct vt_qp_spec spec)
{
	int err;

	err = vt_qp_create(x, env.a, &spec);
	if (!err)
		err = vt_qp_create(y, env.b, &spec);
	if (!err)
		err = vt_qp_pair(x, y);
	return err ? bad("connecting two: %s", strerror(-err)) : 0;
}

static int to_sqe(struct vt_qp *qp)
{
	struct ibv_sge sge = { .addr = 0x1000, .length = 8, .lkey = 1 };
	struct ibv_ah *ah = NULL;
	struct ibv_send_wr *wrong, wr = {
		.opcode = IBV_WR_SEND, .sg_list = &sge, .num_sge = 1,
	};
	struct ibv_wc wc;
	int err;

	if (qp->spec.type == IBV_QPT_UD) {
		ah = vt_ah(qp->dev, &qp->dev->gid);
		if (!ah)
			return -errno;
		wr.wr.ud.ah = ah;
		wr.wr.ud.remote_qpn = qp->qp->qp_num;
		wr.wr.ud.remote_qkey = VT_QKEY;
	}
	err = -ibv_post_send(qp->qp, &wr, &wrong);
	if (!err && vt_poll(qp->scq, &wc, 1, WAIT_MS) != 1)
		err = -ETIMEDOUT;
	if (ah)
		ibv_destroy_ah(ah);
	return err;
}

/* Bring a queue pair from RESET to a state, connected with itself. */
int to_state(struct vt_qp *qp, enum ibv_qp_state state)
{
	struct vt_addr self;
	int err = 0;

	vt_qp_addr(qp, &self);
	if (state == IBV_QPS_RESET)
		return 0;
	err = vt_qp_init(qp);
	if (err || state == IBV_QPS_INIT)
		return err;
	if (state == IBV_QPS_ERR)
		return vt_qp_modify_state(qp, IBV_QPS_ERR);
	err = vt_qp_rtr(qp, &self);
	if (err || state == IBV_QPS_RTR)
		return err;
	err = vt_qp_rts(qp);
	if (err || state == IBV_QPS_RTS)
		return err;
	if (state == IBV_QPS_SQD)
		return vt_qp_modify_state(qp, IBV_QPS_SQD);
	return to_sqe(qp);
}

struct ibv_sge asge(uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)env.abuf, len, env.amr->lkey };
}

struct ibv_sge bsge(uint32_t len)
{
	return (struct ibv_sge){ (uintptr_t)env.bbuf, len, env.bmr->lkey };
}

/* The next completion must be this one. */
int expect_wc(struct ibv_cq *cq, enum ibv_wc_status status, uint64_t wr_id)
{
	struct ibv_wc wc;

	if (vt_poll(cq, &wc, 1, WAIT_MS) != 1)
		return bad("no completion of %llu, expected '%s'",
			   (unsigned long long)wr_id,
			   ibv_wc_status_str(status));
	if (wc.status != status || wc.wr_id != wr_id)
		return bad("completion of %llu with '%s', expected %llu with '%s'",
			   (unsigned long long)wc.wr_id,
			   ibv_wc_status_str(wc.status),
			   (unsigned long long)wr_id,
			   ibv_wc_status_str(status));
	return 0;
}

int expect_state(struct vt_qp *qp, enum ibv_qp_state state)
{
	uint64_t end = vt_deadline(1000);
	enum ibv_qp_state now;

	do {
		now = vt_qp_state(qp);
		if (now == state)
			return 0;
	} while (!vt_expired(end));
	return bad("state %s, expected %s", vt_state_name(now),
		   vt_state_name(state));
}

static int next_event(struct vt_dev *dev, struct ibv_async_event *event,
		      int ms)
{
	struct pollfd fd = { .fd = dev->ctx->async_fd, .events = POLLIN };

	if (poll(&fd, 1, ms) != 1)
		return -ETIMEDOUT;
	if (ibv_get_async_event(dev->ctx, event))
		return -EIO;
	ibv_ack_async_event(event);
	return 0;
}

int expect_event(struct vt_dev *dev, enum ibv_event_type type)
{
	struct ibv_async_event event;

	do {
		if (next_event(dev, &event, 3000 * vt_scale()))
			return bad("no event '%s'", ibv_event_type_str(type));
	} while (event.event_type == IBV_EVENT_COMM_EST &&
		 type != IBV_EVENT_COMM_EST);
	if (event.event_type != type)
		return bad("event '%s', expected '%s'",
			   ibv_event_type_str(event.event_type),
			   ibv_event_type_str(type));
	return 0;
}

void drain_events(struct vt_dev *dev)
{
	struct ibv_async_event event;

	while (!next_event(dev, &event, 0))
		;
}

static int env_init(const char *a, const char *b, const char *gid)
{
	int err;

	err = vt_open(&dev_a, a, gid);
	if (err)
		return bad("%s: %s", a, strerror(-err));
	env.a = &dev_a;
	env.b = &dev_a;
	if (b && strcmp(a, b)) {
		err = vt_open(&dev_b, b, gid);
		if (err)
			return bad("%s: %s", b, strerror(-err));
		env.b = &dev_b;
	}
	env.abuf = mmap(NULL, 2 * BUF_LEN, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	env.bbuf = env.abuf + BUF_LEN;
	env.amr = ibv_reg_mr(env.a->pd, env.abuf, BUF_LEN, ACCESS_FULL);
	env.bmr = ibv_reg_mr(env.b->pd, env.bbuf, BUF_LEN, ACCESS_FULL);
	return env.amr && env.bmr ? 0 : bad("reg_mr: %s", strerror(errno));
}

static bool wanted(const char *group, const struct test *t,
		   const char *pattern)
{
	char name[160];

	snprintf(name, sizeof(name), "%s: %s", group, t->name);
	return !pattern || strstr(name, pattern);
}

static int each_test(const struct group *groups, const char *pattern,
		     bool run)
{
	const struct group *g;
	const struct test *t;
	int n = 0;

	for (g = groups; g->name; g++) {
		for (t = g->tests; t->name; t++) {
			if (!wanted(g->name, t, pattern))
				continue;
			n++;
			if (!run)
				continue;
			ksft_test_result(!t->run(), "%s: %s\n",
					 g->name, t->name);
			drain_events(env.a);
			drain_events(env.b);
		}
	}
	return n;
}

/*
 * main() of these programs:
 *	PROGRAM -d DEV [-P PEERDEV] [-g GID] [PATTERN]
 */
int run_groups(int argc, char **argv, const struct group *groups)
{
	const char *a = NULL, *b = NULL, *gid = "v4";
	const char *pattern;
	int c;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:g:")) != -1) {
		if (c == 'd')
			a = optarg;
		else if (c == 'P')
			b = optarg;
		else if (c == 'g')
			gid = optarg;
	}
	if (!a) {
		fprintf(stderr, "usage: %s -d DEV [-P PEER] [-g GID] [PATTERN]\n",
			argv[0]);
		return 2;
	}
	pattern = argv[optind];
	ksft_print_header();
	ksft_set_plan(each_test(groups, pattern, false));
	if (env_init(a, b, gid))
		ksft_exit_fail_msg("cannot start\n");
	each_test(groups, pattern, true);
	ksft_finished();
}
