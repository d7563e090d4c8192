/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: copy and CRC-32 in one pass, by carry-less multiplication */
#ifndef _TUFF_WIRE_FOLD_H
#define _TUFF_WIRE_FOLD_H

#include <linux/types.h>

#define TUFF_FOLD_BLOCK	64

/*
 * Sum up @front (blocks), then @blocks of @src, which are copied to @dst. The
 * CRC of @rest, begun with 0, is the CRC of all of it, begun with 0.
 */
void tuff_fold_copy(u8 rest[16], const u8 *front, u32 front_blocks,
		    u8 *dst, const u8 *src, u32 blocks, bool wide);

#endif /* _TUFF_WIRE_FOLD_H */
