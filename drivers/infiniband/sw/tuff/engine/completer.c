// SPDX-License-Identifier: GPL-2.0
/* tuff: what comes back to a requester: ACK, NAK, READ data, ATOMIC results */
#include "engine/completer.h"

#include <linux/minmax.h>

#include "engine/aeth.h"
#include "engine/opcode.h"
#include "engine/psn.h"
#include "engine/requester.h"
#include "engine/retransmit.h"
#include "engine/scatter.h"
#include "engine/segment.h"
#include "engine/world.h"

/*
 * An answer for @psn says that all before @psn was received. When a READ or
 * ATOMIC before it has no answer yet, that one was lost: the implied NAK of
 * IBA 9.7.5.1.2. Return true when una is @psn now.
 */
static bool tuff_completer_reach(struct tuff_qp *qp, u32 psn)
{
	struct tuff_requester *r = &qp->requester;

	if (psn != r->una)
		tuff_requester_advance(qp, psn);
	if (psn == r->una)
		return true;
	tuff_world_count(qp, TUFF_CNT_IMPLIED_NAK_SEQ_ERR);
	tuff_retransmit_gap(qp, psn);
	return false;
}

/* The oldest request, when it is the one that @psn == una belongs to. */
static struct tuff_swqe *tuff_completer_wqe(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe = tuff_requester_head(qp);

	return wqe && wqe->npsn ? wqe : NULL;
}

static void tuff_completer_nak(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	u8 status;

	if (!tuff_completer_reach(qp, pkt->hdr.psn))
		return;
	switch (pkt->hdr.syndrome) {
	case TUFF_NAK_SEQUENCE:
		tuff_world_count(qp, TUFF_CNT_PACKET_SEQ_ERR);
		tuff_retransmit_nak(qp);
		return;
	case TUFF_NAK_INVALID:
		tuff_world_count(qp, TUFF_CNT_REQ_REMOTE_INVALID_REQUEST);
		status = TUFF_WC_REM_INV_REQ_ERR;
		break;
	case TUFF_NAK_ACCESS:
		tuff_world_count(qp, TUFF_CNT_REQ_REMOTE_ACCESS_ERRORS);
		status = TUFF_WC_REM_ACCESS_ERR;
		break;
	case TUFF_NAK_OPERATION:
		tuff_world_count(qp, TUFF_CNT_REQ_REMOTE_OP_ERRORS);
		status = TUFF_WC_REM_OP_ERR;
		break;
	default:
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_ACK_INVALID);
		return;
	}
	tuff_requester_fail(qp, status);
}

static void tuff_completer_ack(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	u8 syndrome = pkt->hdr.syndrome;

	tuff_world_count(qp, TUFF_CNT_RX_ACKS);
	switch (syndrome & TUFF_AETH_TYPE_MASK) {
	case TUFF_AETH_ACK:
		/* It covers its own PSN too, unless that awaits a response. */
		tuff_completer_reach(qp, tuff_psn_add(pkt->hdr.psn, 1));
		break;
	case TUFF_AETH_RNR:
		if (!tuff_completer_reach(qp, pkt->hdr.psn))
			break;
		tuff_world_count(qp, TUFF_CNT_RNR_NAK_RETRY_ERR);
		tuff_retransmit_rnr(qp, syndrome & TUFF_AETH_CODE_MASK);
		break;
	case TUFF_AETH_NAK:
		tuff_completer_nak(qp, pkt);
		break;
	default:
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_ACK_INVALID);
	}
}

/* The response for una was taken in: on to the next packet, or request. */
static void tuff_completer_step(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_requester *r = &qp->requester;

	r->una = tuff_psn_add(r->una, 1);
	if (r->una == tuff_psn_add(wqe->psn, wqe->npsn))
		tuff_requester_complete(qp, wqe, TUFF_WC_SUCCESS);
	tuff_requester_settle(qp, 1);
}

