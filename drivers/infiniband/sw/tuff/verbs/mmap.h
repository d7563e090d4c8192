/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: memory that the kernel and one user context share: the rings */
#ifndef _TUFF_VERBS_MMAP_H
#define _TUFF_VERBS_MMAP_H

#include <linux/kref.h>
#include <linux/types.h>

struct ib_ucontext;
struct mminfo;
struct tuff_ucontext;
struct vm_area_struct;

/**
 * struct tuff_mmap - pages that a user context may map
 * @ref: one of the owner, until tuff_mmap_put() or tuff_mmap_free(); more by
 *	tuff_mmap_get(). Not the VMAs': those hold the pages themselves
 * @addr: where the kernel sees it, page aligned, zeroed, contiguous
 * @size: bytes, as asked for; the memory goes on to the end of the page
 * @nr_pages: pages of it
 * @pgoff: offset to map it at, in pages; valid while @uctx
 * @uctx: context that can map it; NULL once tuff_mmap_hide() was called
 */
struct tuff_mmap {
	struct kref ref;
	void *addr;
	size_t size;
	unsigned int nr_pages;
	u32 pgoff;
	struct tuff_ucontext *uctx;
};

/*
 * Process context. Returns NULL when there is no memory. The context must be
 * that of the verb being executed; from its end on only tuff_mmap_get() and
 * _put() may be called, so whoever keeps a reference past destroy calls
 * tuff_mmap_hide() in destroy.
 */
struct tuff_mmap *tuff_mmap_alloc(struct ib_ucontext *ibuc, size_t size);

/* What the provider library needs to map it. */
void tuff_mmap_info(const struct tuff_mmap *map, struct mminfo *info);

/* No new mapping from here on. Process context; may be called again. */
void tuff_mmap_hide(struct tuff_mmap *map);

/* Any context but hard interrupts and interrupts off. NULL is fine. */
void tuff_mmap_put(struct tuff_mmap *map);

static inline struct tuff_mmap *tuff_mmap_get(struct tuff_mmap *map)
{
	kref_get(&map->ref);
	return map;
}

/* Hide and put. Process context. NULL is fine. */
void tuff_mmap_free(struct tuff_mmap *map);

/* &ib_device_ops.mmap */
int tuff_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma);

#endif /* _TUFF_VERBS_MMAP_H */
