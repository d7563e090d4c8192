// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: fuzz target: one queue pair, and everything that may happen to it
 *
 * Input: two bytes of what the queue pair is like, then steps of one byte of
 * what happens and up to four of how: posts, packets near the PSNs that
 * matter, acknowledgements, timers, runs, full transmit, memory that goes
 * away, changes of state. At the end the QP goes to ERR, and each request must
 * have ended exactly once.
 */
#include "check.h"

#include <string.h>

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/list.h>
#include <linux/minmax.h>

#include "engine/build.h"
#include "engine/opcode.h"
#include "engine/parse.h"
#include "engine/psn.h"
#include "engine/qp.h"
#include "engine/wqe.h"
#include "world_kunit.h"

#define BASE		0x10000
#define SIZE		4096
#define KEY		1
#define MAX_POSTS	64
#define RQ_PSN		0xfffff0
#define SQ_PSN		0xffffe0

struct input {
	const u8 *data;
	size_t left;
};

struct fuzz {
	struct tuff_qp qp;
	struct tuff_replay replay[3];
	struct tuff_mr *mr;
	u8 bytes[SIZE];
	u32 nr_sends;
	u32 nr_recvs;
	u32 nr_send_cqes;
	u32 nr_recv_cqes;
	u32 nr_signalled;
	struct tuff_swqe *sends[MAX_POSTS];
	struct tuff_rwqe *recvs[MAX_POSTS];
};

void tuff_kunit_fail(struct kunit *test, const char *file, int line,
		     bool leave, const char *fmt, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
	abort();
}

static u8 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

/* Mostly a few bytes beside what is interesting, now and then anywhere. */
static u32 psn_near(u32 psn, u8 delta)
{
	if (delta >= 0xf0)
		return tuff_psn_add(psn, (u32)delta << 16);
	return tuff_psn_add(psn, (u32)(s8)delta);
}

static u32 some_length(u8 how)
{
	return how < 128 ? how * 8U : (how - 128U) * 32;
}

/* Completions are counted at once: the log is small. */
static void collect(struct fuzz *f)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	u32 i;

	CHECK(w->nr_cqes <= TUFF_KUNIT_LOG);
	for (i = 0; i < w->nr_cqes; i++) {
		const struct tuff_cqe *cqe = &w->cqes[i].cqe;

		if (w->cqes[i].recv) {
			/* In the order of posting, each once. */
			CHECK(cqe->wr_id == f->nr_recv_cqes);
			f->nr_recv_cqes++;
			continue;
		}
		CHECK(cqe->wr_id < f->nr_sends);
		CHECK(cqe->wr_id >= f->nr_send_cqes);
		f->nr_send_cqes = cqe->wr_id + 1;
		f->nr_signalled++;
	}
	tuff_kunit_forget();
}

static void check_qp(struct fuzz *f)
{
	const struct tuff_requester *r = &f->qp.requester;
	struct tuff_swqe *wqe;
	u32 nr_rd_atomic = 0;
	u32 nr = 0;

	list_for_each_entry(wqe, &f->qp.sq, node) {
		nr++;
		nr_rd_atomic += wqe->npsn &&
				wqe->opcode >= TUFF_WR_RDMA_READ;
	}
	CHECK(nr == f->qp.nr_sq);
	CHECK(nr_rd_atomic == r->nr_rd_atomic);
	CHECK(nr_rd_atomic <= f->qp.attr.max_rd_atomic);
	if (f->qp.state == TUFF_QPS_RTS || f->qp.state == TUFF_QPS_SQD) {
		CHECK(!tuff_psn_before(r->nxt, r->una));
		CHECK(!tuff_psn_before(r->max, r->nxt));
		CHECK(!tuff_psn_before(r->end, r->max));
	}
	CHECK(f->qp.responder.epsn <= TUFF_PSN_MASK);
	CHECK(!tuff_kunit_world.bad_puts);
}

