// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: attributes of queue pairs: out of range, and as asked */
#include "harness.h"

#include <string.h>

#define EVERYTHING	((IBV_QP_DEST_QPN << 1) - 1)

struct range {
	const char *what;
	enum ibv_qp_state from;
	void (*spoil)(struct ibv_qp_attr *attr);
};

#define SPOIL(name, statement) \
	static void spoil_##name(struct ibv_qp_attr *a) { statement; }

SPOIL(port_zero, a->port_num = 0)
SPOIL(port_two, a->port_num = 2)
SPOIL(port_max, a->port_num = 255)
SPOIL(pkey, a->pkey_index = 1)
SPOIL(pkey_max, a->pkey_index = 0xffff)
SPOIL(mtu_zero, a->path_mtu = 0)
SPOIL(mtu_six, a->path_mtu = IBV_MTU_4096 + 1)
SPOIL(mtu_byte, a->path_mtu = 255)
SPOIL(gid_index, a->ah_attr.grh.sgid_index = 255)
SPOIL(no_grh, a->ah_attr.is_global = 0)
SPOIL(ah_port, a->ah_attr.port_num = 2)
SPOIL(dest_rd, a->max_dest_rd_atomic = 255)
SPOIL(rnr_timer, a->min_rnr_timer = 32)
SPOIL(timeout, a->timeout = 32)
SPOIL(retry, a->retry_cnt = 8)
SPOIL(rnr_retry, a->rnr_retry = 8)
SPOIL(rd_atomic, a->max_rd_atomic = 255)

static const struct range ranges[] = {
	{ "port 0", IBV_QPS_RESET, spoil_port_zero },
	{ "port 2", IBV_QPS_RESET, spoil_port_two },
	{ "port 255", IBV_QPS_RESET, spoil_port_max },
	{ "P_Key index 1", IBV_QPS_RESET, spoil_pkey },
	{ "P_Key index 0xffff", IBV_QPS_RESET, spoil_pkey_max },
	{ "path MTU 0", IBV_QPS_INIT, spoil_mtu_zero },
	{ "path MTU 6", IBV_QPS_INIT, spoil_mtu_six },
	{ "path MTU 255", IBV_QPS_INIT, spoil_mtu_byte },
	{ "GID index 255", IBV_QPS_INIT, spoil_gid_index },
	{ "no GRH", IBV_QPS_INIT, spoil_no_grh },
	{ "port 2 in the address", IBV_QPS_INIT, spoil_ah_port },
	{ "max_dest_rd_atomic 255", IBV_QPS_INIT, spoil_dest_rd },
	{ "min_rnr_timer 32", IBV_QPS_INIT, spoil_rnr_timer },
	{ "timeout 32", IBV_QPS_RTR, spoil_timeout },
	{ "retry_cnt 8", IBV_QPS_RTR, spoil_retry },
	{ "rnr_retry 8", IBV_QPS_RTR, spoil_rnr_retry },
	{ "max_rd_atomic 255", IBV_QPS_RTR, spoil_rd_atomic },
};

static int modify_from(struct vt_qp *qp, enum ibv_qp_state from,
		       void (*spoil)(struct ibv_qp_attr *attr))
{
	struct ibv_qp_attr attr;
	struct vt_addr self;
	int mask;

	vt_qp_addr(qp, &self);
	mask = from == IBV_QPS_RESET ? vt_attr_init(qp, &attr) :
	       from == IBV_QPS_INIT ? vt_attr_rtr(qp, &self, &attr) :
				      vt_attr_rts(qp, &attr);
	spoil(&attr);
	return ibv_modify_qp(qp->qp, &attr, mask);
}

static int out_of_range(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC };
	struct vt_qp qp;
	unsigned int i;
	int err, rc = 0;

	for (i = 0; i < ARRAY_LEN(ranges); i++) {
		CHECK(vt_qp_create(&qp, env.a, &spec));
		CHECK(to_state(&qp, ranges[i].from));
		err = modify_from(&qp, ranges[i].from, ranges[i].spoil);
		/* ENODATA is ib_core's word for no GID at that index. */
		if (err != EINVAL &&
		    !(err == ENODATA && ranges[i].spoil == spoil_gid_index))
			rc = bad("%s: %s, expected %s", ranges[i].what,
				 strerror(err), strerror(EINVAL));
		rc |= expect_state(&qp, ranges[i].from);
		vt_qp_destroy(&qp);
	}
	return rc;
}

