// SPDX-License-Identifier: GPL-2.0
/* tuff: bytes into a list of memory pieces */
#include "engine/scatter.h"

#include <linux/errno.h>
#include <linux/minmax.h>

#include "engine/world.h"

/* From @pkt's payload, or from @src when that is given. */
static int tuff_scatter(const struct tuff_sge *sge, u32 num_sge, u32 off,
			const struct tuff_pkt *pkt, const u8 *src, u32 len)
{
	u32 done = 0;
	int ret;

	for (; num_sge && done < len; sge++, num_sge--) {
		u32 n;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		n = min(sge->len - off, len - done);
		if (src)
			ret = tuff_world_mem_write(sge->mr, sge->addr + off,
						   src + done, n);
		else
			ret = tuff_world_pkt_write(sge->mr, sge->addr + off,
						   pkt, done, n);
		if (ret)
			return ret;
		done += n;
		off = 0;
	}
	return done == len ? 0 : -EFAULT;
}

/**
 * tuff_scatter_pkt() - a packet's payload into a list of memory pieces
 * @sge: the list
 * @num_sge: its entries
 * @off: where in the list the payload begins, bytes
 * @pkt: packet
 *
 * Context: owner of the QP.
 * Return: 0, or -EFAULT when the list is too short or a region went away.
 */
int tuff_scatter_pkt(const struct tuff_sge *sge, u32 num_sge, u32 off,
		     const struct tuff_pkt *pkt)
{
	return tuff_scatter(sge, num_sge, off, pkt, NULL, pkt->len);
}

/**
 * tuff_scatter_mem() - kernel memory into a list of memory pieces
 * @sge: the list
 * @num_sge: its entries
 * @off: where in the list to begin, bytes
 * @src: source
 * @len: bytes
 *
 * Context: owner of the QP.
 * Return: 0, or -EFAULT when the list is too short or a region went away.
 */
int tuff_scatter_mem(const struct tuff_sge *sge, u32 num_sge, u32 off,
		     const void *src, u32 len)
{
	return tuff_scatter(sge, num_sge, off, NULL, src, len);
}
