// SPDX-License-Identifier: GPL-2.0
/* tuff: engine/world.h for the module: direct calls into verbs and wire */
#include "engine/world.h"

#include <linux/hrtimer.h>
#include <linux/ktime.h>
#include <rdma/ib_verbs.h>

#define CREATE_TRACE_POINTS
#include <trace/events/tuff.h>

#include "owner.h"
#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/mem.h"
#include "verbs/qp.h"
#include "verbs/queue.h"
#include "wire/wire.h"

/*
 * The engine has its own names for values of <rdma/ib_verbs.h>, which it does
 * not include. They go to consumers unchanged, so they have to be the same.
 */
#define TUFF_SAME(ours, theirs)	static_assert((int)(ours) == (int)(theirs))

TUFF_SAME(TUFF_WR_RDMA_WRITE, IB_WR_RDMA_WRITE);
TUFF_SAME(TUFF_WR_RDMA_WRITE_WITH_IMM, IB_WR_RDMA_WRITE_WITH_IMM);
TUFF_SAME(TUFF_WR_SEND, IB_WR_SEND);
TUFF_SAME(TUFF_WR_SEND_WITH_IMM, IB_WR_SEND_WITH_IMM);
TUFF_SAME(TUFF_WR_RDMA_READ, IB_WR_RDMA_READ);
TUFF_SAME(TUFF_WR_ATOMIC_CMP_AND_SWP, IB_WR_ATOMIC_CMP_AND_SWP);
TUFF_SAME(TUFF_WR_ATOMIC_FETCH_AND_ADD, IB_WR_ATOMIC_FETCH_AND_ADD);
TUFF_SAME(TUFF_WR_SEND_WITH_INV, IB_WR_SEND_WITH_INV);

TUFF_SAME(TUFF_SEND_FENCE, IB_SEND_FENCE);
TUFF_SAME(TUFF_SEND_SIGNALED, IB_SEND_SIGNALED);
TUFF_SAME(TUFF_SEND_SOLICITED, IB_SEND_SOLICITED);
TUFF_SAME(TUFF_SEND_INLINE, IB_SEND_INLINE);

TUFF_SAME(TUFF_WC_SUCCESS, IB_WC_SUCCESS);
TUFF_SAME(TUFF_WC_LOC_LEN_ERR, IB_WC_LOC_LEN_ERR);
TUFF_SAME(TUFF_WC_LOC_QP_OP_ERR, IB_WC_LOC_QP_OP_ERR);
TUFF_SAME(TUFF_WC_LOC_PROT_ERR, IB_WC_LOC_PROT_ERR);
TUFF_SAME(TUFF_WC_WR_FLUSH_ERR, IB_WC_WR_FLUSH_ERR);
TUFF_SAME(TUFF_WC_MW_BIND_ERR, IB_WC_MW_BIND_ERR);
TUFF_SAME(TUFF_WC_BAD_RESP_ERR, IB_WC_BAD_RESP_ERR);
TUFF_SAME(TUFF_WC_LOC_ACCESS_ERR, IB_WC_LOC_ACCESS_ERR);
TUFF_SAME(TUFF_WC_REM_INV_REQ_ERR, IB_WC_REM_INV_REQ_ERR);
TUFF_SAME(TUFF_WC_REM_ACCESS_ERR, IB_WC_REM_ACCESS_ERR);
TUFF_SAME(TUFF_WC_REM_OP_ERR, IB_WC_REM_OP_ERR);
TUFF_SAME(TUFF_WC_RETRY_EXC_ERR, IB_WC_RETRY_EXC_ERR);
TUFF_SAME(TUFF_WC_RNR_RETRY_EXC_ERR, IB_WC_RNR_RETRY_EXC_ERR);
TUFF_SAME(TUFF_WC_REM_ABORT_ERR, IB_WC_REM_ABORT_ERR);
TUFF_SAME(TUFF_WC_FATAL_ERR, IB_WC_FATAL_ERR);
TUFF_SAME(TUFF_WC_GENERAL_ERR, IB_WC_GENERAL_ERR);

TUFF_SAME(TUFF_WC_SEND, IB_WC_SEND);
TUFF_SAME(TUFF_WC_RDMA_WRITE, IB_WC_RDMA_WRITE);
TUFF_SAME(TUFF_WC_RDMA_READ, IB_WC_RDMA_READ);
TUFF_SAME(TUFF_WC_COMP_SWAP, IB_WC_COMP_SWAP);
TUFF_SAME(TUFF_WC_FETCH_ADD, IB_WC_FETCH_ADD);
TUFF_SAME(TUFF_WC_RECV, IB_WC_RECV);
TUFF_SAME(TUFF_WC_RECV_RDMA_WITH_IMM, IB_WC_RECV_RDMA_WITH_IMM);

