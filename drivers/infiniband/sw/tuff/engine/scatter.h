/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: bytes into a list of memory pieces */
#ifndef _TUFF_ENGINE_SCATTER_H
#define _TUFF_ENGINE_SCATTER_H

#include "engine/types.h"

int tuff_scatter_pkt(const struct tuff_sge *sge, u32 num_sge, u32 off,
		     const struct tuff_pkt *pkt);
int tuff_scatter_mem(const struct tuff_sge *sge, u32 num_sge, u32 off,
		     const void *src, u32 len);

#endif /* _TUFF_ENGINE_SCATTER_H */
