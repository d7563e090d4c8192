/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: errors in pointers */
#ifndef _TUFF_HOST_LINUX_ERR_H
#define _TUFF_HOST_LINUX_ERR_H

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/types.h>

#define MAX_ERRNO	4095
#define IS_ERR_VALUE(x)							\
	unlikely((unsigned long)(void *)(x) >= (unsigned long)-MAX_ERRNO)

static inline void * __must_check ERR_PTR(long error)
{
	return (void *)error;
}

static inline long __must_check PTR_ERR(const void *ptr)
{
	return (long)ptr;
}

static inline bool __must_check IS_ERR(const void *ptr)
{
	return IS_ERR_VALUE((unsigned long)ptr);
}

static inline bool __must_check IS_ERR_OR_NULL(const void *ptr)
{
	return !ptr || IS_ERR(ptr);
}

#endif /* _TUFF_HOST_LINUX_ERR_H */