/* max_rd_atomic and max_dest_rd_atomic up to what the device says it can. */
static int rd_atomic_limits(void)
{
	struct vt_qp_spec spec = {
		.type = IBV_QPT_RC,
		.rd_atomic = env.a->attr.max_qp_init_rd_atom,
	};
	struct vt_qp qp;

	if (!env.a->attr.max_qp_init_rd_atom || !env.a->attr.max_qp_rd_atom)
		return bad("max_qp_init_rd_atom %d max_qp_rd_atom %d",
			   env.a->attr.max_qp_init_rd_atom,
			   env.a->attr.max_qp_rd_atom);
	CHECK(vt_qp_create(&qp, env.a, &spec));
	CHECK(to_state(&qp, IBV_QPS_RTS));
	vt_qp_destroy(&qp);
	return 0;
}

/* A path MTU above the port's is refused; all below are fine. */
static int path_mtus(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC };
	enum ibv_mtu mtu;
	struct vt_qp qp;
	int err;

	for (mtu = IBV_MTU_256; mtu <= IBV_MTU_4096; mtu++) {
		bool fits = mtu <= env.a->port.active_mtu;

		spec.mtu = mtu;
		CHECK(vt_qp_create(&qp, env.a, &spec));
		err = -to_state(&qp, IBV_QPS_RTR);
		if (err != (fits ? 0 : EINVAL))
			return bad("path MTU %u with active MTU %u: %s",
				   128u << mtu,
				   128u << env.a->port.active_mtu,
				   strerror(err));
		vt_qp_destroy(&qp);
	}
	return 0;
}

#define SAME(got, want) do {						\
	unsigned long _got = (got), _want = (want);			\
									\
	if (_got != _want)						\
		return bad("%s: %#lx, expected %#lx", #got, _got, _want); \
} while (0)

static int query_connected(struct vt_qp *qp, enum ibv_qp_state state,
			   const struct vt_addr *peer)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr q = {};

	CHECK(ibv_query_qp(qp->qp, &q, EVERYTHING, &init));
	SAME(q.qp_state, state);
	SAME(q.port_num, VT_PORT);
	SAME(q.pkey_index, 0);
	SAME(q.qp_access_flags & ACCESS_FULL & ~IBV_ACCESS_LOCAL_WRITE,
	     IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ);
	if (state == IBV_QPS_INIT)
		return 0;
	SAME(q.path_mtu, IBV_MTU_512);
	SAME(q.dest_qp_num, peer->qpn);
	SAME(q.rq_psn, peer->psn);
	SAME(q.max_dest_rd_atomic, 3);
	SAME(q.min_rnr_timer, 7);
	SAME(q.ah_attr.is_global, 1);
	SAME(q.ah_attr.port_num, VT_PORT);
	SAME(q.ah_attr.grh.sgid_index, qp->dev->gid_index);
	SAME(q.ah_attr.grh.hop_limit, 64);
	SAME(memcmp(&q.ah_attr.grh.dgid, &peer->gid, 16), 0);
	if (state == IBV_QPS_RTR)
		return 0;
	SAME(q.sq_psn, qp->psn);
	SAME(q.timeout, 11);
	SAME(q.retry_cnt, 5);
	SAME(q.rnr_retry, 4);
	SAME(q.max_rd_atomic, 3);
	return 0;
}

/* query_qp tells in every state what was set. */
static int query_every_state(void)
{
	struct vt_qp_spec spec = {
		.type = IBV_QPT_RC, .mtu = IBV_MTU_512, .rd_atomic = 3,
		.min_rnr_timer = 7, .timeout = 11, .retry_cnt = 5,
		.rnr_retry = 4,
		.access = IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
	};
	struct vt_addr self;
	struct vt_qp qp;

	CHECK(vt_qp_create(&qp, env.a, &spec));
	vt_qp_addr(&qp, &self);
	CHECK(vt_qp_init(&qp));
	CHECK(query_connected(&qp, IBV_QPS_INIT, &self));
	CHECK(vt_qp_rtr(&qp, &self));
	CHECK(query_connected(&qp, IBV_QPS_RTR, &self));
	CHECK(vt_qp_rts(&qp));
	CHECK(query_connected(&qp, IBV_QPS_RTS, &self));
	CHECK(vt_qp_modify_state(&qp, IBV_QPS_SQD));
	CHECK(query_connected(&qp, IBV_QPS_SQD, &self));
	CHECK(vt_qp_modify_state(&qp, IBV_QPS_ERR));
	CHECK(query_connected(&qp, IBV_QPS_ERR, &self));
	vt_qp_destroy(&qp);
	return 0;
}

