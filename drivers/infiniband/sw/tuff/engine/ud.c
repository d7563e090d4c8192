// SPDX-License-Identifier: GPL-2.0
/* tuff: datagrams (UD and GSI) */
#include "engine/ud.h"

#include <linux/errno.h>

#include "engine/loop.h"
#include "engine/opcode.h"
#include "engine/parse.h"
#include "engine/psn.h"
#include "engine/requester.h"
#include "engine/responder.h"
#include "engine/scatter.h"
#include "engine/state.h"
#include "engine/timer.h"
#include "engine/world.h"
#include "engine/wqe.h"

/* The global route header that precedes the payload in receive buffers. */
#define TUFF_GRH_LEN		40

static void tuff_ud_hdr(struct tuff_qp *qp, const struct tuff_swqe *wqe,
			struct tuff_hdr *hdr)
{
	bool imm = wqe->opcode == TUFF_WR_SEND_WITH_IMM;

	*hdr = (struct tuff_hdr){
		.opcode = TUFF_TRANSPORT_UD |
			  (imm ? TUFF_OP_SEND_ONLY_IMM : TUFF_OP_SEND_ONLY),
		.pad = -wqe->length & 3,
		.solicited = wqe->flags & TUFF_SEND_SOLICITED,
		.migreq = true,
		.pkey = qp->type == TUFF_QPT_GSI ?
			tuff_world_pkey(qp, wqe->pkey_index) : qp->attr.pkey,
		.dqpn = wqe->dqpn,
		.psn = qp->requester.nxt,
		.qkey = wqe->qkey,
		.sqpn = qp->qpn,
		.imm = wqe->imm,
	};
}

/* The receive request ends; after an error the receive queue is over too. */
static void tuff_ud_complete(struct tuff_qp *qp, const struct tuff_pkt *pkt,
			     u8 status)
{
	struct tuff_cqe cqe = {
		.status = status,
		.opcode = TUFF_WC_RECV,
		.flags = TUFF_WC_GRH,
		.byte_len = pkt->len + TUFF_GRH_LEN,
		.src_qp = pkt->hdr.sqpn,
		.pkey_index = qp->attr.pkey_index,
		.solicited = pkt->hdr.solicited,
		.pkt = pkt->buf ? pkt : NULL,
	};

	if (pkt->op->hdrs & TUFF_HDR_IMMDT) {
		cqe.flags |= TUFF_WC_WITH_IMM;
		cqe.imm = pkt->hdr.imm;
	}
	tuff_responder_complete(qp, &cqe);
	if (status != TUFF_WC_SUCCESS)
		tuff_qp_error(qp);
}

/* Put a datagram into the next receive of @peer. False: nothing happened. */
static bool tuff_ud_deliver(struct tuff_qp *peer, const struct tuff_hdr *hdr,
			    const struct tuff_swqe *wqe)
{
	struct tuff_responder *s = &peer->responder;
	struct tuff_pkt pkt = {
		.hdr = *hdr,
		.op = &tuff_opcodes[hdr->opcode],
		.len = wqe->length,
	};
	u8 grh[TUFF_GRH_LEN];

	if (!peer->user || !tuff_qp_accepts(peer, &pkt))
		return false;
	if (!s->wqe)
		s->wqe = tuff_world_next_rwqe(peer);
	if (!s->wqe || s->wqe->status != TUFF_WC_SUCCESS ||
	    wqe->length + TUFF_GRH_LEN > s->wqe->length)
		return false;
	tuff_world_ud_grh(peer, wqe->av, pkt.op->hdr_len + wqe->length +
			  hdr->pad + TUFF_ICRC_LEN, grh);
	if (tuff_scatter_mem(s->wqe->sge, s->wqe->num_sge, 0, grh,
			     sizeof(grh)))
		return false;
	if (wqe->length &&
	    tuff_loop_copy_message(s->wqe->sge, s->wqe->num_sge, TUFF_GRH_LEN,
				   wqe))
		return false;
	tuff_world_count(peer, TUFF_CNT_LOOPBACK_MESSAGES);
	tuff_ud_complete(peer, &pkt, TUFF_WC_SUCCESS);
	return true;
}

