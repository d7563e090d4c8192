/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: memory and strings */
#ifndef _TUFF_HOST_LINUX_STRING_H
#define _TUFF_HOST_LINUX_STRING_H

#include <string.h>

#include <linux/stddef.h>
#include <linux/types.h>

#define memset_after(obj, v, member)					\
	memset((u8 *)(obj) + offsetofend(__typeof__(*(obj)), member), (v), \
	       sizeof(*(obj)) - offsetofend(__typeof__(*(obj)), member))
#define memset_startat(obj, v, member)					\
	memset((u8 *)(obj) + offsetof(__typeof__(*(obj)), member), (v),	\
	       sizeof(*(obj)) - offsetof(__typeof__(*(obj)), member))

static inline void *memchr_inv(const void *start, int c, size_t bytes)
{
	const u8 *p = start;

	for (; bytes; p++, bytes--)
		if (*p != (u8)c)
			return (void *)p;
	return NULL;
}

#endif /* _TUFF_HOST_LINUX_STRING_H */
