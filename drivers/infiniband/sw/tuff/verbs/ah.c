// SPDX-License-Identifier: GPL-2.0
/* tuff: address handles, and address vectors of UD requests and of QPs */
#include "verbs/av.h"

#include <linux/err.h>
#include <linux/if_ether.h>
#include <linux/slab.h>
#include <net/ipv6.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/rdma_user_rxe.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/dev.h"
#include "verbs/limits.h"
#include "wire/route.h"

#define TUFF_AV_TTL	64	/* when the consumer gives none */

/*
 * Both ends as IP addresses. A GID that stands for an IPv4 address is written
 * as a mapped one; the two ends have to be of one kind.
 */
static int tuff_av_set_addrs(struct tuff_av *av, const union ib_gid *sgid,
			     const union ib_gid *dgid)
{
	const struct in6_addr *src = (const struct in6_addr *)sgid;
	const struct in6_addr *dst = (const struct in6_addr *)dgid;

	if (ipv6_addr_v4mapped(src) != ipv6_addr_v4mapped(dst))
		return -EINVAL;

	av->ipv6 = !ipv6_addr_v4mapped(src);
	if (av->ipv6) {
		av->saddr.v6 = *src;
		av->daddr.v6 = *dst;
		av->multicast = ipv6_addr_is_multicast(dst);
	} else {
		av->saddr.v4.s_addr = src->s6_addr32[3];
		av->daddr.v4.s_addr = dst->s6_addr32[3];
		av->multicast = ipv4_is_multicast(av->daddr.v4.s_addr);
	}

	return 0;
}

static int tuff_av_init(struct tuff_av *av, const struct rdma_ah_attr *attr,
			u32 local_qpn, u32 remote_qpn)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(attr);
	int err;

	err = tuff_av_set_addrs(av, &grh->sgid_attr->gid, &grh->dgid);
	if (err)
		return err;

	av->attr = *attr;
	av->attr.grh.sgid_attr = NULL;
	ether_addr_copy(av->dmac, attr->roce.dmac);
	av->tos = grh->traffic_class;
	av->ttl = grh->hop_limit ? : TUFF_AV_TTL;
	av->flow_label = grh->flow_label & IB_GRH_FLOWLABEL_MASK;
	/*
	 * One source port per QP. That of a datagram depends on the QP that
	 * sends it, which is not known yet, unless the flow label says it.
	 */
	if (av->flow_label || local_qpn)
		av->sport = rdma_get_udp_sport(av->flow_label, local_qpn,
					       remote_qpn);

	return 0;
}

/**
 * tuff_av_create() - resolve the attributes of an address handle or a QP
 * @dev: the device
 * @pd: protection domain that may use it
 * @attr: attributes with sgid_attr, as ib_core hands them over
 * @local_qpn: own QP number, 0 for an address handle
 * @remote_qpn: the peer's, 0 for an address handle
 * @gfp: how to allocate
 *
 * Context: as @gfp allows; interrupts may be off.
 * Return: the address vector with one reference, or an ERR_PTR.
 */
struct tuff_av *tuff_av_create(struct tuff_dev *dev, struct ib_pd *pd,
			       const struct rdma_ah_attr *attr,
			       u32 local_qpn, u32 remote_qpn, gfp_t gfp)
{
	struct tuff_av *av;
	int err;

	/* RoCEv2 knows no other address than a GID of the UDP kind (A17.4). */
	if (!(rdma_ah_get_ah_flags(attr) & IB_AH_GRH) || !attr->grh.sgid_attr ||
	    attr->grh.sgid_attr->gid_type != IB_GID_TYPE_ROCE_UDP_ENCAP)
		return ERR_PTR(-EINVAL);

	av = kzalloc_obj(*av, gfp);
	if (!av)
		return ERR_PTR(-ENOMEM);
	kref_init(&av->ref);
	av->dev = dev;
	av->pd = pd;
	err = tuff_av_init(av, attr, local_qpn, remote_qpn);
	if (err) {
		kfree(av);
		return ERR_PTR(err);
	}
	av->sgid_attr = attr->grh.sgid_attr;
	rdma_hold_gid_attr(av->sgid_attr);
	tuff_dev_get(dev);
	tuff_route_add(av, dev->net);

	return av;
}

/**
 * tuff_av_release() - the last reference has gone
 * @ref: &tuff_av.ref
 *
 * Context: any.
 */
void tuff_av_release(struct kref *ref)
{
	struct tuff_av *av = container_of(ref, struct tuff_av, ref);

	tuff_route_del(av);
	rdma_put_gid_attr(av->sgid_attr);
	tuff_dev_put(av->dev);
	kfree_rcu(av, rcu);
}

/**
 * tuff_av_get_num() - find an address vector by the number a user gave
 * @dev: the device
 * @pd: protection domain of the QP
 * @num: AH number; anything
 *
 * Numbers are guessable, so the protection domain has to be the same.
 *
 * Context: any.
 * Return: a reference, or NULL.
 */
struct tuff_av *tuff_av_get_num(struct tuff_dev *dev, struct ib_pd *pd,
				u32 num)
{
	struct tuff_av *av;

	if (!num)
		return NULL;
	rcu_read_lock();
	av = xa_load(&dev->avs, num);
	if (av && (av->pd != pd || !kref_get_unless_zero(&av->ref)))
		av = NULL;
	rcu_read_unlock();

	return av;
}