/*
 * The receiver may be a QP of this host, and free. What would be dropped or
 * end in an error goes as a packet, which is dropped, counted and reported.
 */
static bool tuff_ud_direct(struct tuff_qp *qp, struct tuff_swqe *wqe,
			   const struct tuff_hdr *hdr)
{
	struct tuff_qp *peer;
	bool done;

	if (qp->type != TUFF_QPT_UD)
		return false;
	peer = tuff_world_ud_enter(qp, wqe);
	if (!peer)
		return false;
	done = tuff_ud_deliver(peer, hdr, wqe);
	tuff_world_ud_leave(qp, wqe, done);
	return done;
}

/**
 * tuff_ud_send() - send a datagram and complete its request
 * @qp: UD or GSI queue pair
 * @wqe: the oldest request
 *
 * Context: owner of @qp.
 * Return: false when the run must end.
 */
bool tuff_ud_send(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_requester *r = &qp->requester;
	struct tuff_payload pl = {
		.data = wqe->inline_data ? wqe->data : NULL,
		.sge = wqe->inline_data ? NULL : wqe->sge,
		.num_sge = wqe->inline_data ? 0 : wqe->num_sge,
		.len = wqe->length,
	};
	struct tuff_hdr hdr;
	int ret = 0;

	tuff_ud_hdr(qp, wqe, &hdr);
	if (!tuff_ud_direct(qp, wqe, &hdr))
		ret = tuff_world_tx(qp, wqe->av, &hdr, pl.len ? &pl : NULL);
	if (ret == -EAGAIN) {
		tuff_timer_retry(qp);
		return false;
	}
	r->nxt = tuff_psn_add(r->nxt, 1);
	r->una = r->nxt;
	r->max = r->nxt;
	if (ret)
		tuff_requester_fail(qp, TUFF_WC_LOC_PROT_ERR);
	else
		tuff_requester_complete(qp, wqe, TUFF_WC_SUCCESS);
	tuff_qp_check_drained(qp);
	return true;
}

/**
 * tuff_ud_handle() - a datagram for this QP; Q_Key and P_Key are checked
 * @qp: UD or GSI queue pair in RTR, RTS, SQD or SQE
 * @pkt: packet
 *
 * One that finds no receive request, or one too small, is dropped; the
 * request stays for the next (IBA 9.8.3.2, 9.9.3.2).
 *
 * Context: owner of @qp.
 */
void tuff_ud_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_responder *s = &qp->responder;
	u8 grh[TUFF_GRH_LEN];
	int ret;

	if (!s->wqe)
		s->wqe = tuff_world_next_rwqe(qp);
	if (!s->wqe) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_UD_NO_BUFFER);
		return;
	}
	if (s->wqe->status != TUFF_WC_SUCCESS) {
		tuff_ud_complete(qp, pkt, s->wqe->status);
		return;
	}
	if (pkt->len + TUFF_GRH_LEN > s->wqe->length) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_UD_LENGTH);
		return;
	}
	tuff_world_count(qp, TUFF_CNT_RX_SEND_REQUESTS);
	tuff_world_pkt_grh(pkt, grh);
	ret = tuff_scatter_mem(s->wqe->sge, s->wqe->num_sge, 0, grh,
			       sizeof(grh));
	if (!ret && pkt->len)
		ret = tuff_scatter_pkt(s->wqe->sge, s->wqe->num_sge,
				       TUFF_GRH_LEN, pkt);
	tuff_ud_complete(qp, pkt,
			 ret ? TUFF_WC_LOC_PROT_ERR : TUFF_WC_SUCCESS);
}
