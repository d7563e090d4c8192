// SPDX-License-Identifier: GPL-2.0
/* tuff: reading and writing the memory of a region */

#include "verbs/mem.h"

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/string.h>

#include "verbs/mr.h"

/**
 * tuff_mr_map() - where the kernel sees a byte of a region
 * @mr: the region, pinned
 * @va: address inside it
 * @len: bytes wanted; set to how many of them lie one after the other
 *
 * Context: Any; the result holds until tuff_mr_unpin().
 * Return: kernel address.
 */
void *tuff_mr_map(struct tuff_mr *mr, u64 va, u32 *len)
{
	u64 off, size, in;

	if (!mr->umem)
		return (void *)(uintptr_t)va;
	off = va - mr->iova + mr->first;
	size = 1ULL << mr->block_shift;
	in = off & (size - 1);
	*len = min_t(u64, *len, size - in);
	return (void *)(uintptr_t)(mr->blocks[off >> mr->block_shift] + in);
}

/* Copy between a buffer and a region's memory. */
static int tuff_mr_copy(struct tuff_mr *mr, u64 va, void *buf, u32 len,
			bool write)
{
	u32 n;
	void *at;

	if (!tuff_mr_pin(mr))
		return -EFAULT;
	while (len) {
		n = len;
		at = tuff_mr_map(mr, va, &n);
		if (write)
			memcpy(at, buf, n);
		else
			memcpy(buf, at, n);
		va += n;
		buf += n;
		len -= n;
	}
	tuff_mr_unpin(mr);
	return 0;
}

/**
 * tuff_mr_write() - copy into a region
 * @mr: the region
 * @va: first address; [@va, @va + @len) was checked
 * @src: bytes
 * @len: how many
 *
 * Context: Any, BHs off.
 * Return: 0, or -EFAULT when the region was deregistered.
 */
int tuff_mr_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	return tuff_mr_copy(mr, va, (void *)src, len, true);
}

/**
 * tuff_mr_read() - copy out of a region
 * @mr: the region
 * @va: first address; [@va, @va + @len) was checked
 * @dst: where to
 * @len: how many bytes
 *
 * Context: Any, BHs off.
 * Return: 0, or -EFAULT when the region was deregistered.
 */
int tuff_mr_read(struct tuff_mr *mr, u64 va, void *dst, u32 len)
{
	return tuff_mr_copy(mr, va, dst, len, false);
}

/**
 * tuff_mr_atomic() - one atomic operation on 8 bytes of a region
 * @mr: the region
 * @va: address, a multiple of 8; the 8 bytes were checked
 * @fetch_add: add @swap_add; else store it when @compare is there
 * @compare: what must be there
 * @swap_add: new value or addend
 * @orig: set to what was there
 *
 * Atomic against other devices of this driver and against the CPUs as well.
 *
 * Context: Any, BHs off.
 * Return: 0, or -EFAULT when the region was deregistered or maps the address
 * to an unaligned one. IBA 9.4.5.
 */
int tuff_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add, u64 compare,
		   u64 swap_add, u64 *orig)
{
	u32 len = sizeof(u64);
	atomic64_t *at;
	int err = -EFAULT;

	if (!tuff_mr_pin(mr))
		return -EFAULT;
	at = tuff_mr_map(mr, va, &len);
	if (IS_ALIGNED((uintptr_t)at, sizeof(*at))) {
		if (fetch_add)
			*orig = atomic64_fetch_add(swap_add, at);
		else
			*orig = atomic64_cmpxchg(at, compare, swap_add);
		err = 0;
	}
	tuff_mr_unpin(mr);
	return err;
}
