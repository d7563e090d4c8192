// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/segment.c: messages cut at every border */
#include "engine/segment.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/wqe.h"

#define PSN	0xfffffe	/* wraps within each message of three packets */

static void prepare(struct tuff_qp *qp, struct tuff_swqe *wqe, u8 shift,
		    u8 opcode, u32 length)
{
	memset(qp, 0, sizeof(*qp));
	memset(wqe, 0, sizeof(*wqe));
	qp->type = TUFF_QPT_RC;
	qp->attr.path_mtu_shift = shift;
	qp->attr.dqpn = 0x22;
	qp->attr.pkey = 0xffff;
	wqe->opcode = opcode;
	wqe->length = length;
	wqe->psn = PSN;
	wqe->npsn = tuff_segment_npsn(qp, length);
	wqe->va = 0x7f0000000000ULL;
	wqe->rkey = 0x1234;
}

static void npsn_at_borders(struct kunit *test)
{
	struct tuff_qp qp = { };
	u32 mtu, shift;

	for (shift = 8; shift <= 12; shift++) {
		qp.attr.path_mtu_shift = shift;
		mtu = 1U << shift;
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, 0), 1);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, 1), 1);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, mtu - 1), 1);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, mtu), 1);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, mtu + 1), 2);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, 2 * mtu - 1), 2);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, 2 * mtu), 2);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, 2 * mtu + 1), 3);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, TUFF_MSG_MAX),
				TUFF_MSG_MAX >> shift);
	}
}

static void rd_atomic_is_what_brings_data_back(struct kunit *test)
{
	struct tuff_swqe wqe = { };
	u32 opcode;

	for (opcode = 0; opcode < 256; opcode++) {
		wqe.opcode = opcode;
		KUNIT_EXPECT_EQ_MSG(test, tuff_swqe_is_rd_atomic(&wqe),
				    opcode >= 4 && opcode <= 6, "%u", opcode);
	}
}

/* Opcode of packet @i of @n, spelt out from IBA table 38. */
static u8 expected_opcode(u8 wr, u32 i, u32 n)
{
	static const u8 rows[4][4] = {	/* first, middle, last, only */
		[TUFF_WR_RDMA_WRITE]		= { 0x06, 0x07, 0x08, 0x0a },
		[TUFF_WR_RDMA_WRITE_WITH_IMM]	= { 0x06, 0x07, 0x09, 0x0b },
		[TUFF_WR_SEND]			= { 0x00, 0x01, 0x02, 0x04 },
		[TUFF_WR_SEND_WITH_IMM]		= { 0x00, 0x01, 0x03, 0x05 },
	};

	if (n == 1)
		return rows[wr][3];
	if (i == 0)
		return rows[wr][0];
	return rows[wr][i == n - 1 ? 2 : 1];
}

static void expect_message(struct kunit *test, u8 type, u8 shift, u8 opcode,
			   u32 length)
{
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;
	u32 sum = 0;
	u32 i;

	prepare(&qp, &wqe, shift, opcode, length);
	qp.type = type;
	wqe.flags = TUFF_SEND_SOLICITED;
	for (i = 0; i < wqe.npsn; i++) {
		u32 psn = tuff_psn_add(PSN, i);
		u8 want = expected_opcode(opcode, i, wqe.npsn);

		if (type == TUFF_QPT_UC)
			want |= 0x20;
		KUNIT_ASSERT_EQ(test,
				tuff_segment(&qp, &wqe, psn, &hdr, &pl), 1U);
		KUNIT_EXPECT_EQ_MSG(test, hdr.opcode, want, "%u/%u", i,
				    wqe.npsn);
		KUNIT_EXPECT_EQ(test, hdr.psn, psn);
		KUNIT_EXPECT_EQ(test, hdr.dqpn, 0x22);
		KUNIT_EXPECT_EQ(test, hdr.pkey, 0xffff);
		KUNIT_EXPECT_TRUE(test, hdr.migreq);
		KUNIT_EXPECT_EQ(test, hdr.solicited, i == wqe.npsn - 1);
		KUNIT_EXPECT_EQ(test, hdr.dmalen, length);
		KUNIT_EXPECT_EQ(test, hdr.pad, (4 - pl.len % 4) % 4);
		KUNIT_EXPECT_EQ(test, pl.off, sum);
		if (i < wqe.npsn - 1)
			KUNIT_EXPECT_EQ(test, pl.len, 1U << shift);
		sum += pl.len;
	}
	KUNIT_EXPECT_EQ(test, sum, length);
}

static void segment_messages(struct kunit *test)
{
	static const u8 types[] = { TUFF_QPT_RC, TUFF_QPT_UC };
	u32 shift, opcode, delta, i;

	for (shift = 8; shift <= 12; shift++)
		for (opcode = 0; opcode < 4; opcode++)
			for (delta = 0; delta < 8; delta++)
				for (i = 0; i < 2; i++) {
					expect_message(test, types[i], shift,
						       opcode, delta);
					expect_message(test, types[i], shift,
						       opcode, (1U << shift) -
						       4 + delta);
					expect_message(test, types[i], shift,
						       opcode, (3U << shift) -
						       4 + delta);
				}
}

