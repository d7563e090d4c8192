// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_events: completion channels, asynchronous events, resizing */
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "harness.h"

static const struct vt_qp_spec rc = { .type = IBV_QPT_RC, .timeout = 10 };

static int end(struct vt_qp *x, struct vt_qp *y)
{
	vt_qp_destroy(x);
	vt_qp_destroy(y);
	return 0;
}

/* Wait for an event of a channel: 0, or -ETIMEDOUT. */
static int channel_event(struct ibv_comp_channel *ch, struct ibv_cq **cq,
			 int ms)
{
	struct pollfd fd = { .fd = ch->fd, .events = POLLIN };
	void *context;

	if (poll(&fd, 1, ms) != 1)
		return -ETIMEDOUT;
	if (ibv_get_cq_event(ch, cq, &context))
		return -EIO;
	ibv_ack_cq_events(*cq, 1);
	return 0;
}

/* The peer's queue pair reports to a channel. */
static int channel_pair(struct vt_qp *x, struct vt_qp *y,
			struct vt_qp_spec spec, struct ibv_comp_channel **ch)
{
	struct vt_qp_spec with = spec;

	*ch = ibv_create_comp_channel(env.b->ctx);
	if (!*ch)
		return bad("channel: %s", strerror(errno));
	with.channel = *ch;
	CHECK(vt_qp_create(x, env.a, &spec));
	CHECK(vt_qp_create(y, env.b, &with));
	CHECK(vt_qp_pair(x, y));
	return 0;
}

static int send_one(struct vt_qp *x, struct vt_qp *y, int flags)
{
	struct ibv_sge s = asge(8), r = bsge(8);

	CHECK(vt_post_recv(y, 1, &r, 1));
	CHECK(vt_post_send(x, IBV_WR_SEND, 1, &s, 1,
			   flags | IBV_SEND_SIGNALED));
	return expect_wc(x->scq, IBV_WC_SUCCESS, 1);
}

/* One event for one arming, and none without. */
static int one_event(void)
{
	struct ibv_comp_channel *ch;
	struct vt_qp x, y;
	struct ibv_cq *cq;

	CHECK(channel_pair(&x, &y, rc, &ch));
	CHECK(send_one(&x, &y, 0));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	if (channel_event(ch, &cq, 50) != -ETIMEDOUT)
		return bad("an event without arming");
	CHECK(ibv_req_notify_cq(y.rcq, 0));
	CHECK(ibv_req_notify_cq(y.rcq, 0));
	CHECK(send_one(&x, &y, 0));
	CHECK(send_one(&x, &y, 0));
	CHECK(channel_event(ch, &cq, WAIT_MS));
	if (cq != y.rcq)
		return bad("event of another queue");
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	if (channel_event(ch, &cq, 50) != -ETIMEDOUT)
		return bad("two events for one arming");
	end(&x, &y);
	return -ibv_destroy_comp_channel(ch);
}

static int solicited_only(void)
{
	struct ibv_comp_channel *ch;
	struct vt_qp x, y;
	struct ibv_cq *cq;

	CHECK(channel_pair(&x, &y, rc, &ch));
	CHECK(ibv_req_notify_cq(y.rcq, 1));
	CHECK(send_one(&x, &y, 0));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	if (channel_event(ch, &cq, 50) != -ETIMEDOUT)
		return bad("an event for an unsolicited message");
	CHECK(send_one(&x, &y, IBV_SEND_SOLICITED));
	CHECK(channel_event(ch, &cq, WAIT_MS));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	/* Arming for all and then for solicited only still means all. */
	CHECK(ibv_req_notify_cq(y.rcq, 0));
	CHECK(ibv_req_notify_cq(y.rcq, 1));
	CHECK(send_one(&x, &y, 0));
	CHECK(channel_event(ch, &cq, WAIT_MS));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	end(&x, &y);
	return -ibv_destroy_comp_channel(ch);
}

/* A completion in error wakes those who wait for solicited ones, too. */
static int error_is_solicited(void)
{
	struct ibv_comp_channel *ch;
	struct ibv_sge r = bsge(8);
	struct vt_qp x, y;
	struct ibv_cq *cq;

	CHECK(channel_pair(&x, &y, rc, &ch));
	CHECK(vt_post_recv(&y, 1, &r, 1));
	CHECK(ibv_req_notify_cq(y.rcq, 1));
	CHECK(vt_qp_modify_state(&y, IBV_QPS_ERR));
	CHECK(channel_event(ch, &cq, WAIT_MS));
	CHECK(expect_wc(y.rcq, IBV_WC_WR_FLUSH_ERR, 1));
	end(&x, &y);
	return -ibv_destroy_comp_channel(ch);
}

static int write_imm_solicited(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct ibv_comp_channel *ch;
	struct vt_qp x, y;
	struct ibv_cq *cq;

	CHECK(channel_pair(&x, &y, rc, &ch));
	CHECK(vt_post_recv(&y, 1, &r, 1));
	CHECK(ibv_req_notify_cq(y.rcq, 1));
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_WRITE_WITH_IMM, 1, &s,
			   IBV_SEND_SIGNALED | IBV_SEND_SOLICITED,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	CHECK(channel_event(ch, &cq, WAIT_MS));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	end(&x, &y);
	return -ibv_destroy_comp_channel(ch);
}

