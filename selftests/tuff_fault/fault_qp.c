// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_fault: queue pairs: made, moved through their states, used */
#include "fault.h"

#include <errno.h>
#include <stdlib.h>

#define WAIT_MS	10000

static int qp_create(enum ibv_qp_type type, bool with_srq)
{
	struct ibv_qp_init_attr init = {
		.send_cq = env.cq, .recv_cq = env.cq, .qp_type = type,
		.srq = with_srq ? env.srq : NULL,
		.cap = { .max_send_wr = 100, .max_recv_wr = 100,
			 .max_send_sge = 3, .max_recv_sge = 2,
			 .max_inline_data = 128 },
	};

	env.qp = ibv_create_qp(env.dev.pd, &init);
	return env.qp ? 0 : -(errno ? errno : EIO);
}

static int rc_run(void)
{
	return qp_create(IBV_QPT_RC, false);
}

static int uc_run(void)
{
	return qp_create(IBV_QPT_UC, false);
}

static int ud_run(void)
{
	return qp_create(IBV_QPT_UD, false);
}

static int srq_qp_run(void)
{
	return qp_create(IBV_QPT_RC, true);
}

static int srq_prepare(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 10, .max_sge = 1 },
	};

	env.srq = ibv_create_srq(env.dev.pd, &init);
	return env.srq ? 0 : -errno;
}

static int qp_destroy(void)
{
	int err = -ibv_destroy_qp(env.qp);

	if (!err)
		env.qp = NULL;
	return err;
}

static int qp_after(int err)
{
	(void)err;
	return env.qp ? qp_destroy() : 0;
}

static int srq_qp_after(int err)
{
	err = qp_after(err);
	return err ? err : -ibv_destroy_srq(env.srq);
}

static int x_create(enum ibv_qp_type type)
{
	struct vt_qp_spec spec = { .type = type, .cq = env.cq };

	return vt_qp_create(&env.x, &env.dev, &spec);
}

static int x_after(int err)
{
	(void)err;
	vt_qp_destroy(&env.x);
	return 0;
}

static int rc_reset(void)
{
	return x_create(IBV_QPT_RC);
}

static int rc_init(void)
{
	int err = rc_reset();

	return err ? err : vt_qp_init(&env.x);
}

static int to_rtr(void)
{
	struct vt_addr self;

	vt_qp_addr(&env.x, &self);
	return vt_qp_rtr(&env.x, &self);
}

static int rc_rtr(void)
{
	int err = rc_init();

	return err ? err : to_rtr();
}

static int rc_rts(void)
{
	int err = rc_rtr();

	return err ? err : vt_qp_rts(&env.x);
}

static int ud_rts(void)
{
	int err = x_create(IBV_QPT_UD);

	return err ? err : vt_qp_connect(&env.x, NULL);
}

static int to_init(void)
{
	return vt_qp_init(&env.x);
}

static int to_rts(void)
{
	return vt_qp_rts(&env.x);
}

static int to_sqd(void)
{
	return vt_qp_modify_state(&env.x, IBV_QPS_SQD);
}

static int rc_sqd(void)
{
	int err = rc_rts();

	return err ? err : to_sqd();
}

static int sqd_to_rts(void)
{
	return vt_qp_modify_state(&env.x, IBV_QPS_RTS);
}

/* New memory for answers, and a new path, where the state allows it. */
static int sqd_to_sqd(void)
{
	struct ibv_qp_attr attr = {
		.qp_state = IBV_QPS_SQD, .max_dest_rd_atomic = 16,
	};

	return -ibv_modify_qp(env.x.qp, &attr, IBV_QP_STATE |
			      IBV_QP_MAX_DEST_RD_ATOMIC);
}

static int to_err(void)
{
	return vt_qp_modify_state(&env.x, IBV_QPS_ERR);
}

static int to_reset(void)
{
	return vt_qp_modify_state(&env.x, IBV_QPS_RESET);
}

