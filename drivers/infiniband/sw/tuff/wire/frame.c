// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: one packet as an sk_buff
 *
 * Memory of a packet, one piece of wire/pages.c:
 *
 *	+------+----------+----------------------+-----------+
 *	| tail | headroom | IP UDP BTH ... bytes | sk_buff's |
 *	+------+----------+----------------------+-----------+
 *
 * A short payload is copied behind the headers, with pad and ICRC after it. A
 * longer one is copied to where the piece goes on, a frag of its own; then pad
 * and ICRC are the tail, the last frag. The tail stands in front because others
 * may write behind the headers, when they pull bytes there.
 *
 *	-----------+----------------+---------+
 *	 sk_buff's | masked headers | payload |
 *	-----------+----------------+---------+
 *
 * Such a packet is sealed: in front of the payload, in bytes that are not sent,
 * stand the headers as the ICRC covers them. When it comes to a QP of this host
 * as it was made, its payload needs no second sum: frags are nobody's to write
 * to, and what was done to the headers shows when they are compared.
 */
#include "wire/frame.h"

#include <linux/ip.h>
#include <linux/moduleparam.h>
#include <linux/netdevice.h>
#include <linux/random.h>
#include <linux/skbuff.h>
#include <linux/udp.h>
#include <net/dst.h>
#include <net/inet_ecn.h>
#include <net/ip.h>
#include <net/ip6_route.h>
#include <net/ipv6.h>

#include "engine/build.h"
#include "engine/icrc.h"
#include "engine/opcode.h"
#include "verbs/av.h"
#include "verbs/dev.h"
#include "verbs/mem.h"
#include "verbs/qp.h"
#include "wire/pages.h"
#include "wire/route.h"
#include "wire/sock.h"
#include "wire/wire.h"

static bool tuff_seal = true;
module_param_named(seal, tuff_seal, bool, 0644);
MODULE_PARM_DESC(seal, "Do not sum up again what came from this host as it was made");

#define TUFF_FRAME_TAIL		SMP_CACHE_BYTES
#define TUFF_FRAME_FRAG_MIN	512	/* less is cheaper in one piece */
/*
 * In front of the IP header, for MAC header, tags and labels. Members of a
 * batch get the headers that its head has when the batch is cut, which may be
 * more than the first device asks for, and the stack does not look for room.
 */
#define TUFF_FRAME_ROOM		128

/* In front of a payload. The masked headers end where it begins. */
#define TUFF_FRAME_MASKED	ALIGN(TUFF_ICRC_MASKED_MAX, SMP_CACHE_BYTES)

/**
 * struct tuff_frame_tail - what stands in front of a packet
 * @bytes: pad and ICRC, which are sent
 * @magic: where this is, mixed with a secret: it was made here, for here
 * @data: the payload
 * @masked_len: bytes of the masked headers
 * @len: bytes of payload, pad and ICRC
 */
struct tuff_frame_tail {
	u8 bytes[8];
	u64 magic;
	u8 *data;
	u32 masked_len;
	u32 len;
};

static u64 tuff_frame_secret;

/**
 * struct tuff_frame - a packet that is being made
 * @skb: the packet
 * @tail: see above; NULL when the memory is the slab's
 * @ip_hlen: bytes of the IP header
 * @hdr_len: bytes of BTH and extended headers
 * @data_len: bytes of payload, without pad
 * @pad: bytes after the payload
 * @len: bytes from the IP header to the end of the ICRC
 * @data: the payload's frag; NULL: it is with the headers
 */
struct tuff_frame {
	struct sk_buff *skb;
	struct tuff_frame_tail *tail;
	u32 ip_hlen;
	u32 hdr_len;
	u32 data_len;
	u32 pad;
	u32 len;
	u8 *data;
};

static void tuff_frame_lay_out(struct tuff_frame *f, const struct tuff_av *av,
			       const struct tuff_hdr *hdr,
			       const struct tuff_payload *pl)
{
	f->skb = NULL;
	f->tail = NULL;
	f->ip_hlen = av->ipv6 ? sizeof(struct ipv6hdr) : sizeof(struct iphdr);
	f->hdr_len = tuff_opcodes[hdr->opcode].hdr_len;
	f->data_len = pl ? pl->len : 0;
	f->pad = hdr->pad;
	f->len = f->ip_hlen + sizeof(struct udphdr) + f->hdr_len +
		 f->data_len + f->pad + TUFF_ICRC_LEN;
	f->data = NULL;
}

