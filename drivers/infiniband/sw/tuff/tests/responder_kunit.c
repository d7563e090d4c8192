// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of engine/responder.c, execute.c, ack.c: every request */
#include "engine/responder.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "engine/psn.h"
#include "proto_kunit.h"

#define FIRST_PSN	PROTO_RQ_PSN
#define ACK		0x1f
#define NAK_SEQ		0x60
#define NAK_INVALID	0x61
#define NAK_ACCESS	0x62
#define NAK_OPERATION	0x63

/* Opcodes of requests, without their transport. */
#define NR_OPS		0x15

static bool is_request(u32 op)
{
	return op < 0x0d || op == 0x13 || op == 0x14;
}

/* A length and a RETH that fit the opcode in a message of 256 + 100 bytes. */
static u32 good_length(struct tuff_proto *p, u32 op)
{
	u8 position = tuff_opcodes[op].position;

	p->next.dmalen = position == TUFF_POS_FIRST ? PROTO_MTU + 100 : 100;
	switch (position) {
	case TUFF_POS_FIRST:
	case TUFF_POS_MIDDLE:
		return PROTO_MTU;
	case TUFF_POS_NONE:
		return 0;
	default:
		return 100;
	}
}

/* Bring the responder into the middle of a message, or not. */
static u32 enter(struct tuff_proto *p, u8 state, u32 op, u8 transport)
{
	u32 psn = FIRST_PSN;

	proto_post_recv(p, 4096);
	if (state == TUFF_RESPONDER_IDLE)
		return psn;
	p->next.dmalen = PROTO_MTU + 100;
	if (tuff_opcodes[op].position == TUFF_POS_MIDDLE)
		p->next.dmalen += PROTO_MTU;
	proto_receive(p, transport | (state == TUFF_RESPONDER_SEND ?
				      TUFF_OP_SEND_FIRST : TUFF_OP_WRITE_FIRST),
		      psn, PROTO_MTU);
	KUNIT_ASSERT_EQ(p->test, p->qp.responder.state, state);
	proto_run(p);
	tuff_kunit_forget();
	return psn + 1;
}

/* IBA 9.7.4.1.3, table 39: what may come after what. */
static bool may_follow(u8 state, u32 op)
{
	switch (state) {
	case TUFF_RESPONDER_SEND:
		return op >= 0x01 && op <= 0x03;
	case TUFF_RESPONDER_WRITE:
		return op >= 0x07 && op <= 0x09;
	default:
		return op == 0x00 || op == 0x04 || op == 0x05 || op == 0x06 ||
		       (op >= 0x0a && op <= 0x0c) || op == 0x13 || op == 0x14;
	}
}

static void expect_nak(struct tuff_proto *p, u8 syndrome, u32 psn)
{
	static const u8 events[] = {
		[NAK_INVALID - NAK_SEQ] = TUFF_EVENT_QP_REQ_ERR,
		[NAK_ACCESS - NAK_SEQ] = TUFF_EVENT_QP_ACCESS_ERR,
		[NAK_OPERATION - NAK_SEQ] = TUFF_EVENT_QP_FATAL,
	};
	const struct tuff_kunit_tx *tx;

	proto_run(p);
	tx = proto_tx(p, 0);
	KUNIT_EXPECT_EQ(p->test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.opcode, TUFF_OP_ACK);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.syndrome, syndrome);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.psn, psn);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.dqpn, PROTO_PEER);
	if (syndrome == NAK_SEQ)
		return;
	KUNIT_EXPECT_EQ(p->test, p->qp.state, TUFF_QPS_ERR);
	KUNIT_EXPECT_TRUE(p->test, proto_only_event(events[syndrome -
							   NAK_SEQ]));
}

