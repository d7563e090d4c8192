/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: memory */
#ifndef _TUFF_HOST_LINUX_SLAB_H
#define _TUFF_HOST_LINUX_SLAB_H

#include <stdlib.h>

#ifndef GFP_KERNEL
#define GFP_KERNEL		0
#endif

#define kmalloc(size, gfp)	malloc(size)
#define kcalloc(n, size, gfp)	calloc(n, size)
#define kfree(p)		free(p)

#endif /* _TUFF_HOST_LINUX_SLAB_H */
