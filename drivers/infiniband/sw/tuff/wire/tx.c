// SPDX-License-Identifier: GPL-2.0
/* tuff: packets out: headers, payload, ICRC, and the way to the IP layer */
#include "wire/tx.h"

#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/route.h>
#include <net/sock.h>
#include <trace/events/tuff.h>

#include "engine/build.h"
#include "engine/icrc.h"
#include "engine/opcode.h"
#include "engine/parse.h"
#include "owner.h"
#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/mem.h"
#include "verbs/qp.h"
#include "wire/route.h"
#include "wire/sock.h"
#include "wire/wire.h"

/*
 * Bytes that a QP may have between here and the end of the last driver. More
 * only lengthens the queues of other flows. Packets are charged in powers of
 * two of TUFF_TX_UNIT, see tuff_tx_own().
 */
#define TUFF_TX_BOUND		(512 * 1024)
#define TUFF_TX_UNIT		256
#define TUFF_TX_CLASS_MASK	7UL

/*
 * QPs that have packets on their way, as a sum over all CPUs. Not zero means
 * that our destructor is still to be called.
 */
static DEFINE_PER_CPU(long, tuff_tx_busy);

static u32 tuff_tx_class(u32 len)
{
	return min_t(u32, fls((len - 1) / TUFF_TX_UNIT), TUFF_TX_CLASS_MASK);
}

static int tuff_tx_charge(u32 class)
{
	return TUFF_TX_UNIT << class;
}

/*
 * The stack is done with a packet. Runs wherever it was freed or orphaned:
 * below our own transmit, under a qdisc's lock, in any softirq. So no lock is
 * taken here, and the QP, if it waits for room, runs later.
 *
 * The reference that the QP's packets share goes with the last of them.
 * Between the subtraction and the end another CPU may drop it, hence RCU: the
 * memory stays, and tuff_owner_raise() takes no dead QP.
 */
static void tuff_tx_done(struct sk_buff *skb)
{
	unsigned long arg = (unsigned long)skb_shinfo(skb)->destructor_arg;
	int charge = tuff_tx_charge(arg & TUFF_TX_CLASS_MASK);
	struct tuff_vqp *vqp = (void *)(arg & ~TUFF_TX_CLASS_MASK);
	int left;

	if (unlikely(skb->sk))
		sock_put(skb->sk);
	rcu_read_lock();
	/* A full barrier: pairs with the one in tuff_tx_is_full(). */
	left = atomic_sub_return(charge, &vqp->tx_bytes);
	if (left < TUFF_TX_BOUND / 2 && atomic_read(&vqp->tx_blocked) &&
	    atomic_xchg(&vqp->tx_blocked, 0))
		tuff_owner_raise(vqp);
	if (!left) {
		tuff_vqp_put(vqp);
		this_cpu_dec(tuff_tx_busy);
	}
	rcu_read_unlock();
}

/*
 * Charge a packet to its QP. The charge has to be known when it is given back,
 * and neither the length nor the true size stays the same below us; so its
 * class stands in the low bits of the pointer. destructor_arg is free for us
 * as long as no zero-copy flag is set.
 */
static void tuff_tx_own(struct tuff_vqp *vqp, struct sk_buff *skb)
{
	u32 class = tuff_tx_class(skb->len);
	int charge = tuff_tx_charge(class);

	BUILD_BUG_ON(__alignof__(struct tuff_vqp) <= TUFF_TX_CLASS_MASK);

	skb_shinfo(skb)->destructor_arg = (void *)((unsigned long)vqp | class);
	skb->destructor = tuff_tx_done;
	/* Only the owner adds: nothing else was on its way when this is all. */
	if (atomic_add_return(charge, &vqp->tx_bytes) == charge) {
		kref_get(&vqp->ref);
		this_cpu_inc(tuff_tx_busy);
	}
}

/*
 * No room for another packet? Then the destructor raises the QP when half of
 * it has gone: either it sees @tx_blocked, or we see what it subtracted.
 */
