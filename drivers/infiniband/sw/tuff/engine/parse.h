/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: bytes of a received packet -> struct tuff_pkt */
#ifndef _TUFF_ENGINE_PARSE_H
#define _TUFF_ENGINE_PARSE_H

#include "engine/drop.h"
#include "engine/types.h"

/* Most that BTH and extended headers take together, bytes. */
#define TUFF_HDR_MAX	48U
#define TUFF_BTH_LEN	12U
#define TUFF_ICRC_LEN	4U

enum tuff_counter __must_check
tuff_parse(struct tuff_pkt *pkt, const void *bth, u32 linear, u32 total);

#endif /* _TUFF_ENGINE_PARSE_H */