static void post_send(struct fuzz *f, u8 opcode, u8 how, u8 len)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_swqe *wqe;

	if (f->nr_sends == MAX_POSTS || w->nr_swqes == TUFF_KUNIT_WQES)
		return;
	wqe = calloc(1, tuff_swqe_size(1, 0));
	CHECK(wqe);
	tuff_swqe_init(wqe);
	wqe->wr_id = f->nr_sends;
	wqe->opcode = opcode % 7;
	wqe->flags = how & 7;
	wqe->va = BASE;
	tuff_swqe_add_sge(&f->qp, wqe, BASE, wqe->opcode > TUFF_WR_RDMA_READ ?
			  8 : some_length(len), how & 8 ? KEY + 1 : KEY);
	tuff_swqe_check(&f->qp, wqe);
	f->sends[f->nr_sends++] = wqe;
	w->swqes[w->nr_swqes++] = wqe;
}

static void post_recv(struct fuzz *f, u8 how, u8 len)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_rwqe *wqe;

	if (f->nr_recvs == MAX_POSTS || w->nr_rwqes == TUFF_KUNIT_WQES)
		return;
	wqe = calloc(1, sizeof(*wqe) + sizeof(wqe->sge[0]));
	CHECK(wqe);
	tuff_rwqe_init(wqe);
	wqe->wr_id = f->nr_recvs;
	tuff_rwqe_add_sge(&f->qp, wqe, 1, BASE, some_length(len),
			  how == 0xff ? KEY + 1 : KEY);
	f->recvs[f->nr_recvs++] = wqe;
	w->rwqes[w->nr_rwqes++] = wqe;
}

static void receive(struct fuzz *f, u8 opcode, u32 psn, u32 len, u8 how)
{
	struct tuff_hdr hdr = {
		.opcode = opcode,
		.psn = psn,
		.pkey = TUFF_PKEY_DEFAULT,
		.dqpn = 1,
		.ackreq = how & 1,
		.solicited = how & 2,
		.syndrome = how,
		.rkey = how & 4 ? KEY + 1 : KEY,
		.va = BASE + (how & 0x38),
		.dmalen = how & 0x80 ? len : some_length(how),
		.pad = -len & 3,
	};
	struct tuff_pkt pkt = { };
	u8 packet[64 + SIZE] = { };
	u32 total;

	if (!tuff_opcodes[opcode].valid)
		return;
	total = tuff_build(&hdr, packet) + len + hdr.pad + TUFF_ICRC_LEN;
	pkt.buf = packet;
	if (tuff_parse(&pkt, packet, total, total) == TUFF_CNT_NONE)
		tuff_qp_receive(&f->qp, &pkt);
}

static void change_state(struct fuzz *f, u8 how)
{
	switch (how % 4) {
	case 0:
		if (f->qp.state == TUFF_QPS_RTS)
			tuff_qp_set_state(&f->qp, TUFF_QPS_SQD);
		break;
	case 1:
		if (f->qp.state == TUFF_QPS_SQD || f->qp.state == TUFF_QPS_SQE)
			tuff_qp_set_state(&f->qp, TUFF_QPS_RTS);
		break;
	case 2:
		if (how >= 0xf0)
			tuff_qp_error(&f->qp);
		break;
	case 3:
		/* Memory goes away and comes back. */
		f->mr->bytes = f->mr->bytes ? NULL : f->bytes;
	}
}

