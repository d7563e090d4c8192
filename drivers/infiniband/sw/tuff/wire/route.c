// SPDX-License-Identifier: GPL-2.0
/* tuff: the route of an address vector, looked up once and kept */
#include "wire/route.h"

#include <linux/netdevice.h>
#include <net/dst.h>
#include <net/inet_dscp.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/l3mdev.h>
#include <net/route.h>
#include <rdma/ib_cache.h>

#include "verbs/av.h"
#include "wire/sock.h"

/*
 * One slot per address vector, not one per CPU as dst_cache has: a connected
 * QP is one flow, and the memory of an idle QP matters. The slot is read and
 * used under RCU without a reference (dst entries are freed after a grace
 * period), so a packet costs no atomic operation for its route.
 *
 * @dst and @dst_cookie are not read as one: a cookie that does not belong to
 * the entry fails the check, or is the entry's true one after all.
 */

static struct dst_entry *tuff_route4_lookup(struct tuff_av *av, int oif)
{
	struct net *net = av->net->net;
	struct flowi4 fl4;
	struct rtable *rt;

	flowi4_init_output(&fl4, oif, 0, av->tos & INET_DSCP_MASK,
			   RT_SCOPE_UNIVERSE, IPPROTO_UDP, 0,
			   av->daddr.v4.s_addr, av->saddr.v4.s_addr,
			   htons(TUFF_UDP_PORT), htons(av->sport),
			   sock_net_uid(net, NULL));
	rt = ip_route_output_flow(net, &fl4, NULL);

	return IS_ERR(rt) ? NULL : &rt->dst;
}

#if IS_ENABLED(CONFIG_IPV6)
static struct dst_entry *tuff_route6_lookup(struct tuff_av *av, int oif)
{
	struct flowi6 fl6 = {
		.flowi6_oif = oif,
		.flowi6_proto = IPPROTO_UDP,
		.daddr = av->daddr.v6,
		.saddr = av->saddr.v6,
		.flowlabel = ip6_make_flowinfo(av->tos,
					       cpu_to_be32(av->flow_label)),
		.fl6_sport = htons(av->sport),
		.fl6_dport = htons(TUFF_UDP_PORT),
	};
	struct dst_entry *dst;

	dst = ip6_dst_lookup_flow(av->net->net, NULL, &fl6, NULL);

	return IS_ERR(dst) ? NULL : dst;
}

static u32 tuff_route_cookie(struct tuff_av *av, struct dst_entry *dst)
{
	return av->ipv6 ? rt6_get_cookie(dst_rt6_info(dst)) : 0;
}
#else
static struct dst_entry *tuff_route6_lookup(struct tuff_av *av, int oif)
{
	return NULL;
}

static u32 tuff_route_cookie(struct tuff_av *av, struct dst_entry *dst)
{
	return 0;
}
#endif

static struct dst_entry *tuff_route_lookup(struct tuff_av *av, int oif)
{
	struct dst_entry *dst;

	dst = av->ipv6 ? tuff_route6_lookup(av, oif) :
			 tuff_route4_lookup(av, oif);
	if (dst && dst->error) {
		dst_release(dst);
		dst = NULL;
	}

	return dst;
}

/* Whether addresses of this kind mean something on one interface only. */
static bool tuff_route_is_scoped(struct tuff_av *av)
{
	if (av->multicast)
		return true;
	return av->ipv6 ? ipv6_addr_type(&av->daddr.v6) & IPV6_ADDR_LINKLOCAL :
			  ipv4_is_linklocal_169(av->daddr.v4.s_addr);
}

/*
 * RDMA hardware sends on its own port. A router's view may differ: an address
 * of this host goes over the loopback device, which is how two devices of one
 * namespace meet, while a second port on the same subnet must not make the
 * first one silent. So ask without an interface first, take the answer when
 * it is local or leaves where the GID lives, and insist on the GID's interface
 * otherwise, if there is a way.
 */
static struct dst_entry *tuff_route_choose(struct tuff_av *av,
					   struct net_device *ndev)
{
	struct dst_entry *dst, *bound;
	struct net_device *out;

	if (tuff_route_is_scoped(av))
		return tuff_route_lookup(av, ndev->ifindex);

