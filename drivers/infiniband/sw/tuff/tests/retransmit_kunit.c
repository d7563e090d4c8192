// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/retransmit.c: who is asked again, and how often */
#include "engine/retransmit.h"

#include <kunit/test.h>
#include <linux/kernel.h>

#include "engine/psn.h"
#include "engine/timer.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_SQ_PSN
#define ACK		0x1f
#define NAK_SEQ		0x60
#define RNR		0x20

static u32 psn_at(u32 i)
{
	return tuff_psn_add(FIRST_PSN, i);
}

static struct tuff_proto *send_some(struct tuff_proto *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		proto_post(p, TUFF_WR_SEND, 16)->wr_id = 100 + i;
	proto_run(p);
	tuff_kunit_forget();
	return p;
}

static u32 timeouts(void)
{
	return tuff_kunit_world.counts[TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR];
}

/* The timer that counts is the one of the timeout. */
static void wait_timeout(struct tuff_proto *p)
{
	int i;

	for (i = 0; i < 10; i++) {
		u32 before = timeouts();

		KUNIT_ASSERT_TRUE(p->test, proto_timer(p));
		if (timeouts() != before)
			return;
	}
	KUNIT_FAIL(p->test, "no timeout");
}

/* IBA 9.7.6.1.3: not before 4.096 us * 2^t, not after four times that. */
static void timeout_within_bounds(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 nominal, start;
	u32 t;

	for (t = 1; t < 32; t++) {
		p->qp.attr.timeout = t;
		proto_restart(p);
		nominal = 4096ULL << t;
		start = tuff_kunit_world.now;
		send_some(p, 1);
		wait_timeout(p);
		KUNIT_EXPECT_TRUE(test, tuff_kunit_world.now - start >=
				  nominal);
		KUNIT_EXPECT_TRUE(test, tuff_kunit_world.now - start <=
				  4 * nominal);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
	}
}

static void timeout_zero_waits_for_ever(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->qp.attr.timeout = 0;
	send_some(p, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
}

/* Everything from the oldest unanswered packet on: go-back-N. */
static void timeout_sends_all_again(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	send_some(p, 12);
	proto_receive_ack(p, psn_at(3), ACK);
	tuff_kunit_forget();
	wait_timeout(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 8);
	for (i = 0; i < 8; i++)
		KUNIT_EXPECT_EQ(test, proto_tx(p, i)->hdr.psn, psn_at(4 + i));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.counts[TUFF_CNT_TX_RETRANSMITS],
			8);
}

/* CVE-2023-53539: what is sent again is the same bytes as before. */
static void timeout_sends_the_same_bytes(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	proto_post(p, TUFF_WR_RDMA_WRITE, 5 * PROTO_MTU + 3);
	proto_run(p);
	proto_receive_ack(p, psn_at(1), ACK);
	wait_timeout(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 6 + 4);
	for (i = 0; i < 4; i++) {
		const struct tuff_kunit_tx *one = proto_tx(p, 2 + i);
		const struct tuff_kunit_tx *two = proto_tx(p, 6 + i);

		KUNIT_EXPECT_EQ(test, one->hdr.psn, two->hdr.psn);
		KUNIT_EXPECT_EQ(test, one->hdr.opcode, two->hdr.opcode);
		KUNIT_EXPECT_EQ(test, one->hdr.pad, two->hdr.pad);
		KUNIT_EXPECT_EQ(test, one->off, two->off);
		KUNIT_EXPECT_EQ(test, one->len, two->len);
	}
}

/* retry_cnt 3: sent four times in all, then over. */
static void timeout_until_retries_are_spent(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 retry;

	for (retry = 0; retry <= 7; retry++) {
		u32 i;

		p->qp.attr.retry_cnt = retry;
		proto_restart(p);
		send_some(p, 2);
		for (i = 0; i < retry; i++) {
			wait_timeout(p);
			KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
		}
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2 * retry);
		wait_timeout(p);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
		KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 2);
		KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status,
				TUFF_WC_RETRY_EXC_ERR);
		KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status,
				TUFF_WC_WR_FLUSH_ERR);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
	}
}

/* IBA 9.9.2.1.1: progress renews what was spent. */
static void timeout_progress_renews(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i, k;

	send_some(p, 12);
	for (i = 0; i < 11; i++) {
		for (k = 0; k < 3; k++)
			wait_timeout(p);
		proto_receive_ack(p, psn_at(i), ACK);
		KUNIT_ASSERT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	}
}

/* A sequence NAK for what is oldest: at once, and once. */
static void nak_sends_again_once(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	send_some(p, 12);
	proto_receive_ack(p, psn_at(4), NAK_SEQ);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 4);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 8);
	proto_receive_ack(p, psn_at(4), NAK_SEQ);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 8);
}

