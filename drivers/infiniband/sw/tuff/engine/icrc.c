// SPDX-License-Identifier: GPL-2.0
/* tuff: the invariant CRC of RoCEv2 packets (IBA A17.3.4) */
#include "engine/icrc.h"

#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "engine/world.h"

#define TUFF_IPV4_LEN	20
#define TUFF_UDP_LEN	8

/* Offsets of the fields that routers, and hosts on the way, may change. */
#define TUFF_IPV4_TOS	1
#define TUFF_IPV4_TTL	8
#define TUFF_IPV4_CHECK	10
#define TUFF_IPV6_HOPS	7
#define TUFF_UDP_CHECK	6
#define TUFF_BTH_ECN	4	/* FECN, BECN and the reserved bits */

/**
 * tuff_icrc_masked() - the headers as the ICRC covers them
 * @to: room for TUFF_ICRC_MASKED_MAX bytes; what could vary on the way is ones
 * @ip: IPv4 header of 20 bytes or IPv6 header of 40 bytes
 * @ipv6: which of the two
 * @udp: UDP header, 8 bytes
 * @bth: BTH and extended headers
 * @hdr_len: bytes of these, 12 at least
 *
 * The fields that are not variant count as they are: length, identification
 * and flags of the IPv4 header must be final.
 *
 * Context: any.
 * Return: bytes written: those of the headers.
 */
u32 tuff_icrc_masked(u8 *to, const void *ip, bool ipv6, const void *udp,
		     const void *bth, u32 hdr_len)
{
	u8 *p = to;

	if (ipv6) {
		memcpy(p, ip, TUFF_IPV6_LEN);
		/* Traffic class and flow label: all but the version. */
		p[0] |= 0x0f;
		memset(p + 1, 0xff, 3);
		p[TUFF_IPV6_HOPS] = 0xff;
		p += TUFF_IPV6_LEN;
	} else {
		memcpy(p, ip, TUFF_IPV4_LEN);
		p[TUFF_IPV4_TOS] = 0xff;
		p[TUFF_IPV4_TTL] = 0xff;
		memset(p + TUFF_IPV4_CHECK, 0xff, 2);
		p += TUFF_IPV4_LEN;
	}

	memcpy(p, udp, TUFF_UDP_LEN);
	memset(p + TUFF_UDP_CHECK, 0xff, 2);
	p += TUFF_UDP_LEN;

	memcpy(p, bth, TUFF_BTH_LEN);
	p[TUFF_BTH_ECN] = 0xff;
	if (hdr_len > TUFF_BTH_LEN)
		memcpy(p + TUFF_BTH_LEN, bth + TUFF_BTH_LEN,
		       hdr_len - TUFF_BTH_LEN);

	return p - to + hdr_len;
}

/**
 * tuff_icrc_start() - begin a sum
 * @masked: what tuff_icrc_masked() wrote, and what follows in the packet
 * @len: bytes
 *
 * Context: any.
 * Return: running state for tuff_icrc_update() and tuff_icrc_finish().
 */
u32 tuff_icrc_start(const void *masked, size_t len)
{
	return tuff_world_crc32(TUFF_ICRC_INIT, masked, len);
}

/**
 * tuff_icrc_update() - go on with a sum
 * @state: running state
 * @data: what follows: payload or pad
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
