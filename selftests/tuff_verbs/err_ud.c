// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: datagrams that must be dropped, counted, forgotten */
#include "harness.h"

#include <stdlib.h>
#include <string.h>

#define GRH	40

static const struct vt_qp_spec ud = { .type = IBV_QPT_UD };

struct dgram {
	uint32_t qpn, qkey, len;
	uint64_t wr_id;
};

static int send_to(struct vt_qp *x, struct ibv_ah *ah, struct dgram d)
{
	struct ibv_sge s = asge(d.len);
	struct ibv_send_wr *wrong, wr = {
		.wr_id = d.wr_id, .opcode = IBV_WR_SEND, .sg_list = &s,
		.num_sge = 1, .send_flags = IBV_SEND_SIGNALED,
	};

	wr.wr.ud.ah = ah;
	wr.wr.ud.remote_qpn = d.qpn;
	wr.wr.ud.remote_qkey = d.qkey;
	return -ibv_post_send(x->qp, &wr, &wrong);
}

/* Does this device count drops by reason? rdma_rxe does not. */
static int counted(const char *name, long before)
{
	uint64_t end = vt_deadline(2000);
	long now;

	if (before < 0)
		return 0;
	do {
		now = vt_counter(env.b, name);
		if (now > before)
			return 0;
	} while (!vt_expired(end));
	return bad("counter %s stays at %ld", name, now);
}

/*
 * This datagram is sent without complaint and never seen; then a right one
 * arrives in the receive that the first one must not have used up.
 */
static int dropped(struct dgram d, const char *counter, uint32_t room)
{
	struct ibv_sge r = bsge(room);
	long before = vt_counter(env.b, counter);
	struct vt_qp x, y;
	struct ibv_ah *ah;
	struct ibv_wc wc;

	CHECK(pair(&x, &y, ud));
	ah = vt_ah(env.a, &env.b->gid);
	if (!ah)
		return bad("address handle: %s", strerror(errno));
	CHECK(vt_post_recv(&y, 5, &r, 1));
	if (!d.qpn)
		d.qpn = y.qp->qp_num;
	d.wr_id = 1;
	CHECK(send_to(&x, ah, d));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(counted(counter, before));
	CHECK(vt_quiet(y.rcq, 50));
	CHECK(expect_state(&y, IBV_QPS_RTS));
	CHECK(send_to(&x, ah, (struct dgram){ y.qp->qp_num, VT_QKEY, 16, 2 }));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 2));
	if (vt_poll(y.rcq, &wc, 1, WAIT_MS) != 1)
		return bad("the right datagram did not arrive");
	if (wc.status || wc.wr_id != 5 || wc.byte_len != 16 + GRH)
		return bad("receive %llu: %s, %u bytes",
			   (unsigned long long)wc.wr_id,
			   ibv_wc_status_str(wc.status), wc.byte_len);
	CHECK(ibv_destroy_ah(ah));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

static int wrong_qkey(void)
{
	return dropped((struct dgram){ 0, VT_QKEY + 1, 16, 0 },
		       "rx_drop_qkey", 256);
}

static int wrong_qpn(void)
{
	return dropped((struct dgram){ 0xfffff0, VT_QKEY, 16, 0 },
		       "rx_drop_no_qp", 256);
}

static int too_large(void)
{
	return dropped((struct dgram){ 0, VT_QKEY, 100, 0 },
		       "rx_drop_ud_length", 99 + GRH);
}

/* Above the path MTU: an error here, and the peer never hears of it. */
static int above_mtu(void)
{
	uint32_t mtu = 128u << env.a->port.active_mtu;
	struct vt_qp x, y;
	struct dgram d;
	struct ibv_ah *ah;
	struct ibv_wc wc;
	int err;

	CHECK(pair(&x, &y, ud));
	ah = vt_ah(env.a, &env.b->gid);
	d = (struct dgram){ y.qp->qp_num, VT_QKEY, mtu + 1, 1 };
	err = send_to(&x, ah, d);
	if (err && err != -EINVAL)
		return bad("post: %d", err);
	if (!err && (vt_poll(x.scq, &wc, 1, WAIT_MS) != 1 ||
		     wc.status != IBV_WC_LOC_LEN_ERR))
		return bad("status '%s', expected '%s'",
			   ibv_wc_status_str(wc.status),
			   ibv_wc_status_str(IBV_WC_LOC_LEN_ERR));
	CHECK(ibv_destroy_ah(ah));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

static int no_receive(void)
{
	long before = vt_counter(env.b, "rx_drop_ud_no_buffer");
	struct ibv_sge r = bsge(100);
	struct vt_qp x, y;
	struct ibv_ah *ah;

	CHECK(pair(&x, &y, ud));
	ah = vt_ah(env.a, &env.b->gid);
	CHECK(send_to(&x, ah, (struct dgram){ y.qp->qp_num, VT_QKEY, 16, 1 }));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(counted("rx_drop_ud_no_buffer", before));
	CHECK(vt_post_recv(&y, 5, &r, 1));
	CHECK(vt_quiet(y.rcq, 50));
	CHECK(send_to(&x, ah, (struct dgram){ y.qp->qp_num, VT_QKEY, 16, 2 }));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 2));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 5));
	CHECK(ibv_destroy_ah(ah));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

