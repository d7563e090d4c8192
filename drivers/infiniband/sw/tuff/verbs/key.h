/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what local and remote keys are made of */
#ifndef _TUFF_VERBS_KEY_H
#define _TUFF_VERBS_KEY_H

#include <linux/types.h>

/*
 * A key is an index into &tuff_dev.mrs and a generation. Indices are given out
 * in turn, and the generation changes each time they have come round, so a key
 * comes again only after 2^32 registrations. Index 0 belongs to no region; the
 * local DMA lkey is made of it. L_Key and R_Key of a region are the same
 * number: what may be done with it from where is in its access rights.
 */
#define TUFF_KEY_GEN_BITS	8
#define TUFF_KEY_INDEX_MAX	0xffffff
#define TUFF_KEY_LOCAL_DMA	1U	/* kernel QPs only, never from the wire */

static inline u32 tuff_key_make(u32 index, u8 gen)
{
	return index << TUFF_KEY_GEN_BITS | gen;
}

static inline u32 tuff_key_index(u32 key)
{
	return key >> TUFF_KEY_GEN_BITS;
}

#endif /* _TUFF_VERBS_KEY_H */
