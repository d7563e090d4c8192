/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: make older kernels look like the newest one
 *
 * Included ahead of every source file by the top Kbuild; no source names it.
 * Sources are written for the newest kernel. One entry here for each interface
 * that an older one lacks or spells otherwise; tuff_probe.h, written by
 * tools/compat/probe.sh, says which those are. Upstream this file is gone.
 */
#ifndef _TUFF_COMPAT_H
#define _TUFF_COMPAT_H

#include "tuff_probe.h"

/* Memory */

/* kmalloc_obj() and kin: missing in 6.1. GFP_KERNEL when no flags are given. */
#ifndef TUFF_HAVE_KMALLOC_OBJ
#include <linux/overflow.h>
#include <linux/slab.h>
#define TUFF_GFP_FIRST(gfp, ...) gfp
#define TUFF_GFP(...) TUFF_GFP_FIRST(__VA_ARGS__ __VA_OPT__(,) GFP_KERNEL)
#define kmalloc_obj(obj, ...)						\
	((typeof(obj) *)kmalloc(sizeof(obj), TUFF_GFP(__VA_ARGS__)))
#define kzalloc_obj(obj, ...)						\
	((typeof(obj) *)kzalloc(sizeof(obj), TUFF_GFP(__VA_ARGS__)))
#define kmalloc_objs(obj, n, ...)					\
	((typeof(obj) *)kmalloc_array((n), sizeof(obj),			\
				      TUFF_GFP(__VA_ARGS__)))
#define kzalloc_objs(obj, n, ...)					\
	((typeof(obj) *)kcalloc((n), sizeof(obj), TUFF_GFP(__VA_ARGS__)))
#define kmalloc_flex(obj, fam, n, ...)					\
	((typeof(obj) *)kmalloc(struct_size((typeof(obj) *)NULL, fam, (n)), \
				TUFF_GFP(__VA_ARGS__)))
#define kzalloc_flex(obj, fam, n, ...)					\
	((typeof(obj) *)kzalloc(struct_size((typeof(obj) *)NULL, fam, (n)), \
				TUFF_GFP(__VA_ARGS__)))
#define kvzalloc_obj(obj, ...)						\
	((typeof(obj) *)kvzalloc(sizeof(obj), TUFF_GFP(__VA_ARGS__)))
#define kvmalloc_objs(obj, n, ...)					\
	((typeof(obj) *)kvmalloc_array((n), sizeof(obj),		\
				       TUFF_GFP(__VA_ARGS__)))
#define kvzalloc_objs(obj, n, ...)					\
	((typeof(obj) *)kvcalloc((n), sizeof(obj), TUFF_GFP(__VA_ARGS__)))
#define kvzalloc_flex(obj, fam, n, ...)					\
	((typeof(obj) *)kvzalloc(struct_size((typeof(obj) *)NULL, fam, (n)), \
				 TUFF_GFP(__VA_ARGS__)))
#endif

/* vm_flags_set() and _clear(): missing in 6.1, where anybody may write. */
#ifndef TUFF_HAVE_VM_FLAGS_SET
#include <linux/mm.h>
static inline void vm_flags_set(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags |= flags;
}

static inline void vm_flags_clear(struct vm_area_struct *vma, vm_flags_t flags)
{
	vma->vm_flags &= ~flags;
}
#endif

/* Locks, timers, work */

/* guard(spinlock_bh): missing in 6.1. */
#ifndef TUFF_HAVE_GUARD_SPINLOCK_BH
#include <linux/cleanup.h>
#include <linux/spinlock.h>
DEFINE_LOCK_GUARD_1(spinlock_bh, spinlock_t,
		    spin_lock_bh(_T->lock),
		    spin_unlock_bh(_T->lock))
#endif

/* timer_container_of(): from_timer() in 6.1 and 6.12. */
#ifndef TUFF_HAVE_TIMER_CONTAINER_OF
#define timer_container_of from_timer
#endif

