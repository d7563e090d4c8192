// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: requests that are wrong on the side that posts them */
#include "harness.h"

#include <string.h>
#include <sys/mman.h>

static const enum ibv_wr_opcode rc_ops[] = {
	IBV_WR_SEND, IBV_WR_SEND_WITH_IMM, IBV_WR_RDMA_WRITE,
	IBV_WR_RDMA_WRITE_WITH_IMM, IBV_WR_RDMA_READ,
	IBV_WR_ATOMIC_CMP_AND_SWP, IBV_WR_ATOMIC_FETCH_AND_ADD,
};

static const struct vt_qp_spec rc = {
	.type = IBV_QPT_RC, .max_inline = 64, .timeout = 10,
};

static int end(struct vt_qp *x, struct vt_qp *y)
{
	vt_qp_destroy(x);
	vt_qp_destroy(y);
	return 0;
}

/* A request with this SGE fails with @status; what follows is flushed. */
static int bad_sge(enum ibv_wr_opcode op, struct ibv_sge sge,
		   enum ibv_wc_status status)
{
	struct ibv_sge good = asge(8), r = bsge(64);
	struct vt_qp x, y;
	int rc_;

	CHECK(pair(&x, &y, rc));
	CHECK(vt_post_recv(&y, 50, &r, 1));
	CHECK(vt_post_rdma(&x, op, 1, &sge, IBV_SEND_SIGNALED,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	rc_ = expect_wc(x.scq, status, 1);
	if (!rc_)
		rc_ = expect_state(&x, IBV_QPS_ERR);
	if (!rc_)
		rc_ = -vt_post_send(&x, IBV_WR_SEND, 2, &good, 1, 0);
	if (!rc_)
		rc_ = expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 2);
	if (rc_)
		bad("with opcode %d, SGE %#llx+%u lkey %#x", op,
		    (unsigned long long)sge.addr, sge.length, sge.lkey);
	end(&x, &y);
	return rc_;
}

static int bad_lkeys(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(env.a->ctx);
	struct ibv_mr *other = ibv_reg_mr(pd, env.abuf, BUF_LEN, ACCESS_FULL);
	struct ibv_sge sge = asge(8);
	unsigned int i;
	int rc_ = 0;

	if (!other)
		return bad("reg_mr: %s", strerror(errno));
	for (i = 0; i < ARRAY_LEN(rc_ops); i++) {
		sge.lkey = 0xdeadbe00;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
		sge.lkey = 0;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
		sge.lkey = other->lkey;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
	}
	CHECK(ibv_dereg_mr(other));
	CHECK(ibv_dealloc_pd(pd));
	return rc_;
}

static int bad_ranges(void)
{
	struct ibv_sge sge = asge(8);
	unsigned int i;
	int rc_ = 0;

	for (i = 0; i < ARRAY_LEN(rc_ops); i++) {
		sge.addr = (uintptr_t)env.abuf + BUF_LEN - 7;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
		sge.addr = (uintptr_t)env.abuf - 1;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
		sge.addr = ~0ULL - 3;
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
	}
	sge = asge(BUF_LEN + 1);
	for (i = 0; i < 5; i++)
		rc_ |= bad_sge(rc_ops[i], sge, IBV_WC_LOC_PROT_ERR);
	return rc_;
}

/* READ and ATOMIC write here. */
static int no_local_write(void)
{
	struct ibv_mr *mr = ibv_reg_mr(env.a->pd, env.abuf, 4096, 0);
	struct ibv_sge sge = { (uintptr_t)env.abuf, 8, mr ? mr->lkey : 0 };
	int rc_ = 0;

	if (!mr)
		return bad("reg_mr: %s", strerror(errno));
	rc_ |= bad_sge(IBV_WR_RDMA_READ, sge, IBV_WC_LOC_PROT_ERR);
	rc_ |= bad_sge(IBV_WR_ATOMIC_CMP_AND_SWP, sge, IBV_WC_LOC_PROT_ERR);
	rc_ |= bad_sge(IBV_WR_ATOMIC_FETCH_AND_ADD, sge, IBV_WC_LOC_PROT_ERR);
	CHECK(ibv_dereg_mr(mr));
	return rc_;
}

/* The lkey was right until just before. */
static int stale_lkey(void)
{
	struct ibv_mr *mr = ibv_reg_mr(env.a->pd, env.abuf, 4096, ACCESS_FULL);
	struct ibv_sge sge = { (uintptr_t)env.abuf, 8, mr ? mr->lkey : 0 };

	CHECK(ibv_dereg_mr(mr));
	return bad_sge(IBV_WR_SEND, sge, IBV_WC_LOC_PROT_ERR);
}

/* What the device made of the capacities counts, not what was asked for. */
static int post_limits(void)
{
	struct ibv_sge list[64], rlist[64];
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr q;
	struct vt_qp x, y;
	int n, rn;

	CHECK(pair(&x, &y, rc));
	CHECK(ibv_query_qp(x.qp, &q, IBV_QP_CAP, &init));
	n = init.cap.max_send_sge;
	CHECK(ibv_query_qp(y.qp, &q, IBV_QP_CAP, &init));
	rn = init.cap.max_recv_sge;
	if (n < 1 || n >= 64 || rn < 1 || rn >= 64)
		return bad("max_send_sge %d, max_recv_sge %d", n, rn);
	for (int i = 0; i < 64; i++) {
		list[i] = asge(8);
		rlist[i] = bsge(8);
	}
	if (!vt_post_send(&x, IBV_WR_SEND, 1, list, n + 1, 0))
		return bad("%d SGEs were taken of %d", n + 1, n);
	if (!vt_post_recv(&y, 1, rlist, rn + 1))
		return bad("%d SGEs of a receive were taken of %d", rn + 1, rn);
	list[0] = asge(init.cap.max_inline_data + 1);
	if (!vt_post_send(&x, IBV_WR_SEND, 1, list, 1, IBV_SEND_INLINE))
		return bad("%u bytes inline were taken", list[0].length);
	return end(&x, &y);
}

/* The send queue takes what was asked for, and then says that it is full. */
static int send_queue_full(void)
{
	struct vt_qp_spec spec = rc;
	struct ibv_sge s = asge(8), r = bsge(8);
	int n = 0, i, err = 0;
	struct vt_qp x, y;

	spec.send_wr = 20;
	spec.recv_wr = 200;
	CHECK(pair(&x, &y, spec));
	/* No receive is there, so nothing completes. */
	while (n < 150 && !err) {
		err = vt_post_send(&x, IBV_WR_SEND, n, &s, 1,
				   IBV_SEND_SIGNALED);
		n += !err;
	}
	if (n < 20 || err != -ENOMEM)
		return bad("%d requests taken of 20, then %d", n, err);
	for (i = 0; i < n; i++)
		CHECK(vt_post_recv(&y, i, &r, 1));
	for (i = 0; i < n; i++)
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
	return end(&x, &y);
}

static int receive_queue_full(void)
{
	struct vt_qp_spec spec = rc;
	struct ibv_sge r = bsge(8);
	struct vt_qp x, y;
	int n = 0, err = 0;

	spec.recv_wr = 20;
	CHECK(pair(&x, &y, spec));
	while (n < 150 && !err) {
		err = vt_post_recv(&y, n, &r, 1);
		n += !err;
	}
	if (n < 20 || err != -ENOMEM)
		return bad("%d requests taken of 20, then %d", n, err);
	return end(&x, &y);
}

static int post_by_state(enum ibv_qp_state state)
{
	struct vt_qp_spec spec = rc;
	struct ibv_sge s = asge(8);
	struct vt_qp x;
	int err;

	CHECK(vt_qp_create(&x, env.a, &spec));
	CHECK(to_state(&x, state));
	err = vt_post_send(&x, IBV_WR_SEND, 1, &s, 1, IBV_SEND_SIGNALED);
	if (err != -EINVAL)
		return bad("post_send in %s: %d, expected EINVAL",
			   vt_state_name(state), err);
	CHECK(vt_quiet(x.scq, 20));
	vt_qp_destroy(&x);
	return 0;
}

static int post_too_early(void)
{
	int rc_ = post_by_state(IBV_QPS_RESET);

	rc_ |= post_by_state(IBV_QPS_INIT);
	return rc_ | post_by_state(IBV_QPS_RTR);
}

/* Every opcode in ERR is flushed, signalled or not; receives too. */
static int post_in_error(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp x, y;
	unsigned int i;

	CHECK(pair(&x, &y, rc));
	CHECK(vt_post_recv(&x, 90, &r, 1));
	CHECK(vt_post_recv(&x, 91, &r, 1));
	CHECK(vt_qp_modify_state(&x, IBV_QPS_ERR));
	CHECK(expect_wc(x.rcq, IBV_WC_WR_FLUSH_ERR, 90));
	CHECK(expect_wc(x.rcq, IBV_WC_WR_FLUSH_ERR, 91));
	for (i = 0; i < ARRAY_LEN(rc_ops); i++) {
		CHECK(vt_post_rdma(&x, rc_ops[i], i, &s,
				   i & 1 ? IBV_SEND_SIGNALED : 0,
				   (uintptr_t)env.bbuf, env.bmr->rkey));
		CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, i));
	}
	CHECK(vt_post_recv(&x, 92, &r, 1));
	/* Receives have no doorbell: the state change or a send finds it. */
	CHECK(vt_post_send(&x, IBV_WR_SEND, 99, &s, 1, 0));
	CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 99));
	CHECK(expect_wc(x.rcq, IBV_WC_WR_FLUSH_ERR, 92));
	return end(&x, &y);
}

