// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/wqe.c: rings are hostile memory */
#include "engine/wqe.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <rdma/rdma_user_rxe.h>

#include "engine/qp.h"
#include "spec_kunit.h"
#include "world_kunit.h"

#define SGES		4
#define INLINE		64
#define LKEY		0x1100
#define LKEY_RO		0x2200
#define BASE		0x10000ULL
#define AH_NUM		5
#define QP_QKEY		0x11111111

/* All allocations have the size the engine may touch, for KASAN and ASan. */
struct wqe_test {
	struct tuff_qp qp;
	struct tuff_swqe *wqe;
	struct tuff_rwqe *rwqe;
	struct rxe_send_wqe *user;
	struct rxe_recv_wqe *recv;
	u32 bytes;
	u32 recv_bytes;
};

static int wqe_init(struct kunit *test)
{
	const u32 room = SGES * sizeof(struct rxe_sge);
	struct wqe_test *t;

	tuff_kunit_world_init(test);
	tuff_kunit_mr_add(LKEY, BASE, 0xffffffff, TUFF_ACCESS_LOCAL_WRITE);
	tuff_kunit_mr_add(LKEY_RO, BASE, 0x1000, 0);
	tuff_kunit_av_add(AH_NUM);

	t = kunit_kzalloc(test, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t);
	t->bytes = sizeof(*t->user) + max_t(u32, room, INLINE);
	t->recv_bytes = sizeof(*t->recv) + room;
	t->user = kunit_kzalloc(test, t->bytes, GFP_KERNEL);
	t->recv = kunit_kzalloc(test, t->recv_bytes, GFP_KERNEL);
	t->wqe = kunit_kzalloc(test, tuff_swqe_size(SGES, INLINE), GFP_KERNEL);
	t->rwqe = kunit_kzalloc(test, sizeof(*t->rwqe) +
				SGES * sizeof(t->rwqe->sge[0]), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->user);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->recv);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->wqe);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, t->rwqe);

	t->qp.type = TUFF_QPT_RC;
	t->qp.user = true;
	t->qp.max_send_sge = SGES;
	t->qp.max_recv_sge = SGES;
	t->qp.max_inline = INLINE;
	t->qp.attr.path_mtu_shift = 10;
	t->qp.attr.qkey = QP_QKEY;
	test->priv = t;
	return 0;
}

static void set_sge(struct rxe_sge *sge, u64 addr, u32 length, u32 lkey)
{
	sge->addr = addr;
	sge->length = length;
	sge->lkey = lkey;
}

/* A request with one SGE of @length. */
static struct wqe_test *post(struct kunit *test, u32 opcode, u32 length)
{
	struct wqe_test *t = test->priv;

	memset(t->user, 0, t->bytes);
	t->user->wr.wr_id = 0x1234567890abcdefULL;
	t->user->wr.opcode = opcode;
	if (t->qp.type == TUFF_QPT_UD || t->qp.type == TUFF_QPT_GSI)
		t->user->wr.wr.ud.ah_num = AH_NUM;
	t->user->dma.num_sge = 1;
	t->user->dma.length = length;
	set_sge(&t->user->dma.sge[0], BASE, length, LKEY);
	return t;
}

static u8 load(struct wqe_test *t)
{
	tuff_swqe_load(&t->qp, t->wqe, t->user, t->bytes);
	return t->wqe->status;
}

/* A ring whose elements have another size. */
static void resize(struct kunit *test, u32 bytes)
{
	struct wqe_test *t = test->priv;
	void *user = kunit_kzalloc(test, bytes, GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, user);
	memcpy(user, t->user, min(bytes, t->bytes));
	t->user = user;
	t->bytes = bytes;
}

/* Load, look at the status, let go. */
static void expect_status(struct kunit *test, u8 status)
{
	struct wqe_test *t = test->priv;

	KUNIT_EXPECT_EQ_MSG(test, load(t), status, "opcode %#x",
			    t->user->wr.opcode);
	KUNIT_EXPECT_EQ(test, t->wqe->wr_id, 0x1234567890abcdefULL);
	tuff_swqe_release(&t->qp, t->wqe);
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 0);
}

