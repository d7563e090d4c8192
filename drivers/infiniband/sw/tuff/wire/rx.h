/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: packets in */
#ifndef _TUFF_WIRE_RX_H
#define _TUFF_WIRE_RX_H

#include <linux/build_bug.h>
#include <linux/skbuff.h>

#define TUFF_VLAN_NONE	0xffff

/**
 * struct tuff_rx_cb - what a received packet carries along
 * @vlan: VLAN id of the netdev it came in by, or TUFF_VLAN_NONE
 * @ipv6: the IP header is IPv6
 * @has_smac: the Ethernet header is there
 *
 * skb->data is the BTH, skb->len reaches to the end of the ICRC, IP and UDP
 * header stand before and are linear, as are BTH and extended headers. The
 * ICRC was found right. skb->dev is not to be followed.
 */
struct tuff_rx_cb {
	u16 vlan;
	bool ipv6;
	bool has_smac;
};

static inline struct tuff_rx_cb *tuff_rx_cb(const struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct tuff_rx_cb) > sizeof(skb->cb));

	return (struct tuff_rx_cb *)skb->cb;
}

const u8 *tuff_rx_at(const struct sk_buff *skb, u32 off, u32 *len);

/* Call-backs of the sockets. */
int tuff_rx(struct sock *sk, struct sk_buff *skb);
int tuff_rx_icmp(struct sock *sk, struct sk_buff *skb);

#endif /* _TUFF_WIRE_RX_H */
