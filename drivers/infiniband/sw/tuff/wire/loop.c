// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: both ends on this host: requests go from QP to QP without packets
 *
 * What is lent stays the requester's: the record is on its send queue all the
 * time, and only linked into a list of the peer as well. The requester does
 * not release it before it is back, and is not destroyed or reset before all
 * of them are; so whoever has one may read it without a lock. The peer is
 * reached by a reference, and gives everything back when it dies.
 */
#include <linux/delay.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/ip.h>
#include <net/ipv6.h>

#include "engine/world.h"
#include "engine/wqe.h"
#include "owner.h"
#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/mem.h"
#include "verbs/qp.h"
#include "wire/demux.h"
#include "wire/route.h"
#include "wire/sock.h"
#include "wire/wire.h"

static bool tuff_loopback = true;
module_param_named(loopback, tuff_loopback, bool, 0644);
MODULE_PARM_DESC(loopback, "Copy from memory to memory between QPs of this host, instead of sending packets");

/**
 * tuff_loop_setup() - the parts of a new QP that this file uses
 * @vqp: the QP, zeroed, not yet visible to anybody
 *
 * Context: process.
 */
void tuff_loop_setup(struct tuff_vqp *vqp)
{
	spin_lock_init(&vqp->loop_lock);
	INIT_LIST_HEAD(&vqp->loop_in);
	INIT_LIST_HEAD(&vqp->loop_out);
}

/**
 * tuff_loop_forget_peer() - the QP's path changes, or ends
 * @vqp: the QP
 *
 * Context: owner of @vqp.
 */
void tuff_loop_forget_peer(struct tuff_vqp *vqp)
{
	if (vqp->loop_peer)
		tuff_vqp_put(vqp->loop_peer);
	vqp->loop_peer = NULL;
}

/**
 * tuff_loop_quiesce() - wait until no request of a QP is lent
 * @vqp: the QP
 *
 * None will be until the QP has been to RESET. The peers' runs are short, and
 * each serves what was lent, whatever else the peer has to do; so this takes no
 * longer than one of them, or a few for a long message.
 *
 * Context: process, may sleep; not the owner.
 */
void tuff_loop_quiesce(struct tuff_vqp *vqp)
{
	u32 lent;

	for (;;) {
		tuff_owner_lock(vqp);
		vqp->qp.requester.no_loop = true;
		lent = vqp->qp.requester.nr_lent;
		tuff_owner_unlock(vqp);
		if (!lent)
			return;
		tuff_owner_kick(vqp);
		usleep_range(20, 100);
	}
}

static struct tuff_swqe *tuff_loop_first(struct tuff_vqp *vqp,
					 struct list_head *list)
{
	struct tuff_swqe *wqe;

	spin_lock(&vqp->loop_lock);
	wqe = list_first_entry_or_null(list, struct tuff_swqe, loop_node);
	spin_unlock(&vqp->loop_lock);

	return wqe;
}

/* The same for the owner, who is raised when there is one more. */
static struct tuff_swqe *tuff_loop_look(struct tuff_vqp *vqp,
					struct list_head *list)
{
	return list_empty_careful(list) ? NULL : tuff_loop_first(vqp, list);
}

static void tuff_loop_give_back(struct tuff_vqp *vqp, struct tuff_swqe *wqe)
{
	struct tuff_vqp *from = wqe->loop_from;

	spin_lock(&vqp->loop_lock);
	list_del(&wqe->loop_node);
	spin_unlock(&vqp->loop_lock);

	spin_lock(&from->loop_lock);
	list_add_tail(&wqe->loop_node, &from->loop_out);
	spin_unlock(&from->loop_lock);
	tuff_owner_raise(from);
	tuff_vqp_put(from);
}

/**
 * tuff_loop_purge() - give back what was lent to a QP that died
 * @vqp: the QP, DEAD: nothing can be lent to it any more
 *
 * Context: process.
 */
void tuff_loop_purge(struct tuff_vqp *vqp)
{
	struct tuff_swqe *wqe;

	local_bh_disable();
	while ((wqe = tuff_loop_first(vqp, &vqp->loop_in))) {
		wqe->loop_answer = TUFF_LOOP_PACKETS;
		tuff_loop_give_back(vqp, wqe);
	}
	local_bh_enable();
}

