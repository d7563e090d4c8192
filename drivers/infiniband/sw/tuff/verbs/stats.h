/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the counters as ib_core shows them */
#ifndef _TUFF_VERBS_STATS_H
#define _TUFF_VERBS_STATS_H

#include <rdma/ib_verbs.h>

#include "engine/drop.h"
#include "tuff.h"

u64 tuff_stats_sum(struct tuff_dev *dev, enum tuff_counter counter);

/* &ib_device_ops */
struct rdma_hw_stats *tuff_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port);
int tuff_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port, int index);

#endif /* _TUFF_VERBS_STATS_H */