static void expect_ack(struct tuff_proto *p, u32 psn)
{
	const struct tuff_kunit_tx *tx;

	proto_run(p);
	tx = proto_tx(p, 0);
	KUNIT_EXPECT_EQ(p->test, tuff_kunit_world.nr_txs, 1);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.opcode, TUFF_OP_ACK);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.syndrome, ACK);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.psn, psn);
	KUNIT_EXPECT_EQ(p->test, tx->hdr.msn, p->qp.responder.msn);
	KUNIT_EXPECT_EQ(p->test, p->qp.state, TUFF_QPS_RTS);
}

static void expect_order(struct tuff_proto *p, u32 state, u32 op)
{
	u32 psn;

	proto_restart(p);
	psn = enter(p, state, op, TUFF_TRANSPORT_RC);
	proto_receive(p, op, psn, good_length(p, op));
	if (!may_follow(state, op)) {
		expect_nak(p, NAK_INVALID, psn);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(p->test, p->qp.responder.epsn, psn + 1, "%u %#x",
			    state, op);
	proto_run(p);
	KUNIT_EXPECT_EQ(p->test, p->qp.state, TUFF_QPS_RTS);
	KUNIT_EXPECT_EQ(p->test, tuff_kunit_world.nr_txs, 1);
}

static void handle_rc_every_opcode_in_every_state(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 state, op;

	for (state = 0; state <= TUFF_RESPONDER_WRITE; state++)
		for (op = 0; op < NR_OPS; op++)
			if (is_request(op))
				expect_order(p, state, op);
}

/* IBA 9.8.2.2: a wrong packet ends its message, and nothing else. */
static void handle_uc_every_opcode_in_every_state(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);
	u32 state, op, psn;
	bool taken;

	for (state = 0; state <= TUFF_RESPONDER_WRITE; state++)
		for (op = 0; op <= 0x0b; op++) {
			proto_restart(p);
			psn = enter(p, state, op, TUFF_TRANSPORT_UC);
			proto_receive(p, TUFF_TRANSPORT_UC | op, psn,
				      good_length(p, op));
			/* What starts a message is taken in any state. */
			taken = may_follow(state, op) ||
				may_follow(TUFF_RESPONDER_IDLE, op);
			KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.drop ==
					    TUFF_CNT_NONE, taken, "%u %#x",
					    state, op);
			proto_run(p);
			KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, psn + 1);
			KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
			KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
			KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_events, 0);
		}
}

