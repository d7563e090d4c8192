/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: what <linux/kernel.h> brings along */
#ifndef _TUFF_HOST_LINUX_KERNEL_H
#define _TUFF_HOST_LINUX_KERNEL_H

#include <linux/bug.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/limits.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/types.h>

#define ARRAY_SIZE(arr)		(sizeof(arr) / sizeof((arr)[0]))
#define upper_32_bits(n)	((u32)(((n) >> 16) >> 16))
#define lower_32_bits(n)	((u32)((n) & 0xffffffff))

#endif /* _TUFF_HOST_LINUX_KERNEL_H */
