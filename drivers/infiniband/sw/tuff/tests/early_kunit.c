// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/early.c: what comes before its turn, and for whom */
#include "engine/early.h"

#include <kunit/test.h>
#include <linux/kernel.h>

#include "engine/psn.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_RQ_PSN
#define ACK		0x1f
#define NAK_SEQ		0x60
#define NAK_INVALID	0x61
#define SEND_ONLY	0x04

static struct tuff_proto *keeper(struct kunit *test, enum tuff_early_mode mode)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	int i;

	tuff_kunit_world.early = mode;
	for (i = 0; i < 16; i++)
		proto_post_recv(p, 100)->wr_id = i;
	return p;
}

/* A SEND, @i packets from the first expected one on; what is answered? */
static void send_at(struct tuff_proto *p, u32 i)
{
	proto_receive(p, SEND_ONLY, tuff_psn_add(FIRST_PSN, i), 10);
	proto_run(p);
}

/* The one packet that went out since the last time says this. */
static void expect_answer(struct tuff_proto *p, u8 syndrome, u32 i)
{
	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(p->test, proto_tx(p, 0)->hdr.syndrome, syndrome);
	KUNIT_EXPECT_EQ(p->test, proto_tx(p, 0)->hdr.psn,
			tuff_psn_add(FIRST_PSN, i));
	tuff_kunit_world.nr_txs = 0;
}

static void expect_silence(struct tuff_proto *p)
{
	KUNIT_EXPECT_EQ(p->test, tuff_kunit_world.nr_txs, 0);
}

/* Time passes until something goes out. */
static void wait_answer(struct tuff_proto *p)
{
	int i;

	for (i = 0; i < 4 && !tuff_kunit_world.nr_txs; i++)
		KUNIT_ASSERT_TRUE(p->test, proto_timer(p));
}

static void expect_received(struct tuff_proto *p, u32 n)
{
	u32 i;

	KUNIT_ASSERT_EQ(p->test, tuff_kunit_world.nr_cqes, n);
	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ(p->test, proto_cqe(p, i)->wr_id, i);
}

static void keeps_and_delivers_in_order(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 2);
	expect_answer(p, NAK_SEQ, 0);
	send_at(p, 1);
	send_at(p, 3);
	expect_silence(p);
	expect_received(p, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 3);
	send_at(p, 0);
	expect_answer(p, ACK, 3);
	expect_received(p, 4);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.counts[TUFF_CNT_RX_EARLY], 3);
	KUNIT_EXPECT_EQ(test,
			tuff_kunit_world.counts[TUFF_CNT_OUT_OF_SEQUENCE], 3);
}

static void keeps_across_the_wrap(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);
	u32 i, psn = 0xfffffe;

	p->qp.responder.epsn = psn;
	for (i = 1; i < 5; i++)
		proto_receive(p, SEND_ONLY, psn + i, 10);
	proto_receive(p, SEND_ONLY, psn, 10);
	proto_run(p);
	expect_received(p, 5);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, 3);
}

static void keeps_nothing_of_strangers(struct kunit *test)
{
	static const enum tuff_early_mode modes[] = {
		TUFF_EARLY_NEVER, TUFF_EARLY_LEARNED,
	};
	struct tuff_proto *p = keeper(test, TUFF_EARLY_NEVER);
	size_t m;

	for (m = 0; m < ARRAY_SIZE(modes); m++) {
		tuff_kunit_world.early = modes[m];
		send_at(p, 8 * m + 1);
		expect_answer(p, NAK_SEQ, 8 * m);
		send_at(p, 8 * m + 2);
		send_at(p, 8 * m);
		expect_answer(p, ACK, 8 * m);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
		/* Everything again from there. */
		for (; p->qp.responder.epsn != FIRST_PSN + 8 * (m + 1);
		     tuff_kunit_world.nr_txs = 0)
			send_at(p, p->qp.responder.epsn - FIRST_PSN);
	}
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 0);
}

/* Four packets, the first is lost; it comes again, and one of the others. */
static void lose_first_of_four(struct tuff_proto *p, u32 at, u32 then)
{
	u32 i;

	for (i = 1; i < 4; i++)
		send_at(p, at + i);
	expect_answer(p, NAK_SEQ, at);
	send_at(p, at);
	tuff_kunit_world.nr_txs = 0;
	send_at(p, at + then);
	tuff_kunit_world.nr_txs = 0;
}

