// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_calls: commands of uverbs, written out by hand */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

#define MEM_LEN		65536
#define ACCESS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ)

int own_open(struct own *o, const char *dev)
{
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 16,
						   .max_sge = 1 } };
	struct vt_qp_spec spec = { .type = IBV_QPT_RC };
	int err;

	memset(o, 0, sizeof(*o));
	err = vt_open(&o->dev, dev, "v4");
	if (err)
		return err;
	o->mem = mmap(NULL, MEM_LEN, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	o->mr = ibv_reg_mr(o->dev.pd, o->mem, MEM_LEN, ACCESS);
	o->cq = ibv_create_cq(o->dev.ctx, 64, NULL, NULL, 0);
	o->srq = ibv_create_srq(o->dev.pd, &srq);
	o->channel = ibv_create_comp_channel(o->dev.ctx);
	if (!o->mr || !o->cq || !o->srq || !o->channel)
		return -ENOMEM;
	spec.cq = o->cq;
	err = vt_qp_create(&o->qp, &o->dev, &spec);
	return err ? err : vt_qp_pair(&o->qp, &o->qp);
}

/* What a call destroyed behind the library's back cannot be destroyed. */
void own_close(struct own *o)
{
	ibv_destroy_qp(o->qp.qp);
	ibv_destroy_srq(o->srq);
	ibv_destroy_cq(o->cq);
	ibv_destroy_comp_channel(o->channel);
	ibv_dereg_mr(o->mr);
	ibv_dealloc_pd(o->dev.pd);
	ibv_close_device(o->dev.ctx);
	munmap(o->mem, MEM_LEN);
}

static struct call *call(struct call *c, const char *name, uint32_t number,
			 const void *cmd, int len, int out_len)
{
	struct ib_uverbs_cmd_hdr hdr = { .command = number };

	c->name = name;
	c->number = number;
	c->len = sizeof(hdr) + len;
	c->out_len = out_len;
	hdr.in_words = c->len / 4;
	hdr.out_words = out_len / 4;
	memset(c->bytes, 0, sizeof(c->bytes));
	memcpy(c->bytes, &hdr, sizeof(hdr));
	memcpy(c->bytes + sizeof(hdr), cmd, len);
	return c + 1;
}

