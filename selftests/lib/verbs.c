// SPDX-License-Identifier: GPL-2.0
/* tuff: what the C tests share on top of libibverbs */
#include "verbs.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define VT_ACCESS_ALL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

/* How much slower than a real machine this one is; limits are multiplied. */
int vt_scale(void)
{
	const char *s = getenv("TUFF_TIME_SCALE");
	int n = s ? atoi(s) : 1;

	return n > 0 ? n : 1;
}

uint64_t vt_now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

uint64_t vt_deadline(int ms)
{
	return vt_now_ms() + (uint64_t)ms * vt_scale();
}

bool vt_expired(uint64_t deadline)
{
	return vt_now_ms() > deadline;
}

static bool vt_gid_fits(const struct ibv_gid_entry *e, const char *want)
{
	static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };
	bool v4 = !memcmp(e->gid.raw, mapped, sizeof(mapped));
	bool local = e->gid.raw[0] == 0xfe && e->gid.raw[1] == 0x80;

	if (e->gid_type != IBV_GID_TYPE_ROCE_V2)
		return false;
	if (!strcmp(want, "v4"))
		return v4;
	if (!strcmp(want, "v6"))
		return !v4 && !local;
	return local;
}

static int vt_find_gid(struct vt_dev *dev, const char *want)
{
	struct ibv_gid_entry table[64];
	ssize_t n, i;

	n = ibv_query_gid_table(dev->ctx, table, ARRAY_LEN(table), 0);
	if (n < 0)
		return (int)n;
	for (i = 0; i < n; i++) {
		if (want[0] >= '0' && want[0] <= '9') {
			if (table[i].gid_index != (uint32_t)atoi(want))
				continue;
		} else if (!vt_gid_fits(&table[i], want)) {
			continue;
		}
		dev->gid_index = table[i].gid_index;
		dev->gid = table[i].gid;
		return 0;
	}
	return -ENOENT;
}

