// SPDX-License-Identifier: GPL-2.0
/* tuff: whose packet is it: device and queue pair */
#include "wire/demux.h"

#include <linux/inetdevice.h>
#include <linux/ipv6.h>
#include <linux/mutex.h>
#include <linux/netdevice.h>
#include <linux/rculist.h>
#include <linux/skbuff.h>
#include <net/addrconf.h>
#include <net/ip.h>
#include <rdma/ib_cache.h>

#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/qp.h"
#include "wire/sock.h"
#include "wire/wire.h"

/* How well a device fits the netdev a packet belongs to. */
enum tuff_fit {
	TUFF_FIT_NONE,
	TUFF_FIT_BELOW,	/* VLAN, macvlan, bond, bridge ... above our netdev */
	TUFF_FIT_SAME,
};

/**
 * tuff_demux_add() - let packets find a device
 * @dev: device with @dev->net and @dev->ndev set
 *
 * Context: process, may sleep; not under RTNL.
 */
void tuff_demux_add(struct tuff_dev *dev)
{
	mutex_lock(&tuff_net_mutex);
	/* The namespace may have gone since @dev->net was taken. */
	if (dev->net->dead)
		WRITE_ONCE(dev->stopped, true);
	hlist_add_head_rcu(&dev->demux, &dev->net->devs);
	mutex_unlock(&tuff_net_mutex);
}

/**
 * tuff_demux_del() - let no packet find a device any more
 * @dev: device; nothing happens when it was never added
 *
 * Also sets @dev->stopped and waits until no receive or transmit section that
 * began before is running.
 *
 * Context: process, may sleep; not under RTNL.
 */
void tuff_demux_del(struct tuff_dev *dev)
{
	bool known;

	WRITE_ONCE(dev->stopped, true);
	mutex_lock(&tuff_net_mutex);
	known = !hlist_unhashed(&dev->demux);
	if (known)
		hlist_del_init_rcu(&dev->demux);
	mutex_unlock(&tuff_net_mutex);
	if (known)
		synchronize_rcu_expedited();
}

/* The netdev whose address an IPv4 packet was sent to, when it came over lo. */
static struct net_device *tuff_demux_local4(struct net *net,
					    struct sk_buff *skb)
{
	return __ip_dev_find(net, ip_hdr(skb)->daddr, false);
}

#if IS_ENABLED(CONFIG_IPV6)
static struct net_device *tuff_demux_local6(struct net *net,
					    struct sk_buff *skb)
{
	int iif = inet6_iif(skb);

	/* The route it left by tells which link a link-local address is of. */
	if (iif != skb->dev->ifindex)
		return dev_get_by_index_rcu(net, iif);
	return ipv6_dev_find(net, &ipv6_hdr(skb)->daddr, NULL);
}
#else
static struct net_device *tuff_demux_local6(struct net *net,
					    struct sk_buff *skb)
{
	return NULL;
}
#endif

/**
 * tuff_demux_netdev() - the netdev a packet belongs to
 * @skb: the packet, its control block as the IP layer left it
 * @ipv6: its IP header is IPv6
 *
 * Where it came in; in a VRF the enslaved one; for what this host sends to
 * itself the one that has the address.
 *
 * Context: under RCU.
 * Return: the netdev, valid in this RCU section, or NULL.
 */
struct net_device *tuff_demux_netdev(struct sk_buff *skb, bool ipv6)
{
	int slave = ipv6 ? inet6_sdif(skb) : inet_sdif(skb);
	struct net *net = dev_net(skb->dev);
	struct net_device *ndev;

	if (slave)
		return dev_get_by_index_rcu(net, slave);
	if (likely(!(skb->dev->flags & IFF_LOOPBACK)))
		return skb->dev;

	ndev = ipv6 ? tuff_demux_local6(net, skb) : tuff_demux_local4(net, skb);

	return ndev ? : skb->dev;
}

static enum tuff_fit tuff_demux_fit(struct tuff_dev *dev,
				    struct net_device *came)
{
	struct net_device *ndev = rcu_dereference(dev->ndev);

	if (!ndev || READ_ONCE(dev->stopped))
		return TUFF_FIT_NONE;
	if (ndev == came)
		return TUFF_FIT_SAME;
	/*
	 * An address of a VLAN, a bond or a bridge above our netdev is in our
	 * GID table too, and what is sent to it comes in up there.
	 */
	if (netdev_has_upper_dev_all_rcu(ndev, came))
		return TUFF_FIT_BELOW;

