/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: forward declarations shared by every room; no struct bodies */
#ifndef _TUFF_TUFF_H
#define _TUFF_TUFF_H

#include <linux/types.h>

/* engine */
struct tuff_hdr;
struct tuff_pkt;
struct tuff_payload;
struct tuff_qp;
struct tuff_swqe;
struct tuff_rwqe;
struct tuff_sge;
struct tuff_cqe;

/* the world: opaque to the engine */
struct tuff_mr;
struct tuff_av;

/* verbs and wire */
struct tuff_dev;
struct tuff_vqp;
struct tuff_cq;
struct tuff_srq;
struct tuff_net;

#define TUFF_UDP_PORT		4791
#define TUFF_QPN_MASK		0xffffff
#define TUFF_QPN_MULTICAST	0xffffff
#define TUFF_PKEY_DEFAULT	0xffff

#endif /* _TUFF_TUFF_H */
