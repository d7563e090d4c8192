/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the fastest copy of a payload that this CPU has */
#ifndef _TUFF_WIRE_COPY_H
#define _TUFF_WIRE_COPY_H

#include <linux/types.h>

void tuff_copy_init(void);
bool tuff_copy_is_wide(void);
void tuff_copy(void *dst, const void *src, u32 len);

#endif /* _TUFF_WIRE_COPY_H */
