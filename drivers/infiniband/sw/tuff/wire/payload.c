// SPDX-License-Identifier: GPL-2.0
/* tuff: what the engine and the completions read from a received packet */
#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/skbuff.h>
#include <net/ipv6.h>
#include <rdma/ib_verbs.h>

#include "verbs/av.h"
#include "verbs/mem.h"
#include "wire/copy.h"
#include "wire/rx.h"
#include "wire/wire.h"

/**
 * tuff_rx_at() - where a part of a packet lies
 * @skb: the packet, without a list of further sk_buffs
 * @off: bytes from skb->data on
 * @len: bytes wanted; set to how many of them lie one after the other
 *
 * Context: softirq or BHs off.
 * Return: the address, or NULL when the packet ends before.
 */
const u8 *tuff_rx_at(const struct sk_buff *skb, u32 off, u32 *len)
{
	const skb_frag_t *frag;
	u32 size = skb_headlen(skb);
	int i;

	if (off < size) {
		*len = min(*len, size - off);
		return skb->data + off;
	}
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		off -= size;
		frag = &skb_shinfo(skb)->frags[i];
		size = skb_frag_size(frag);
		if (off < size) {
			*len = min(*len, size - off);
			return skb_frag_address(frag) + off;
		}
	}

	return NULL;
}

/**
 * tuff_rx_write() - copy a part of a packet's payload into a region
 * @mr: region; [@va, @va + @len) was checked
 * @va: destination
 * @pkt: the packet
 * @off: first byte of the payload to copy
 * @len: bytes
 *
 * Context: softirq or BHs off.
 * Return: 0, or -EFAULT when the region was deregistered meanwhile.
 */
int tuff_rx_write(struct tuff_mr *mr, u64 va, const struct tuff_pkt *pkt,
		  u32 off, u32 len)
{
	struct sk_buff *skb = pkt->buf;
	const u8 *src;
	void *dst;
	u32 n;

	if (WARN_ON_ONCE(off > pkt->len || len > pkt->len - off))
		return -EFAULT;
	if (!tuff_mr_pin(mr))
		return -EFAULT;
	off += pkt->off;
	while (len) {
		n = len;
		src = tuff_rx_at(skb, off, &n);
		if (WARN_ON_ONCE(!src))
			break;
		dst = tuff_mr_map(mr, va, &n);
		tuff_copy(dst, src, n);
		va += n;
		off += n;
		len -= n;
	}
	tuff_mr_unpin(mr);

	return len ? -EFAULT : 0;
}

/**
 * tuff_rx_grh() - the bytes before the payload in a UD receive buffer
 * @pkt: the packet
 * @grh: 40 bytes: the IPv6 header, or 20 zeros and the IPv4 header
 *	(IBA A17.4.5.2)
 *
 * Context: softirq or BHs off.
 */
void tuff_rx_grh(const struct tuff_pkt *pkt, u8 grh[40])
{
	struct sk_buff *skb = pkt->buf;

	BUILD_BUG_ON(sizeof(struct ipv6hdr) != 40);

	if (tuff_rx_cb(skb)->ipv6) {
		memcpy(grh, ipv6_hdr(skb), sizeof(struct ipv6hdr));
	} else {
		memset(grh, 0, 40 - sizeof(struct iphdr));
		memcpy(grh + 40 - sizeof(struct iphdr), ip_hdr(skb),
		       sizeof(struct iphdr));
	}
}

/**
 * tuff_rx_from() - whether a packet came from the other end of a path
 * @pkt: the packet
 * @av: path of a connected QP
 *
 * Context: softirq or BHs off.
 * Return: true when the packet's addresses are those of @av, both of them.
 */
bool tuff_rx_from(const struct tuff_pkt *pkt, const struct tuff_av *av)
{
	struct sk_buff *skb = pkt->buf;

	if (tuff_rx_cb(skb)->ipv6 != av->ipv6)
		return false;
	if (av->ipv6)
		return ipv6_addr_equal(&ipv6_hdr(skb)->saddr, &av->daddr.v6) &&
		       ipv6_addr_equal(&ipv6_hdr(skb)->daddr, &av->saddr.v6);

	return ip_hdr(skb)->saddr == av->daddr.v4.s_addr &&
	       ip_hdr(skb)->daddr == av->saddr.v4.s_addr;
}

/**
 * tuff_rx_wc() - address fields of a datagram's completion
 * @pkt: the packet
 * @wc: completion; smac, vlan_id, network_hdr_type and their flags are set
 *
 * Context: softirq or BHs off.
 */
void tuff_rx_wc(const struct tuff_pkt *pkt, struct ib_wc *wc)
{
	struct sk_buff *skb = pkt->buf;
	struct tuff_rx_cb *cb = tuff_rx_cb(skb);

	wc->wc_flags |= IB_WC_WITH_NETWORK_HDR_TYPE;
	wc->network_hdr_type = cb->ipv6 ? RDMA_NETWORK_IPV6 :
					  RDMA_NETWORK_IPV4;
	if (cb->vlan != TUFF_VLAN_NONE) {
		wc->wc_flags |= IB_WC_WITH_VLAN;
		wc->vlan_id = cb->vlan;
	}
	if (cb->has_smac) {
		wc->wc_flags |= IB_WC_WITH_SMAC;
		ether_addr_copy(wc->smac, eth_hdr(skb)->h_source);
	}
}