TUFF_SAME(TUFF_WC_GRH, IB_WC_GRH);
TUFF_SAME(TUFF_WC_WITH_IMM, IB_WC_WITH_IMM);
TUFF_SAME(TUFF_WC_WITH_INVALIDATE, IB_WC_WITH_INVALIDATE);
TUFF_SAME(TUFF_WC_WITH_SMAC, IB_WC_WITH_SMAC);
TUFF_SAME(TUFF_WC_WITH_VLAN, IB_WC_WITH_VLAN);
TUFF_SAME(TUFF_WC_WITH_NETWORK_HDR_TYPE, IB_WC_WITH_NETWORK_HDR_TYPE);

TUFF_SAME(TUFF_QPT_GSI, IB_QPT_GSI);
TUFF_SAME(TUFF_QPT_RC, IB_QPT_RC);
TUFF_SAME(TUFF_QPT_UC, IB_QPT_UC);
TUFF_SAME(TUFF_QPT_UD, IB_QPT_UD);

TUFF_SAME(TUFF_QPS_RESET, IB_QPS_RESET);
TUFF_SAME(TUFF_QPS_INIT, IB_QPS_INIT);
TUFF_SAME(TUFF_QPS_RTR, IB_QPS_RTR);
TUFF_SAME(TUFF_QPS_RTS, IB_QPS_RTS);
TUFF_SAME(TUFF_QPS_SQD, IB_QPS_SQD);
TUFF_SAME(TUFF_QPS_SQE, IB_QPS_SQE);
TUFF_SAME(TUFF_QPS_ERR, IB_QPS_ERR);

TUFF_SAME(TUFF_ACCESS_LOCAL_WRITE, IB_ACCESS_LOCAL_WRITE);
TUFF_SAME(TUFF_ACCESS_REMOTE_WRITE, IB_ACCESS_REMOTE_WRITE);
TUFF_SAME(TUFF_ACCESS_REMOTE_READ, IB_ACCESS_REMOTE_READ);
TUFF_SAME(TUFF_ACCESS_REMOTE_ATOMIC, IB_ACCESS_REMOTE_ATOMIC);

/* Time */

u64 tuff_world_now(struct tuff_qp *qp)
{
	return ktime_get_ns();
}

void tuff_world_timer(struct tuff_qp *qp, u64 when_ns)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	lockdep_assert_held(&vqp->lock);

	/* Its callback may be running and is not waited for: it only raises. */
	if (!when_ns)
		hrtimer_try_to_cancel(&vqp->timer);
	else if (!test_bit(TUFF_VQP_DEAD, &vqp->flags))
		hrtimer_start(&vqp->timer, ns_to_ktime(when_ns),
			      HRTIMER_MODE_ABS_SOFT);
}

void tuff_world_raise(struct tuff_qp *qp)
{
	tuff_owner_raise(tuff_vqp_of_qp(qp));
}

u32 tuff_world_crc32(u32 crc, const void *data, size_t len)
{
	return tuff_crc32(crc, data, len);
}

/* Work requests */

struct tuff_swqe *tuff_world_next_swqe(struct tuff_qp *qp)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct tuff_swqe *wqe;

	wqe = tuff_sq_next(vqp);
	if (!IS_ERR_OR_NULL(wqe))
		trace_tuff_post(vqp, wqe);

	return wqe;
}

bool tuff_world_sq_posted(struct tuff_qp *qp)
{
	return tuff_sq_posted(tuff_vqp_of_qp(qp));
}

void tuff_world_swqe_done(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	tuff_sq_done(tuff_vqp_of_qp(qp), wqe);
}

struct tuff_rwqe *tuff_world_next_rwqe(struct tuff_qp *qp)
{
	return tuff_rq_next(tuff_vqp_of_qp(qp));
}

void tuff_world_rwqe_done(struct tuff_qp *qp, struct tuff_rwqe *wqe)
{
	tuff_rq_done(tuff_vqp_of_qp(qp), wqe);
}

/* Completions and events */

static void tuff_world_wc(struct tuff_vqp *vqp, const struct tuff_cqe *cqe,
			  struct ib_wc *wc)
{
	wc->wr_id = cqe->wr_id;
	wc->status = cqe->status;
	wc->opcode = cqe->opcode;
	wc->byte_len = cqe->byte_len;
	wc->qp = vqp->ibqp;
	if (cqe->flags & TUFF_WC_WITH_INVALIDATE)
		wc->ex.invalidate_rkey = cqe->inv_rkey;
	else
		wc->ex.imm_data = cqe->imm;
	wc->src_qp = cqe->src_qp;
	wc->wc_flags = cqe->flags;
	wc->pkey_index = cqe->pkey_index;
	wc->port_num = 1;
}

void tuff_world_cqe_send(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct ib_wc wc = {};

	tuff_world_wc(vqp, cqe, &wc);
	trace_tuff_completion(vqp, cqe, true);
	tuff_cq_push(vqp->send_cq, vqp, &wc, cqe->solicited);
}

void tuff_world_cqe_recv(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct ib_wc wc = {};

	tuff_world_wc(vqp, cqe, &wc);
	if (cqe->pkt)
		tuff_rx_wc(cqe->pkt, &wc);
	trace_tuff_completion(vqp, cqe, false);
	vqp->gather.received++;
	tuff_cq_push(vqp->recv_cq, vqp, &wc, cqe->solicited);
}

