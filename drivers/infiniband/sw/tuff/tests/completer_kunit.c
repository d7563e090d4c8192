// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/completer.c: every answer to every kind of request */
#include "engine/completer.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/psn.h"
#include "engine/timer.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_SQ_PSN
#define ACK		0x1f

static u32 psn_at(u32 i)
{
	return tuff_psn_add(FIRST_PSN, i);
}

/* @n one-packet SENDs in flight. */
static struct tuff_proto *send_some(struct tuff_proto *p, u32 n)
{
	u32 i;

	for (i = 0; i < n; i++)
		proto_post(p, TUFF_WR_SEND, 16)->wr_id = 100 + i;
	proto_run(p);
	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_txs, n);
	tuff_kunit_forget();
	return p;
}

/* Exactly @n completions, of the requests from 100 on, all well. */
static void expect_completed(struct tuff_proto *p, u32 n)
{
	u32 i;

	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_cqes, n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(p->test, proto_cqe(p, i)->wr_id, 100 + i);
		KUNIT_EXPECT_EQ(p->test, proto_cqe(p, i)->status,
				TUFF_WC_SUCCESS);
	}
}

/* IBA table 44: what each value of the syndrome does to the oldest request. */
static void ack_every_syndrome(struct kunit *test)
{
	static const u8 statuses[] = {
		TUFF_WC_REM_INV_REQ_ERR, TUFF_WC_REM_ACCESS_ERR,
		TUFF_WC_REM_OP_ERR,
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 syndrome;

	for (syndrome = 0; syndrome < 256; syndrome++) {
		u8 status = TUFF_WC_SUCCESS;
		u32 resend = 0;
		bool drop = false;
		u32 done = 0;

		proto_restart(p);
		send_some(p, 3);
		proto_receive_ack(p, psn_at(1), syndrome);
		if (syndrome < 0x20) {
			done = 2;
		} else if (syndrome < 0x40) {
			done = 1;
		} else if (syndrome == 0x60) {
			done = 1;
			resend = 2;
		} else if (syndrome > 0x60 && syndrome <= 0x63) {
			status = statuses[syndrome - 0x61];
		} else {
			drop = true;
		}

		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop ==
				    TUFF_CNT_DROP_ACK_INVALID, drop,
				    "syndrome %#x", syndrome);
		if (status != TUFF_WC_SUCCESS) {
			/* The one before, this one, and the flushed third. */
			proto_run(p);
			KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 3);
			KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, 0);
			KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, status);
			KUNIT_EXPECT_EQ(test, proto_cqe(p, 2)->status,
					TUFF_WC_WR_FLUSH_ERR);
			KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
			continue;
		}
		if (!drop)
			expect_completed(p, done);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
		KUNIT_EXPECT_EQ(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RNR),
				syndrome >= 0x20 && syndrome < 0x40);
		proto_run(p);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, resend);
	}
}

/* Any PSN of the circle: only those in flight are answers. */
static void ack_every_place(struct kunit *test)
{
	static const struct {
		s32 at;
		u32 done;
		enum tuff_counter drop;
	} rows[] = {
		{ -0x700000,	0, TUFF_CNT_DROP_ACK_STALE },
		{ -1,		0, TUFF_CNT_DROP_ACK_STALE },
		{ 0,		1, TUFF_CNT_NONE },
		{ 7,		8, TUFF_CNT_NONE },
		{ 8,		9, TUFF_CNT_NONE },
		{ 11,		12, TUFF_CNT_NONE },
		{ 12,		0, TUFF_CNT_DROP_ACK_INVALID },
		{ 13,		0, TUFF_CNT_DROP_ACK_INVALID },
		{ 0x7fffff,	0, TUFF_CNT_DROP_ACK_INVALID },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		send_some(p, 12);
		proto_receive_ack(p, psn_at(rows[i].at), ACK);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop, rows[i].drop,
				    "row %zu", i);
		expect_completed(p, rows[i].done);
		KUNIT_EXPECT_EQ(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO),
				rows[i].done < 12);
	}
}

