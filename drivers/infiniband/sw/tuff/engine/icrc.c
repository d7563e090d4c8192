// SPDX-License-Identifier: GPL-2.0
/* tuff: the invariant CRC of RoCEv2 packets (IBA A17.3.4) */
#include "engine/icrc.h"

#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "engine/parse.h"
#include "engine/world.h"

/* CRC state, from all ones, after the 8 bytes 0xff in place of an LRH. */
#define TUFF_ICRC_INIT	0xdebb20e3U

#define TUFF_IPV4_LEN	20
#define TUFF_IPV6_LEN	40
#define TUFF_UDP_LEN	8

/* Offsets of the fields that routers, and hosts on the way, may change. */
#define TUFF_IPV4_TOS	1
#define TUFF_IPV4_TTL	8
#define TUFF_IPV4_CHECK	10
#define TUFF_IPV6_HOPS	7
#define TUFF_UDP_CHECK	6
#define TUFF_BTH_ECN	4	/* FECN, BECN and the reserved bits */

/**
 * tuff_icrc_start() - sum the headers up to and including the BTH
 * @ip: IPv4 header of 20 bytes or IPv6 header of 40 bytes
 * @ipv6: which of the two
 * @udp: UDP header, 8 bytes
 * @bth: BTH, 12 bytes
 *
 * The fields that are not variant count as they are: length, identification
 * and flags of the IPv4 header must be final.
 *
 * Context: any.
 * Return: running state for tuff_icrc_update() and tuff_icrc_finish().
 */
u32 tuff_icrc_start(const void *ip, bool ipv6, const void *udp,
		    const void *bth)
{
	u8 buf[TUFF_IPV6_LEN + TUFF_UDP_LEN + TUFF_BTH_LEN];
	u32 len = ipv6 ? TUFF_IPV6_LEN : TUFF_IPV4_LEN;

	memcpy(buf, ip, len);
	if (ipv6) {
		/* Traffic class and flow label: all but the version. */
		buf[0] |= 0x0f;
		memset(buf + 1, 0xff, 3);
		buf[TUFF_IPV6_HOPS] = 0xff;
	} else {
		buf[TUFF_IPV4_TOS] = 0xff;
		buf[TUFF_IPV4_TTL] = 0xff;
		memset(buf + TUFF_IPV4_CHECK, 0xff, 2);
	}

	memcpy(buf + len, udp, TUFF_UDP_LEN);
	memset(buf + len + TUFF_UDP_CHECK, 0xff, 2);
	len += TUFF_UDP_LEN;

	memcpy(buf + len, bth, TUFF_BTH_LEN);
	buf[len + TUFF_BTH_ECN] = 0xff;
	len += TUFF_BTH_LEN;

	return tuff_world_crc32(TUFF_ICRC_INIT, buf, len);
}

/**
 * tuff_icrc_update() - sum what follows the BTH
 * @state: running state
 * @data: extended headers, payload or pad
 * @len: bytes, may be 0
 *
 * Context: any.
 * Return: the new running state.
 */
u32 tuff_icrc_update(u32 state, const void *data, size_t len)
{
	return tuff_world_crc32(state, data, len);
}

/**
 * tuff_icrc_finish() - end of a sum
 * @state: running state
 *
 * Context: any.
 * Return: the four bytes as they stand in the packet.
 */
__le32 tuff_icrc_finish(u32 state)
{
	return cpu_to_le32(~state);
}