/* IBA 9.7.4.1.6: payload by position. */
static void handle_rc_every_position_and_length(struct kunit *test)
{
	static const u32 lengths[] = {
		0, 1, 4, PROTO_MTU - 4, PROTO_MTU - 1, PROTO_MTU,
		PROTO_MTU + 1, 2 * PROTO_MTU, 4096,
	};
	static const struct {
		u8 op;
		u8 state;
		u32 min;
		u32 max;
	} rows[] = {
		{ 0x00, TUFF_RESPONDER_IDLE, PROTO_MTU, PROTO_MTU },
		{ 0x01, TUFF_RESPONDER_SEND, PROTO_MTU, PROTO_MTU },
		{ 0x02, TUFF_RESPONDER_SEND, 1, PROTO_MTU },
		{ 0x03, TUFF_RESPONDER_SEND, 1, PROTO_MTU },
		{ 0x04, TUFF_RESPONDER_IDLE, 0, PROTO_MTU },
		{ 0x05, TUFF_RESPONDER_IDLE, 0, PROTO_MTU },
		{ 0x06, TUFF_RESPONDER_IDLE, PROTO_MTU, PROTO_MTU },
		{ 0x0a, TUFF_RESPONDER_IDLE, 0, PROTO_MTU },
		{ 0x0b, TUFF_RESPONDER_IDLE, 0, PROTO_MTU },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i, k;
	u32 psn;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		for (k = 0; k < ARRAY_SIZE(lengths); k++) {
			u32 len = lengths[k];
			bool good = len >= rows[i].min && len <= rows[i].max;

			proto_restart(p);
			psn = enter(p, rows[i].state, rows[i].op, 0);
			/* The RETH agrees with the packet: blameless. */
			p->next.dmalen = len;
			if (rows[i].op == 0x06)
				p->next.dmalen += 10;
			proto_receive(p, rows[i].op, psn, len);
			if (good)
				KUNIT_EXPECT_EQ_MSG(test, p->qp.responder.epsn,
						    psn + 1, "%#x %u",
						    rows[i].op, len);
			else
				expect_nak(p, NAK_INVALID, psn);
		}
}

/* IBA 9.7.4.1.5: RETH length against the packets that come. */
static void handle_write_length_of_reth(struct kunit *test)
{
	static const struct {
		u32 dmalen;
		u8 op;
		u32 len;
		u8 syndrome;
	} rows[] = {
		{ 100,			0x0a, 100,	 ACK },
		{ 101,			0x0a, 100,	 NAK_INVALID },
		{ 99,			0x0a, 100,	 NAK_INVALID },
		{ 0,			0x0a, 100,	 NAK_INVALID },
		{ 0,			0x0a, 0,	 ACK },
		{ PROTO_MTU,		0x06, PROTO_MTU, NAK_INVALID },
		{ PROTO_MTU - 1,	0x06, PROTO_MTU, NAK_INVALID },
		{ 0,			0x06, PROTO_MTU, NAK_INVALID },
		{ PROTO_MTU + 1,	0x06, PROTO_MTU, ACK },
		{ PROTO_SIZE,		0x06, PROTO_MTU, ACK },
		{ PROTO_SIZE + 1,	0x06, PROTO_MTU, NAK_ACCESS },
		{ 0x80000000,		0x06, PROTO_MTU, NAK_ACCESS },
		{ 0x80000001,		0x06, PROTO_MTU, NAK_INVALID },
		{ 0xffffffff,		0x06, PROTO_MTU, NAK_INVALID },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		p->next.dmalen = rows[i].dmalen;
		proto_receive(p, rows[i].op, FIRST_PSN, rows[i].len);
		if (rows[i].syndrome == ACK)
			expect_ack(p, FIRST_PSN);
		else
			expect_nak(p, rows[i].syndrome, FIRST_PSN);
	}
}

/* Later packets of a WRITE: what is left decides. */
static void handle_write_ends_early_or_late(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 len;
		u8 syndrome;
	} rows[] = {	/* 100 bytes are left */
		{ 0x08, 100,		ACK },
		{ 0x08, 99,		NAK_INVALID },
		{ 0x08, 101,		NAK_INVALID },
		{ 0x07, PROTO_MTU,	NAK_INVALID },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;
	u32 psn;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		psn = enter(p, TUFF_RESPONDER_WRITE, 0x08, 0);
		memset(p->bytes, 0, sizeof(p->bytes));
		proto_receive(p, rows[i].op, psn, rows[i].len);
		if (rows[i].syndrome == ACK) {
			expect_ack(p, psn);
			KUNIT_EXPECT_EQ(test, p->bytes[256], 1);
			KUNIT_EXPECT_EQ(test, p->bytes[355], 100);
		} else {
			expect_nak(p, rows[i].syndrome, psn);
			KUNIT_EXPECT_EQ(test, p->bytes[256], 0);
		}
		KUNIT_EXPECT_EQ(test, p->bytes[356], 0);
	}
}

