// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_data: one case, as the driver and as the follower */
#include "data.h"

#include <arpa/inet.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#define WAIT_MS		VT_MS(10)
#define WR_ID(i)	(0xabc00000ULL + (i))
#define ATOMIC_OLD	0x1122334455667788ULL

static const struct {
	const char *name;
	enum ibv_wr_opcode wr;
	enum ibv_wc_opcode wc;
} ops[NR_OPS] = {
	[OP_SEND] = { "SEND", IBV_WR_SEND, IBV_WC_SEND },
	[OP_SEND_IMM] = { "SEND_IMM", IBV_WR_SEND_WITH_IMM, IBV_WC_SEND },
	[OP_WRITE] = { "WRITE", IBV_WR_RDMA_WRITE, IBV_WC_RDMA_WRITE },
	[OP_WRITE_IMM] = { "WRITE_IMM", IBV_WR_RDMA_WRITE_WITH_IMM,
			   IBV_WC_RDMA_WRITE },
	[OP_READ] = { "READ", IBV_WR_RDMA_READ, IBV_WC_RDMA_READ },
	[OP_CAS] = { "CMP_SWAP", IBV_WR_ATOMIC_CMP_AND_SWP,
		     IBV_WC_COMP_SWAP },
	[OP_FAA] = { "FETCH_ADD", IBV_WR_ATOMIC_FETCH_AND_ADD,
		     IBV_WC_FETCH_ADD },
	[OP_FENCE] = { "READ_FENCE_SEND", IBV_WR_SEND, IBV_WC_SEND },
};

const char *op_name(enum op op)
{
	return ops[op].name;
}

static bool op_reads(uint32_t op)
{
	return op == OP_READ || op == OP_FENCE;
}

static bool op_is_atomic(uint32_t op)
{
	return op == OP_CAS || op == OP_FAA;
}

static bool op_takes_recv(uint32_t op)
{
	return op == OP_SEND || op == OP_SEND_IMM || op == OP_WRITE_IMM ||
	       op == OP_FENCE;
}

static bool op_has_imm(uint32_t op)
{
	return op == OP_SEND_IMM || op == OP_WRITE_IMM;
}

/* The bytes of message @i follow from this. */
uint64_t case_seed(const struct vcase *c, unsigned int i)
{
	return c->seed * 1000003 + i;
}

static uint32_t case_imm(const struct vcase *c, unsigned int i)
{
	return (uint32_t)(case_seed(c, i) * 0x9e3779b1u);
}

static size_t bytes_used(const struct vcase *c)
{
	return c->nmsg * slot_size(c->size);
}

/* Remote target of message @i: any alignment but for atomics. */
static size_t target_off(const struct vcase *c, unsigned int i)
{
	size_t off = i * slot_size(c->size) + GUARD;

	return op_is_atomic(c->op) ? off : off + (case_seed(c, i) & 7);
}

/*
 * FENCE answers into the target's area as well, so its SEND comes to a place
 * past all READ targets.
 */
static size_t recv_slot(const struct vcase *c, unsigned int i)
{
	size_t base = c->op == OP_FENCE ? bytes_used(c) : 0;

	return base + i * slot_size(c->size);
}

static uint64_t atomic_old(const struct vcase *c, unsigned int i)
{
	return ATOMIC_OLD + case_seed(c, i);
}

/* Every second swap compares with the right value. */
static uint64_t atomic_compare(const struct vcase *c, unsigned int i)
{
	return atomic_old(c, i) + (i & 1);
}

static uint64_t atomic_new(const struct vcase *c, unsigned int i)
{
	if (c->op == OP_FAA)
		return atomic_old(c, i) + (c->seed | 1ULL << 40);
	return i & 1 ? atomic_old(c, i) : ~c->seed;
}

/* The local side of the driver: what it sends from, or reads into. */
static void driver_layout(struct side *s, const struct vcase *c,
			  unsigned int i, struct layout *l)
{
	layout_make(l, &s->out, c->local, c->size, i * slot_size(c->size),
		    s->max_sge);
}

