/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: checks at compile time */
#ifndef _TUFF_HOST_LINUX_BUILD_BUG_H
#define _TUFF_HOST_LINUX_BUILD_BUG_H

#define __tuff_static_assert(expr, msg, ...)	_Static_assert(expr, msg)

#undef static_assert
#define static_assert(expr, ...)					\
	__tuff_static_assert(expr, ##__VA_ARGS__, #expr)

#define BUILD_BUG_ON_MSG(cond, msg)	_Static_assert(!(cond), msg)
#define BUILD_BUG_ON(cond)						\
	BUILD_BUG_ON_MSG(cond, "BUILD_BUG_ON: " #cond)
#define BUILD_BUG_ON_ZERO(e)						\
	((int)sizeof(struct { int: (-!!(e)); }))

#endif /* _TUFF_HOST_LINUX_BUILD_BUG_H */