/* IBA 9.7.5.1.1: asking again asks for exactly the rest. */
static void segment_read_from_each_packet(struct kunit *test)
{
	const u32 length = 3 * 256 + 5;
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;
	u32 i;

	prepare(&qp, &wqe, 8, TUFF_WR_RDMA_READ, length);
	for (i = 0; i < 4; i++) {
		KUNIT_EXPECT_EQ(test, tuff_segment(&qp, &wqe,
						   tuff_psn_add(PSN, i),
						   &hdr, &pl), 4 - i);
		KUNIT_EXPECT_EQ(test, hdr.opcode, 0x0c);
		KUNIT_EXPECT_EQ(test, hdr.va, wqe.va + 256 * i);
		KUNIT_EXPECT_EQ(test, hdr.dmalen, length - 256 * i);
		KUNIT_EXPECT_EQ(test, hdr.rkey, 0x1234);
		KUNIT_EXPECT_EQ(test, hdr.pad, 0);
		KUNIT_EXPECT_EQ(test, pl.len, 0);
	}
}

static void segment_read_of_nothing(struct kunit *test)
{
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;

	prepare(&qp, &wqe, 8, TUFF_WR_RDMA_READ, 0);
	KUNIT_EXPECT_EQ(test, tuff_segment(&qp, &wqe, PSN, &hdr, &pl), 1);
	KUNIT_EXPECT_EQ(test, hdr.dmalen, 0);
}

/* More PSNs than may be outstanding: pieces that make up the whole. */
static void segment_longest_read_in_pieces(struct kunit *test)
{
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;
	u64 sum = 0;
	u32 idx = 0;

	prepare(&qp, &wqe, 8, TUFF_WR_RDMA_READ, TUFF_MSG_MAX);
	while (idx < wqe.npsn) {
		u32 n = tuff_segment(&qp, &wqe, tuff_psn_add(PSN, idx), &hdr,
				     &pl);

		KUNIT_ASSERT_TRUE(test, n && n <= TUFF_PSN_WINDOW);
		KUNIT_EXPECT_EQ(test, hdr.va, wqe.va + sum);
		KUNIT_EXPECT_EQ(test, tuff_segment_npsn(&qp, hdr.dmalen), n);
		sum += hdr.dmalen;
		idx += n;
	}
	KUNIT_EXPECT_EQ(test, idx, wqe.npsn);
	KUNIT_EXPECT_EQ(test, sum, TUFF_MSG_MAX);
}

/* From anywhere in a piece: for the rest of that one, which a peer knows. */
static void segment_read_again_within_a_piece(struct kunit *test)
{
	const u32 piece = 1U << 21;
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;
	u32 idx;

	prepare(&qp, &wqe, 8, TUFF_WR_RDMA_READ, TUFF_MSG_MAX);
	for (idx = 1; idx < wqe.npsn; idx += piece / 2 - 1) {
		u32 n = tuff_segment(&qp, &wqe, tuff_psn_add(PSN, idx), &hdr,
				     &pl);

		KUNIT_EXPECT_EQ(test, n, piece - idx % piece);
		KUNIT_EXPECT_EQ(test, hdr.va, wqe.va + idx * 256ULL);
		KUNIT_EXPECT_EQ(test, hdr.dmalen, n * 256);
	}
}

static void segment_atomics(struct kunit *test)
{
	struct tuff_swqe wqe;
	struct tuff_hdr hdr;
	struct tuff_payload pl;
	struct tuff_qp qp;

	prepare(&qp, &wqe, 8, TUFF_WR_ATOMIC_CMP_AND_SWP, 8);
	wqe.compare_add = 5;
	wqe.swap = 6;
	KUNIT_EXPECT_EQ(test, tuff_segment(&qp, &wqe, PSN, &hdr, &pl), 1);
	KUNIT_EXPECT_EQ(test, hdr.opcode, 0x13);
	KUNIT_EXPECT_EQ(test, hdr.compare, 5);
	KUNIT_EXPECT_EQ(test, hdr.swap_add, 6);
	KUNIT_EXPECT_EQ(test, pl.len, 0);

	wqe.opcode = TUFF_WR_ATOMIC_FETCH_AND_ADD;
	KUNIT_EXPECT_EQ(test, tuff_segment(&qp, &wqe, PSN, &hdr, &pl), 1);
	KUNIT_EXPECT_EQ(test, hdr.opcode, 0x14);
	KUNIT_EXPECT_EQ(test, hdr.swap_add, 5);
}

static struct kunit_case tuff_segment_cases[] = {
	KUNIT_CASE(npsn_at_borders),
	KUNIT_CASE(rd_atomic_is_what_brings_data_back),
	KUNIT_CASE(segment_messages),
	KUNIT_CASE(segment_read_from_each_packet),
	KUNIT_CASE(segment_read_of_nothing),
	KUNIT_CASE(segment_longest_read_in_pieces),
	KUNIT_CASE(segment_read_again_within_a_piece),
	KUNIT_CASE(segment_atomics),
	{}
};

static struct kunit_suite tuff_segment_suite = {
	.name = "tuff_segment",
	.test_cases = tuff_segment_cases,
};

kunit_test_suite(tuff_segment_suite);
