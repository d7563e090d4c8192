/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: minimum, maximum, clamp, swap */
#ifndef _TUFF_HOST_LINUX_MINMAX_H
#define _TUFF_HOST_LINUX_MINMAX_H

/*
 * The kernel refuses to mix signedness; the comparison of pointers that older
 * kernels use for that would warn about harmless mixes here, and the module
 * build sees all of this code anyway.
 */
#define min(x, y) ({							\
	__auto_type __min_x = (x);					\
	__auto_type __min_y = (y);					\
	__min_x < __min_y ? __min_x : __min_y;				\
})
#define max(x, y) ({							\
	__auto_type __max_x = (x);					\
	__auto_type __max_y = (y);					\
	__max_x > __max_y ? __max_x : __max_y;				\
})
#define min3(x, y, z)		min(min(x, y), z)
#define max3(x, y, z)		max(max(x, y), z)
#define min_t(type, x, y) ({						\
	type __min_t_x = (x);						\
	type __min_t_y = (y);						\
	__min_t_x < __min_t_y ? __min_t_x : __min_t_y;			\
})
#define max_t(type, x, y) ({						\
	type __max_t_x = (x);						\
	type __max_t_y = (y);						\
	__max_t_x > __max_t_y ? __max_t_x : __max_t_y;			\
})
#define clamp(val, lo, hi)	min(max(val, lo), hi)
#define clamp_t(type, val, lo, hi)					\
	min_t(type, max_t(type, val, lo), hi)
#define swap(a, b) do {							\
	__auto_type __swap = (a);					\
	(a) = (b);							\
	(b) = __swap;							\
} while (0)

#endif /* _TUFF_HOST_LINUX_MINMAX_H */
