// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/run.c: whose packet is it, and may it be taken now */
#include "engine/qp.h"

#include <kunit/test.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "proto_kunit.h"

static const u8 types[] = { TUFF_QPT_RC, TUFF_QPT_UC, TUFF_QPT_UD };
static const u8 transports[] = { 0x00, 0x20, 0x60 };

/* A SEND ONLY of each transport to a QP of each type. */
static void receive_transport(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(types); i++)
		for (k = 0; k < ARRAY_SIZE(transports); k++) {
			p->qp.type = types[i];
			proto_restart(p);
			p->next.qkey = p->qp.attr.qkey;
			proto_post_recv(p, 100);
			proto_receive(p, transports[k] | TUFF_OP_SEND_ONLY,
				      PROTO_RQ_PSN, 8);
			KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop,
					    i == k ? TUFF_CNT_NONE :
					    TUFF_CNT_DROP_TRANSPORT,
					    "%zu %zu", i, k);
			KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes,
					i == k);
		}
}

/* IBA 10.3.1: which states take requests, which take responses. */
static void receive_in_each_state(struct kunit *test)
{
	static const struct {
		u8 state;
		bool request;
		bool response;
	} rows[] = {
		{ TUFF_QPS_RESET,	false,	false },
		{ TUFF_QPS_INIT,	false,	false },
		{ TUFF_QPS_RTR,		true,	false },
		{ TUFF_QPS_RTS,		true,	true },
		{ TUFF_QPS_SQD,		true,	true },
		{ TUFF_QPS_SQE,		true,	false },
		{ TUFF_QPS_ERR,		false,	false },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		tuff_qp_set_state(&p->qp, rows[i].state);
		tuff_kunit_forget();
		p->next.dmalen = 8;
		proto_receive(p, TUFF_OP_WRITE_ONLY, p->qp.responder.epsn, 8);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop !=
				    TUFF_CNT_DROP_QP_STATE, rows[i].request,
				    "state %u", rows[i].state);
		KUNIT_EXPECT_EQ(test, p->bytes[0] == 1, rows[i].request);
		tuff_kunit_forget();
		proto_receive_ack(p, PROTO_SQ_PSN, 0x1f);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop !=
				    TUFF_CNT_DROP_QP_STATE, rows[i].response,
				    "state %u", rows[i].state);
	}
}

/* IBA 10.9.3: the same partition, and one of the two a full member. */
static void receive_pkey(struct kunit *test)
{
	static const struct {
		u16 ours;
		u16 theirs;
		bool match;
	} rows[] = {
		{ 0xffff, 0xffff, true },
		{ 0xffff, 0x7fff, true },
		{ 0x7fff, 0xffff, true },
		{ 0x7fff, 0x7fff, false },
		{ 0xffff, 0x8001, false },
		{ 0x8001, 0x0001, true },
		{ 0x8001, 0x0002, false },
		{ 0xffff, 0x0000, false },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		p->qp.attr.pkey = rows[i].ours;
		proto_restart(p);
		p->next.pkey = rows[i].theirs;
		p->next.dmalen = 8;
		proto_receive(p, TUFF_OP_WRITE_ONLY, PROTO_RQ_PSN, 8);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop,
				    rows[i].match ? TUFF_CNT_NONE :
				    TUFF_CNT_DROP_PKEY, "row %zu", i);
	}
}

static void receive_qkey(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UD);

	proto_post_recv(p, 100);
	p->next.qkey = p->qp.attr.qkey ^ 1;
	proto_receive(p, 0x64, 0, 8);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_QKEY);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
}

/* Connected: from the peer's address or from nobody's. */
static void receive_from_a_stranger(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	tuff_kunit_world.foreign = true;
	p->next.dmalen = 8;
	proto_receive(p, TUFF_OP_WRITE_ONLY, PROTO_RQ_PSN, 8);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_SOURCE);
	proto_receive_ack(p, PROTO_SQ_PSN, 0x62);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.counts[TUFF_CNT_DROP_SOURCE],
			2);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, PROTO_RQ_PSN);
	KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
}

/* A congestion notification changes nothing of the protocol. */
static void receive_cnp(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_receive(p, TUFF_OPCODE_CNP, 0, 0);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, PROTO_RQ_PSN);
	KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
}

/* States in which nothing may leave. */
static void run_sends_only_where_it_may(struct kunit *test)
{
	static const u8 states[] = {
		TUFF_QPS_RESET, TUFF_QPS_INIT, TUFF_QPS_RTR, TUFF_QPS_SQD,
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		proto_restart(p);
		tuff_qp_set_state(&p->qp, states[i]);
		proto_post(p, TUFF_WR_SEND, 8);
		proto_run(p);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.nr_txs, 0,
				    "state %u", states[i]);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	}
}

/* What a peer on this host lent does not wait for an end of what is here. */
static void run_serves_a_peer_beside_all_else(struct kunit *test)
{
	static const u8 states[] = { TUFF_QPS_RTS, TUFF_QPS_ERR };
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	struct tuff_swqe lent;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(states); i++) {
		proto_restart(p);
		proto_post(p, TUFF_WR_SEND, 8);
		proto_post(p, TUFF_WR_SEND, 8);
		tuff_qp_set_state(&p->qp, states[i]);
		memset(&lent, 0, sizeof(lent));
		tuff_kunit_world.lent = &lent;
		KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 1));
		KUNIT_EXPECT_PTR_EQ(test, tuff_kunit_world.lent, NULL);
		KUNIT_EXPECT_EQ(test, lent.loop_answer, TUFF_LOOP_PACKETS);
	}
}

/* A peer that reads and reads does not keep a request from leaving. */
static void run_sends_requests_beside_answers(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i, sends = 0;

	p->next.va = PROTO_BASE;
	p->next.dmalen = PROTO_SIZE;
	proto_receive(p, TUFF_OP_READ_REQUEST, PROTO_RQ_PSN, 0);
	proto_post(p, TUFF_WR_SEND, 8);
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 4));
	KUNIT_EXPECT_TRUE(test, tuff_qp_run(&p->qp, 4));
	for (i = 0; i < tuff_kunit_world.nr_txs; i++)
		sends += proto_tx(p, i)->hdr.opcode == TUFF_OP_SEND_ONLY;
	KUNIT_EXPECT_EQ(test, sends, 1);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 9);
}

static struct kunit_case tuff_run_cases[] = {
	KUNIT_CASE(receive_transport),
	KUNIT_CASE(receive_in_each_state),
	KUNIT_CASE(receive_pkey),
	KUNIT_CASE(receive_qkey),
	KUNIT_CASE(receive_from_a_stranger),
	KUNIT_CASE(receive_cnp),
	KUNIT_CASE(run_sends_only_where_it_may),
	KUNIT_CASE(run_serves_a_peer_beside_all_else),
	KUNIT_CASE(run_sends_requests_beside_answers),
	{}
};

static struct kunit_suite tuff_run_suite = {
	.name = "tuff_run",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_run_cases,
};

kunit_test_suite(tuff_run_suite);