/* Copy the payload of a packet out of the pieces of memory it consists of. */
static int tuff_frame_copy(u8 *dst, const struct tuff_payload *pl)
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

/*
 * Copy a payload behind its masked headers, and sum up both: in one pass where
 * it lies in one piece.
 */
static int tuff_frame_copy_sum(u8 *data, u32 masked_len,
			       const struct tuff_payload *pl, u32 *crc)
{
	const struct tuff_sge *sge = pl->sge;
	u32 n = pl->len;
	const u8 *src;
	int err;

	BUILD_BUG_ON(TUFF_ICRC_MASKED_MAX > TUFF_CRC32_FRONT);

	if (!pl->data && pl->off + pl->len <= sge->len) {
		if (!tuff_mr_pin(sge->mr))
			return -EFAULT;
		src = tuff_mr_map(sge->mr, sge->addr + pl->off, &n);
		if (n == pl->len)
			*crc = tuff_crc32_copy(TUFF_ICRC_INIT, data,
					       masked_len, src, n);
		tuff_mr_unpin(sge->mr);
		if (n == pl->len)
			return 0;
	}
	err = tuff_frame_copy(data, pl);
	if (err)
		return err;
	*crc = tuff_icrc_start(data - masked_len, masked_len + pl->len);

	return 0;
}

/* Is the payload to be a frag: is it long, and does the device take frags? */
static bool tuff_frame_wants_frag(const struct tuff_frame *f,
				  const struct net_device *out)
{
	return f->data_len >= TUFF_FRAME_FRAG_MIN &&
	       out->features & NETIF_F_SG;
}

/* The payload and the tail become frags; each has its reference already. */
static void tuff_frame_add_frags(struct tuff_frame *f, u8 *mem)
{
	struct skb_shared_info *shinfo = skb_shinfo(f->skb);
	u32 tail_len = f->pad + TUFF_ICRC_LEN;
	struct page *page = virt_to_head_page(mem);
	u8 *start = page_address(page);

	skb_frag_fill_page_desc(&shinfo->frags[0], page, f->data - start,
				f->data_len);
	skb_frag_fill_page_desc(&shinfo->frags[1], page,
				f->tail->bytes - start, tail_len);
	shinfo->nr_frags = 2;
	/* Nobody writes to it in place: the seal says so. */
	shinfo->flags |= SKBFL_SHARED_FRAG;
	f->skb->len += f->data_len + tail_len;
	f->skb->data_len += f->data_len + tail_len;
	f->skb->truesize += TUFF_FRAME_MASKED +
			    ALIGN(f->data_len, SMP_CACHE_BYTES) +
			    TUFF_FRAME_TAIL;
}

static struct sk_buff *tuff_frame_alloc_slab(u32 room, u32 len)
{
	struct sk_buff *skb;

	skb = alloc_skb(room + len, GFP_ATOMIC | __GFP_NOWARN);
	if (skb)
		skb_reserve(skb, room);

	return skb;
}

/* Of our own memory. NULL: there is none, or no sk_buff. */
static struct sk_buff *tuff_frame_alloc_pages(struct tuff_frame *f, u32 room,
					      u32 len, u32 behind, bool frag)
{
	u32 size = SKB_DATA_ALIGN(room + len + behind) +
		   SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
	u32 all = TUFF_FRAME_TAIL + size;
	int refs = frag ? 3 : 1;
	u8 *mem;

	if (frag)
		all += TUFF_FRAME_MASKED + f->data_len;
	mem = tuff_pages_alloc(all, refs);
	if (!mem)
		return NULL;
	f->skb = napi_build_skb(mem + TUFF_FRAME_TAIL, size);
	if (!f->skb) {
		while (refs--)
			page_frag_free(mem);
		return NULL;
	}
	f->tail = (void *)mem;
	skb_reserve(f->skb, room);
	skb_put(f->skb, len);
	if (frag) {
		f->data = mem + TUFF_FRAME_TAIL + size + TUFF_FRAME_MASKED;
		tuff_frame_add_frags(f, mem);
	}

	return f->skb;
}

