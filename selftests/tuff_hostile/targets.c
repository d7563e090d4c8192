// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: queue pairs of every type and state to be shot at */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "hostile.h"

/*
 * "Locked" queue pairs have a peer that is nobody: whatever is sent to them,
 * from whatever address, nothing of it may get in. "Open" ones have the sender
 * as their peer: what it sends may well succeed, or end the connection, but
 * must stay inside of the region that it was given a key of.
 */
#define LOCKED_LEN	65536
#define OPEN_AT		65536		/* between bytes that nobody may touch */
#define OPEN_LEN	65536
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define NR_RECV		16

struct target targets[64];
int nr_targets;
struct vt_dev device;
uint8_t *open_mem;
struct ibv_mr *open_mr, *locked_mr;

const uint8_t device4[4] = { 198, 51, 100, 1 };
const uint8_t attacker4[4] = { 198, 51, 100, 77 };
const uint8_t stranger4[4] = { 198, 51, 100, 200 };
static const uint8_t live4[4] = { 198, 51, 100, 2 };
static const uint8_t device6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0xa, [15] = 1 };
static const uint8_t stranger6[16] = { 0x20, 1, 0xd, 0xb8, 0, 0xa,
				       [15] = 200 };

struct packet blank = {
	.src = { 198, 51, 100, 77 }, .dst = { 198, 51, 100, 1 },
	.sport = 0xc123, .ttl = 64, .frag = 0x4000,
};

static struct vt_dev device_v6;
static struct ibv_pd *locked_pd;
static uint8_t *locked_mem;
static struct vt_qp qps[64];
static int nr_qps;

static const enum ibv_qp_state states[] = {
	IBV_QPS_RESET, IBV_QPS_INIT, IBV_QPS_RTR, IBV_QPS_RTS, IBV_QPS_SQD,
	IBV_QPS_ERR,
};

static const enum ibv_qp_type types[] = { IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };

struct target *target_find(const char *name)
{
	int i;

	for (i = 0; i < nr_targets; i++)
		if (!strcmp(targets[i].name, name))
			return &targets[i];
	return NULL;
}

static struct target *add(const char *name, uint32_t qpn,
			  enum ibv_qp_type type, enum ibv_qp_state state)
{
	struct target *t = &targets[nr_targets++];

	t->name = name;
	t->qpn = qpn;
	t->type = type;
	t->state = state;
	t->psn = 5000;
	t->qkey = QKEY;
	memcpy(t->own, device4, 4);
	return t;
}

static int post_recvs(struct target *t)
{
	bool open = t->open;
	struct ibv_sge sge = {
		.addr = (uintptr_t)(open ? open_mem + OPEN_AT : locked_mem),
		.length = 4096,
		.lkey = open ? open_mr->lkey : locked_mr->lkey,
	};
	int i, err = 0;

	for (i = 0; i < NR_RECV && !err; i++)
		err = vt_post_recv(t->qp, i, &sge, 1);
	return err == -ENOMEM ? 0 : err;
}

/* From RESET to the state that it shall have. */
static int bring(struct target *t)
{
	struct vt_addr peer = { .qpn = 0x4321, .psn = t->psn };
	struct ibv_qp_attr attr;
	int err, mask;

	if (t->state == IBV_QPS_RESET)
		return 0;
	memset(peer.gid.raw + 10, 0xff, 2);
	memcpy(peer.gid.raw + (t->v6 ? 0 : 12), t->peer, t->v6 ? 16 : 4);
	mask = vt_attr_init(t->qp, &attr);
	attr.qkey = QKEY;
	err = -ibv_modify_qp(t->qp->qp, &attr, mask);
	if (!err && t->state != IBV_QPS_ERR && !t->v6)
		err = post_recvs(t);
	if (err || t->state == IBV_QPS_INIT)
		return err;
	err = vt_qp_rtr(t->qp, &peer);
	if (!err && t->state != IBV_QPS_RTR)
		err = vt_qp_rts(t->qp);
	if (!err && (t->state == IBV_QPS_SQD || t->state == IBV_QPS_ERR))
		err = vt_qp_modify_state(t->qp, t->state);
	return err;
}

