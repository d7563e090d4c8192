// SPDX-License-Identifier: GPL-2.0
/* tuff: packets in: from the socket to the owner of the queue pair */
#include "wire/rx.h"

#include <linux/if_vlan.h>
#include <linux/ip.h>
#include <linux/ipv6.h>
#include <linux/udp.h>
#include <linux/unaligned.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/sock.h>
#include <trace/events/tuff.h>

#include "engine/icrc.h"
#include "engine/opcode.h"
#include "engine/parse.h"
#include "engine/wire.h"
#include "owner.h"
#include "verbs/dev.h"
#include "verbs/qp.h"
#include "wire/batch.h"
#include "wire/demux.h"
#include "wire/frame.h"
#include "wire/sock.h"
#include "wire/wire.h"

/* The IP layers' marks, in the control block until we make it ours. */
static bool tuff_rx_was_fragmented(struct sk_buff *skb, bool ipv6)
{
#if IS_ENABLED(CONFIG_IPV6)
	if (ipv6)
		return IP6CB(skb)->frag_max_size;
#endif
	return IPCB(skb)->frag_max_size;
}

/*
 * The IP header has to be the plain one that RoCEv2 knows, and to say the same
 * length as the UDP header, since the ICRC covers both (IBA A17.3.1).
 */
static enum tuff_counter tuff_rx_check_ip(struct sk_buff *skb, bool ipv6)
{
	u32 udp_len = ntohs(udp_hdr(skb)->len);
	u32 ip_hlen = skb_network_header_len(skb);
	u32 ip_len;

	if (tuff_rx_was_fragmented(skb, ipv6))
		return TUFF_CNT_DROP_FRAGMENT;
	if (ip_hlen != (ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr)))
		return TUFF_CNT_DROP_IP_HEADER;

	ip_len = ipv6 ? ntohs(ipv6_hdr(skb)->payload_len) :
			ntohs(ip_hdr(skb)->tot_len) - ip_hlen;
	if (ip_len != udp_len || skb->len < udp_len ||
	    udp_len < sizeof(struct udphdr))
		return TUFF_CNT_DROP_LENGTH;

	return TUFF_CNT_NONE;
}

/* Have the transport headers linear, and the rest where it can be read. */
static bool tuff_rx_pull(struct sk_buff *skb)
{
	const struct tuff_bth *bth;
	u32 len = sizeof(struct udphdr);

	if (unlikely(skb_has_frag_list(skb) || !skb_frags_readable(skb)) &&
	    skb_linearize(skb))
		return false;
	/* What is too short for that is found by the parser. */
	if (skb->len < len + sizeof(*bth))
		return pskb_may_pull(skb, skb->len);
	if (!pskb_may_pull(skb, len + sizeof(*bth)))
		return false;
	bth = (const void *)(skb->data + len);
	len += tuff_opcodes[bth->opcode].hdr_len;

	return pskb_may_pull(skb, min(len, skb->len));
}

/*
 * Make skb->data the BTH and skb->len the transport packet's length, have the
 * headers linear, fill the control block.
 */
static enum tuff_counter tuff_rx_prepare(struct sk_buff *skb, bool ipv6)
{
	u32 len = ntohs(udp_hdr(skb)->len);
	struct net_device *dev = skb->dev;
	struct tuff_rx_cb *cb;

	if (pskb_trim(skb, len) || !tuff_rx_pull(skb))
		return TUFF_CNT_DROP_MEMORY;
	__skb_pull(skb, sizeof(struct udphdr));

	cb = tuff_rx_cb(skb);
	cb->ipv6 = ipv6;
	cb->vlan = is_vlan_dev(dev) ? vlan_dev_vlan_id(dev) : TUFF_VLAN_NONE;
	cb->has_smac = dev->type == ARPHRD_ETHER &&
		       skb_mac_header_was_set(skb) &&
		       skb_mac_header_len(skb) >= ETH_HLEN;

	return TUFF_CNT_NONE;
}

/* CRC over @len bytes from @off on, however the packet is laid out. */
static u32 tuff_rx_icrc_update(u32 crc, struct sk_buff *skb, u32 off, u32 len)
{
	const u8 *data;
	u32 n;

	while (len) {
		n = len;
		data = tuff_rx_at(skb, off, &n);
		if (!data)
			break;
		crc = tuff_icrc_update(crc, data, n);
		off += n;
		len -= n;
	}

	return crc;
}