	return TUFF_FIT_NONE;
}

/**
 * tuff_demux_find() - the device a packet is for
 * @tnet: namespace it came in
 * @came: what tuff_demux_netdev() returned
 *
 * Context: under RCU.
 * Return: the device, valid in this RCU section, or NULL.
 */
struct tuff_dev *tuff_demux_find(struct tuff_net *tnet,
				 struct net_device *came)
{
	enum tuff_fit fit, best = TUFF_FIT_NONE;
	struct tuff_dev *dev, *found = NULL;

	hlist_for_each_entry_rcu(dev, &tnet->devs, demux) {
		fit = tuff_demux_fit(dev, came);
		if (fit == TUFF_FIT_SAME)
			return dev;
		if (fit > best) {
			best = fit;
			found = dev;
		}
	}

	return found;
}

/**
 * tuff_demux_first() - a device to count what belongs to none
 * @tnet: a namespace
 *
 * Context: under RCU.
 * Return: any device of the namespace, or NULL.
 */
struct tuff_dev *tuff_demux_first(struct tuff_net *tnet)
{
	return hlist_entry_safe(rcu_dereference(hlist_first_rcu(&tnet->devs)),
				struct tuff_dev, demux);
}

/**
 * tuff_demux_qp() - the queue pair a packet is for
 * @tnet: namespace it came in
 * @dev: what tuff_demux_find() returned
 * @came: what it was asked
 * @qpn: destination QP number
 *
 * Where devices stand above each other (one on a netdev, one on its VLAN) an
 * address may be in both GID tables. The number then tells whose packet it is.
 *
 * Context: under RCU.
 * Return: the QP with a reference, or NULL.
 */
struct tuff_vqp *tuff_demux_qp(struct tuff_net *tnet, struct tuff_dev *dev,
			       struct net_device *came, u32 qpn)
{
	struct tuff_vqp *vqp = tuff_vqp_get(dev, qpn);

	if (likely(vqp))
		return vqp;

	hlist_for_each_entry_rcu(dev, &tnet->devs, demux) {
		if (tuff_demux_fit(dev, came) == TUFF_FIT_NONE)
			continue;
		vqp = tuff_vqp_get(dev, qpn);
		if (vqp)
			return vqp;
	}

	return NULL;
}

/* The netdev that has the address @av leads to, one of this host. */
static struct net_device *tuff_demux_local_netdev(const struct tuff_av *av)
{
	struct net *net = av->net->net;
	struct net_device *ndev;

	if (!av->ipv6)
		return __ip_dev_find(net, av->daddr.v4.s_addr, false);
#if IS_ENABLED(CONFIG_IPV6)
	/* A link-local address is of the link that the GID is of. */
	if (ipv6_addr_type(&av->daddr.v6) & IPV6_ADDR_LINKLOCAL) {
		ndev = rdma_read_gid_attr_ndev_rcu(av->sgid_attr);
		return IS_ERR(ndev) ? NULL : ndev;
	}
	return ipv6_dev_find(net, &av->daddr.v6, NULL);
#else
	return NULL;
#endif
}

/**
 * tuff_demux_local_qp() - the queue pair of this host that a path leads to
 * @av: path whose route ends on this host
 * @qpn: destination QP number
 *
 * Finds what a packet that went over lo would find, see tuff_demux_qp().
 *
 * Context: under RCU, after the device was seen not to be stopped.
 * Return: the QP with a reference, or NULL.
 */
struct tuff_vqp *tuff_demux_local_qp(const struct tuff_av *av, u32 qpn)
{
	struct net_device *came = tuff_demux_local_netdev(av);
	enum tuff_fit want;
	struct tuff_vqp *vqp;
	struct tuff_dev *dev;

	if (!came)
		return NULL;
	for (want = TUFF_FIT_SAME; want > TUFF_FIT_NONE; want--) {
		hlist_for_each_entry_rcu(dev, &av->net->devs, demux) {
			if (tuff_demux_fit(dev, came) != want)
				continue;
			vqp = tuff_vqp_get(dev, qpn);
			if (vqp)
				return vqp;
		}
	}

	return NULL;
}
