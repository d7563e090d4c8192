/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: tracepoints: what was posted, sent, received, dropped, completed */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM tuff

#if !defined(_TRACE_TUFF_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_TUFF_H

#include <linux/tracepoint.h>

#include "engine/drop.h"
#include "engine/opcode.h"
#include "engine/types.h"
#include "engine/wqe.h"
#include "verbs/dev.h"
#include "verbs/qp.h"

#ifndef _TRACE_TUFF_ONCE
#define _TRACE_TUFF_ONCE
/* Index of the netdev and number of the QP: who it is, everywhere below. */
#define TUFF_TRACE_WHO "ifindex=%d qpn=%u"

#define TUFF_TRACE_NAME_LEN	28

#define TUFF_TRACE_DROP(id, name) { TUFF_CNT_##id, name },
#define TUFF_TRACE_DROPS						\
	TUFF_DROP_COUNTERS(TUFF_TRACE_DROP)				\
	{ TUFF_CNT_NONE, "none" }

#define TUFF_TRACE_STATES						\
	{ TUFF_QPS_RESET, "RESET" },					\
	{ TUFF_QPS_INIT, "INIT" },					\
	{ TUFF_QPS_RTR, "RTR" },					\
	{ TUFF_QPS_RTS, "RTS" },					\
	{ TUFF_QPS_SQD, "SQD" },					\
	{ TUFF_QPS_SQE, "SQE" },					\
	{ TUFF_QPS_ERR, "ERR" }
#endif

#define TUFF_TRACE_ENUM(id, name) TRACE_DEFINE_ENUM(TUFF_CNT_##id);
TUFF_DROP_COUNTERS(TUFF_TRACE_ENUM)
#undef TUFF_TRACE_ENUM
TRACE_DEFINE_ENUM(TUFF_CNT_NONE);
TRACE_DEFINE_ENUM(TUFF_QPS_RESET);
TRACE_DEFINE_ENUM(TUFF_QPS_INIT);
TRACE_DEFINE_ENUM(TUFF_QPS_RTR);
TRACE_DEFINE_ENUM(TUFF_QPS_RTS);
TRACE_DEFINE_ENUM(TUFF_QPS_SQD);
TRACE_DEFINE_ENUM(TUFF_QPS_SQE);
TRACE_DEFINE_ENUM(TUFF_QPS_ERR);

/* A send request was taken from its ring. */
TRACE_EVENT(tuff_post,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_swqe *wqe),
	TP_ARGS(vqp, wqe),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u32, length)
		__field(u8, opcode)
		__field(u8, flags)
		__field(u8, status)
	),
	TP_fast_assign(
		__entry->ifindex = vqp->dev->ifindex;
		__entry->qpn = vqp->qp.qpn;
		__entry->wr_id = wqe->wr_id;
		__entry->length = wqe->length;
		__entry->opcode = wqe->opcode;
		__entry->flags = wqe->flags;
		__entry->status = wqe->status;
	),
	TP_printk(TUFF_TRACE_WHO " wr_id=0x%llx opcode=%u length=%u flags=0x%x status=%u",
		  __entry->ifindex, __entry->qpn, __entry->wr_id,
		  __entry->opcode, __entry->length, __entry->flags,
		  __entry->status)
);

DECLARE_EVENT_CLASS(tuff_packet,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_hdr *hdr,
		 u32 len),
	TP_ARGS(vqp, hdr, len),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, qpn)
		__field(u32, dqpn)
		__field(u32, psn)
		__field(u32, msn)
		__field(u32, len)
		__field(u8, opcode)
		__field(u8, syndrome)
		__field(bool, ackreq)
		__array(char, name, TUFF_TRACE_NAME_LEN)
	),
	TP_fast_assign(
		__entry->ifindex = vqp->dev->ifindex;
		__entry->qpn = vqp->qp.qpn;
		__entry->dqpn = hdr->dqpn;
		__entry->psn = hdr->psn;
		__entry->msn = hdr->msn;
		__entry->len = len;
		__entry->opcode = hdr->opcode;
		__entry->syndrome = hdr->syndrome;
		__entry->ackreq = hdr->ackreq;
		strscpy(__entry->name, tuff_opcodes[hdr->opcode].name,
			TUFF_TRACE_NAME_LEN);
	),
	TP_printk(TUFF_TRACE_WHO " dqpn=%u %s (0x%02x) psn=%u len=%u ackreq=%u syndrome=0x%02x msn=%u",
		  __entry->ifindex, __entry->qpn, __entry->dqpn,
		  __entry->name, __entry->opcode, __entry->psn,
		  __entry->len, __entry->ackreq, __entry->syndrome,
		  __entry->msn)
);

