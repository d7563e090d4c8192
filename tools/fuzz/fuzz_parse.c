// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: fuzz target: a packet from anybody
 *
 * Input: one byte of alignment (low 3 bits), one of how much of the packet is
 * not linear, then the packet from its BTH on. What parses is built again and
 * must give the same bytes, but for reserved bits.
 */
#include "check.h"

#include <string.h>

#include "engine/build.h"
#include "engine/opcode.h"
#include "engine/parse.h"

/* Bits that mean something, of each byte of the headers. */
static void meaning(u8 *mask, u32 hdrs, u32 len)
{
	memset(mask, 0xff, len);
	mask[1] = 0xf0;
	mask[4] = 0xc0;
	mask[8] = 0x80;
	if (hdrs & TUFF_HDR_DETH)
		mask[16] = 0;
	if (hdrs & TUFF_HDR_CNP)
		memset(mask + 12, 0, 16);
}

static void check_parsed(const struct tuff_pkt *pkt, const u8 *bth, u32 linear,
			 u32 total)
{
	u8 mask[TUFF_HDR_MAX];
	u8 copy[TUFF_HDR_MAX];
	u32 len, i;

	CHECK(pkt->op == &tuff_opcodes[bth[0]]);
	CHECK(pkt->op->valid);
	CHECK(pkt->off == pkt->op->hdr_len);
	CHECK(pkt->off <= linear);
	CHECK(pkt->hdr.pad <= 3);
	CHECK((u64)pkt->off + pkt->len + pkt->hdr.pad + TUFF_ICRC_LEN == total);
	CHECK(pkt->op->position != TUFF_POS_NONE || !pkt->len);
	CHECK(pkt->hdr.dqpn <= 0xffffff && pkt->hdr.psn <= 0xffffff);
	CHECK(pkt->hdr.sqpn <= 0xffffff && pkt->hdr.msn <= 0xffffff);

	len = tuff_build(&pkt->hdr, copy);
	CHECK(len == pkt->off);
	meaning(mask, pkt->op->hdrs, len);
	for (i = 0; i < len; i++)
		CHECK(((copy[i] ^ bth[i]) & mask[i]) == 0);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tuff_pkt pkt;
	u32 total, linear, align;
	u8 *room, *bth;

	if (size < 2)
		return 0;
	align = data[0] & 7;
	total = size - 2;
	linear = total - (data[1] < total ? data[1] : total);

	/* Exactly the linear part: what is read past it is a report. */
	room = malloc(align + linear);
	CHECK(room || align + linear == 0);
	bth = room + align;
	memcpy(bth, data + 2, linear);
	if (tuff_parse(&pkt, bth, linear, total) == TUFF_CNT_NONE)
		check_parsed(&pkt, bth, linear, total);
	free(room);
	return 0;
}
