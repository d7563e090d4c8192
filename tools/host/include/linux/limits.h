/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: extremes of the integer types */
#ifndef _TUFF_HOST_LINUX_LIMITS_H
#define _TUFF_HOST_LINUX_LIMITS_H

/* The host's <limits.h> asks for its own linux/limits.h through this one. */
#include_next <linux/limits.h>

#include <linux/types.h>

#define U8_MAX		((u8)~0U)
#define S8_MAX		((s8)(U8_MAX >> 1))
#define U16_MAX		((u16)~0U)
#define S16_MAX		((s16)(U16_MAX >> 1))
#define U32_MAX		((u32)~0U)
#define S32_MAX		((s32)(U32_MAX >> 1))
#define U64_MAX		((u64)~0ULL)
#define S64_MAX		((s64)(U64_MAX >> 1))

#endif /* _TUFF_HOST_LINUX_LIMITS_H */
