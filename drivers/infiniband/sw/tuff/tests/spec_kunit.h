/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: the opcodes as the specification has them, for the tests
 *
 * Written from IBA tables 38 and 40, not from engine/opcode.c: header lengths
 * are spelt out, since the engine derives them.
 */
#ifndef _TUFF_TESTS_SPEC_KUNIT_H
#define _TUFF_TESTS_SPEC_KUNIT_H

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "engine/opcode.h"

struct tuff_spec {
	u8 opcode;
	u8 hdr_len;
	u8 kind;
	u8 position;
	u16 hdrs;
	const char *name;
};

#define TUFF_SPEC(_opcode, _len, _kind, _position, _hdrs, _name) {	\
	.opcode = (_opcode),						\
	.hdr_len = (_len),						\
	.kind = TUFF_KIND_##_kind,					\
	.position = TUFF_POS_##_position,				\
	.hdrs = (_hdrs),						\
	.name = (_name),						\
}

#define TUFF_SPEC_IMM	TUFF_HDR_IMMDT
#define TUFF_SPEC_RETH	TUFF_HDR_RETH
#define TUFF_SPEC_AETH	TUFF_HDR_AETH
#define TUFF_SPEC_DETH	TUFF_HDR_DETH

static const struct tuff_spec tuff_specs[] = {
	TUFF_SPEC(0x00, 12, SEND, FIRST, 0, "RC_SEND_FIRST"),
	TUFF_SPEC(0x01, 12, SEND, MIDDLE, 0, "RC_SEND_MIDDLE"),
	TUFF_SPEC(0x02, 12, SEND, LAST, 0, "RC_SEND_LAST"),
	TUFF_SPEC(0x03, 16, SEND, LAST, TUFF_SPEC_IMM, "RC_SEND_LAST_IMM"),
	TUFF_SPEC(0x04, 12, SEND, ONLY, 0, "RC_SEND_ONLY"),
	TUFF_SPEC(0x05, 16, SEND, ONLY, TUFF_SPEC_IMM, "RC_SEND_ONLY_IMM"),
	TUFF_SPEC(0x06, 28, WRITE, FIRST, TUFF_SPEC_RETH, "RC_WRITE_FIRST"),
	TUFF_SPEC(0x07, 12, WRITE, MIDDLE, 0, "RC_WRITE_MIDDLE"),
	TUFF_SPEC(0x08, 12, WRITE, LAST, 0, "RC_WRITE_LAST"),
	TUFF_SPEC(0x09, 16, WRITE, LAST, TUFF_SPEC_IMM, "RC_WRITE_LAST_IMM"),
	TUFF_SPEC(0x0a, 28, WRITE, ONLY, TUFF_SPEC_RETH, "RC_WRITE_ONLY"),
	TUFF_SPEC(0x0b, 32, WRITE, ONLY, TUFF_SPEC_RETH | TUFF_SPEC_IMM,
		  "RC_WRITE_ONLY_IMM"),
	TUFF_SPEC(0x0c, 28, READ, NONE, TUFF_SPEC_RETH, "RC_READ_REQUEST"),
	TUFF_SPEC(0x0d, 16, READ_RESPONSE, FIRST, TUFF_SPEC_AETH,
		  "RC_READ_RESPONSE_FIRST"),
	TUFF_SPEC(0x0e, 12, READ_RESPONSE, MIDDLE, 0,
		  "RC_READ_RESPONSE_MIDDLE"),
	TUFF_SPEC(0x0f, 16, READ_RESPONSE, LAST, TUFF_SPEC_AETH,
		  "RC_READ_RESPONSE_LAST"),
	TUFF_SPEC(0x10, 16, READ_RESPONSE, ONLY, TUFF_SPEC_AETH,
		  "RC_READ_RESPONSE_ONLY"),
	TUFF_SPEC(0x11, 16, ACK, NONE, TUFF_SPEC_AETH, "RC_ACK"),
	TUFF_SPEC(0x12, 24, ATOMIC_ACK, NONE,
		  TUFF_SPEC_AETH | TUFF_HDR_ATOMICACKETH, "RC_ATOMIC_ACK"),
	TUFF_SPEC(0x13, 40, ATOMIC, NONE, TUFF_HDR_ATOMICETH,
		  "RC_COMPARE_SWAP"),
	TUFF_SPEC(0x14, 40, ATOMIC, NONE, TUFF_HDR_ATOMICETH, "RC_FETCH_ADD"),

	TUFF_SPEC(0x20, 12, SEND, FIRST, 0, "UC_SEND_FIRST"),
	TUFF_SPEC(0x21, 12, SEND, MIDDLE, 0, "UC_SEND_MIDDLE"),
	TUFF_SPEC(0x22, 12, SEND, LAST, 0, "UC_SEND_LAST"),
	TUFF_SPEC(0x23, 16, SEND, LAST, TUFF_SPEC_IMM, "UC_SEND_LAST_IMM"),
	TUFF_SPEC(0x24, 12, SEND, ONLY, 0, "UC_SEND_ONLY"),
	TUFF_SPEC(0x25, 16, SEND, ONLY, TUFF_SPEC_IMM, "UC_SEND_ONLY_IMM"),
	TUFF_SPEC(0x26, 28, WRITE, FIRST, TUFF_SPEC_RETH, "UC_WRITE_FIRST"),
	TUFF_SPEC(0x27, 12, WRITE, MIDDLE, 0, "UC_WRITE_MIDDLE"),
	TUFF_SPEC(0x28, 12, WRITE, LAST, 0, "UC_WRITE_LAST"),
	TUFF_SPEC(0x29, 16, WRITE, LAST, TUFF_SPEC_IMM, "UC_WRITE_LAST_IMM"),
	TUFF_SPEC(0x2a, 28, WRITE, ONLY, TUFF_SPEC_RETH, "UC_WRITE_ONLY"),
	TUFF_SPEC(0x2b, 32, WRITE, ONLY, TUFF_SPEC_RETH | TUFF_SPEC_IMM,
		  "UC_WRITE_ONLY_IMM"),

	TUFF_SPEC(0x64, 20, SEND, ONLY, TUFF_SPEC_DETH, "UD_SEND_ONLY"),
	TUFF_SPEC(0x65, 24, SEND, ONLY, TUFF_SPEC_DETH | TUFF_SPEC_IMM,
		  "UD_SEND_ONLY_IMM"),

	TUFF_SPEC(0x81, 28, CNP, NONE, TUFF_HDR_CNP, "CNP"),
};

static inline const struct tuff_spec *tuff_spec_find(u8 opcode)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(tuff_specs); i++)
		if (tuff_specs[i].opcode == opcode)
			return &tuff_specs[i];
	return NULL;
}

static inline void tuff_spec_desc(const struct tuff_spec *spec, char *desc)
{
	snprintf(desc, KUNIT_PARAM_DESC_SIZE, "%s", spec->name);
}

/* Numbers that repeat (splitmix64). */
static inline u64 tuff_test_random(u64 *seed)
{
	u64 z = *seed += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static inline void tuff_test_fill(u64 *seed, void *p, size_t len)
{
	u8 *byte = p;

	while (len--)
		*byte++ = tuff_test_random(seed);
}

#endif /* _TUFF_TESTS_SPEC_KUNIT_H */
