/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the invariant CRC of RoCEv2 packets (IBA A17.3.4) */
#ifndef _TUFF_ENGINE_ICRC_H
#define _TUFF_ENGINE_ICRC_H

#include <linux/types.h>

#include "engine/parse.h"

/* CRC state, from all ones, after the 8 bytes 0xff in place of an LRH. */
#define TUFF_ICRC_INIT		0xdebb20e3U

#define TUFF_IPV6_LEN		40
/* IP, UDP and transport headers of the longest kind. */
#define TUFF_ICRC_MASKED_MAX	(TUFF_IPV6_LEN + 8 + TUFF_HDR_MAX)
/* What is no longer is copied behind them: cheaper than a sum of its own. */
#define TUFF_ICRC_SHORT		128

/*
 * The headers with the variant fields as ones. @ip points to the IPv4 header
 * (20 bytes, no options) or, when @ipv6, to the 40 bytes of the IPv6 header.
 */
u32 tuff_icrc_masked(u8 *to, const void *ip, bool ipv6, const void *udp,
		     const void *bth, u32 hdr_len);

/* Running state over these, and what else follows right behind them. */
u32 tuff_icrc_start(const void *masked, size_t len);

/* Continue over more of the packet: payload and pad. */
u32 tuff_icrc_update(u32 state, const void *data, size_t len);

/* The four bytes as they stand in the packet. */
__le32 tuff_icrc_finish(u32 state);

#endif /* _TUFF_ENGINE_ICRC_H */