static bool tuff_tx_is_full(struct tuff_vqp *vqp)
{
	if (likely(atomic_read(&vqp->tx_bytes) < TUFF_TX_BOUND))
		return false;
	atomic_set(&vqp->tx_blocked, 1);
	smp_mb();	/* see tuff_tx_done() */

	return atomic_read(&vqp->tx_bytes) >= TUFF_TX_BOUND;
}

/* Copy the payload of a packet out of the pieces of memory it consists of. */
static int tuff_tx_copy(u8 *dst, const struct tuff_payload *pl)
{
	const struct tuff_sge *sge = pl->sge;
	u32 off = pl->off;
	u32 left = pl->len;
	u32 i, n;
	int err;

	if (pl->data) {
		memcpy(dst, pl->data + off, left);
		return 0;
	}

	for (i = 0; i < pl->num_sge && left; i++, sge++) {
		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		n = min(left, sge->len - off);
		err = tuff_mr_read(sge->mr, sge->addr + off, dst, n);
		if (err)
			return err;
		dst += n;
		left -= n;
		off = 0;
	}

	return WARN_ON_ONCE(left) ? -EFAULT : 0;
}

/* All that is needed to lay a packet out. */
struct tuff_tx_layout {
	u32 ip_hlen;
	u32 hdr_len;	/* BTH and extended headers */
	u32 data_len;	/* payload, without pad */
	u32 len;	/* from the IP header to the end of the ICRC */
};

static void tuff_tx_lay_out(struct tuff_tx_layout *lay, struct tuff_av *av,
			    const struct tuff_hdr *hdr,
			    const struct tuff_payload *pl)
{
	lay->ip_hlen = av->ipv6 ? sizeof(struct ipv6hdr) :
				  sizeof(struct iphdr);
	lay->hdr_len = tuff_opcodes[hdr->opcode].hdr_len;
	lay->data_len = pl ? pl->len : 0;
	lay->len = lay->ip_hlen + sizeof(struct udphdr) + lay->hdr_len +
		   lay->data_len + hdr->pad + TUFF_ICRC_LEN;
}

static struct sk_buff *tuff_tx_alloc(struct dst_entry *dst, u32 len)
{
	struct net_device *out = dst_dev_rcu(dst);
	u32 room = LL_RESERVED_SPACE(out) + dst->header_len;
	struct sk_buff *skb;

	skb = alloc_skb(room + len + out->needed_tailroom + dst->trailer_len,
			GFP_ATOMIC | __GFP_NOWARN);
	if (!skb)
		return NULL;
	skb_reserve(skb, room);
	skb_put(skb, len);
	skb_reset_network_header(skb);

	return skb;
}

/* The IP header in its final form, as far as the ICRC covers it. */
static void tuff_tx_ip(struct tuff_vqp *vqp, struct tuff_av *av,
		       struct sk_buff *skb)
{
	struct ipv6hdr *ip6h = ipv6_hdr(skb);
	struct iphdr *iph = ip_hdr(skb);

	if (av->ipv6) {
		skb->protocol = htons(ETH_P_IPV6);
		ip6_flow_hdr(ip6h, av->tos, cpu_to_be32(av->flow_label));
		ip6h->payload_len = htons(skb->len - sizeof(*ip6h));
		ip6h->nexthdr = IPPROTO_UDP;
		ip6h->hop_limit = av->ttl;
		ip6h->saddr = av->saddr.v6;
		ip6h->daddr = av->daddr.v6;
		return;
	}

	skb->protocol = htons(ETH_P_IP);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = av->tos;
	iph->tot_len = htons(skb->len);
	iph->id = htons(vqp->ip_id++);
	iph->frag_off = htons(IP_DF);
	iph->ttl = av->ttl;
	iph->protocol = IPPROTO_UDP;
	iph->check = 0;	/* ip_local_out() makes it */
	iph->saddr = av->saddr.v4.s_addr;
	iph->daddr = av->daddr.v4.s_addr;
}

