// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: packets as bytes, from the IP header to the ICRC */
#include "frame.h"

#include <linux/unaligned.h>
#include <stdlib.h>
#include <string.h>

#include "engine/build.h"
#include "engine/icrc.h"
#include "engine/parse.h"

#define SIM_IPV4_LEN	20
#define SIM_IPV6_LEN	40
#define SIM_UDP_LEN	8
#define SIM_PROTO_UDP	17

static u32 sim_ip_len(bool ipv6)
{
	return ipv6 ? SIM_IPV6_LEN : SIM_IPV4_LEN;
}

/* Internet checksum of an IPv4 header; 0 when its own field is right. */
static u16 sim_ip_checksum(const u8 *ip)
{
	u32 sum = 0, i;

	for (i = 0; i < SIM_IPV4_LEN; i += 2)
		sum += get_unaligned_be16(ip + i);
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return ~sum;
}

static void sim_frame_ip(u8 *ip, const struct sim_path *path, u16 id, u32 len)
{
	if (path->ipv6) {
		put_unaligned_be32(0x60000000U | path->tos << 20 | 0x12345, ip);
		put_unaligned_be16(len - SIM_IPV6_LEN, ip + 4);
		ip[6] = SIM_PROTO_UDP;
		ip[7] = path->ttl;
		memcpy(ip + 8, path->saddr, 16);
		memcpy(ip + 24, path->daddr, 16);
		return;
	}
	ip[0] = 0x45;
	ip[1] = path->tos;
	put_unaligned_be16(len, ip + 2);
	put_unaligned_be16(id, ip + 4);
	put_unaligned_be16(0x4000, ip + 6);
	ip[8] = path->ttl;
	ip[9] = SIM_PROTO_UDP;
	memset(ip + 10, 0, 2);
	memcpy(ip + 12, path->saddr, 4);
	memcpy(ip + 16, path->daddr, 4);
	put_unaligned_be16(sim_ip_checksum(ip), ip + 10);
}

/**
 * sim_frame_bth_off() - where the BTH starts
 * @frame: the packet
 *
 * Return: bytes from the IP header.
 */
u32 sim_frame_bth_off(const struct sim_frame *frame)
{
	return sim_ip_len(frame->ipv6) + SIM_UDP_LEN;
}

static __le32 sim_frame_icrc(const struct sim_frame *frame)
{
	u32 ip_len = sim_ip_len(frame->ipv6);
	u32 rest = sim_frame_bth_off(frame) + TUFF_BTH_LEN;
	u8 masked[TUFF_ICRC_MASKED_MAX];
	u32 masked_len, state;

	masked_len = tuff_icrc_masked(masked, frame->data, frame->ipv6,
				      frame->data + ip_len,
				      frame->data + ip_len + SIM_UDP_LEN,
				      TUFF_BTH_LEN);
	state = tuff_icrc_start(masked, masked_len);
	state = tuff_icrc_update(state, frame->data + rest,
				 frame->len - rest - TUFF_ICRC_LEN);
	return tuff_icrc_finish(state);
}

/**
 * sim_frame_seal() - put the right ICRC at the end
 * @frame: the packet, otherwise complete
 */
void sim_frame_seal(struct sim_frame *frame)
{
	__le32 icrc = sim_frame_icrc(frame);

	memcpy(frame->data + frame->len - TUFF_ICRC_LEN, &icrc, sizeof(icrc));
}

/**
 * sim_frame_build() - a packet, ready to be sent
 * @path: IP header
 * @ip_id: IPv4 identification
 * @hdr: transport headers
 * @payload: payload bytes
 * @len: how many
 *
 * Return: the packet, one reference.
 */
struct sim_frame *sim_frame_build(const struct sim_path *path, u16 ip_id,
				  const struct tuff_hdr *hdr,
				  const void *payload, u32 len)
{
	u32 ip_len = sim_ip_len(path->ipv6);
	u8 bth[TUFF_HDR_MAX];
	u32 hdr_len = tuff_build(hdr, bth);
	u32 udp_len = SIM_UDP_LEN + hdr_len + len + hdr->pad + TUFF_ICRC_LEN;
	struct sim_frame *frame = malloc(sizeof(*frame) + ip_len + udp_len);
	u8 *p = frame->data;

	memset(frame, 0, sizeof(*frame));
	frame->refs = 1;
	frame->ipv6 = path->ipv6;
	frame->hdr = *hdr;
	frame->payload_len = len;
	frame->len = ip_len + udp_len;

	sim_frame_ip(p, path, ip_id, frame->len);
	p += ip_len;
	put_unaligned_be16(path->sport, p);
	put_unaligned_be16(TUFF_UDP_PORT, p + 2);
	put_unaligned_be16(udp_len, p + 4);
	put_unaligned_be16(0, p + 6);
	p += SIM_UDP_LEN;
	memcpy(p, bth, hdr_len);
	p += hdr_len;
	if (len)
		memcpy(p, payload, len);
	memset(p + len, 0, hdr->pad);
	sim_frame_seal(frame);
	return frame;
}

/**
 * sim_frame_copy() - a second packet of the same bytes
 * @frame: the packet
 *
 * Return: the copy, one reference.
 */
struct sim_frame *sim_frame_copy(const struct sim_frame *frame)
{
	size_t size = sizeof(*frame) + frame->len;
	struct sim_frame *copy = malloc(size);

	memcpy(copy, frame, size);
	copy->refs = 1;
	return copy;
}

