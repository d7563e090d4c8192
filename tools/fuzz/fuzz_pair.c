// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: fuzz target: three queue pairs, their rings, and the air between them
 *
 * Input: eight bytes of what they are like, then steps: a byte of what happens
 * to whom, and the bytes that say how. Everything may happen that a hostile
 * user, a hostile peer or a bad network can bring about: requests that are
 * made up or scribbled on, ring indices from anywhere, packets that are lost,
 * repeated, changed, or made up with a right ICRC, memory that goes, changes of
 * state, transmit and allocations that fail, timers. pair_check.c has the
 * rules.
 */
#include "pair.h"

#include <string.h>

#include <linux/array_size.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/unaligned.h>
#include <rdma/rdma_user_rxe.h>

#include "engine/opcode.h"
#include "engine/parse.h"
#include "engine/psn.h"

struct input {
	const u8 *data;
	size_t left;
};

static u8 take(struct input *in)
{
	if (!in->left)
		return 0;
	in->left--;
	return *in->data++;
}

static void take_bytes(struct input *in, void *to, u32 len)
{
	u32 n = min_t(size_t, len, in->left);

	memset(to, 0, len);
	if (n)
		memcpy(to, in->data, n);
	in->data += n;
	in->left -= n;
}

/* Mostly small ones, and some of the borders. */
static u32 some_length(u8 how)
{
	static const u32 borders[] = {
		0, 1, 3, 4, 8, 255, 256, 257, 511, 512, 513, 1024, 2047, 4096,
		4097, 16384, 16385, 0x7fffffff, 0x80000000, 0x80000001,
		0xffffffff,
	};

	return how < 128 ? how * 8U : borders[how % ARRAY_SIZE(borders)];
}

/* An address near the borders of region @key, or anywhere. */
static u64 some_address(u32 key, u8 how)
{
	const struct tuff_mr *mr;
	u64 va;

	if (!key || key > PAIR_MRS)
		return (u64)how << 56;
	mr = &pair.mr[key - 1];
	va = mr->va + (how & 0x3c) * 8;
	if (how & 0x40)
		va = mr->va + mr->len - (how & 0x3c);
	return how & 0x80 ? va - (how & 0x3f) : va;
}

/* Mostly the region of which all is allowed. */
static u32 some_key(u8 how)
{
	return how & 1 ? 1 + (how >> 1) % (PAIR_MRS + 1) : 1;
}

static void fill_sges(struct rxe_dma_info *dma, u32 num_sge, u8 key, u8 len,
		      u8 va)
{
	u32 i;

	dma->num_sge = num_sge;
	for (i = 0; i < num_sge; i++) {
		dma->sge[i].lkey = some_key(key);
		dma->sge[i].length = some_length(len + i);
		dma->sge[i].addr = some_address(some_key(key), va + 4 * i);
		dma->length += dma->sge[i].length;
	}
}

static void post_send(struct pair_qp *p, struct input *in)
{
	u8 op = take(in), how = take(in), len = take(in), key = take(in);
	u8 va = take(in), rkey = take(in), rva = take(in);
	struct rxe_send_wqe *wqe = pair_slot(&p->sq);

	memset(wqe, 0, p->sq.stride);
	wqe->wr.opcode = op % 8;
	wqe->wr.send_flags = how & 0xf;
	wqe->wr.ex.imm_data = htobe32(op << 8 | how);
	if (!tuff_qp_connected(&p->qp)) {
		wqe->wr.wr.ud.remote_qpn = 1 + rkey % (PAIR_QPS + 1);
		wqe->wr.wr.ud.remote_qkey = PAIR_QKEY + (rva & 1);
		wqe->wr.wr.ud.ah_num = 1 + rva % (PAIR_AVS + 1);
	} else if (op % 8 >= TUFF_WR_ATOMIC_CMP_AND_SWP) {
		wqe->wr.wr.atomic.remote_addr =
			some_address(some_key(rkey), rva);
		wqe->wr.wr.atomic.rkey = some_key(rkey);
		wqe->wr.wr.atomic.compare_add = op;
		wqe->wr.wr.atomic.swap = how;
		len = 1;
	} else {
		wqe->wr.wr.rdma.remote_addr =
			some_address(some_key(rkey), rva);
		wqe->wr.wr.rdma.rkey = some_key(rkey);
	}
	if (how & TUFF_SEND_INLINE)
		wqe->dma.length = len % (PAIR_MAX_INLINE + 2);
	else
		fill_sges(&wqe->dma, min_t(u32, how >> 4 & 3 ?: 1,
					   p->qp.max_send_sge), key, len, va);
	pair_posted(&p->sq);
	p->raised = true;
}

