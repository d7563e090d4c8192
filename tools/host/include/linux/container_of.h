/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: container_of() */
#ifndef _TUFF_HOST_LINUX_CONTAINER_OF_H
#define _TUFF_HOST_LINUX_CONTAINER_OF_H

#include <linux/stddef.h>

#define container_of(ptr, type, member)					\
	((type *)((char *)(ptr) - offsetof(type, member)))

#endif /* _TUFF_HOST_LINUX_CONTAINER_OF_H */
