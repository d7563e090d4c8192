// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: memory that the kernel and one user context share: the rings
 *
 * A VMA holds references on the pages and on nothing of ours: its operations
 * stay ib_uverbs's own. A process may thus keep its mapping after the object,
 * the device and this module are gone, fork with it and unmap it late.
 */

#include "verbs/mmap.h"

#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>
#include <rdma/rdma_user_rxe.h>

#include "verbs/ctx.h"

/* Page offsets fit the user's off_t everywhere. 0 stays free. */
#define TUFF_MMAP_LIMIT	XA_LIMIT(1, INT_MAX)

static struct page **tuff_mmap_alloc_pages(unsigned int nr)
{
	struct page **pages;
	unsigned int i;

	pages = kvcalloc(nr, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return NULL;
	for (i = 0; i < nr; i++) {
		pages[i] = alloc_page(GFP_KERNEL_ACCOUNT | __GFP_ZERO);
		if (!pages[i])
			goto err_pages;
	}
	return pages;

err_pages:
	while (i--)
		__free_page(pages[i]);
	kvfree(pages);
	return NULL;
}

/* VM_MAP_PUT_PAGES: vfree() drops the pages and their array. */
static void *tuff_mmap_vmap(unsigned int nr)
{
	struct page **pages = tuff_mmap_alloc_pages(nr);
	void *addr;

	if (!pages)
		return NULL;
	addr = vmap(pages, nr, VM_MAP | VM_MAP_PUT_PAGES, PAGE_KERNEL);
	if (!addr) {
		while (nr--)
			__free_page(pages[nr]);
		kvfree(pages);
	}
	return addr;
}

/**
 * tuff_mmap_alloc() - allocate memory that a user context can map
 * @ibuc: the context
 * @size: bytes, not 0
 *
 * The pages are charged to the caller's memory cgroup and not to
 * RLIMIT_MEMLOCK.
 *
 * Context: Process context, may sleep.
 * Return: the memory with one reference, or NULL.
 */
struct tuff_mmap *tuff_mmap_alloc(struct ib_ucontext *ibuc, size_t size)
{
	struct tuff_ucontext *uctx = tuff_ucontext_of(ibuc);
	struct tuff_mmap *map;

	if (!size || size > U32_MAX - PAGE_SIZE)
		return NULL;
	map = kzalloc_obj(*map, GFP_KERNEL_ACCOUNT);
	if (!map)
		return NULL;
	kref_init(&map->ref);
	map->size = size;
	map->nr_pages = PAGE_ALIGN(size) >> PAGE_SHIFT;
	map->addr = tuff_mmap_vmap(map->nr_pages);
	if (!map->addr)
		goto err_free;
	map->uctx = uctx;
	if (xa_alloc_cyclic(&uctx->mmaps, &map->pgoff, map, TUFF_MMAP_LIMIT,
			    &uctx->next_off, GFP_KERNEL_ACCOUNT) < 0)
		goto err_vfree;
	return map;

err_vfree:
	vfree(map->addr);
err_free:
	kfree(map);
	return NULL;
}

/**
 * tuff_mmap_info() - what the provider library needs to map the memory
 * @map: the memory
 * @info: filled
 */
void tuff_mmap_info(const struct tuff_mmap *map, struct mminfo *info)
{
	memset(info, 0, sizeof(*info));
	info->offset = (u64)map->pgoff << PAGE_SHIFT;
	info->size = map->size;
}

/**
 * tuff_mmap_hide() - let nobody map the memory any more
 * @map: the memory
 *
 * Existing mappings stay. May be called again, but not once the context is
 * gone unless it was called before.
 *
 * Context: Process context.
 */
void tuff_mmap_hide(struct tuff_mmap *map)
{
	if (!map->uctx)
		return;
	xa_erase(&map->uctx->mmaps, map->pgoff);
	map->uctx = NULL;
}

static void tuff_mmap_release(struct kref *ref)
{
	struct tuff_mmap *map = container_of(ref, struct tuff_mmap, ref);

	WARN_ON_ONCE(map->uctx);
	/* In softirq vfree() leaves the work to a work item of its own. */
	vfree(map->addr);
	kfree(map);
}

/**
 * tuff_mmap_put() - drop a reference
 * @map: the memory, or NULL
 *
 * Context: Any but hard interrupts and interrupts off.
 */
void tuff_mmap_put(struct tuff_mmap *map)
{
	if (map)
		kref_put(&map->ref, tuff_mmap_release);
}

/**
 * tuff_mmap_free() - hide the memory and drop a reference
 * @map: the memory, or NULL
 *
 * Context: Process context.
 */
void tuff_mmap_free(struct tuff_mmap *map)
{
	if (!map)
		return;
	tuff_mmap_hide(map);
	tuff_mmap_put(map);
}

/* The look-up races with tuff_mmap_hide(): both under the xarray's lock. */
static struct tuff_mmap *tuff_mmap_find_get(struct tuff_ucontext *uctx,
					    unsigned long pgoff)
{
	struct tuff_mmap *map;

	xa_lock(&uctx->mmaps);
	map = xa_load(&uctx->mmaps, pgoff);
	if (map)
		kref_get(&map->ref);
	xa_unlock(&uctx->mmaps);
	return map;
}

/* vm_insert_pages() takes a page list: feed it in pieces from the stack. */
static int tuff_mmap_insert(struct vm_area_struct *vma, struct tuff_mmap *map,
			    unsigned long nr)
{
	struct page *pages[16];
	unsigned long done, left;
	unsigned int n, i;
	int err;

	for (done = 0; done < nr; done += n) {
		n = min_t(unsigned long, nr - done, ARRAY_SIZE(pages));
		for (i = 0; i < n; i++)
			pages[i] = vmalloc_to_page(map->addr +
						   ((done + i) << PAGE_SHIFT));
		left = n;
		err = vm_insert_pages(vma, vma->vm_start + (done << PAGE_SHIFT),
				      pages, &left);
		if (err)
			return err;
	}
	return 0;
}

/**
 * tuff_mmap() - map the memory of a ring into the caller
 * @ibuc: context of the file that is mapped
 * @vma: the mapping; it starts at the offset given by tuff_mmap_info()
 *
 * Context: Process context, with the mmap lock for writing.
 * Return: 0, or -EINVAL when the context has nothing of that size there.
 */
int tuff_mmap(struct ib_ucontext *ibuc, struct vm_area_struct *vma)
{
	struct tuff_ucontext *uctx = tuff_ucontext_of(ibuc);
	unsigned long nr = vma_pages(vma);
	struct tuff_mmap *map;
	int err = -EINVAL;

	map = tuff_mmap_find_get(uctx, vma->vm_pgoff);
	if (!map)
		return -EINVAL;
	if (!(vma->vm_flags & VM_SHARED) || nr > map->nr_pages)
		goto out_put;
	/* Growing it by mremap() would show nothing but SIGBUS. */
	vm_flags_set(vma, VM_DONTEXPAND | VM_DONTDUMP);
	err = tuff_mmap_insert(vma, map, nr);
out_put:
	tuff_mmap_put(map);
	return err;
}