static int query_init_attr(void)
{
	struct vt_qp_spec spec = {
		.type = IBV_QPT_UD, .send_wr = 33, .recv_wr = 17,
		.send_sge = 3, .recv_sge = 2, .max_inline = 100,
		.sig_all = true,
	};
	struct ibv_qp_init_attr init = {};
	struct ibv_qp_attr q = {};
	struct vt_qp qp;

	CHECK(vt_qp_create(&qp, env.a, &spec));
	CHECK(vt_qp_init(&qp));
	CHECK(ibv_query_qp(qp.qp, &q, IBV_QP_CAP | IBV_QP_QKEY, &init));
	SAME(q.qkey, VT_QKEY);
	SAME(init.qp_type, IBV_QPT_UD);
	SAME(init.sq_sig_all, 1);
	SAME(init.cap.max_send_wr >= 33, 1);
	SAME(init.cap.max_recv_wr >= 17, 1);
	SAME(init.cap.max_send_sge >= 3, 1);
	SAME(init.cap.max_recv_sge >= 2, 1);
	SAME(init.cap.max_inline_data >= 100, 1);
	SAME(init.send_cq == qp.scq && init.recv_cq == qp.rcq, 1);
	vt_qp_destroy(&qp);
	return 0;
}

/* What may change in RTS does, and takes effect. */
static int modify_in_rts(void)
{
	struct ibv_qp_attr attr = {
		.qp_access_flags = IBV_ACCESS_REMOTE_READ,
		.min_rnr_timer = 12,
	};
	struct ibv_sge s = asge(16);
	struct ibv_qp_init_attr init;
	struct vt_qp x, y;

	CHECK(pair(&x, &y, (struct vt_qp_spec){ .type = IBV_QPT_RC }));
	CHECK(ibv_modify_qp(y.qp, &attr,
			    IBV_QP_ACCESS_FLAGS | IBV_QP_MIN_RNR_TIMER));
	CHECK(ibv_query_qp(y.qp, &attr, EVERYTHING, &init));
	SAME(attr.min_rnr_timer, 12);
	SAME(attr.qp_access_flags & ~IBV_ACCESS_LOCAL_WRITE,
	     IBV_ACCESS_REMOTE_READ);
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_READ, 1, &s, IBV_SEND_SIGNALED,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 1));
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 2, &s, IBV_SEND_SIGNALED,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	CHECK(expect_wc(x.scq, IBV_WC_REM_INV_REQ_ERR, 2));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

/* MAX_DEST_RD_ATOMIC alone in RTS: refused, and nothing is freed by it. */
static int rd_atomic_in_rts(void)
{
	struct ibv_qp_attr attr = { .max_dest_rd_atomic = 1 };
	struct ibv_sge s = asge(4096);
	struct vt_qp x, y;
	int i;

	CHECK(pair(&x, &y, (struct vt_qp_spec){ .type = IBV_QPT_RC }));
	for (i = 0; i < 20; i++) {
		CHECK(vt_post_rdma(&x, IBV_WR_RDMA_READ, i, &s,
				   IBV_SEND_SIGNALED, (uintptr_t)env.bbuf,
				   env.bmr->rkey));
		REFUSED(ibv_modify_qp(y.qp, &attr, IBV_QP_MAX_DEST_RD_ATOMIC),
			EINVAL);
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
	}
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

const struct test attr_tests[] = {
	{ "out of range", out_of_range },
	{ "READ and ATOMIC depths as advertised", rd_atomic_limits },
	{ "path MTUs", path_mtus },
	{ "query_qp in every state", query_every_state },
	{ "query_qp tells capacities", query_init_attr },
	{ "modify in RTS", modify_in_rts },
	{ "MAX_DEST_RD_ATOMIC in RTS", rd_atomic_in_rts },
	{ }
};
