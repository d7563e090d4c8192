// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/opcode.c: the table against the specification */
#include "engine/opcode.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/parse.h"
#include "spec_kunit.h"

static void opcodes_of_the_specification(struct kunit *test)
{
	const struct tuff_spec *spec;
	const struct tuff_opcode *op;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tuff_specs); i++) {
		spec = &tuff_specs[i];
		op = &tuff_opcodes[spec->opcode];
		KUNIT_ASSERT_TRUE_MSG(test, op->valid, "%s", spec->name);
		KUNIT_EXPECT_STREQ(test, op->name, spec->name);
		KUNIT_EXPECT_EQ_MSG(test, op->kind, spec->kind, "%s",
				    spec->name);
		KUNIT_EXPECT_EQ_MSG(test, op->position, spec->position, "%s",
				    spec->name);
		KUNIT_EXPECT_EQ_MSG(test, op->hdrs, spec->hdrs, "%s",
				    spec->name);
		KUNIT_EXPECT_EQ_MSG(test, op->hdr_len, spec->hdr_len, "%s",
				    spec->name);
	}
}

/* Nothing may ever be derived from the row of an opcode that is not spoken. */
static void opcodes_all_others_are_empty(struct kunit *test)
{
	const struct tuff_opcode empty = {};
	int nr = 0;
	int i;

	for (i = 0; i < 256; i++) {
		if (tuff_spec_find(i)) {
			nr++;
			continue;
		}
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&tuff_opcodes[i], &empty,
						 sizeof(empty)), 0,
				    "opcode %#x", i);
	}
	KUNIT_EXPECT_EQ(test, nr, 36);
}

static void opcodes_fit_the_header_room(struct kunit *test)
{
	int i;

	for (i = 0; i < 256; i++)
		KUNIT_EXPECT_LE_MSG(test, (u32)tuff_opcodes[i].hdr_len,
				    TUFF_HDR_MAX, "opcode %#x", i);
}

static void is_response_answers_only(struct kunit *test)
{
	size_t i;

	/* RC answers are 0x0d to 0x12; nothing else is one. */
	for (i = 0; i < ARRAY_SIZE(tuff_specs); i++) {
		u8 opcode = tuff_specs[i].opcode;
		const struct tuff_opcode *op = &tuff_opcodes[opcode];

		KUNIT_EXPECT_EQ_MSG(test, tuff_opcode_is_response(op),
				    opcode >= 0x0d && opcode <= 0x12,
				    "%s", tuff_specs[i].name);
	}
}

static void starts_ends_by_position(struct kunit *test)
{
	static const struct {
		u8 opcode;
		bool starts;
		bool ends;
	} rows[] = {
		{ 0x00, true,  false },
		{ 0x01, false, false },
		{ 0x02, false, true },
		{ 0x03, false, true },
		{ 0x04, true,  true },
		{ 0x05, true,  true },
		{ 0x06, true,  false },
		{ 0x07, false, false },
		{ 0x09, false, true },
		{ 0x0b, true,  true },
		{ 0x0c, true,  true },
		{ 0x0e, false, false },
		{ 0x11, true,  true },
		{ 0x13, true,  true },
		{ 0x64, true,  true },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct tuff_opcode *op = &tuff_opcodes[rows[i].opcode];

		KUNIT_EXPECT_EQ_MSG(test, tuff_opcode_starts(op),
				    rows[i].starts, "row %zu", i);
		KUNIT_EXPECT_EQ_MSG(test, tuff_opcode_ends(op), rows[i].ends,
				    "row %zu", i);
	}
}

static struct kunit_case tuff_opcode_cases[] = {
	KUNIT_CASE(opcodes_of_the_specification),
	KUNIT_CASE(opcodes_all_others_are_empty),
	KUNIT_CASE(opcodes_fit_the_header_room),
	KUNIT_CASE(is_response_answers_only),
	KUNIT_CASE(starts_ends_by_position),
	{}
};

static struct kunit_suite tuff_opcode_suite = {
	.name = "tuff_opcode",
	.test_cases = tuff_opcode_cases,
};

kunit_test_suite(tuff_opcode_suite);