static struct tuff_ibah *tuff_ibah_of(struct ib_ah *ibah)
{
	return container_of(ibah, struct tuff_ibah, ibah);
}

/**
 * tuff_av_get_ah() - address vector of a kernel consumer's address handle
 * @ibah: address handle, which the caller keeps from being destroyed
 *
 * Context: any.
 * Return: a reference; never NULL.
 */
struct tuff_av *tuff_av_get_ah(struct ib_ah *ibah)
{
	struct tuff_av *av;

	rcu_read_lock();
	/* Modify may have dropped the one that we see; then there is another. */
	do {
		av = rcu_dereference(tuff_ibah_of(ibah)->av);
	} while (!kref_get_unless_zero(&av->ref));
	rcu_read_unlock();

	return av;
}

static int tuff_av_add(struct tuff_dev *dev, struct tuff_av *av)
{
	unsigned long flags;
	int err;

	xa_lock_irqsave(&dev->avs, flags);
	err = __xa_alloc_cyclic(&dev->avs, &av->num, av,
				XA_LIMIT(1, TUFF_MAX_AH), &dev->next_ahn,
				GFP_ATOMIC);
	xa_unlock_irqrestore(&dev->avs, flags);

	/* 1: the numbers wrapped. */
	return err < 0 ? err : 0;
}

static void tuff_av_del(struct tuff_dev *dev, struct tuff_av *av)
{
	unsigned long flags;

	xa_lock_irqsave(&dev->avs, flags);
	__xa_erase(&dev->avs, av->num);
	xa_unlock_irqrestore(&dev->avs, flags);
}

static int tuff_ah_respond(struct tuff_av *av, struct ib_udata *udata)
{
	struct rxe_create_ah_resp resp = { .ah_num = av->num };

	if (udata->outlen < sizeof(resp))
		return -EINVAL;

	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/**
 * tuff_create_ah() - ib_device_ops: create_ah and create_user_ah
 * @ibah: ib_core's shell
 * @init: attributes
 * @udata: the user's part, NULL for kernel consumers
 *
 * Context: any for kernel consumers, unless @init says it may sleep.
 * Return: 0 or an errno.
 */
int tuff_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
		   struct ib_udata *udata)
{
	bool sleepable = init->flags & RDMA_CREATE_AH_SLEEPABLE;
	struct tuff_dev *dev = tuff_dev_of(ibah->device);
	struct tuff_av *av;
	int err;

	av = tuff_av_create(dev, ibah->pd, init->ah_attr, 0, 0,
			    sleepable ? GFP_KERNEL_ACCOUNT : GFP_ATOMIC);
	if (IS_ERR(av))
		return PTR_ERR(av);

	err = tuff_av_add(dev, av);
	if (err)
		goto err_put;
	if (udata) {
		err = tuff_ah_respond(av, udata);
		if (err)
			goto err_del;
	}
	RCU_INIT_POINTER(tuff_ibah_of(ibah)->av, av);

	return 0;

err_del:
	tuff_av_del(dev, av);
err_put:
	tuff_av_put(av);

	return err;
}

/**
 * tuff_modify_ah() - ib_device_ops: modify_ah
 * @ibah: address handle
 * @attr: new attributes
 *
 * Requests that were posted before keep the old address vector.
 *
 * Context: any.
 * Return: 0 or an errno.
 */
int tuff_modify_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct tuff_dev *dev = tuff_dev_of(ibah->device);
	struct tuff_av *av, *old;
	unsigned long flags;

	av = tuff_av_create(dev, ibah->pd, attr, 0, 0, GFP_ATOMIC);
	if (IS_ERR(av))
		return PTR_ERR(av);

	/* The slot is there, so nothing is allocated. */
	xa_lock_irqsave(&dev->avs, flags);
	old = rcu_dereference_protected(tuff_ibah_of(ibah)->av,
					lockdep_is_held(&dev->avs.xa_lock));
	av->num = old->num;
	__xa_store(&dev->avs, av->num, av, GFP_ATOMIC);
	rcu_assign_pointer(tuff_ibah_of(ibah)->av, av);
	xa_unlock_irqrestore(&dev->avs, flags);
	tuff_av_put(old);

	return 0;
}

/**
 * tuff_query_ah() - ib_device_ops: query_ah
 * @ibah: address handle
 * @attr: filled in
 *
 * Context: any.
 * Return: 0.
 */
int tuff_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	struct tuff_av *av = tuff_av_get_ah(ibah);

	*attr = av->attr;
	tuff_av_put(av);

	return 0;
}

/**
 * tuff_destroy_ah() - ib_device_ops: destroy_ah
 * @ibah: address handle; ib_core frees the shell
 * @flags: &enum rdma_destroy_ah_flags
 *
 * Requests in flight keep the address vector.
 *
 * Context: any, unless @flags says it may sleep.
 * Return: 0.
 */
int tuff_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	struct tuff_av *av = rcu_dereference_protected(tuff_ibah_of(ibah)->av,
						       true);

	tuff_av_del(tuff_dev_of(ibah->device), av);
	tuff_av_put(av);

	return 0;
}
