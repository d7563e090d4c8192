// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/ud.c: datagrams */
#include "engine/ud.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "proto_kunit.h"

#define UD_SEND		0x64
#define UD_SEND_IMM	0x65
#define GRH		40

static struct tuff_proto *ud_new(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UD);

	p->next.qkey = p->qp.attr.qkey;
	p->next.sqpn = 0x33;
	tuff_kunit_av_add(1);
	return p;
}

static struct tuff_swqe *ud_post(struct tuff_proto *p, u32 len)
{
	struct tuff_swqe *wqe = proto_post(p, TUFF_WR_SEND, len);

	/* proto_post() knows of no address. */
	wqe->status = TUFF_WC_SUCCESS;
	wqe->av = &tuff_kunit_world.avs[0];
	wqe->av->refs++;
	wqe->dqpn = 0x44;
	wqe->qkey = 0x5555;
	return wqe;
}

static void send_and_done(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);
	u32 i;

	for (i = 0; i < 3; i++)
		ud_post(p, 100);
	proto_run(p);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_txs, 3);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 3);
	for (i = 0; i < 3; i++) {
		const struct tuff_hdr *hdr = &proto_tx(p, i)->hdr;

		KUNIT_EXPECT_EQ(test, hdr->opcode, UD_SEND);
		KUNIT_EXPECT_EQ(test, hdr->psn, PROTO_SQ_PSN + i);
		KUNIT_EXPECT_EQ(test, hdr->dqpn, 0x44);
		KUNIT_EXPECT_EQ(test, hdr->sqpn, PROTO_QPN);
		KUNIT_EXPECT_EQ(test, hdr->qkey, 0x5555);
		KUNIT_EXPECT_FALSE(test, hdr->ackreq);
		KUNIT_EXPECT_EQ(test, proto_cqe(p, i)->status,
				TUFF_WC_SUCCESS);
	}
	KUNIT_EXPECT_EQ(test, p->qp.nr_sq, 0);
}

static void send_with_imm(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);
	struct tuff_swqe *wqe = ud_post(p, 3);

	wqe->opcode = TUFF_WR_SEND_WITH_IMM;
	wqe->imm = (__force __be32)0x01020304;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.opcode, UD_SEND_IMM);
	KUNIT_EXPECT_EQ(test, (__force u32)proto_tx(p, 0)->hdr.imm,
			0x01020304);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.pad, 1);
}

static void send_when_transmit_is_full(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);

	ud_post(p, 100);
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	tuff_kunit_world.tx_ret = 0;
	KUNIT_EXPECT_TRUE(test, proto_timer(p));
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 1);
	KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, PROTO_SQ_PSN);
}

static void send_error_stops_the_send_queue(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);

	ud_post(p, 100);
	ud_post(p, 100);
	tuff_kunit_world.tx_ret = -EFAULT;
	proto_run(p);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_SQE);
	KUNIT_ASSERT_EQ(test, tuff_kunit_world.nr_cqes, 2);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_PROT_ERR);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 1)->status, TUFF_WC_WR_FLUSH_ERR);
}

static void handle_behind_a_grh(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);
	const struct tuff_cqe *cqe;

	proto_post_recv(p, GRH + 100);
	p->next.imm = (__force __be32)7;
	p->next.solicited = true;
	proto_receive(p, UD_SEND_IMM, 1234, 100);
	cqe = proto_cqe(p, 0);
	KUNIT_EXPECT_EQ(test, cqe->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, cqe->byte_len, GRH + 100);
	KUNIT_EXPECT_EQ(test, cqe->flags, TUFF_WC_GRH | TUFF_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, (__force u32)cqe->imm, 7);
	KUNIT_EXPECT_EQ(test, cqe->src_qp, 0x33);
	KUNIT_EXPECT_TRUE(test, cqe->solicited);
	KUNIT_EXPECT_EQ(test, p->bytes[GRH - 1], 0x60);
	KUNIT_EXPECT_EQ(test, p->bytes[GRH], 1);
	KUNIT_EXPECT_EQ(test, p->bytes[GRH + 99], 100);
	KUNIT_EXPECT_EQ(test, p->bytes[GRH + 100], 0);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
}

/* CVE-2024-40992: too large for its buffer: dropped, the buffer stays. */
static void handle_too_long(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);

	proto_post_recv(p, GRH + 99);
	proto_receive(p, UD_SEND, 1, 100);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_UD_LENGTH);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
	KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
	proto_receive(p, UD_SEND, 2, 99);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_SUCCESS);
}

static void handle_no_buffer(struct kunit *test)
{
	struct tuff_proto *p = ud_new(test);

	proto_receive(p, UD_SEND, 1, 100);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop,
			TUFF_CNT_DROP_UD_NO_BUFFER);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
}

/* Any PSN: datagrams have no order. */
static void handle_any_psn(struct kunit *test)
{
	static const u32 psns[] = { 5, 4, 5, 0x800000, 0xffffff, 0 };
	struct tuff_proto *p = ud_new(test);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(psns); i++) {
		proto_post_recv(p, 200);
		proto_receive(p, UD_SEND, psns[i], 8);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, i + 1);
	}
}

static struct kunit_case tuff_ud_cases[] = {
	KUNIT_CASE(send_and_done),
	KUNIT_CASE(send_with_imm),
	KUNIT_CASE(send_when_transmit_is_full),
	KUNIT_CASE(send_error_stops_the_send_queue),
	KUNIT_CASE(handle_behind_a_grh),
	KUNIT_CASE(handle_too_long),
	KUNIT_CASE(handle_no_buffer),
	KUNIT_CASE(handle_any_psn),
	{}
};

static struct kunit_suite tuff_ud_suite = {
	.name = "tuff_ud",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_ud_cases,
};

kunit_test_suite(tuff_ud_suite);
