// SPDX-License-Identifier: GPL-2.0
/* tuff: received packets that wait for those before them */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/skbuff.h>

#include "engine/qp.h"
#include "wire/rx.h"
#include "wire/wire.h"

/* All that is kept, of all queue pairs: at most 1/16 of the memory. */
#define TUFF_KEPT_SHIFT	4

static unsigned int tuff_early = TUFF_EARLY_LEARNED;
module_param_named(early, tuff_early, uint, 0644);
MODULE_PARM_DESC(early, "Keep packets that come before their turn: 0 never, 1 of peers that repeat only what is lost (default), 2 always");

static atomic_long_t tuff_kept_bytes;	/* memory of what is kept */

/**
 * tuff_kept_mode() - whose packets are kept
 *
 * Context: any.
 * Return: what the module's parameter says.
 */
enum tuff_early_mode tuff_kept_mode(void)
{
	return min_t(unsigned int, READ_ONCE(tuff_early),
		     TUFF_EARLY_ALWAYS);
}

/* What a packet holds: all of the pages that its bytes may be a part of. */
static long tuff_kept_size(const struct sk_buff *skb)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	struct page *page, *last = NULL;
	long size = 0;
	int i;

	if (skb->head_frag) {
		last = virt_to_head_page(skb->head);
		size = page_size(last);
	}
	for (i = 0; i < shinfo->nr_frags; i++) {
		page = compound_head(skb_frag_page(&shinfo->frags[i]));
		if (page != last)
			size += page_size(page);
		last = page;
	}

	return max_t(long, skb->truesize, size);
}

/**
 * tuff_kept_get() - keep a packet
 * @pkt: the packet, while it is received
 *
 * Context: softirq or BHs off.
 * Return: the packet, to be given back with tuff_kept_put(), or NULL when too
 * much is kept already.
 */
struct sk_buff *tuff_kept_get(const struct tuff_pkt *pkt)
{
	long most = (totalram_pages() << PAGE_SHIFT) >> TUFF_KEPT_SHIFT;
	struct sk_buff *skb = pkt->buf;
	long size = tuff_kept_size(skb);

	if (atomic_long_add_return(size, &tuff_kept_bytes) > most) {
		atomic_long_sub(size, &tuff_kept_bytes);
		return NULL;
	}
	tuff_rx_detach(skb);

	return skb_get(skb);
}

/**
 * tuff_kept_put() - give a kept packet back
 * @skb: the packet
 *
 * Context: softirq or BHs off.
 */
void tuff_kept_put(struct sk_buff *skb)
{
	atomic_long_sub(tuff_kept_size(skb), &tuff_kept_bytes);
	consume_skb(skb);
}