static void learns_who_mends(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_LEARNED);
	u32 i;

	lose_first_of_four(p, 0, 3);	/* the last of them */
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	for (i = 1; i < 4; i++)
		send_at(p, i);
	tuff_kunit_world.nr_txs = 0;
	lose_first_of_four(p, 4, 3);
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 2);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	/* A new connection: a stranger again. */
	proto_restart(p);
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 0);
}

static void learns_nothing_of_go_back_n(struct kunit *test)
{
	static const u32 then[] = { 1, 2, 4, 5, 100 };
	struct tuff_proto *p = keeper(test, TUFF_EARLY_LEARNED);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(then); i++) {
		proto_restart(p);
		lose_first_of_four(p, 0, then[i]);
		KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 0);
	}
}

/* Of two packets the last is also the next. */
static void learns_nothing_of_two(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_LEARNED);

	send_at(p, 1);
	send_at(p, 0);
	send_at(p, 1);
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.proofs, 0);
}

static void keeps_a_window_only(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, TUFF_EARLY_SLOTS);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	send_at(p, TUFF_EARLY_SLOTS - 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	send_at(p, TUFF_PSN_WINDOW);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_SILENT);
}

static void keeps_nothing_without_memory(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	tuff_kunit_world.no_memory = true;
	send_at(p, 1);
	expect_answer(p, NAK_SEQ, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop,
			TUFF_CNT_OUT_OF_SEQUENCE);
	tuff_kunit_world.no_memory = false;
	send_at(p, 2);
	tuff_kunit_world.no_memory = true;
	send_at(p, 3);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	send_at(p, 0);
	expect_answer(p, ACK, 0);
}

static void each_is_kept_once(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 1);
	send_at(p, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	send_at(p, 0);
	expect_received(p, 2);
}

/* What was sent behind the missing packet comes, and not the packet. */
static void says_so_again_when_only_the_tail_comes(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 1);
	send_at(p, 2);
	expect_answer(p, NAK_SEQ, 0);
	send_at(p, 2);
	expect_answer(p, NAK_SEQ, 0);
	send_at(p, 3);
	expect_silence(p);
}

/* A NAK may be lost: it is repeated, less and less often, and not for ever. */
static void says_so_again_after_a_while(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);
	u64 wait = 0;
	int i, n = 0;

	send_at(p, 1);
	expect_answer(p, NAK_SEQ, 0);
	for (i = 0; i < 20; i++) {
		u64 start = tuff_kunit_world.now;

		if (!proto_timer(p))
			break;
		if (!tuff_kunit_world.nr_txs)
			continue;
		KUNIT_EXPECT_GT(test, tuff_kunit_world.now - start, wait);
		wait = tuff_kunit_world.now - start;
		expect_answer(p, NAK_SEQ, 0);
		n++;
	}
	KUNIT_EXPECT_EQ(test, n, 8);
	KUNIT_EXPECT_LT(test, i, 20);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
}

/* Without anything kept it is said once, as ever. */
static void says_so_once_to_strangers(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_LEARNED);

	send_at(p, 1);
	expect_answer(p, NAK_SEQ, 0);
	send_at(p, 1);
	expect_silence(p);
	KUNIT_EXPECT_FALSE(test, proto_timer(p));
}

/* A packet that comes twice after its NAK was late only: wait next time. */
static void learns_patience(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);
	u32 late = 100000;

	send_at(p, 1);
	expect_answer(p, NAK_SEQ, 0);
	tuff_kunit_world.now += late;
	send_at(p, 0);
	expect_answer(p, ACK, 1);
	send_at(p, 0);
	expect_answer(p, ACK, 1);
	KUNIT_EXPECT_EQ(test, p->qp.responder.early.patience_ns, 2 * late);

	send_at(p, 3);
	expect_silence(p);
	tuff_kunit_world.now += late;
	send_at(p, 2);
	expect_answer(p, ACK, 3);

	/* And it has an end. */
	send_at(p, 5);
	expect_silence(p);
	wait_answer(p);
	expect_answer(p, NAK_SEQ, 4);
}

