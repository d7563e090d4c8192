// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/replay.c: answers, and the same answers again */
#include "engine/replay.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/psn.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_RQ_PSN
#define ACK		0x1f
#define NAK_ACCESS	0x62

static void read_from(struct tuff_proto *p, u32 at, u32 va_off, u32 len)
{
	p->next.va = PROTO_BASE + va_off;
	p->next.dmalen = len;
	proto_receive(p, TUFF_OP_READ_REQUEST, FIRST_PSN + at, 0);
}

static void fetch_add(struct tuff_proto *p, u32 at, u64 add)
{
	p->next.va = PROTO_BASE;
	p->next.swap_add = add;
	proto_receive(p, TUFF_OP_FETCH_ADD, FIRST_PSN + at, 0);
}

static void expect_tx(struct tuff_proto *p, u32 i, u8 opcode, u32 at, u32 len)
{
	const struct tuff_kunit_tx *tx = proto_tx(p, i);

	KUNIT_EXPECT_EQ_MSG(p->test, tx->hdr.opcode, opcode, "packet %u", i);
	KUNIT_EXPECT_EQ_MSG(p->test, tx->hdr.psn, FIRST_PSN + at, "packet %u",
			    i);
	KUNIT_EXPECT_EQ_MSG(p->test, tx->len, len, "packet %u", i);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.dqpn, PROTO_PEER);
	if (opcode != TUFF_OP_READ_RESPONSE_MIDDLE)
		KUNIT_EXPECT_EQ(p->test, tx->hdr.syndrome, ACK);
}

static void read_each_number_of_packets(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	read_from(p, 0, 0, 0);
	proto_run(p);
	expect_tx(p, 0, TUFF_OP_READ_RESPONSE_ONLY, 0, 0);
	read_from(p, 1, 0, PROTO_MTU);
	proto_run(p);
	expect_tx(p, 1, TUFF_OP_READ_RESPONSE_ONLY, 1, PROTO_MTU);
	read_from(p, 2, 0, PROTO_MTU + 1);
	proto_run(p);
	expect_tx(p, 2, TUFF_OP_READ_RESPONSE_FIRST, 2, PROTO_MTU);
	expect_tx(p, 3, TUFF_OP_READ_RESPONSE_LAST, 3, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 3)->hdr.pad, 3);
	read_from(p, 4, 0, 3 * PROTO_MTU);
	proto_run(p);
	expect_tx(p, 4, TUFF_OP_READ_RESPONSE_FIRST, 4, PROTO_MTU);
	expect_tx(p, 5, TUFF_OP_READ_RESPONSE_MIDDLE, 5, PROTO_MTU);
	expect_tx(p, 6, TUFF_OP_READ_RESPONSE_LAST, 6, PROTO_MTU);
	/* The answers acknowledge; no ACK beside them. */
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 7);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, FIRST_PSN + 7);
	KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 4);
}

/* IBA 9.7.5.1.4: from any of its packets on, for exactly the rest. */
static void read_again_from_each_packet(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	read_from(p, 0, 0, 4 * PROTO_MTU);
	proto_run(p);
	for (i = 0; i < 4; i++) {
		tuff_kunit_forget();
		read_from(p, i, i * PROTO_MTU, (4 - i) * PROTO_MTU);
		proto_run(p);
		KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 4 - i);
		expect_tx(p, 0, i == 3 ? TUFF_OP_READ_RESPONSE_ONLY :
					 TUFF_OP_READ_RESPONSE_FIRST,
			  i, PROTO_MTU);
	}
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, FIRST_PSN + 4);
	KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 1);
}

/* What claims to be a duplicate but asks for something else. */
static void read_again_that_is_not_the_same(struct kunit *test)
{
	static const struct {
		u32 at;
		u32 off;
		u32 len;
		u32 rkey;
	} rows[] = {
		{ 0, 0,		2 * PROTO_MTU + 1,	PROTO_KEY },
		{ 0, 0,		2 * PROTO_MTU - 1,	PROTO_KEY },
		{ 0, 4,		2 * PROTO_MTU,		PROTO_KEY },
		{ 1, 0,		PROTO_MTU,		PROTO_KEY },
		{ 1, PROTO_MTU,	2 * PROTO_MTU,		PROTO_KEY },
		{ 0, 0,		2 * PROTO_MTU,		PROTO_KEY_RO },
		{ -1, 0,	2 * PROTO_MTU,		PROTO_KEY },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	read_from(p, 0, 0, 2 * PROTO_MTU);
	proto_run(p);
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		tuff_kunit_forget();
		p->next.rkey = rows[i].rkey;
		read_from(p, rows[i].at, rows[i].off, rows[i].len);
		proto_run(p);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.nr_txs, 0,
				    "row %zu", i);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop,
				TUFF_CNT_DROP_DUPLICATE);
	}
}

/* Carried out once, answered twice with the same result. */
static void atomic_again(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 value;

	fetch_add(p, 0, 5);
	proto_run(p);
	fetch_add(p, 1, 7);
	proto_run(p);
	fetch_add(p, 0, 5);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 3);
	expect_tx(p, 2, TUFF_OP_ATOMIC_ACK, 0, 0);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.orig, 0);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 1)->hdr.orig, 5);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.orig, 0);
	memcpy(&value, p->bytes, 8);
	KUNIT_EXPECT_EQ(test, value, 12);
}

