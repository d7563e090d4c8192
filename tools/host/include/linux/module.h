/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: what a module says about itself, which says nothing here */
#ifndef _TUFF_HOST_LINUX_MODULE_H
#define _TUFF_HOST_LINUX_MODULE_H

#define MODULE_LICENSE(text)		struct tuff_module_info
#define MODULE_DESCRIPTION(text)	struct tuff_module_info

#endif /* _TUFF_HOST_LINUX_MODULE_H */