/* All that is outstanding is flushed, in order, once each. */
static int flush_order(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp x, y;
	int i;

	CHECK(pair(&x, &y, rc));
	for (i = 0; i < 20; i++)
		CHECK(vt_post_recv(&x, 100 + i, &r, 1));
	/* Nobody receives at the peer: the first waits for ever. */
	for (i = 0; i < 20; i++)
		CHECK(vt_post_send(&x, IBV_WR_SEND, i, &s, 1,
				   i % 3 ? 0 : IBV_SEND_SIGNALED));
	CHECK(vt_qp_modify_state(&x, IBV_QPS_ERR));
	for (i = 0; i < 20; i++) {
		CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, i));
		CHECK(expect_wc(x.rcq, IBV_WC_WR_FLUSH_ERR, 100 + i));
	}
	CHECK(vt_quiet(x.scq, 20));
	CHECK(vt_quiet(x.rcq, 20));
	return end(&x, &y);
}

/* Never success: refused when posted, or completed with an error. */
static int never(struct vt_qp_spec spec, enum ibv_wr_opcode op,
		 uint32_t len, const char *what)
{
	struct ibv_sge s = asge(len);
	struct vt_qp x, y;
	struct ibv_wc wc;
	int err;

	CHECK(pair(&x, &y, spec));
	err = vt_post_rdma(&x, op, 1, &s, IBV_SEND_SIGNALED,
			   (uintptr_t)env.bbuf, env.bmr->rkey);
	if (err && err != -EINVAL && err != -EOPNOTSUPP)
		return bad("%s: post %d", what, err);
	if (!err && vt_poll(x.scq, &wc, 1, WAIT_MS) != 1)
		return bad("%s: no completion", what);
	if (!err && wc.status == IBV_WC_SUCCESS)
		return bad("%s: succeeded", what);
	return end(&x, &y);
}