#define CALL(c, number, cmd, out)					\
	call(c, #number, IB_USER_VERBS_CMD_##number, &(cmd), sizeof(cmd), out)

static struct call *calls_create(struct call *c, struct own *o)
{
	struct ib_uverbs_alloc_pd pd = { };
	struct ib_uverbs_reg_mr mr = {
		.start = (uintptr_t)o->mem, .length = MEM_LEN,
		.hca_va = (uintptr_t)o->mem, .pd_handle = o->dev.pd->handle,
		.access_flags = ACCESS,
	};
	struct ib_uverbs_create_cq cq = { .cqe = 16, .comp_channel = -1 };
	struct ib_uverbs_create_srq srq = {
		.pd_handle = o->dev.pd->handle, .max_wr = 16, .max_sge = 1 };
	struct ib_uverbs_create_qp qp = {
		.pd_handle = o->dev.pd->handle, .send_cq_handle = o->cq->handle,
		.recv_cq_handle = o->cq->handle, .max_send_wr = 8,
		.max_recv_wr = 8, .max_send_sge = 1, .max_recv_sge = 1,
		.qp_type = IBV_QPT_RC,
	};
	struct ib_uverbs_create_ah ah = {
		.pd_handle = o->dev.pd->handle,
		.attr = { .is_global = 1, .port_num = 1,
			  .grh = { .sgid_index = o->dev.gid_index,
				   .hop_limit = 1 } },
	};

	memcpy(ah.attr.grh.dgid, o->dev.gid.raw, 16);
	c = CALL(c, ALLOC_PD, pd, sizeof(struct ib_uverbs_alloc_pd_resp));
	c = CALL(c, REG_MR, mr, sizeof(struct ib_uverbs_reg_mr_resp));
	c = CALL(c, CREATE_CQ, cq, sizeof(struct ib_uverbs_create_cq_resp) +
		 sizeof(struct rxe_create_cq_resp));
	c = CALL(c, CREATE_SRQ, srq, sizeof(struct ib_uverbs_create_srq_resp) +
		 sizeof(struct rxe_create_srq_resp));
	c = CALL(c, CREATE_QP, qp, sizeof(struct ib_uverbs_create_qp_resp) +
		 sizeof(struct rxe_create_qp_resp));
	return CALL(c, CREATE_AH, ah, sizeof(struct ib_uverbs_create_ah_resp) +
		    sizeof(struct rxe_create_ah_resp));
}

static struct call *calls_change(struct call *c, struct own *o)
{
	struct ib_uverbs_resize_cq resize = { .cq_handle = o->cq->handle,
					      .cqe = 100 };
	struct ib_uverbs_modify_qp qp = {
		.qp_handle = o->qp.qp->handle, .attr_mask = IBV_QP_STATE,
		.qp_state = IBV_QPS_ERR,
	};
	struct {
		struct ib_uverbs_modify_srq core;
		struct rxe_modify_srq_cmd drv;
	} srq = {
		.core = { .srq_handle = o->srq->handle, .attr_mask = 1,
			  .max_wr = 32 },
		.drv = { (uintptr_t)o->mem },
	};
	struct ib_uverbs_query_qp query_qp = { .qp_handle = o->qp.qp->handle,
					       .attr_mask = -1 };
	struct ib_uverbs_query_srq query_srq = {
		.srq_handle = o->srq->handle };
	struct ib_uverbs_query_device device = { };
	struct ib_uverbs_query_port port = { .port_num = 1 };

	c = CALL(c, RESIZE_CQ, resize,
		 sizeof(struct ib_uverbs_resize_cq_resp) +
		 sizeof(struct rxe_resize_cq_resp));
	c = CALL(c, MODIFY_QP, qp, 0);
	c = CALL(c, MODIFY_SRQ, srq, 0);
	c = CALL(c, QUERY_QP, query_qp, sizeof(struct ib_uverbs_query_qp_resp));
	c = CALL(c, QUERY_SRQ, query_srq,
		 sizeof(struct ib_uverbs_query_srq_resp));
	c = CALL(c, QUERY_DEVICE, device,
		 sizeof(struct ib_uverbs_query_device_resp));
	return CALL(c, QUERY_PORT, port,
		    sizeof(struct ib_uverbs_query_port_resp));
}

static struct call *calls_post(struct call *c, struct own *o)
{
	struct {
		struct ib_uverbs_post_send core;
		struct ib_uverbs_send_wr wr;
		struct ib_uverbs_sge sge;
	} send = {
		.core = { .qp_handle = o->qp.qp->handle, .wr_count = 1,
			  .sge_count = 1, .wqe_size = sizeof(send.wr) },
		.wr = { .num_sge = 1 },
		.sge = { (uintptr_t)o->mem, 64, o->mr->lkey },
	};
	struct {
		struct ib_uverbs_post_srq_recv core;
		struct ib_uverbs_recv_wr wr;
	} recv = {
		.core = { .srq_handle = o->srq->handle, .wr_count = 1,
			  .wqe_size = sizeof(recv.wr) },
	};
	struct ib_uverbs_post_send bell = { .qp_handle = o->qp.qp->handle,
		.wqe_size = sizeof(struct ib_uverbs_send_wr) };
	struct ib_uverbs_poll_cq poll = { .cq_handle = o->cq->handle,
					  .ne = 4 };
	struct ib_uverbs_req_notify_cq notify = {
		.cq_handle = o->cq->handle };

	c = CALL(c, POST_SEND, bell, sizeof(struct ib_uverbs_post_send_resp));
	c = CALL(c, POST_SEND, send, sizeof(struct ib_uverbs_post_send_resp));
	c = CALL(c, POST_SRQ_RECV, recv,
		 sizeof(struct ib_uverbs_post_srq_recv_resp));
	c = CALL(c, POLL_CQ, poll, sizeof(struct ib_uverbs_poll_cq_resp) +
		 4 * sizeof(struct ib_uverbs_wc));
	return CALL(c, REQ_NOTIFY_CQ, notify, 0);
}

/* Of every kind one; returns how many. */
int calls_make(struct call *calls, struct own *o)
{
	struct ib_uverbs_destroy_cq cq = { .cq_handle = o->cq->handle };
	struct ib_uverbs_destroy_srq srq = { .srq_handle = o->srq->handle };
	struct ib_uverbs_dealloc_pd pd = { .pd_handle = o->dev.pd->handle };
	struct ib_uverbs_dereg_mr mr = { .mr_handle = o->mr->handle };
	struct ib_uverbs_destroy_ah ah = { .ah_handle = 0 };
	struct call *c = calls;

	c = calls_create(c, o);
	c = calls_change(c, o);
	c = calls_post(c, o);
	c = CALL(c, DESTROY_CQ, cq, sizeof(struct ib_uverbs_destroy_cq_resp));
	c = CALL(c, DESTROY_SRQ, srq,
		 sizeof(struct ib_uverbs_destroy_srq_resp));
	c = CALL(c, DEREG_MR, mr, 0);
	c = CALL(c, DESTROY_AH, ah, 0);
	c = CALL(c, DEALLOC_PD, pd, 0);
	return c - calls;
}

/* Returns 0 or errno. @answer goes where the command has its pointer. */
int call_write(int fd, struct call *c, int len, void *answer)
{
	if (c->out_len)
		*(uint64_t *)(c->bytes + sizeof(struct ib_uverbs_cmd_hdr)) =
			(uintptr_t)answer;
	return write(fd, c->bytes, len) == len ? 0 : errno;
}

static const char * const kinds[NR_KINDS] = { "pd", "cq", "qp", "mr", "srq" };

/* What "rdma resource" counts. */
int objects_count(const char *dev, int counts[NR_KINDS])
{
	char line[512] = "", want[16], *at;
	FILE *f;
	int i;

	snprintf(line, sizeof(line), "rdma resource show %s", dev);
	f = popen(line, "r");
	if (!f || !fgets(line, sizeof(line), f))
		line[0] = 0;
	if (f)
		pclose(f);
	for (i = 0; i < NR_KINDS; i++) {
		snprintf(want, sizeof(want), " %s ", kinds[i]);
		at = strstr(line, want);
		counts[i] = at ? atoi(at + strlen(want)) : -1;
		if (!at)
			return -ENOMSG;
	}
	return 0;
}

/* They are what they were, soon. */
int objects_same(const char *dev, const int before[NR_KINDS])
{
	uint64_t end = vt_deadline(10000);
	int now[NR_KINDS], i, err;

	for (;;) {
		err = objects_count(dev, now);
		if (!err && !memcmp(now, before, sizeof(now)))
			return 0;
		if (vt_expired(end))
			break;
		usleep(20000);
	}
	for (i = 0; i < NR_KINDS; i++)
		if (now[i] != before[i])
			printf("# %s: %d, were %d\n", kinds[i], now[i],
			       before[i]);
	return err ? err : -EBUSY;
}