/* A packet leaves, and one that passed the ICRC check reached its QP. */
DEFINE_EVENT(tuff_packet, tuff_transmit,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_hdr *hdr,
		 u32 len),
	TP_ARGS(vqp, hdr, len)
);

DEFINE_EVENT(tuff_packet, tuff_receive,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_hdr *hdr,
		 u32 len),
	TP_ARGS(vqp, hdr, len)
);

/* An acknowledgement leaves, alone or in a READ or ATOMIC response. */
DEFINE_EVENT(tuff_packet, tuff_ack,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_hdr *hdr,
		 u32 len),
	TP_ARGS(vqp, hdr, len)
);

/* A packet ends here; @qpn is 0 and @pkt NULL when it was not understood. */
TRACE_EVENT(tuff_drop,
	TP_PROTO(const struct tuff_dev *dev, u32 qpn,
		 const struct tuff_pkt *pkt, u32 reason),
	TP_ARGS(dev, qpn, pkt, reason),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, qpn)
		__field(u32, psn)
		__field(u32, reason)
		__field(u8, opcode)
	),
	TP_fast_assign(
		__entry->ifindex = dev->ifindex;
		__entry->qpn = qpn;
		__entry->psn = pkt ? pkt->hdr.psn : 0;
		__entry->reason = reason;
		__entry->opcode = pkt ? pkt->hdr.opcode : 0;
	),
	TP_printk(TUFF_TRACE_WHO " opcode=0x%02x psn=%u reason=%s",
		  __entry->ifindex, __entry->qpn, __entry->opcode,
		  __entry->psn,
		  __print_symbolic(__entry->reason, TUFF_TRACE_DROPS))
);

/* A completion is reported. */
TRACE_EVENT(tuff_completion,
	TP_PROTO(const struct tuff_vqp *vqp, const struct tuff_cqe *cqe,
		 bool send),
	TP_ARGS(vqp, cqe, send),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, qpn)
		__field(u64, wr_id)
		__field(u32, byte_len)
		__field(u8, status)
		__field(u8, opcode)
		__field(bool, send)
	),
	TP_fast_assign(
		__entry->ifindex = vqp->dev->ifindex;
		__entry->qpn = vqp->qp.qpn;
		__entry->wr_id = cqe->wr_id;
		__entry->byte_len = cqe->byte_len;
		__entry->status = cqe->status;
		__entry->opcode = cqe->opcode;
		__entry->send = send;
	),
	TP_printk(TUFF_TRACE_WHO " %s wr_id=0x%llx opcode=%u status=%u byte_len=%u",
		  __entry->ifindex, __entry->qpn,
		  __entry->send ? "send" : "recv", __entry->wr_id,
		  __entry->opcode, __entry->status, __entry->byte_len)
);

/* A QP is about to change its state. */
TRACE_EVENT(tuff_qp_state,
	TP_PROTO(const struct tuff_vqp *vqp, u8 state),
	TP_ARGS(vqp, state),
	TP_STRUCT__entry(
		__field(int, ifindex)
		__field(u32, qpn)
		__field(u8, from)
		__field(u8, to)
	),
	TP_fast_assign(
		__entry->ifindex = vqp->dev->ifindex;
		__entry->qpn = vqp->qp.qpn;
		__entry->from = vqp->qp.state;
		__entry->to = state;
	),
	TP_printk(TUFF_TRACE_WHO " %s -> %s", __entry->ifindex, __entry->qpn,
		  __print_symbolic(__entry->from, TUFF_TRACE_STATES),
		  __print_symbolic(__entry->to, TUFF_TRACE_STATES))
);

#endif /* _TRACE_TUFF_H */

#include <trace/define_trace.h>
