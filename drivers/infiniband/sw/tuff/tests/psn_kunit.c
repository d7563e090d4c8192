// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/psn.h: a circle of 2^24 */
#include "engine/psn.h"

#include <kunit/test.h>
#include <linux/kernel.h>

#define HALF	0x800000

static const u32 edges[] = {
	0, 1, 2, 0x7ffffe, 0x7fffff, 0x800000, 0x800001, 0xfffffe, 0xffffff,
};

static void add_wraps_both_ways(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tuff_psn_add(0, 0), 0);
	KUNIT_EXPECT_EQ(test, tuff_psn_add(0xffffff, 1), 0);
	KUNIT_EXPECT_EQ(test, tuff_psn_add(0xffffff, 0xffffff), 0xfffffe);
	KUNIT_EXPECT_EQ(test, tuff_psn_add(0, -1), 0xffffff);
	KUNIT_EXPECT_EQ(test, tuff_psn_add(5, -7), 0xfffffe);
}

static void diff_rows(struct kunit *test)
{
	static const struct {
		u32 a;
		u32 b;
		s32 diff;
	} rows[] = {
		{ 0,		0,		0 },
		{ 1,		0,		1 },
		{ 0,		1,		-1 },
		{ 0,		0xffffff,	1 },
		{ 0xffffff,	0,		-1 },
		{ 0x7fffff,	0,		0x7fffff },
		{ 0x800000,	0,		-0x800000 },
		{ 0,		0x800000,	-0x800000 },
		{ 0,		0x800001,	0x7fffff },
		{ 0x10,		0xfffff0,	0x20 },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		KUNIT_EXPECT_EQ_MSG(test, tuff_psn_diff(rows[i].a, rows[i].b),
				    rows[i].diff, "row %zu", i);
}

static void diff_undoes_add(struct kunit *test)
{
	static const s32 steps[] = {
		0, 1, -1, 2, 4095, -4095, HALF - 1, -(HALF - 1), -HALF,
	};
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (k = 0; k < ARRAY_SIZE(steps); k++) {
			u32 psn = tuff_psn_add(edges[i], steps[k]);

			KUNIT_EXPECT_EQ_MSG(test, tuff_psn_diff(psn, edges[i]),
					    steps[k], "%#x", edges[i]);
		}
}

/* Of two different PSNs one is before the other, but for those half apart. */
static void before_is_an_order_within_the_window(struct kunit *test)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(edges); i++)
		for (k = 0; k < ARRAY_SIZE(edges); k++) {
			u32 a = edges[i], b = edges[k];
			bool half = ((a - b) & TUFF_PSN_MASK) == HALF;

			if (a == b || half)
				KUNIT_EXPECT_EQ_MSG(test, tuff_psn_before(a, b),
						    tuff_psn_before(b, a),
						    "%#x %#x", a, b);
			else
				KUNIT_EXPECT_NE_MSG(test, tuff_psn_before(a, b),
						    tuff_psn_before(b, a),
						    "%#x %#x", a, b);
		}
}

/* IBA 9.7.2: whatever may be outstanding is after what was acknowledged. */
static void before_holds_for_the_whole_window(struct kunit *test)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(edges); i++) {
		u32 last = tuff_psn_add(edges[i], TUFF_PSN_WINDOW);

		KUNIT_EXPECT_TRUE(test, tuff_psn_before(edges[i], last));
		KUNIT_EXPECT_FALSE(test, tuff_psn_before(last, edges[i]));
	}
}

static struct kunit_case tuff_psn_cases[] = {
	KUNIT_CASE(add_wraps_both_ways),
	KUNIT_CASE(diff_rows),
	KUNIT_CASE(diff_undoes_add),
	KUNIT_CASE(before_is_an_order_within_the_window),
	KUNIT_CASE(before_holds_for_the_whole_window),
	{}
};

static struct kunit_suite tuff_psn_suite = {
	.name = "tuff_psn",
	.test_cases = tuff_psn_cases,
};

kunit_test_suite(tuff_psn_suite);