/* hrtimer_setup(): hrtimer_init() and an assignment in 6.1 and 6.12. */
#ifndef TUFF_HAVE_HRTIMER_SETUP
#include <linux/hrtimer.h>
static inline void
hrtimer_setup(struct hrtimer *timer,
	      enum hrtimer_restart (*function)(struct hrtimer *),
	      clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/* WQ_PERCPU: what a work queue is anyway in 6.1. */
#ifndef TUFF_HAVE_WQ_PERCPU
#define WQ_PERCPU 0
#endif

/* Library */

/* crc32_le() of any pointer: of unsigned char in 6.1 and 6.12. */
#ifndef TUFF_HAVE_CRC32_LE_VOID
#include <linux/crc32.h>
static inline u32 tuff_compat_crc32_le(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

#define crc32_le tuff_compat_crc32_le
#endif

/* crc32_optimizations(): missing in 6.1 and 6.12, where there are none. */
#ifndef TUFF_HAVE_CRC32_OPTIMIZATIONS
#define CRC32_LE_OPTIMIZATION 1
static inline u32 crc32_optimizations(void)
{
	return 0;
}
#endif

/* Network */

/* Tunnel sockets as struct sock: struct socket in 6.1 and 6.12. */
#ifndef TUFF_HAVE_UDP_TUNNEL_SOCK
#include <net/udp_tunnel.h>
#define setup_udp_tunnel_sock(net, sk, cfg)				\
	setup_udp_tunnel_sock((net), (sk)->sk_socket, (cfg))
#define udp_tunnel_sock_release(sk)					\
	udp_tunnel_sock_release((sk)->sk_socket)
#endif

/* Control block flags of tunnel packets: not given in 6.1 and 6.12. */
#ifndef TUFF_HAVE_UDP_TUNNEL_XMIT_IPCB
#define udp_tunnel_xmit_skb(rt, sk, skb, src, dst, tos, ttl, df, sport,	\
			    dport, xnet, nocheck, ipcb_flags)		\
	udp_tunnel_xmit_skb(rt, sk, skb, src, dst, tos, ttl, df, sport,	\
			    dport, xnet, nocheck)
#endif
#ifndef TUFF_HAVE_UDP_TUNNEL6_XMIT_IP6CB
#define udp_tunnel6_xmit_skb(dst, sk, skb, dev, saddr, daddr, prio, ttl, \
			     label, sport, dport, nocheck, ip6cb_flags)	\
	((void)udp_tunnel6_xmit_skb(dst, sk, skb, dev, saddr, daddr,	\
				    prio, ttl, label, sport, dport, nocheck))
#endif

/* struct sockaddr_unsized: sockaddr in 6.1 and 6.12. */
#ifndef TUFF_HAVE_SOCKADDR_UNSIZED
#define sockaddr_unsized sockaddr
#endif

/* skb_frag_fill_page_desc(): three calls in 6.1. */
#ifndef TUFF_HAVE_SKB_FRAG_FILL_PAGE_DESC
#include <linux/skbuff.h>
static inline void skb_frag_fill_page_desc(skb_frag_t *frag, struct page *page,
					   int off, int size)
{
	__skb_frag_set_page(frag, page);
	skb_frag_off_set(frag, off);
	skb_frag_size_set(frag, size);
}
#endif

/* skb_frags_readable(): in 6.1 all are. */
#ifndef TUFF_HAVE_SKB_FRAGS_READABLE
#include <linux/skbuff.h>
static inline bool skb_frags_readable(const struct sk_buff *skb)
{
	return true;
}
#endif

/* netif_get_gso_max_size(): missing in 6.1, one size for both IP versions. */
#ifndef TUFF_HAVE_NETIF_GET_GSO_MAX_SIZE
#include <linux/netdevice.h>
static inline unsigned int netif_get_gso_max_size(const struct net_device *dev,
						  const struct sk_buff *skb)
{
	return READ_ONCE(dev->gso_max_size);
}
#endif

/* RDMA core */

/* ib_alloc_device_with_net(): missing in 6.1 and 6.12, all are in init_net. */
#ifndef TUFF_HAVE_IB_ALLOC_DEVICE_WITH_NET
#define ib_alloc_device_with_net(drv_struct, member, net)		\
	ib_alloc_device(drv_struct, member)
#endif

/* ib_mark_name_assigned_by_user(): in 6.1 udev may rename any device. */
#ifndef TUFF_HAVE_IB_MARK_NAME_ASSIGNED_BY_USER
#define ib_mark_name_assigned_by_user(device) do { } while (0)
#endif

