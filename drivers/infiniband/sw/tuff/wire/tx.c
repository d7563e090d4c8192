// SPDX-License-Identifier: GPL-2.0
/* tuff: packets out: how many, and the way to the IP layer */
#include "wire/tx.h"

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/net.h>
#include <linux/percpu.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <trace/events/tuff.h>

#include "engine/types.h"
#include "owner.h"
#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/qp.h"
#include "wire/batch.h"
#include "wire/frame.h"
#include "wire/route.h"
#include "wire/sock.h"
#include "wire/wire.h"

/*
 * Bytes that a QP may have between here and the end of the last driver. More
 * only lengthens the queues of other flows. Packets are charged in powers of
 * two of TUFF_TX_UNIT, see tuff_tx_own().
 */
#define TUFF_TX_BOUND		(512 * 1024)
#define TUFF_TX_UNIT		512
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

/*
 * What is to leave is a list by skb->next; its head's skb->prev is the tail,
 * which may be joined.
 */
static void tuff_tx_add(struct tuff_vqp *vqp, struct sk_buff *skb,
			const struct tuff_av *av, const struct dst_entry *dst)
{
	bool alone = vqp->qp.alone;

	if (alone)
		vqp->qp.alone--;
	else if (vqp->tx && tuff_batch_join(vqp->tx->prev, skb, av))
		return;
	tuff_batch_start(skb, av, dst, alone);
	if (vqp->tx)
		vqp->tx->prev->next = skb;
	else
		vqp->tx = skb;
	vqp->tx->prev = skb;
}

/*
 * IPv6 takes it from the packet's socket that a learned path MTU is not to be
 * minded; IPv4 from the one that tuff_tx_out() gives. The socket may go before
 * the packet does.
 */
static void tuff_tx_ignore_pmtu(struct tuff_net *tnet, struct sk_buff *skb)
{
	struct socket *sock = READ_ONCE(tnet->sock6);
	u32 len = skb->len;

	if (skb_is_gso(skb))
		len = skb_transport_offset(skb) + sizeof(struct udphdr) +
		      skb_shinfo(skb)->gso_size;
	if (likely(len <= dst_mtu(skb_dst(skb))) || !sock)
		return;
	sock_hold(sock->sk);
	skb->sk = sock->sk;
}

static int tuff_tx_make(struct tuff_vqp *vqp, struct tuff_av *av,
			struct dst_entry *dst, const struct tuff_hdr *hdr,
			const struct tuff_payload *pl)
{
	struct sk_buff *skb;

	skb = tuff_frame_build(vqp, av, dst, hdr, pl);
	if (IS_ERR(skb)) {
		switch (PTR_ERR(skb)) {
		case -EMSGSIZE:
			/* DF is set: IP would drop it. As the network may. */
			tuff_dev_count(vqp->dev, TUFF_CNT_TX_ERRORS);
			return 0;
		case -EAGAIN:
			tuff_dev_count(vqp->dev, TUFF_CNT_TX_NO_ROOM);
			return -EAGAIN;
		default:
			return PTR_ERR(skb);
		}
	}

	tuff_dev_count(vqp->dev, TUFF_CNT_TX_PACKETS);
	tuff_dev_count_add(vqp->dev, TUFF_CNT_TX_BYTES,
			   skb->len - skb_transport_offset(skb) -
			   sizeof(struct udphdr));
	trace_tuff_transmit(vqp, hdr, pl ? pl->len : 0);

	skb->priority = tuff_qos_priority(av);
	skb_dst_set_noref(skb, dst);
	tuff_tx_add(vqp, skb, av, dst);

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
	dst = tuff_batch_route(vqp->tx ? vqp->tx->prev : NULL, av);
	if (!dst)
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
		tuff_batch_close(skb);
		tuff_tx_own(vqp, skb);
		if (skb->protocol == htons(ETH_P_IPV6))
			tuff_tx_ignore_pmtu(dev->net, skb);
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
