/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: a warning ends the test program */
#ifndef _TUFF_HOST_LINUX_BUG_H
#define _TUFF_HOST_LINUX_BUG_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/build_bug.h>
#include <linux/compiler.h>

/* On the host nobody reads a log: what only warns in the kernel is fatal. */
#define WARN(cond, fmt, ...) ({						\
	bool __warn = !!(cond);						\
	if (unlikely(__warn)) {						\
		fprintf(stderr, "%s:%d: WARNING in %s: " fmt "\n",	\
			__FILE__, __LINE__, __func__, ##__VA_ARGS__);	\
		abort();						\
	}								\
	__warn;								\
})
#define WARN_ON(cond)			WARN(cond, "%s", #cond)
#define WARN_ONCE(cond, fmt, ...)	WARN(cond, fmt, ##__VA_ARGS__)
#define WARN_ON_ONCE(cond)		WARN_ON(cond)

#endif /* _TUFF_HOST_LINUX_BUG_H */