/* The same with nothing in flight. */
static void ack_of_nothing(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	s32 at;

	for (at = -2; at <= 2; at++) {
		proto_receive_ack(p, psn_at(at), ACK);
		proto_receive_ack(p, psn_at(at), 0x62);
		proto_receive(p, 0x10, psn_at(at), 8);
		proto_receive(p, 0x12, psn_at(at), 0);
	}
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	KUNIT_EXPECT_EQ(test, p->qp.requester.una, FIRST_PSN);
}

static void ack_in_the_middle_of_a_message(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_WRITE, 5 * PROTO_MTU)->wr_id = 100;
	proto_run(p);
	proto_receive_ack(p, psn_at(2), ACK);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	KUNIT_EXPECT_EQ(test, p->qp.requester.una, psn_at(3));
	proto_receive_ack(p, psn_at(4), ACK);
	expect_completed(p, 1);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->opcode, TUFF_WC_RDMA_WRITE);
}

static void unsignalled_completes_in_silence(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8)->flags = 0;
	proto_post(p, TUFF_WR_SEND, 8)->wr_id = 100;
	proto_run(p);
	proto_receive_ack(p, psn_at(1), ACK);
	expect_completed(p, 1);
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

/* A READ of three packets and a bit, answered in order. */
static void read_whole(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 3 * PROTO_MTU + 10)->wr_id = 100;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.opcode, 0x0c);
	proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
	proto_receive(p, 0x0e, psn_at(1), PROTO_MTU);
	proto_receive(p, 0x0e, psn_at(2), PROTO_MTU);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	proto_receive(p, 0x0f, psn_at(3), 10);
	expect_completed(p, 1);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->opcode, TUFF_WC_RDMA_READ);
	KUNIT_EXPECT_EQ(test, p->bytes[3 * PROTO_MTU + 9], 10);
	KUNIT_EXPECT_EQ(test, p->bytes[3 * PROTO_MTU + 10], 0);
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

/* Responses that do not fit: the length is exact, so is the end. */
static void read_answers_that_do_not_fit(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 at;
		u32 len;
	} rows[] = {	/* to a READ of two packets: 256 + 10 */
		{ 0x0d, 0, 255 },
		{ 0x0d, 0, 257 },
		{ 0x0d, 0, 0 },
		{ 0x0f, 0, 10 },
		{ 0x10, 0, 266 },
		{ 0x0f, 1, 9 },
		{ 0x0f, 1, 11 },
		{ 0x0f, 1, PROTO_MTU },
		{ 0x0e, 1, 10 },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		proto_post(p, TUFF_WR_RDMA_READ, PROTO_MTU + 10);
		proto_run(p);
		if (rows[i].at)
			proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
		proto_receive(p, rows[i].op, psn_at(rows[i].at), rows[i].len);
		KUNIT_EXPECT_EQ_MSG(test, proto_cqe(p, 0)->status,
				    TUFF_WC_BAD_RESP_ERR, "row %zu", i);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
		KUNIT_EXPECT_EQ(test, p->bytes[PROTO_MTU], 0);
	}
}

/* A gap among the responses is an implied NAK: the rest is asked for. */
static void read_with_a_gap(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 3 * PROTO_MTU)->wr_id = 100;
	proto_run(p);
	proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
	tuff_kunit_forget();
	proto_receive(p, 0x0f, psn_at(2), PROTO_MTU);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(1));
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.dmalen, 2 * PROTO_MTU);
	KUNIT_EXPECT_EQ(test, p->bytes[2 * PROTO_MTU], 0);
	/* The repeated request begins its answer with a FIRST. */
	proto_receive(p, 0x0d, psn_at(1), PROTO_MTU);
	proto_receive(p, 0x0f, psn_at(2), PROTO_MTU);
	expect_completed(p, 1);
}

static void read_answers_twice(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 2 * PROTO_MTU)->wr_id = 100;
	proto_run(p);
	proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
	memset(p->bytes, 0, sizeof(p->bytes));
	proto_receive(p, 0x0d, psn_at(0), PROTO_MTU);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_ACK_STALE);
	KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
	proto_receive(p, 0x0f, psn_at(1), PROTO_MTU);
	expect_completed(p, 1);
}