static void tuff_tx_udp(struct tuff_vqp *vqp, struct tuff_av *av,
			struct sk_buff *skb, const struct tuff_hdr *hdr)
{
	struct udphdr *uh = udp_hdr(skb);
	u16 sport = av->sport;

	if (!sport)
		sport = rdma_get_udp_sport(0, vqp->qp.qpn, hdr->dqpn);
	uh->source = htons(sport);
	uh->dest = htons(TUFF_UDP_PORT);
	uh->len = htons(skb->len - skb_transport_offset(skb));
	uh->check = 0;
}

/* Write all of a packet. The ICRC comes last: it covers everything else. */
static int tuff_tx_fill(struct tuff_vqp *vqp, struct tuff_av *av,
			struct sk_buff *skb, const struct tuff_tx_layout *lay,
			const struct tuff_hdr *hdr,
			const struct tuff_payload *pl)
{
	u8 *bth = skb->data + lay->ip_hlen + sizeof(struct udphdr);
	u8 *data = bth + lay->hdr_len;
	u8 *end = data + lay->data_len + hdr->pad;
	__le32 icrc;
	u32 crc;
	int err;

	skb_set_transport_header(skb, lay->ip_hlen);
	tuff_tx_ip(vqp, av, skb);
	tuff_tx_udp(vqp, av, skb, hdr);
	tuff_build(hdr, bth);
	if (lay->data_len) {
		err = tuff_tx_copy(data, pl);
		if (err)
			return err;
	}
	memset(data + lay->data_len, 0, hdr->pad);

	crc = tuff_icrc_start(skb->data, av->ipv6, udp_hdr(skb), bth);
	crc = tuff_icrc_update(crc, bth + TUFF_BTH_LEN,
			       end - bth - TUFF_BTH_LEN);
	icrc = tuff_icrc_finish(crc);
	memcpy(end, &icrc, sizeof(icrc));

	return 0;
}

/*
 * IPv6 takes it from the packet's socket that a learned path MTU is not to be
 * minded; IPv4 from the one that tuff_tx_out() gives. The socket may go before
 * the packet does.
 */
static void tuff_tx_ignore_pmtu(struct tuff_net *tnet, struct sk_buff *skb)
{
	struct socket *sock = READ_ONCE(tnet->sock6);

	if (!sock)
		return;
	sock_hold(sock->sk);
	skb->sk = sock->sk;
}

/* The batch is a list by skb->next; its head's skb->prev is the tail. */
static void tuff_tx_batch(struct tuff_vqp *vqp, struct sk_buff *skb)
{
	if (vqp->tx)
		vqp->tx->prev->next = skb;
	else
		vqp->tx = skb;
	vqp->tx->prev = skb;
}

static int tuff_tx_make(struct tuff_vqp *vqp, struct tuff_av *av,
			struct dst_entry *dst, const struct tuff_hdr *hdr,
			const struct tuff_payload *pl)
{
	struct tuff_tx_layout lay;
	struct sk_buff *skb;
	int err;

	tuff_tx_lay_out(&lay, av, hdr, pl);
	if (lay.len > tuff_route_mtu(dst, av->ipv6)) {
		/* DF is set: the IP layer would drop it. As the network may. */
		tuff_dev_count(vqp->dev, TUFF_CNT_TX_ERRORS);
		return 0;
	}

	skb = tuff_tx_alloc(dst, lay.len);
	if (!skb) {
		tuff_dev_count(vqp->dev, TUFF_CNT_TX_NO_ROOM);
		return -EAGAIN;
	}
	err = tuff_tx_fill(vqp, av, skb, &lay, hdr, pl);
	if (err) {
		kfree_skb(skb);
		return err;
	}

	skb->priority = tuff_qos_priority(av);
	skb_dst_set_noref(skb, dst);
	tuff_tx_own(vqp, skb);
	if (unlikely(lay.len > dst_mtu(dst)) && av->ipv6)
		tuff_tx_ignore_pmtu(av->net, skb);
	tuff_tx_batch(vqp, skb);

	tuff_dev_count(vqp->dev, TUFF_CNT_TX_PACKETS);
	tuff_dev_count_add(vqp->dev, TUFF_CNT_TX_BYTES, lay.len -
			   lay.ip_hlen - sizeof(struct udphdr));
	trace_tuff_transmit(vqp, hdr, lay.data_len);

	return 0;
}

