/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: error numbers */
#ifndef _TUFF_HOST_LINUX_ERRNO_H
#define _TUFF_HOST_LINUX_ERRNO_H

/* The host's uapi header has the same numbers; <errno.h> includes it. */
#include_next <linux/errno.h>

#endif /* _TUFF_HOST_LINUX_ERRNO_H */