static void patience_ends_with_losses(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);
	u32 i, before;

	p->qp.responder.early.patience_ns = 100000;
	for (i = 0; i < 6; i += 2) {
		before = p->qp.responder.early.patience_ns;
		send_at(p, i + 1);
		wait_answer(p);
		expect_answer(p, NAK_SEQ, i);
		send_at(p, i);
		expect_answer(p, ACK, i + 1);
	}
	KUNIT_EXPECT_LT(test, p->qp.responder.early.patience_ns, before);
}

/* Two gaps: the second is reported when something comes, or after a while. */
static void next_gap_waits_for_the_next_packet(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 1);
	send_at(p, 3);
	expect_answer(p, NAK_SEQ, 0);
	send_at(p, 0);
	expect_answer(p, ACK, 1);
	send_at(p, 3);
	expect_answer(p, NAK_SEQ, 2);
	send_at(p, 5);
	send_at(p, 2);
	expect_answer(p, ACK, 3);
	wait_answer(p);
	expect_answer(p, NAK_SEQ, 4);
	send_at(p, 4);
	expect_answer(p, ACK, 5);
	expect_received(p, 6);
}

/* A kept SEND finds no receive request: it has to come once more. */
static void kept_finds_no_receive_request(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	tuff_kunit_world.early = TUFF_EARLY_ALWAYS;
	proto_post_recv(p, 100)->wr_id = 0;
	send_at(p, 1);
	send_at(p, 2);
	tuff_kunit_world.nr_txs = 0;
	send_at(p, 0);
	expect_answer(p, 0x20 | 12, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	proto_post_recv(p, 100)->wr_id = 1;
	proto_post_recv(p, 100)->wr_id = 2;
	send_at(p, 1);
	expect_answer(p, ACK, 2);
	expect_received(p, 3);
}

/* A kept packet that is wrong ends the connection in its turn. */
static void kept_is_wrong(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	proto_receive(p, SEND_ONLY, FIRST_PSN + 1, 200);
	send_at(p, 2);
	tuff_kunit_world.nr_txs = 0;
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	send_at(p, 0);
	expect_answer(p, NAK_INVALID, 1);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_ERR);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
}

/* PSNs that a READ took are nobody else's. */
static void read_passes_what_is_kept(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 1);
	send_at(p, 3);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 2);
	p->next.dmalen = 3 * PROTO_MTU;
	proto_receive(p, TUFF_OP_READ_REQUEST, FIRST_PSN, 0);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, FIRST_PSN + 4);
	expect_received(p, 1);
}

static void reset_and_error_let_go(struct kunit *test)
{
	struct tuff_proto *p = keeper(test, TUFF_EARLY_ALWAYS);

	send_at(p, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	proto_restart(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	send_at(p, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 1);
	tuff_qp_error(&p->qp);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
	KUNIT_EXPECT_PTR_EQ(test, p->qp.responder.early.slot, NULL);
}

static struct kunit_case tuff_early_cases[] = {
	KUNIT_CASE(keeps_and_delivers_in_order),
	KUNIT_CASE(keeps_across_the_wrap),
	KUNIT_CASE(keeps_nothing_of_strangers),
	KUNIT_CASE(learns_who_mends),
	KUNIT_CASE(learns_nothing_of_go_back_n),
	KUNIT_CASE(learns_nothing_of_two),
	KUNIT_CASE(keeps_a_window_only),
	KUNIT_CASE(keeps_nothing_without_memory),
	KUNIT_CASE(each_is_kept_once),
	KUNIT_CASE(says_so_again_when_only_the_tail_comes),
	KUNIT_CASE(says_so_again_after_a_while),
	KUNIT_CASE(says_so_once_to_strangers),
	KUNIT_CASE(learns_patience),
	KUNIT_CASE(patience_ends_with_losses),
	KUNIT_CASE(next_gap_waits_for_the_next_packet),
	KUNIT_CASE(kept_finds_no_receive_request),
	KUNIT_CASE(kept_is_wrong),
	KUNIT_CASE(read_passes_what_is_kept),
	KUNIT_CASE(reset_and_error_let_go),
	{}
};

static struct kunit_suite tuff_early_suite = {
	.name = "tuff_early",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_early_cases,
};

kunit_test_suite(tuff_early_suite);