static void atomic_compare_swap(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u64 value = 10;

	memcpy(p->bytes, &value, 8);
	p->next.va = PROTO_BASE;
	p->next.compare = 11;
	p->next.swap_add = 20;
	proto_receive(p, TUFF_OP_COMPARE_SWAP, FIRST_PSN, 0);
	memcpy(&value, p->bytes, 8);
	KUNIT_EXPECT_EQ(test, value, 10);
	p->next.compare = 10;
	proto_receive(p, TUFF_OP_COMPARE_SWAP, FIRST_PSN + 1, 0);
	memcpy(&value, p->bytes, 8);
	KUNIT_EXPECT_EQ(test, value, 20);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.orig, 10);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 1)->hdr.orig, 10);
}

/* A kept result is of no use for another operation at its PSN. */
static void atomic_again_as_another_operation(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	fetch_add(p, 0, 5);
	proto_run(p);
	tuff_kunit_forget();
	proto_receive(p, TUFF_OP_COMPARE_SWAP, FIRST_PSN, 0);
	read_from(p, 0, 0, 8);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.counts[TUFF_CNT_DROP_DUPLICATE],
			2);
}

/* As many are kept as were promised, then the oldest goes. */
static void atomic_again_while_it_is_kept(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i <= PROTO_REPLAYS; i++) {
		fetch_add(p, i, 1);
		proto_run(p);
	}
	for (i = 1; i <= PROTO_REPLAYS; i++) {
		tuff_kunit_forget();
		fetch_add(p, i, 1);
		proto_run(p);
		KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.orig, i);
	}
	tuff_kunit_forget();
	fetch_add(p, 0, 1);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, p->bytes[0], PROTO_REPLAYS + 1);
}

/* IBA 9.4.4: more READs at once than this side granted. */
static void read_beyond_the_resources(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < PROTO_REPLAYS; i++)
		read_from(p, i, 0, 8);
	KUNIT_EXPECT_FALSE(test, tuff_replay_room(&p->qp));
	read_from(p, i, 0, 8);
	proto_run(p);
	/* What was granted is answered before the NAK. */
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, PROTO_REPLAYS + 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, PROTO_REPLAYS)->hdr.syndrome, 0x61);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
}

/* An ACK for what follows a READ must not overtake its answer. */
static void ack_waits_for_the_answer(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	read_from(p, 0, 0, 3 * PROTO_MTU);
	p->next.va = PROTO_BASE;
	p->next.dmalen = 8;
	proto_receive(p, TUFF_OP_WRITE_ONLY, FIRST_PSN + 3, 8);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 2));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 4);
	expect_tx(p, 2, TUFF_OP_READ_RESPONSE_LAST, 2, PROTO_MTU);
	expect_tx(p, 3, TUFF_OP_ACK, 3, 0);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 3)->hdr.msn, 2);
}

/* The region is deregistered between the packets of an answer. */
static void read_memory_that_went_away(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	read_from(p, 0, 0, 4 * PROTO_MTU);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 2));
	tuff_kunit_world.mrs[0].key = 0xdead;
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 3);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.opcode, TUFF_OP_ACK);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.syndrome, NAK_ACCESS);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 2)->hdr.psn, FIRST_PSN + 2);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
}

static void read_when_transmit_is_full(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	read_from(p, 0, 0, 2 * PROTO_MTU);
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_run(p);
	tuff_kunit_world.tx_ret = 0;
	KUNIT_EXPECT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 2);
	expect_tx(p, 0, TUFF_OP_READ_RESPONSE_FIRST, 0, PROTO_MTU);
}

/*
 * Sixteen million packets later the PSNs of a kept answer mean something else:
 * the newer answer of the two is the one that is asked for.
 */
static void read_again_after_the_psns_went_round(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	read_from(p, 0, 0, 3 * PROTO_MTU);
	proto_run(p);
	/* As if the PSNs had gone round without READs. */
	p->qp.responder.epsn = FIRST_PSN + 1;
	fetch_add(p, 1, 9);
	proto_run(p);
	tuff_kunit_forget();
	fetch_add(p, 1, 9);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 1);
	expect_tx(p, 0, TUFF_OP_ATOMIC_ACK, 1, 0);
}

static struct kunit_case tuff_replay_cases[] = {
	KUNIT_CASE(read_each_number_of_packets),
	KUNIT_CASE(read_again_from_each_packet),
	KUNIT_CASE(read_again_that_is_not_the_same),
	KUNIT_CASE(atomic_again),
	KUNIT_CASE(atomic_compare_swap),
	KUNIT_CASE(atomic_again_as_another_operation),
	KUNIT_CASE(atomic_again_while_it_is_kept),
	KUNIT_CASE(read_beyond_the_resources),
	KUNIT_CASE(ack_waits_for_the_answer),
	KUNIT_CASE(read_memory_that_went_away),
	KUNIT_CASE(read_when_transmit_is_full),
	KUNIT_CASE(read_again_after_the_psns_went_round),
	{}
};

static struct kunit_suite tuff_replay_suite = {
	.name = "tuff_replay",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_replay_cases,
};

kunit_test_suite(tuff_replay_suite);
