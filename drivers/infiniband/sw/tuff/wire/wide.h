/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: a copy with registers of 32 bytes */
#ifndef _TUFF_WIRE_WIDE_H
#define _TUFF_WIRE_WIDE_H

#include <linux/types.h>

#define TUFF_WIDE_BLOCK	128

void tuff_wide_copy(u8 *dst, const u8 *src, u32 blocks);

#endif /* _TUFF_WIRE_WIDE_H */
