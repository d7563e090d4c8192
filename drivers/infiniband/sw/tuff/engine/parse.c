// SPDX-License-Identifier: GPL-2.0
/* tuff: bytes of a received packet -> struct tuff_pkt, all length checks */
#include "engine/parse.h"

#include <linux/bitfield.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "engine/opcode.h"
#include "engine/wire.h"

static void tuff_parse_bth(struct tuff_hdr *hdr, const struct tuff_bth *bth)
{
	u32 dqpn = be32_to_cpu(bth->dqpn);
	u32 psn = be32_to_cpu(bth->psn);

	hdr->opcode = bth->opcode;
	hdr->pad = FIELD_GET(TUFF_BTH_PAD, bth->flags);
	hdr->solicited = bth->flags & TUFF_BTH_SE;
	hdr->migreq = bth->flags & TUFF_BTH_MIGREQ;
	hdr->pkey = be16_to_cpu(bth->pkey);
	hdr->fecn = dqpn & TUFF_BTH_FECN;
	hdr->becn = dqpn & TUFF_BTH_BECN;
	hdr->dqpn = FIELD_GET(TUFF_BTH_DQPN, dqpn);
	hdr->ackreq = psn & TUFF_BTH_ACKREQ;
	hdr->psn = FIELD_GET(TUFF_BTH_PSN, psn);
}

/* Headers of a request; returns where the next header starts. */
static const u8 *tuff_parse_request(struct tuff_hdr *hdr, u32 hdrs,
				    const u8 *p)
{
	if (hdrs & TUFF_HDR_DETH) {
		const struct tuff_deth *deth = (const void *)p;

		hdr->qkey = be32_to_cpu(deth->qkey);
		hdr->sqpn = FIELD_GET(TUFF_DETH_SQPN, be32_to_cpu(deth->sqpn));
		p += sizeof(*deth);
	}
	if (hdrs & TUFF_HDR_RETH) {
		const struct tuff_reth *reth = (const void *)p;

		hdr->va = be64_to_cpu(reth->va);
		hdr->rkey = be32_to_cpu(reth->rkey);
		hdr->dmalen = be32_to_cpu(reth->dmalen);
		p += sizeof(*reth);
	}
	if (hdrs & TUFF_HDR_ATOMICETH) {
		const struct tuff_atomiceth *atomic = (const void *)p;

		hdr->va = be64_to_cpu(atomic->va);
		hdr->rkey = be32_to_cpu(atomic->rkey);
		hdr->swap_add = be64_to_cpu(atomic->swap_add);
		hdr->compare = be64_to_cpu(atomic->compare);
		p += sizeof(*atomic);
	}
	return p;
}

/* Headers of an answer, and those that stand last. */
static void tuff_parse_rest(struct tuff_hdr *hdr, u32 hdrs, const u8 *p)
{
	if (hdrs & TUFF_HDR_AETH) {
		const struct tuff_aeth *aeth = (const void *)p;
		u32 word = be32_to_cpu(aeth->msn);

		hdr->syndrome = FIELD_GET(TUFF_AETH_SYNDROME, word);
		hdr->msn = FIELD_GET(TUFF_AETH_MSN, word);
		p += sizeof(*aeth);
	}
	if (hdrs & TUFF_HDR_ATOMICACKETH) {
		const struct tuff_atomicacketh *ack = (const void *)p;

		hdr->orig = be64_to_cpu(ack->orig);
		p += sizeof(*ack);
	}
	if (hdrs & TUFF_HDR_IMMDT) {
		const struct tuff_immdt *immdt = (const void *)p;

		hdr->imm = immdt->imm;
		p += sizeof(*immdt);
	}
	if (hdrs & TUFF_HDR_IETH) {
		const struct tuff_ieth *ieth = (const void *)p;

		hdr->inv_rkey = be32_to_cpu(ieth->rkey);
	}
}

/**
 * tuff_parse() - read and check the transport headers of a packet
 * @pkt: filled in, but for @pkt->ce and @pkt->buf, which are the caller's;
 *	incomplete when the packet is to be dropped
 * @bth: the BTH, at any alignment
 * @linear: readable bytes from @bth on
 * @total: bytes of the packet from the BTH on, with payload, pad and ICRC
 *
 * Checks what can be known without the queue pair: that the headers are
 * there, that pad and ICRC fit and that the payload is whole words with its
 * pad. The length rules that need the path MTU, and those whose breach a
 * responder has to answer, are the responder's (IBA 9.7.4.1.6). The ICRC has
 * not been looked at.
 *
 * Context: any.
 * Return: TUFF_CNT_NONE when the packet may go on, else why it is dropped.
 */
enum tuff_counter tuff_parse(struct tuff_pkt *pkt, const void *bth, u32 linear,
			     u32 total)
{
	const struct tuff_bth *base = bth;
	const struct tuff_opcode *op;
	const u8 *p;
	u32 rest;

	if (linear < sizeof(*base) || total < sizeof(*base))
		return TUFF_CNT_DROP_TRUNCATED;

	/* The row of an unknown opcode has no lengths to be looked at. */
	op = &tuff_opcodes[base->opcode];
	if (!op->valid)
		return TUFF_CNT_DROP_OPCODE;
	if (base->flags & TUFF_BTH_TVER)
		return TUFF_CNT_DROP_VERSION;
	if (linear < op->hdr_len || total < op->hdr_len + TUFF_ICRC_LEN)
		return TUFF_CNT_DROP_TRUNCATED;

	memset(&pkt->hdr, 0, sizeof(pkt->hdr));
	tuff_parse_bth(&pkt->hdr, base);
	rest = total - op->hdr_len - TUFF_ICRC_LEN;
	if (pkt->hdr.pad > rest)
		return TUFF_CNT_DROP_PAD;
	/* PadCnt completes the last word; headers and ICRC are whole words. */
	if (rest % 4)
		return TUFF_CNT_DROP_LENGTH;
	if (op->position == TUFF_POS_NONE && rest)
		return TUFF_CNT_DROP_LENGTH;

	pkt->op = op;
	pkt->off = op->hdr_len;
	pkt->len = rest - pkt->hdr.pad;
	p = tuff_parse_request(&pkt->hdr, op->hdrs, bth + sizeof(*base));
	tuff_parse_rest(&pkt->hdr, op->hdrs, p);

	return TUFF_CNT_NONE;
}