static int driver_post_one(struct side *s, const struct vcase *c,
			   unsigned int i, const struct msg *target)
{
	struct ibv_send_wr *bad, wr = { .wr_id = WR_ID(i) };
	struct layout l;

	driver_layout(s, c, i, &l);
	wr.sg_list = l.sge;
	wr.num_sge = l.n;
	wr.opcode = c->op == OP_FENCE ? IBV_WR_RDMA_READ : ops[c->op].wr;
	wr.imm_data = htonl(case_imm(c, i));
	if (c->flags & CASE_INLINE)
		wr.send_flags |= IBV_SEND_INLINE;
	if (c->flags & CASE_SOLICITED)
		wr.send_flags |= IBV_SEND_SOLICITED;
	if (!(c->flags & CASE_UNSIGNALLED) || i == c->nmsg - 1)
		wr.send_flags |= IBV_SEND_SIGNALED;
	if (s->session.type == IBV_QPT_UD) {
		wr.wr.ud.ah = s->ah;
		wr.wr.ud.remote_qpn = s->peer.qpn;
		wr.wr.ud.remote_qkey = VT_QKEY;
	} else if (op_is_atomic(c->op)) {
		wr.wr.atomic.remote_addr = target->va[0] + target_off(c, i);
		wr.wr.atomic.rkey = target->rkey[i & 1];
		wr.wr.atomic.compare_add = c->op == OP_FAA ?
			c->seed | 1ULL << 40 : atomic_compare(c, i);
		wr.wr.atomic.swap = ~c->seed;
	} else {
		wr.wr.rdma.remote_addr = target->va[0] + target_off(c, i);
		wr.wr.rdma.rkey = target->rkey[i & 1];
	}
	if (c->op == OP_FENCE) {
		struct ibv_send_wr send = {
			.wr_id = WR_ID(i), .sg_list = l.sge, .num_sge = l.n,
			.opcode = IBV_WR_SEND,
			.send_flags = IBV_SEND_FENCE | wr.send_flags,
		};

		wr.send_flags = 0;
		wr.next = &send;
		return -ibv_post_send(s->qp.qp, &wr, &bad);
	}
	return -ibv_post_send(s->qp.qp, &wr, &bad);
}

static int driver_complete(struct side *s, const struct vcase *c)
{
	bool few = c->flags & CASE_UNSIGNALLED;
	unsigned int i = few ? c->nmsg - 1 : 0;
	struct ibv_wc wc;

	for (; i < c->nmsg; i++) {
		if (vt_poll(s->qp.scq, &wc, 1, WAIT_MS) != 1)
			return fail(s, "no completion of request %u", i);
		if (wc.status != IBV_WC_SUCCESS)
			return fail(s, "request %u: %s", i,
				    ibv_wc_status_str(wc.status));
		if (wc.wr_id != WR_ID(i) || wc.opcode != ops[c->op].wc ||
		    wc.qp_num != s->qp.qp->qp_num)
			return fail(s, "completion of request %u: wr_id %#llx opcode %d qp %#x",
				    i, (unsigned long long)wc.wr_id,
				    wc.opcode, wc.qp_num);
		if ((c->op == OP_READ && wc.byte_len != c->size) ||
		    (op_is_atomic(c->op) && wc.byte_len != 8))
			return fail(s, "byte_len %u of request %u, not %u",
				    wc.byte_len, i, c->size);
	}
	if (ibv_poll_cq(s->qp.scq, 1, &wc))
		return fail(s, "a completion too many: wr_id %#llx",
			    (unsigned long long)wc.wr_id);
	return 0;
}

/* What the memory of the driver must hold at the end. */
static void driver_fill(struct side *s, const struct vcase *c, bool before)
{
	struct layout l;
	unsigned int i;

	for (i = 0; i < c->nmsg; i++) {
		uint64_t old = atomic_old(c, i);

		driver_layout(s, c, i, &l);
		vt_fill(s->flat, c->size, case_seed(c, i));
		if (op_is_atomic(c->op))
			layout_write(&l, &s->out, (uint8_t *)&old, false);
		else if (op_reads(c->op))
			layout_write(&l, &s->out, s->flat, false);
		else if (before)
			layout_write(&l, &s->out, s->flat, true);
	}
}