	/* In a VRF, its table is the one to ask; else this is 0. */
	dst = tuff_route_lookup(av, l3mdev_master_ifindex_rcu(ndev));
	if (!dst)
		return tuff_route_lookup(av, ndev->ifindex);

	out = dst_dev_rcu(dst);
	if (out == ndev || out->flags & IFF_LOOPBACK)
		return dst;

	bound = tuff_route_lookup(av, ndev->ifindex);
	if (!bound)
		return dst;
	dst_release(dst);

	return bound;
}

static struct dst_entry *tuff_route_renew(struct tuff_av *av)
{
	struct net_device *ndev;
	struct dst_entry *dst, *old;

	ndev = rdma_read_gid_attr_ndev_rcu(av->sgid_attr);
	if (IS_ERR(ndev))
		return NULL;

	atomic_inc(&av->net->renewals);
	dst = tuff_route_choose(av, ndev);
	if (dst)
		WRITE_ONCE(av->dst_cookie, tuff_route_cookie(av, dst));
	old = unrcu_pointer(xchg(&av->dst, RCU_INITIALIZER(dst)));
	dst_release(old);

	return dst;
}

/**
 * tuff_route_find() - the route to a peer
 * @av: the path
 *
 * Looks the route up when none is cached or the cached one was invalidated.
 *
 * Context: under RCU, BHs off, after the device was seen not to be stopped in
 * the same RCU section: that is what lets a namespace go.
 * Return: the route without a reference, valid in this RCU section; NULL when
 * there is none.
 */
struct dst_entry *tuff_route_find(struct tuff_av *av)
{
	struct dst_entry *dst = rcu_dereference(av->dst);

	if (dst && dst_check(dst, READ_ONCE(av->dst_cookie)))
		return dst;

	return tuff_route_renew(av);
}

/**
 * tuff_route_add() - have a namespace know of an address vector
 * @av: new, not yet visible to anybody
 * @tnet: the namespace of its device
 *
 * Context: any.
 */
void tuff_route_add(struct tuff_av *av, struct tuff_net *tnet)
{
	unsigned long flags;

	tuff_net_hold(tnet);
	av->net = tnet;
	spin_lock_irqsave(&tnet->av_lock, flags);
	list_add_tail(&av->node, &tnet->avs);
	spin_unlock_irqrestore(&tnet->av_lock, flags);
}

/**
 * tuff_route_del() - undo tuff_route_add(), drop the route
 * @av: without references; others may still look at it under RCU
 *
 * Context: any.
 */
void tuff_route_del(struct tuff_av *av)
{
	struct tuff_net *tnet = av->net;
	unsigned long flags;

	if (!tnet)
		return;
	spin_lock_irqsave(&tnet->av_lock, flags);
	list_del(&av->node);
	spin_unlock_irqrestore(&tnet->av_lock, flags);

	dst_release(unrcu_pointer(xchg(&av->dst, NULL)));
	tuff_net_unhold(tnet);
}

/**
 * tuff_route_forget_all() - drop every cached route of a namespace
 * @tnet: its devices are stopped, and a grace period has passed since
 *
 * Context: process.
 */
void tuff_route_forget_all(struct tuff_net *tnet)
{
	unsigned long flags;
	struct tuff_av *av;

	spin_lock_irqsave(&tnet->av_lock, flags);
	list_for_each_entry(av, &tnet->avs, node)
		dst_release(unrcu_pointer(xchg(&av->dst, NULL)));
	spin_unlock_irqrestore(&tnet->av_lock, flags);
}

/**
 * tuff_route_mtu() - how large a packet may be at all
 * @dst: a route
 * @ipv6: whose it is
 *
 * Of the interface, or less where the administrator has said so for the route;
 * but not what ICMP errors have told, see tuff_sock_ignore_pmtu().
 *
 * Context: under RCU.
 * Return: bytes, from the IP header on.
 */
u32 tuff_route_mtu(struct dst_entry *dst, bool ipv6)
{
	u32 mtu = READ_ONCE(dst_dev_rcu(dst)->mtu);
	u32 said = dst_metric_raw(dst, RTAX_MTU);

#if IS_ENABLED(CONFIG_IPV6)
	/* A copy of the route that was made to remember an error's MTU. */
	if (ipv6 && dst_rt6_info(dst)->rt6i_flags & RTF_CACHE)
		said = 0;
#endif
	return said ? min(said, mtu) : mtu;
}
