// SPDX-License-Identifier: GPL-2.0
/* tuff: posted work requests: the user's bytes checked into our own record */
#include "engine/wqe.h"

#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <linux/types.h>
#include <rdma/rdma_user_rxe.h>

#include "engine/qp.h"
#include "engine/world.h"

#define TUFF_SEND_FLAGS							\
	(TUFF_SEND_FENCE | TUFF_SEND_SIGNALED | TUFF_SEND_SOLICITED |	\
	 TUFF_SEND_INLINE)

#define TUFF_WRS_SEND							\
	(BIT(TUFF_WR_SEND) | BIT(TUFF_WR_SEND_WITH_IMM))
#define TUFF_WRS_WRITE							\
	(BIT(TUFF_WR_RDMA_WRITE) | BIT(TUFF_WR_RDMA_WRITE_WITH_IMM))
#define TUFF_WRS_ATOMIC							\
	(BIT(TUFF_WR_ATOMIC_CMP_AND_SWP) |				\
	 BIT(TUFF_WR_ATOMIC_FETCH_AND_ADD))
#define TUFF_WRS_READ		BIT(TUFF_WR_RDMA_READ)
#define TUFF_WRS_CONNECTED	(TUFF_WRS_SEND | TUFF_WRS_WRITE)

/* IBA 9.4.5: an atomic operation works on 64 bits. */
#define TUFF_ATOMIC_LEN		8

/* IBA 10.2.5: a Q_Key with this bit stands for that of the queue pair. */
#define TUFF_QKEY_OF_QP		BIT(31)

static bool tuff_wr_is(u32 opcode, u32 set)
{
	return opcode < BITS_PER_BYTE * sizeof(set) && set & BIT(opcode);
}

/* Requests each service offers (IBA table 11, less what is not offered). */
static bool tuff_wr_allowed(const struct tuff_qp *qp, u32 opcode)
{
	switch (qp->type) {
	case TUFF_QPT_RC:
		return tuff_wr_is(opcode, TUFF_WRS_CONNECTED | TUFF_WRS_READ |
				  TUFF_WRS_ATOMIC);
	case TUFF_QPT_UC:
		return tuff_wr_is(opcode, TUFF_WRS_CONNECTED);
	default:
		return tuff_wr_is(opcode, TUFF_WRS_SEND);
	}
}

/* What a request does to local memory: only answers write there. */
static u32 tuff_wr_access(u32 opcode)
{
	if (tuff_wr_is(opcode, TUFF_WRS_READ | TUFF_WRS_ATOMIC))
		return TUFF_ACCESS_LOCAL_WRITE;
	return 0;
}

/* The first fault is the one that is reported. */
static void tuff_swqe_fail(struct tuff_swqe *wqe, u8 status)
{
	if (wqe->status == TUFF_WC_SUCCESS)
		wqe->status = status;
}

static void tuff_rwqe_fail(struct tuff_rwqe *wqe, u8 status)
{
	if (wqe->status == TUFF_WC_SUCCESS)
		wqe->status = status;
}

/**
 * tuff_swqe_init() - make a record an empty request
 * @wqe: the record; @wqe->node is not touched
 *
 * Context: any.
 */
void tuff_swqe_init(struct tuff_swqe *wqe)
{
	const size_t head = offsetof(struct tuff_swqe, wr_id);

	memset((u8 *)wqe + head, 0, offsetof(struct tuff_swqe, sge) - head);
	wqe->opcode = TUFF_WR_NONE;
	wqe->status = TUFF_WC_SUCCESS;
}

/**
 * tuff_swqe_add_sge() - give a request one more piece of local memory
 * @qp: queue pair
 * @wqe: record with its opcode set, of tuff_swqe_size(qp->max_send_sge, ..)
 * @addr: virtual address
 * @len: bytes; an empty piece is skipped and its key not looked at
 * @lkey: local key
 *
 * Takes a reference on the region. What is wrong becomes the status.
 *
 * Context: any that tuff_world_lkey_get() allows.
 */
