/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: reading and writing the memory of a region */
#ifndef _TUFF_VERBS_MEM_H
#define _TUFF_VERBS_MEM_H

#include <linux/types.h>

#include "tuff.h"

struct ib_pd;

/*
 * References keep the record; a pin keeps the memory mapped for the length of
 * one copy. tuff_mr_pin() fails once the region was deregistered. Pins are
 * held with BHs off, for one packet at most: deregistration waits for them.
 */
bool __must_check tuff_mr_pin(struct tuff_mr *mr);
void tuff_mr_unpin(struct tuff_mr *mr);

struct tuff_mr *tuff_mr_get(struct tuff_dev *dev, struct ib_pd *pd, bool kernel,
			    bool remote, u32 key, u64 va, u32 len, u32 access);
struct tuff_mr *tuff_mr_get_again(struct tuff_mr **last, struct tuff_dev *dev,
				  struct ib_pd *pd, bool remote, u32 key,
				  u64 va, u32 len, u32 access);
void tuff_mr_put(struct tuff_mr *mr);

/*
 * Kernel address of @va and, in @len, how many bytes are contiguous from
 * there (at most *len). The region must be pinned and [va, va + *len) checked.
 * Pages may be highmem-free kernel mappings only (64-bit): no kunmap needed.
 */
void *tuff_mr_map(struct tuff_mr *mr, u64 va, u32 *len);

int tuff_mr_write(struct tuff_mr *mr, u64 va, const void *src, u32 len);
int tuff_mr_read(struct tuff_mr *mr, u64 va, void *dst, u32 len);
int tuff_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add, u64 compare,
		   u64 swap_add, u64 *orig);

#endif /* _TUFF_VERBS_MEM_H */