static void size_covers_both_kinds_of_data(struct kunit *test)
{
	const size_t head = offsetof(struct tuff_swqe, sge);

	KUNIT_EXPECT_EQ(test, tuff_swqe_size(0, 0), head);
	KUNIT_EXPECT_EQ(test, tuff_swqe_size(1, 0),
			head + sizeof(struct tuff_sge));
	KUNIT_EXPECT_EQ(test, tuff_swqe_size(0, 100), head + 100);
	KUNIT_EXPECT_EQ(test, tuff_swqe_size(4, 20),
			head + 4 * sizeof(struct tuff_sge));
	KUNIT_EXPECT_EQ(test, tuff_swqe_size(1, 1000), head + 1000);
}

/* IBA table 11: service against operation. */
static void load_opcodes_of_each_service(struct kunit *test)
{
	static const struct {
		u8 type;
		u32 allowed;	/* bit: the work request's opcode */
	} rows[] = {
		{ TUFF_QPT_RC,	0x7f },
		{ TUFF_QPT_UC,	0x0f },
		{ TUFF_QPT_UD,	0x0c },
		{ TUFF_QPT_GSI,	0x0c },
	};
	struct wqe_test *t = test->priv;
	u32 opcode;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		t->qp.type = rows[i].type;
		for (opcode = 0; opcode < 1000; opcode++) {
			bool ok = opcode < 32 &&
				  rows[i].allowed & 1U << opcode;

			post(test, opcode, 8);
			expect_status(test, ok ? TUFF_WC_SUCCESS :
				      TUFF_WC_LOC_QP_OP_ERR);
		}
	}
}

/* Numbers whose low bits look right. */
static void load_opcode_is_not_cut(struct kunit *test)
{
	static const u32 opcodes[] = {
		0x100, 0x102, 0x10000, 0x80000002, 0xff, 0xffffffff, 0x20, 0x22,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		post(test, opcodes[i], 8);
		expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	}
}

static void load_write_fields(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_RDMA_WRITE_WITH_IMM, 100);

	t->user->wr.wr.rdma.remote_addr = 0xdeadbeef12345678ULL;
	t->user->wr.wr.rdma.rkey = 0x777;
	t->user->wr.ex.imm_data = (__force __be32)0x01020304;
	t->user->wr.send_flags = 0xffffffff & ~TUFF_SEND_INLINE;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->opcode, TUFF_WR_RDMA_WRITE_WITH_IMM);
	KUNIT_EXPECT_EQ(test, t->wqe->flags, TUFF_SEND_FENCE |
			TUFF_SEND_SIGNALED | TUFF_SEND_SOLICITED);
	KUNIT_EXPECT_EQ(test, t->wqe->va, 0xdeadbeef12345678ULL);
	KUNIT_EXPECT_EQ(test, t->wqe->rkey, 0x777);
	KUNIT_EXPECT_EQ(test, (__force u32)t->wqe->imm, 0x01020304);
	KUNIT_EXPECT_EQ(test, t->wqe->length, 100);
	KUNIT_EXPECT_EQ(test, t->wqe->num_sge, 1);
	KUNIT_EXPECT_EQ(test, t->wqe->sge[0].addr, BASE);
	KUNIT_EXPECT_EQ(test, t->wqe->sge[0].len, 100);
	KUNIT_EXPECT_EQ(test, t->wqe->npsn, 0);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void load_atomic_fields(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_ATOMIC_CMP_AND_SWP, 8);

	t->user->wr.wr.atomic.remote_addr = 0x1008;
	t->user->wr.wr.atomic.rkey = 0x777;
	t->user->wr.wr.atomic.compare_add = 3;
	t->user->wr.wr.atomic.swap = 4;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->va, 0x1008);
	KUNIT_EXPECT_EQ(test, t->wqe->rkey, 0x777);
	KUNIT_EXPECT_EQ(test, t->wqe->compare_add, 3);
	KUNIT_EXPECT_EQ(test, t->wqe->swap, 4);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void load_atomic_is_eight_bytes(struct kunit *test)
{
	static const u32 lengths[] = { 0, 1, 4, 7, 9, 16, 4096 };
	struct wqe_test *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		post(test, TUFF_WR_ATOMIC_FETCH_AND_ADD, lengths[i]);
		expect_status(test, TUFF_WC_LOC_LEN_ERR);
	}
	/* In two pieces it is still eight. */
	t = post(test, TUFF_WR_ATOMIC_FETCH_AND_ADD, 4);
	t->user->dma.num_sge = 2;
	set_sge(&t->user->dma.sge[1], BASE + 100, 4, LKEY);
	expect_status(test, TUFF_WC_SUCCESS);
}