static void handle_keys(struct kunit *test)
{
	static const struct {
		u8 op;
		u32 rkey;
		u64 va;
		u32 dmalen;
		u8 syndrome;
	} rows[] = {
		{ 0x0a, PROTO_KEY,	PROTO_BASE,	100, ACK },
		{ 0x0a, 0xbad,		PROTO_BASE,	100, NAK_ACCESS },
		{ 0x0a, PROTO_KEY_RO,	PROTO_BASE,	100, NAK_ACCESS },
		{ 0x0a, PROTO_KEY_GONE,	PROTO_BASE,	100, NAK_ACCESS },
		{ 0x0a, PROTO_KEY,	PROTO_BASE - 1,	100, NAK_ACCESS },
		{ 0x0a, PROTO_KEY,	PROTO_BASE + PROTO_SIZE - 99, 100,
		  NAK_ACCESS },
		{ 0x0a, PROTO_KEY,	~0ULL - 50,	100, NAK_ACCESS },
		{ 0x0a, 0xbad,		~0ULL,		0,   ACK },
		{ 0x0c, PROTO_KEY_RO,	PROTO_BASE,	100, ACK },
		{ 0x0c, 0xbad,		PROTO_BASE,	100, NAK_ACCESS },
		{ 0x0c, PROTO_KEY,	~0ULL - 50,	100, NAK_ACCESS },
		{ 0x0c, 0xbad,		~0ULL,		0,   ACK },
		{ 0x0c, PROTO_KEY,	PROTO_BASE, 0x80000001, NAK_INVALID },
		{ 0x13, PROTO_KEY,	PROTO_BASE + 8,	0,   ACK },
		{ 0x13, PROTO_KEY_RO,	PROTO_BASE,	0,   NAK_ACCESS },
		{ 0x14, PROTO_KEY_GONE,	PROTO_BASE,	0,   NAK_ACCESS },
		{ 0x14, PROTO_KEY,	PROTO_BASE + 4,	0,   NAK_INVALID },
		{ 0x14, PROTO_KEY,	PROTO_BASE + 1,	0,   NAK_INVALID },
		{ 0x14, 0xbad,		PROTO_BASE + 1,	0,   NAK_INVALID },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		proto_restart(p);
		p->next.rkey = rows[i].rkey;
		p->next.va = rows[i].va;
		p->next.dmalen = rows[i].dmalen;
		proto_receive(p, rows[i].op, FIRST_PSN,
			      rows[i].op == 0x0a ? rows[i].dmalen : 0);
		if (rows[i].syndrome == ACK)
			KUNIT_EXPECT_EQ_MSG(test, p->qp.responder.msn, 1,
					    "row %zu", i);
		else
			expect_nak(p, rows[i].syndrome, FIRST_PSN);
	}
}

static void handle_operation_not_enabled(struct kunit *test)
{
	static const u8 ops[] = { 0x06, 0x0a, 0x0b, 0x0c, 0x13, 0x14 };
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	p->qp.attr.access = 0;
	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		proto_restart(p);
		proto_receive(p, ops[i], FIRST_PSN, good_length(p, ops[i]));
		expect_nak(p, NAK_INVALID, FIRST_PSN);
	}
	proto_restart(p);
	proto_post_recv(p, 100);
	proto_receive(p, 0x04, FIRST_PSN, 100);
	expect_ack(p, FIRST_PSN);
}

static void handle_send_completes(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	const struct tuff_cqe *cqe;

	proto_post_recv(p, 600)->wr_id = 42;
	p->next.ackreq = false;
	proto_receive(p, 0x00, FIRST_PSN, PROTO_MTU);
	proto_receive(p, 0x01, FIRST_PSN + 1, PROTO_MTU);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	p->next.ackreq = true;
	p->next.solicited = true;
	p->next.imm = (__force __be32)0x11223344;
	proto_receive(p, 0x03, FIRST_PSN + 2, 50);
	expect_ack(p, FIRST_PSN + 2);
	cqe = proto_cqe(p, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 1);
	KUNIT_EXPECT_EQ(test, cqe->wr_id, 42);
	KUNIT_EXPECT_EQ(test, cqe->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, cqe->opcode, TUFF_WC_RECV);
	KUNIT_EXPECT_EQ(test, cqe->byte_len, 2 * PROTO_MTU + 50);
	KUNIT_EXPECT_EQ(test, cqe->flags, TUFF_WC_WITH_IMM);
	KUNIT_EXPECT_EQ(test, (__force u32)cqe->imm, 0x11223344);
	KUNIT_EXPECT_TRUE(test, cqe->solicited);
	KUNIT_EXPECT_EQ(test, p->bytes[2 * PROTO_MTU + 49], 50);
	KUNIT_EXPECT_EQ(test, p->bytes[2 * PROTO_MTU + 50], 0);
}