static bool tuff_rx_icrc_right(const struct tuff_pkt *pkt,
			       struct sk_buff *skb, bool ipv6)
{
	u32 len = skb->len - pkt->off - TUFF_ICRC_LEN;
	u8 masked[TUFF_ICRC_MASKED_MAX + TUFF_ICRC_SHORT];
	u32 masked_len, crc;
	const __le32 *icrc;
	__le32 buf;

	masked_len = tuff_icrc_masked(masked, skb_network_header(skb), ipv6,
				      udp_hdr(skb), skb->data, pkt->off);
	if (tuff_frame_is_sealed(skb, pkt->off, masked, masked_len))
		return true;
	if (len <= TUFF_ICRC_SHORT) {
		if (skb_copy_bits(skb, pkt->off, masked + masked_len, len))
			return false;
		crc = tuff_icrc_start(masked, masked_len + len);
	} else {
		crc = tuff_icrc_start(masked, masked_len);
		crc = tuff_rx_icrc_update(crc, skb, pkt->off, len);
	}
	icrc = skb_header_pointer(skb, skb->len - TUFF_ICRC_LEN, sizeof(buf),
				  &buf);

	return icrc && get_unaligned(icrc) == tuff_icrc_finish(crc);
}

static enum tuff_counter tuff_rx_read(struct tuff_pkt *pkt,
				      struct sk_buff *skb)
{
	pkt->buf = skb;
	pkt->ce = tuff_rx_cb(skb)->ipv6 ?
		  INET_ECN_is_ce(ipv6_get_dsfield(ipv6_hdr(skb))) :
		  INET_ECN_is_ce(ip_hdr(skb)->tos);

	return tuff_parse(pkt, skb->data, skb_headlen(skb), skb->len);
}

/* The checks that need no queue pair, cheap ones first. */
static enum tuff_counter tuff_rx_check(struct tuff_pkt *pkt,
				       struct sk_buff *skb, bool ipv6)
{
	enum tuff_counter reason;

	reason = tuff_rx_check_ip(skb, ipv6);
	if (reason != TUFF_CNT_NONE)
		return reason;
	reason = tuff_rx_prepare(skb, ipv6);
	if (reason != TUFF_CNT_NONE)
		return reason;
	reason = tuff_rx_read(pkt, skb);
	if (reason != TUFF_CNT_NONE)
		return reason;
	if (!tuff_rx_icrc_right(pkt, skb, ipv6))
		return TUFF_CNT_DROP_ICRC;
	if (pkt->hdr.dqpn == TUFF_QPN_MULTICAST)
		return TUFF_CNT_DROP_MULTICAST;

	return TUFF_CNT_NONE;
}

/*
 * A packet: check, find the QP, hand over. The QP comes last because its
 * number means something only when the ICRC is right. The packets of a batch
 * are one QP's as a rule, which then owns it for all of them (@turn). Returns
 * why the packet is dropped, or TUFF_CNT_NONE when the QP's owner has it.
 */
static enum tuff_counter tuff_rx_packet(struct tuff_owner_turn *turn,
					struct tuff_net *tnet,
					struct tuff_dev *dev,
					struct net_device *came,
					struct sk_buff *skb, bool ipv6)
{
	enum tuff_counter reason;
	struct tuff_vqp *vqp;
	struct tuff_pkt pkt;

	reason = tuff_rx_check(&pkt, skb, ipv6);
	if (reason != TUFF_CNT_NONE)
		return reason;

	if (!turn->vqp || turn->vqp->qp.qpn != pkt.hdr.dqpn) {
		tuff_owner_turn_end(turn);
		vqp = tuff_demux_qp(tnet, dev, came, pkt.hdr.dqpn);
		if (!vqp)
			return TUFF_CNT_DROP_NO_QP;
		tuff_owner_turn_begin(turn, vqp);
	}
	vqp = turn->vqp;
	tuff_dev_count(vqp->dev, TUFF_CNT_RX_PACKETS);
	tuff_dev_count_add(vqp->dev, TUFF_CNT_RX_BYTES, skb->len);
	trace_tuff_receive(vqp, &pkt.hdr, pkt.len);
	tuff_owner_receive(turn, skb, &pkt);

