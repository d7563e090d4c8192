// SPDX-License-Identifier: GPL-2.0
/* tuff: tuff_kapi: queue pairs of a kernel consumer */
#include "kapi.h"

#include <linux/etherdevice.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#define KAPI_BUF_LEN	(2 * KAPI_DEPTH * KAPI_LEN)

int kapi_bad(struct kapi_env *env, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	seq_printf(env->out, "# %pV\n", &vaf);
	va_end(args);
	return -EINVAL;
}

static int kapi_find_gid(struct kapi_qp *kqp)
{
	const struct ib_gid_attr *attr;
	u32 i;

	for (i = 0; i < 256; i++) {
		attr = rdma_get_gid_attr(kqp->dev, 1, i);
		if (IS_ERR(attr))
			continue;
		if (attr->gid_type == IB_GID_TYPE_ROCE_UDP_ENCAP &&
		    ipv6_addr_v4mapped((struct in6_addr *)&attr->gid)) {
			kqp->gid_index = i;
			kqp->gid = attr->gid;
			rdma_read_gid_l2_fields(attr, NULL, kqp->smac);
			rdma_put_gid_attr(attr);
			return 0;
		}
		rdma_put_gid_attr(attr);
	}
	return -ENOENT;
}

/*
 * Who is inside of a post. A handler in softirq may interrupt a post of
 * process context, that is no call from inside of it; softirqs do not nest.
 */
static DEFINE_PER_CPU(int, kapi_posting);
static struct task_struct *kapi_poster;

static void kapi_enter(void)
{
	if (in_serving_softirq())
		this_cpu_inc(kapi_posting);
	else if (in_task())
		WRITE_ONCE(kapi_poster, current);
}

static void kapi_leave(void)
{
	if (in_serving_softirq())
		this_cpu_dec(kapi_posting);
	else if (in_task())
		WRITE_ONCE(kapi_poster, NULL);
}

static bool kapi_inside(void)
{
	return in_serving_softirq() ? this_cpu_read(kapi_posting) > 0 :
				      READ_ONCE(kapi_poster) == current;
}

/* Never from inside a verb, and never twice at once. */
static void kapi_comp_handler(struct ib_cq *cq, void *context)
{
	struct kapi_qp *kqp = context;
	struct ib_wc wc;

	if (kapi_inside())
		atomic_inc(&kqp->reentered);
	if (atomic_inc_return(&kqp->handling) != 1)
		atomic_inc(&kqp->reentered);
	do {
		while (ib_poll_cq(cq, 1, &wc) == 1) {
			if (wc.status != IB_WC_SUCCESS)
				atomic_inc(&kqp->errors);
			kqp->done(kqp, &wc);
		}
	} while (ib_req_notify_cq(cq, IB_CQ_NEXT_COMP |
				  IB_CQ_REPORT_MISSED_EVENTS) > 0);
	atomic_dec(&kqp->handling);
}

static int kapi_buffers(struct kapi_qp *kqp)
{
	kqp->buf = kzalloc(KAPI_BUF_LEN, GFP_KERNEL);
	if (!kqp->buf)
		return -ENOMEM;
	kqp->dma = ib_dma_map_single(kqp->dev, kqp->buf, KAPI_BUF_LEN,
				     DMA_BIDIRECTIONAL);
	return ib_dma_mapping_error(kqp->dev, kqp->dma);
}

