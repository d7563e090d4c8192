/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: <linux/unaligned.h> for 6.1; the kernel's own is found before this */
#ifndef _TUFF_COMPAT_LINUX_UNALIGNED_H
#define _TUFF_COMPAT_LINUX_UNALIGNED_H

#include <asm/unaligned.h>

#endif /* _TUFF_COMPAT_LINUX_UNALIGNED_H */