static int wrong_opcodes(void)
{
	struct vt_qp_spec uc = { .type = IBV_QPT_UC };
	struct vt_qp_spec no_reads = rc;
	int rc_;

	no_reads.rd_atomic = -1;
	rc_ = never(uc, IBV_WR_RDMA_READ, 8, "READ on UC");
	rc_ |= never(uc, IBV_WR_ATOMIC_FETCH_AND_ADD, 8, "ATOMIC on UC");
	rc_ |= never(rc, IBV_WR_ATOMIC_FETCH_AND_ADD, 4, "ATOMIC of 4 bytes");
	rc_ |= never(rc, IBV_WR_BIND_MW, 8, "BIND_MW by post_send");
	rc_ |= never(rc, IBV_WR_TSO, 8, "TSO on RC");
	rc_ |= never(no_reads, IBV_WR_RDMA_READ, 8, "READ, max_rd_atomic 0");
	return rc_;
}

const struct test local_tests[] = {
	{ "lkeys that are unknown, zero or another PD's", bad_lkeys },
	{ "ranges outside the region", bad_ranges },
	{ "READ and ATOMIC into memory without LOCAL_WRITE", no_local_write },
	{ "lkey of a region that is gone", stale_lkey },
	{ "too many SGEs, too much inline data", post_limits },
	{ "send queue full", send_queue_full },
	{ "receive queue full", receive_queue_full },
	{ "post_send before RTS", post_too_early },
	{ "every opcode in ERR is flushed", post_in_error },
	{ "flush in order", flush_order },
	{ "opcodes that cannot be", wrong_opcodes },
	{ }
};
