/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: compiler attributes and single accesses */
#ifndef _TUFF_HOST_LINUX_COMPILER_H
#define _TUFF_HOST_LINUX_COMPILER_H

/* glibc's <sys/cdefs.h> has some of these under the same names. */
#include <sys/cdefs.h>

#undef __always_inline
#undef __packed
#undef __must_check
#undef __maybe_unused
#undef __printf

#define __always_inline		inline __attribute__((__always_inline__))
#define __packed		__attribute__((__packed__))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define __must_check		__attribute__((__warn_unused_result__))
#define __maybe_unused		__attribute__((__unused__))
#define __always_unused		__attribute__((__unused__))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define __force
#define __user
#define __rcu
#define __must_hold(x)

#if __has_attribute(__fallthrough__)
#define fallthrough		__attribute__((__fallthrough__))
#else
#define fallthrough		do { } while (0)
#endif

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define barrier()		__asm__ __volatile__("" : : : "memory")
#define typeof			__typeof__

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, val)	(*(volatile __typeof__(x) *)&(x) = (val))

#endif /* _TUFF_HOST_LINUX_COMPILER_H */
