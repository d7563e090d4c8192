/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: 64-bit division */
#ifndef _TUFF_HOST_LINUX_MATH64_H
#define _TUFF_HOST_LINUX_MATH64_H

#include <linux/math.h>
#include <linux/types.h>

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}

static inline s64 div_s64(s64 dividend, s32 divisor)
{
	return dividend / divisor;
}

static inline u64 mul_u64_u32_shr(u64 a, u32 mul, unsigned int shift)
{
	return (u64)(((unsigned __int128)a * mul) >> shift);
}

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	return (u64)((unsigned __int128)a * mul / div);
}

#define DIV_ROUND_UP_ULL(n, d)	DIV_ROUND_UP((u64)(n), d)

#endif /* _TUFF_HOST_LINUX_MATH64_H */