static void handle_write_imm_completes(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	const struct tuff_cqe *cqe;

	proto_post_recv(p, 0)->wr_id = 43;
	p->next.dmalen = 300;
	proto_receive(p, 0x06, FIRST_PSN, PROTO_MTU);
	proto_receive(p, 0x09, FIRST_PSN + 1, 44);
	cqe = proto_cqe(p, 0);
	KUNIT_EXPECT_EQ(test, cqe->wr_id, 43);
	KUNIT_EXPECT_EQ(test, cqe->opcode, TUFF_WC_RECV_RDMA_WITH_IMM);
	KUNIT_EXPECT_EQ(test, cqe->byte_len, 300);
	KUNIT_EXPECT_EQ(test, cqe->flags, TUFF_WC_WITH_IMM);
	expect_ack(p, FIRST_PSN + 1);
}

/* IBA 9.9.6.3: too long for the receive request. */
static void handle_send_too_long(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post_recv(p, 99);
	proto_receive(p, 0x04, FIRST_PSN, 100);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
	expect_nak(p, NAK_INVALID, FIRST_PSN);
}

static void handle_send_too_long_in_its_last_packet(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post_recv(p, PROTO_MTU + 10);
	proto_receive(p, 0x00, FIRST_PSN, PROTO_MTU);
	proto_receive(p, 0x02, FIRST_PSN + 1, 11);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_LEN_ERR);
	KUNIT_EXPECT_EQ(test, p->bytes[PROTO_MTU], 0);
	expect_nak(p, NAK_INVALID, FIRST_PSN + 1);
}

/* UC: the message is lost, the receive request waits for the next. */
static void handle_uc_send_too_long(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);

	proto_post_recv(p, 99);
	proto_receive(p, 0x24, FIRST_PSN, 100);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
	proto_receive(p, 0x24, FIRST_PSN + 1, 99);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_SUCCESS);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->byte_len, 99);
}

/* A receive request that was wrong when it was posted. */
static void handle_send_into_a_bad_request(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post_recv(p, 100)->status = TUFF_WC_LOC_PROT_ERR;
	proto_receive(p, 0x04, FIRST_PSN, 100);
	KUNIT_EXPECT_EQ(test, proto_cqe(p, 0)->status, TUFF_WC_LOC_PROT_ERR);
	expect_nak(p, NAK_OPERATION, FIRST_PSN);
}

/* IBA 9.7.5.2.8: not ready, silence, and then the same packet. */
static void handle_no_receive_request(struct kunit *test)
{
	static const u8 ops[] = { 0x00, 0x04, 0x05, 0x0b };
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(ops); i++) {
		u32 len = good_length(p, ops[i]);

		proto_restart(p);
		good_length(p, ops[i]);
		proto_receive(p, ops[i], FIRST_PSN, len);
		proto_receive(p, 0x04, FIRST_PSN + 1, 0);
		proto_run(p);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 1);
		KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.syndrome, 0x20 | 12);
		KUNIT_EXPECT_EQ(test, proto_tx(p, 0)->hdr.psn, FIRST_PSN);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop,
				TUFF_CNT_DROP_SILENT);
		KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 0);
		tuff_kunit_forget();

		proto_post_recv(p, 1000);
		proto_receive(p, ops[i], FIRST_PSN, len);
		expect_ack(p, FIRST_PSN);
	}
}

