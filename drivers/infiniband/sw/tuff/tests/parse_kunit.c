// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/parse.c: every opcode at every length */
#include "engine/parse.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/opcode.h"
#include "spec_kunit.h"

#define MAX_LEN		64
#define MIGREQ		0x40

/* What IBA 9.6.1 says of a packet of which only these numbers are known. */
static enum tuff_counter expected(u8 opcode, u32 pad, u32 version, u32 linear,
				  u32 total)
{
	const struct tuff_spec *spec = tuff_spec_find(opcode);

	if (linear < 12 || total < 12)
		return TUFF_CNT_DROP_TRUNCATED;
	if (!spec)
		return TUFF_CNT_DROP_OPCODE;
	if (version)
		return TUFF_CNT_DROP_VERSION;
	if (linear < spec->hdr_len || total < spec->hdr_len + 4U)
		return TUFF_CNT_DROP_TRUNCATED;
	if (total < spec->hdr_len + pad + 4U)
		return TUFF_CNT_DROP_PAD;
	if (total % 4)
		return TUFF_CNT_DROP_LENGTH;
	if (spec->position == TUFF_POS_NONE && total != spec->hdr_len + 4U)
		return TUFF_CNT_DROP_LENGTH;
	return TUFF_CNT_NONE;
}

static void check_one(struct kunit *test, u8 *buf, u8 opcode, u8 flags,
		      u32 linear, u32 total)
{
	const u32 pad = flags >> 4 & 3;
	struct tuff_pkt pkt;
	enum tuff_counter got;
	enum tuff_counter want;

	if (linear > 0)
		buf[0] = opcode;
	if (linear > 1)
		buf[1] = flags;
	memset(&pkt, 0xa5, sizeof(pkt));
	got = tuff_parse(&pkt, buf, linear, total);
	want = expected(opcode, pad, flags & 0xf, linear, total);
	KUNIT_ASSERT_EQ_MSG(test, got, want,
			    "opcode %#x flags %#x linear %u total %u: %s, not %s",
			    opcode, flags, linear, total,
			    tuff_counter_name(got), tuff_counter_name(want));
	if (got != TUFF_CNT_NONE)
		return;
	KUNIT_EXPECT_PTR_EQ(test, pkt.op, &tuff_opcodes[opcode]);
	KUNIT_EXPECT_EQ(test, pkt.hdr.opcode, opcode);
	KUNIT_EXPECT_EQ(test, pkt.hdr.pad, pad);
	KUNIT_EXPECT_EQ(test, pkt.off, (u32)pkt.op->hdr_len);
	KUNIT_EXPECT_EQ_MSG(test, pkt.off + pkt.len + pad + 4, total,
			    "opcode %#x", opcode);
}

/* Buffers have the exact size: one byte read too many is a report of KASAN. */
static void parse_all_opcodes_all_lengths(struct kunit *test)
{
	u32 len, pad;
	int opcode;
	u8 *buf;

	for (len = 0; len <= MAX_LEN; len++) {
		buf = kunit_kzalloc(test, len, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
		for (opcode = 0; opcode < 256; opcode++)
			for (pad = 0; pad < 4; pad++)
				check_one(test, buf, opcode, MIGREQ | pad << 4,
					  len, len);
	}
}

/* Headers in the linear part, payload elsewhere; or not even the headers. */
static void parse_all_opcodes_linear_part_only(struct kunit *test)
{
	u32 linear, total;
	int opcode;
	u8 *buf;

	for (linear = 0; linear <= 48; linear++) {
		buf = kunit_kzalloc(test, linear, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
		for (opcode = 0; opcode < 256; opcode++)
			for (total = linear; total <= MAX_LEN; total++)
				check_one(test, buf, opcode, MIGREQ, linear,
					  total);
	}
}

/* The longest message packet, and totals that no frame can have. */
static void parse_large_totals(struct kunit *test)
{
	static const u32 totals[] = {
		12 + 4096 + 4, 65535, 65536, 0x7fffffff, 0xfffffffc, 0xffffffff,
	};
	u8 *buf = kunit_kzalloc(test, 48, GFP_KERNEL);
	int opcode;
	size_t i;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	for (opcode = 0; opcode < 256; opcode++)
		for (i = 0; i < ARRAY_SIZE(totals); i++)
			check_one(test, buf, opcode, MIGREQ, 48, totals[i]);
}

static void parse_refuses_every_other_version(struct kunit *test)
{
	u8 *buf = kunit_kzalloc(test, MAX_LEN, GFP_KERNEL);
	u32 version;
	int opcode;

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, buf);
	for (version = 1; version < 16; version++)
		for (opcode = 0; opcode < 256; opcode++)
			check_one(test, buf, opcode, version, MAX_LEN, MAX_LEN);
}

/* CVE-2026-46043: the payload of a short packet must not become huge. */
static void parse_pad_beyond_the_rest(struct kunit *test)
{
	u8 buf[16] = { 0x04, MIGREQ | 3 << 4 };
	struct tuff_pkt pkt;

	KUNIT_EXPECT_EQ(test, tuff_parse(&pkt, buf, 16, 16),
			TUFF_CNT_DROP_PAD);
}

static void parse_bth_fields(struct kunit *test)
{
	static const u8 bytes[16] = {
		0x04, 0xc0, 0x12, 0x34, 0xff, 0xab, 0xcd, 0xef,
		0xff, 0x65, 0x43, 0x21,
	};
	struct tuff_pkt pkt;
	u8 buf[16];

	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, bytes, 16, 16), TUFF_CNT_NONE);
	KUNIT_EXPECT_TRUE(test, pkt.hdr.solicited);
	KUNIT_EXPECT_TRUE(test, pkt.hdr.migreq);
	KUNIT_EXPECT_TRUE(test, pkt.hdr.fecn);
	KUNIT_EXPECT_TRUE(test, pkt.hdr.becn);
	KUNIT_EXPECT_TRUE(test, pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, pkt.hdr.pad, 0);
	KUNIT_EXPECT_EQ(test, pkt.hdr.pkey, 0x1234);
	KUNIT_EXPECT_EQ(test, pkt.hdr.dqpn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, pkt.hdr.psn, 0x654321);
	KUNIT_EXPECT_EQ(test, pkt.len, 0);

	/* Reserved bits only: none of them means anything. */
	memcpy(buf, bytes, sizeof(buf));
	buf[1] = 0;
	buf[4] = 0x3f;
	buf[8] = 0x7f;
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 16, 16), TUFF_CNT_NONE);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.solicited);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.migreq);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.fecn);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.becn);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.ackreq);
	KUNIT_EXPECT_EQ(test, pkt.hdr.dqpn, 0xabcdef);
	KUNIT_EXPECT_EQ(test, pkt.hdr.psn, 0x654321);
}

