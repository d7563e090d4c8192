// SPDX-License-Identifier: GPL-2.0
/* tuff: the table of BTH opcodes (IBA table 38) */
#include "engine/opcode.h"

#include <linux/stddef.h>

#include "engine/wire.h"

/* Length of BTH and extended headers; folds to a constant. */
#define TUFF_HDR_LEN(hdrs)						\
	(sizeof(struct tuff_bth) +					\
	 ((hdrs) & TUFF_HDR_DETH ? sizeof(struct tuff_deth) : 0) +	\
	 ((hdrs) & TUFF_HDR_RETH ? sizeof(struct tuff_reth) : 0) +	\
	 ((hdrs) & TUFF_HDR_ATOMICETH ?					\
	  sizeof(struct tuff_atomiceth) : 0) +				\
	 ((hdrs) & TUFF_HDR_AETH ? sizeof(struct tuff_aeth) : 0) +	\
	 ((hdrs) & TUFF_HDR_ATOMICACKETH ?				\
	  sizeof(struct tuff_atomicacketh) : 0) +			\
	 ((hdrs) & TUFF_HDR_IMMDT ? sizeof(struct tuff_immdt) : 0) +	\
	 ((hdrs) & TUFF_HDR_IETH ? sizeof(struct tuff_ieth) : 0) +	\
	 ((hdrs) & TUFF_HDR_CNP ? sizeof(struct tuff_cnp) : 0))

#define TUFF_ROW(_name, _kind, _position, _hdrs) {			\
	.name		= _name,					\
	.valid		= true,						\
	.kind		= (_kind),					\
	.position	= (_position),					\
	.hdrs		= (_hdrs),					\
	.hdr_len	= TUFF_HDR_LEN(_hdrs),				\
}

/*
 * One macro per transport: what its service adds to every packet. Names are
 * pasted here, at once: the kernel has macros READ and WRITE.
 */
#define TUFF_RC(op, kind, position, hdrs)				\
	[TUFF_TRANSPORT_RC | TUFF_OP_##op] =				\
		TUFF_ROW("RC_" #op, TUFF_KIND_##kind,			\
			 TUFF_POS_##position, hdrs)
#define TUFF_UC(op, kind, position, hdrs)				\
	[TUFF_TRANSPORT_UC | TUFF_OP_##op] =				\
		TUFF_ROW("UC_" #op, TUFF_KIND_##kind,			\
			 TUFF_POS_##position, hdrs)
#define TUFF_UD(op, kind, position, hdrs)				\
	[TUFF_TRANSPORT_UD | TUFF_OP_##op] =				\
		TUFF_ROW("UD_" #op, TUFF_KIND_##kind,			\
			 TUFF_POS_##position, TUFF_HDR_DETH | (hdrs))

/*
 * Rows that are missing are opcodes this stack does not speak: RD, XRC, those
 * of verbs it does not offer, reserved and manufacturer's ones.
 */
const struct tuff_opcode tuff_opcodes[256] = {
	TUFF_RC(SEND_FIRST,		SEND,	FIRST,	0),
	TUFF_RC(SEND_MIDDLE,		SEND,	MIDDLE,	0),
	TUFF_RC(SEND_LAST,		SEND,	LAST,	0),
	TUFF_RC(SEND_LAST_IMM,		SEND,	LAST,	TUFF_HDR_IMMDT),
	TUFF_RC(SEND_ONLY,		SEND,	ONLY,	0),
	TUFF_RC(SEND_ONLY_IMM,		SEND,	ONLY,	TUFF_HDR_IMMDT),
	TUFF_RC(WRITE_FIRST,		WRITE,	FIRST,	TUFF_HDR_RETH),
	TUFF_RC(WRITE_MIDDLE,		WRITE,	MIDDLE,	0),
	TUFF_RC(WRITE_LAST,		WRITE,	LAST,	0),
	TUFF_RC(WRITE_LAST_IMM,		WRITE,	LAST,	TUFF_HDR_IMMDT),
	TUFF_RC(WRITE_ONLY,		WRITE,	ONLY,	TUFF_HDR_RETH),
	TUFF_RC(WRITE_ONLY_IMM,		WRITE,	ONLY,
		TUFF_HDR_RETH | TUFF_HDR_IMMDT),
	TUFF_RC(READ_REQUEST,		READ,	NONE,	TUFF_HDR_RETH),
	TUFF_RC(READ_RESPONSE_FIRST,	READ_RESPONSE,	FIRST,	TUFF_HDR_AETH),
	TUFF_RC(READ_RESPONSE_MIDDLE,	READ_RESPONSE,	MIDDLE,	0),
	TUFF_RC(READ_RESPONSE_LAST,	READ_RESPONSE,	LAST,	TUFF_HDR_AETH),
	TUFF_RC(READ_RESPONSE_ONLY,	READ_RESPONSE,	ONLY,	TUFF_HDR_AETH),
	TUFF_RC(ACK,			ACK,	NONE,	TUFF_HDR_AETH),
	TUFF_RC(ATOMIC_ACK,		ATOMIC_ACK,	NONE,
		TUFF_HDR_AETH | TUFF_HDR_ATOMICACKETH),
	TUFF_RC(COMPARE_SWAP,		ATOMIC,	NONE,	TUFF_HDR_ATOMICETH),
	TUFF_RC(FETCH_ADD,		ATOMIC,	NONE,	TUFF_HDR_ATOMICETH),

	TUFF_UC(SEND_FIRST,		SEND,	FIRST,	0),
	TUFF_UC(SEND_MIDDLE,		SEND,	MIDDLE,	0),
	TUFF_UC(SEND_LAST,		SEND,	LAST,	0),
	TUFF_UC(SEND_LAST_IMM,		SEND,	LAST,	TUFF_HDR_IMMDT),
	TUFF_UC(SEND_ONLY,		SEND,	ONLY,	0),
	TUFF_UC(SEND_ONLY_IMM,		SEND,	ONLY,	TUFF_HDR_IMMDT),
	TUFF_UC(WRITE_FIRST,		WRITE,	FIRST,	TUFF_HDR_RETH),
	TUFF_UC(WRITE_MIDDLE,		WRITE,	MIDDLE,	0),
	TUFF_UC(WRITE_LAST,		WRITE,	LAST,	0),
	TUFF_UC(WRITE_LAST_IMM,		WRITE,	LAST,	TUFF_HDR_IMMDT),
	TUFF_UC(WRITE_ONLY,		WRITE,	ONLY,	TUFF_HDR_RETH),
	TUFF_UC(WRITE_ONLY_IMM,		WRITE,	ONLY,
		TUFF_HDR_RETH | TUFF_HDR_IMMDT),

	TUFF_UD(SEND_ONLY,		SEND,	ONLY,	0),
	TUFF_UD(SEND_ONLY_IMM,		SEND,	ONLY,	TUFF_HDR_IMMDT),

	[TUFF_OPCODE_CNP] = TUFF_ROW("CNP", TUFF_KIND_CNP, TUFF_POS_NONE,
				     TUFF_HDR_CNP),
};
