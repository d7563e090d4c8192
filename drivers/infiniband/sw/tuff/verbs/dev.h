/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: one RDMA device over one net_device */
#ifndef _TUFF_VERBS_DEV_H
#define _TUFF_VERBS_DEV_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
#include <linux/refcount.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

#include "engine/drop.h"
#include "tuff.h"

/* Counted without locks; summed when somebody reads them. */
struct tuff_counters {
	u64 value[TUFF_NR_COUNTERS];
};

/**
 * struct tuff_dev - one RDMA device
 * @ibdev: what ib_core knows of it; must be first
 * @users: ib_core's until dealloc_driver, and one for each tuff_dev_get(): a
 *	QP's, say. They keep all of this structure, @counters and the tables
 * @reap: takes the device apart when @users is 0
 * @entry: on the list of all devices (dev.c), which also holds a reference
 * @leaving: module exit has begun to unregister it; the list's lock
 * @gone: @ndev unregisters or changes its namespace; the list's lock
 * @registered: ib_register_device() is through; the list's lock
 * @ndev: the net_device; NULL once that unregisters. Read under RCU or the
 *	device list's lock
 * @ndev_tracker: the reference behind @ndev
 * @ifindex: of @ndev, stays readable
 * @ether: @ndev has an Ethernet header: ib_core follows its addresses
 * @port_state: &enum ib_port_state that was last reported; under RTNL
 * @net: per-namespace state (port 4791) this link holds, NULL when given back
 * @demux: node on @net's list of devices, see wire/demux.c; zero: on none
 * @counters: per CPU
 * @qps: struct tuff_vqp by QP number; numbers 0 and 1 are special
 * @srqs: struct tuff_srq by number
 * @mrs: struct tuff_mr by key index
 * @avs: struct tuff_av by AH number
 * @next_qpn: where the search for a free QP number begins; under @qps's lock,
 *	as the others are under their table's
 * @next_srqn: the same for SRQ numbers
 * @next_key: the same for key indices
 * @next_ahn: the same for AH numbers
 * @nr_qps: queue pairs, at most TUFF_MAX_QP
 * @nr_cqs: completion queues, at most TUFF_MAX_CQ
 * @nr_srqs: shared receive queues, at most TUFF_MAX_SRQ
 * @key_gen: low byte of the next key, see key.h; under @mrs's lock
 * @dma_mr: all kernel memory: what the local DMA lkey stands for
 * @stopped: no packet leaves any more (namespace or device goes away)
 *
 * All xarrays are read under RCU and changed under their own irq-safe lock.
 */
struct tuff_dev {
	struct ib_device ibdev;
	refcount_t users;
	struct work_struct reap;
	struct list_head entry;
	bool leaving;
	bool gone;
	bool registered;
	struct net_device __rcu *ndev;
	netdevice_tracker ndev_tracker;
	int ifindex;
	bool ether;
	u8 port_state;
	struct tuff_net *net;
	struct hlist_node demux;
	struct tuff_counters __percpu *counters;
	struct xarray qps;
	struct xarray srqs;
	struct xarray mrs;
	struct xarray avs;
	u32 next_qpn;
	u32 next_srqn;
	u32 next_key;
	u32 next_ahn;
	atomic_t nr_qps;
	atomic_t nr_cqs;
	atomic_t nr_srqs;
	u8 key_gen;
	struct tuff_mr *dma_mr;
	bool stopped;
};

static inline struct tuff_dev *tuff_dev_of(struct ib_device *ibdev)
{
	return container_of(ibdev, struct tuff_dev, ibdev);
}

static inline void tuff_dev_count(struct tuff_dev *dev, enum tuff_counter c)
{
	this_cpu_inc(dev->counters->value[c]);
}

static inline void tuff_dev_count_add(struct tuff_dev *dev,
				      enum tuff_counter c, u64 n)
{
	this_cpu_add(dev->counters->value[c], n);
}

/* Whatever outlives its verbs object holds one of these. Any context. */
static inline void tuff_dev_get(struct tuff_dev *dev)
{
	refcount_inc(&dev->users);
}

void tuff_dev_put(struct tuff_dev *dev);

int tuff_dev_init(void);
void tuff_dev_exit(void);	/* all devices go; may sleep */

int tuff_dev_create(const char *name, struct net_device *ndev);
struct net_device *tuff_dev_netdev_get(struct tuff_dev *dev);

/* &ib_device_ops */
struct net_device *tuff_get_netdev(struct ib_device *ibdev, u32 port);
void tuff_dealloc_driver(struct ib_device *ibdev);

/* For notify.c, under RTNL. */
struct tuff_dev *tuff_dev_find_get(const struct net_device *ndev);
void tuff_dev_netdev_gone(struct tuff_dev *dev);
void tuff_dev_rescan(void);

#endif /* _TUFF_VERBS_DEV_H */
