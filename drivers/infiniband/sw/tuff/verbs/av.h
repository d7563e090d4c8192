/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: address vectors: the path to a peer, and what is cached of it */
#ifndef _TUFF_VERBS_AV_H
#define _TUFF_VERBS_AV_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <rdma/ib_verbs.h>

#include "tuff.h"

/**
 * struct tuff_av - a path to a peer
 * @ref: the AH's or QP's, and one for each send request that uses it
 * @rcu: freed after a grace period
 * @dev: the device
 * @pd: protection domain of the AH; compared, never followed
 * @num: AH number in &tuff_dev.avs, 0 when it belongs to a QP
 * @attr: as verbs gave it (without its sgid_attr reference), for query
 * @sgid_attr: reference on the GID table entry, or NULL
 * @ipv6: both ends are IPv6
 * @saddr: source GID as an address
 * @daddr: destination GID as an address
 * @dmac: destination MAC as resolved by ib_core; a hint only
 * @sport: UDP source port, host order; 0: from the packet's QP numbers
 * @tos: IPv4 ToS or IPv6 traffic class
 * @ttl: hop limit
 * @flow_label: IPv6
 * @multicast: @daddr is a group
 * @net: namespace, one reference on the record
 * @node: on @net's list of address vectors
 * @dst: the route, or NULL: wire/route.c
 * @dst_cookie: tells whether @dst still holds
 *
 * All but @node, @dst and @dst_cookie is written before it is published and
 * never after.
 */
struct tuff_av {
	struct kref ref;
	struct rcu_head rcu;
	struct tuff_dev *dev;
	struct ib_pd *pd;
	u32 num;
	struct rdma_ah_attr attr;
	const struct ib_gid_attr *sgid_attr;
	bool ipv6;
	bool multicast;
	union {
		struct in_addr v4;
		struct in6_addr v6;
	} saddr, daddr;
	u8 dmac[ETH_ALEN];
	u16 sport;
	u8 tos;
	u8 ttl;
	u32 flow_label;
	struct tuff_net *net;
	struct list_head node;
	struct dst_entry __rcu *dst;
	u32 dst_cookie;
};

/* ib_core's shell of an AH; modify_ah exchanges what it points to. */
struct tuff_ibah {
	struct ib_ah ibah;
	struct tuff_av __rcu *av;
};

/* ah.c */
struct tuff_av *tuff_av_create(struct tuff_dev *dev, struct ib_pd *pd,
			       const struct rdma_ah_attr *attr,
			       u32 local_qpn, u32 remote_qpn, gfp_t gfp);
void tuff_av_release(struct kref *ref);
struct tuff_av *tuff_av_get_num(struct tuff_dev *dev, struct ib_pd *pd,
				u32 num);
struct tuff_av *tuff_av_get_ah(struct ib_ah *ibah);
int tuff_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata);
int tuff_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int tuff_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr);
int tuff_destroy_ah(struct ib_ah *ibah, u32 flags);

static inline void tuff_av_put(struct tuff_av *av)
{
	if (av)
		kref_put(&av->ref, tuff_av_release);
}

#endif /* _TUFF_VERBS_AV_H */