/* One NAK for a gap, whatever else comes, until the missing packet does. */
static void handle_gap(struct kunit *test)
{
	static const u32 gaps[] = { 1, 2, 1000, TUFF_PSN_WINDOW };
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(gaps); i++) {
		proto_restart(p);
		proto_post_recv(p, 100);
		proto_receive(p, 0x04, FIRST_PSN + gaps[i], 10);
		expect_nak(p, NAK_SEQ, FIRST_PSN);
		KUNIT_EXPECT_EQ(test, p->qp.state, TUFF_QPS_RTS);
		tuff_kunit_forget();

		proto_receive(p, 0x04, FIRST_PSN + 1, 10);
		proto_receive(p, 0x04, FIRST_PSN + 2, 10);
		proto_run(p);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
		KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);

		proto_receive(p, 0x04, FIRST_PSN, 10);
		expect_ack(p, FIRST_PSN);
		tuff_kunit_forget();
		proto_receive(p, 0x04, FIRST_PSN + 5, 10);
		expect_nak(p, NAK_SEQ, FIRST_PSN + 1);
	}
}

/* The gap closes before the NAK for it has left. */
static void handle_gap_that_closes_at_once(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	proto_post_recv(p, 100);
	proto_receive(p, 0x04, FIRST_PSN + 1, 10);
	proto_receive(p, 0x04, FIRST_PSN, 10);
	expect_ack(p, FIRST_PSN);
}

/* IBA 9.7.5.1.4: acknowledged again, not carried out again. */
static void handle_duplicates(struct kunit *test)
{
	static const u32 behind[] = { 1, 2, 1000, 0x7fffff, 0x800000 };
	static const u8 ops[] = { 0x00, 0x02, 0x04, 0x06, 0x07, 0x0a, 0x0b };
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(behind); i++)
		for (k = 0; k < ARRAY_SIZE(ops); k++) {
			proto_restart(p);
			proto_post_recv(p, 1000);
			proto_receive(p, ops[k], FIRST_PSN - behind[i],
				      good_length(p, ops[k]));
			expect_ack(p, FIRST_PSN - 1);
			KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
			KUNIT_EXPECT_EQ(test, p->qp.responder.epsn, FIRST_PSN);
			KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 0);
			KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 0);
		}
}

/* One acknowledgement for all that came in before the run. */
static void handle_coalesces(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	for (i = 0; i < 10; i++) {
		proto_post_recv(p, 10);
		proto_receive(p, 0x04, FIRST_PSN + i, 10);
	}
	expect_ack(p, FIRST_PSN + 9);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_cqes, 10);
	KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 10);
}

/* PSN and MSN go round. */
static void handle_across_the_wrap(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);
	u32 i;

	p->qp.attr.rq_psn = 0xfffffe;
	proto_restart(p);
	p->qp.responder.msn = 0xfffffe;
	for (i = 0; i < 4; i++) {
		p->next.dmalen = 8;
		proto_receive(p, 0x0a, 0xfffffe + i, 8);
		expect_ack(p, (0xfffffe + i) & 0xffffff);
		tuff_kunit_forget();
	}
	KUNIT_EXPECT_EQ(test, p->qp.responder.msn, 2);
}

/* After a NAK that ends the connection nothing is taken any more. */
static void handle_nothing_after_a_fatal_nak(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->next.dmalen = 4;
	proto_receive(p, 0x0a, FIRST_PSN, 8);
	proto_receive(p, 0x0a, FIRST_PSN, 4);
	proto_receive(p, 0x0a, FIRST_PSN + 1, 4);
	KUNIT_EXPECT_EQ(test, p->bytes[0], 0);
	expect_nak(p, NAK_INVALID, FIRST_PSN);
	tuff_kunit_forget();
	proto_receive(p, 0x0a, FIRST_PSN, 4);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.drop, TUFF_CNT_DROP_QP_STATE);
}

/* No memory for the answer: it is owed until there is. */
static void ack_when_transmit_is_full(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	p->next.dmalen = 4;
	tuff_kunit_world.tx_ret = -EAGAIN;
	proto_receive(p, 0x0a, FIRST_PSN, 4);
	proto_run(p);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_txs, 0);
	KUNIT_EXPECT_NE(test, tuff_kunit_world.timer_at, 0);
	tuff_kunit_world.tx_ret = 0;
	KUNIT_EXPECT_TRUE(test, proto_timer(p));
	expect_ack(p, FIRST_PSN);
}

