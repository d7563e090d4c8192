// SPDX-License-Identifier: GPL-2.0
/* tuff: rings of work requests and completions: their memory */

#include "verbs/ring.h"

#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/ctx.h"
#include "verbs/mmap.h"

/* librxe finds element i at i << log2_elem_size. */
static u32 tuff_ring_stride(struct ib_udata *udata, u32 elem_size)
{
	if (!udata)
		return ALIGN(elem_size, sizeof(u64));
	return roundup_pow_of_two(max_t(u32, elem_size, L1_CACHE_BYTES));
}

static int tuff_ring_alloc_mapped(struct tuff_ring *ring,
				  struct ib_udata *udata, size_t size,
				  struct mminfo *info)
{
	struct tuff_ucontext *uctx;

	uctx = rdma_udata_to_drv_context(udata, struct tuff_ucontext, ibuc);
	ring->map = tuff_mmap_alloc(&uctx->ibuc, size);
	if (!ring->map)
		return -ENOMEM;
	ring->buf = ring->map->addr;
	/* For the user to read; the kernel has its own. */
	ring->buf->log2_elem_size = ilog2(ring->stride);
	ring->buf->index_mask = ring->mask;
	tuff_mmap_info(ring->map, info);
	return 0;
}

/**
 * tuff_ring_create() - make an empty ring
 * @ring: filled
 * @udata: of the verb when a user maps the ring, else NULL
 * @entries: elements it has to hold; @ring->mask says how many it does
 * @elem_size: bytes of one
 * @info: for a user: what to tell the provider library
 *
 * Context: Process context, may sleep.
 * Return: 0, -EINVAL (too large) or -ENOMEM.
 */
int tuff_ring_create(struct tuff_ring *ring, struct ib_udata *udata,
		     u32 entries, u32 elem_size, struct mminfo *info)
{
	size_t size;

	if (entries >= BIT(31))
		return -EINVAL;
	memset(ring, 0, sizeof(*ring));
	ring->mask = roundup_pow_of_two(entries + 1) - 1;
	ring->stride = tuff_ring_stride(udata, elem_size);
	size = size_add(sizeof(*ring->buf),
			size_mul(ring->stride, (size_t)ring->mask + 1));
	if (size > U32_MAX)
		return -EINVAL;

	if (udata)
		return tuff_ring_alloc_mapped(ring, udata, size, info);
	ring->buf = kvzalloc(size, GFP_KERNEL);
	return ring->buf ? 0 : -ENOMEM;
}

/**
 * tuff_ring_destroy() - free the memory of a ring
 * @ring: ring, or all zero
 *
 * A user's mapping of it keeps its pages and nothing else.
 *
 * Context: Process context, may sleep.
 */
void tuff_ring_destroy(struct tuff_ring *ring)
{
	if (ring->map)
		tuff_mmap_free(ring->map);
	else
		kvfree(ring->buf);
	memset(ring, 0, sizeof(*ring));
}
