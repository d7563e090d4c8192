/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: <linux/string_choices.h> for 6.1; the kernel's own is found first */
#ifndef _TUFF_COMPAT_LINUX_STRING_CHOICES_H
#define _TUFF_COMPAT_LINUX_STRING_CHOICES_H

#include <linux/string_helpers.h>

#endif /* _TUFF_COMPAT_LINUX_STRING_CHOICES_H */
