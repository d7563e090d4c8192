// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: memory of outgoing packets, used again and again
 *
 * Kernels that are built with init_on_alloc (Debian's) clear all memory that
 * they hand out: more work than to fill it. Memory of our own that comes back
 * needs no clearing, since nothing but packets has ever been in it, and of a
 * packet only what was written is sent.
 */
#include "wire/pages.h"

#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/percpu.h>

#define TUFF_PAGES_ORDER	3	/* of one slab; 32 KiB */
#define TUFF_PAGES_SIZE		(PAGE_SIZE << TUFF_PAGES_ORDER)
#define TUFF_PAGES_SLABS	32	/* per CPU */

/**
 * struct tuff_pages - slabs of a CPU, in a circle
 * @slab: each with one reference of ours, and one for each piece that is out
 * @cur: the one that pieces are cut from
 * @off: where the next piece begins
 *
 * By the time a slab's turn comes again its packets are gone as a rule, and
 * ours is the only reference. If not, it is left to its packets and another
 * one takes its place.
 */
struct tuff_pages {
	struct page *slab[TUFF_PAGES_SLABS];
	unsigned int cur;
	u32 off;
};

static DEFINE_PER_CPU(struct tuff_pages, tuff_pages);

static bool tuff_pages_is_ours(struct page *page)
{
	return page && page_ref_count(page) == 1;
}

static struct page *tuff_pages_next(struct tuff_pages *p)
{
	unsigned int next = (p->cur + 1) % TUFF_PAGES_SLABS;
	struct page *page = p->slab[next];

	if (!tuff_pages_is_ours(page)) {
		page = alloc_pages(GFP_ATOMIC | __GFP_COMP | __GFP_NOWARN |
				   __GFP_NOMEMALLOC | __GFP_NORETRY,
				   TUFF_PAGES_ORDER);
		if (!page)
			return NULL;
		if (p->slab[next])
			put_page(p->slab[next]);
		p->slab[next] = page;
	}
	p->cur = next;
	p->off = 0;

	return page;
}

/**
 * tuff_pages_alloc() - memory for a packet
 * @len: bytes
 * @refs: how many will be given back
 *
 * Context: softirq or BHs off.
 * Return: memory that begins a cache line, with @refs references on its page
 * that the caller gives back (page_frag_free()), or NULL.
 */
void *tuff_pages_alloc(u32 len, int refs)
{
	struct tuff_pages *p = this_cpu_ptr(&tuff_pages);
	struct page *page = p->slab[p->cur];
	void *mem;

	len = ALIGN(len, SMP_CACHE_BYTES);
	if (len > TUFF_PAGES_SIZE)
		return NULL;
	if (!page || len > TUFF_PAGES_SIZE - p->off) {
		page = tuff_pages_next(p);
		if (!page)
			return NULL;
	}
	mem = page_address(page) + p->off;
	p->off += len;
	page_ref_add(page, refs);

	return mem;
}

/**
 * tuff_pages_exit() - give all slabs back
 *
 * Context: module exit, nothing is sent any more.
 */
void tuff_pages_exit(void)
{
	struct tuff_pages *p;
	int cpu, i;

	for_each_possible_cpu(cpu) {
		p = per_cpu_ptr(&tuff_pages, cpu);
		for (i = 0; i < TUFF_PAGES_SLABS; i++) {
			if (p->slab[i])
				put_page(p->slab[i]);
			p->slab[i] = NULL;
		}
	}
}