/* With its highest bit set a Q_Key means the sender's own (IBA 10.2.5). */
static int controlled_qkey(void)
{
	struct ibv_sge r = bsge(100);
	struct vt_qp x, y;
	struct dgram d;
	struct ibv_ah *ah;

	CHECK(pair(&x, &y, ud));
	ah = vt_ah(env.a, &env.b->gid);
	CHECK(vt_post_recv(&y, 5, &r, 1));
	d = (struct dgram){ y.qp->qp_num, 0x80000001, 16, 1 };
	CHECK(send_to(&x, ah, d));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 5));
	CHECK(ibv_destroy_ah(ah));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

/* Another PD's handle: never sent; SQE, from which RTS leads back. */
static int other_pd(void)
{
	struct vt_dev other = *env.a;
	struct ibv_sge r = bsge(100);
	struct vt_qp x, y;
	struct ibv_ah *ah, *right;
	struct ibv_wc wc;
	struct dgram d;
	int err;

	other.pd = ibv_alloc_pd(env.a->ctx);
	CHECK(pair(&x, &y, ud));
	ah = vt_ah(&other, &env.b->gid);
	right = vt_ah(env.a, &env.b->gid);
	CHECK(vt_post_recv(&y, 5, &r, 1));
	d = (struct dgram){ y.qp->qp_num, VT_QKEY, 16, 1 };
	err = send_to(&x, ah, d);
	if (!err) {
		if (vt_poll(x.scq, &wc, 1, WAIT_MS) != 1 || !wc.status)
			return bad("another PD's handle was used");
		CHECK(expect_state(&x, IBV_QPS_SQE));
		CHECK(vt_qp_modify_state(&x, IBV_QPS_RTS));
	} else if (err != -EINVAL) {
		return bad("post: %d", err);
	}
	d = (struct dgram){ y.qp->qp_num, VT_QKEY, 16, 2 };
	CHECK(send_to(&x, right, d));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 2));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 5));
	CHECK(ibv_destroy_ah(ah));
	CHECK(ibv_destroy_ah(right));
	CHECK(ibv_dealloc_pd(other.pd));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

/* A bad lkey on UD and UC stops sending only; receiving goes on. */
static int send_queue_error(void)
{
	struct ibv_sge wrong = { (uintptr_t)env.abuf, 8, 0xdeadbe00 };
	struct ibv_sge a = asge(8), b = bsge(8);
	struct vt_qp x, y;

	CHECK(pair(&x, &y, (struct vt_qp_spec){ .type = IBV_QPT_UC }));
	CHECK(vt_post_recv(&x, 5, &a, 1));
	CHECK(vt_post_recv(&y, 6, &b, 1));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 1, &wrong, 1, 0));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 2, &a, 1, 0));
	CHECK(expect_wc(x.scq, IBV_WC_LOC_PROT_ERR, 1));
	CHECK(expect_wc(x.scq, IBV_WC_WR_FLUSH_ERR, 2));
	CHECK(expect_state(&x, IBV_QPS_SQE));
	CHECK(vt_post_send(&y, IBV_WR_SEND, 3, &b, 1, IBV_SEND_SIGNALED));
	CHECK(expect_wc(y.scq, IBV_WC_SUCCESS, 3));
	CHECK(expect_wc(x.rcq, IBV_WC_SUCCESS, 5));
	CHECK(vt_qp_modify_state(&x, IBV_QPS_RTS));
	CHECK(vt_post_send(&x, IBV_WR_SEND, 4, &a, 1, IBV_SEND_SIGNALED));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 4));
	CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 6));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

const struct test ud_tests[] = {
	{ "wrong Q_Key", wrong_qkey },
	{ "nobody has the QP number", wrong_qpn },
	{ "larger than the receive", too_large },
	{ "larger than the path MTU", above_mtu },
	{ "no receive posted", no_receive },
	{ "controlled Q_Key", controlled_qkey },
	{ "address handle of another protection domain", other_pd },
	{ "UC: SQE keeps receiving, RTS leads back", send_queue_error },
	{ }
};