static void load_sig_all_signals(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 8);

	load(t);
	KUNIT_EXPECT_EQ(test, t->wqe->flags & TUFF_SEND_SIGNALED, 0);
	tuff_swqe_release(&t->qp, t->wqe);
	t->qp.sig_all = true;
	load(t);
	KUNIT_EXPECT_NE(test, t->wqe->flags & TUFF_SEND_SIGNALED, 0);
	tuff_swqe_release(&t->qp, t->wqe);
}

/* librxe has had dma.length wrong; the rest is for a kernel to write. */
static void load_believes_no_derived_field(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 100);

	t->user->dma.num_sge = 2;
	set_sge(&t->user->dma.sge[1], BASE + 0x1000, 23, LKEY);
	t->user->dma.length = 0xffffffff;
	t->user->dma.resid = 7;
	t->user->dma.cur_sge = 99;
	t->user->dma.sge_offset = 0xffffffff;
	t->user->status = 99;
	t->user->state = 99;
	t->user->iova = ~0ULL;
	t->user->mask = ~0;
	t->user->first_psn = ~0;
	t->user->last_psn = ~0;
	t->user->has_rd_atomic = 1;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->length, 123);
	KUNIT_EXPECT_EQ(test, t->wqe->psn, 0);
	KUNIT_EXPECT_EQ(test, t->wqe->npsn, 0);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void load_num_sge_beyond_the_limit(struct kunit *test)
{
	static const u32 counts[] = {
		SGES + 1, 255, 256, 257, 0x10000000, 0x10000001, 0x7fffffff,
		0xffffffff,
	};
	struct wqe_test *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		t = post(test, TUFF_WR_SEND, 8);
		t->user->dma.num_sge = counts[i];
		expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	}
	/* Also where the element, made for inline data, has room for more. */
	t = post(test, TUFF_WR_SEND, 8);
	resize(test, t->bytes + 2 * sizeof(struct rxe_sge));
	t->user->dma.num_sge = SGES + 1;
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_key_gets, 0);
}

/* The ring's element may be smaller than the QP's limits say. */
static void load_num_sge_beyond_the_element(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 8);

	t->user->dma.num_sge = 2;
	resize(test, sizeof(*t->user) + sizeof(struct rxe_sge));
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	t->user->dma.num_sge = 1;
	expect_status(test, TUFF_WC_SUCCESS);
}

static void load_element_shorter_than_its_head(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 8);
	u32 bytes;

	for (bytes = 0; bytes < sizeof(*t->user); bytes++) {
		tuff_swqe_load(&t->qp, t->wqe, t->user, bytes);
		KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_QP_OP_ERR);
		tuff_swqe_release(&t->qp, t->wqe);
	}
}

static void load_empty_sge_is_skipped(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 10);

	t->user->dma.num_sge = 3;
	set_sge(&t->user->dma.sge[0], ~0ULL, 0, 0xbad);
	set_sge(&t->user->dma.sge[1], BASE, 10, LKEY);
	set_sge(&t->user->dma.sge[2], 0, 0, 0);
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_key_gets, 1);
	KUNIT_EXPECT_EQ(test, t->wqe->num_sge, 1);
	KUNIT_EXPECT_EQ(test, t->wqe->sge[0].len, 10);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void load_message_of_no_bytes(struct kunit *test)
{
	static const u8 opcodes[] = {
		TUFF_WR_SEND, TUFF_WR_SEND_WITH_IMM, TUFF_WR_RDMA_WRITE,
		TUFF_WR_RDMA_WRITE_WITH_IMM, TUFF_WR_RDMA_READ,
	};
	struct wqe_test *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		t = post(test, opcodes[i], 0);
		t->user->dma.num_sge = i & 1;
		KUNIT_EXPECT_EQ(test, load(t), TUFF_WC_SUCCESS);
		KUNIT_EXPECT_EQ(test, t->wqe->length, 0);
		KUNIT_EXPECT_EQ(test, t->wqe->num_sge, 0);
		KUNIT_EXPECT_FALSE(test, t->wqe->inline_data);
		tuff_swqe_release(&t->qp, t->wqe);
	}
}

