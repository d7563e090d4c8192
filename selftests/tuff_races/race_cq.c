// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_races: completions, while their queue changes or nobody looks */
#include <poll.h>
#include <sched.h>
#include <unistd.h>

#include "races.h"

#define AHEAD	32

struct resizer {
	struct ibv_cq *cq;
	volatile bool stop;
	long count;
	int err;
};

static void resize(void *arg)
{
	struct resizer *s = arg;
	uint64_t seed = 5;
	int err;

	while (!s->stop && !s->err && s->count < r.rounds) {
		/* Never less than may be held, so that none is refused. */
		err = ibv_resize_cq(s->cq, 2 * AHEAD + vt_random(&seed) % 1000);
		if (err)
			s->err = -err;
		s->count++;
		/* librxe polls under a lock that it keeps meanwhile. */
		pause_us(vt_random(&seed) % 200);
	}
}

/* Requests on a queue that changes its size: their ends come, in order. */
static int numbered(struct vt_qp *x, struct resizer *s)
{
	uint64_t posted = 0, done = 0, end = vt_deadline(WAIT_MS);
	uint64_t least = r.rounds;
	struct ibv_wc wc[8];
	int i, n;

	while (!s->err && (s->count < r.rounds || posted < least ||
			   done < posted)) {
		while (posted < done + AHEAD &&
		       (s->count < r.rounds || posted < least))
			CHECK(post(x, &r.a, &r.b, IBV_WR_RDMA_WRITE, posted++,
				   64));
		n = ibv_poll_cq(s->cq, 8, wc);
		if (n <= 0) {
			if (vt_expired(end))
				return bad("request %llu has no completion",
					   (unsigned long long)done);
			sched_yield();
			continue;
		}
		end = vt_deadline(WAIT_MS);
		for (i = 0; i < n; i++, done++)
			if (wc[i].status || wc[i].wr_id != done)
				return bad("completion %llu, status %d: expected %llu",
					   (unsigned long long)wc[i].wr_id,
					   wc[i].status,
					   (unsigned long long)done);
	}
	printf("# %ld resizes, %llu completions\n", s->count,
	       (unsigned long long)done);
	return 0;
}