/**
 * tuff_tx_packet() - build one packet and put it into the batch
 * @vqp: sender
 * @av: path
 * @hdr: transport headers
 * @pl: payload, or NULL
 *
 * What the network could do to a packet may happen to it here as well: no
 * route, a device that is down. The protocol copes.
 *
 * Context: owner of @vqp, in one RCU section with the tuff_tx_flush() that
 * follows.
 * Return: 0 (sent or lost), -EAGAIN (offer it again when the QP is run next),
 * -EFAULT (the memory is gone).
 */
int tuff_tx_packet(struct tuff_vqp *vqp, struct tuff_av *av,
		   const struct tuff_hdr *hdr, const struct tuff_payload *pl)
{
	struct dst_entry *dst;

	if (tuff_tx_is_full(vqp)) {
		tuff_dev_count(vqp->dev, TUFF_CNT_TX_NO_ROOM);
		return -EAGAIN;
	}
	if (READ_ONCE(vqp->dev->stopped)) {
		tuff_dev_count(vqp->dev, TUFF_CNT_TX_ERRORS);
		return 0;
	}
	dst = tuff_route_find(av);
	if (!dst) {
		tuff_dev_count(vqp->dev, TUFF_CNT_TX_NO_ROUTE);
		return 0;
	}

	return tuff_tx_make(vqp, av, dst, hdr, pl);
}

static int tuff_tx_out(struct tuff_net *tnet, struct sk_buff *skb)
{
	struct socket *sock = READ_ONCE(tnet->sock4);

#if IS_ENABLED(CONFIG_IPV6)
	if (skb->protocol == htons(ETH_P_IPV6))
		return ip6_local_out(tnet->net, NULL, skb);
#endif
	return ip_local_out(tnet->net, sock ? sock->sk : NULL, skb);
}

/**
 * tuff_tx_flush() - send the batch
 * @vqp: its QP
 *
 * Under the QP's lock, because packets must not overtake each other. Nothing
 * below takes a QP lock: what this host sends to itself goes through the
 * backlog of the loopback device or of veth.
 *
 * Context: owner of @vqp, in the RCU section in which the batch was built.
 */
void tuff_tx_flush(struct tuff_vqp *vqp)
{
	struct tuff_dev *dev = vqp->dev;
	struct sk_buff *skb = vqp->tx;
	struct sk_buff *next;
	int err;

	if (!skb)
		return;
	vqp->tx = NULL;
	skb->prev = NULL;
	for (; skb; skb = next) {
		next = skb->next;
		skb_mark_not_on_list(skb);
		err = tuff_tx_out(dev->net, skb);
		if (unlikely(net_xmit_eval(err)))
			tuff_dev_count(dev, TUFF_CNT_TX_ERRORS);
	}
}

static bool tuff_tx_is_busy(void)
{
	long busy = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		busy += per_cpu(tuff_tx_busy, cpu);

	return busy;
}

/**
 * tuff_tx_wait() - wait until no packet of ours is on its way
 *
 * Ends when the queueing disciplines and drivers below have sent or dropped
 * what they hold, which they do at the latest when their device goes down.
 *
 * Context: module exit, no QP runs any more; may sleep.
 */
void tuff_tx_wait(void)
{
	unsigned int ms;

	for (ms = 0; tuff_tx_is_busy(); ms += 20) {
		if (ms == 10000)
			pr_warn("tuff: packets are stuck below, waiting for them\n");
		msleep(20);
	}
}