static void post_recv(struct pair_qp *p, struct input *in)
{
	u8 how = take(in), len = take(in), key = take(in), va = take(in);
	struct rxe_recv_wqe *wqe = pair_slot(p->recv);

	memset(wqe, 0, p->recv->stride);
	fill_sges(&wqe->dma, min_t(u32, how & 3, p->qp.max_recv_sge), key, len,
		  va);
	pair_posted(p->recv);
	if (p->qp.state == TUFF_QPS_ERR)
		p->raised = true;
}

/* Bits of @how: 0x01 once more later, 0x02 without a run. */
static void arrive(struct input *in)
{
	u8 which = take(in), how = take(in);
	struct sim_frame *frame;

	if (!pair.nr_air)
		return;
	frame = pair_land(which % pair.nr_air);
	if (how & 1 && pair.nr_air < PAIR_AIR)
		pair_launch(sim_frame_copy(frame));
	pair_deliver(frame, !(how & 2));
}

static void lose(struct input *in)
{
	u8 which = take(in);

	if (pair.nr_air)
		sim_frame_put(pair_land(which % pair.nr_air));
}

/* A byte of a packet becomes another; mostly the ICRC is put right. */
static void mutate(struct input *in)
{
	u8 which = take(in), where = take(in), value = take(in);
	struct sim_frame *frame;
	u32 from;

	if (!pair.nr_air || pair.honest)
		return;
	frame = pair.air[which % pair.nr_air];
	from = where & 0x80 ? 0 : sim_frame_bth_off(frame);
	from += where & 0x7f;
	if (from < frame->len)
		frame->data[from] ^= value;
	if (value != 0xff)
		sim_frame_seal(frame);
}

static u32 some_psn(const struct pair_qp *p, u8 from, u8 delta)
{
	const u32 bases[] = {
		p->qp.responder.epsn, p->qp.requester.una, p->qp.requester.max,
		p->qp.responder.epsn + 0x800000,
	};

	return (bases[from & 3] + (s8)delta) & TUFF_PSN_MASK;
}

/* A packet for @p that nobody sent, with sense in most of its fields. */
static void forge(struct pair_qp *p, struct input *in)
{
	u8 op = take(in), psn = take(in), delta = take(in), len = take(in);
	u8 key = take(in), va = take(in), how = take(in), wrong = take(in);
	u32 bytes = min(some_length(len), 4096U);
	struct sim_path path = pair.av[0].path;
	struct sim_frame *frame;
	struct tuff_hdr hdr = {
		.opcode = op,
		.psn = some_psn(p, psn, delta),
		.pkey = wrong == 1 ? 0x7fff : TUFF_PKEY_DEFAULT,
		.dqpn = p->idx + 1,
		.ackreq = how & 1,
		.solicited = how & 2,
		.syndrome = how,
		.msn = delta,
		.qkey = PAIR_QKEY + (wrong == 2),
		.sqpn = how,
		.va = some_address(some_key(key), va),
		.rkey = some_key(key),
		.dmalen = how & 0x80 ? bytes : some_length(how << 1),
		.pad = wrong == 3 ? how & 3 : -bytes & 3,
		.swap_add = op,
		.compare = how,
	};
	static const u8 payload[4096];

	if (pair.honest)
		return;
	if (wrong != 7)
		hdr.opcode = (op & TUFF_OP_MASK) |
			     (p->qp.type == TUFF_QPT_RC ? TUFF_TRANSPORT_RC :
			      p->qp.type == TUFF_QPT_UC ? TUFF_TRANSPORT_UC :
							  TUFF_TRANSPORT_UD);
	if (!tuff_opcodes[hdr.opcode].valid)
		return;
	if (tuff_opcodes[hdr.opcode].position == TUFF_POS_NONE && wrong != 4) {
		bytes = 0;
		hdr.pad = 0;
	}
	frame = sim_frame_build(&path, pair.ip_id++, &hdr, payload, bytes);
	if (wrong == 5) {
		sim_frame_set_saddr(frame, 1 + (how & 0x7e));
		sim_frame_seal(frame);
	}
	if (wrong == 8) {
		/* PadCnt that the length knows nothing of. */
		frame->data[sim_frame_bth_off(frame) + 1] ^= (how & 3) << 4;
		sim_frame_seal(frame);
	}
	if (wrong == 6)
		frame->data[frame->len - 1] ^= 1;
	pair_deliver(frame, !(how & 4));
}

