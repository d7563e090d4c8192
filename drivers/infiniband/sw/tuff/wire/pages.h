/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: memory of outgoing packets, used again and again */
#ifndef _TUFF_WIRE_PAGES_H
#define _TUFF_WIRE_PAGES_H

#include <linux/types.h>

void *tuff_pages_alloc(u32 len, int refs);
void tuff_pages_exit(void);

#endif /* _TUFF_WIRE_PAGES_H */