static int kapi_objects(struct kapi_qp *kqp, enum ib_qp_type type)
{
	struct ib_cq_init_attr cq_attr = { .cqe = 4 * KAPI_DEPTH };
	struct ib_qp_init_attr attr = {
		.cap = { .max_send_wr = KAPI_DEPTH,
			 .max_recv_wr = KAPI_DEPTH,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = type, .sq_sig_type = IB_SIGNAL_ALL_WR,
	};

	kqp->pd = ib_alloc_pd(kqp->dev, 0);
	if (IS_ERR(kqp->pd))
		return PTR_ERR(kqp->pd);
	kqp->cq = ib_create_cq(kqp->dev, kqp->done ? kapi_comp_handler : NULL,
			       NULL, kqp, &cq_attr);
	if (IS_ERR(kqp->cq))
		return PTR_ERR(kqp->cq);
	attr.send_cq = kqp->cq;
	attr.recv_cq = kqp->cq;
	kqp->qp = ib_create_qp(kqp->pd, &attr);
	if (IS_ERR(kqp->qp))
		return PTR_ERR(kqp->qp);
	return kqp->done ? ib_req_notify_cq(kqp->cq, IB_CQ_NEXT_COMP) : 0;
}

int kapi_qp_create(struct kapi_qp *kqp, struct ib_device *dev,
		   enum ib_qp_type type, kapi_done_t *done)
{
	int err;

	memset(kqp, 0, sizeof(*kqp));
	init_completion(&kqp->finished);
	kqp->dev = dev;
	kqp->done = done;
	err = kapi_find_gid(kqp);
	if (!err)
		err = kapi_buffers(kqp);
	if (!err)
		err = kapi_objects(kqp, type);
	if (err)
		kapi_qp_destroy(kqp);
	return err;
}

void kapi_qp_destroy(struct kapi_qp *kqp)
{
	if (!IS_ERR_OR_NULL(kqp->qp))
		ib_destroy_qp(kqp->qp);
	if (!IS_ERR_OR_NULL(kqp->cq))
		ib_destroy_cq(kqp->cq);
	if (!IS_ERR_OR_NULL(kqp->pd))
		ib_dealloc_pd(kqp->pd);
	if (kqp->buf)
		ib_dma_unmap_single(kqp->dev, kqp->dma, KAPI_BUF_LEN,
				    DMA_BIDIRECTIONAL);
	kfree(kqp->buf);
	kqp->qp = NULL;
	kqp->cq = NULL;
	kqp->pd = NULL;
	kqp->buf = NULL;
}

static void kapi_ah_attr(struct rdma_ah_attr *attr, const struct kapi_qp *kqp,
			 const struct kapi_qp *peer)
{
	memset(attr, 0, sizeof(*attr));
	attr->type = RDMA_AH_ATTR_TYPE_ROCE;
	rdma_ah_set_port_num(attr, 1);
	rdma_ah_set_grh(attr, (union ib_gid *)&peer->gid, 0, kqp->gid_index,
			64, 0);
	ether_addr_copy(attr->roce.dmac, peer->smac);
}

static int kapi_to_init(struct kapi_qp *kqp)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_INIT, .port_num = 1, .qkey = KAPI_QKEY,
		.qp_access_flags = IB_ACCESS_REMOTE_WRITE,
	};
	bool ud = kqp->qp->qp_type == IB_QPT_UD;

	return ib_modify_qp(kqp->qp, &attr, IB_QP_STATE | IB_QP_PKEY_INDEX |
			    IB_QP_PORT | (ud ? IB_QP_QKEY :
					       IB_QP_ACCESS_FLAGS));
}

static int kapi_to_rtr(struct kapi_qp *kqp, const struct kapi_qp *peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTR, .path_mtu = IB_MTU_1024,
		.dest_qp_num = peer->qp->qp_num, .rq_psn = 77,
		.max_dest_rd_atomic = 1, .min_rnr_timer = 1,
	};

	if (kqp->qp->qp_type == IB_QPT_UD)
		return ib_modify_qp(kqp->qp, &attr, IB_QP_STATE);
	kapi_ah_attr(&attr.ah_attr, kqp, peer);
	return ib_modify_qp(kqp->qp, &attr, IB_QP_STATE | IB_QP_AV |
			    IB_QP_PATH_MTU | IB_QP_DEST_QPN | IB_QP_RQ_PSN |
			    IB_QP_MAX_DEST_RD_ATOMIC | IB_QP_MIN_RNR_TIMER);
}

