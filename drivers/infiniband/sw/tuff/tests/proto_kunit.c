// SPDX-License-Identifier: GPL-2.0
/* tuff: one queue pair of the tiny world, for tests of the protocol */
#include "proto_kunit.h"

#include <linux/string.h>

#include "engine/build.h"
#include "engine/parse.h"
#include "engine/world.h"

#define RUN_BUDGET	64
#define MAX_RUNS	1000

static const u32 all = TUFF_ACCESS_LOCAL_WRITE | TUFF_ACCESS_REMOTE_WRITE |
		       TUFF_ACCESS_REMOTE_READ | TUFF_ACCESS_REMOTE_ATOMIC;

/* A suite's .init; cases take what type they want by proto_new(). */
int proto_init(struct kunit *test)
{
	return tuff_kunit_world_init(test);
}

/* RESET lets go of what is in flight; nothing may be left of it. */
static void proto_reset(struct tuff_proto *p)
{
	tuff_qp_set_state(&p->qp, TUFF_QPS_RESET);
	KUNIT_EXPECT_EQ(p->test, p->qp.nr_sq, 0);
	KUNIT_EXPECT_EQ(p->test, tuff_kunit_world.timer_at, 0);
	while (tuff_kunit_world.nr_swqes)
		tuff_swqe_release(&p->qp, tuff_world_next_swqe(&p->qp));
	while (tuff_kunit_world.nr_rwqes)
		tuff_rwqe_release(&p->qp, tuff_world_next_rwqe(&p->qp));
	tuff_kunit_world_check(p->test);
}

/* A suite's .exit: let go of what a case left in the middle of something. */
void proto_exit(struct kunit *test)
{
	if (test->priv)
		proto_reset(test->priv);
	tuff_kunit_world_check(test);
}

static void proto_connect(struct tuff_proto *p)
{
	p->next = (struct tuff_hdr){
		.pkey = TUFF_PKEY_DEFAULT,
		.dqpn = PROTO_QPN,
		.rkey = PROTO_KEY,
		.va = PROTO_BASE,
		.ackreq = true,
	};
	tuff_qp_set_state(&p->qp, TUFF_QPS_INIT);
	tuff_qp_set_state(&p->qp, TUFF_QPS_RTR);
	tuff_qp_set_state(&p->qp, TUFF_QPS_RTS);
	tuff_kunit_forget();
}

struct tuff_proto *proto_new(struct kunit *test, u8 type)
{
	struct tuff_proto *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, p);
	tuff_kunit_mr_add(PROTO_KEY, PROTO_BASE, PROTO_SIZE, all)->bytes =
		p->bytes;
	tuff_kunit_mr_add(PROTO_KEY_RO, PROTO_BASE, PROTO_SIZE,
			  TUFF_ACCESS_REMOTE_READ)->bytes = p->bytes;
	tuff_kunit_mr_add(PROTO_KEY_GONE, PROTO_BASE, PROTO_SIZE, all);

	p->test = test;
	tuff_qp_init(&p->qp);
	p->qp.qpn = PROTO_QPN;
	p->qp.type = type;
	p->qp.max_send_sge = 1;
	p->qp.max_recv_sge = 1;
	p->qp.max_send_wr = TUFF_KUNIT_WQES;
	p->qp.responder.replay = p->replay;
	p->qp.responder.nr_replay = PROTO_REPLAYS;
	p->qp.attr = (struct tuff_qp_attr){
		.pkey = TUFF_PKEY_DEFAULT,
		.path_mtu_shift = 8,
		.timeout = 14,
		.retry_cnt = 3,
		.rnr_retry = 2,
		.min_rnr_timer = 12,
		.max_rd_atomic = 2,
		.max_dest_rd_atomic = PROTO_REPLAYS,
		.access = all & ~TUFF_ACCESS_LOCAL_WRITE,
		.dqpn = PROTO_PEER,
		.qkey = 0x11111111,
		.rq_psn = PROTO_RQ_PSN,
		.sq_psn = PROTO_SQ_PSN,
	};
	proto_connect(p);
	test->priv = p;
	return p;
}

void proto_restart(struct tuff_proto *p)
{
	proto_reset(p);
	memset(p->bytes, 0, sizeof(p->bytes));
	tuff_kunit_world.tx_ret = 0;
	proto_connect(p);
}

