/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: arithmetic that tells when it wraps */
#ifndef _TUFF_HOST_LINUX_OVERFLOW_H
#define _TUFF_HOST_LINUX_OVERFLOW_H

#include <linux/stddef.h>

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_sub_overflow(a, b, d)	__builtin_sub_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)

#endif /* _TUFF_HOST_LINUX_OVERFLOW_H */