int kapi_qp_connect(struct kapi_qp *kqp, const struct kapi_qp *peer)
{
	struct ib_qp_attr attr = {
		.qp_state = IB_QPS_RTS, .sq_psn = 77, .timeout = 14,
		.retry_cnt = 7, .rnr_retry = 7, .max_rd_atomic = 1,
	};
	int mask = IB_QP_STATE | IB_QP_SQ_PSN;
	int err;

	err = kapi_to_init(kqp);
	if (!err)
		err = kapi_to_rtr(kqp, peer);
	if (kqp->qp->qp_type == IB_QPT_RC)
		mask |= IB_QP_TIMEOUT | IB_QP_RETRY_CNT | IB_QP_RNR_RETRY |
			IB_QP_MAX_QP_RD_ATOMIC;
	return err ? err : ib_modify_qp(kqp->qp, &attr, mask);
}

/* Two connected queue pairs; @x == @y is one that talks to itself. */
int kapi_pair(struct kapi_env *env, struct kapi_qp *x, struct kapi_qp *y,
	      enum ib_qp_type type, kapi_done_t *done)
{
	int err;

	err = kapi_qp_create(x, env->a, type, done);
	if (!err && x != y) {
		err = kapi_qp_create(y, env->b, type, done);
		if (err)
			kapi_qp_destroy(x);
	}
	if (err)
		return kapi_bad(env, "create: %d", err);
	err = kapi_qp_connect(x, y);
	if (!err && x != y)
		err = kapi_qp_connect(y, x);
	if (!err)
		return 0;
	kapi_qp_destroy(x);
	if (x != y)
		kapi_qp_destroy(y);
	return kapi_bad(env, "connect: %d", err);
}

/* In any context. */
struct ib_ah *kapi_ah(struct kapi_qp *kqp, const struct kapi_qp *peer)
{
	struct rdma_ah_attr attr;

	kapi_ah_attr(&attr, kqp, peer);
	return rdma_create_ah(kqp->pd, &attr, 0);
}

static u32 kapi_slot(u64 wr_id)
{
	return wr_id % KAPI_DEPTH;
}

int kapi_post_send(struct kapi_qp *kqp, u64 wr_id, u32 len)
{
	struct ib_sge sge = {
		.addr = kqp->dma + kapi_slot(wr_id) * KAPI_LEN,
		.length = len, .lkey = kqp->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.wr_id = wr_id, .opcode = IB_WR_SEND, .sg_list = &sge,
		.num_sge = 1,
	};
	int err;

	kapi_enter();
	err = ib_post_send(kqp->qp, &wr, NULL);
	kapi_leave();
	return err;
}

int kapi_post_ud(struct kapi_qp *kqp, struct ib_ah *ah, u32 qpn, u64 wr_id)
{
	struct ib_sge sge = {
		.addr = kqp->dma + kapi_slot(wr_id) * KAPI_LEN,
		.length = 100, .lkey = kqp->pd->local_dma_lkey,
	};
	struct ib_ud_wr wr = {
		.wr = { .wr_id = wr_id, .opcode = IB_WR_SEND,
			.sg_list = &sge, .num_sge = 1 },
		.ah = ah, .remote_qpn = qpn, .remote_qkey = KAPI_QKEY,
	};

	return ib_post_send(kqp->qp, &wr.wr, NULL);
}

int kapi_post_recv(struct kapi_qp *kqp, u64 wr_id)
{
	struct ib_sge sge = {
		.addr = kqp->dma + (KAPI_DEPTH + kapi_slot(wr_id)) * KAPI_LEN,
		.length = KAPI_LEN, .lkey = kqp->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_id = wr_id, .sg_list = &sge, .num_sge = 1,
	};

	return ib_post_recv(kqp->qp, &wr, NULL);
}

/* Poll until @n completions have come; how many did, or an error. */
int kapi_reap(struct kapi_qp *kqp, int n)
{
	unsigned long end = jiffies + KAPI_WAIT;
	struct ib_wc wc;
	int got = 0;

	while (got < n && time_before(jiffies, end)) {
		if (ib_poll_cq(kqp->cq, 1, &wc) != 1) {
			cond_resched();
			continue;
		}
		if (wc.status != IB_WC_SUCCESS)
			return -EIO;
		got++;
	}
	return got;
}
