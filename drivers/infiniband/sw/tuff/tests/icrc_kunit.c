// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/icrc.c: against others' packets and a slow sum */
#include "engine/icrc.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "icrc_vectors_kunit.h"
#include "spec_kunit.h"

#define MAX_PACKET	(40 + 8 + 12 + 64 + 4)

/* As any sender and receiver does it: headers, then the rest in two parts. */
static void icrc_of(const u8 *packet, u32 len, u32 split, u8 *out)
{
	const bool ipv6 = packet[0] >> 4 == 6;
	const u8 *udp = packet + (ipv6 ? 40 : 20);
	const u8 *bth = udp + 8;
	const u8 *rest = bth + 12;
	const u8 *end = packet + len - 4;
	u8 masked[TUFF_ICRC_MASKED_MAX];
	u32 ext, masked_len, state;
	__le32 icrc;

	if (split > end - rest)
		split = end - rest;
	/* Of what follows the BTH, some is taken for extended headers. */
	ext = min(split / 2, TUFF_HDR_MAX - TUFF_BTH_LEN);
	masked_len = tuff_icrc_masked(masked, packet, ipv6, udp, bth,
				      TUFF_BTH_LEN + ext);
	state = tuff_icrc_start(masked, masked_len);
	state = tuff_icrc_update(state, rest + ext, split - ext);
	state = tuff_icrc_update(state, rest + split, end - rest - split);
	icrc = tuff_icrc_finish(state);
	memcpy(out, &icrc, 4);
}

/* True when a router, a host or a switch may change this byte's @bit. */
static bool is_variant(bool ipv6, u32 at, u32 bit)
{
	const u32 udp = ipv6 ? 40 : 20;

	if (ipv6 && at < udp)
		return at == 7 || (at >= 1 && at <= 3) || (!at && bit < 4);
	if (at < udp)
		return at == 1 || at == 8 || at == 10 || at == 11;
	return at == udp + 6 || at == udp + 7 || at == udp + 8 + 4;
}

/* Bit by bit, straight from IBA A17.3.4 and 7.8.2. */
static void icrc_slowly(const u8 *packet, u32 len, u8 *out)
{
	const bool ipv6 = packet[0] >> 4 == 6;
	u32 crc = ~0U;
	u32 at, bit, in;

	for (at = 0; at < 8 + len - 4; at++)
		for (bit = 0; bit < 8; bit++) {
			if (at < 8 || is_variant(ipv6, at - 8, bit))
				in = 1;
			else
				in = packet[at - 8] >> bit & 1;
			crc = crc >> 1 ^ ((crc ^ in) & 1 ? 0xedb88320 : 0);
		}
	crc = ~crc;
	for (at = 0; at < 4; at++)
		out[at] = crc >> 8 * at;
}

/* A packet seen on a wire, IP header first. */
static void icrc_of_a_captured_packet(struct kunit *test)
{
	static const u8 packet[] = {
		0x45, 0x01, 0x00, 0x40, 0x04, 0x78, 0x40, 0x00,
		0x40, 0x11, 0x00, 0x00, 0xc0, 0xa8, 0x00, 0x07,
		0xc0, 0xa8, 0x00, 0x07,
		0xc0, 0x00, 0x12, 0xb7, 0x00, 0x2c, 0x00, 0x00,
		0x24, 0x60, 0xff, 0xff, 0x00, 0x00, 0x00, 0xd3,
		0x00, 0xcf, 0x17, 0x10,
		0x46, 0x30, 0x81, 0x8b, 0xe2, 0x89, 0x35, 0xd9,
		0x0e, 0x9a, 0x95, 0x50, 0x54, 0x01, 0xbe, 0x88,
		0x5e, 0x50, 0x00, 0x00,
		0x78, 0xf3, 0x53, 0xf3,
	};
	u8 icrc[4];

	icrc_of(packet, sizeof(packet), 0, icrc);
	KUNIT_EXPECT_EQ(test, memcmp(icrc, packet + sizeof(packet) - 4, 4), 0);
}