/* An sk_buff with room for all that there is. */
static int tuff_frame_alloc(struct tuff_frame *f, const struct dst_entry *dst)
{
	struct net_device *out = dst_dev_rcu(dst);
	u32 room = max_t(u32, LL_RESERVED_SPACE(out) + dst->header_len,
			 TUFF_FRAME_ROOM);
	u32 behind = out->needed_tailroom + dst->trailer_len;
	bool frag = tuff_frame_wants_frag(f, out);
	u32 len = f->len;

	if (frag)
		len -= f->data_len + f->pad + TUFF_ICRC_LEN;
	if (!tuff_frame_alloc_pages(f, room, len, behind, frag)) {
		f->skb = tuff_frame_alloc_slab(room, f->len + behind);
		if (!f->skb)
			return -EAGAIN;
		skb_put(f->skb, f->len);
	}
	skb_reset_network_header(f->skb);
	skb_set_transport_header(f->skb, f->ip_hlen);

	return 0;
}

/* The IP header in its final form, as far as the ICRC covers it. */
static void tuff_frame_ip(const struct tuff_frame *f, struct tuff_vqp *vqp,
			  const struct tuff_av *av)
{
	struct ipv6hdr *ip6h = ipv6_hdr(f->skb);
	struct iphdr *iph = ip_hdr(f->skb);

	if (av->ipv6) {
		f->skb->protocol = htons(ETH_P_IPV6);
		ip6_flow_hdr(ip6h, av->tos, cpu_to_be32(av->flow_label));
		ip6h->payload_len = htons(f->len - sizeof(*ip6h));
		ip6h->nexthdr = IPPROTO_UDP;
		ip6h->hop_limit = av->ttl;
		ip6h->saddr = av->saddr.v6;
		ip6h->daddr = av->daddr.v6;
		return;
	}

	f->skb->protocol = htons(ETH_P_IP);
	iph->version = 4;
	iph->ihl = sizeof(*iph) / 4;
	iph->tos = av->tos;
	iph->tot_len = htons(f->len);
	iph->id = htons(vqp->ip_id++);
	iph->frag_off = htons(IP_DF);
	iph->ttl = av->ttl;
	iph->protocol = IPPROTO_UDP;
	iph->check = 0;	/* ip_local_out() makes it */
	iph->saddr = av->saddr.v4.s_addr;
	iph->daddr = av->daddr.v4.s_addr;
}

static void tuff_frame_udp(const struct tuff_frame *f, struct tuff_vqp *vqp,
			   const struct tuff_av *av, const struct tuff_hdr *hdr)
{
	struct udphdr *uh = udp_hdr(f->skb);
	u16 sport = av->sport;

	if (!sport)
		sport = rdma_get_udp_sport(0, vqp->qp.qpn, hdr->dqpn);
	uh->source = htons(sport);
	uh->dest = htons(TUFF_UDP_PORT);
	uh->len = htons(f->len - f->ip_hlen);
	uh->check = 0;
}

static u64 tuff_frame_magic(const struct tuff_frame_tail *tail)
{
	return (uintptr_t)tail ^ tuff_frame_secret;
}

/*
 * The payload's frag, then pad and ICRC, and the seal. One sum covers headers
 * and payload, which stand in a row.
 */
static int tuff_frame_fill_frags(struct tuff_frame *f, const void *bth,
				 bool ipv6, const struct tuff_payload *pl)
{
	struct tuff_frame_tail *tail = f->tail;
	u32 masked_len = f->ip_hlen + sizeof(struct udphdr) + f->hdr_len;
	u8 *masked = f->data - masked_len;
	__le32 icrc;
	u32 crc;
	int err;

	BUILD_BUG_ON(sizeof(*tail) > TUFF_FRAME_TAIL);

	tuff_icrc_masked(masked, f->skb->data, ipv6, udp_hdr(f->skb), bth,
			 f->hdr_len);
	err = tuff_frame_copy_sum(f->data, masked_len, pl, &crc);
	if (err)
		return err;
	if (f->pad) {
		memset(tail->bytes, 0, f->pad);
		crc = tuff_icrc_update(crc, tail->bytes, f->pad);
	}
	icrc = tuff_icrc_finish(crc);
	memcpy(tail->bytes + f->pad, &icrc, sizeof(icrc));

	tail->magic = tuff_frame_magic(tail);
	tail->data = f->data;
	tail->masked_len = masked_len;
	tail->len = f->data_len + f->pad + TUFF_ICRC_LEN;

	return 0;
}

/**
 * tuff_frame_is_sealed() - was a packet made here, and is as it was?
 * @skb: the packet, its data at the BTH
 * @hdr_len: bytes of BTH and extended headers
 * @masked: its headers, as tuff_icrc_masked() has them
 * @masked_len: bytes of these
 *
 * Then its ICRC is right.
 *
 * Context: softirq or BHs off.
 * Return: true when it is so; false when nothing is known.
 */
