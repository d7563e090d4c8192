/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: a tiny world for unit tests of the engine
 *
 * A few regions and address vectors with counted references. Reset by the
 * init of each suite that uses it; its exit calls tuff_kunit_world_check().
 */
#ifndef _TUFF_TESTS_WORLD_KUNIT_H
#define _TUFF_TESTS_WORLD_KUNIT_H

#include <linux/types.h>

#include "tuff.h"

struct kunit;

#define TUFF_KUNIT_MRS	8
#define TUFF_KUNIT_AVS	4

struct tuff_mr {
	u32 key;
	u64 va;
	u64 len;
	u32 access;
	int refs;
};

struct tuff_av {
	u32 num;
	int refs;
};

/**
 * struct tuff_kunit_world - what a test sets up and looks at
 * @mrs: regions, the first @nr_mrs of them exist
 * @avs: address vectors, the first @nr_avs of them exist
 * @nr_mrs: regions
 * @nr_avs: address vectors
 * @nr_key_gets: look-ups of keys, found or not
 * @nr_ah_gets: look-ups of address handles, found or not
 * @bad_puts: references put that nobody had
 */
struct tuff_kunit_world {
	struct tuff_mr mrs[TUFF_KUNIT_MRS];
	struct tuff_av avs[TUFF_KUNIT_AVS];
	u32 nr_mrs;
	u32 nr_avs;
	u32 nr_key_gets;
	u32 nr_ah_gets;
	u32 bad_puts;
};

extern struct tuff_kunit_world tuff_kunit_world;

int tuff_kunit_world_init(struct kunit *test);
void tuff_kunit_world_check(struct kunit *test);
struct tuff_mr *tuff_kunit_mr_add(u32 key, u64 va, u64 len, u32 access);
struct tuff_av *tuff_kunit_av_add(u32 num);
int tuff_kunit_refs(void);

#endif /* _TUFF_TESTS_WORLD_KUNIT_H */