static void step(struct fuzz *f, struct input *in)
{
	const u8 transport = f->qp.type == TUFF_QPT_UC ? 0x20 : 0;
	static const int rets[] = { 0, 0, -EAGAIN, -EFAULT };
	u8 what = take(in), a = take(in), b = take(in), c = take(in);

	switch (what % 8) {
	case 0:
		post_send(f, a, b, c);
		break;
	case 1:
		post_recv(f, a, b);
		break;
	case 2:
		receive(f, transport | (a & TUFF_OP_MASK),
			psn_near(f->qp.responder.epsn, b), some_length(c),
			take(in));
		break;
	case 3:
		receive(f, TUFF_OP_ACK, psn_near(f->qp.requester.una, a), 0,
			b);
		break;
	case 4:
		receive(f, TUFF_OP_READ_RESPONSE_FIRST + a % 6,
			psn_near(f->qp.requester.una, b), some_length(c),
			0x1f);
		break;
	case 5:
		tuff_qp_run(&f->qp, 1 + a % 64);
		break;
	case 6:
		if (tuff_kunit_world.timer_at > tuff_kunit_world.now)
			tuff_kunit_world.now = tuff_kunit_world.timer_at;
		tuff_qp_timeout(&f->qp);
		break;
	case 7:
		if (a & 1)
			change_state(f, b);
		else
			tuff_kunit_world.tx_ret = rets[b & 3];
		break;
	}
	check_qp(f);
	collect(f);
}

static void set_up(struct fuzz *f, u8 type, u8 limits)
{
	memset(f, 0, sizeof(*f));
	tuff_kunit_world_init(NULL);
	tuff_kunit_world.early = (type >> 2) % TUFF_NR_EARLY_MODES;
	f->mr = tuff_kunit_mr_add(KEY, BASE, SIZE, 0xf);
	f->mr->bytes = f->bytes;
	tuff_qp_init(&f->qp);
	f->qp.type = type & 1 ? TUFF_QPT_UC : TUFF_QPT_RC;
	f->qp.has_srq = type & 2;
	f->qp.max_send_sge = 1;
	f->qp.max_recv_sge = 1;
	f->qp.max_send_wr = 8;
	f->qp.responder.replay = f->replay;
	f->qp.responder.nr_replay = 1 + limits % ARRAY_SIZE(f->replay);
	f->qp.attr = (struct tuff_qp_attr){
		.pkey = TUFF_PKEY_DEFAULT,
		.path_mtu_shift = 8,
		.timeout = 10,
		.retry_cnt = limits >> 2 & 7,
		.rnr_retry = limits >> 5,
		.max_rd_atomic = limits & 3,
		.access = 0xf,
		.rq_psn = RQ_PSN,
		.sq_psn = SQ_PSN,
	};
	tuff_qp_set_state(&f->qp, TUFF_QPS_INIT);
	tuff_qp_set_state(&f->qp, TUFF_QPS_RTR);
	tuff_qp_set_state(&f->qp, TUFF_QPS_RTS);
}

/* To ERR: what was posted ends, each request once, nothing is left over. */
static void tear_down(struct fuzz *f)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	u32 i;

	tuff_qp_error(&f->qp);
	for (i = 0; i < 1000; i++) {
		bool more = tuff_qp_run(&f->qp, 16);

		collect(f);
		if (!more)
			break;
	}
	CHECK(i < 1000);
	CHECK(!f->qp.nr_sq && !w->nr_swqes);
	CHECK(f->qp.has_srq || !w->nr_rwqes);
	CHECK(f->nr_recv_cqes + w->nr_rwqes == f->nr_recvs);
	for (i = 0; i < f->nr_sends; i++)
		f->nr_signalled -= !!(f->sends[i]->flags &
				      TUFF_SEND_SIGNALED);
	/* What is left of the count failed without having asked. */
	CHECK(f->nr_signalled <= f->nr_sends);
	CHECK(!w->timer_at);
	tuff_qp_set_state(&f->qp, TUFF_QPS_RESET);
	while (w->nr_rwqes)
		tuff_rwqe_release(&f->qp, w->rwqes[--w->nr_rwqes]);
	CHECK(!tuff_kunit_refs() && !w->bad_puts && !w->nr_kept);
	for (i = 0; i < f->nr_sends; i++)
		free(f->sends[i]);
	for (i = 0; i < f->nr_recvs; i++)
		free(f->recvs[i]);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	static struct fuzz f;
	u8 type = take(&in);

	set_up(&f, type, take(&in));
	while (in.left)
		step(&f, &in);
	tear_down(&f);
	return 0;
}