/* Open a device by name; @gid is an index, "v4", "v6" or "local". */
int vt_open(struct vt_dev *dev, const char *name, const char *gid)
{
	struct ibv_device **list;
	int n, i, err = -ENODEV;

	memset(dev, 0, sizeof(*dev));
	list = ibv_get_device_list(&n);
	if (!list)
		return -errno;
	for (i = 0; i < n; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			break;
	if (i < n) {
		dev->ctx = ibv_open_device(list[i]);
		err = dev->ctx ? 0 : -errno;
	}
	ibv_free_device_list(list);
	if (err)
		return err;
	dev->pd = ibv_alloc_pd(dev->ctx);
	if (!dev->pd) {
		err = -errno;
		goto err_close;
	}
	if (ibv_query_device(dev->ctx, &dev->attr) ||
	    ibv_query_port(dev->ctx, VT_PORT, &dev->port)) {
		err = -EIO;
		goto err_pd;
	}
	err = vt_find_gid(dev, gid ? gid : "v4");
	if (err)
		goto err_pd;
	return 0;

err_pd:
	ibv_dealloc_pd(dev->pd);
err_close:
	ibv_close_device(dev->ctx);
	dev->ctx = NULL;
	return err;
}

void vt_close(struct vt_dev *dev)
{
	if (!dev->ctx)
		return;
	ibv_dealloc_pd(dev->pd);
	ibv_close_device(dev->ctx);
	dev->ctx = NULL;
}

static void vt_default(int *value, int standard)
{
	if (!*value)
		*value = standard;
	else if (*value < 0)
		*value = 0;
}

void vt_spec_defaults(struct vt_dev *dev, struct vt_qp_spec *spec)
{
	vt_default(&spec->send_wr, 64);
	vt_default(&spec->recv_wr, 64);
	vt_default(&spec->send_sge, 1);
	vt_default(&spec->recv_sge, 1);
	vt_default(&spec->access, VT_ACCESS_ALL);
	vt_default(&spec->timeout, 14);
	vt_default(&spec->retry_cnt, 7);
	vt_default(&spec->rnr_retry, 7);
	vt_default(&spec->min_rnr_timer, 1);
	vt_default(&spec->rd_atomic, 4);
	if (!spec->mtu)
		spec->mtu = dev->port.active_mtu;
}

static struct ibv_cq *vt_cq(struct vt_dev *dev, const struct vt_qp_spec *s)
{
	return ibv_create_cq(dev->ctx, s->send_wr + s->recv_wr, NULL,
			     s->channel, 0);
}

/* Make a queue pair in RESET with its completion queues. */
int vt_qp_create(struct vt_qp *qp, struct vt_dev *dev,
		 const struct vt_qp_spec *spec)
{
	struct ibv_qp_init_attr init = {};

	memset(qp, 0, sizeof(*qp));
	qp->dev = dev;
	qp->spec = *spec;
	vt_spec_defaults(dev, &qp->spec);
	spec = &qp->spec;
	qp->scq = spec->cq ? spec->cq : vt_cq(dev, spec);
	qp->rcq = spec->rcq ? spec->rcq :
		  spec->cq ? spec->cq : vt_cq(dev, spec);
	if (!qp->scq || !qp->rcq) {
		vt_qp_destroy(qp);
		return -ENOMEM;
	}
	init.send_cq = qp->scq;
	init.recv_cq = qp->rcq;
	init.srq = spec->srq;
	init.qp_type = spec->type;
	init.sq_sig_all = spec->sig_all;
	init.cap.max_send_wr = spec->send_wr;
	init.cap.max_recv_wr = spec->recv_wr;
	init.cap.max_send_sge = spec->send_sge;
	init.cap.max_recv_sge = spec->recv_sge;
	init.cap.max_inline_data = spec->max_inline;
	qp->qp = ibv_create_qp(dev->pd, &init);
	if (!qp->qp) {
		int err = -errno;

		vt_qp_destroy(qp);
		return err;
	}
	qp->psn = (qp->qp->qp_num * 2654435761u) & 0xffffff;
	return 0;
}

void vt_qp_destroy(struct vt_qp *qp)
{
	if (qp->qp)
		ibv_destroy_qp(qp->qp);
	if (!qp->spec.cq) {
		if (qp->scq)
			ibv_destroy_cq(qp->scq);
		if (qp->rcq)
			ibv_destroy_cq(qp->rcq);
	}
	memset(qp, 0, sizeof(*qp));
}

void vt_qp_addr(struct vt_qp *qp, struct vt_addr *addr)
{
	addr->gid = qp->dev->gid;
	addr->qpn = qp->qp->qp_num;
	addr->psn = qp->psn;
}

/* The three attribute sets of a working connection; each returns its mask. */
int vt_attr_init(struct vt_qp *qp, struct ibv_qp_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_INIT;
	attr->port_num = VT_PORT;
	attr->qp_access_flags = qp->spec.access;
	attr->qkey = VT_QKEY;
	return IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT |
	       (qp->spec.type == IBV_QPT_UD ? IBV_QP_QKEY :
					      IBV_QP_ACCESS_FLAGS);
}

static void vt_ah_attr(struct ibv_ah_attr *ah, struct vt_dev *dev,
		       const union ibv_gid *gid)
{
	ah->is_global = 1;
	ah->port_num = VT_PORT;
	ah->grh.dgid = *gid;
	ah->grh.sgid_index = dev->gid_index;
	ah->grh.hop_limit = 64;
}

int vt_attr_rtr(struct vt_qp *qp, const struct vt_addr *peer,
		struct ibv_qp_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTR;
	if (qp->spec.type == IBV_QPT_UD)
		return IBV_QP_STATE;
	vt_ah_attr(&attr->ah_attr, qp->dev, &peer->gid);
	attr->path_mtu = qp->spec.mtu;
	attr->dest_qp_num = peer->qpn;
	attr->rq_psn = peer->psn;
	attr->max_dest_rd_atomic = qp->spec.rd_atomic;
	attr->min_rnr_timer = qp->spec.min_rnr_timer;
	return IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN |
	       IBV_QP_RQ_PSN |
	       (qp->spec.type == IBV_QPT_RC ? IBV_QP_MAX_DEST_RD_ATOMIC |
					      IBV_QP_MIN_RNR_TIMER : 0);
}

int vt_attr_rts(struct vt_qp *qp, struct ibv_qp_attr *attr)
{
	memset(attr, 0, sizeof(*attr));
	attr->qp_state = IBV_QPS_RTS;
	attr->sq_psn = qp->psn;
	attr->timeout = qp->spec.timeout;
	attr->retry_cnt = qp->spec.retry_cnt;
	attr->rnr_retry = qp->spec.rnr_retry;
	attr->max_rd_atomic = qp->spec.rd_atomic;
	return IBV_QP_STATE | IBV_QP_SQ_PSN |
	       (qp->spec.type == IBV_QPT_RC ? IBV_QP_TIMEOUT |
		IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
		IBV_QP_MAX_QP_RD_ATOMIC : 0);
}

int vt_qp_init(struct vt_qp *qp)
{
	struct ibv_qp_attr attr;
	int mask = vt_attr_init(qp, &attr);

	return -ibv_modify_qp(qp->qp, &attr, mask);
}

int vt_qp_rtr(struct vt_qp *qp, const struct vt_addr *peer)
{
	struct ibv_qp_attr attr;
	int mask = vt_attr_rtr(qp, peer, &attr);

	return -ibv_modify_qp(qp->qp, &attr, mask);
}

int vt_qp_rts(struct vt_qp *qp)
{
	struct ibv_qp_attr attr;
	int mask = vt_attr_rts(qp, &attr);

	return -ibv_modify_qp(qp->qp, &attr, mask);
}

/* RESET to RTS. @peer may be NULL for UD. */
int vt_qp_connect(struct vt_qp *qp, const struct vt_addr *peer)
{
	int err;

	err = vt_qp_init(qp);
	if (!err)
		err = vt_qp_rtr(qp, peer);
	if (!err)
		err = vt_qp_rts(qp);
	return err;
}

/* Connect two queue pairs of this process with each other (or one with itself). */
int vt_qp_pair(struct vt_qp *a, struct vt_qp *b)
{
	struct vt_addr at, bt;
	int err;

	vt_qp_addr(a, &at);
	vt_qp_addr(b, &bt);
	err = vt_qp_connect(a, &bt);
	if (!err && a != b)
		err = vt_qp_connect(b, &at);
	return err;
}

int vt_qp_modify_state(struct vt_qp *qp, enum ibv_qp_state state)
{
	struct ibv_qp_attr attr = { .qp_state = state };

	return -ibv_modify_qp(qp->qp, &attr, IBV_QP_STATE);
}

enum ibv_qp_state vt_qp_state(struct vt_qp *qp)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(qp->qp, &attr, IBV_QP_STATE, &init))
		return IBV_QPS_UNKNOWN;
	return attr.qp_state;
}

