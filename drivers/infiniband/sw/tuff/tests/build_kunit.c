// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/build.c: what is built parses to what it was */
#include "engine/build.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/opcode.h"
#include "engine/parse.h"
#include "spec_kunit.h"

#define ROUNDS	64

KUNIT_ARRAY_PARAM(tuff_spec, tuff_specs, tuff_spec_desc);

/* Random contents of the fields that the opcode carries, zero elsewhere. */
static void fill(u64 *seed, struct tuff_hdr *hdr, const struct tuff_spec *spec)
{
	struct tuff_hdr noise;

	tuff_test_fill(seed, &noise.pkey, sizeof(noise) -
		       offsetof(struct tuff_hdr, pkey));
	memset(hdr, 0, sizeof(*hdr));
	hdr->opcode = spec->opcode;
	hdr->pad = spec->position == TUFF_POS_NONE ? 0 :
		   tuff_test_random(seed) % 4;
	hdr->solicited = tuff_test_random(seed) & 1;
	hdr->ackreq = tuff_test_random(seed) & 1;
	hdr->migreq = tuff_test_random(seed) & 1;
	hdr->fecn = tuff_test_random(seed) & 1;
	hdr->becn = tuff_test_random(seed) & 1;
	hdr->pkey = noise.pkey;
	hdr->dqpn = noise.dqpn & 0xffffff;
	hdr->psn = noise.psn & 0xffffff;
	if (spec->hdrs & TUFF_HDR_DETH) {
		hdr->qkey = noise.qkey;
		hdr->sqpn = noise.sqpn & 0xffffff;
	}
	if (spec->hdrs & (TUFF_HDR_RETH | TUFF_HDR_ATOMICETH)) {
		hdr->va = noise.va;
		hdr->rkey = noise.rkey;
	}
	if (spec->hdrs & TUFF_HDR_RETH)
		hdr->dmalen = noise.dmalen;
	if (spec->hdrs & TUFF_HDR_ATOMICETH) {
		hdr->swap_add = noise.swap_add;
		hdr->compare = noise.compare;
	}
	if (spec->hdrs & TUFF_HDR_AETH) {
		hdr->syndrome = tuff_test_random(seed);
		hdr->msn = noise.msn & 0xffffff;
	}
	if (spec->hdrs & TUFF_HDR_ATOMICACKETH)
		hdr->orig = noise.orig;
	if (spec->hdrs & TUFF_HDR_IMMDT)
		hdr->imm = noise.imm;
}

static void expect_same(struct kunit *test, const struct tuff_hdr *a,
			const struct tuff_hdr *b)
{
	KUNIT_EXPECT_EQ(test, a->opcode, b->opcode);
	KUNIT_EXPECT_EQ(test, a->pad, b->pad);
	KUNIT_EXPECT_EQ(test, a->solicited, b->solicited);
	KUNIT_EXPECT_EQ(test, a->ackreq, b->ackreq);
	KUNIT_EXPECT_EQ(test, a->migreq, b->migreq);
	KUNIT_EXPECT_EQ(test, a->fecn, b->fecn);
	KUNIT_EXPECT_EQ(test, a->becn, b->becn);
	KUNIT_EXPECT_EQ(test, a->syndrome, b->syndrome);
	KUNIT_EXPECT_EQ(test, a->pkey, b->pkey);
	KUNIT_EXPECT_EQ(test, a->dqpn, b->dqpn);
	KUNIT_EXPECT_EQ(test, a->psn, b->psn);
	KUNIT_EXPECT_EQ(test, a->msn, b->msn);
	KUNIT_EXPECT_EQ(test, a->qkey, b->qkey);
	KUNIT_EXPECT_EQ(test, a->sqpn, b->sqpn);
	KUNIT_EXPECT_EQ(test, a->va, b->va);
	KUNIT_EXPECT_EQ(test, a->rkey, b->rkey);
	KUNIT_EXPECT_EQ(test, a->dmalen, b->dmalen);
	KUNIT_EXPECT_EQ(test, a->swap_add, b->swap_add);
	KUNIT_EXPECT_EQ(test, a->compare, b->compare);
	KUNIT_EXPECT_EQ(test, a->orig, b->orig);
	KUNIT_EXPECT_EQ(test, (__force u32)a->imm, (__force u32)b->imm);
	KUNIT_EXPECT_EQ(test, a->inv_rkey, b->inv_rkey);
}

