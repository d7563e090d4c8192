/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: NULL, offsetof, flexible arrays in unions */
#ifndef _TUFF_HOST_LINUX_STDDEF_H
#define _TUFF_HOST_LINUX_STDDEF_H

#include <stddef.h>

/* __DECLARE_FLEX_ARRAY and __struct_group. */
#include_next <linux/stddef.h>

#define DECLARE_FLEX_ARRAY(type, name)	__DECLARE_FLEX_ARRAY(type, name)
#define struct_group(name, members...)	__struct_group(, name, , members)
#define sizeof_field(type, member)	sizeof(((type *)0)->member)
#define offsetofend(type, member)					\
	(offsetof(type, member) + sizeof_field(type, member))

#endif /* _TUFF_HOST_LINUX_STDDEF_H */
