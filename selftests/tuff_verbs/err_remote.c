// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: requests that the responder refuses or never answers */
#include "harness.h"

#include <string.h>

static const struct vt_qp_spec rc = {
	.type = IBV_QPT_RC, .timeout = 10, .retry_cnt = 2, .rnr_retry = 1,
};

static int end(struct vt_qp *x, struct vt_qp *y)
{
	vt_qp_destroy(x);
	vt_qp_destroy(y);
	return 0;
}

/*
 * One request with this target must complete with @status; the one after it
 * is flushed, and both ends are in ERR.
 */
static int refuse(struct vt_qp_spec spec, enum ibv_wr_opcode op, uint64_t va,
		  uint32_t rkey, uint32_t len, enum ibv_wc_status status)
{
	struct ibv_sge s = asge(len), r = bsge(8);
	struct vt_qp x, y;
	int rc_;

	CHECK(pair(&x, &y, spec));
	CHECK(vt_post_recv(&y, 9, &r, 1));	/* for the immediate */
	CHECK(vt_post_rdma(&x, op, 1, &s, 0, va, rkey));
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 2, &s, 0,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	rc_ = expect_wc(x.scq, status, 1);
	if (!rc_)
		rc_ = expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 2);
	if (!rc_)
		rc_ = expect_state(&x, IBV_QPS_ERR);
	if (!rc_)
		rc_ = expect_state(&y, IBV_QPS_ERR);
	if (!rc_)
		rc_ = expect_event(env.b, status == IBV_WC_REM_ACCESS_ERR ?
				   IBV_EVENT_QP_ACCESS_ERR :
				   IBV_EVENT_QP_REQ_ERR);
	if (rc_)
		bad("with opcode %d, %#llx+%u rkey %#x", op,
		    (unsigned long long)va, len, rkey);
	drain_events(env.a);
	drain_events(env.b);
	end(&x, &y);
	return rc_;
}

