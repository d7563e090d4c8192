/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the words all engine files share: headers, packets, payloads */
#ifndef _TUFF_ENGINE_TYPES_H
#define _TUFF_ENGINE_TYPES_H

#include <linux/types.h>

#include "tuff.h"

struct tuff_opcode;

/**
 * struct tuff_hdr - the transport headers of one packet, in host order
 * @opcode: BTH opcode
 * @pad: PadCnt, 0..3
 * @solicited: BTH SE
 * @ackreq: BTH AckReq
 * @migreq: BTH MigReq
 * @fecn: BTH FECN
 * @becn: BTH BECN
 * @syndrome: AETH syndrome
 * @pkey: BTH P_Key
 * @dqpn: BTH destination QPN
 * @psn: BTH PSN
 * @msn: AETH MSN
 * @qkey: DETH Q_Key
 * @sqpn: DETH source QPN
 * @va: RETH or AtomicETH virtual address
 * @rkey: RETH or AtomicETH R_Key
 * @dmalen: RETH DMA length, bytes
 * @swap_add: AtomicETH swap (or add) data
 * @compare: AtomicETH compare data
 * @orig: AtomicAckETH original remote data
 * @imm: ImmDt, left in network order as verbs has it
 * @inv_rkey: IETH R_Key
 *
 * Parsed once from the wire by tuff_parse(), written once by tuff_build().
 * Only the fields of the headers that the opcode carries mean anything.
 */
struct tuff_hdr {
	u8 opcode;
	u8 pad;
	bool solicited;
	bool ackreq;
	bool migreq;
	bool fecn;
	bool becn;
	u8 syndrome;
	u16 pkey;
	u32 dqpn;
	u32 psn;
	u32 msn;
	u32 qkey;
	u32 sqpn;
	u64 va;
	u32 rkey;
	u32 dmalen;
	u64 swap_add;
	u64 compare;
	u64 orig;
	__be32 imm;
	u32 inv_rkey;
};

/**
 * struct tuff_pkt - one received packet
 * @hdr: its transport headers
 * @op: row of the opcode table; never NULL after tuff_parse()
 * @off: where the payload starts, bytes from the BTH
 * @len: payload length in bytes, without pad and ICRC
 * @ce: the IP header carried ECN "congestion experienced"
 * @buf: the world's handle of the bytes (sk_buff, simulated frame)
 *
 * Lives on the stack of the one who handles the packet. The payload is
 * reached through tuff_world_pkt_write() only.
 */
struct tuff_pkt {
	struct tuff_hdr hdr;
	const struct tuff_opcode *op;
	u32 off;
	u32 len;
	bool ce;
	void *buf;
};

/**
 * struct tuff_sge - one piece of local memory, checked
 * @addr: virtual address inside @mr
 * @len: bytes
 * @mr: reference to the memory region, NULL when @len is 0
 */
struct tuff_sge {
	u64 addr;
	u32 len;
	struct tuff_mr *mr;
};

/**
 * struct tuff_payload - where the bytes of an outgoing packet come from
 * @data: kernel memory (inline data), or NULL
 * @sge: list of memory pieces when @data is NULL
 * @num_sge: entries of @sge
 * @off: first byte, counted from the start of @data or of the list
 * @len: bytes
 */
struct tuff_payload {
	const u8 *data;
	const struct tuff_sge *sge;
	u32 num_sge;
	u32 off;
	u32 len;
};

#endif /* _TUFF_ENGINE_TYPES_H */