static int add_own(const char *name, struct vt_dev *dev, struct ibv_pd *pd,
		   enum ibv_qp_type type, enum ibv_qp_state state)
{
	/* No ack timeout: what is not answered stays as it is. */
	struct vt_qp_spec spec = { .type = type, .timeout = -1,
				   .mtu = IBV_MTU_1024 };
	struct vt_qp *qp = &qps[nr_qps++];
	struct ibv_pd *own = dev->pd;
	struct target *t;
	int err;

	dev->pd = pd;
	err = vt_qp_create(qp, dev, &spec);
	dev->pd = own;
	if (err)
		return err;
	t = add(name, qp->qp->qp_num, type, state);
	t->qp = qp;
	t->v6 = dev == &device_v6;
	if (t->v6) {
		memcpy(t->own, device6, 16);
		memcpy(t->peer, stranger6, 16);
	} else {
		memcpy(t->peer, stranger4, 4);
	}
	return 0;
}

static int add_locked(void)
{
	static char names[ARRAY_LEN(types)][ARRAY_LEN(states)][24];
	size_t i, k;
	int err;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		for (k = 0; k < ARRAY_LEN(states); k++) {
			snprintf(names[i][k], sizeof(names[i][k]), "%s in %s",
				 vt_type_name(types[i]),
				 vt_state_name(states[k]));
			err = add_own(names[i][k], &device, locked_pd,
				      types[i], states[k]);
			if (!err)
				err = bring(&targets[nr_targets - 1]);
			if (err)
				return err;
		}
	}
	err = add_own("RC over IPv6", &device_v6, device_v6.pd, IBV_QPT_RC,
		      IBV_QPS_RTS);
	return err ? err : bring(&targets[nr_targets - 1]);
}

static void post_sends(struct target *t);

static int add_open(void)
{
	static const char * const names[] = { "open RC", "open UC", "open UD" };
	struct target *t;
	size_t i;
	int err;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		err = add_own(names[i], &device, device.pd, types[i],
			      IBV_QPS_RTS);
		if (err)
			return err;
		t = &targets[nr_targets - 1];
		memcpy(t->peer, attacker4, 4);
		t->open = true;
		err = bring(t);
		if (err)
			return err;
		post_sends(t);
	}
	return 0;
}

static void add_others(struct live *live)
{
	static const char * const names[] = { "live RC", "live UC", "live UD" };
	struct target *t;
	size_t i;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		t = add(names[i], live->qpn[0][i], types[i], IBV_QPS_RTS);
		t->qkey = VT_QKEY;
		memcpy(t->peer, live4, 4);
	}
	t = add("GSI", 1, IBV_QPT_UD, IBV_QPS_RTS);
	t->gsi = true;
	t->qkey = GSI_QKEY;
}

