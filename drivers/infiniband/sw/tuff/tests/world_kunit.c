// SPDX-License-Identifier: GPL-2.0
/* tuff: a tiny world for unit tests of the engine: keys, handles, references */
#include "world_kunit.h"

#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/string.h>

#include "engine/world.h"

struct tuff_kunit_world tuff_kunit_world;

/* A suite's .init. */
int tuff_kunit_world_init(struct kunit *test)
{
	memset(&tuff_kunit_world, 0, sizeof(tuff_kunit_world));
	return 0;
}

/* A suite's .exit: nothing may be left of any case. */
void tuff_kunit_world_check(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.bad_puts, 0);
}

struct tuff_mr *tuff_kunit_mr_add(u32 key, u64 va, u64 len, u32 access)
{
	struct tuff_mr *mr;

	if (tuff_kunit_world.nr_mrs == TUFF_KUNIT_MRS)
		return NULL;
	mr = &tuff_kunit_world.mrs[tuff_kunit_world.nr_mrs++];
	mr->key = key;
	mr->va = va;
	mr->len = len;
	mr->access = access;
	return mr;
}

struct tuff_av *tuff_kunit_av_add(u32 num)
{
	struct tuff_av *av;

	if (tuff_kunit_world.nr_avs == TUFF_KUNIT_AVS)
		return NULL;
	av = &tuff_kunit_world.avs[tuff_kunit_world.nr_avs++];
	av->num = num;
	return av;
}

int tuff_kunit_refs(void)
{
	int refs = 0;
	u32 i;

	for (i = 0; i < tuff_kunit_world.nr_mrs; i++)
		refs += tuff_kunit_world.mrs[i].refs;
	for (i = 0; i < tuff_kunit_world.nr_avs; i++)
		refs += tuff_kunit_world.avs[i].refs;
	return refs;
}

static bool mr_allows(const struct tuff_mr *mr, u64 va, u32 len, u32 access)
{
	if (va < mr->va || va - mr->va > mr->len)
		return false;
	if (len > mr->len - (va - mr->va))
		return false;
	return !(access & ~mr->access);
}

struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	struct tuff_mr *mr;
	u32 i;

	tuff_kunit_world.nr_key_gets++;
	for (i = 0; i < tuff_kunit_world.nr_mrs; i++) {
		mr = &tuff_kunit_world.mrs[i];
		if (mr->key == key && mr_allows(mr, va, len, access)) {
			mr->refs++;
			return mr;
		}
	}
	return NULL;
}

void tuff_world_mr_put(struct tuff_mr *mr)
{
	if (!mr || mr->refs <= 0)
		tuff_kunit_world.bad_puts++;
	else
		mr->refs--;
}

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num)
{
	u32 i;

	tuff_kunit_world.nr_ah_gets++;
	for (i = 0; i < tuff_kunit_world.nr_avs; i++)
		if (tuff_kunit_world.avs[i].num == ah_num) {
			tuff_kunit_world.avs[i].refs++;
			return &tuff_kunit_world.avs[i];
		}
	return NULL;
}

void tuff_world_av_put(struct tuff_av *av)
{
	if (!av || av->refs <= 0)
		tuff_kunit_world.bad_puts++;
	else
		av->refs--;
}

u32 tuff_world_crc32(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("tuff: unit tests of the engine");
