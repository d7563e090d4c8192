// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/mend.c: what is missing goes alone */
#include "engine/mend.h"

#include <kunit/test.h>
#include <linux/kernel.h>

#include "engine/psn.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_SQ_PSN
#define ACK		0x1f
#define NAK_SEQ		0x60
#define NR_SENDS	10

static u32 psn_at(u32 i)
{
	return tuff_psn_add(FIRST_PSN, i);
}

/* Ten packets are on their way. */
static struct tuff_proto *sender(struct kunit *test, enum tuff_early_mode mode)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	tuff_kunit_world.early = mode;
	for (i = 0; i < NR_SENDS; i++)
		proto_post(p, TUFF_WR_SEND, 16);
	proto_run(p);
	tuff_kunit_forget();
	return p;
}

/* The packet @i is reported missing, some time later. */
static void nak(struct tuff_proto *p, u32 i)
{
	tuff_kunit_forget();
	tuff_kunit_world.now += 100000;
	proto_receive_ack(p, psn_at(i), NAK_SEQ);
	proto_run(p);
}

/* Sent since then: the packet @i alone, and the last one. */
static void expect_mended(struct tuff_proto *p, u32 i)
{
	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_txs, 2);
	KUNIT_EXPECT_EQ(p->test, proto_tx(p, 0)->hdr.psn, psn_at(i));
	KUNIT_EXPECT_TRUE(p->test, proto_tx(p, 0)->hdr.ackreq);
	KUNIT_EXPECT_EQ(p->test, proto_tx(p, 1)->hdr.psn,
			psn_at(NR_SENDS - 1));
	KUNIT_EXPECT_TRUE(p->test, proto_tx(p, 1)->hdr.ackreq);
	KUNIT_EXPECT_EQ(p->test, p->qp.requester.nxt, p->qp.requester.max);
}

/* Sent since then: everything from @i on. */
static void expect_all(struct tuff_proto *p, u32 i)
{
	u32 n;

	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_txs, NR_SENDS - i);
	for (n = 0; n < NR_SENDS - i; n++)
		KUNIT_EXPECT_EQ(p->test, proto_tx(p, n)->hdr.psn,
				psn_at(i + n));
}

static void alone_to_who_keeps(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	nak(p, 1);
	expect_mended(p, 1);
	KUNIT_EXPECT_FALSE(test, tuff_mend_trusts(&p->qp));
	nak(p, 5);		/* 2 to 4 had been kept */
	expect_mended(p, 5);
	KUNIT_EXPECT_TRUE(test, tuff_mend_trusts(&p->qp));
	tuff_kunit_forget();
	proto_receive_ack(p, psn_at(NR_SENDS - 1), ACK);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

static void all_to_who_keeps_nothing(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	nak(p, 1);
	expect_mended(p, 1);
	nak(p, 2);
	expect_all(p, 2);
	KUNIT_EXPECT_FALSE(test, tuff_mend_trusts(&p->qp));
}

static void trials_have_an_end(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);
	u32 i;

	for (i = 0; i < NR_SENDS - 2; i += 2) {
		nak(p, i);
		if (tuff_kunit_world.nr_txs == NR_SENDS - i)
			break;
		expect_mended(p, i);
		nak(p, i + 1);
		expect_all(p, i + 1);
	}
	KUNIT_EXPECT_EQ(test, p->qp.requester.trust, 0);
	KUNIT_EXPECT_EQ(test, i, 8);
}

static void never_when_switched_off(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_NEVER);

	nak(p, 1);
	expect_all(p, 1);
}

/* The last but one is missing: both go, there is nothing to skip. */
static void nothing_to_skip(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	nak(p, NR_SENDS - 2);
	expect_all(p, NR_SENDS - 2);
	KUNIT_EXPECT_FALSE(test, p->qp.requester.mended);
}

static void trusted(struct tuff_proto *p)
{
	nak(p, 0);
	nak(p, 3);
	KUNIT_ASSERT_TRUE(p->test, tuff_mend_trusts(&p->qp));
}

/* The same NAK again: the packet that went alone was lost. No round is spent. */
static void lost_again(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);
	u32 i, left;

	trusted(p);
	left = p->qp.requester.retry_left;
	for (i = 0; i < 7; i++) {
		nak(p, 3);
		expect_mended(p, 3);
		/* But not twice at a time. */
		tuff_kunit_forget();
		proto_receive_ack(p, psn_at(3), NAK_SEQ);
		proto_run(p);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	}
	KUNIT_EXPECT_EQ(test, p->qp.requester.retry_left, left);
	/* And not for ever. */
	nak(p, 3);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
}

/* Two in a row may be lost: who was seen to keep is not given up for that. */
static void next_one_is_lost_as_well(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	trusted(p);
	nak(p, 4);
	expect_mended(p, 4);
	nak(p, 5);
	expect_mended(p, 5);
	KUNIT_EXPECT_TRUE(test, tuff_mend_trusts(&p->qp));
	nak(p, 6);
	nak(p, 7);
	KUNIT_EXPECT_FALSE(test, tuff_mend_trusts(&p->qp));
	expect_all(p, 7);
}

/* Of what was to be sent again some has arrived: the rest may have, too. */
static void late_answer_asks_for_the_next(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	trusted(p);
	tuff_kunit_world.tx_ret = -EAGAIN;
	nak(p, 4);
	tuff_kunit_world.tx_ret = 0;
	proto_receive_ack(p, psn_at(6), ACK);
	proto_run(p);
	expect_mended(p, 7);
}

/* Answers are kept by nobody: what is missing of them is asked for anew. */
static void answers_that_change_places(struct kunit *test)
{
	struct tuff_proto *p = sender(test, TUFF_EARLY_LEARNED);

	trusted(p);
	proto_receive_ack(p, psn_at(NR_SENDS - 1), ACK);
	proto_post(p, TUFF_WR_RDMA_READ, 3 * PROTO_MTU);
	proto_run(p);
	proto_receive(p, TUFF_OP_READ_RESPONSE_FIRST, psn_at(NR_SENDS), PROTO_MTU);
	tuff_kunit_forget();
	proto_receive(p, TUFF_OP_READ_RESPONSE_LAST, psn_at(NR_SENDS + 2), PROTO_MTU);
	proto_receive(p, TUFF_OP_READ_RESPONSE_MIDDLE, psn_at(NR_SENDS + 1),
		      PROTO_MTU);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, psn_at(NR_SENDS + 2));
	proto_receive(p, TUFF_OP_READ_RESPONSE_ONLY, psn_at(NR_SENDS + 2), PROTO_MTU);
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

static struct kunit_case tuff_mend_cases[] = {
	KUNIT_CASE(alone_to_who_keeps),
	KUNIT_CASE(all_to_who_keeps_nothing),
	KUNIT_CASE(trials_have_an_end),
	KUNIT_CASE(never_when_switched_off),
	KUNIT_CASE(nothing_to_skip),
	KUNIT_CASE(lost_again),
	KUNIT_CASE(next_one_is_lost_as_well),
	KUNIT_CASE(late_answer_asks_for_the_next),
	KUNIT_CASE(answers_that_change_places),
	{}
};

static struct kunit_suite tuff_mend_suite = {
	.name = "tuff_mend",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_mend_cases,
};

kunit_test_suite(tuff_mend_suite);