int targets_open(const char *dev, struct live *live)
{
	int err;

	err = vt_open(&device, dev, "v4");
	if (!err)
		err = vt_open(&device_v6, dev, "v6");
	if (err)
		return err;
	locked_mem = mmap(NULL, LOCKED_LEN, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	open_mem = mmap(NULL, 3 * OPEN_AT, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	vt_fill(locked_mem, LOCKED_LEN, 1);
	vt_fill(open_mem, 3 * OPEN_AT, 2);
	locked_pd = ibv_alloc_pd(device.ctx);
	if (!locked_pd)
		return -errno;
	locked_mr = ibv_reg_mr(locked_pd, locked_mem, LOCKED_LEN, RIGHTS);
	/* Nobody asks for the memory around it, so pages are no border. */
	open_mr = ibv_reg_mr(device.pd, open_mem + OPEN_AT, OPEN_LEN, RIGHTS);
	if (!locked_mr || !open_mr)
		return -errno;
	err = add_locked();
	if (!err)
		err = add_open();
	if (!err)
		add_others(live);
	return err;
}

static int harmed(const char *what, const char *name)
{
	printf("# %s: %s\n", name, what);
	return -EBADMSG;
}

static int bytes_unharmed(void)
{
	static uint8_t want[3 * OPEN_AT];

	vt_fill(want, LOCKED_LEN, 1);
	if (memcmp(want, locked_mem, LOCKED_LEN))
		return harmed("memory was written", "locked");
	vt_fill(want, sizeof(want), 2);
	if (memcmp(want, open_mem, OPEN_AT) ||
	    memcmp(want + 2 * OPEN_AT, open_mem + 2 * OPEN_AT, OPEN_AT))
		return harmed("memory outside the region was written", "open");
	return 0;
}

/* Nothing got into what is locked. */
int targets_unharmed(void)
{
	struct ibv_wc wc;
	int i;

	for (i = 0; i < nr_targets; i++) {
		struct target *t = &targets[i];

		if (!t->qp || t->open)
			continue;
		if (vt_qp_state(t->qp) != t->state)
			return harmed(vt_state_name(vt_qp_state(t->qp)),
				      t->name);
		if (ibv_poll_cq(t->qp->rcq, 1, &wc) ||
		    ibv_poll_cq(t->qp->scq, 1, &wc))
			return harmed("a completion", t->name);
	}
	return bytes_unharmed();
}

/* Which PSN comes next, so that forged packets can come near it. */
static void look_at_psn(struct target *t)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (!ibv_query_qp(t->qp->qp, &attr, IBV_QP_RQ_PSN, &init))
		t->psn = attr.rq_psn;
}

/* Requests of its own whose answers can be forged. */
static void post_sends(struct target *t)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)open_mem + OPEN_AT, .length = 3000,
		.lkey = open_mr->lkey,
	};

	if (t->type != IBV_QPT_RC)
		return;
	vt_post_rdma(t->qp, IBV_WR_RDMA_READ, 1, &sge, IBV_SEND_SIGNALED,
		     0x10000, 0x77);
	vt_post_send(t->qp, IBV_WR_SEND, 2, &sge, 1, IBV_SEND_SIGNALED);
	sge.length = 8;
	vt_post_rdma(t->qp, IBV_WR_ATOMIC_FETCH_AND_ADD, 3, &sge,
		     IBV_SEND_SIGNALED, 0x10000, 0x77);
}

/* A fresh connection, with nothing posted to send. */
int target_restart(struct target *t)
{
	struct ibv_wc wc[16];
	int err;

	err = vt_qp_modify_state(t->qp, IBV_QPS_RESET);
	t->psn = 5000;
	if (!err)
		err = bring(t);
	while (ibv_poll_cq(t->qp->rcq, 16, wc) > 0 ||
	       ibv_poll_cq(t->qp->scq, 16, wc) > 0)
		;
	return err;
}

/* The open ones live again; returns how many did not, or an errno. */
int targets_revive(void)
{
	struct ibv_wc wc[16];
	int i, err, revived = 0;

	for (i = 0; i < nr_targets; i++) {
		struct target *t = &targets[i];

		if (!t->open)
			continue;
		while (ibv_poll_cq(t->qp->rcq, 16, wc) > 0 ||
		       ibv_poll_cq(t->qp->scq, 16, wc) > 0)
			;
		if (vt_qp_state(t->qp) == IBV_QPS_RTS) {
			err = post_recvs(t);
		} else {
			revived++;
			err = vt_qp_modify_state(t->qp, IBV_QPS_RESET);
			if (!err)
				err = bring(t);
			if (!err)
				post_sends(t);
		}
		if (err)
			return err;
		look_at_psn(t);
	}
	return revived;
}

void targets_close(void)
{
	while (nr_qps)
		vt_qp_destroy(&qps[--nr_qps]);
	ibv_dereg_mr(locked_mr);
	ibv_dereg_mr(open_mr);
	ibv_dealloc_pd(locked_pd);
	vt_close(&device);
	vt_close(&device_v6);
}
