// SPDX-License-Identifier: GPL-2.0
/* tuff: the counters as ib_core shows them: hw_counters/, rdma statistic */

#include "verbs/stats.h"

#include "verbs/dev.h"

static const struct rdma_stat_desc tuff_stats_descs[] = {
#define TUFF_STATS_DESC(id, text)					\
	[TUFF_CNT_##id] = { .name = text },
	TUFF_COUNTERS(TUFF_STATS_DESC)
#undef TUFF_STATS_DESC
};

/**
 * tuff_stats_sum() - value of a counter
 * @dev: the device
 * @counter: which
 *
 * Context: Any.
 * Return: the sum over all CPUs, which others may be adding to meanwhile.
 */
u64 tuff_stats_sum(struct tuff_dev *dev, enum tuff_counter counter)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(dev->counters, cpu)
				 ->value[counter]);
	return sum;
}

/**
 * tuff_alloc_hw_port_stats() - names of the counters
 * @ibdev: the device
 * @port: 1
 *
 * Return: ib_core's structure, freed by it, or NULL.
 */
struct rdma_hw_stats *tuff_alloc_hw_port_stats(struct ib_device *ibdev,
					       u32 port)
{
	return rdma_alloc_hw_stats_struct(tuff_stats_descs,
					  ARRAY_SIZE(tuff_stats_descs),
					  RDMA_HW_STATS_DEFAULT_LIFESPAN);
}

/**
 * tuff_get_hw_stats() - values of the counters
 * @ibdev: the device
 * @stats: filled, all of them
 * @port: 1
 * @index: which one is wanted
 *
 * Context: Process context.
 * Return: the number of counters, or -EINVAL.
 */
int tuff_get_hw_stats(struct ib_device *ibdev, struct rdma_hw_stats *stats,
		      u32 port, int index)
{
	struct tuff_dev *dev = tuff_dev_of(ibdev);
	int i;

	if (port != 1)
		return -EINVAL;
	for (i = 0; i < TUFF_NR_COUNTERS; i++)
		stats->value[i] = tuff_stats_sum(dev, i);
	return TUFF_NR_COUNTERS;
}