static const enum ibv_wr_opcode rdma_ops[] = {
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
	IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static int refuse_all(uint64_t va, uint32_t rkey, enum ibv_wc_status status)
{
	unsigned int i;
	int rc_ = 0;

	for (i = 0; i < ARRAY_LEN(rdma_ops); i++)
		rc_ |= refuse(rc, rdma_ops[i], va, rkey, 8, status);
	return rc_;
}

static int bad_rkeys(void)
{
	uint64_t va = (uintptr_t)env.bbuf;

	return refuse_all(va, 0xdeadbe00, IBV_WC_REM_ACCESS_ERR) |
	       refuse_all(va, 0, IBV_WC_REM_ACCESS_ERR) |
	       refuse_all(va, env.bmr->rkey ^ 1, IBV_WC_REM_ACCESS_ERR);
}

static int other_pd(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(env.b->ctx);
	struct ibv_mr *mr = ibv_reg_mr(pd, env.bbuf, BUF_LEN, ACCESS_FULL);
	int rc_;

	if (!mr)
		return bad("reg_mr: %s", strerror(errno));
	rc_ = refuse_all((uintptr_t)env.bbuf, mr->rkey,
			 IBV_WC_REM_ACCESS_ERR);
	CHECK(ibv_dereg_mr(mr));
	CHECK(ibv_dealloc_pd(pd));
	return rc_;
}

static int stale_rkey(void)
{
	struct ibv_mr *mr = ibv_reg_mr(env.b->pd, env.bbuf, BUF_LEN,
				       ACCESS_FULL);
	uint32_t rkey = mr->rkey;

	CHECK(ibv_dereg_mr(mr));
	return refuse_all((uintptr_t)env.bbuf, rkey, IBV_WC_REM_ACCESS_ERR);
}

static int bad_ranges(void)
{
	uint64_t va = (uintptr_t)env.bbuf;
	uint32_t rkey = env.bmr->rkey;
	int rc_;

	rc_ = refuse_all(va + BUF_LEN, rkey, IBV_WC_REM_ACCESS_ERR);
	rc_ |= refuse_all(va - 8, rkey, IBV_WC_REM_ACCESS_ERR);
	rc_ |= refuse_all(~0ULL - 7, rkey, IBV_WC_REM_ACCESS_ERR);
	rc_ |= refuse(rc, IBV_WR_RDMA_WRITE, va + BUF_LEN - 7, rkey, 8,
		      IBV_WC_REM_ACCESS_ERR);
	rc_ |= refuse(rc, IBV_WR_RDMA_READ, va + BUF_LEN - 7, rkey, 8,
		      IBV_WC_REM_ACCESS_ERR);
	rc_ |= refuse(rc, IBV_WR_RDMA_READ, va + 1, rkey, BUF_LEN,
		      IBV_WC_REM_ACCESS_ERR);
	return rc_;
}

/* A WRITE of many packets whose last byte is outside writes nothing. */
static int nothing_written(void)
{
	uint8_t *before = env.bbuf + BUF_LEN - 20000;
	unsigned int i;
	int rc_;

	memset(env.bbuf, 0x11, BUF_LEN);
	memset(env.abuf, 0x22, BUF_LEN);
	rc_ = refuse(rc, IBV_WR_RDMA_WRITE, (uintptr_t)before, env.bmr->rkey,
		     20001, IBV_WC_REM_ACCESS_ERR);
	for (i = 0; i < BUF_LEN; i++)
		if (env.bbuf[i] != 0x11)
			return bad("byte %u was written", i);
	return rc_;
}

static int rights(void)
{
	static const struct {
		int access;
		enum ibv_wr_opcode op;
	} lacks[] = {
		{ ACCESS_FULL & ~IBV_ACCESS_REMOTE_WRITE, IBV_WR_RDMA_WRITE },
		{ ACCESS_FULL & ~IBV_ACCESS_REMOTE_WRITE,
		  IBV_WR_RDMA_WRITE_WITH_IMM },
		{ ACCESS_FULL & ~IBV_ACCESS_REMOTE_READ, IBV_WR_RDMA_READ },
		{ ACCESS_FULL & ~IBV_ACCESS_REMOTE_ATOMIC,
		  IBV_WR_ATOMIC_CMP_AND_SWP },
		{ ACCESS_FULL & ~IBV_ACCESS_REMOTE_ATOMIC,
		  IBV_WR_ATOMIC_FETCH_AND_ADD },
	};
	unsigned int i;
	int rc_ = 0;

	for (i = 0; i < ARRAY_LEN(lacks); i++) {
		struct vt_qp_spec spec = rc;
		struct ibv_mr *mr = ibv_reg_mr(env.b->pd, env.bbuf, BUF_LEN,
					       lacks[i].access);

		if (!mr)
			return bad("reg_mr: %s", strerror(errno));
		rc_ |= refuse(spec, lacks[i].op, (uintptr_t)env.bbuf,
			      mr->rkey, 8, IBV_WC_REM_ACCESS_ERR);
		CHECK(ibv_dereg_mr(mr));
		/* The region allows it, the queue pair does not. */
		spec.access = lacks[i].access;
		rc_ |= refuse(spec, lacks[i].op, (uintptr_t)env.bbuf,
			      env.bmr->rkey, 8, IBV_WC_REM_INV_REQ_ERR);
	}
	return rc_;
}

/* The library refuses some of these itself. */
static int odd_atomics(void)
{
	struct ibv_sge s = asge(8);
	struct vt_qp x, y;
	int i, err;

	for (i = 1; i < 8; i++) {
		CHECK(pair(&x, &y, rc));
		err = vt_post_rdma(&x, IBV_WR_ATOMIC_FETCH_AND_ADD, 1, &s,
				   IBV_SEND_SIGNALED, (uintptr_t)env.bbuf + i,
				   env.bmr->rkey);
		if (!err)
			CHECK(expect_wc(x.scq, IBV_WC_REM_INV_REQ_ERR, 1));
		else if (err != -EINVAL)
			return bad("offset %d: post %d", i, err);
		end(&x, &y);
	}
	return 0;
}

/* No byte moves, so nobody looks at the key. */
static int zero_length(void)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ,
	};
	struct ibv_sge s = { 0, 0, 0 };
	struct vt_qp x, y;
	unsigned int i;

	CHECK(pair(&x, &y, rc));
	for (i = 0; i < ARRAY_LEN(ops); i++) {
		CHECK(vt_post_rdma(&x, ops[i], i, NULL, IBV_SEND_SIGNALED,
				   0, 0xdeadbe00));
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
		CHECK(vt_post_rdma(&x, ops[i], i + 9, &s, IBV_SEND_SIGNALED,
				   0, 0xdeadbe00));
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i + 9));
	}
	return end(&x, &y);
}

/* The receive does not fit: both sides learn it, each in its own words. */
static int bad_receive(struct ibv_sge r, uint32_t len,
		       enum ibv_wc_status there, enum ibv_wc_status here)
{
	struct ibv_sge s = asge(len);
	struct vt_qp x, y;
	int rc_;

	CHECK(pair(&x, &y, rc));
	CHECK(vt_post_recv(&y, 7, &r, 1));
	CHECK(vt_post_recv(&y, 8, &r, 1));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, 0));
	rc_ = expect_wc(x.scq, here, 1);
	if (!rc_)
		rc_ = expect_wc(y.rcq, there, 7);
	if (!rc_)
		rc_ = expect_wc(y.rcq, IBV_WC_WR_FLUSH_ERR, 8);
	if (!rc_)
		rc_ = expect_state(&y, IBV_QPS_ERR);
	if (rc_)
		bad("with a receive of %u bytes for %u", r.length, len);
	end(&x, &y);
	return rc_;
}

