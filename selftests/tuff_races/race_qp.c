// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_races: queue pairs that end, or change, in the middle of things */
#include <sched.h>

#include "races.h"

#define AHEAD	24
#define NR_POSTS	60	/* while a state changes; no more than 64 */

static const enum ibv_wr_opcode ops[] = {
	IBV_WR_RDMA_WRITE, IBV_WR_SEND, IBV_WR_RDMA_READ,
	IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static void destroy(void *arg)
{
	vt_qp_destroy(arg);
}

/* One end goes while the other one sends and reads, and has work of its own. */
static int destroy_round(struct vt_qp *dies, struct side *at,
			 struct vt_qp *stays, struct side *other, long round)
{
	struct stream s;
	int i, cut;

	stream_init(&s, stays, other, at);
	second_go(stream_main, &s);
	for (i = 0; i < AHEAD && !post(dies, at, other,
				       ops[(i + round) % ARRAY_LEN(ops)], i,
				       16384); i++)
		;
	if (stream_wait(&s, 1 + rnd(8), WAIT_MS))
		return bad("round %ld: no traffic", round);
	pause_us(rnd(1 << rnd(11)));
	cut = stream_catch(&s);
	vt_qp_destroy(dies);
	pause_us(rnd(200));
	s.stop = true;
	second_wait();
	return cut;
}

/* At any moment of their traffic; or both ends at the same time. */
int destroy_under_traffic(void)
{
	struct vt_qp x, y;
	long i, cut = 0;
	int one;

	for (i = 0; i < r.rounds; i++) {
		CHECK(make_pair(&x, &y, (struct vt_qp_spec){
			.type = IBV_QPT_RC, .timeout = 8 + i % 6,
			.mtu = IBV_MTU_1024 }));
		CHECK(post_recvs(&x, &r.a, AHEAD));
		CHECK(post_recvs(&y, &r.b, AHEAD));
		one = i & 1 ? destroy_round(&x, &r.a, &y, &r.b, i) :
			      destroy_round(&y, &r.b, &x, &r.a, i);
		if (one < 0)
			return one;
		cut += one;
		second_go(destroy, &y);
		vt_qp_destroy(&x);
		second_wait();
		drain(r.a.cq);
		drain(r.b.cq);
	}
	printf("# %ld rounds, %ld of them with requests under way\n", i, cut);
	return cut > r.rounds / 4 ? 0 : bad("most came too late");
}

/*
 * The peer is silent, or has no receive: the shortest timers fire all the
 * time. Some rounds wait until a timer must just be due.
 */
static int timer_pair(struct vt_qp *x, struct vt_qp *y, long round)
{
	struct vt_qp_spec spec = {
		.type = IBV_QPT_RC, .timeout = 1 + round % 6, .rnr_retry = 7,
		.min_rnr_timer = 1 + round % 3, .send_wr = 16, .recv_wr = 16,
	};
	int i;

	CHECK(make_pair(x, y, spec));
	if (round & 1)
		CHECK(vt_qp_modify_state(y, IBV_QPS_RESET));
	for (i = 0; i < 3; i++)
		CHECK(post(x, &r.a, &r.b, IBV_WR_SEND, i, 3000));
	return 0;
}

int destroy_at_timers(void)
{
	long timeouts = vt_counter(&r.a.dev, "local_ack_timeout_err");
	long rnr = vt_counter(&r.a.dev, "rnr_nak_retry_err");
	struct vt_qp x, y;
	long i;

	for (i = 0; i < r.rounds; i++) {
		CHECK(timer_pair(&x, &y, i));
		pause_us(rnd(1 << (1 + rnd(10))));
		if (i % 4 == 0)
			second_go(destroy, &y);
		vt_qp_destroy(&x);
		if (i % 4 == 0)
			second_wait();
		vt_qp_destroy(&y);
		drain(r.a.cq);
		drain(r.b.cq);
	}
	timeouts = vt_counter(&r.a.dev, "local_ack_timeout_err") - timeouts;
	rnr = vt_counter(&r.a.dev, "rnr_nak_retry_err") - rnr;
	printf("# %ld rounds, %ld timeouts, %ld RNR waits\n", i, timeouts, rnr);
	return timeouts && rnr ? 0 : bad("no timer fired");
}

struct change {
	struct vt_qp *qp;
	enum ibv_qp_state state;
	uint32_t delay_us;
	int err;
};

static void change(void *arg)
{
	struct change *c = arg;

	pause_us(c->delay_us);
	c->err = vt_qp_modify_state(c->qp, c->state);
}

/*
 * All @n requests of @qp have completed, each once; how many of them failed is
 * added to @failed.
 */
static int each_once(struct vt_qp *qp, struct ibv_cq *cq, int n, long *failed)
{
	uint64_t seen = 0, end = vt_deadline(WAIT_MS);
	struct ibv_wc wc;
	int left = n;

	while (left) {
		if (ibv_poll_cq(cq, 1, &wc) != 1) {
			if (vt_expired(end))
				return bad("%d of %d requests have no completion",
					   left, n);
			sched_yield();
			continue;
		}
		/* In error only status, wr_id and qp_num are defined. */
		if (wc.qp_num != qp->qp->qp_num || wc.wr_id >= (uint64_t)n)
			return bad("completion of request %llu, QP %#x",
				   (unsigned long long)wc.wr_id, wc.qp_num);
		if (seen & 1ULL << wc.wr_id)
			return bad("request %d completed twice", (int)wc.wr_id);
		seen |= 1ULL << wc.wr_id;
		left--;
		*failed += !!wc.status;
	}
	return 0;
}

/*
 * When the change comes, after the first request: found by trying, since the
 * machine may be fast or slow, so that about half of the requests are done.
 */
static long change_at_us = 500;

static void change_came(bool too_early)
{
	change_at_us += too_early ? change_at_us / 4 + 1 : -change_at_us / 4;
	if (change_at_us > 1000000)
		change_at_us = 1000000;
}

/* Requests go out one by one while the second thread changes a state. */
static int post_against_change(struct vt_qp *x, struct vt_qp *y,
			       struct change *c, long round)
{
	static const uint32_t lens[] = { 8, 1000, 5000, 20000, 65536 };
	int i;

	CHECK(make_pair(x, y, (struct vt_qp_spec){
		.type = IBV_QPT_RC, .timeout = 12, .mtu = IBV_MTU_1024 }));
	CHECK(post_recvs(y, &r.b, 64));
	c->delay_us = rnd(2 * change_at_us + 1);
	second_go(change, c);
	for (i = 0; i < NR_POSTS; i++) {
		if (post(x, &r.a, &r.b, ops[(i + round) % ARRAY_LEN(ops)], i,
			 lens[rnd(ARRAY_LEN(lens))]))
			break;
		pause_us(rnd(30));
	}
	return i;
}

int error_under_traffic(void)
{
	long i, failed = 0, was, met = 0;
	struct vt_qp x, y;
	int n;

	for (i = 0; i < r.rounds; i++) {
		struct change c = { .qp = i % 4 ? &x : &y,
				    .state = IBV_QPS_ERR };

		n = post_against_change(&x, &y, &c, i);
		if (n < 0)
			return n;
		if (i % 3 == 0)
			CHECK(vt_qp_modify_state(&x, IBV_QPS_ERR));
		second_wait();
		CHECK(c.err);
		/* What y's end is for x may be long in coming. */
		if (i % 4 == 0)
			CHECK(vt_qp_modify_state(&x, IBV_QPS_ERR));
		was = failed;
		if (n != NR_POSTS || each_once(&x, r.a.cq, n, &failed))
			return bad("round %ld, %d posted", i, n);
		met += failed > was && failed < was + NR_POSTS;
		change_came(failed - was > NR_POSTS / 2);
		vt_qp_destroy(&x);
		vt_qp_destroy(&y);
		drain(r.b.cq);
	}
	printf("# %ld rounds of %d requests, %ld failed, %ld rounds were cut\n",
	       i, NR_POSTS, failed, met);
	return met > r.rounds / 20 ? 0 : bad("most came too late or too early");
}

/* After RESET a queue pair is as new. */
static int works(struct vt_qp *x, long round)
{
	uint64_t id = 1 << 20 | round, end = vt_deadline(WAIT_MS);
	struct ibv_wc wc;

	vt_fill(r.a.buf, 3000, round);
	memset(r.b.buf, 0, 3000);
	CHECK(post(x, &r.a, &r.b, IBV_WR_RDMA_WRITE, id, 3000));
	do {
		if (vt_expired(end))
			return bad("round %ld: no completion after RESET",
				   round);
		memset(&wc, 0, sizeof(wc));
	} while (ibv_poll_cq(r.a.cq, 1, &wc) != 1 || wc.wr_id != id);
	if (wc.status)
		return bad("round %ld: %s after RESET", round,
			   ibv_wc_status_str(wc.status));
	if (memcmp(r.a.buf, r.b.buf, 3000))
		return bad("round %ld: wrong bytes after RESET", round);
	return 0;
}

int reset_under_traffic(void)
{
	struct vt_qp x, y;
	long i;

	for (i = 0; i < r.rounds; i++) {
		struct change c = { .qp = i & 1 ? &x : &y,
				    .state = IBV_QPS_RESET };

		if (post_against_change(&x, &y, &c, i) < 0)
			return -1;
		CHECK(vt_qp_modify_state(i & 1 ? &y : &x, IBV_QPS_RESET));
		second_wait();
		CHECK(c.err);
		drain(r.a.cq);
		/* Packets of before must not be taken for new ones. */
		x.psn = rnd(1 << 24);
		y.psn = rnd(1 << 24);
		CHECK(vt_qp_pair(&x, &y));
		if (works(&x, i))
			return -1;
		vt_qp_destroy(&x);
		vt_qp_destroy(&y);
		drain(r.b.cq);
	}
	printf("# %ld rounds\n", i);
	return 0;
}

int states_at_timers(void)
{
	struct vt_qp x, y;
	struct ibv_wc wc;
	long i;

	for (i = 0; i < r.rounds; i++) {
		bool reset = i & 2;
		struct change c = { .qp = &x, .state = IBV_QPS_ERR };

		CHECK(timer_pair(&x, &y, i));
		pause_us(rnd(1 << (1 + rnd(10))));
		second_go(change, &c);
		if (reset)
			CHECK(vt_qp_modify_state(&x, IBV_QPS_RESET));
		second_wait();
		/* From RESET there is no way to ERR. */
		if (c.err && !(reset && c.err == -EINVAL))
			return bad("round %ld: to ERR: %d", i, c.err);
		/* An end by its own timers is one, too: 3 completions. */
		if (!reset && vt_poll(r.a.cq, &wc, 1, WAIT_MS) != 1)
			return bad("round %ld: nothing was flushed", i);
		vt_qp_destroy(&x);
		vt_qp_destroy(&y);
		drain(r.a.cq);
		drain(r.b.cq);
	}
	printf("# %ld rounds\n", i);
	return 0;
}

struct storm {
	struct vt_qp *y;
	long count, wrong;
	volatile bool stop;
};

/* MAX_DEST_RD_ATOMIC has no transition from RTS to RTS. */
static void refused(void *arg)
{
	struct storm *s = arg;

	while (!s->stop) {
		struct ibv_qp_attr attr = {
			.max_dest_rd_atomic = s->count++ % 17 };

		if (ibv_modify_qp(s->y->qp, &attr,
				  IBV_QP_MAX_DEST_RD_ATOMIC) != EINVAL)
			s->wrong++;
	}
}

static int read_storm(struct vt_qp *x)
{
	static uint8_t want[4096];
	struct ibv_wc wc;
	long i;

	vt_fill(r.b.buf, sizeof(want), 7);
	vt_fill(want, sizeof(want), 7);
	for (i = 0; i < 4; i++)
		CHECK(post(x, &r.a, &r.b, IBV_WR_RDMA_READ, i, sizeof(want)));
	for (i = 0; i < r.rounds * 4; i++) {
		CHECK(vt_poll_status(r.a.cq, &wc, IBV_WC_SUCCESS, WAIT_MS));
		if (memcmp(want, r.a.buf, sizeof(want)))
			return bad("READ %ld: wrong bytes", i);
		CHECK(post(x, &r.a, &r.b, IBV_WR_RDMA_READ, i, sizeof(want)));
	}
	return 0;
}

int reads_against_modify(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct vt_qp x, y;
	struct storm s = { .y = &y };
	int err;

	CHECK(make_pair(&x, &y, spec));
	second_go(refused, &s);
	err = read_storm(&x);
	/* At least as many of these as rounds. */
	while (!err && s.count < r.rounds)
		sched_yield();
	s.stop = true;
	second_wait();
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	printf("# %ld READs, %ld modifies\n", r.rounds * 4, s.count);
	if (!err && s.wrong)
		return bad("%ld modifies were not refused with EINVAL", s.wrong);
	return err;
}

struct recovery {
	struct vt_qp *qp;
	long count;
	volatile bool stop;
};

static void recover(void *arg)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RTS,
				    .cur_qp_state = IBV_QPS_SQE };
	struct recovery *rec = arg;

	while (!rec->stop)
		rec->count += !ibv_modify_qp(rec->qp->qp, &attr,
					     IBV_QP_STATE | IBV_QP_CUR_STATE);
}

