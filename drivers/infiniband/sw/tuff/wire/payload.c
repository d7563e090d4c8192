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
#include "wire/rx.h"
#include "wire/wire.h"

static int tuff_rx_write_pinned(struct tuff_mr *mr, u64 va,
				struct sk_buff *skb, u32 off, u32 len)
{
	void *dst;
	u32 n;

	while (len) {
		n = len;
		dst = tuff_mr_map(mr, va, &n);
		if (!dst || skb_copy_bits(skb, off, dst, n))
			return -EFAULT;
		va += n;
		off += n;
		len -= n;
	}

	return 0;
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
	int err;

	if (WARN_ON_ONCE(off > pkt->len || len > pkt->len - off))
		return -EFAULT;
	off += pkt->off;
	if (off + len <= skb_headlen(skb))
		return tuff_mr_write(mr, va, skb->data + off, len);

	if (!tuff_mr_pin(mr))
		return -EFAULT;
	err = tuff_rx_write_pinned(mr, va, skb, off, len);
	tuff_mr_unpin(mr);

	return err;
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
