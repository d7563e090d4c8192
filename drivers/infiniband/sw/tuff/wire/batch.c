// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: packets that travel through this host's stack as one sk_buff
 *
 * Consecutive packets of a QP leave as one GSO sk_buff with a list of further
 * ones, so that IP, netfilter, queueing disciplines and virtual devices are
 * passed once. What is on the wire is the same: the stack cuts the list before
 * a device that does not take it, keeps the members' headers as they are but
 * for the MAC header, and numbers the IPv4 IDs upwards from the head's, which
 * is how they were given to them when their ICRCs were made.
 *
 * The rules of that: a list is UDP_L4 with FRAGLIST, and UDP_TUNNEL, without
 * which UDP cuts it before a socket like ours. The head's bytes behind the UDP
 * header are gso_size, no member's are more, only the last one's are less;
 * members have data behind their UDP header, and neither destructor nor route.
 * In IP and UDP header of the head stand the lengths of it all.
 */
#include "wire/batch.h"

#include <linux/etherdevice.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/udp.h>

static bool tuff_batch = true;
module_param_named(batch, tuff_batch, bool, 0644);
MODULE_PARM_DESC(batch, "Hand several packets of a QP to the stack as one");

#define TUFF_BATCH_SEGS	64	/* packets of one batch: bounds a receiver's run */

/**
 * struct tuff_batch_cb - the head of a batch that is being gathered
 * @av: the path of all of it; compared only, and alive while it is gathered
 * @last: last member, or NULL
 * @room: bytes that it may still grow by
 * @size: bytes behind the UDP header of the head
 * @segs: packets that may still join
 * @gathered: packets of it
 */
struct tuff_batch_cb {
	const struct tuff_av *av;
	struct sk_buff *last;
	u32 room;
	u16 size;
	u16 segs;
	u16 gathered;
};

static struct tuff_batch_cb *tuff_batch_cb(struct sk_buff *skb)
{
	BUILD_BUG_ON(sizeof(struct tuff_batch_cb) > sizeof(skb->cb));

	return (struct tuff_batch_cb *)skb->cb;
}

static u32 tuff_batch_payload(const struct sk_buff *skb)
{
	return skb->len - skb_transport_offset(skb) - sizeof(struct udphdr);
}

/* How long a GSO packet the device takes: what it is asked is less than this. */
static u32 tuff_batch_max(const struct net_device *out,
			  const struct sk_buff *skb)
{
	u32 max = min_t(u32, netif_get_gso_max_size(out, skb),
			GSO_LEGACY_MAX_SIZE);

	return max - min_t(u32, max, LL_RESERVED_SPACE(out) + 1);
}

/**
 * tuff_batch_start() - a packet that others may join
 * @head: the packet, as wire/frame.c makes it
 * @av: its path
 * @dst: its route
 * @alone: none shall join
 *
 * Context: owner of the QP, under RCU.
 */
void tuff_batch_start(struct sk_buff *head, const struct tuff_av *av,
		      const struct dst_entry *dst, bool alone)
{
	const struct net_device *out = dst_dev_rcu(dst);
	struct tuff_batch_cb *cb = tuff_batch_cb(head);
	u32 max = tuff_batch_max(out, head);
	u32 segs = READ_ONCE(out->gso_max_segs);

	cb->av = av;
	cb->last = NULL;
	cb->size = tuff_batch_payload(head);
	cb->room = max - min(max, head->len);
	cb->segs = 0;
	cb->gathered = 1;
	/* IPsec and what else wraps packets into others want them whole. */
	if (segs > 1 && !alone && READ_ONCE(tuff_batch) && !dst_xfrm(dst) &&
	    !dst->lwtstate)
		cb->segs = min_t(u32, segs, TUFF_BATCH_SEGS) - 1;
}

/**
 * tuff_batch_route() - the route of a batch that is being gathered
 * @head: its head, or NULL
 * @av: a path
 *
 * Context: owner of the QP, in the RCU section in which the batch began.
 * Return: the route when the batch is on this path, else NULL.
 */