/* 2^31 bytes are a message (IBA 9.4), one more is not. */
static void load_longest_message(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, TUFF_MSG_MAX);

	expect_status(test, TUFF_WC_SUCCESS);

	post(test, TUFF_WR_SEND, TUFF_MSG_MAX + 1);
	expect_status(test, TUFF_WC_LOC_LEN_ERR);

	post(test, TUFF_WR_SEND, TUFF_MSG_MAX);
	t->user->dma.num_sge = 2;
	set_sge(&t->user->dma.sge[1], BASE, 1, LKEY);
	expect_status(test, TUFF_WC_LOC_LEN_ERR);

	/* A sum that wraps in 32 bits. */
	post(test, TUFF_WR_SEND, TUFF_MSG_MAX);
	t->user->dma.num_sge = 3;
	set_sge(&t->user->dma.sge[1], BASE, TUFF_MSG_MAX, LKEY);
	set_sge(&t->user->dma.sge[2], BASE, 8, LKEY);
	expect_status(test, TUFF_WC_LOC_LEN_ERR);
}

static void load_bad_key(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 8);
	u32 bad, i;

	/* In each place; what was found before it is let go. */
	t->user->dma.num_sge = SGES;
	for (bad = 0; bad < SGES; bad++) {
		for (i = 0; i < SGES; i++)
			set_sge(&t->user->dma.sge[i], BASE, 8,
				i == bad ? 0xbad : LKEY);
		expect_status(test, TUFF_WC_LOC_PROT_ERR);
	}
}

/* CVE-2016-8636: address and length wrap. */
static void load_sge_outside_the_region(struct kunit *test)
{
	static const struct {
		u64 addr;
		u32 length;
	} rows[] = {
		{ BASE - 1, 8 },
		{ BASE + 0xffffffff, 1 },
		{ ~0ULL, 2 },
		{ ~0ULL - 6, 8 },
		{ 0, 8 },
	};
	struct wqe_test *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		t = post(test, TUFF_WR_RDMA_WRITE, 0);
		set_sge(&t->user->dma.sge[0], rows[i].addr, rows[i].length,
			LKEY);
		expect_status(test, TUFF_WC_LOC_PROT_ERR);
	}
}

/* What an answer writes must be writable; what is sent need not be. */
static void load_read_only_region(struct kunit *test)
{
	static const struct {
		u8 opcode;
		u8 status;
	} rows[] = {
		{ TUFF_WR_SEND,			TUFF_WC_SUCCESS },
		{ TUFF_WR_SEND_WITH_IMM,	TUFF_WC_SUCCESS },
		{ TUFF_WR_RDMA_WRITE,		TUFF_WC_SUCCESS },
		{ TUFF_WR_RDMA_WRITE_WITH_IMM,	TUFF_WC_SUCCESS },
		{ TUFF_WR_RDMA_READ,		TUFF_WC_LOC_PROT_ERR },
		{ TUFF_WR_ATOMIC_CMP_AND_SWP,	TUFF_WC_LOC_PROT_ERR },
		{ TUFF_WR_ATOMIC_FETCH_AND_ADD,	TUFF_WC_LOC_PROT_ERR },
	};
	struct wqe_test *t;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		t = post(test, rows[i].opcode, 8);
		t->user->dma.sge[0].lkey = LKEY_RO;
		expect_status(test, rows[i].status);
	}
}

