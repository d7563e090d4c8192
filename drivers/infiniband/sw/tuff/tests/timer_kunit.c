// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/timer.c: several deadlines over one timer */
#include "engine/timer.h"

#include <kunit/test.h>
#include <linux/kernel.h>

#include "proto_kunit.h"

static void arm_sets_the_earliest(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	struct tuff_kunit_world *w = &tuff_kunit_world;

	tuff_timer_arm(&p->qp, TUFF_TIMER_RTO, 500);
	KUNIT_EXPECT_EQ(test, w->timer_at, 501);
	tuff_timer_arm(&p->qp, TUFF_TIMER_TX, 900);
	KUNIT_EXPECT_EQ(test, w->timer_at, 501);
	tuff_timer_arm(&p->qp, TUFF_TIMER_RNR, 100);
	KUNIT_EXPECT_EQ(test, w->timer_at, 101);
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

/* Pushing a deadline ahead is free: the timer stays, and is set anew late. */
static void arm_later_leaves_the_timer(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	struct tuff_kunit_world *w = &tuff_kunit_world;

	tuff_timer_arm(&p->qp, TUFF_TIMER_RTO, 500);
	tuff_timer_arm(&p->qp, TUFF_TIMER_RTO, 800);
	KUNIT_EXPECT_EQ(test, w->timer_at, 501);
	KUNIT_EXPECT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, w->timer_at, 801);
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

static void expired_once(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	KUNIT_EXPECT_FALSE(test, tuff_timer_expired(&p->qp, TUFF_TIMER_TX,
						    ~0ULL));
	tuff_timer_arm(&p->qp, TUFF_TIMER_TX, 10);
	KUNIT_EXPECT_FALSE(test, tuff_timer_expired(&p->qp, TUFF_TIMER_TX,
						    10));
	KUNIT_EXPECT_TRUE(test, tuff_timer_expired(&p->qp, TUFF_TIMER_TX, 11));
	KUNIT_EXPECT_FALSE(test, tuff_timer_expired(&p->qp, TUFF_TIMER_TX,
						    11));
	KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_TX));
}

static void stop_cancels_the_worlds(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	int i;

	for (i = 0; i < TUFF_NR_TIMERS; i++)
		tuff_timer_arm(&p->qp, i, 10 * i + 10);
	tuff_timer_stop(&p->qp);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 0);
	for (i = 0; i < TUFF_NR_TIMERS; i++)
		KUNIT_EXPECT_FALSE(test, tuff_timer_armed(&p->qp, i));
	/* The next one is set although it is later than the one cancelled. */
	tuff_timer_arm(&p->qp, TUFF_TIMER_TX, 1000);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.timer_at, 1001);
}

/* A timer of before, or of another deadline: nothing happens. */
static void timeout_that_is_early(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post(p, TUFF_WR_SEND, 8);
	proto_run(p);
	tuff_kunit_forget();
	tuff_qp_timeout(&p->qp);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_TRUE(test, tuff_timer_armed(&p->qp, TUFF_TIMER_RTO));
}

/* A quarter of the ack timeout, within limits. */
static void retry_before_the_timeout(struct kunit *test)
{
	static const struct {
		u8 timeout;
		u64 delay;
	} rows[] = {
		{ 0, 1000000 }, { 1, 100000 }, { 6, 100000 }, { 7, 131072 },
		{ 9, 524288 }, { 10, 1000000 }, { 14, 1000000 },
		{ 31, 1000000 },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		p->qp.attr.timeout = rows[i].timeout;
		tuff_timer_retry(&p->qp);
		KUNIT_EXPECT_EQ(test, p->qp.deadline[TUFF_TIMER_TX],
				tuff_kunit_world.now + rows[i].delay);
	}
}

static struct kunit_case tuff_timer_cases[] = {
	KUNIT_CASE(retry_before_the_timeout),
	KUNIT_CASE(arm_sets_the_earliest),
	KUNIT_CASE(arm_later_leaves_the_timer),
	KUNIT_CASE(expired_once),
	KUNIT_CASE(stop_cancels_the_worlds),
	KUNIT_CASE(timeout_that_is_early),
	{}
};

static struct kunit_suite tuff_timer_suite = {
	.name = "tuff_timer",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_timer_cases,
};

kunit_test_suite(tuff_timer_suite);
