// SPDX-License-Identifier: GPL-2.0
/* tuff: struct tuff_hdr -> bytes */
#include "engine/build.h"

#include <linux/bitfield.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/byteorder.h>

#include "engine/opcode.h"
#include "engine/parse.h"
#include "engine/wire.h"

static void tuff_build_bth(const struct tuff_hdr *hdr, struct tuff_bth *bth)
{
	u32 dqpn = FIELD_PREP(TUFF_BTH_DQPN, hdr->dqpn);
	u32 psn = FIELD_PREP(TUFF_BTH_PSN, hdr->psn);
	u8 flags = FIELD_PREP(TUFF_BTH_PAD, hdr->pad);

	if (hdr->solicited)
		flags |= TUFF_BTH_SE;
	if (hdr->migreq)
		flags |= TUFF_BTH_MIGREQ;
	if (hdr->fecn)
		dqpn |= TUFF_BTH_FECN;
	if (hdr->becn)
		dqpn |= TUFF_BTH_BECN;
	if (hdr->ackreq)
		psn |= TUFF_BTH_ACKREQ;

	bth->opcode = hdr->opcode;
	bth->flags = flags;
	bth->pkey = cpu_to_be16(hdr->pkey);
	bth->dqpn = cpu_to_be32(dqpn);
	bth->psn = cpu_to_be32(psn);
}

/* Headers of a request; returns where the next header starts. */
static u8 *tuff_build_request(const struct tuff_hdr *hdr, u32 hdrs, u8 *p)
{
	if (hdrs & TUFF_HDR_DETH) {
		struct tuff_deth *deth = (void *)p;

		deth->qkey = cpu_to_be32(hdr->qkey);
		deth->sqpn = cpu_to_be32(FIELD_PREP(TUFF_DETH_SQPN, hdr->sqpn));
		p += sizeof(*deth);
	}
	if (hdrs & TUFF_HDR_RETH) {
		struct tuff_reth *reth = (void *)p;

		reth->va = cpu_to_be64(hdr->va);
		reth->rkey = cpu_to_be32(hdr->rkey);
		reth->dmalen = cpu_to_be32(hdr->dmalen);
		p += sizeof(*reth);
	}
	if (hdrs & TUFF_HDR_ATOMICETH) {
		struct tuff_atomiceth *atomic = (void *)p;

		atomic->va = cpu_to_be64(hdr->va);
		atomic->rkey = cpu_to_be32(hdr->rkey);
		atomic->swap_add = cpu_to_be64(hdr->swap_add);
		atomic->compare = cpu_to_be64(hdr->compare);
		p += sizeof(*atomic);
	}
	return p;
}

/* Headers of an answer, and those that stand last. */
static u8 *tuff_build_rest(const struct tuff_hdr *hdr, u32 hdrs, u8 *p)
{
	if (hdrs & TUFF_HDR_AETH) {
		struct tuff_aeth *aeth = (void *)p;
		u32 word = FIELD_PREP(TUFF_AETH_MSN, hdr->msn);

		word |= FIELD_PREP(TUFF_AETH_SYNDROME, hdr->syndrome);
		aeth->msn = cpu_to_be32(word);
		p += sizeof(*aeth);
	}
	if (hdrs & TUFF_HDR_ATOMICACKETH) {
		struct tuff_atomicacketh *ack = (void *)p;

		ack->orig = cpu_to_be64(hdr->orig);
		p += sizeof(*ack);
	}
	if (hdrs & TUFF_HDR_IMMDT) {
		struct tuff_immdt *immdt = (void *)p;

		immdt->imm = hdr->imm;
		p += sizeof(*immdt);
	}
	if (hdrs & TUFF_HDR_IETH) {
		struct tuff_ieth *ieth = (void *)p;

		ieth->rkey = cpu_to_be32(hdr->inv_rkey);
		p += sizeof(*ieth);
	}
	if (hdrs & TUFF_HDR_CNP) {
		memset(p, 0, sizeof(struct tuff_cnp));
		p += sizeof(struct tuff_cnp);
	}
	return p;
}

/**
 * tuff_build() - write the transport headers of a packet
 * @hdr: what to write; the opcode must be one of the table
 * @bth: where to, at any alignment; room for TUFF_HDR_MAX bytes
 *
 * Context: any.
 * Return: bytes written: BTH and extended headers.
 */
u32 tuff_build(const struct tuff_hdr *hdr, void *bth)
{
	u32 hdrs = tuff_opcodes[hdr->opcode].hdrs;
	u8 *p = bth;

	tuff_build_bth(hdr, bth);
	p = tuff_build_request(hdr, hdrs, p + sizeof(struct tuff_bth));
	p = tuff_build_rest(hdr, hdrs, p);

	return p - (u8 *)bth;
}
