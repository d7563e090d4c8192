/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: struct tuff_hdr -> bytes */
#ifndef _TUFF_ENGINE_BUILD_H
#define _TUFF_ENGINE_BUILD_H

#include "engine/types.h"

u32 tuff_build(const struct tuff_hdr *hdr, void *bth);

#endif /* _TUFF_ENGINE_BUILD_H */