int resize_under_traffic(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct resizer s = { };
	struct vt_qp x, y;
	int err;

	s.cq = ibv_create_cq(r.a.dev.ctx, 2 * AHEAD, NULL, NULL, 0);
	if (!s.cq)
		return bad("create_cq");
	spec.cq = s.cq;
	CHECK(vt_qp_create(&x, &r.a.dev, &spec));
	spec.cq = r.b.cq;
	CHECK(vt_qp_create(&y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(&x, &y));
	second_go(resize, &s);
	err = numbered(&x, &s);
	s.stop = true;
	second_wait();
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	if (!err && s.err)
		err = bad("resize: %s", strerror(-s.err));
	CHECK(-ibv_destroy_cq(s.cq));
	return err;
}

/*
 * A hundred requests, and then a message there and back: when that is here,
 * so are their completions.
 */
static int hold_hundred(struct vt_qp *x, struct vt_qp *y)
{
	struct ibv_wc wc;
	int k;

	CHECK(post_recvs(x, &r.a, 1));
	CHECK(post_recvs(y, &r.b, 1));
	for (k = 0; k < 99; k++)
		CHECK(post(x, &r.a, &r.b, IBV_WR_RDMA_WRITE, k, 8));
	CHECK(post(x, &r.a, &r.b, IBV_WR_SEND, k, 8));
	CHECK(vt_poll_status(r.b.cq, &wc, IBV_WC_SUCCESS, WAIT_MS));
	CHECK(post(y, &r.b, &r.a, IBV_WR_SEND, 0, 8));
	CHECK(vt_poll_status(r.b.cq, &wc, IBV_WC_SUCCESS, WAIT_MS));
	CHECK(vt_poll_status(x->rcq, &wc, IBV_WC_SUCCESS, WAIT_MS));
	return 0;
}

static int too_small_round(struct vt_qp *x, struct vt_qp *y, struct ibv_cq *cq,
			   long round)
{
	struct ibv_wc wc[100];
	int k, err;

	if (hold_hundred(x, y))
		return bad("round %ld", round);
	/* 63 is what a ring for 50 holds. */
	err = ibv_resize_cq(cq, 1 + round % 50);
	if (err != EINVAL)
		return bad("round %ld: resize to %ld with 100 held: %d", round,
			   1 + round % 50, err);
	CHECK(-ibv_resize_cq(cq, 100 + round % 50));
	if (vt_poll(cq, wc, 100, WAIT_MS) != 100)
		return bad("round %ld: completions were lost", round);
	for (k = 0; k < 100; k++)
		if (wc[k].status || wc[k].wr_id != (uint64_t)k)
			return bad("round %ld: completion %d is of %llu, status %d",
				   round, k, (unsigned long long)wc[k].wr_id,
				   wc[k].status);
	return 0;
}

/* Smaller than what is held: refused, and nothing is lost. */
int resize_too_small(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16,
				   .send_wr = 100 };
	struct ibv_cq *cq;
	struct vt_qp x, y;
	int err = 0;
	long i;

	cq = ibv_create_cq(r.a.dev.ctx, 120, NULL, NULL, 0);
	if (!cq)
		return bad("create_cq");
	spec.cq = cq;
	spec.rcq = r.a.cq;
	CHECK(vt_qp_create(&x, &r.a.dev, &spec));
	spec.cq = r.b.cq;
	spec.rcq = NULL;
	CHECK(vt_qp_create(&y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(&x, &y));
	for (i = 0; i < r.rounds && !err; i++)
		err = too_small_round(&x, &y, cq, i);
	printf("# %ld rounds\n", i);
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	CHECK(-ibv_destroy_cq(cq));
	return err;
}

struct poster {
	struct vt_qp *qp;
	struct side *from, *to;
	struct ibv_cq *scq, *rcq;
	int cpu;
	long count;
	int err;
};

/* @count SENDs to a peer that does the same, from its own CPU. */
static void exchange(void *arg)
{
	struct poster *p = arg;
	long sent = 0, done = 0, got = 0;
	uint64_t end = vt_deadline(WAIT_MS);
	struct ibv_wc wc[16];
	int n;

	pin(p->cpu);
	while (!p->err && (done < p->count || got < p->count)) {
		while (!p->err && sent < p->count && sent < done + AHEAD &&
		       sent < got + AHEAD)
			p->err = post(p->qp, p->from, p->to, IBV_WR_SEND,
				      sent++, 100);
		n = ibv_poll_cq(p->scq, 16, wc);
		done += n;
		while (n-- > 0)
			if (wc[n].status)
				p->err = -EPROTO;
		n = ibv_poll_cq(p->rcq, 16, wc);
		got += n;
		while (n-- > 0) {
			if (wc[n].status)
				p->err = -EPROTO;
			else if (!p->err)
				p->err = post_recvs(p->qp, p->from, 1);
		}
		if (vt_expired(end))
			p->err = -ETIMEDOUT;
		sched_yield();
	}
	if (p->err)
		bad("%ld sent, %ld done, %ld received: %s", sent, done, got,
		    strerror(-p->err));
}

int crossed_posts(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct poster p[2] = {
		{ .from = &r.a, .to = &r.b, .cpu = 0, .count = r.rounds * 8 },
		{ .from = &r.b, .to = &r.a, .cpu = 1, .count = r.rounds * 8 },
	};
	struct vt_qp x, y;

	CHECK(vt_qp_create(&x, &r.a.dev, &spec));
	CHECK(vt_qp_create(&y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(&x, &y));
	CHECK(post_recvs(&x, &r.a, 64));
	CHECK(post_recvs(&y, &r.b, 64));
	p[0].qp = &x;
	p[0].scq = x.scq;
	p[0].rcq = x.rcq;
	p[1].qp = &y;
	p[1].scq = y.scq;
	p[1].rcq = y.rcq;
	second_go(exchange, &p[1]);
	exchange(&p[0]);
	second_wait();
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	printf("# %ld messages each way\n", p[0].count);
	return p[0].err | p[1].err;
}

/* Requester and responder at once, also when it is destroyed. */
int own_peer(void)
{
	struct poster p = { .from = &r.a, .to = &r.a, .count = r.rounds * 4 };
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct vt_qp x;
	long i;
	int k;

	CHECK(vt_qp_create(&x, &r.a.dev, &spec));
	CHECK(vt_qp_pair(&x, &x));
	CHECK(post_recvs(&x, &r.a, 64));
	p.qp = &x;
	p.scq = x.scq;
	p.rcq = x.rcq;
	exchange(&p);
	vt_qp_destroy(&x);
	for (i = 0; i < r.rounds && !p.err; i++) {
		spec.cq = r.a.cq;
		CHECK(vt_qp_create(&x, &r.a.dev, &spec));
		CHECK(vt_qp_pair(&x, &x));
		CHECK(post_recvs(&x, &r.a, 8));
		for (k = 0; k < 16; k++)
			CHECK(post(&x, &r.a, &r.a, k & 1 ? IBV_WR_SEND :
				   IBV_WR_RDMA_READ, k, 8192));
		pause_us(rnd(1 << rnd(12)));
		vt_qp_destroy(&x);
		drain(r.a.cq);
	}
	printf("# %ld messages, %ld ends\n", p.count, i);
	return p.err;
}

struct sender {
	struct vt_qp *x;
	volatile bool stop;
	long count;
	int err;
};

static void send_all(void *arg)
{
	struct sender *s = arg;
	long sent = 0, done = 0;
	struct ibv_wc wc[16];
	uint64_t seed = 3;
	int n;

	while (!s->stop && !s->err && done < s->count) {
		/* Bursts, and pauses as long as it takes to fall asleep. */
		n = 1 + vt_random(&seed) % 8;
		while (n-- && !s->err && sent < s->count && sent < done + AHEAD)
			s->err = post(s->x, &r.a, &r.b, IBV_WR_SEND, sent++, 8);
		pause_us(vt_random(&seed) % 60);
		n = ibv_poll_cq(s->x->scq, 16, wc);
		done += n;
		while (n-- > 0)
			if (wc[n].status)
				s->err = -EPROTO;
	}
}

/* A completion that nobody is told of would leave the receiver asleep. */
static int receive_all(struct vt_qp *y, struct ibv_comp_channel *ch, long count,
		       long *sleeps)
{
	struct pollfd fd = { .fd = ch->fd, .events = POLLIN };
	struct ibv_cq *cq;
	struct ibv_wc wc;
	void *ctx;
	long got = 0;

	while (got < count) {
		if (poll(&fd, 1, WAIT_MS * vt_scale()) != 1)
			return bad("no event after %ld messages; %d completions were there",
				   got, ibv_poll_cq(y->rcq, 1, &wc));
		if (ibv_get_cq_event(ch, &cq, &ctx))
			return bad("get_cq_event: %s", strerror(errno));
		ibv_ack_cq_events(cq, 1);
		++*sleeps;
		CHECK(-ibv_req_notify_cq(y->rcq, 0));
		while (ibv_poll_cq(y->rcq, 1, &wc) == 1) {
			if (wc.status)
				return bad("message %ld: %s", got,
					   ibv_wc_status_str(wc.status));
			got++;
			CHECK(post_recvs(y, &r.b, 1));
		}
	}
	return 0;
}

int events_one_way(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct sender s = { .count = r.events };
	struct ibv_comp_channel *ch;
	struct vt_qp x, y;
	long sleeps = 0;
	int err;

	ch = ibv_create_comp_channel(r.b.dev.ctx);
	if (!ch)
		return bad("no channel");
	CHECK(vt_qp_create(&x, &r.a.dev, &spec));
	spec.channel = ch;
	CHECK(vt_qp_create(&y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(&x, &y));
	CHECK(post_recvs(&y, &r.b, 64));
	CHECK(-ibv_req_notify_cq(y.rcq, 0));
	s.x = &x;
	second_go(send_all, &s);
	err = receive_all(&y, ch, r.events, &sleeps);
	s.stop = err;
	second_wait();
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	printf("# %ld messages, %ld sleeps\n", r.events, sleeps);
	if (!err && s.err)
		err = bad("sender: %s", strerror(-s.err));
	return err | ibv_destroy_comp_channel(ch);
}