static void comm_est_once(struct kunit *test)
{
	struct tuff_proto *p = proto_new(test, TUFF_QPT_RC);

	tuff_qp_set_state(&p->qp, TUFF_QPS_RESET);
	tuff_qp_set_state(&p->qp, TUFF_QPS_INIT);
	tuff_qp_set_state(&p->qp, TUFF_QPS_RTR);
	tuff_kunit_forget();
	p->next.dmalen = 4;
	proto_receive(p, 0x0a, FIRST_PSN, 4);
	proto_receive(p, 0x0a, FIRST_PSN + 1, 4);
	KUNIT_EXPECT_TRUE(test, proto_only_event(TUFF_EVENT_COMM_EST));
}

/*
 * Unless it is a duplicate, a message is taken wherever it stands: one forged
 * packet far ahead must not make the peer's own ones old.
 */
static void handle_uc_message_anywhere(struct kunit *test)
{
	static const struct {
		s32 ahead;	/* of what is expected */
		bool taken;
	} rows[] = {
		{ 0, true }, { 1, true }, { 1 << 22, true }, { -1, false },
		{ -4096, false }, { -4097, true }, { -(1 << 22), true },
		{ (1 << 23) - 1, true }, { -(1 << 23), true },
	};
	struct tuff_proto *p = proto_new(test, TUFF_QPT_UC);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		u32 psn = tuff_psn_add(p->qp.responder.epsn, rows[i].ahead);

		tuff_kunit_forget();
		proto_post_recv(p, 8);
		proto_receive(p, TUFF_TRANSPORT_UC | TUFF_OP_SEND_ONLY, psn, 8);
		KUNIT_EXPECT_EQ_MSG(test, tuff_kunit_world.nr_cqes,
				    rows[i].taken, "row %zu", i);
		if (rows[i].taken)
			KUNIT_EXPECT_EQ(test, p->qp.responder.epsn,
					tuff_psn_add(psn, 1));
	}
}

static struct kunit_case tuff_responder_cases[] = {
	KUNIT_CASE(handle_rc_every_opcode_in_every_state),
	KUNIT_CASE(handle_uc_every_opcode_in_every_state),
	KUNIT_CASE(handle_rc_every_position_and_length),
	KUNIT_CASE(handle_write_length_of_reth),
	KUNIT_CASE(handle_write_ends_early_or_late),
	KUNIT_CASE(handle_keys),
	KUNIT_CASE(handle_operation_not_enabled),
	KUNIT_CASE(handle_send_completes),
	KUNIT_CASE(handle_write_imm_completes),
	KUNIT_CASE(handle_send_too_long),
	KUNIT_CASE(handle_send_too_long_in_its_last_packet),
	KUNIT_CASE(handle_uc_send_too_long),
	KUNIT_CASE(handle_send_into_a_bad_request),
	KUNIT_CASE(handle_no_receive_request),
	KUNIT_CASE(handle_gap),
	KUNIT_CASE(handle_gap_that_closes_at_once),
	KUNIT_CASE(handle_duplicates),
	KUNIT_CASE(handle_coalesces),
	KUNIT_CASE(handle_across_the_wrap),
	KUNIT_CASE(handle_nothing_after_a_fatal_nak),
	KUNIT_CASE(ack_when_transmit_is_full),
	KUNIT_CASE(comm_est_once),
	KUNIT_CASE(handle_uc_message_anywhere),
	{}
};

static struct kunit_suite tuff_responder_suite = {
	.name = "tuff_responder",
	.init = proto_init,
	.exit = proto_exit,
	.test_cases = tuff_responder_cases,
};

kunit_test_suite(tuff_responder_suite);
