/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: BTH opcodes and what each of them carries (IBA table 38) */
#ifndef _TUFF_ENGINE_OPCODE_H
#define _TUFF_ENGINE_OPCODE_H

#include <linux/types.h>

/* High three bits of the opcode: the transport service. */
enum tuff_transport {
	TUFF_TRANSPORT_RC	= 0x00,
	TUFF_TRANSPORT_UC	= 0x20,
	TUFF_TRANSPORT_RD	= 0x40,
	TUFF_TRANSPORT_UD	= 0x60,
	TUFF_TRANSPORT_CNP	= 0x80,
	TUFF_TRANSPORT_XRC	= 0xa0,
	TUFF_TRANSPORT_MASK	= 0xe0,
};

/* Low five bits: the operation. */
enum tuff_op {
	TUFF_OP_SEND_FIRST		= 0x00,
	TUFF_OP_SEND_MIDDLE		= 0x01,
	TUFF_OP_SEND_LAST		= 0x02,
	TUFF_OP_SEND_LAST_IMM		= 0x03,
	TUFF_OP_SEND_ONLY		= 0x04,
	TUFF_OP_SEND_ONLY_IMM		= 0x05,
	TUFF_OP_WRITE_FIRST		= 0x06,
	TUFF_OP_WRITE_MIDDLE		= 0x07,
	TUFF_OP_WRITE_LAST		= 0x08,
	TUFF_OP_WRITE_LAST_IMM		= 0x09,
	TUFF_OP_WRITE_ONLY		= 0x0a,
	TUFF_OP_WRITE_ONLY_IMM		= 0x0b,
	TUFF_OP_READ_REQUEST		= 0x0c,
	TUFF_OP_READ_RESPONSE_FIRST	= 0x0d,
	TUFF_OP_READ_RESPONSE_MIDDLE	= 0x0e,
	TUFF_OP_READ_RESPONSE_LAST	= 0x0f,
	TUFF_OP_READ_RESPONSE_ONLY	= 0x10,
	TUFF_OP_ACK			= 0x11,
	TUFF_OP_ATOMIC_ACK		= 0x12,
	TUFF_OP_COMPARE_SWAP		= 0x13,
	TUFF_OP_FETCH_ADD		= 0x14,
	TUFF_OP_SEND_LAST_INV		= 0x16,
	TUFF_OP_SEND_ONLY_INV		= 0x17,
	TUFF_OP_FLUSH			= 0x1c,
	TUFF_OP_ATOMIC_WRITE		= 0x1d,
	TUFF_OP_MASK			= 0x1f,
};

#define TUFF_OPCODE_CNP			0x81

/* Extended headers an opcode carries, in wire order. */
enum tuff_hdr_bits {
	TUFF_HDR_DETH		= 1 << 0,
	TUFF_HDR_FETH		= 1 << 1,
	TUFF_HDR_RETH		= 1 << 2,
	TUFF_HDR_ATOMICETH	= 1 << 3,
	TUFF_HDR_AETH		= 1 << 4,
	TUFF_HDR_ATOMICACKETH	= 1 << 5,
	TUFF_HDR_IMMDT		= 1 << 6,
	TUFF_HDR_IETH		= 1 << 7,
	TUFF_HDR_CNP		= 1 << 8,	/* 16 reserved bytes */
};

/* Where in its message a packet stands, and how long it may be. */
enum tuff_position {
	TUFF_POS_FIRST,		/* payload = path MTU */
	TUFF_POS_MIDDLE,	/* payload = path MTU */
	TUFF_POS_LAST,		/* payload 1..path MTU */
	TUFF_POS_ONLY,		/* payload 0..path MTU */
	TUFF_POS_NONE,		/* no payload: requests and acknowledgements */
};

/* What kind of work a packet brings. */
enum tuff_kind {
	TUFF_KIND_SEND,
	TUFF_KIND_WRITE,
	TUFF_KIND_READ,			/* request */
	TUFF_KIND_ATOMIC,		/* request: compare-swap, fetch-add */
	TUFF_KIND_READ_RESPONSE,
	TUFF_KIND_ACK,
	TUFF_KIND_ATOMIC_ACK,
	TUFF_KIND_CNP,
};

/**
 * struct tuff_opcode - one row of the opcode table
 * @name: as IBA names it, for traces; NULL in rows that are not valid
 * @valid: this stack speaks the opcode; all other rows are dropped
 * @kind: the work it brings
 * @position: where in a message it stands
 * @hdr_len: BTH and extended headers together, bytes; derived from @hdrs
 * @hdrs: extended headers, &enum tuff_hdr_bits
 */
struct tuff_opcode {
	const char *name;
	bool valid;
	u8 kind;
	u8 position;
	u8 hdr_len;
	u16 hdrs;
};

extern const struct tuff_opcode tuff_opcodes[256];

static inline bool tuff_opcode_is_response(const struct tuff_opcode *op)
{
	return op->kind == TUFF_KIND_READ_RESPONSE ||
	       op->kind == TUFF_KIND_ACK || op->kind == TUFF_KIND_ATOMIC_ACK;
}

static inline bool tuff_opcode_starts(const struct tuff_opcode *op)
{
	return op->position != TUFF_POS_MIDDLE && op->position != TUFF_POS_LAST;
}

static inline bool tuff_opcode_ends(const struct tuff_opcode *op)
{
	return op->position != TUFF_POS_FIRST && op->position != TUFF_POS_MIDDLE;
}

#endif /* _TUFF_ENGINE_OPCODE_H */