/* The peer as it was found before, unless it is gone. */
static bool tuff_loop_peer_lives(struct tuff_vqp *vqp)
{
	struct tuff_vqp *peer = vqp->loop_peer;

	if (!peer)
		return false;
	if (!test_bit(TUFF_VQP_DEAD, &peer->flags) &&
	    !READ_ONCE(peer->dev->stopped))
		return true;
	tuff_loop_forget_peer(vqp);

	return false;
}

/* Is this path to be taken without packets: does it end on this host? */
static bool tuff_loop_path(struct tuff_vqp *vqp, struct tuff_av *av)
{
	struct dst_entry *dst;

	if (!READ_ONCE(tuff_loopback) || READ_ONCE(vqp->dev->stopped) || !av)
		return false;
	dst = tuff_route_find(av);

	return dst && dst_dev_rcu(dst)->flags & IFF_LOOPBACK;
}

bool tuff_world_loop(struct tuff_qp *qp)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	if (!tuff_loop_path(vqp, qp->av))
		return false;
	vqp->gather.on_wire = false;
	if (tuff_loop_peer_lives(vqp))
		return true;
	vqp->loop_peer = tuff_demux_local_qp(qp->av, qp->attr.dqpn);

	return vqp->loop_peer;
}

struct tuff_qp *tuff_world_loop_enter(struct tuff_qp *qp,
				      struct tuff_swqe *wqe)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct tuff_vqp *peer = vqp->loop_peer;

	if (!peer || peer == vqp || !tuff_owner_enter(peer))
		return NULL;
	wqe->loop_from = vqp;

	return &peer->qp;
}

void tuff_world_loop_leave(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	tuff_owner_leave(tuff_vqp_of_qp(qp)->loop_peer);
}

/* The address @av leads to, as one that no other is like. */
static struct in6_addr tuff_loop_daddr(const struct tuff_av *av)
{
	struct in6_addr addr;

	if (av->ipv6)
		return av->daddr.v6;
	ipv6_addr_set_v4mapped(av->daddr.v4.s_addr, &addr);

	return addr;
}

/*
 * As tuff_demux_local_qp(), which most often would find the same again: not
 * after an address has moved, which has routes looked up anew. A link-local
 * address alone does not say which link is meant.
 */
static struct tuff_vqp *tuff_loop_ud_peer(struct tuff_vqp *vqp,
					  const struct tuff_av *av, u32 qpn)
{
	struct in6_addr daddr = tuff_loop_daddr(av);
	int renewals = atomic_read(&av->net->renewals);

	if (tuff_loop_peer_lives(vqp) && vqp->loop_peer->qp.qpn == qpn &&
	    vqp->loop_renewals == renewals &&
	    ipv6_addr_equal(&vqp->loop_daddr, &daddr) &&
	    !(ipv6_addr_type(&daddr) & IPV6_ADDR_LINKLOCAL))
		return vqp->loop_peer;
	tuff_loop_forget_peer(vqp);
	vqp->loop_peer = tuff_demux_local_qp(av, qpn);
	vqp->loop_daddr = daddr;
	vqp->loop_renewals = renewals;

	return vqp->loop_peer;
}

struct tuff_qp *tuff_world_ud_enter(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct tuff_vqp *peer;

	if (!wqe->av || wqe->av->multicast || !tuff_loop_path(vqp, wqe->av))
		return NULL;
	peer = tuff_loop_ud_peer(vqp, wqe->av, wqe->dqpn);
	/* Not past datagrams that came before, nor into a run of its own. */
	if (!peer || peer == vqp || !skb_queue_empty_lockless(&peer->backlog) ||
	    !tuff_owner_enter(peer))
		return NULL;
	vqp->gather.on_wire = false;

	return &peer->qp;
}

void tuff_world_ud_leave(struct tuff_qp *qp, struct tuff_swqe *wqe, bool done)
{
	tuff_owner_leave(tuff_vqp_of_qp(qp)->loop_peer);
}