/* Sends @count messages one after the other, as fast as they complete. */
struct stream {
	struct vt_qp *x;
	int count;
	int err;
	volatile int stop;
};

static void *stream_main(void *arg)
{
	struct stream *st = arg;
	struct ibv_sge s = asge(8);
	int posted = 0, done = 0;
	struct ibv_wc wc;

	while (done < st->count && !st->stop) {
		if (posted < st->count && posted - done < 16) {
			st->err = vt_post_send(st->x, IBV_WR_SEND, posted, &s,
					       1, IBV_SEND_SIGNALED);
			if (st->err)
				break;
			posted++;
			continue;
		}
		if (vt_poll_status(st->x->scq, &wc, IBV_WC_SUCCESS, 30000)) {
			st->err = -EPROTO;
			break;
		}
		done++;
	}
	return NULL;
}

/* Arm, poll until empty, sleep: no message may be slept over. */
static int no_lost_wakeup(void)
{
	struct stream st = { .count = 4000 };
	struct vt_qp_spec spec = rc;
	struct ibv_comp_channel *ch;
	struct ibv_sge r = bsge(8);
	int i, got = 0, sleeps = 0, rc_ = 0;
	struct vt_qp x, y;
	struct ibv_wc wc;
	struct ibv_cq *cq;
	pthread_t tid;

	spec.recv_wr = 32;
	CHECK(channel_pair(&x, &y, spec, &ch));
	for (i = 0; i < 32; i++)
		CHECK(vt_post_recv(&y, i, &r, 1));
	st.x = &x;
	CHECK(ibv_req_notify_cq(y.rcq, 0));
	pthread_create(&tid, NULL, stream_main, &st);
	while (got < st.count && !rc_) {
		if (channel_event(ch, &cq, WAIT_MS * vt_scale())) {
			rc_ = bad("no event after %d of %d; %d were waiting",
				  got, st.count, ibv_poll_cq(y.rcq, 1, &wc));
			break;
		}
		sleeps++;
		rc_ = ibv_req_notify_cq(y.rcq, 0);
		while (ibv_poll_cq(y.rcq, 1, &wc) == 1) {
			if (wc.status)
				rc_ = bad("receive: %s",
					  ibv_wc_status_str(wc.status));
			got++;
			vt_post_recv(&y, got, &r, 1);
		}
	}
	st.stop = rc_;
	pthread_join(tid, NULL);
	if (!rc_ && st.err)
		rc_ = bad("sender: %d", st.err);
	end(&x, &y);
	return rc_ | -ibv_destroy_comp_channel(ch);
}

/* Sizes change all the time while completions come: none is lost. */
static int resize_under_traffic(void)
{
	static const int sizes[] = { 40, 1000, 63, 64, 65, 4000, 33 };
	struct stream st = { .count = 2000 };
	struct vt_qp_spec spec = rc;
	struct ibv_sge r = bsge(8);
	struct vt_qp x, y;
	struct ibv_wc wc;
	int i, got = 0, rc_ = 0;
	pthread_t tid;

	spec.recv_wr = 32;
	CHECK(pair(&x, &y, spec));
	for (i = 0; i < 32; i++)
		CHECK(vt_post_recv(&y, i, &r, 1));
	st.x = &x;
	pthread_create(&tid, NULL, stream_main, &st);
	while (got < st.count && !rc_) {
		int err = ibv_resize_cq(y.rcq,
					sizes[got % ARRAY_LEN(sizes)]);

		/* Fewer entries than are held is refused, and harmless. */
		if (err && err != EINVAL)
			rc_ = bad("resize: %d", err);
		for (i = 0; i < 7 && got < st.count && !rc_; i++) {
			if (vt_poll(y.rcq, &wc, 1, WAIT_MS) != 1) {
				rc_ = bad("completion %d was lost", got);
			} else if (wc.status || wc.wr_id != (uint64_t)got) {
				rc_ = bad("completion %llu (%s), expected %d",
					  (unsigned long long)wc.wr_id,
					  ibv_wc_status_str(wc.status), got);
			} else {
				got++;
				vt_post_recv(&y, got + 31, &r, 1);
			}
		}
	}
	st.stop = rc_;
	pthread_join(tid, NULL);
	end(&x, &y);
	return rc_;
}

