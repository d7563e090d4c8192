/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: powers of two */
#ifndef _TUFF_HOST_LINUX_LOG2_H
#define _TUFF_HOST_LINUX_LOG2_H

#include <linux/types.h>

static inline int ilog2(u64 n)
{
	return n ? 63 - __builtin_clzll(n) : -1;
}

static inline bool is_power_of_2(unsigned long n)
{
	return n && !(n & (n - 1));
}

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	return n <= 1 ? 1 : 1UL << (ilog2(n - 1) + 1);
}

static inline unsigned long rounddown_pow_of_two(unsigned long n)
{
	return 1UL << ilog2(n);
}

static inline int order_base_2(unsigned long n)
{
	return n <= 1 ? 0 : ilog2(n - 1) + 1;
}

#endif /* _TUFF_HOST_LINUX_LOG2_H */