/* ib_get_curr_port_state(): missing in 6.1 and 6.12. */
#ifndef TUFF_HAVE_IB_GET_CURR_PORT_STATE
#include <linux/netdevice.h>
#include <rdma/ib_verbs.h>
static inline enum ib_port_state ib_get_curr_port_state(struct net_device *dev)
{
	return netif_running(dev) && netif_carrier_ok(dev) ?
	       IB_PORT_ACTIVE : IB_PORT_DOWN;
}
#endif

/*
 * ib_dispatch_port_state_event(): missing in 6.1 and 6.12. The newest one
 * drops repeated events; the caller does, too.
 */
#ifndef TUFF_HAVE_IB_DISPATCH_PORT_STATE_EVENT
static inline void ib_dispatch_port_state_event(struct ib_device *ibdev,
						struct net_device *ndev)
{
	struct ib_event event = {
		.device = ibdev,
		.element.port_num = 1,
		.event = ib_get_curr_port_state(ndev) == IB_PORT_ACTIVE ?
			 IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR,
	};

	ib_dispatch_event(&event);
}
#endif

/* ib_umem_get_va(): ib_umem_get() in 6.1 and 6.12. */
#ifndef TUFF_HAVE_IB_UMEM_GET_VA
#define ib_umem_get_va ib_umem_get
#endif

/* ib_no_udata_io(): missing in 6.1 and 6.12. */
#ifndef TUFF_HAVE_IB_NO_UDATA_IO
#include <linux/uaccess.h>
#include <rdma/ib_verbs.h>
static inline int ib_no_udata_io(struct ib_udata *udata)
{
	if (!udata)
		return 0;
	if (udata->inlen && !ib_is_udata_cleared(udata, 0, udata->inlen))
		return -EOPNOTSUPP;
	if (udata->outlen && clear_user(udata->outbuf, udata->outlen))
		return -EFAULT;
	return 0;
}
#endif

/*
 * Callbacks whose type changed. TUFF_ADAPT_X(fn) before a table makes a
 * function of the old type that calls @fn; TUFF_SET_X(fn) is the entry.
 */

/* create_cq(.., uverbs_attr_bundle *): ib_udata * in 6.1. */
#ifdef TUFF_HAVE_OP_CREATE_CQ_ATTRS
#define TUFF_ADAPT_CREATE_CQ(fn)
#define TUFF_SET_CREATE_CQ(fn) .create_cq = fn
#else
#define TUFF_ADAPT_CREATE_CQ(fn)					\
static int fn##_udata(struct ib_cq *ibcq,				\
		      const struct ib_cq_init_attr *attr,		\
		      struct ib_udata *udata)				\
{									\
	return fn(ibcq, attr, !udata ? NULL :				\
		  container_of(udata, struct uverbs_attr_bundle,	\
			       driver_udata));				\
}
#define TUFF_SET_CREATE_CQ(fn) .create_cq = fn##_udata
#endif

/* resize_user_cq(.., unsigned int, ..): resize_cq(.., int, ..) before 7.3. */
#ifdef TUFF_HAVE_OP_RESIZE_USER_CQ
#define TUFF_ADAPT_RESIZE_USER_CQ(fn)
#define TUFF_SET_RESIZE_USER_CQ(fn) .resize_user_cq = fn
#else
#define TUFF_ADAPT_RESIZE_USER_CQ(fn)					\
static int fn##_int(struct ib_cq *ibcq, int cqe, struct ib_udata *udata) \
{									\
	return cqe < 0 ? -EINVAL : fn(ibcq, cqe, udata);		\
}
#define TUFF_SET_RESIZE_USER_CQ(fn) .resize_cq = fn##_int
#endif

/* reg_user_mr(.., ib_dmah *, udata): no ib_dmah in 6.1 and 6.12. */
#ifdef TUFF_HAVE_OP_REG_USER_MR_DMAH
#define TUFF_ADAPT_REG_USER_MR(fn)
#define TUFF_SET_REG_USER_MR(fn) .reg_user_mr = fn
#else
struct ib_dmah;
#define TUFF_ADAPT_REG_USER_MR(fn)					\
static struct ib_mr *fn##_nodmah(struct ib_pd *pd, u64 start, u64 len,	\
				 u64 iova, int access,			\
				 struct ib_udata *udata)		\
{									\
	return fn(pd, start, len, iova, access, NULL, udata);		\
}
#define TUFF_SET_REG_USER_MR(fn) .reg_user_mr = fn##_nodmah
#endif

#endif /* _TUFF_COMPAT_H */