void tuff_swqe_add_sge(struct tuff_qp *qp, struct tuff_swqe *wqe, u64 addr,
		       u32 len, u32 lkey)
{
	struct tuff_mr *mr;

	if (!len || wqe->status != TUFF_WC_SUCCESS)
		return;
	/* The two kinds of data share their place in the record. */
	if (wqe->inline_data || wqe->num_sge >= qp->max_send_sge) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	if (len > TUFF_MSG_MAX - wqe->length) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_LEN_ERR);
		return;
	}
	mr = tuff_world_lkey_get(qp, lkey, addr, len,
				 tuff_wr_access(wqe->opcode));
	if (!mr) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_PROT_ERR);
		return;
	}
	wqe->sge[wqe->num_sge++] = (struct tuff_sge) {
		.addr = addr,
		.len = len,
		.mr = mr,
	};
	wqe->length += len;
}

/**
 * tuff_swqe_add_inline() - give a request inline data, behind what it has
 * @qp: queue pair
 * @wqe: record with its opcode set, of tuff_swqe_size(.., qp->max_inline)
 * @data: bytes, copied
 * @len: number of them, may be 0
 *
 * What is wrong becomes the status.
 *
 * Context: any.
 */
void tuff_swqe_add_inline(struct tuff_qp *qp, struct tuff_swqe *wqe,
			  const void *data, u32 len)
{
	if (wqe->status != TUFF_WC_SUCCESS)
		return;
	if (!tuff_wr_is(wqe->opcode, TUFF_WRS_CONNECTED) || wqe->num_sge ||
	    wqe->length > qp->max_inline ||
	    len > qp->max_inline - wqe->length) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	memcpy(wqe->data + wqe->length, data, len);
	wqe->inline_data = true;
	wqe->length += len;
}

/**
 * tuff_swqe_check() - last checks of a request whose fields are all there
 * @qp: queue pair
 * @wqe: record; status and the fields that verbs derives are set
 *
 * Context: any.
 */
void tuff_swqe_check(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	if (qp->sig_all)
		wqe->flags |= TUFF_SEND_SIGNALED;

	if (!tuff_wr_allowed(qp, wqe->opcode)) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	if (tuff_wr_is(wqe->opcode, TUFF_WRS_ATOMIC) &&
	    wqe->length != TUFF_ATOMIC_LEN) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_LEN_ERR);
		return;
	}
	if (tuff_qp_connected(qp))
		return;

	if (!wqe->av)
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
	if (wqe->length > tuff_qp_mtu(qp))
		tuff_swqe_fail(wqe, TUFF_WC_LOC_LEN_ERR);
	if (wqe->qkey & TUFF_QKEY_OF_QP)
		wqe->qkey = qp->attr.qkey;
}

/* The opcode's own fields. */
static void tuff_swqe_load_remote(struct tuff_qp *qp, struct tuff_swqe *wqe,
				  const struct rxe_send_wr *wr)
{
	wqe->imm = wr->ex.imm_data;

	if (!tuff_qp_connected(qp)) {
		wqe->dqpn = wr->wr.ud.remote_qpn & TUFF_QPN_MASK;
		wqe->qkey = wr->wr.ud.remote_qkey;
		wqe->pkey_index = wr->wr.ud.pkey_index;
		/* 0 would mean the address in the request: not trusted. */
		if (wr->wr.ud.ah_num)
			wqe->av = tuff_world_ah_get(qp, wr->wr.ud.ah_num);
	} else if (tuff_wr_is(wqe->opcode, TUFF_WRS_ATOMIC)) {
		wqe->va = wr->wr.atomic.remote_addr;
		wqe->rkey = wr->wr.atomic.rkey;
		wqe->compare_add = wr->wr.atomic.compare_add;
		wqe->swap = wr->wr.atomic.swap;
	} else if (!tuff_wr_is(wqe->opcode, TUFF_WRS_SEND)) {
		wqe->va = wr->wr.rdma.remote_addr;
		wqe->rkey = wr->wr.rdma.rkey;
	}
}