/**
 * sim_frame_put() - one reference less
 * @frame: the packet
 */
void sim_frame_put(struct sim_frame *frame)
{
	if (!--frame->refs)
		free(frame);
}

/**
 * sim_frame_covered() - does the ICRC protect a byte
 * @frame: the packet
 * @off: of the byte
 *
 * Return: false when routers may change it, or part of it.
 */
bool sim_frame_covered(const struct sim_frame *frame, u32 off)
{
	u32 bth = sim_frame_bth_off(frame);

	if (off == bth - 2 || off == bth - 1 || off == bth + 4)
		return false;	/* UDP checksum; FECN, BECN, reserved */
	if (frame->ipv6)
		return !(off <= 3 || off == 7);
	return !(off == 1 || off == 8 || off == 10 || off == 11);
}

/**
 * sim_frame_saddr_is() - who sent it, by its IP header
 * @frame: the packet
 * @addr: an address
 *
 * Return: true when @addr is its source.
 */
bool sim_frame_saddr_is(const struct sim_frame *frame, const u8 addr[16])
{
	if (frame->ipv6)
		return !memcmp(frame->data + 8, addr, 16);
	return !memcmp(frame->data + 12, addr, 4);
}

/**
 * sim_frame_set_saddr() - let a packet come from somebody else
 * @frame: the packet; has to be sealed again
 * @flip: bits of the address that change
 */
void sim_frame_set_saddr(struct sim_frame *frame, u8 flip)
{
	u8 *ip = frame->data;

	if (frame->ipv6) {
		ip[23] ^= flip;
		return;
	}
	ip[15] ^= flip;
	memset(ip + 10, 0, 2);
	put_unaligned_be16(sim_ip_checksum(ip), ip + 10);
}

/**
 * sim_frame_wear() - what routers may do to a packet
 * @frame: the packet; its ICRC must hold
 * @chance: what they do
 *
 * They count the hop limit down, mark congestion, and fill in a UDP checksum;
 * FECN and BECN are not covered either (IBA A17.3.4.1).
 */
void sim_frame_wear(struct sim_frame *frame, u64 chance)
{
	u8 *ip = frame->data;
	u32 bth = sim_frame_bth_off(frame);

	if (frame->ipv6) {
		ip[1] ^= chance & 0x30;		/* ECN */
		ip[3] ^= chance >> 8;		/* flow label */
		ip[7] -= 1 + (chance >> 16) % 60;
	} else {
		ip[1] ^= chance & 0x03;
		ip[8] -= 1 + (chance >> 16) % 60;
		memset(ip + 10, 0, 2);
		put_unaligned_be16(sim_ip_checksum(ip), ip + 10);
	}
	put_unaligned_be16(chance >> 24, frame->data + bth - 2);
	frame->data[bth + 4] ^= (chance >> 40) & 0xc0;
}

/* What an IP stack checks before a UDP socket sees the packet. */
static bool sim_frame_ip_good(const struct sim_frame *frame, const u8 addr[16])
{
	const u8 *ip = frame->data;
	const u8 *udp = ip + sim_ip_len(frame->ipv6);

	if (frame->ipv6) {
		if (ip[0] >> 4 != 6 || ip[6] != SIM_PROTO_UDP)
			return false;
		if (get_unaligned_be16(ip + 4) + SIM_IPV6_LEN != frame->len)
			return false;
		if (memcmp(ip + 24, addr, 16))
			return false;
	} else {
		if (ip[0] != 0x45 || ip[9] != SIM_PROTO_UDP)
			return false;
		if (get_unaligned_be16(ip + 2) != frame->len)
			return false;
		if (get_unaligned_be16(ip + 6) & 0x3fff || sim_ip_checksum(ip))
			return false;
		if (memcmp(ip + 16, addr, 4))
			return false;
	}
	return get_unaligned_be16(udp + 2) == TUFF_UDP_PORT &&
	       get_unaligned_be16(udp + 4) ==
			frame->len - sim_ip_len(frame->ipv6);
}

static u8 sim_frame_ecn(const struct sim_frame *frame)
{
	return frame->ipv6 ? frame->data[1] >> 4 & 3 : frame->data[1] & 3;
}

/**
 * sim_frame_check() - all that happens to a packet before its queue pair
 * @frame: the packet
 * @addr: the receiver's address
 * @pkt: filled when the packet is good
 *
 * Return: what became of it.
 */
enum sim_frame_fate sim_frame_check(const struct sim_frame *frame,
				    const u8 addr[16], struct tuff_pkt *pkt)
{
	u32 off = sim_frame_bth_off(frame);
	u32 total = frame->len - off;
	__le32 icrc;

	if (!sim_frame_ip_good(frame, addr))
		return SIM_FRAME_BAD_IP;
	memset(pkt, 0, sizeof(*pkt));
	if (total < TUFF_BTH_LEN + TUFF_ICRC_LEN)
		return SIM_FRAME_BAD_HDR;
	icrc = sim_frame_icrc(frame);
	if (memcmp(&icrc, frame->data + frame->len - TUFF_ICRC_LEN, 4))
		return SIM_FRAME_BAD_ICRC;
	if (tuff_parse(pkt, frame->data + off, total, total) != TUFF_CNT_NONE)
		return SIM_FRAME_BAD_HDR;
	pkt->ce = sim_frame_ecn(frame) == 3;
	pkt->buf = (void *)frame;
	return SIM_FRAME_GOOD;
}