/* Requests of which some stop the send queue of @x. */
static int post_some_bad(struct vt_qp *x)
{
	struct ibv_sge sge = { (uintptr_t)r.a.buf, 0, 0 };
	int i;

	for (i = 0; i < NR_POSTS; i++) {
		sge.length = 1 + rnd(8000);
		sge.lkey = rnd(4) ? r.a.mr->lkey : r.a.mr->lkey ^ 0x5500;
		CHECK(vt_post_send(x, IBV_WR_SEND, i, &sge, 1,
				   IBV_SEND_SIGNALED));
	}
	return 0;
}

/* SQE, and back to RTS while what was posted is not yet flushed. */
int recover_under_traffic(void)
{
	struct recovery rec = { };
	long i, failed = 0;
	struct vt_qp x, y;
	int err = 0;

	CHECK(make_pair(&x, &y, (struct vt_qp_spec){
		.type = IBV_QPT_UC, .mtu = IBV_MTU_1024 }));
	rec.qp = &x;
	second_go(recover, &rec);
	for (i = 0; i < r.rounds && !err; i++) {
		err = post_some_bad(&x);
		if (!err)
			err = each_once(&x, r.a.cq, NR_POSTS, &failed);
	}
	rec.stop = true;
	second_wait();
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	printf("# %ld rounds of %d requests, %ld failed, %ld recoveries\n", i,
	       NR_POSTS, failed, rec.count);
	if (!err && !rec.count)
		return bad("it was never put right");
	return err;
}