/*
 * librxe's ibv_wr_set_inline_data() leaves the flag out: a length without any
 * SGE can mean nothing else.
 */
static bool tuff_swqe_user_inline(const struct rxe_send_wqe *user)
{
	return user->wr.send_flags & TUFF_SEND_INLINE ||
	       (!user->dma.num_sge && user->dma.length);
}

/* The data: inline bytes or SGEs, @room bytes of them in the element. */
static void tuff_swqe_load_local(struct tuff_qp *qp, struct tuff_swqe *wqe,
				 const struct rxe_send_wqe *user, u32 room)
{
	u32 num_sge = user->dma.num_sge;
	u32 i;

	if (tuff_swqe_user_inline(user)) {
		if (user->dma.length > room)
			tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		else
			tuff_swqe_add_inline(qp, wqe, user->dma.inline_data,
					     user->dma.length);
		return;
	}

	if (num_sge > qp->max_send_sge ||
	    num_sge > room / sizeof(user->dma.sge[0])) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	for (i = 0; i < num_sge; i++)
		tuff_swqe_add_sge(qp, wqe, user->dma.sge[i].addr,
				  user->dma.sge[i].length,
				  user->dma.sge[i].lkey);
}

/**
 * tuff_swqe_load() - check a user's send request into our record
 * @qp: queue pair
 * @wqe: record of tuff_swqe_size(qp->max_send_sge, qp->max_inline)
 * @user: kernel copy of the ring's element; nothing in it is believed
 * @bytes: size of the element
 *
 * Lengths are summed over the SGEs: dma.length has been wrong in librxe, and
 * dma.resid, cur_sge, sge_offset, state, status, the mask and the PSNs are a
 * kernel's own business. What is wrong becomes the status of the record,
 * which is whole in any case.
 *
 * Context: owner of @qp.
 */
void tuff_swqe_load(struct tuff_qp *qp, struct tuff_swqe *wqe,
		    const struct rxe_send_wqe *user, u32 bytes)
{
	const u32 head = offsetof(struct rxe_send_wqe, dma.sge);

	tuff_swqe_init(wqe);
	if (bytes < sizeof(*user)) {
		tuff_swqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}

	wqe->wr_id = user->wr.wr_id;
	wqe->flags = user->wr.send_flags & TUFF_SEND_FLAGS;
	if (tuff_wr_allowed(qp, user->wr.opcode)) {
		wqe->opcode = user->wr.opcode;
		tuff_swqe_load_remote(qp, wqe, &user->wr);
		tuff_swqe_load_local(qp, wqe, user, bytes - head);
	}
	tuff_swqe_check(qp, wqe);
}

/**
 * tuff_swqe_release() - drop the references a record holds
 * @qp: queue pair
 * @wqe: record, loaded or failed; its memory stays the caller's
 *
 * Context: any that tuff_world_mr_put() and tuff_world_av_put() allow.
 */
void tuff_swqe_release(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	while (wqe->num_sge)
		tuff_world_mr_put(wqe->sge[--wqe->num_sge].mr);
	if (wqe->av)
		tuff_world_av_put(wqe->av);
	wqe->av = NULL;
}

/**
 * tuff_rwqe_init() - make a record an empty receive request
 * @wqe: the record
 *
 * Context: any.
 */
void tuff_rwqe_init(struct tuff_rwqe *wqe)
{
	wqe->wr_id = 0;
	wqe->status = TUFF_WC_SUCCESS;
	wqe->num_sge = 0;
	wqe->length = 0;
}