	return TUFF_CNT_NONE;
}

/* Count what is dropped, on a device of the namespace when it is nobody's. */
static void tuff_rx_drop(struct tuff_net *tnet, struct tuff_dev *dev,
			 struct sk_buff *skb, enum tuff_counter reason)
{
	if (!dev)
		dev = tuff_demux_first(tnet);
	if (dev) {
		tuff_dev_count(dev, reason);
		trace_tuff_drop(dev, 0, NULL, reason);
	}
	kfree_skb(skb);
}

/* Packets that came together, from one sender to one address. */
static void tuff_rx_packets(struct tuff_net *tnet, struct sk_buff *list,
			    bool ipv6)
{
	struct tuff_owner_turn turn = { };
	enum tuff_counter reason;
	struct sk_buff *skb, *next;
	struct net_device *came;
	struct tuff_dev *dev;

	/* It comes first because it is what counts. */
	came = tuff_demux_netdev(list, ipv6);
	dev = came ? tuff_demux_find(tnet, came) : NULL;
	skb_list_walk_safe(list, skb, next) {
		skb_mark_not_on_list(skb);
		reason = TUFF_CNT_DROP_NO_DEVICE;
		if (dev)
			reason = tuff_rx_packet(&turn, tnet, dev, came, skb,
						ipv6);
		if (unlikely(reason != TUFF_CNT_NONE))
			tuff_rx_drop(tnet, dev, skb, reason);
	}
	tuff_owner_turn_end(&turn);
}

/**
 * tuff_rx() - a packet for port 4791, or several that travelled as one
 * @sk: our socket
 * @skb: the packet, skb->data at the UDP header; consumed
 *
 * Context: softirq or BHs off, under RCU.
 * Return: 0, always: the port is ours, UDP has no use for what we drop.
 */
int tuff_rx(struct sock *sk, struct sk_buff *skb)
{
	struct tuff_net *tnet = rcu_dereference_sk_user_data(sk);
	bool ipv6 = skb->protocol == htons(ETH_P_IPV6);

	if (!tnet) {
		kfree_skb(skb);
		return 0;
	}
	if (skb_is_gso(skb))
		skb = tuff_batch_split(sk, skb, ipv6);
	if (skb)
		tuff_rx_packets(tnet, skb, ipv6);
	else
		tuff_rx_drop(tnet, NULL, NULL, TUFF_CNT_DROP_MEMORY);

	return 0;
}

/**
 * tuff_rx_icmp() - an ICMP error about a packet of ours
 * @sk: our socket
 * @skb: the error; the network header is the one of the packet it is about
 *
 * Anybody can forge one, so it is counted and changes nothing: a peer that is
 * not there shows by its silence.
 *
 * Context: softirq, under RCU.
 * Return: an errno, which tells UDP to leave the error alone.
 */
int tuff_rx_icmp(struct sock *sk, struct sk_buff *skb)
{
	struct tuff_net *tnet = rcu_dereference_sk_user_data(sk);
	struct net_device *came;
	struct tuff_dev *dev;

	if (!tnet)
		return -ENOENT;
	came = tuff_demux_netdev(skb, sk->sk_family == AF_INET6);
	dev = came ? tuff_demux_find(tnet, came) : NULL;
	if (dev)
		tuff_dev_count(dev, TUFF_CNT_RX_ICMP_ERRORS);

	return -ENOENT;
}

/**
 * tuff_rx_detach() - make a packet fit to wait
 * @skb: a packet that passed tuff_rx()
 *
 * The route is only valid in the RCU section the packet came in, and a packet
 * that waits must hold neither a socket nor a netdev.
 *
 * Context: softirq.
 */
void tuff_rx_detach(struct sk_buff *skb)
{
	skb_orphan(skb);
	skb_dst_drop(skb);
	skb_ext_reset(skb);
	skb->dev = NULL;
}

/**
 * tuff_rx_parse() - a packet that waited, again as the engine sees it
 * @pkt: filled in
 * @skb: the packet
 *
 * Context: softirq or BHs off.
 * Return: false when the packet must be dropped, which can only mean that
 * somebody wrote to it meanwhile.
 */
bool tuff_rx_parse(struct tuff_pkt *pkt, struct sk_buff *skb)
{
	return tuff_rx_read(pkt, skb) == TUFF_CNT_NONE;
}