struct ibv_ah *vt_ah(struct vt_dev *dev, const union ibv_gid *gid)
{
	struct ibv_ah_attr attr = {};

	vt_ah_attr(&attr, dev, gid);
	return ibv_create_ah(dev->pd, &attr);
}

/* Wait for @n completions; returns how many came. */
int vt_poll(struct ibv_cq *cq, struct ibv_wc *wc, int n, int ms)
{
	uint64_t end = vt_deadline(ms);
	int got = 0, r;

	for (;;) {
		r = ibv_poll_cq(cq, n - got, wc + got);
		if (r < 0)
			return r;
		got += r;
		if (got == n || vt_expired(end))
			return got;
		if (!r)
			sched_yield();
	}
}

/* Wait for one completion and tell whether it has the status. */
int vt_poll_status(struct ibv_cq *cq, struct ibv_wc *wc,
		   enum ibv_wc_status status, int ms)
{
	memset(wc, 0, sizeof(*wc));
	if (vt_poll(cq, wc, 1, ms) != 1)
		return -ETIMEDOUT;
	return wc->status == status ? 0 : -EPROTO;
}

/* 0 when nothing completes within @ms (not stretched: it always takes it). */
int vt_quiet(struct ibv_cq *cq, int ms)
{
	uint64_t end = vt_now_ms() + ms;
	struct ibv_wc wc;

	do {
		if (ibv_poll_cq(cq, 1, &wc))
			return -EPROTO;
		sched_yield();
	} while (!vt_expired(end));
	return 0;
}

