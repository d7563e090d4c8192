// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/drop.c: names that tools can rely on */
#include "engine/drop.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

static void counter_name_is_a_sysfs_name(struct kunit *test)
{
	const char *name;
	const char *c;
	int i;

	for (i = 0; i < TUFF_NR_COUNTERS; i++) {
		name = tuff_counter_name(i);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, name);
		KUNIT_EXPECT_TRUE_MSG(test, name[0] && strlen(name) < 32,
				      "%s", name);
		for (c = name; *c; c++)
			KUNIT_EXPECT_TRUE_MSG(test, *c == '_' ||
					      (*c >= 'a' && *c <= 'z') ||
					      (*c >= '0' && *c <= '9'),
					      "%s", name);
	}
}

static void counter_name_is_unique(struct kunit *test)
{
	int i, k;

	for (i = 0; i < TUFF_NR_COUNTERS; i++)
		for (k = 0; k < i; k++)
			KUNIT_EXPECT_TRUE_MSG(test,
					      strcmp(tuff_counter_name(i),
						     tuff_counter_name(k)),
					      "%s", tuff_counter_name(i));
}

static void counter_name_of_no_counter(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, tuff_counter_name(TUFF_CNT_NONE), "none");
	KUNIT_EXPECT_STREQ(test, tuff_counter_name(TUFF_NR_COUNTERS + 1),
			   "none");
	KUNIT_EXPECT_STREQ(test, tuff_counter_name(-1), "none");
}

/* These are in other people's dashboards. */
static void counter_name_of_mlx5(struct kunit *test)
{
	KUNIT_EXPECT_STREQ(test, tuff_counter_name(TUFF_CNT_OUT_OF_SEQUENCE),
			   "out_of_sequence");
	KUNIT_EXPECT_STREQ(test, tuff_counter_name(TUFF_CNT_DROP_ICRC),
			   "rx_icrc_encapsulated");
	KUNIT_EXPECT_STREQ(test,
			   tuff_counter_name(TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR),
			   "local_ack_timeout_err");
}

static struct kunit_case tuff_drop_cases[] = {
	KUNIT_CASE(counter_name_is_a_sysfs_name),
	KUNIT_CASE(counter_name_is_unique),
	KUNIT_CASE(counter_name_of_no_counter),
	KUNIT_CASE(counter_name_of_mlx5),
	{}
};

static struct kunit_suite tuff_drop_suite = {
	.name = "tuff_drop",
	.test_cases = tuff_drop_cases,
};

kunit_test_suite(tuff_drop_suite);
