// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/scatter.c: against a byte at a time */
#include "engine/scatter.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "spec_kunit.h"
#include "world_kunit.h"

#define BASE	0x1000
#define ROOM	256
#define MAX_SGE	5

struct scatter_test {
	u8 bytes[ROOM];
	u8 want[ROOM];
	struct tuff_mr *mr;
	struct tuff_sge sge[MAX_SGE];
	u32 num_sge;
	u32 capacity;
};

static int scatter_init(struct kunit *test)
{
	struct scatter_test *t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t);
	tuff_kunit_world_init(test);
	t->mr = tuff_kunit_mr_add(1, BASE, ROOM, 0);
	t->mr->bytes = t->bytes;
	test->priv = t;
	return 0;
}

/* Random pieces, some empty, that do not overlap. */
static void random_list(struct scatter_test *t, u64 *seed)
{
	u32 at = 0;
	u32 i;

	t->num_sge = tuff_test_random(seed) % (MAX_SGE + 1);
	t->capacity = 0;
	for (i = 0; i < t->num_sge; i++) {
		at += tuff_test_random(seed) % 8;
		t->sge[i].addr = BASE + at;
		t->sge[i].len = tuff_test_random(seed) % 20;
		t->sge[i].mr = t->mr;
		at += t->sge[i].len;
		t->capacity += t->sge[i].len;
	}
}

static void expect_bytes(struct scatter_test *t, u32 off, const u8 *src,
			 u32 len)
{
	u32 i, k, at = 0;

	for (i = 0; i < t->num_sge; i++)
		for (k = 0; k < t->sge[i].len; k++, at++)
			if (at >= off && at - off < len)
				t->want[t->sge[i].addr - BASE + k] =
					src[at - off];
}

static void scatter_as_a_byte_at_a_time(struct kunit *test)
{
	struct scatter_test *t = test->priv;
	u8 packet[16 + ROOM];
	u64 seed = 5;
	u32 off, len;
	int i, ret;

	for (i = 0; i < 5000; i++) {
		struct tuff_pkt pkt = { .buf = packet, .off = 16 };

		random_list(t, &seed);
		off = tuff_test_random(&seed) % (t->capacity + 1);
		len = tuff_test_random(&seed) % (t->capacity - off + 1);
		tuff_test_fill(&seed, packet, sizeof(packet));
		memcpy(t->want, t->bytes, ROOM);
		expect_bytes(t, off, packet + 16, len);
		pkt.len = len;
		if (i & 1)
			ret = tuff_scatter_pkt(t->sge, t->num_sge, off, &pkt);
		else
			ret = tuff_scatter_mem(t->sge, t->num_sge, off,
					       packet + 16, len);
		KUNIT_ASSERT_EQ_MSG(test, ret, 0, "round %d", i);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(t->want, t->bytes, ROOM), 0,
				    "round %d", i);
	}
}

static void scatter_beyond_the_list(struct kunit *test)
{
	static const u8 src[32];
	struct scatter_test *t = test->priv;

	t->sge[0] = (struct tuff_sge){ BASE, 10, t->mr };
	t->sge[1] = (struct tuff_sge){ BASE + 10, 10, t->mr };
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 2, 0, src, 20), 0);
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 2, 0, src, 21),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 2, 20, src, 1),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 2, 0xffffffff, src, 1),
			-EFAULT);
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 0, 0, src, 1), -EFAULT);
}

static void scatter_into_memory_that_went_away(struct kunit *test)
{
	static const u8 src[4];
	struct scatter_test *t = test->priv;

	t->sge[0] = (struct tuff_sge){ BASE, 10, t->mr };
	t->mr->bytes = NULL;
	KUNIT_EXPECT_EQ(test, tuff_scatter_mem(t->sge, 1, 0, src, 4), -EFAULT);
}

static struct kunit_case tuff_scatter_cases[] = {
	KUNIT_CASE(scatter_as_a_byte_at_a_time),
	KUNIT_CASE(scatter_beyond_the_list),
	KUNIT_CASE(scatter_into_memory_that_went_away),
	{}
};

static struct kunit_suite tuff_scatter_suite = {
	.name = "tuff_scatter",
	.init = scatter_init,
	.exit = tuff_kunit_world_check,
	.test_cases = tuff_scatter_cases,
};

kunit_test_suite(tuff_scatter_suite);