static void post_inline(struct kunit *test, u32 opcode, u32 length)
{
	struct wqe_test *t = post(test, opcode, 0);
	u32 i;

	t->user->wr.send_flags = TUFF_SEND_INLINE;
	/* The count of the caller's list: the data are one piece. */
	t->user->dma.num_sge = 3;
	t->user->dma.length = length;
	for (i = 0; i < INLINE; i++)
		t->user->dma.inline_data[i] = i + 1;
}

static void load_inline_data(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	u32 length;

	for (length = 0; length <= INLINE; length++) {
		post_inline(test, TUFF_WR_RDMA_WRITE, length);
		KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
		KUNIT_EXPECT_TRUE(test, t->wqe->inline_data);
		KUNIT_EXPECT_EQ(test, t->wqe->length, length);
		KUNIT_EXPECT_EQ(test, t->wqe->num_sge, 0);
		KUNIT_EXPECT_EQ(test, memcmp(t->wqe->data,
					     t->user->dma.inline_data, length),
				0);
		tuff_swqe_release(&t->qp, t->wqe);
	}
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_key_gets, 0);
}

static void load_inline_too_long(struct kunit *test)
{
	static const u32 lengths[] = {
		INLINE + 1, 256, 65535, 65536, 65536 + INLINE, 0x7fffffff,
		0x80000000, 0xffffffff,
	};
	struct wqe_test *t = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(lengths); i++) {
		post_inline(test, TUFF_WR_SEND, lengths[i]);
		expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	}
	/* Within the limit, but not within the element. */
	post_inline(test, TUFF_WR_SEND, INLINE);
	resize(test, sizeof(*t->user) + INLINE - 1);
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
}

static void load_inline_of_a_request_for_data(struct kunit *test)
{
	static const u8 opcodes[] = {
		TUFF_WR_RDMA_READ, TUFF_WR_ATOMIC_CMP_AND_SWP,
		TUFF_WR_ATOMIC_FETCH_AND_ADD,
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		post_inline(test, opcodes[i], 8);
		expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	}
}

/* ibv_wr_set_inline_data() of librxe: no flag, no SGE, but a length. */
static void load_inline_without_the_flag(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	post_inline(test, TUFF_WR_SEND, 20);
	t->user->wr.send_flags = 0;
	t->user->dma.num_sge = 0;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_TRUE(test, t->wqe->inline_data);
	KUNIT_EXPECT_EQ(test, t->wqe->length, 20);
	KUNIT_EXPECT_EQ(test, t->wqe->data[19], 20);
	tuff_swqe_release(&t->qp, t->wqe);

	t->user->dma.length = INLINE + 1;
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
}

static void load_datagram(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->qp.type = TUFF_QPT_UD;
	post(test, TUFF_WR_SEND, 1024);
	t->user->wr.wr.ud.remote_qpn = 0xab123456;
	t->user->wr.wr.ud.remote_qkey = 0x7fffffff;
	t->user->wr.wr.ud.pkey_index = 9;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->dqpn, 0x123456);
	KUNIT_EXPECT_EQ(test, t->wqe->qkey, 0x7fffffff);
	KUNIT_EXPECT_EQ(test, t->wqe->pkey_index, 9);
	KUNIT_EXPECT_PTR_EQ(test, t->wqe->av, &tuff_kunit_world.avs[0]);
	KUNIT_EXPECT_EQ(test, t->wqe->av->refs, 1);
	tuff_swqe_release(&t->qp, t->wqe);

	/* IBA 10.2.5: the high bit asks for the QP's own Q_Key. */
	t->user->wr.wr.ud.remote_qkey = 0x80000000;
	load(t);
	KUNIT_EXPECT_EQ(test, t->wqe->qkey, QP_QKEY);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void load_datagram_beyond_the_mtu(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->qp.type = TUFF_QPT_UD;
	post(test, TUFF_WR_SEND, 1024);
	expect_status(test, TUFF_WC_SUCCESS);
	post(test, TUFF_WR_SEND, 1025);
	expect_status(test, TUFF_WC_LOC_LEN_ERR);
}

