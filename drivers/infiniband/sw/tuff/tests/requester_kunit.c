// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/requester.c: what may go out, and in which order */
#include "engine/requester.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "engine/psn.h"
#include "engine/timer.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_SQ_PSN
#define ACK		0x1f

static u32 psn_at(u32 i)
{
	return tuff_psn_add(FIRST_PSN, i);
}

static void run_sends_in_order(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < 10; i++)
		proto_post(p, TUFF_WR_SEND, 3 * PROTO_MTU);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 30);
	for (i = 0; i < 30; i++)
		KUNIT_EXPECT_EQ(test, proto_tx(p, i)->hdr.psn, psn_at(i));
	/* The end of each message asks for an acknowledgement. */
	for (i = 2; i < 30; i += 3)
		KUNIT_EXPECT_TRUE(test, proto_tx(p, i)->hdr.ackreq);
}

/* A long message asks in between too, or its window would stand still. */
static void run_long_message_asks_for_acks(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i, silent = 0;

	proto_post(p, TUFF_WR_SEND, 32 * PROTO_MTU);
	proto_run(p);
	for (i = 0; i < tuff_kunit_world.nr_txs; i++) {
		silent = proto_tx(p, i)->hdr.ackreq ? 0 : silent + 1;
		KUNIT_EXPECT_TRUE(test, silent < 64);
	}
	KUNIT_EXPECT_EQ(test, silent, 0);
}

/* IBA 9.4.4: no more READs and ATOMICs than the peer has resources for. */
static void run_max_rd_atomic(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_post(p, TUFF_WR_ATOMIC_FETCH_AND_ADD, 8);
	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_post(p, TUFF_WR_SEND, 8);
	proto_run(p);
	/* Two are allowed; the SEND behind the third must not overtake it. */
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	proto_receive(p, 0x10, psn_at(0), 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 4);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.opcode, 0x0c);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 3)->hdr.opcode, 0x04);
}

static void run_no_rd_atomic_at_all(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->qp.attr.max_rd_atomic = 0;
	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
}

/* IBA 10.8.3.3: a fence waits for READs and ATOMICs before it. */
static void run_fence(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_post(p, TUFF_WR_SEND, 8);
	proto_post(p, TUFF_WR_SEND, 8)->flags |= TUFF_SEND_FENCE;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	proto_receive(p, 0x10, psn_at(0), 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 3);
}

/* A request that was wrong completes after all that was posted before it. */
static void run_wrong_request_in_its_turn(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8)->wr_id = 1;
	proto_post(p, TUFF_WR_SEND, 8)->status = TUFF_WC_LOC_PROT_ERR;
	proto_post(p, TUFF_WR_SEND, 8)->wr_id = 3;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	proto_receive_ack(p, psn_at(0), ACK);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 3);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->status, TUFF_WC_WR_FLUSH_ERR);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->wr_id, 3);
}

/* The data of a request went away while it waited. */
static void run_memory_that_went_away(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8);
	tuff_kunit_world.tx_ret = -EFAULT;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
}

/* No room: the same packet is offered again, none is skipped. */
static void run_when_transmit_is_full(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8);
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, p->qp.requester.nxt, FIRST_PSN);
	tuff_kunit_world.tx_ret = 0;
	KUNIT_EXPECT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, FIRST_PSN);
}

/* UC: sent is done; nothing ever comes back. */
static void run_uc_completes_when_sent(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);

	proto_post(p, TUFF_WR_RDMA_WRITE, 3 * PROTO_MTU);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 3);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 1)->hdr.opcode, 0x27);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

/* UC: an error stops the send queue; the receive queue lives on (SQE). */
static void run_uc_error_stops_the_send_queue(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);

	proto_post(p, TUFF_WR_SEND, 8)->status = TUFF_WC_LOC_PROT_ERR;
	proto_post(p, TUFF_WR_SEND, 8);
	proto_post_recv(p, 100);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_SQE);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 2);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, TUFF_WC_WR_FLUSH_ERR);
	proto_receive(p, 0x24, PROTO_RQ_PSN, 8);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->status, TUFF_WC_SUCCESS);
}

/* A READ of more PSNs than one may ask for: the next piece waits its turn. */
static void run_a_very_long_read(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	const u32 first = PROTO_MTU << 21;
	struct tuff_swqe *wqe = proto_post(p, TUFF_WR_RDMA_READ, 8);

	wqe->length = first + 2 * PROTO_MTU;
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.dmalen, first);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
	/* As if all of its answer had come. */
	p->qp.requester.una = p->qp.requester.nxt;
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 2);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 1)->hdr.va, 0x5000ULL + first);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 1)->hdr.dmalen, 2 * PROTO_MTU);
}

/* Work of one run is bounded by its budget. */
static void run_within_its_budget(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 20 * PROTO_MTU);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 8));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 8);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 8));
	KUNIT_EXPECT_FALSE(test, tuff_qp_run(&p->qp, 8));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 20);
}

/* A peer that answers nothing: so much is sent, and no more. */
static void run_within_the_window(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < 30; i++)
		proto_post(p, TUFF_WR_SEND, 32 * PROTO_MTU);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 32);
	/* What was answered, and as much again: the window opens. */
	proto_receive_ack(p, psn_at(31), ACK);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 96);
	/* Up to its limit. */
	for (i = 95; i < 600; i = tuff_kunit_world.nr_txs - 1) {
		proto_receive_ack(p, psn_at(i), ACK);
		proto_run(p);
		KUNIT_ASSERT_TRUE(test, tuff_kunit_world.nr_txs > i + 1);
		KUNIT_ASSERT_TRUE(test, tuff_kunit_world.nr_txs <= i + 257);
	}
}

/* After a timeout a few packets are sent again, not the whole window. */
static void run_carefully_after_a_timeout(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 32 * PROTO_MTU);
	proto_post(p, TUFF_WR_SEND, 32 * PROTO_MTU);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 32);
	tuff_kunit_world.nr_txs = 0;
	KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 8);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(0));
	/* Or it would close for want of answers. */
	KUNIT_EXPECT_TRUE(test, proto_tx(p, 3)->hdr.ackreq);
}

static struct kunit_case tuff_requester_cases[] = {
	KUNIT_CASE(run_sends_in_order),
	KUNIT_CASE(run_long_message_asks_for_acks),
	KUNIT_CASE(run_max_rd_atomic),
	KUNIT_CASE(run_no_rd_atomic_at_all),
	KUNIT_CASE(run_fence),
	KUNIT_CASE(run_wrong_request_in_its_turn),
	KUNIT_CASE(run_memory_that_went_away),
	KUNIT_CASE(run_when_transmit_is_full),
	KUNIT_CASE(run_uc_completes_when_sent),
	KUNIT_CASE(run_uc_error_stops_the_send_queue),
	KUNIT_CASE(run_a_very_long_read),
	KUNIT_CASE(run_within_its_budget),
	KUNIT_CASE(run_within_the_window),
	KUNIT_CASE(run_carefully_after_a_timeout),
	{}
};

static struct kunit_suite tuff_requester_suite = {
	.name = "tuff_requester",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_requester_cases,
};

kunit_test_suite(tuff_requester_suite);