static int query(void)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return -ibv_query_qp(env.x.qp, &attr, IBV_QP_STATE, &init);
}

static int x_destroy(void)
{
	int err = -ibv_destroy_qp(env.x.qp);

	if (!err)
		env.x.qp = NULL;
	return err;
}

/* A doorbell that failed leaves its request in the ring for the next one. */
static int post(enum ibv_wr_opcode op)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)env.buf, .length = FAULT_LEN / 2,
		.lkey = env.mr->lkey,
	};

	return vt_post_rdma(&env.x, op, 1, &sge, IBV_SEND_SIGNALED,
			    (uintptr_t)env.buf + FAULT_LEN, env.mr->rkey);
}

static int post_write(void)
{
	return post(IBV_WR_RDMA_WRITE);
}

static int post_read(void)
{
	return post(IBV_WR_RDMA_READ);
}

/* Both the request that saw a fault and one after it complete, and well. */
static int completes(int err)
{
	struct ibv_wc wc[2] = {};

	(void)err;
	err = post(IBV_WR_RDMA_WRITE);
	if (!err && vt_poll(env.cq, wc, 2, WAIT_MS) != 2)
		err = -ETIMEDOUT;
	if (!err && (wc[0].status || wc[1].status))
		err = -EPROTO;
	x_after(err);
	return err;
}

static int ud_prepare(void)
{
	int err = ud_rts();

	if (err)
		return err;
	env.ah = vt_ah(&env.dev, &env.dev.gid);
	return env.ah ? 0 : -errno;
}

static int ud_post(void)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)env.buf, .length = 1024,
		.lkey = env.mr->lkey,
	};
	struct ibv_send_wr *wrong, wr = {
		.sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_SEND,
		.send_flags = IBV_SEND_SIGNALED,
		.wr.ud = { .ah = env.ah, .remote_qpn = env.x.qp->qp_num,
			   .remote_qkey = VT_QKEY },
	};

	return -ibv_post_send(env.x.qp, &wr, &wrong);
}

/* A datagram may be lost, its completion may not. */
static int ud_completes(int err)
{
	struct ibv_wc wc[2] = {};

	(void)err;
	err = ud_post();
	if (!err && vt_poll(env.cq, wc, 2, WAIT_MS) != 2)
		err = -ETIMEDOUT;
	if (!err && (wc[0].status || wc[1].status))
		err = -EPROTO;
	x_after(err);
	ibv_destroy_ah(env.ah);
	return err;
}

const struct fault_case qp_cases[] = {
	{ "create_qp RC", NULL, rc_run, qp_after },
	{ "create_qp UC", NULL, uc_run, qp_after },
	{ "create_qp UD", NULL, ud_run, qp_after },
	{ "create_qp with SRQ", srq_prepare, srq_qp_run, srq_qp_after },
	{ "destroy_qp in RESET", rc_run, qp_destroy, qp_after },
	{ "modify_qp RESET to INIT", rc_reset, to_init, x_after },
	{ "modify_qp INIT to RTR", rc_init, to_rtr, x_after },
	{ "modify_qp RTR to RTS", rc_rtr, to_rts, x_after },
	{ "modify_qp RTS to SQD", rc_rts, to_sqd, x_after },
	{ "modify_qp SQD to SQD", rc_sqd, sqd_to_sqd, x_after },
	{ "modify_qp SQD to RTS", rc_sqd, sqd_to_rts, x_after },
	{ "modify_qp RTS to ERR", rc_rts, to_err, x_after },
	{ "modify_qp RTS to RESET", rc_rts, to_reset, x_after },
	{ "query_qp", rc_rts, query, x_after },
	{ "destroy_qp in RTS", rc_rts, x_destroy, x_after },
	{ "post WRITE", rc_rts, post_write, completes },
	{ "post READ", rc_rts, post_read, completes },
	{ "post to UD", ud_prepare, ud_post, ud_completes },
	{ NULL, NULL, NULL, NULL }
};