/**
 * tuff_rwqe_add_sge() - give a receive request one more piece of memory
 * @qp: queue pair
 * @wqe: record with room for @max_sge pieces
 * @max_sge: limit of the receive queue
 * @addr: virtual address
 * @len: bytes; an empty piece is skipped and its key not looked at
 * @lkey: local key
 *
 * Takes a reference on the region. What is wrong becomes the status. The
 * capacity of a request may exceed what a message can have.
 *
 * Context: any that tuff_world_lkey_get() allows.
 */
void tuff_rwqe_add_sge(struct tuff_qp *qp, struct tuff_rwqe *wqe, u32 max_sge,
		       u64 addr, u32 len, u32 lkey)
{
	struct tuff_mr *mr;

	if (!len || wqe->status != TUFF_WC_SUCCESS)
		return;
	if (wqe->num_sge >= max_sge) {
		tuff_rwqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	mr = tuff_world_lkey_get(qp, lkey, addr, len, TUFF_ACCESS_LOCAL_WRITE);
	if (!mr) {
		tuff_rwqe_fail(wqe, TUFF_WC_LOC_PROT_ERR);
		return;
	}
	wqe->sge[wqe->num_sge++] = (struct tuff_sge) {
		.addr = addr,
		.len = len,
		.mr = mr,
	};
	wqe->length += min(len, U32_MAX - wqe->length);
}

/**
 * tuff_rwqe_load() - check a user's receive request into our record
 * @qp: queue pair
 * @wqe: record with room for @max_sge pieces
 * @user: kernel copy of the ring's element; nothing in it is believed
 * @bytes: size of the element
 * @max_sge: limit of the receive queue, at most 255
 *
 * Context: owner of @qp.
 */
void tuff_rwqe_load(struct tuff_qp *qp, struct tuff_rwqe *wqe,
		    const struct rxe_recv_wqe *user, u32 bytes, u32 max_sge)
{
	const u32 head = offsetof(struct rxe_recv_wqe, dma.sge);
	u32 num_sge;
	u32 i;

	tuff_rwqe_init(wqe);
	if (bytes < sizeof(*user)) {
		tuff_rwqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}

	wqe->wr_id = user->wr_id;
	num_sge = user->dma.num_sge;
	if (num_sge > max_sge ||
	    num_sge > (bytes - head) / sizeof(user->dma.sge[0])) {
		tuff_rwqe_fail(wqe, TUFF_WC_LOC_QP_OP_ERR);
		return;
	}
	for (i = 0; i < num_sge; i++)
		tuff_rwqe_add_sge(qp, wqe, max_sge, user->dma.sge[i].addr,
				  user->dma.sge[i].length,
				  user->dma.sge[i].lkey);
}

/**
 * tuff_rwqe_release() - drop the references a record holds
 * @qp: queue pair
 * @wqe: record, loaded or failed; its memory stays the caller's
 *
 * Context: any that tuff_world_mr_put() allows.
 */
void tuff_rwqe_release(struct tuff_qp *qp, struct tuff_rwqe *wqe)
{
	while (wqe->num_sge)
		tuff_world_mr_put(wqe->sge[--wqe->num_sge].mr);
}

/**
 * tuff_wc_opcode() - opcode of a send request's completion
 * @wqe: the request, of any opcode
 *
 * Context: any.
 * Return: &enum tuff_wc_opcode.
 */
u8 tuff_wc_opcode(const struct tuff_swqe *wqe)
{
	switch (wqe->opcode) {
	case TUFF_WR_RDMA_WRITE:
	case TUFF_WR_RDMA_WRITE_WITH_IMM:
		return TUFF_WC_RDMA_WRITE;
	case TUFF_WR_RDMA_READ:
		return TUFF_WC_RDMA_READ;
	case TUFF_WR_ATOMIC_CMP_AND_SWP:
		return TUFF_WC_COMP_SWAP;
	case TUFF_WR_ATOMIC_FETCH_AND_ADD:
		return TUFF_WC_FETCH_ADD;
	default:
		return TUFF_WC_SEND;
	}
}
