// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of wire/fold.c: copies are right, sums are those of crc32_le() */
#include "wire/fold.h"

#include <kunit/test.h>
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>
#include <linux/crc32.h>
#include <linux/string.h>

#include "spec_kunit.h"

#define MOST_BLOCKS	65
#define SHIFTS		64	/* places that a copy may begin at */
#define MOST		(MOST_BLOCKS * TUFF_FOLD_BLOCK + SHIFTS)

struct fold {
	u8 front[2 * TUFF_FOLD_BLOCK];
	u8 src[MOST];
	u8 dst[MOST + 1];
	u64 seed;
};

/* Begun with 0, a sum over one and then the other. */
static u32 slowly(const struct fold *f, u32 front_blocks, const u8 *src,
		  u32 blocks)
{
	u32 crc = crc32_le(0, f->front, front_blocks * TUFF_FOLD_BLOCK);

	return crc32_le(crc, src, blocks * TUFF_FOLD_BLOCK);
}

static void fold_one(struct kunit *test, struct fold *f, u32 front_blocks,
		     u32 blocks, bool wide)
{
	u8 *src = f->src + tuff_test_random(&f->seed) % SHIFTS;
	u8 *dst = f->dst + tuff_test_random(&f->seed) % SHIFTS;
	u32 len = blocks * TUFF_FOLD_BLOCK;
	u8 rest[16];

	tuff_test_fill(&f->seed, f->front, sizeof(f->front));
	tuff_test_fill(&f->seed, f->src, sizeof(f->src));
	memset(f->dst, 0x5a, sizeof(f->dst));
	kernel_fpu_begin();
	tuff_fold_copy(rest, f->front, front_blocks, dst, src, blocks, wide);
	kernel_fpu_end();

	KUNIT_ASSERT_EQ_MSG(test, crc32_le(0, rest, sizeof(rest)),
			    slowly(f, front_blocks, src, blocks),
			    "%u blocks", blocks);
	KUNIT_ASSERT_EQ(test, memcmp(dst, src, len), 0);
	KUNIT_ASSERT_EQ(test, dst[len], 0x5a);
	KUNIT_ASSERT_TRUE(test, dst == f->dst || dst[-1] == 0x5a);
}

static void fold_all(struct kunit *test, bool wide)
{
	struct fold *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u32 blocks, round;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	f->seed = 1;
	for (round = 0; round < 4; round++)
		for (blocks = 0; blocks <= MOST_BLOCKS; blocks++)
			fold_one(test, f, 1 + round % 2, blocks, wide);
}

static void fold_as_the_slow_sum(struct kunit *test)
{
	fold_all(test, false);
}

static void fold_with_wide_registers(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_AVX2))
		kunit_skip(test, "this CPU has no AVX2");
	fold_all(test, true);
}

/* Zeros in front of a sum that begins with 0 change nothing. */
static void fold_does_not_see_zeros_in_front(struct kunit *test)
{
	struct fold *f = kunit_kzalloc(test, sizeof(*f), GFP_KERNEL);
	u8 one[16], two[16];

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, f);
	f->seed = 2;
	tuff_test_fill(&f->seed, f->front + TUFF_FOLD_BLOCK, TUFF_FOLD_BLOCK);
	kernel_fpu_begin();
	tuff_fold_copy(two, f->front, 2, f->dst, f->src, 3, false);
	tuff_fold_copy(one, f->front + TUFF_FOLD_BLOCK, 1, f->dst, f->src, 3,
		       false);
	kernel_fpu_end();
	KUNIT_EXPECT_EQ(test, memcmp(one, two, sizeof(one)), 0);
}

static int fold_init(struct kunit *test)
{
	if (!boot_cpu_has(X86_FEATURE_PCLMULQDQ))
		kunit_skip(test, "this CPU has no carry-less multiplication");
	return 0;
}

static struct kunit_case tuff_fold_cases[] = {
	KUNIT_CASE(fold_as_the_slow_sum),
	KUNIT_CASE(fold_with_wide_registers),
	KUNIT_CASE(fold_does_not_see_zeros_in_front),
	{}
};

static struct kunit_suite tuff_fold_suite = {
	.name = "tuff_fold",
	.init = fold_init,
	.test_cases = tuff_fold_cases,
};

kunit_test_suite(tuff_fold_suite);
