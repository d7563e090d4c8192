/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the invariant CRC of RoCEv2 packets (IBA A17.3.4) */
#ifndef _TUFF_ENGINE_ICRC_H
#define _TUFF_ENGINE_ICRC_H

#include <linux/types.h>

/*
 * Running state over the fields up to and including the BTH, with the
 * variant fields taken as ones: IP header, UDP header (8 bytes), BTH (12
 * bytes). @ip points to the IPv4 header (20 bytes, no options) or, when
 * @ipv6, to the 40 bytes of the IPv6 header.
 */
u32 tuff_icrc_start(const void *ip, bool ipv6, const void *udp,
		    const void *bth);

/* Continue over the extended headers, the payload and the pad. */
u32 tuff_icrc_update(u32 state, const void *data, size_t len);

/* The four bytes as they stand in the packet. */
__le32 tuff_icrc_finish(u32 state);

#endif /* _TUFF_ENGINE_ICRC_H */