/* A response acknowledges the SENDs before it (IBA 9.7.5.1.2). */
static void read_answer_covers_what_is_before(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8)->wr_id = 100;
	proto_post(p, TUFF_WR_SEND, 8)->wr_id = 101;
	proto_post(p, TUFF_WR_RDMA_READ, 8)->wr_id = 102;
	proto_run(p);
	proto_receive(p, 0x10, psn_at(2), 8);
	expect_completed(p, 3);
}

/* An ACK does not stand for the data of a READ or the result of an ATOMIC. */
static void ack_does_not_end_a_read(struct kunit *test)
{
	static const u8 opcodes[] = {
		TUFF_WR_RDMA_READ, TUFF_WR_ATOMIC_CMP_AND_SWP,
		TUFF_WR_ATOMIC_FETCH_AND_ADD,
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		proto_restart(p);
		proto_post(p, opcodes[i], 8);
		proto_post(p, TUFF_WR_SEND, 8);
		proto_run(p);
		tuff_kunit_forget();
		proto_receive_ack(p, psn_at(1), ACK);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
		KUNIT_EXPECT_EQ(test, p->qp.requester.una, FIRST_PSN);
		/* It is asked for again, and what follows sent again. */
		proto_run(p);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	}
}

/* The answer's kind must be that of the request. */
static void answer_of_another_kind(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u8 answer;
	} rows[] = {
		{ TUFF_WR_SEND,			0x10 },
		{ TUFF_WR_SEND,			0x12 },
		{ TUFF_WR_RDMA_WRITE,		0x10 },
		{ TUFF_WR_RDMA_READ,		0x12 },
		{ TUFF_WR_ATOMIC_CMP_AND_SWP,	0x10 },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		proto_post(p, rows[i].opcode, 8);
		proto_run(p);
		proto_receive(p, rows[i].answer, psn_at(0),
			      rows[i].answer == 0x10 ? 8 : 0);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop,
				    TUFF_CNT_DROP_RESPONSE_INVALID, "row %zu",
				    i);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
		KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	}
}

static void atomic_result(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 result;

	proto_post(p, TUFF_WR_ATOMIC_FETCH_AND_ADD, 8)->wr_id = 100;
	proto_run(p);
	p->next.orig = 0x0102030405060708ULL;
	proto_receive(p, 0x12, psn_at(0), 0);
	expect_completed(p, 1);
	memcpy(&result, p->bytes, 8);
	KUNIT_EXPECT_EQ(test, result, 0x0102030405060708ULL);
	KUNIT_EXPECT_EQ(test, p->bytes[8], 0);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->opcode, TUFF_WC_FETCH_ADD);
}

/* The memory for the answer went away in the meantime. */
static void read_into_memory_that_went_away(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_RDMA_READ, 8);
	proto_run(p);
	tuff_kunit_world.mrs[0].bytes = NULL;
	proto_receive(p, 0x10, psn_at(0), 8);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
}

static struct kunit_case tuff_completer_cases[] = {
	KUNIT_CASE(ack_every_syndrome),
	KUNIT_CASE(ack_every_place),
	KUNIT_CASE(ack_of_nothing),
	KUNIT_CASE(ack_in_the_middle_of_a_message),
	KUNIT_CASE(unsignalled_completes_in_silence),
	KUNIT_CASE(read_whole),
	KUNIT_CASE(read_answers_that_do_not_fit),
	KUNIT_CASE(read_with_a_gap),
	KUNIT_CASE(read_answers_twice),
	KUNIT_CASE(read_answer_covers_what_is_before),
	KUNIT_CASE(ack_does_not_end_a_read),
	KUNIT_CASE(answer_of_another_kind),
	KUNIT_CASE(atomic_result),
	KUNIT_CASE(read_into_memory_that_went_away),
	{}
};

static struct kunit_suite tuff_completer_suite = {
	.name = "tuff_completer",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_completer_cases,
};

kunit_test_suite(tuff_completer_suite);