static int receives(void)
{
	struct ibv_mr *ro = ibv_reg_mr(env.b->pd, env.bbuf, BUF_LEN, 0);
	struct ibv_sge r = bsge(99);
	int rc_ = 0;

	if (!ro)
		return bad("reg_mr: %s", strerror(errno));
	rc_ |= bad_receive(r, 100, IBV_WC_LOC_LEN_ERR,
			   IBV_WC_REM_INV_REQ_ERR);
	r.length = 20000;
	rc_ |= bad_receive(r, 20001, IBV_WC_LOC_LEN_ERR,
			   IBV_WC_REM_INV_REQ_ERR);
	r.lkey = ro->lkey;
	rc_ |= bad_receive(r, 100, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
	r.lkey = 0xdeadbe00;
	rc_ |= bad_receive(r, 100, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
	r = bsge(200);
	r.addr = (uintptr_t)env.bbuf + BUF_LEN - 100;
	rc_ |= bad_receive(r, 200, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
	CHECK(ibv_dereg_mr(ro));
	return rc_;
}

/* Receives posted in INIT are there in RTR. */
static int receives_in_init(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp_spec spec = rc;
	struct vt_qp x, y;
	struct vt_addr at;

	CHECK(vt_qp_create(&x, env.a, &spec));
	CHECK(vt_qp_create(&y, env.b, &spec));
	CHECK(vt_qp_init(&y));
	CHECK(vt_post_recv(&y, 5, &r, 1));
	vt_qp_addr(&x, &at);
	CHECK(vt_qp_rtr(&y, &at));
	vt_qp_addr(&y, &at);
	CHECK(vt_qp_connect(&x, &at));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, IBV_SEND_SIGNALED));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 5));
	return end(&x, &y);
}

static int receiver_not_ready(void)
{
	struct ibv_sge s = asge(8);
	struct vt_qp x, y;

	CHECK(pair(&x, &y, rc));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, 0));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 2, &s, 1, 0));
	CHECK(expect_wc(x.scq, IBV_WC_RNR_RETRY_EXC_ERR, 1));
	CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 2));
	/* The receiver did nothing wrong. */
	CHECK(expect_state(&y, IBV_QPS_RTS));
	return end(&x, &y);
}

/* rnr_retry 7 waits for ever; the receive comes later and all is well. */
static int receiver_late(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp_spec spec = rc;
	struct vt_qp x, y;

	spec.rnr_retry = 7;
	CHECK(pair(&x, &y, spec));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, IBV_SEND_SIGNALED));
	CHECK(vt_quiet(x.scq, 300));
	CHECK(vt_post_recv(&y, 5, &r, 1));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 5));
	return end(&x, &y);
}

static int silent_peer(enum ibv_qp_state peer_state)
{
	struct ibv_sge s = asge(8);
	struct vt_qp_spec spec = rc;
	struct vt_qp x, y;
	struct vt_addr at;

	CHECK(vt_qp_create(&x, env.a, &spec));
	CHECK(vt_qp_create(&y, env.b, &spec));
	CHECK(to_state(&y, peer_state));
	vt_qp_addr(&y, &at);
	CHECK(vt_qp_connect(&x, &at));
	if (peer_state == IBV_QPS_UNKNOWN)
		vt_qp_destroy(&y);
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, 0));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 2, &s, 1, 0));
	CHECK(expect_wc(x.scq, IBV_WC_RETRY_EXC_ERR, 1));
	CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 2));
	CHECK(expect_state(&x, IBV_QPS_ERR));
	vt_qp_destroy(&x);
	if (y.qp)
		vt_qp_destroy(&y);
	return 0;
}

static int silent_peers(void)
{
	int rc_ = silent_peer(IBV_QPS_RESET);

	rc_ |= silent_peer(IBV_QPS_INIT);
	return rc_ | silent_peer(IBV_QPS_ERR);
}

static int destroyed_peer(void)
{
	struct ibv_sge s = asge(8);
	struct vt_qp x, y;

	CHECK(pair(&x, &y, rc));
	vt_qp_destroy(&y);
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 1, &s, 0,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	CHECK(expect_wc(x.scq, IBV_WC_RETRY_EXC_ERR, 1));
	vt_qp_destroy(&x);
	return 0;
}

const struct test remote_tests[] = {
	{ "rkeys that are unknown, zero or another's", bad_rkeys },
	{ "rkey of another protection domain", other_pd },
	{ "rkey of a region that is gone", stale_rkey },
	{ "ranges outside the region", bad_ranges },
	{ "a refused WRITE writes nothing", nothing_written },
	{ "rights of the region and of the queue pair", rights },
	{ "atomics at odd addresses", odd_atomics },
	{ "no bytes: the rkey is not looked at", zero_length },
	{ "receives too small, or in forbidden memory", receives },
	{ "receives posted in INIT", receives_in_init },
	{ "receiver not ready", receiver_not_ready },
	{ "receiver ready late, rnr_retry 7", receiver_late },
	{ "peer in RESET, INIT, ERR", silent_peers },
	{ "peer destroyed", destroyed_peer },
	{ }
};