int vt_post_send(struct vt_qp *qp, enum ibv_wr_opcode op, uint64_t wr_id,
		 struct ibv_sge *sge, int num_sge, int flags)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id,
		.opcode = op,
		.sg_list = sge,
		.num_sge = num_sge,
		.send_flags = flags,
	};

	return -ibv_post_send(qp->qp, &wr, &bad);
}

/* WRITE, READ, or an atomic with compare (or add) 1 and swap 2. */
int vt_post_rdma(struct vt_qp *qp, enum ibv_wr_opcode op, uint64_t wr_id,
		 struct ibv_sge *sge, int flags, uint64_t va, uint32_t rkey)
{
	struct ibv_send_wr *bad, wr = {
		.wr_id = wr_id,
		.opcode = op,
		.sg_list = sge,
		.num_sge = sge ? 1 : 0,
		.send_flags = flags,
	};

	if (op == IBV_WR_ATOMIC_CMP_AND_SWP ||
	    op == IBV_WR_ATOMIC_FETCH_AND_ADD) {
		wr.wr.atomic.remote_addr = va;
		wr.wr.atomic.rkey = rkey;
		wr.wr.atomic.compare_add = 1;
		wr.wr.atomic.swap = 2;
	} else {
		wr.wr.rdma.remote_addr = va;
		wr.wr.rdma.rkey = rkey;
	}
	return -ibv_post_send(qp->qp, &wr, &bad);
}

int vt_post_recv(struct vt_qp *qp, uint64_t wr_id, struct ibv_sge *sge,
		 int num_sge)
{
	struct ibv_recv_wr *bad, wr = {
		.wr_id = wr_id,
		.sg_list = sge,
		.num_sge = num_sge,
	};

	return -ibv_post_recv(qp->qp, &wr, &bad);
}

/* splitmix64 */
uint64_t vt_random(uint64_t *state)
{
	uint64_t z = (*state += 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Bytes that follow from a seed. */
void vt_fill(void *p, size_t len, uint64_t seed)
{
	uint8_t *out = p;

	while (len) {
		uint64_t r = vt_random(&seed);
		size_t n = len < sizeof(r) ? len : sizeof(r);

		memcpy(out, &r, n);
		out += n;
		len -= n;
	}
}

/* Offset of the first byte that differs, or @len. */
size_t vt_differ(const void *a, const void *b, size_t len)
{
	const uint8_t *x = a, *y = b;
	size_t i;

	if (!memcmp(a, b, len))
		return len;
	for (i = 0; i < len && x[i] == y[i]; i++)
		;
	return i;
}

/*
 * ib_core takes a port's counters at most once a jiffy, whatever "lifespan"
 * says: who read them before the event has to wait, or sees the old ones.
 */
void vt_counters_age(void)
{
	usleep(10000);
}

/* One of the port's hw_counters, or -1; as old as a jiffy. */
long vt_counter_aged(struct vt_dev *dev, const char *name)
{
	char path[256];
	long value = -1;
	FILE *f;

	snprintf(path, sizeof(path),
		 "/sys/class/infiniband/%s/ports/%d/hw_counters/%s",
		 ibv_get_device_name(dev->ctx->device), VT_PORT, name);
	f = fopen(path, "r");
	if (!f)
		return -1;
	if (fscanf(f, "%ld", &value) != 1)
		value = -1;
	fclose(f);
	return value;
}

/* One of the port's hw_counters as it is now, or -1. */
long vt_counter(struct vt_dev *dev, const char *name)
{
	vt_counters_age();
	return vt_counter_aged(dev, name);
}

const char *vt_state_name(enum ibv_qp_state state)
{
	static const char * const names[] = {
		"RESET", "INIT", "RTR", "RTS", "SQD", "SQE", "ERR", "UNKNOWN",
	};

	return state < ARRAY_LEN(names) ? names[state] : "?";
}

const char *vt_type_name(enum ibv_qp_type type)
{
	return type == IBV_QPT_RC ? "RC" : type == IBV_QPT_UC ? "UC" :
	       type == IBV_QPT_UD ? "UD" : "?";
}