struct tuff_swqe *proto_post(struct tuff_proto *p, u8 opcode, u32 len)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_swqe *wqe;

	wqe = kunit_kzalloc(p->test, tuff_swqe_size(1, 0), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, wqe);
	KUNIT_ASSERT_TRUE(p->test, w->nr_swqes < TUFF_KUNIT_WQES);
	tuff_swqe_init(wqe);
	wqe->opcode = opcode;
	wqe->flags = TUFF_SEND_SIGNALED;
	wqe->va = 0x5000;
	wqe->rkey = 0x1234;
	tuff_swqe_add_sge(&p->qp, wqe, PROTO_BASE, len, PROTO_KEY);
	tuff_swqe_check(&p->qp, wqe);
	w->swqes[w->nr_swqes++] = wqe;
	return wqe;
}

struct tuff_rwqe *proto_post_recv(struct tuff_proto *p, u32 len)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_rwqe *wqe;

	wqe = kunit_kzalloc(p->test, sizeof(*wqe) + sizeof(wqe->sge[0]),
			    GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(p->test, wqe);
	KUNIT_ASSERT_TRUE(p->test, w->nr_rwqes < TUFF_KUNIT_WQES);
	tuff_rwqe_init(wqe);
	tuff_rwqe_add_sge(&p->qp, wqe, 1, PROTO_BASE, len, PROTO_KEY);
	w->rwqes[w->nr_rwqes++] = wqe;
	return wqe;
}

void proto_receive(struct tuff_proto *p, u8 opcode, u32 psn, u32 len)
{
	struct tuff_pkt pkt = { .buf = p->packet };
	u32 off, i;

	p->next.opcode = opcode;
	p->next.psn = psn & 0xffffff;
	p->next.pad = -len & 3;
	off = tuff_build(&p->next, p->packet);
	KUNIT_ASSERT_LE(p->test, off + len + 8, (u32)sizeof(p->packet));
	for (i = 0; i < len; i++)
		p->packet[off + i] = i + 1;
	off += len + p->next.pad + TUFF_ICRC_LEN;
	KUNIT_ASSERT_EQ(p->test, tuff_parse(&pkt, p->packet, off, off),
			TUFF_CNT_NONE);
	tuff_qp_receive(&p->qp, &pkt);
}

void proto_receive_ack(struct tuff_proto *p, u32 psn, u8 syndrome)
{
	p->next.syndrome = syndrome;
	proto_receive(p, TUFF_OP_ACK, psn, 0);
}

bool proto_only_event(enum tuff_event event)
{
	return tuff_kunit_world.nr_events == 1 &&
	       tuff_kunit_world.events[0] == event;
}

void proto_run(struct tuff_proto *p)
{
	int runs = 0;
	bool more;

	do {
		tuff_kunit_world.raised = false;
		more = tuff_qp_run(&p->qp, RUN_BUDGET);
		KUNIT_ASSERT_TRUE(p->test, ++runs < MAX_RUNS);
	} while (more || tuff_kunit_world.raised);
}

bool proto_timer(struct tuff_proto *p)
{
	if (!tuff_kunit_world.timer_at)
		return false;
	if (tuff_kunit_world.now < tuff_kunit_world.timer_at)
		tuff_kunit_world.now = tuff_kunit_world.timer_at;
	tuff_kunit_world.timer_at = 0;
	tuff_qp_timeout(&p->qp);
	proto_run(p);
	return true;
}

const struct tuff_kunit_tx *proto_tx(struct tuff_proto *p, u32 i)
{
	KUNIT_ASSERT_TRUE_MSG(p->test, i < tuff_kunit_world.nr_txs &&
			      i < TUFF_KUNIT_LOG, "packet %u of %u", i,
			      tuff_kunit_world.nr_txs);
	return &tuff_kunit_world.txs[i];
}

const struct tuff_cqe *proto_cqe(struct tuff_proto *p, u32 i)
{
	KUNIT_ASSERT_TRUE_MSG(p->test, i < tuff_kunit_world.nr_cqes &&
			      i < TUFF_KUNIT_LOG, "completion %u of %u", i,
			      tuff_kunit_world.nr_cqes);
	return &tuff_kunit_world.cqes[i].cqe;
}