/* Bytes from the BTH on, any; the ICRC is put right. */
static void forge_raw(struct input *in)
{
	struct tuff_hdr hdr = {
		.opcode = TUFF_TRANSPORT_RC | TUFF_OP_SEND_ONLY,
	};
	u8 len = take(in);
	struct sim_frame *frame;
	u8 payload[256];

	if (pair.honest)
		return;
	memset(payload, 0, sizeof(payload));
	/* As long as it says: pads and cut words come from the length. */
	frame = sim_frame_build(&pair.av[0].path, pair.ip_id++, &hdr, payload,
				len);
	take_bytes(in, frame->data + sim_frame_bth_off(frame),
		   TUFF_BTH_LEN + len);
	sim_frame_seal(frame);
	pair_deliver(frame, true);
}

static struct tuff_ring *some_ring(struct pair_qp *p, u8 how)
{
	return how & 1 ? p->recv : &p->sq;
}

static void scribble(struct pair_qp *p, struct input *in)
{
	struct tuff_ring *ring = some_ring(p, take(in));
	u32 off = (u32)take(in) * 4, len = take(in) % 17;

	if (pair.honest)
		return;
	off %= (ring->mask + 1) * ring->stride - 16;
	take_bytes(in, ring->buf->data + off, len);
}

static void move_index(struct pair_qp *p, struct input *in)
{
	u8 how = take(in), value = take(in);
	struct tuff_ring *ring = some_ring(p, how);

	if (pair.honest)
		return;
	if (how & 2)
		ring->buf->consumer_index = (how & 0xf0) << 20 | value;
	else
		ring->buf->producer_index = (how & 0xf0) << 20 | value;
	p->raised = true;
}

static void change_state(struct pair_qp *p, struct input *in)
{
	u8 how = take(in);

	if (how % 8 < 2) {
		/* The peer will not know. */
		pair.honest = false;
		pair_reset(p);
		if (how % 8)
			pair_connect(p);
		p->raised = true;
		return;
	}
	if (how % 8 == 2 && p->qp.state != TUFF_QPS_RESET)
		pair_set_state(p, TUFF_QPS_ERR);
	else if (how % 8 == 3 && p->qp.state == TUFF_QPS_RESET)
		pair_connect(p);
	else if (how & 4 && p->qp.state == TUFF_QPS_RTS)
		pair_set_state(p, TUFF_QPS_SQD);
	else if (p->qp.state == TUFF_QPS_SQD ||
		 (p->qp.state == TUFF_QPS_SQE && pair_flushed(p)))
		pair_set_state(p, TUFF_QPS_RTS);
	p->raised = true;
}

/* Memory is deregistered, comes back, or rights of a queue pair change. */
static void change_memory(struct pair_qp *p, struct input *in)
{
	u8 how = take(in);

	if (pair.honest)
		return;
	if (how & 1)
		p->qp.attr.access = (how & 0xe) ^ 0xe;
	else
		pair.mr[(how >> 1) % PAIR_MRS].dead ^= true;
}

static void fault(struct input *in)
{
	static const int rets[] = { -EAGAIN, 0, -EAGAIN, -EFAULT };
	u8 how = take(in);

	pair.tx_ret = rets[how & 3];
	pair.tx_left = pair.tx_ret ? how >> 4 : 0;
	if (how & 4)
		pair.no_memory = how >> 4;
	if (how & 8)
		pair.loop = !pair.loop;
	if ((how & 9) == 9)
		pair.busy = !pair.busy;
}

/* What is in the air arrives, and what is sent meanwhile, up to a limit. */
static void calm(struct input *in)
{
	u32 nr = 1 + take(in) % 128;

	pair_settle();
	while (nr-- && pair.nr_air) {
		pair_deliver(pair_land(0), true);
		pair_settle();
	}
}

static void step(struct input *in)
{
	u8 what = take(in);
	struct pair_qp *p = &pair.qp[(what >> 4) % PAIR_QPS];

	switch (what & 0xf) {
	case 0:
		post_send(p, in);
		break;
	case 1:
		post_recv(p, in);
		break;
	case 2:
		pair_run(p);
		break;
	case 3:
		arrive(in);
		break;
	case 4:
		lose(in);
		break;
	case 5:
		mutate(in);
		break;
	case 6:
		forge(p, in);
		break;
	case 7:
		forge_raw(in);
		break;
	case 8:
		scribble(p, in);
		break;
	case 9:
		move_index(p, in);
		break;
	case 10:
		pair_tick(p);
		break;
	case 11:
		change_state(p, in);
		break;
	case 12:
		change_memory(p, in);
		break;
	case 13:
		fault(in);
		break;
	case 14:
		calm(in);
		break;
	case 15:
		pair.now += (u64)take(in) << 16;
		break;
	}
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = { data, size };
	u8 how[8];

	take_bytes(&in, how, sizeof(how));
	pair_set_up(how);
	while (in.left)
		step(&in);
	pair_settle();
	pair_tear_down();
	return 0;
}
