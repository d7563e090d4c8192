/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: address vectors: the path to a peer, and what is cached of it */
#ifndef _TUFF_VERBS_AV_H
#define _TUFF_VERBS_AV_H

#include <linux/in.h>
#include <linux/in6.h>
#include <linux/kref.h>
#include <net/dst_cache.h>
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
 * @sport: UDP source port, host order
 * @tos: IPv4 ToS or IPv6 traffic class
 * @ttl: hop limit
 * @flow_label: IPv6
 * @multicast: @daddr is a group
 * @cache: the route (per CPU)
 *
 * Written before it is published, never after.
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
	struct dst_cache cache;
};

/* ah.c */
struct tuff_av *tuff_av_create(struct tuff_dev *dev, struct ib_pd *pd,
			       const struct rdma_ah_attr *attr,
			       u32 local_qpn, u32 remote_qpn, gfp_t gfp);
void tuff_av_release(struct kref *ref);
struct tuff_av *tuff_av_get_num(struct tuff_dev *dev, struct ib_pd *pd, u32 num);

static inline void tuff_av_put(struct tuff_av *av)
{
	if (av)
		kref_put(&av->ref, tuff_av_release);
}

#endif /* _TUFF_VERBS_AV_H */
