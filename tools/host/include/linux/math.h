/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: rounding */
#ifndef _TUFF_HOST_LINUX_MATH_H
#define _TUFF_HOST_LINUX_MATH_H

#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_up(x, y)							\
	((((x) - 1) | ((__typeof__(x))((y) - 1))) + 1)
#define round_down(x, y)	((x) & ~((__typeof__(x))((y) - 1)))
#define roundup(x, y)		((((x) + ((y) - 1)) / (y)) * (y))
#define rounddown(x, y)		((x) - (x) % (y))
#define ALIGN(x, a)		round_up(x, a)
#define ALIGN_DOWN(x, a)	round_down(x, a)
#define IS_ALIGNED(x, a)	(((x) & ((__typeof__(x))(a) - 1)) == 0)

#endif /* _TUFF_HOST_LINUX_MATH_H */
