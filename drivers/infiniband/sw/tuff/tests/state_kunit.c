// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/state.c: what entering a state does, and flushing */
#include "engine/state.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "engine/psn.h"
#include "proto_kunit.h"

/* Everything that was posted ends exactly once, in order. */
static void error_flushes_all(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < 10; i++) {
		proto_post(p, TUFF_WR_SEND, 8)->wr_id = i;
		proto_post_recv(p, 8)->wr_id = 100 + i;
	}
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 4));
	/* Four in flight; what was not signalled is reported as well. */
	proto_post(p, TUFF_WR_SEND, 8)->flags = 0;
	tuff_qp_error(&p->qp);
	KUNIT_EXPECT_TRUE(test, tuff_kunit_world.raised);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 21);
	for (i = 0; i < 21; i++)
		KUNIT_EXPECT_EQ(test, proto_cqe(p, i)->status,
				TUFF_WC_WR_FLUSH_ERR);
	for (i = 0; i < 10; i++) {
		KUNIT_EXPECT_EQ(test, proto_cqe(p, i)->wr_id, i);
		KUNIT_EXPECT_EQ(test, proto_cqe(p, 11 + i)->wr_id, 100 + i);
		KUNIT_EXPECT_TRUE(test, tuff_kunit_world.cqes[11 + i].recv);
	}
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 0);
}

/* Posted later, flushed at once. */
static void error_flushes_what_comes_later(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	tuff_qp_error(&p->qp);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_post_recv(p, 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 2);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
}

static void error_in_the_middle_of_messages(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post_recv(p, 1000)->wr_id = 7;
	proto_receive(p, TUFF_OP_SEND_FIRST, PROTO_RQ_PSN, PROTO_MTU);
	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_post(p, TUFF_WR_SEND, 3 * PROTO_MTU);
	tuff_qp_run(&p->qp, 2);
	tuff_qp_error(&p->qp);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 3);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->wr_id, 7);
	KUNIT_EXPECT_EQ(test, p->qp.requester.nr_rd_atomic, 0);
}

/* IBA 10.2.9.6: of a shared queue only the request in use is this QP's. */
static void error_with_a_shared_receive_queue(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->qp.has_srq = true;
	proto_post_recv(p, 1000)->wr_id = 7;
	proto_post_recv(p, 1000);
	proto_receive(p, TUFF_OP_SEND_FIRST, PROTO_RQ_PSN, PROTO_MTU);
	tuff_qp_error(&p->qp);
	proto_run(p);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 1);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->wr_id, 7);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_rwqes, 1);
	KUNIT_EXPECT_TRUE(test, proto_only_event(TUFF_EVENT_LAST_WQE_REACHED));
}

/* Back to RESET: requests vanish without a completion. */
static void reset_forgets(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8);
	proto_run(p);
	proto_post_recv(p, 1000);
	proto_receive(p, TUFF_OP_SEND_FIRST, PROTO_RQ_PSN, PROTO_MTU);
	tuff_kunit_forget();
	tuff_qp_set_state(&p->qp, TUFF_QPS_RESET);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 0);
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

/* The second life of a QP begins at the PSNs it is given. */
static void second_life_starts_afresh(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->next.va = PROTO_BASE;
	p->next.swap_add = 1;
	proto_receive(p, TUFF_OP_FETCH_ADD, PROTO_RQ_PSN, 0);
	proto_run(p);
	p->qp.attr.rq_psn = 0x777;
	p->qp.attr.sq_psn = 0x888;
	proto_restart(p);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, 0x777);
	KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 0);
	/* What the first life kept is no answer now. */
	proto_receive(p, TUFF_OP_FETCH_ADD, PROTO_RQ_PSN, 0);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	proto_post(p, TUFF_WR_SEND, 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, 0x888);
}

/* IBA 10.3.1.5: what was begun is finished, nothing new begins. */
static void drain(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 3 * PROTO_MTU);
	proto_post(p, TUFF_WR_SEND, 8);
	tuff_qp_run(&p->qp, 1);
	tuff_qp_set_state(&p->qp, TUFF_QPS_SQD);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 3);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_events, 0);
	proto_receive_ack(p, tuff_psn_add(PROTO_SQ_PSN, 2), 0x1f);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 1);
	KUNIT_EXPECT_TRUE(test, proto_only_event(TUFF_EVENT_SQ_DRAINED));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 3);
	tuff_qp_set_state(&p->qp, TUFF_QPS_RTS);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 4);
}

static void drain_of_an_empty_queue(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	tuff_qp_set_state(&p->qp, TUFF_QPS_SQD);
	proto_run(p);
	KUNIT_EXPECT_TRUE(test, proto_only_event(TUFF_EVENT_SQ_DRAINED));
}

/* UC: what was begun fails while the queue drains; then all goes on again. */
static void drain_ends_in_an_error(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);

	proto_post(p, TUFF_WR_SEND, 3 * PROTO_MTU);
	proto_post(p, TUFF_WR_SEND, 8);
	tuff_qp_run(&p->qp, 1);
	tuff_qp_set_state(&p->qp, TUFF_QPS_SQD);
	tuff_kunit_world.tx_ret = -EFAULT;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_SQE);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 2);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, TUFF_WC_WR_FLUSH_ERR);
	tuff_kunit_world.tx_ret = 0;
	tuff_qp_set_state(&p->qp, TUFF_QPS_RTS);
	proto_post(p, TUFF_WR_SEND, 8);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 3);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->status, TUFF_WC_SUCCESS);
}

/* Flushing is bounded as all work of a run is. */
static void flush_within_its_budget(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	int i;

	for (i = 0; i < 20; i++)
		proto_post(p, TUFF_WR_SEND, 8);
	tuff_qp_error(&p->qp);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 8));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 20);
}

static struct kunit_case tuff_state_cases[] = {
	KUNIT_CASE(error_flushes_all),
	KUNIT_CASE(error_flushes_what_comes_later),
	KUNIT_CASE(error_in_the_middle_of_messages),
	KUNIT_CASE(error_with_a_shared_receive_queue),
	KUNIT_CASE(reset_forgets),
	KUNIT_CASE(second_life_starts_afresh),
	KUNIT_CASE(drain),
	KUNIT_CASE(drain_of_an_empty_queue),
	KUNIT_CASE(drain_ends_in_an_error),
	KUNIT_CASE(flush_within_its_budget),
	{}
};

static struct kunit_suite tuff_state_suite = {
	.name = "tuff_state",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_state_cases,
};

kunit_test_suite(tuff_state_suite);