bool tuff_frame_is_sealed(const struct sk_buff *skb, u32 hdr_len,
			  const u8 *masked, u32 masked_len)
{
	const struct skb_shared_info *shinfo = skb_shinfo(skb);
	const struct tuff_frame_tail *tail;
	const skb_frag_t *frag;

	if (shinfo->nr_frags != 2 || !READ_ONCE(tuff_seal))
		return false;
	/* Who writes to a payload pulls it to the headers first. */
	if (skb_headlen(skb) != hdr_len)
		return false;
	/* Nobody else has the last frag right before the headers' memory. */
	tail = (const void *)(skb->head - TUFF_FRAME_TAIL);
	frag = shinfo->frags;
	if (!skb->head_frag || skb_frag_address(&frag[1]) != tail->bytes)
		return false;

	return tail->magic == tuff_frame_magic(tail) &&
	       tail->data == skb_frag_address(&frag[0]) &&
	       tail->len == skb->len - hdr_len &&
	       tail->masked_len == masked_len &&
	       !memcmp(tail->data - masked_len, masked, masked_len);
}

/**
 * tuff_frame_init() - make seals that nobody else can make
 *
 * Context: module init.
 */
void tuff_frame_init(void)
{
	get_random_bytes(&tuff_frame_secret, sizeof(tuff_frame_secret));
}

/* The same where all is in one piece. */
static int tuff_frame_fill_linear(struct tuff_frame *f, u8 *bth, bool ipv6,
				  const struct tuff_payload *pl)
{
	u8 masked[TUFF_ICRC_MASKED_MAX + TUFF_ICRC_SHORT];
	u32 len = f->data_len + f->pad;
	u8 *data = bth + f->hdr_len;
	u32 masked_len, crc;
	__le32 icrc;
	int err;

	masked_len = tuff_icrc_masked(masked, f->skb->data, ipv6,
				      udp_hdr(f->skb), bth, f->hdr_len);
	if (f->data_len) {
		err = tuff_frame_copy(data, pl);
		if (err)
			return err;
		memset(data + f->data_len, 0, f->pad);
	}
	if (len <= TUFF_ICRC_SHORT) {
		memcpy(masked + masked_len, data, len);
		crc = tuff_icrc_start(masked, masked_len + len);
	} else {
		crc = tuff_icrc_start(masked, masked_len);
		crc = tuff_icrc_update(crc, data, len);
	}
	icrc = tuff_icrc_finish(crc);
	memcpy(data + len, &icrc, sizeof(icrc));

	return 0;
}

/* Write all of a packet. The ICRC comes last: it covers everything else. */
static int tuff_frame_fill(struct tuff_frame *f, struct tuff_vqp *vqp,
			   const struct tuff_av *av,
			   const struct tuff_hdr *hdr,
			   const struct tuff_payload *pl)
{
	u8 *bth = f->skb->data + f->ip_hlen + sizeof(struct udphdr);

	tuff_frame_ip(f, vqp, av);
	tuff_frame_udp(f, vqp, av, hdr);
	tuff_build(hdr, bth);
	if (f->data)
		return tuff_frame_fill_frags(f, bth, av->ipv6, pl);

	return tuff_frame_fill_linear(f, bth, av->ipv6, pl);
}

/**
 * tuff_frame_build() - make a packet
 * @vqp: sender
 * @av: path
 * @dst: its route
 * @hdr: transport headers
 * @pl: payload, or NULL
 *
 * All of it is written but the IPv4 header's checksum; skb->data is the IP
 * header.
 *
 * Context: owner of @vqp, under RCU.
 * Return: the packet, or an ERR_PTR: -EMSGSIZE when it is larger than the
 * route allows, -EAGAIN without memory, -EFAULT when the payload's is gone.
 */
struct sk_buff *tuff_frame_build(struct tuff_vqp *vqp, struct tuff_av *av,
				 struct dst_entry *dst,
				 const struct tuff_hdr *hdr,
				 const struct tuff_payload *pl)
{
	struct tuff_frame f;
	int err;

	tuff_frame_lay_out(&f, av, hdr, pl);
	if (f.len > tuff_route_mtu(dst, av->ipv6))
		return ERR_PTR(-EMSGSIZE);
	err = tuff_frame_alloc(&f, dst);
	if (err)
		return ERR_PTR(err);
	err = tuff_frame_fill(&f, vqp, av, hdr, pl);
	if (err) {
		kfree_skb(f.skb);
		return ERR_PTR(err);
	}

	return f.skb;
}
