// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/rnr.c: the timer codes of IBA table 45 */
#include "engine/rnr.h"

#include <kunit/test.h>
#include <linux/kernel.h>

static void delay_of_each_code(struct kunit *test)
{
	/* In microseconds, as the table has them in milliseconds. */
	static const u32 us[32] = {
		655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640,
		960, 1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480,
		30720, 40960, 61440, 81920, 122880, 163840, 245760, 327680,
		491520,
	};
	u32 code;

	for (code = 0; code < 256; code++)
		KUNIT_EXPECT_EQ_MSG(test, tuff_rnr_delay_ns(code),
				    us[code % 32] * 1000ULL, "code %u", code);
}

static struct kunit_case tuff_rnr_cases[] = {
	KUNIT_CASE(delay_of_each_code),
	{}
};

static struct kunit_suite tuff_rnr_suite = {
	.name = "tuff_rnr",
	.test_cases = tuff_rnr_cases,
};

kunit_test_suite(tuff_rnr_suite);