void tuff_world_event(struct tuff_qp *qp, enum tuff_event event)
{
	static const enum ib_event_type types[] = {
		[TUFF_EVENT_COMM_EST] = IB_EVENT_COMM_EST,
		[TUFF_EVENT_SQ_DRAINED] = IB_EVENT_SQ_DRAINED,
		[TUFF_EVENT_QP_FATAL] = IB_EVENT_QP_FATAL,
		[TUFF_EVENT_QP_REQ_ERR] = IB_EVENT_QP_REQ_ERR,
		[TUFF_EVENT_QP_ACCESS_ERR] = IB_EVENT_QP_ACCESS_ERR,
		[TUFF_EVENT_LAST_WQE_REACHED] = IB_EVENT_QP_LAST_WQE_REACHED,
	};

	tuff_vqp_event(tuff_vqp_of_qp(qp), types[event]);
}

void tuff_world_state(struct tuff_qp *qp, u8 state)
{
	trace_tuff_qp_state(tuff_vqp_of_qp(qp), state);
}

/* Memory */

struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	/* A kernel consumer's post asks in any context, not as the owner. */
	if (!qp->user)
		return tuff_mr_get(vqp->dev, vqp->pd, true, false, key, va,
				   len, access);
	return tuff_mr_get_again(&vqp->last_lmr, vqp->dev, vqp->pd, false, key,
				 va, len, access);
}

struct tuff_mr *tuff_world_rkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	return tuff_mr_get_again(&vqp->last_rmr, vqp->dev, vqp->pd, true, key,
				 va, len, access);
}

void tuff_world_mr_put(struct tuff_mr *mr)
{
	tuff_mr_put(mr);
}

int tuff_world_pkt_write(struct tuff_mr *mr, u64 va,
			 const struct tuff_pkt *pkt, u32 off, u32 len)
{
	return tuff_rx_write(mr, va, pkt, off, len);
}

int tuff_world_mem_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	return tuff_mr_write(mr, va, src, len);
}

void tuff_world_pkt_grh(const struct tuff_pkt *pkt, u8 grh[40])
{
	tuff_rx_grh(pkt, grh);
}

int tuff_world_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add,
			 u64 compare, u64 swap_add, u64 *orig)
{
	return tuff_mr_atomic(mr, va, fetch_add, compare, swap_add, orig);
}

/* Packets that have to wait */

enum tuff_early_mode tuff_world_early(struct tuff_qp *qp)
{
	return tuff_kept_mode();
}

struct tuff_early_slot *tuff_world_early_slots(struct tuff_qp *qp)
{
	return kcalloc(TUFF_EARLY_SLOTS, sizeof(struct tuff_early_slot),
		       GFP_NOWAIT | __GFP_NOWARN);
}

void tuff_world_early_free(struct tuff_qp *qp, struct tuff_early_slot *slots)
{
	kfree(slots);
}

void *tuff_world_pkt_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	return tuff_kept_get(pkt);
}

bool tuff_world_pkt_kept(struct tuff_qp *qp, void *buf, struct tuff_pkt *pkt)
{
	return tuff_rx_parse(pkt, buf);
}

void tuff_world_pkt_free(struct tuff_qp *qp, void *buf)
{
	tuff_kept_put(buf);
}

/* Address vectors */

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	return tuff_av_get_num(vqp->dev, vqp->pd, ah_num);
}

void tuff_world_av_put(struct tuff_av *av)
{
	tuff_av_put(av);
}

bool tuff_world_pkt_from_peer(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	return qp->av && tuff_rx_from(pkt, qp->av);
}

/* The port's table has one entry, as the subnet of Ethernet knows one only. */
u16 tuff_world_pkey(struct tuff_qp *qp, u32 index)
{
	return index ? 0 : TUFF_PKEY_DEFAULT;
}

/* Transmit */

int tuff_world_tx(struct tuff_qp *qp, struct tuff_av *av,
		  const struct tuff_hdr *hdr, const struct tuff_payload *pl)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	if (tuff_opcodes[hdr->opcode].hdrs & TUFF_HDR_AETH)
		trace_tuff_ack(vqp, hdr, pl ? pl->len : 0);

	vqp->gather.on_wire = true;

	return tuff_tx_packet(vqp, av, hdr, pl);
}

void tuff_world_tx_flush(struct tuff_qp *qp)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	if (vqp->tx)
		tuff_tx_flush(vqp);
}

/* Counters */

void tuff_world_count(struct tuff_qp *qp, enum tuff_counter counter)
{
	tuff_dev_count(tuff_vqp_of_qp(qp)->dev, counter);
}

void tuff_world_drop(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		     enum tuff_counter reason)
{
	struct tuff_dev *dev = tuff_vqp_of_qp(qp)->dev;

	if (reason == TUFF_CNT_NONE)
		return;
	tuff_dev_count(dev, reason);
	trace_tuff_drop(dev, qp->qpn, pkt, reason);
}
