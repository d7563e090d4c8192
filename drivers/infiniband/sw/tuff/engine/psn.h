/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: arithmetic on 24-bit packet sequence numbers (IBA 9.7.2) */
#ifndef _TUFF_ENGINE_PSN_H
#define _TUFF_ENGINE_PSN_H

#include <linux/types.h>

#define TUFF_PSN_MASK	0xffffffU
/* At most half the space, less one, may be outstanding (IBA 9.7.2). */
#define TUFF_PSN_WINDOW	0x7fffffU

/**
 * tuff_psn_add() - step a PSN forwards (or backwards, modulo 2^24)
 * @psn: a PSN
 * @n: number of packets
 *
 * Return: @psn + @n, in 24 bits.
 */
static inline u32 tuff_psn_add(u32 psn, u32 n)
{
	return (psn + n) & TUFF_PSN_MASK;
}

/**
 * tuff_psn_diff() - signed distance of two PSNs
 * @a: a PSN
 * @b: a PSN
 *
 * Return: packets from @b to @a: negative when @a is before @b, in
 * -2^23 .. 2^23 - 1.
 */
static inline s32 tuff_psn_diff(u32 a, u32 b)
{
	/* The shift drops the bits above 24 and brings the sign to bit 31. */
	return (s32)((a - b) << 8) >> 8;
}

/**
 * tuff_psn_sub() - distance of two PSNs, of which the order is known
 * @a: a PSN
 * @b: a PSN that does not come after it
 *
 * Return: packets from @b to @a, 0 .. 2^24 - 1.
 */
static inline u32 tuff_psn_sub(u32 a, u32 b)
{
	return (a - b) & TUFF_PSN_MASK;
}

/**
 * tuff_psn_before() - order of two PSNs
 * @a: a PSN
 * @b: a PSN
 *
 * Return: true when @a comes before @b.
 */
static inline bool tuff_psn_before(u32 a, u32 b)
{
	return tuff_psn_diff(a, b) < 0;
}

#endif /* _TUFF_ENGINE_PSN_H */