struct dst_entry *tuff_batch_route(struct sk_buff *head,
				   const struct tuff_av *av)
{
	return head && tuff_batch_cb(head)->av == av ? skb_dst(head) : NULL;
}

/*
 * Of one flow: a path and a source port, which is that of the queue pairs' for
 * a datagram; and the ID is the one that the stack will give it, the head's
 * and @n.
 */
static bool tuff_batch_same_flow(const struct sk_buff *a,
				 const struct sk_buff *b, u16 n)
{
	return udp_hdr(a)->source == udp_hdr(b)->source &&
	       (a->protocol != htons(ETH_P_IP) ||
		ntohs(ip_hdr(b)->id) == (u16)(ntohs(ip_hdr(a)->id) + n));
}

/**
 * tuff_batch_join() - put a packet behind others
 * @head: the first of them, after tuff_batch_start()
 * @skb: the next packet of the same QP, with its route and priority
 * @av: its path
 *
 * Context: owner of the QP, under RCU.
 * Return: true when it was taken.
 */
bool tuff_batch_join(struct sk_buff *head, struct sk_buff *skb,
		     const struct tuff_av *av)
{
	struct tuff_batch_cb *cb = tuff_batch_cb(head);
	u32 len = tuff_batch_payload(skb);

	if (!cb->segs || cb->av != av || len > cb->room || len > cb->size ||
	    !tuff_batch_same_flow(head, skb, cb->gathered))
		return false;

	skb_dst_drop(skb);
	__skb_pull(skb, skb_transport_offset(skb) + sizeof(struct udphdr));
	if (cb->last)
		cb->last->next = skb;
	else
		skb_shinfo(head)->frag_list = skb;
	cb->last = skb;
	cb->room -= len;
	/* A short one is the last one. */
	cb->segs = len < cb->size ? 0 : cb->segs - 1;
	cb->gathered++;
	head->len += len;
	head->data_len += len;
	head->truesize += skb->truesize;

	return true;
}

/**
 * tuff_batch_close() - a batch, or a packet alone, is about to leave
 * @head: after tuff_batch_start()
 *
 * Context: owner of the QP.
 */
void tuff_batch_close(struct sk_buff *head)
{
	struct skb_shared_info *shinfo = skb_shinfo(head);
	struct tuff_batch_cb *cb = tuff_batch_cb(head);

	if (cb->gathered > 1) {
		shinfo->gso_size = cb->size;
		shinfo->gso_segs = cb->gathered;
		shinfo->gso_type = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST |
				   SKB_GSO_UDP_TUNNEL;
		/* There is none: the stack must not think it has to make it. */
		head->ip_summed = CHECKSUM_UNNECESSARY;
		udp_hdr(head)->len = htons(head->len -
					   skb_transport_offset(head));
	}
	/* IP looks for its own marks there. */
	memset(head->cb, 0, sizeof(head->cb));
}

/*
 * A batch of ours, laid out as it was, and nobody else looks at it: it may be
 * taken apart here.
 */
static bool tuff_batch_is_plain(struct sk_buff *skb, bool ipv6)
{
	u32 want = SKB_GSO_UDP_L4 | SKB_GSO_FRAGLIST | SKB_GSO_UDP_TUNNEL;
	u32 size = skb_shinfo(skb)->gso_size;
	struct sk_buff *member;
	u32 hlen = (ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)) +
		   sizeof(struct udphdr);

	if (skb_shinfo(skb)->gso_type != want || skb_cloned(skb) ||
	    !skb_has_frag_list(skb) ||
	    skb_pagelen(skb) != sizeof(struct udphdr) + size ||
	    skb_network_header_len(skb) + sizeof(struct udphdr) != hlen ||
	    ntohs(udp_hdr(skb)->len) != skb->len)
		return false;
	skb_walk_frags(skb, member) {
		if (skb_shared(member) || skb_cloned(member) ||
		    member->len > size || skb_has_frag_list(member) ||
		    !skb_transport_header_was_set(member) ||
		    member->data - skb_network_header(member) != hlen ||
		    skb_headroom(member) < hlen + ETH_HLEN)
			return false;
	}

	return true;
}