static int srq_limit(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 20, .max_sge = 1 },
	};
	struct ibv_srq_attr attr = { .srq_limit = 5 };
	struct vt_qp_spec with = rc;
	struct ibv_sge s = asge(8), r = bsge(8);
	struct ibv_recv_wr *wrong, wr = { .sg_list = &r, .num_sge = 1 };
	struct vt_qp x, y;
	int i;

	with.srq = ibv_create_srq(env.b->pd, &init);
	if (!with.srq)
		return bad("srq: %s", strerror(errno));
	CHECK(vt_qp_create(&x, env.a, &rc));
	CHECK(vt_qp_create(&y, env.b, &with));
	CHECK(vt_qp_pair(&x, &y));
	for (i = 0; i < 10; i++) {
		wr.wr_id = i;
		CHECK(ibv_post_srq_recv(with.srq, &wr, &wrong));
	}
	CHECK(ibv_modify_srq(with.srq, &attr, IBV_SRQ_LIMIT));
	for (i = 0; i < 6; i++) {
		CHECK(vt_post_send(&x, IBV_WR_SEND, i, &s, 1,
				   IBV_SEND_SIGNALED));
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
		CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, i));
	}
	CHECK(expect_event(env.b, IBV_EVENT_SRQ_LIMIT_REACHED));
	CHECK(ibv_query_srq(with.srq, &attr));
	if (attr.srq_limit)
		return bad("limit still armed: %u", attr.srq_limit);
	/* ERR takes the queue pair off the queue and says so. */
	CHECK(vt_qp_modify_state(&y, IBV_QPS_ERR));
	CHECK(expect_event(env.b, IBV_EVENT_QP_LAST_WQE_REACHED));
	end(&x, &y);
	return -ibv_destroy_srq(with.srq);
}

static int cq_overflow(void)
{
	struct ibv_cq *cq = ibv_create_cq(env.b->ctx, 4, NULL, NULL, 0);
	struct vt_qp_spec with = rc;
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp x, y;
	struct ibv_wc wc;
	int i, n = cq->cqe + 4;

	with.cq = cq;
	with.recv_wr = 64;
	CHECK(vt_qp_create(&x, env.a, &rc));
	CHECK(vt_qp_create(&y, env.b, &with));
	CHECK(vt_qp_pair(&x, &y));
	for (i = 0; i < n; i++) {
		CHECK(vt_post_recv(&y, i, &r, 1));
		CHECK(vt_post_send(&x, IBV_WR_SEND, i, &s, 1, 0));
	}
	CHECK(expect_event(env.b, IBV_EVENT_CQ_ERR));
	/* What was in the queue is whole. */
	for (i = 0; i < 4; i++) {
		if (ibv_poll_cq(cq, 1, &wc) != 1)
			return bad("entry %d is gone", i);
		if (wc.wr_id != (uint64_t)i)
			return bad("entry %d is %llu", i,
				   (unsigned long long)wc.wr_id);
	}
	end(&x, &y);
	drain_events(env.a);
	return -ibv_destroy_cq(cq);
}

static int communication_established(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_addr at;
	struct vt_qp x, y;

	CHECK(vt_qp_create(&x, env.a, &rc));
	CHECK(vt_qp_create(&y, env.b, &rc));
	CHECK(vt_qp_init(&y));
	vt_qp_addr(&x, &at);
	CHECK(vt_qp_rtr(&y, &at));
	CHECK(vt_post_recv(&y, 1, &r, 1));
	vt_qp_addr(&y, &at);
	CHECK(vt_qp_connect(&x, &at));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, IBV_SEND_SIGNALED));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 1));
	CHECK(expect_event(env.b, IBV_EVENT_COMM_EST));
	return end(&x, &y);
}

/* SQD lets what was begun finish, then tells; nothing new goes out. */
static int send_queue_drained(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD, .en_sqd_async_notify = 1,
	};
	struct ibv_sge s = asge(40000), r = bsge(40000);
	struct ibv_wc wc[3];
	struct vt_qp x, y;
	int i;

	CHECK(pair(&x, &y, rc));
	for (i = 0; i < 4; i++)
		CHECK(vt_post_recv(&y, i, &r, 1));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 0, &s, 1, IBV_SEND_SIGNALED));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, IBV_SEND_SIGNALED));
	CHECK(ibv_modify_qp(x.qp, &attr, IBV_QP_STATE |
			    IBV_QP_EN_SQD_ASYNC_NOTIFY));
	CHECK(expect_event(env.a, IBV_EVENT_SQ_DRAINED));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 2, &s, 1, IBV_SEND_SIGNALED));
	/* How many had begun depends; the third had not. */
	if (vt_poll(y.rcq, wc, 3, 20) > 2)
		return bad("a request posted in SQD was sent");
	CHECK(vt_qp_modify_state(&x, IBV_QPS_RTS));
	for (i = 0; i < 3; i++)
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
	return end(&x, &y);
}

static const struct test event_tests[] = {
	{ "one event for one arming", one_event },
	{ "solicited only", solicited_only },
	{ "errors are solicited", error_is_solicited },
	{ "WRITE with immediate, solicited", write_imm_solicited },
	{ "no lost wake-up", no_lost_wakeup },
	{ "resize under traffic", resize_under_traffic },
	{ "limit and last request of a shared queue", srq_limit },
	{ "completion queue overflows", cq_overflow },
	{ "communication established", communication_established },
	{ "send queue drained", send_queue_drained },
	{ }
};

static const struct group groups[] = { { "events", event_tests }, { } };

int main(int argc, char **argv)
{
	return run_groups(argc, argv, groups);
}