/* Numbers are guessable, and 0 means an address that the user wrote. */
static void load_datagram_without_a_handle(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->qp.type = TUFF_QPT_UD;
	post(test, TUFF_WR_SEND, 8);
	t->user->wr.wr.ud.ah_num = 0;
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_ah_gets, 0);
	t->user->wr.wr.ud.ah_num = AH_NUM + 1;
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
	t->user->wr.wr.ud.ah_num = 0xffffffff;
	expect_status(test, TUFF_WC_LOC_QP_OP_ERR);
}

static void load_connected_takes_no_handle(struct kunit *test)
{
	struct wqe_test *t = post(test, TUFF_WR_SEND, 8);

	t->user->wr.wr.ud.ah_num = AH_NUM;
	KUNIT_ASSERT_EQ(test, load(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_PTR_EQ(test, t->wqe->av, NULL);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_ah_gets, 0);
	tuff_swqe_release(&t->qp, t->wqe);
}

/* Noise in every byte: a record that is whole, and nothing left of it. */
static void load_random_bytes(struct kunit *test)
{
	static const u8 types[] = {
		TUFF_QPT_RC, TUFF_QPT_UC, TUFF_QPT_UD, TUFF_QPT_GSI,
	};
	struct wqe_test *t = test->priv;
	u64 seed = 4;
	int i;

	for (i = 0; i < 20000; i++) {
		u64 dice = tuff_test_random(&seed);

		tuff_test_fill(&seed, t->user, t->bytes);
		t->qp.type = types[dice & 3];
		/* Noise alone would never get past the first check. */
		if (dice & 1 << 4)
			t->user->wr.opcode = dice >> 8 & 0xf;
		if (dice & 1 << 5)
			t->user->dma.num_sge = dice >> 12 & 7;
		if (dice & 1 << 6)
			t->user->dma.length = dice >> 16 & 0x7f;
		if (dice & 1 << 7)
			set_sge(&t->user->dma.sge[dice >> 24 & 3], BASE,
				dice >> 32 & 0xfff, LKEY);
		load(t);
		KUNIT_ASSERT_LE(test, t->wqe->num_sge, SGES);
		KUNIT_ASSERT_LE(test, t->wqe->length, TUFF_MSG_MAX);
		if (t->wqe->inline_data)
			KUNIT_ASSERT_LE(test, t->wqe->length, INLINE);
		tuff_swqe_release(&t->qp, t->wqe);
		KUNIT_ASSERT_EQ(test, tuff_kunit_refs(), 0);
	}
}

static void add_sge_to_a_full_record(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	int i;

	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	for (i = 0; i < SGES; i++)
		tuff_swqe_add_sge(&t->qp, t->wqe, BASE, 8, LKEY);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->length, SGES * 8);
	tuff_swqe_add_sge(&t->qp, t->wqe, BASE, 8, LKEY);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, t->wqe->num_sge, SGES);
	tuff_swqe_release(&t->qp, t->wqe);
}

/* A kernel consumer's list, gathered. */
static void add_inline_gathers(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	tuff_swqe_add_inline(&t->qp, t->wqe, "abc", 3);
	tuff_swqe_add_inline(&t->qp, t->wqe, "", 0);
	tuff_swqe_add_inline(&t->qp, t->wqe, "defg", 4);
	tuff_swqe_check(&t->qp, t->wqe);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->wqe->length, 7);
	KUNIT_EXPECT_EQ(test, memcmp(t->wqe->data, "abcdefg", 7), 0);
}

static void add_inline_beyond_the_limit(struct kunit *test)
{
	static const u8 zeroes[INLINE];
	struct wqe_test *t = test->priv;

	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	tuff_swqe_add_inline(&t->qp, t->wqe, zeroes, INLINE - 1);
	tuff_swqe_add_inline(&t->qp, t->wqe, zeroes, 1);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_SUCCESS);
	tuff_swqe_add_inline(&t->qp, t->wqe, zeroes, 1);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_QP_OP_ERR);
	KUNIT_EXPECT_EQ(test, t->wqe->length, INLINE);
}