/* What the stack did to the head it did to all of them. */
static void tuff_batch_dress(struct sk_buff *skb, const struct sk_buff *head,
			     bool ipv6)
{
	struct ipv6hdr *ip6h = ipv6_hdr(skb);
	struct iphdr *iph = ip_hdr(skb);

	__skb_push(skb, sizeof(struct udphdr));
	skb->dev = head->dev;
	skb->skb_iif = head->skb_iif;
	skb->protocol = head->protocol;
	skb->pkt_type = head->pkt_type;
	memcpy(skb->cb, head->cb, sizeof(skb->cb));
	*(__be32 *)&udp_hdr(skb)->source = *(__be32 *)&udp_hdr(head)->source;
	if (ipv6) {
		*(__be32 *)ip6h = *(__be32 *)ipv6_hdr(head);
		ip6h->hop_limit = ipv6_hdr(head)->hop_limit;
		ip6h->saddr = ipv6_hdr(head)->saddr;
		ip6h->daddr = ipv6_hdr(head)->daddr;
	} else {
		iph->tos = ip_hdr(head)->tos;
		iph->ttl = ip_hdr(head)->ttl;
		iph->saddr = ip_hdr(head)->saddr;
		iph->daddr = ip_hdr(head)->daddr;
		ip_send_check(iph);
	}
	if (skb_mac_header_was_set(head) &&
	    skb_mac_header_len(head) == ETH_HLEN) {
		skb_set_mac_header(skb, skb_network_offset(skb) - ETH_HLEN);
		memcpy(skb_mac_header(skb), skb_mac_header(head), ETH_HLEN);
	}
}

/* Take a batch apart; a packet after the other, linked by skb->next. */
static struct sk_buff *tuff_batch_unlink(struct sk_buff *head, bool ipv6)
{
	struct sk_buff *list = skb_shinfo(head)->frag_list;
	struct sk_buff *skb;

	for (skb = list; skb; skb = skb->next) {
		head->len -= skb->len;
		head->data_len -= skb->len;
		head->truesize -= skb->truesize;
		tuff_batch_dress(skb, head, ipv6);
	}
	skb_shinfo(head)->frag_list = NULL;
	skb_gso_reset(head);
	head->next = list;

	udp_hdr(head)->len = htons(head->len);
	if (ipv6) {
		ipv6_hdr(head)->payload_len = htons(head->len);
	} else {
		ip_hdr(head)->tot_len = htons(head->len + sizeof(struct iphdr));
		ip_send_check(ip_hdr(head));
	}

	return head;
}

/**
 * tuff_batch_split() - a GSO packet came in
 * @sk: our socket
 * @skb: the packet, skb->data at the UDP header; taken
 * @ipv6: its IP header is IPv6
 *
 * Batches of this host's QPs are taken apart as they were put together. What
 * else there may be (GSO packets of others, batches that somebody else looks
 * at) is left to the stack.
 *
 * Context: softirq or BHs off, under RCU.
 * Return: the packets, linked by skb->next, each as tuff_rx() gets a single
 * one; NULL when there was no memory.
 */
struct sk_buff *tuff_batch_split(struct sock *sk, struct sk_buff *skb,
				 bool ipv6)
{
	struct sk_buff *segs, *next, *list;

	if (likely(tuff_batch_is_plain(skb, ipv6)))
		return tuff_batch_unlink(skb, ipv6);

	__skb_push(skb, -skb_mac_offset(skb));
	list = udp_rcv_segment(sk, skb, !ipv6);
	skb_list_walk_safe(list, segs, next)
		__skb_pull(segs, skb_transport_offset(segs));

	return list;
}