/*
 * Is the response's opcode one that may stand at @idx of @npsn? FIRST and
 * MIDDLE depend on where the (repeated) request began, so only the end of
 * the message, and with it the length, is exact.
 */
static bool tuff_completer_fits(const struct tuff_qp *qp,
				const struct tuff_swqe *wqe,
				const struct tuff_pkt *pkt)
{
	u32 idx = tuff_psn_diff(qp->requester.una, wqe->psn) & TUFF_PSN_MASK;
	u32 off = idx << qp->attr.path_mtu_shift;

	if (wqe->opcode != TUFF_WR_RDMA_READ)
		return false;
	if (pkt->len != min(wqe->length - off, tuff_qp_mtu(qp)))
		return false;
	/* A piece of a very long READ ends with LAST before the message does. */
	return idx != wqe->npsn - 1 || tuff_opcode_ends(pkt->op);
}

static void tuff_completer_read(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	u32 off, psn = pkt->hdr.psn;
	struct tuff_swqe *wqe;

	if (!tuff_completer_reach(qp, psn)) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_RESPONSE_SEQUENCE);
		return;
	}
	wqe = tuff_completer_wqe(qp);
	if (!wqe || wqe->opcode != TUFF_WR_RDMA_READ) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_RESPONSE_INVALID);
		return;
	}
	if (!tuff_completer_fits(qp, wqe, pkt)) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_RESPONSE_INVALID);
		tuff_requester_fail(qp, TUFF_WC_BAD_RESP_ERR);
		return;
	}
	off = (tuff_psn_diff(psn, wqe->psn) & TUFF_PSN_MASK) <<
	      qp->attr.path_mtu_shift;
	if (pkt->len && tuff_scatter_pkt(wqe->sge, wqe->num_sge, off, pkt)) {
		tuff_requester_fail(qp, TUFF_WC_LOC_PROT_ERR);
		return;
	}
	tuff_completer_step(qp, wqe);
}

static void tuff_completer_atomic(struct tuff_qp *qp,
				  const struct tuff_pkt *pkt)
{
	struct tuff_swqe *wqe;

	if (!tuff_completer_reach(qp, pkt->hdr.psn)) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_RESPONSE_SEQUENCE);
		return;
	}
	wqe = tuff_completer_wqe(qp);
	if (!wqe || !tuff_swqe_is_rd_atomic(wqe) ||
	    wqe->opcode == TUFF_WR_RDMA_READ) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_RESPONSE_INVALID);
		return;
	}
	if (tuff_scatter_mem(wqe->sge, wqe->num_sge, 0, &pkt->hdr.orig,
			     sizeof(pkt->hdr.orig))) {
		tuff_requester_fail(qp, TUFF_WC_LOC_PROT_ERR);
		return;
	}
	tuff_completer_step(qp, wqe);
}

/**
 * tuff_completer_handle() - a response packet for a connected RC QP
 * @qp: queue pair in RTS or SQD
 * @pkt: ACK, READ response or ATOMIC acknowledge
 *
 * Only answers to packets in flight count: a PSN before una is old news, one
 * at or past max was never sent (IBA 9.7.5.1.3).
 *
 * Context: owner of @qp.
 */
void tuff_completer_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct tuff_requester *r = &qp->requester;
	u32 psn = pkt->hdr.psn;

	/* Requests lent to a QP of this host are not answered by packets. */
	if (r->nr_lent || !tuff_psn_before(psn, r->max)) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_ACK_INVALID);
		return;
	}
	if (tuff_psn_before(psn, r->una)) {
		tuff_world_drop(qp, pkt, TUFF_CNT_DROP_ACK_STALE);
		return;
	}
	switch (pkt->op->kind) {
	case TUFF_KIND_ACK:
		tuff_completer_ack(qp, pkt);
		break;
	case TUFF_KIND_READ_RESPONSE:
		tuff_completer_read(qp, pkt);
		break;
	case TUFF_KIND_ATOMIC_ACK:
		tuff_completer_atomic(qp, pkt);
		break;
	}
}