/* NAK after NAK, each with progress, never ends a connection. */
static void nak_with_progress_for_ever(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	send_some(p, 30);
	for (i = 1; i < 30; i++) {
		proto_receive_ack(p, psn_at(i), NAK_SEQ);
		proto_run(p);
		KUNIT_ASSERT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	}
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 29);
}

/* The ACK of the first transmission comes while all is sent again. */
static void nak_then_a_late_ack(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	send_some(p, 12);
	proto_receive_ack(p, psn_at(2), NAK_SEQ);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 2));
	proto_receive_ack(p, psn_at(9), ACK);
	proto_run(p);
	/* Two of them had gone out again; nothing answered is sent any more. */
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 4);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.psn, psn_at(10));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 10);
}

/* IBA 9.7.5.2.8: silence for the time that was asked for, then from there. */
static void rnr_waits_and_sends_again(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 start;

	send_some(p, 3);
	start = tuff_kunit_world.now;
	proto_receive_ack(p, psn_at(1), RNR | 14);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 1);
	while (!tuff_kunit_world.nr_txs)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_TRUE(test, tuff_kunit_world.now - start >= 1280000);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(1));
	KUNIT_EXPECT_EQ(test, timeouts(), 0);
}

static void rnr_until_retries_are_spent(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 retry, i;

	for (retry = 0; retry < 7; retry++) {
		p->qp.attr.rnr_retry = retry;
		proto_restart(p);
		send_some(p, 1);
		for (i = 0; i < retry; i++) {
			proto_receive_ack(p, psn_at(0), RNR | 1);
			tuff_kunit_world.nr_txs = 0;
			while (!tuff_kunit_world.nr_txs)
				KUNIT_ASSERT_TRUE(test, proto_timer(p));
		}
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
		proto_receive_ack(p, psn_at(0), RNR | 1);
		KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status,
				TUFF_WC_RNR_RETRY_EXC_ERR);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
	}
}

static void rnr_retry_seven_is_for_ever(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	p->qp.attr.rnr_retry = 7;
	proto_restart(p);
	send_some(p, 1);
	for (i = 0; i < 100; i++) {
		proto_receive_ack(p, psn_at(0), RNR | 1);
		tuff_kunit_world.nr_txs = 0;
		while (!tuff_kunit_world.nr_txs)
			KUNIT_ASSERT_TRUE(test, proto_timer(p));
		KUNIT_ASSERT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	}
}

/* Not sooner than asked for, and hardly later than the receiver is ready. */
static void rnr_asks_less_and_less_often(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 begin, now, wait = 0;
	u32 i;

	p->qp.attr.rnr_retry = 7;
	proto_restart(p);
	send_some(p, 2);
	begin = tuff_kunit_world.now;
	for (i = 0; i < 200; i++) {
		now = tuff_kunit_world.now;
		proto_receive_ack(p, psn_at(0), RNR | 1);
		tuff_kunit_world.nr_txs = 0;
		while (!tuff_kunit_world.nr_txs)
			KUNIT_ASSERT_TRUE(test, proto_timer(p));
		wait = tuff_kunit_world.now - now;
		KUNIT_EXPECT_GE(test, wait, 10000);
		KUNIT_EXPECT_LE(test, wait, 10000 + (now - begin) / 8);
		KUNIT_EXPECT_LE(test, wait, 10000000);
	}
	KUNIT_EXPECT_EQ(test, wait, 10000000);
	/* The next request finds it as if nothing had been. */
	proto_receive_ack(p, psn_at(0), ACK);
	now = tuff_kunit_world.now;
	proto_receive_ack(p, psn_at(1), RNR | 1);
	tuff_kunit_world.nr_txs = 0;
	while (!tuff_kunit_world.nr_txs)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.now - now, 10000);
}

/* While it waits for the receiver the timeout does not count. */
static void rnr_stops_the_timeout(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	send_some(p, 1);
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
	proto_receive_ack(p, psn_at(0), RNR);
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RNR));
}

/* A second copy of the packet found a receive request: the pause is over. */
static void rnr_ends_with_progress(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	send_some(p, 3);
	proto_receive_ack(p, psn_at(1), RNR);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	proto_receive_ack(p, psn_at(1), ACK);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 2);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(2));
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RNR));
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

/* What waits for room in this host is not lost, and costs no retry. */
static void timeout_not_while_refused(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 start;

	p->qp.attr.timeout = 1;
	send_some(p, 3);
	proto_receive_ack(p, psn_at(1), NAK_SEQ);
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_run(p);
	start = tuff_kunit_world.now;
	while (tuff_kunit_world.now - start < 1000000000)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, timeouts(), 0);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	tuff_kunit_world.tx_ret = 0;
	tuff_kunit_forget();
	while (!tuff_kunit_world.nr_txs)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(1));
	wait_timeout(p);
	KUNIT_EXPECT_EQ(test, timeouts(), 1);
}