/* Carry out a case and have both sides look at every byte. */
int case_drive(struct side *s, const struct vcase *c)
{
	struct msg m = { .cmd = CMD_CASE, .c = *c };
	unsigned int i;
	int err;

	s->why[0] = '\0';
	area_clear(&s->out, bytes_used(c));
	driver_fill(s, c, true);
	err = msg_call(s->fd, &m);
	if (err || m.err)
		return fail(s, "peer: %s", err ? "gone" : m.text);
	for (i = 0; i < c->nmsg; i++) {
		err = driver_post_one(s, c, i, &m);
		if (err)
			return fail(s, "post %u: %s", i, strerror(-err));
	}
	err = driver_complete(s, c);
	m.cmd = CMD_CHECK;
	m.c = *c;
	if (!err)
		err = area_check(s, &s->out, bytes_used(c), "local memory");
	if (msg_call(s->fd, &m))
		return fail(s, "peer is gone");
	if (m.err)
		return fail(s, "peer: %s", m.text);
	return err;
}

static int follower_post_recv(struct side *s, const struct vcase *c,
			      unsigned int i)
{
	struct layout l;
	int n;

	/* WRITE_IMM must leave the buffers of the receive alone. */
	layout_make(&l, &s->in, c->remote,
		    c->op == OP_WRITE_IMM ? 16 : c->size,
		    c->op == OP_WRITE_IMM ? bytes_used(c) : recv_slot(c, i),
		    s->max_sge);
	n = l.n;
	if (s->session.type == IBV_QPT_UD) {
		memmove(&l.sge[1], &l.sge[0], n * sizeof(l.sge[0]));
		l.sge[0].addr = (uintptr_t)s->out.mem + i * GRH_LEN;
		l.sge[0].length = GRH_LEN;
		l.sge[0].lkey = s->out.mr[0]->lkey;
		n++;
	}
	return vt_post_recv(&s->qp, WR_ID(i), l.sge, n);
}

/* What must be in the follower's memory when the case is over. */
static void follower_fill(struct side *s, const struct vcase *c)
{
	struct layout l;
	unsigned int i;

	for (i = 0; i < c->nmsg; i++) {
		uint8_t *at = s->in.mem + target_off(c, i);
		uint8_t *image = s->in.image + target_off(c, i);
		uint64_t old = atomic_old(c, i), new = atomic_new(c, i);

		vt_fill(s->flat, c->size, case_seed(c, i));
		if (op_is_atomic(c->op)) {
			memcpy(at, &old, 8);
			memcpy(image, &new, 8);
			continue;
		}
		if (op_reads(c->op))
			memcpy(at, s->flat, c->size);
		if (op_reads(c->op) || c->op == OP_WRITE ||
		    c->op == OP_WRITE_IMM)
			memcpy(image, s->flat, c->size);
		if (op_takes_recv(c->op) && c->op != OP_WRITE_IMM) {
			layout_make(&l, &s->in, c->remote, c->size,
				    recv_slot(c, i), s->max_sge);
			layout_write(&l, &s->in, s->flat, false);
		}
	}
}

static size_t follower_used(const struct vcase *c)
{
	return c->op == OP_FENCE ? 2 * bytes_used(c) :
	       c->op == OP_WRITE_IMM ? bytes_used(c) + slot_size(16) :
	       bytes_used(c);
}

int case_prepare(struct side *s, const struct vcase *c, struct msg *reply)
{
	unsigned int i;
	int err;

	s->why[0] = '\0';
	area_clear(&s->in, follower_used(c));
	follower_fill(s, c);
	reply->va[0] = (uintptr_t)s->in.mem;
	reply->rkey[0] = s->in.mr[0]->rkey;
	reply->rkey[1] = s->in.mr[1]->rkey;
	if (!op_takes_recv(c->op))
		return 0;
	for (i = 0; i < c->nmsg; i++) {
		err = follower_post_recv(s, c, i);
		if (err)
			return fail(s, "post_recv %u: %s", i, strerror(-err));
	}
	return 0;
}

