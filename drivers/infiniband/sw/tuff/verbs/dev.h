/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: one RDMA device over one net_device */
#ifndef _TUFF_VERBS_DEV_H
#define _TUFF_VERBS_DEV_H

#include <linux/list.h>
#include <linux/netdevice.h>
#include <linux/percpu.h>
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
 * @entry: on the list of all devices (dev.c), which also holds a reference
 * @ndev: the net_device; NULL once that unregisters. Read under RCU or the
 *	device list's lock
 * @ndev_tracker: the reference behind @ndev
 * @ifindex: of @ndev, stays readable
 * @net: per-namespace state (port 4791) this link holds, NULL when given back
 * @demux: node on @net's list of devices, see wire/demux.c; zero: on none
 * @counters: per CPU
 * @qps: struct tuff_vqp by QP number; numbers 0 and 1 are special
 * @srqs: struct tuff_srq by number
 * @mrs: struct tuff_mr by key index
 * @avs: struct tuff_av by AH number
 * @next_qpn: where the search for a free QP number begins
 * @gsi: QP 1, or NULL
 * @stopped: no packet leaves any more (namespace or device goes away)
 *
 * All xarrays are read under RCU and changed under their own irq-safe lock.
 */
struct tuff_dev {
	struct ib_device ibdev;
	struct list_head entry;
	struct net_device __rcu *ndev;
	netdevice_tracker ndev_tracker;
	int ifindex;
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

#endif /* _TUFF_VERBS_DEV_H */
