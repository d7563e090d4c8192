// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of wire/wide.c: all is copied, and nothing else written */
#include "wire/wide.h"

#include <kunit/test.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <linux/string.h>

#include "spec_kunit.h"

#define MOST_BLOCKS	33
#define SHIFTS		64	/* places that a copy may begin at */
#define MOST		(MOST_BLOCKS * TUFF_WIDE_BLOCK + SHIFTS)

struct wide {
	u8 src[MOST];
	u8 dst[MOST + 1];
	u64 seed;
};

static void wide_one(struct kunit *test, struct wide *w, u32 blocks)
{
	u8 *src = w->src + tuff_test_random(&w->seed) % SHIFTS;
	u8 *dst = w->dst + tuff_test_random(&w->seed) % SHIFTS;
	u32 len = blocks * TUFF_WIDE_BLOCK;

	tuff_test_fill(&w->seed, w->src, sizeof(w->src));
	memset(w->dst, 0x5a, sizeof(w->dst));
	kernel_fpu_begin();
	tuff_wide_copy(dst, src, blocks);
	kernel_fpu_end();

	KUNIT_ASSERT_EQ_MSG(test, memcmp(dst, src, len), 0, "%u blocks",
			    blocks);
	KUNIT_ASSERT_EQ(test, dst[len], 0x5a);
	KUNIT_ASSERT_TRUE(test, dst == w->dst || dst[-1] == 0x5a);
}

static void wide_copies_all(struct kunit *test)
{
	struct wide *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	u32 blocks, round;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, w);
	w->seed = 1;
	for (round = 0; round < 4; round++)
		for (blocks = 0; blocks <= MOST_BLOCKS; blocks++)
			wide_one(test, w, blocks);
}

static int wide_init(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_AVX2))
		kunit_skip(test, "this CPU has no AVX2");
	return 0;
}

static struct kunit_case tuff_wide_cases[] = {
	KUNIT_CASE(wide_copies_all),
	{}
};

static struct kunit_suite tuff_wide_suite = {
	.name = "tuff_wide",
	.init = wide_init,
	.test_cases = tuff_wide_cases,
};

kunit_test_suite(tuff_wide_suite);