static void build_parse_gives_it_back(struct kunit *test)
{
	const struct tuff_spec *spec = test->param_value;
	const u32 payload = spec->position == TUFF_POS_NONE ? 0 : 4;
	u64 seed = spec->opcode;
	struct tuff_hdr hdr;
	struct tuff_pkt pkt;
	u32 total, off;
	u8 buf[64];
	int i;

	for (i = 0; i < ROUNDS; i++) {
		fill(&seed, &hdr, spec);
		/* Behind UDP headers of any alignment. */
		off = i % 8;
		memset(buf, 0xa5, sizeof(buf));
		KUNIT_ASSERT_EQ(test, tuff_build(&hdr, buf + off),
				(u32)spec->hdr_len);
		KUNIT_EXPECT_TRUE(test, buf[off + spec->hdr_len] == 0xa5);

		total = spec->hdr_len + payload + 4;
		KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf + off, total, total),
				TUFF_CNT_NONE);
		KUNIT_EXPECT_EQ(test, pkt.len, payload - hdr.pad);
		expect_same(test, &pkt.hdr, &hdr);
	}
}

static void build_bytes_of_a_write(struct kunit *test)
{
	static const u8 bytes[32] = {
		0x0b, 0xf0, 0xff, 0xff, 0x00, 0x12, 0x34, 0x56,
		0x80, 0xab, 0xcd, 0xef,
		0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08,
		0x11, 0x12, 0x13, 0x14, 0x00, 0x01, 0x00, 0x01,
		0xde, 0xad, 0xbe, 0xef,
	};
	struct tuff_hdr hdr = {
		.opcode = 0x0b,
		.pad = 3,
		.solicited = true,
		.migreq = true,
		.ackreq = true,
		.pkey = 0xffff,
		.dqpn = 0x123456,
		.psn = 0xabcdef,
		.va = 0x0102030405060708ULL,
		.rkey = 0x11121314,
		.dmalen = 0x10001,
	};
	u8 buf[TUFF_HDR_MAX];

	memcpy(&hdr.imm, bytes + 28, 4);
	KUNIT_ASSERT_EQ(test, tuff_build(&hdr, buf), (u32)sizeof(bytes));
	KUNIT_EXPECT_EQ(test, memcmp(buf, bytes, sizeof(bytes)), 0);
}

/* IBA A17.9.3: nothing but the BTH and 16 zero bytes. */
static void build_bytes_of_a_cnp(struct kunit *test)
{
	static const u8 bytes[28] = {
		0x81, 0x40, 0xff, 0xff, 0x40, 0x00, 0x00, 0x11,
	};
	struct tuff_hdr hdr = {
		.opcode = TUFF_OPCODE_CNP,
		.migreq = true,
		.becn = true,
		.pkey = 0xffff,
		.dqpn = 0x11,
	};
	u8 buf[TUFF_HDR_MAX];

	memset(buf, 0xa5, sizeof(buf));
	KUNIT_ASSERT_EQ(test, tuff_build(&hdr, buf), (u32)sizeof(bytes));
	KUNIT_EXPECT_EQ(test, memcmp(buf, bytes, sizeof(bytes)), 0);
}

/* A number that grew past 24 bits must not reach the bits beside it. */
static void build_masks_what_is_too_wide(struct kunit *test)
{
	struct tuff_hdr hdr = {
		.opcode = 0x11,
		.dqpn = 0xff000001,
		.psn = 0xff000002,
		.msn = 0xff000003,
	};
	struct tuff_pkt pkt;
	u8 buf[20] = { };

	KUNIT_ASSERT_EQ(test, tuff_build(&hdr, buf), 16U);
	KUNIT_ASSERT_EQ(test, tuff_parse(&pkt, buf, 20, 20), TUFF_CNT_NONE);
	KUNIT_EXPECT_EQ(test, pkt.hdr.dqpn, 1);
	KUNIT_EXPECT_EQ(test, pkt.hdr.psn, 2);
	KUNIT_EXPECT_EQ(test, pkt.hdr.msn, 3);
	KUNIT_EXPECT_EQ(test, pkt.hdr.syndrome, 0);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.fecn);
	KUNIT_EXPECT_FALSE(test, pkt.hdr.ackreq);

	/* IBA 9.3.4: the byte before the source QPN is sent as zero. */
	hdr.opcode = 0x64;
	hdr.sqpn = 0xff000004;
	tuff_build(&hdr, buf);
	KUNIT_EXPECT_EQ(test, buf[16], 0);
	KUNIT_EXPECT_EQ(test, buf[19], 4);
}

static struct kunit_case tuff_build_cases[] = {
	KUNIT_CASE_PARAM(build_parse_gives_it_back, tuff_spec_gen_params),
	KUNIT_CASE(build_bytes_of_a_write),
	KUNIT_CASE(build_bytes_of_a_cnp),
	KUNIT_CASE(build_masks_what_is_too_wide),
	{}
};

static struct kunit_suite tuff_build_suite = {
	.name = "tuff_build",
	.test_cases = tuff_build_cases,
};

kunit_test_suite(tuff_build_suite);