/* A transmit side that never has room again ends the connection. */
static void timeout_when_refused_for_good(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 start;

	p->qp.attr.timeout = 1;
	send_some(p, 3);
	start = tuff_kunit_world.now;
	proto_receive_ack(p, psn_at(1), NAK_SEQ);
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_run(p);
	while (p->qp.state == TUFF_QPS_RTS)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
	KUNIT_EXPECT_TRUE(test, tuff_kunit_world.now - start < 3000000000ULL);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, TUFF_WC_RETRY_EXC_ERR);
}

/* A READ asks for what is missing, wherever its timeout found it. */
static void timeout_of_a_read(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 4 * PROTO_MTU);
	proto_run(p);
	proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
	proto_receive(p, 0x0e, psn_at(1), PROTO_MTU);
	tuff_kunit_forget();
	wait_timeout(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(2));
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.va, 0x5000 + 2 * PROTO_MTU);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.dmalen, 2 * PROTO_MTU);
}

/* An answer that takes @ns, so that it is known what is usual. */
static void learn_rtt(struct tuff_proto *p, u64 ns)
{
	proto_post(p, TUFF_WR_SEND, 16);
	proto_run(p);
	tuff_kunit_world.now += ns;
	proto_receive_ack(p, psn_at(0), ACK);
	proto_run(p);
	tuff_kunit_forget();
}

static u32 probes(void)
{
	return tuff_kunit_world.counts[TUFF_CNT_ADP_RETRANS];
}

/* The last packets are lost: long before the timeout they are sent again. */
static void probe_of_a_lost_tail(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 start, waited = 0;
	u8 left;
	u32 i;

	learn_rtt(p, 1000000);
	left = p->qp.requester.retry_left;
	send_some(p, 3);
	for (i = 1; i <= 3; i++) {
		start = tuff_kunit_world.now;
		tuff_kunit_world.nr_txs = 0;
		while (!tuff_kunit_world.nr_txs)
			KUNIT_ASSERT_TRUE(test, proto_timer(p));
		KUNIT_EXPECT_EQ(test, probes(), i);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 3);
		KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(1));
		/* Each waits longer than the one before. */
		KUNIT_EXPECT_TRUE(test, tuff_kunit_world.now - start > waited);
		waited = tuff_kunit_world.now - start;
		if (timeouts())
			break;
	}
	KUNIT_EXPECT_TRUE(test, i > 2);
	KUNIT_EXPECT_EQ(test, timeouts(), 0);
	KUNIT_EXPECT_EQ(test, p->qp.requester.retry_left, left);
	proto_receive_ack(p, psn_at(3), ACK);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 3);
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_PROBE));
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

/* A peer that is gone is given up after as many timeouts as ever. */
static void probes_spend_no_retries(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	learn_rtt(p, 1000000);
	send_some(p, 1);
	while (p->qp.state == TUFF_QPS_RTS)
		KUNIT_ASSERT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, timeouts(), p->qp.attr.retry_cnt + 1);
	KUNIT_EXPECT_TRUE(test, probes() > 0);
}

static struct kunit_case tuff_retransmit_cases[] = {
	KUNIT_CASE(timeout_within_bounds),
	KUNIT_CASE(timeout_zero_waits_for_ever),
	KUNIT_CASE(timeout_sends_all_again),
	KUNIT_CASE(timeout_sends_the_same_bytes),
	KUNIT_CASE(timeout_until_retries_are_spent),
	KUNIT_CASE(timeout_progress_renews),
	KUNIT_CASE(nak_sends_again_once),
	KUNIT_CASE(nak_with_progress_for_ever),
	KUNIT_CASE(nak_then_a_late_ack),
	KUNIT_CASE(rnr_waits_and_sends_again),
	KUNIT_CASE(rnr_until_retries_are_spent),
	KUNIT_CASE(rnr_retry_seven_is_for_ever),
	KUNIT_CASE(rnr_asks_less_and_less_often),
	KUNIT_CASE(rnr_stops_the_timeout),
	KUNIT_CASE(rnr_ends_with_progress),
	KUNIT_CASE(timeout_not_while_refused),
	KUNIT_CASE(timeout_when_refused_for_good),
	KUNIT_CASE(timeout_of_a_read),
	KUNIT_CASE(probe_of_a_lost_tail),
	KUNIT_CASE(probes_spend_no_retries),
	{}
};

static struct kunit_suite tuff_retransmit_suite = {
	.name = "tuff_retransmit",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_retransmit_cases,
};

kunit_test_suite(tuff_retransmit_suite);
