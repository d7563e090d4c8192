/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: the kernel's integer types */
#ifndef _TUFF_HOST_LINUX_TYPES_H
#define _TUFF_HOST_LINUX_TYPES_H

/* The host's uapi header has __u8 .. __be64. */
#include_next <linux/types.h>

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/compiler.h>
#include <linux/stddef.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef unsigned long long u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef long long s64;

struct list_head {
	struct list_head *next, *prev;
};

#endif /* _TUFF_HOST_LINUX_TYPES_H */