static void icrc_vectors(struct kunit *test)
{
	size_t i;
	u8 icrc[4];

	for (i = 0; i < ARRAY_SIZE(tuff_icrc_vectors); i++) {
		const struct tuff_icrc_vector *v = &tuff_icrc_vectors[i];

		icrc_of(v->packet, v->len, 16, icrc);
		KUNIT_EXPECT_EQ_MSG(test,
				    memcmp(icrc, v->packet + v->len - 4, 4), 0,
				    "%s", v->name);
		icrc_slowly(v->packet, v->len, icrc);
		KUNIT_EXPECT_EQ_MSG(test,
				    memcmp(icrc, v->packet + v->len - 4, 4), 0,
				    "%s, slowly", v->name);
	}
}

static void icrc_random_packets_as_the_slow_sum(struct kunit *test)
{
	u8 fast[4], slow[4];
	u8 *packet;
	u64 seed = 1;
	u32 len;
	int i;

	packet = kunit_kzalloc(test, MAX_PACKET, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, packet);
	for (i = 0; i < 500; i++) {
		tuff_test_fill(&seed, packet, MAX_PACKET);
		packet[0] = (i & 1 ? 0x60 : 0x40) | (packet[0] & 0xf);
		len = (i & 1 ? 60 : 40) + tuff_test_random(&seed) % 65 + 4;
		icrc_of(packet, len, tuff_test_random(&seed) % 65, fast);
		icrc_slowly(packet, len, slow);
		KUNIT_ASSERT_EQ_MSG(test, memcmp(fast, slow, 4), 0,
				    "round %d", i);
	}
}

/* Each single bit: the sum is blind to the variant ones and to no other. */
static void expect_each_bit(struct kunit *test, u8 *packet, u32 len)
{
	const bool ipv6 = packet[0] >> 4 == 6;
	u8 before[4], after[4];
	u32 at, bit;

	icrc_of(packet, len, 8, before);
	for (at = 0; at < len - 4; at++)
		for (bit = 0; bit < 8; bit++) {
			/* The version says how long the header is. */
			if (!at && bit >= 4)
				continue;
			packet[at] ^= 1 << bit;
			icrc_of(packet, len, 8, after);
			packet[at] ^= 1 << bit;
			KUNIT_EXPECT_EQ_MSG(test, !memcmp(before, after, 4),
					    is_variant(ipv6, at, bit),
					    "byte %u bit %u", at, bit);
		}
}

static void icrc_each_bit(struct kunit *test)
{
	u8 packet[60 + 16 + 4];
	u64 seed = 2;

	tuff_test_fill(&seed, packet, sizeof(packet));
	packet[0] = 0x45;
	expect_each_bit(test, packet, 40 + 16 + 4);
	tuff_test_fill(&seed, packet, sizeof(packet));
	packet[0] = 0x60;
	expect_each_bit(test, packet, 60 + 16 + 4);
}

/* The receiver must not see its packet changed. */
static void icrc_masked_leaves_the_headers(struct kunit *test)
{
	u8 packet[60], copy[60], masked[TUFF_ICRC_MASKED_MAX];
	u64 seed = 3;

	tuff_test_fill(&seed, packet, sizeof(packet));
	memcpy(copy, packet, sizeof(copy));
	KUNIT_EXPECT_EQ(test, tuff_icrc_masked(masked, packet, true,
					       packet + 40, packet + 48, 12),
			60);
	KUNIT_EXPECT_EQ(test, tuff_icrc_masked(masked, packet, false,
					       packet + 20, packet + 28, 24),
			52);
	KUNIT_EXPECT_EQ(test, memcmp(copy, packet, sizeof(copy)), 0);
}

static struct kunit_case tuff_icrc_cases[] = {
	KUNIT_CASE(icrc_of_a_captured_packet),
	KUNIT_CASE(icrc_vectors),
	KUNIT_CASE(icrc_random_packets_as_the_slow_sum),
	KUNIT_CASE(icrc_each_bit),
	KUNIT_CASE(icrc_masked_leaves_the_headers),
	{}
};

static struct kunit_suite tuff_icrc_suite = {
	.name = "tuff_icrc",
	.test_cases = tuff_icrc_cases,
};

kunit_test_suite(tuff_icrc_suite);