void tuff_world_ud_grh(struct tuff_qp *peer, const struct tuff_av *av, u32 len,
		       u8 grh[40])
{
	struct ipv6hdr *ip6h = (struct ipv6hdr *)grh;
	struct iphdr *iph = (struct iphdr *)(grh + 40 - sizeof(*iph));

	len += sizeof(struct udphdr);
	memset(grh, 0, 40);
	if (av->ipv6) {
		ip6_flow_hdr(ip6h, av->tos, cpu_to_be32(av->flow_label));
		ip6h->payload_len = htons(len);
		ip6h->nexthdr = IPPROTO_UDP;
		ip6h->hop_limit = av->ttl;
		ip6h->saddr = av->saddr.v6;
		ip6h->daddr = av->daddr.v6;
		return;
	}
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = av->tos;
	iph->tot_len = htons(sizeof(*iph) + len);
	iph->frag_off = htons(IP_DF);
	iph->ttl = av->ttl;
	iph->protocol = IPPROTO_UDP;
	iph->saddr = av->saddr.v4.s_addr;
	iph->daddr = av->daddr.v4.s_addr;
	ip_send_check(iph);
}

bool tuff_world_loop_give(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct tuff_vqp *peer = vqp->loop_peer;
	bool lives;

	if (!peer)
		return false;
	wqe->loop_from = vqp;
	/*
	 * The bit is set before the list is emptied for good, which looks at it
	 * under this lock.
	 */
	spin_lock(&peer->loop_lock);
	lives = !test_bit(TUFF_VQP_DEAD, &peer->flags);
	if (lives) {
		kref_get(&vqp->ref);
		list_add_tail(&wqe->loop_node, &peer->loop_in);
	}
	spin_unlock(&peer->loop_lock);
	if (lives)
		tuff_owner_raise(peer);

	return lives;
}

struct tuff_swqe *tuff_world_loop_peek(struct tuff_qp *qp)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);

	return tuff_loop_look(vqp, &vqp->loop_in);
}

/* As with packets: both addresses of both ends, see tuff_rx_from(). */
bool tuff_world_loop_from_peer(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	struct tuff_vqp *from = wqe->loop_from;
	const struct tuff_av *theirs = READ_ONCE(from->qp.av);
	const struct tuff_av *ours = qp->av;

	if (!theirs || !ours || from->qp.type != qp->type ||
	    theirs->ipv6 != ours->ipv6)
		return false;
	if (ours->ipv6)
		return ipv6_addr_equal(&theirs->saddr.v6, &ours->daddr.v6) &&
		       ipv6_addr_equal(&theirs->daddr.v6, &ours->saddr.v6);

	return theirs->saddr.v4.s_addr == ours->daddr.v4.s_addr &&
	       theirs->daddr.v4.s_addr == ours->saddr.v4.s_addr;
}

void tuff_world_loop_return(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	tuff_loop_give_back(tuff_vqp_of_qp(qp), wqe);
}

struct tuff_swqe *tuff_world_loop_back(struct tuff_qp *qp)
{
	struct tuff_vqp *vqp = tuff_vqp_of_qp(qp);
	struct tuff_swqe *wqe = tuff_loop_look(vqp, &vqp->loop_out);

	if (!wqe)
		return NULL;
	spin_lock(&vqp->loop_lock);
	list_del(&wqe->loop_node);
	spin_unlock(&vqp->loop_lock);

	return wqe;
}

/* Both regions are pinned. */
static void tuff_loop_copy_pinned(struct tuff_mr *to, u64 to_va,
				  struct tuff_mr *from, u64 from_va, u32 len)
{
	void *dst, *src;
	u32 n;

	while (len) {
		n = len;
		dst = tuff_mr_map(to, to_va, &n);
		src = tuff_mr_map(from, from_va, &n);
		/* The two may be the same memory, or overlap. */
		memmove(dst, src, n);
		to_va += n;
		from_va += n;
		len -= n;
	}
}

int tuff_world_mr_copy(struct tuff_mr *to, u64 to_va, struct tuff_mr *from,
		       u64 from_va, u32 len)
{
	if (!tuff_mr_pin(to))
		return -EFAULT;
	if (!tuff_mr_pin(from)) {
		tuff_mr_unpin(to);
		return -EFAULT;
	}
	tuff_loop_copy_pinned(to, to_va, from, from_va, len);
	tuff_mr_unpin(from);
	tuff_mr_unpin(to);

	return 0;
}