/* Each header's fields where the specification has them. */
static void parse_extended_headers(struct kunit *test)
{
	u8 buf[48] = { };
	struct tuff_pkt pkt;
	u32 i;

	/* Byte i of the packet is i: a field shows where it was read. */
	for (i = 0; i < sizeof(buf); i++)
		buf[i] = i;
	buf[1] = 0;

	buf[0] = 0x13;
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 44, 44), TUFF_CNT_NONE);
	KUNIT_EXPECT_EQ(test, pkt.hdr.va, 0x0c0d0e0f10111213ULL);
	KUNIT_EXPECT_EQ(test, pkt.hdr.rkey, 0x14151617);
	KUNIT_EXPECT_EQ(test, pkt.hdr.swap_add, 0x18191a1b1c1d1e1fULL);
	KUNIT_EXPECT_EQ(test, pkt.hdr.compare, 0x2021222324252627ULL);

	buf[0] = 0x0b;
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 40, 40), TUFF_CNT_NONE);
	KUNIT_EXPECT_EQ(test, pkt.hdr.va, 0x0c0d0e0f10111213ULL);
	KUNIT_EXPECT_EQ(test, pkt.hdr.rkey, 0x14151617);
	KUNIT_EXPECT_EQ(test, pkt.hdr.dmalen, 0x18191a1b);
	KUNIT_EXPECT_EQ(test, memcmp(&pkt.hdr.imm, buf + 28, 4), 0);
	KUNIT_EXPECT_EQ(test, pkt.off, 32);
	KUNIT_EXPECT_EQ(test, pkt.len, 4);

	buf[0] = 0x12;
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 28, 28), TUFF_CNT_NONE);
	KUNIT_EXPECT_EQ(test, pkt.hdr.syndrome, 0x0c);
	KUNIT_EXPECT_EQ(test, pkt.hdr.msn, 0x0d0e0f);
	KUNIT_EXPECT_EQ(test, pkt.hdr.orig, 0x1011121314151617ULL);

	buf[0] = 0x65;
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 28, 28), TUFF_CNT_NONE);
	KUNIT_EXPECT_EQ(test, pkt.hdr.qkey, 0x0c0d0e0f);
	KUNIT_EXPECT_EQ(test, pkt.hdr.sqpn, 0x111213);
	KUNIT_EXPECT_EQ(test, memcmp(&pkt.hdr.imm, buf + 20, 4), 0);
}

static struct kunit_case tuff_parse_cases[] = {
	KUNIT_CASE(parse_all_opcodes_all_lengths),
	KUNIT_CASE(parse_all_opcodes_linear_part_only),
	KUNIT_CASE(parse_large_totals),
	KUNIT_CASE(parse_refuses_every_other_version),
	KUNIT_CASE(parse_pad_beyond_the_rest),
	KUNIT_CASE(parse_bth_fields),
	KUNIT_CASE(parse_extended_headers),
	{}
};

static struct kunit_suite tuff_parse_suite = {
	.name = "tuff_parse",
	.test_cases = tuff_parse_cases,
};

kunit_test_suite(tuff_parse_suite);
