/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the transport headers as they stand in a packet (IBA 9.2, 9.3) */
#ifndef _TUFF_ENGINE_WIRE_H
#define _TUFF_ENGINE_WIRE_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/types.h>

/*
 * Headers follow the UDP header at any alignment, so every struct is packed
 * and the compiler takes care of the access. Fields narrower than a word are
 * named by masks on the word in host order.
 */

/* Base transport header: in every packet. */
struct tuff_bth {
	u8 opcode;
	u8 flags;
	__be16 pkey;
	__be32 dqpn;	/* and congestion bits */
	__be32 psn;	/* and AckReq */
} __packed;

#define TUFF_BTH_SE		BIT(7)
#define TUFF_BTH_MIGREQ		BIT(6)
#define TUFF_BTH_PAD		GENMASK(5, 4)
#define TUFF_BTH_TVER		GENMASK(3, 0)

#define TUFF_BTH_FECN		BIT(31)
#define TUFF_BTH_BECN		BIT(30)
#define TUFF_BTH_DQPN		GENMASK(23, 0)

#define TUFF_BTH_ACKREQ		BIT(31)
#define TUFF_BTH_PSN		GENMASK(23, 0)

/* Datagram extended header. */
struct tuff_deth {
	__be32 qkey;
	__be32 sqpn;
} __packed;

#define TUFF_DETH_SQPN		GENMASK(23, 0)

/* RDMA extended header. */
struct tuff_reth {
	__be64 va;
	__be32 rkey;
	__be32 dmalen;
} __packed;

/* Atomic extended header. */
struct tuff_atomiceth {
	__be64 va;
	__be32 rkey;
	__be64 swap_add;
	__be64 compare;
} __packed;

/* Acknowledge extended header. */
struct tuff_aeth {
	__be32 msn;	/* and syndrome */
} __packed;

#define TUFF_AETH_SYNDROME	GENMASK(31, 24)
#define TUFF_AETH_MSN		GENMASK(23, 0)

/* Atomic acknowledge extended header. */
struct tuff_atomicacketh {
	__be64 orig;
} __packed;

/* Immediate data. */
struct tuff_immdt {
	__be32 imm;
} __packed;

/* Invalidate extended header. */
struct tuff_ieth {
	__be32 rkey;
} __packed;

/* What a congestion notification carries behind its BTH: zeroes. */
struct tuff_cnp {
	u8 reserved[16];
} __packed;

static_assert(sizeof(struct tuff_bth) == 12);
static_assert(sizeof(struct tuff_deth) == 8);
static_assert(sizeof(struct tuff_reth) == 16);
static_assert(sizeof(struct tuff_atomiceth) == 28);
static_assert(sizeof(struct tuff_aeth) == 4);
static_assert(sizeof(struct tuff_atomicacketh) == 8);
static_assert(sizeof(struct tuff_immdt) == 4);
static_assert(sizeof(struct tuff_ieth) == 4);
static_assert(sizeof(struct tuff_cnp) == 16);

#endif /* _TUFF_ENGINE_WIRE_H */