/* The bytes of one must never be taken for the pointers of the other. */
static void add_inline_and_sge_do_not_mix(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	tuff_swqe_add_inline(&t->qp, t->wqe, "abc", 3);
	tuff_swqe_add_sge(&t->qp, t->wqe, BASE, 8, LKEY);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_QP_OP_ERR);
	tuff_swqe_release(&t->qp, t->wqe);

	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	tuff_swqe_add_sge(&t->qp, t->wqe, BASE, 8, LKEY);
	tuff_swqe_add_inline(&t->qp, t->wqe, "abc", 3);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_QP_OP_ERR);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void check_keeps_the_first_fault(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	t->qp.type = TUFF_QPT_UD;
	tuff_swqe_init(t->wqe);
	t->wqe->opcode = TUFF_WR_SEND;
	tuff_swqe_add_sge(&t->qp, t->wqe, BASE, 8, 0xbad);
	tuff_swqe_check(&t->qp, t->wqe);
	KUNIT_EXPECT_EQ(test, t->wqe->status, TUFF_WC_LOC_PROT_ERR);
	tuff_swqe_release(&t->qp, t->wqe);
}

static void post_recv(struct kunit *test, u32 num_sge)
{
	struct wqe_test *t = test->priv;
	u32 i;

	memset(t->recv, 0, t->recv_bytes);
	t->recv->wr_id = 0xfedcba0987654321ULL;
	t->recv->dma.num_sge = num_sge;
	for (i = 0; i < SGES; i++)
		set_sge(&t->recv->dma.sge[i], BASE + 256 * i, 100 + i, LKEY);
}

static u8 load_recv(struct wqe_test *t)
{
	tuff_rwqe_load(&t->qp, t->rwqe, t->recv, t->recv_bytes, SGES);
	return t->rwqe->status;
}

static void recv_load_fields(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	post_recv(test, SGES);
	t->recv->dma.length = 1;
	KUNIT_ASSERT_EQ(test, load_recv(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->rwqe->wr_id, 0xfedcba0987654321ULL);
	KUNIT_EXPECT_EQ(test, t->rwqe->num_sge, SGES);
	KUNIT_EXPECT_EQ(test, t->rwqe->length, 100 + 101 + 102 + 103);
	KUNIT_EXPECT_EQ(test, t->rwqe->sge[3].addr, BASE + 768);
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), SGES);
	tuff_rwqe_release(&t->qp, t->rwqe);
}

static void recv_load_num_sge_beyond_limits(struct kunit *test)
{
	static const u32 counts[] = {
		SGES + 1, 256, 257, 0x10000001, 0xffffffff,
	};
	struct wqe_test *t = test->priv;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		post_recv(test, counts[i]);
		KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_LOC_QP_OP_ERR);
		KUNIT_EXPECT_EQ(test, t->rwqe->wr_id, 0xfedcba0987654321ULL);
		tuff_rwqe_release(&t->qp, t->rwqe);
	}
	post_recv(test, 2);
	t->recv_bytes = sizeof(*t->recv) + sizeof(struct rxe_sge);
	KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_LOC_QP_OP_ERR);
	tuff_rwqe_release(&t->qp, t->rwqe);
	t->recv_bytes = sizeof(*t->recv) - 1;
	KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_LOC_QP_OP_ERR);
	tuff_rwqe_release(&t->qp, t->rwqe);
}

static void recv_load_bad_key(struct kunit *test)
{
	struct wqe_test *t = test->priv;

	post_recv(test, SGES);
	t->recv->dma.sge[2].lkey = LKEY_RO;
	KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 2);
	tuff_rwqe_release(&t->qp, t->rwqe);

	/* Of an empty piece the key is not looked at. */
	t->recv->dma.sge[2].length = 0;
	KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->rwqe->num_sge, 3);
	tuff_rwqe_release(&t->qp, t->rwqe);
}