/* UD: the 40 bytes before the message tell who sent it. */
static int check_grh(struct side *s, unsigned int i)
{
	const uint8_t *grh = s->out.mem + i * GRH_LEN;
	const uint8_t *src = grh + 8, *dst = grh + 24;
	size_t len = 16, skip = 0;

	if (s->peer.gid.raw[10] == 0xff && s->peer.gid.raw[11] == 0xff) {
		src = grh + 32;
		dst = grh + 36;
		len = 4;
		skip = 12;
		if (grh[20] != 0x45)
			return fail(s, "no IPv4 header in the GRH: %#x",
				    grh[20]);
	} else if (grh[0] >> 4 != 6) {
		return fail(s, "no IPv6 header in the GRH: %#x", grh[0]);
	}
	if (memcmp(src, s->peer.gid.raw + skip, len) ||
	    memcmp(dst, s->dev.gid.raw + skip, len))
		return fail(s, "addresses in the GRH are wrong");
	return 0;
}

static int check_recv(struct side *s, const struct vcase *c, unsigned int i,
		      const struct ibv_wc *wc)
{
	bool ud = s->session.type == IBV_QPT_UD;
	enum ibv_wc_opcode opcode = c->op == OP_WRITE_IMM ?
		IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
	uint32_t len = c->size + (ud ? GRH_LEN : 0);

	if (wc->status != IBV_WC_SUCCESS)
		return fail(s, "receive %u: %s", i,
			    ibv_wc_status_str(wc->status));
	if (wc->wr_id != WR_ID(i) || wc->opcode != opcode ||
	    wc->byte_len != len || wc->qp_num != s->qp.qp->qp_num)
		return fail(s, "receive %u: wr_id %#llx opcode %d byte_len %u (not %u) qp %#x",
			    i, (unsigned long long)wc->wr_id, wc->opcode,
			    wc->byte_len, len, wc->qp_num);
	if (!!(wc->wc_flags & IBV_WC_WITH_IMM) != op_has_imm(c->op))
		return fail(s, "receive %u: flags %#x", i, wc->wc_flags);
	if (op_has_imm(c->op) && ntohl(wc->imm_data) != case_imm(c, i))
		return fail(s, "receive %u: immediate %#x, not %#x", i,
			    ntohl(wc->imm_data), case_imm(c, i));
	if (ud && !(wc->wc_flags & IBV_WC_GRH))
		return fail(s, "receive %u: no GRH flag", i);
	if (ud && wc->src_qp != s->peer.qpn)
		return fail(s, "receive %u: from %#x, not %#x", i, wc->src_qp,
			    s->peer.qpn);
	return ud ? check_grh(s, i) : 0;
}

/* UC says nothing when a WRITE has arrived: wait until the last byte has. */
static void wait_memory(struct side *s, const struct vcase *c)
{
	size_t last = target_off(c, c->nmsg - 1) + c->size;
	uint64_t end = vt_deadline(VT_MS(2));

	while (c->size && !vt_expired(end)) {
		if (!vt_differ(s->in.mem + last - 1, s->in.image + last - 1, 1))
			sched_yield();
		else if (!memcmp(s->in.mem, s->in.image, bytes_used(c)))
			return;
	}
}

int case_check(struct side *s, const struct vcase *c)
{
	struct ibv_wc wc;
	unsigned int i;

	for (i = 0; op_takes_recv(c->op) && i < c->nmsg; i++) {
		if (vt_poll(s->qp.rcq, &wc, 1, WAIT_MS) != 1)
			return fail(s, "receive %u never completed", i);
		if (check_recv(s, c, i, &wc))
			return -EPROTO;
	}
	if (s->session.type == IBV_QPT_UC && c->op == OP_WRITE)
		wait_memory(s, c);
	if (ibv_poll_cq(s->qp.rcq, 1, &wc))
		return fail(s, "a receive too many: wr_id %#llx",
			    (unsigned long long)wc.wr_id);
	return area_check(s, &s->in, follower_used(c), "remote memory");
}