/* More room than a message can need is no fault and no wrap. */
static void recv_load_capacity_saturates(struct kunit *test)
{
	struct wqe_test *t = test->priv;
	u32 i;

	post_recv(test, SGES);
	for (i = 0; i < SGES; i++)
		set_sge(&t->recv->dma.sge[i], BASE, 0xfffffff0, LKEY);
	KUNIT_EXPECT_EQ(test, load_recv(t), TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, t->rwqe->length, 0xffffffff);
	tuff_rwqe_release(&t->qp, t->rwqe);
}

static void wc_opcode_rows(struct kunit *test)
{
	static const struct {
		u8 wr;
		u8 wc;
	} rows[] = {
		{ TUFF_WR_RDMA_WRITE,		TUFF_WC_RDMA_WRITE },
		{ TUFF_WR_RDMA_WRITE_WITH_IMM,	TUFF_WC_RDMA_WRITE },
		{ TUFF_WR_SEND,			TUFF_WC_SEND },
		{ TUFF_WR_SEND_WITH_IMM,	TUFF_WC_SEND },
		{ TUFF_WR_RDMA_READ,		TUFF_WC_RDMA_READ },
		{ TUFF_WR_ATOMIC_CMP_AND_SWP,	TUFF_WC_COMP_SWAP },
		{ TUFF_WR_ATOMIC_FETCH_AND_ADD,	TUFF_WC_FETCH_ADD },
		{ TUFF_WR_SEND_WITH_INV,	TUFF_WC_SEND },
		{ TUFF_WR_NONE,			TUFF_WC_SEND },
	};
	struct tuff_swqe wqe = { };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		wqe.opcode = rows[i].wr;
		KUNIT_EXPECT_EQ_MSG(test, tuff_wc_opcode(&wqe), rows[i].wc,
				    "row %zu", i);
	}
}

static struct kunit_case tuff_wqe_cases[] = {
	KUNIT_CASE(size_covers_both_kinds_of_data),
	KUNIT_CASE(load_opcodes_of_each_service),
	KUNIT_CASE(load_opcode_is_not_cut),
	KUNIT_CASE(load_write_fields),
	KUNIT_CASE(load_atomic_fields),
	KUNIT_CASE(load_atomic_is_eight_bytes),
	KUNIT_CASE(load_sig_all_signals),
	KUNIT_CASE(load_believes_no_derived_field),
	KUNIT_CASE(load_num_sge_beyond_the_limit),
	KUNIT_CASE(load_num_sge_beyond_the_element),
	KUNIT_CASE(load_element_shorter_than_its_head),
	KUNIT_CASE(load_empty_sge_is_skipped),
	KUNIT_CASE(load_message_of_no_bytes),
	KUNIT_CASE(load_longest_message),
	KUNIT_CASE(load_bad_key),
	KUNIT_CASE(load_sge_outside_the_region),
	KUNIT_CASE(load_read_only_region),
	KUNIT_CASE(load_inline_data),
	KUNIT_CASE(load_inline_too_long),
	KUNIT_CASE(load_inline_of_a_request_for_data),
	KUNIT_CASE(load_inline_without_the_flag),
	KUNIT_CASE(load_datagram),
	KUNIT_CASE(load_datagram_beyond_the_mtu),
	KUNIT_CASE(load_datagram_without_a_handle),
	KUNIT_CASE(load_connected_takes_no_handle),
	KUNIT_CASE(load_random_bytes),
	KUNIT_CASE(add_sge_to_a_full_record),
	KUNIT_CASE(add_inline_gathers),
	KUNIT_CASE(add_inline_beyond_the_limit),
	KUNIT_CASE(add_inline_and_sge_do_not_mix),
	KUNIT_CASE(check_keeps_the_first_fault),
	KUNIT_CASE(recv_load_fields),
	KUNIT_CASE(recv_load_num_sge_beyond_limits),
	KUNIT_CASE(recv_load_bad_key),
	KUNIT_CASE(recv_load_capacity_saturates),
	KUNIT_CASE(wc_opcode_rows),
	{}
};

static struct kunit_suite tuff_wqe_suite = {
	.name = "tuff_wqe",
	.init = wqe_init,
	.exit = tuff_kunit_world_check,
	.test_cases = tuff_wqe_cases,
};

kunit_test_suite(tuff_wqe_suite);
