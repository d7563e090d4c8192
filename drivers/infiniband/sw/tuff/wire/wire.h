/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what the other rooms ask of the wire */
#ifndef _TUFF_WIRE_WIRE_H
#define _TUFF_WIRE_WIRE_H

#include "engine/types.h"
#include "tuff.h"

struct net;
struct sk_buff;
struct ib_wc;

int tuff_wire_init(void);	/* pernet operations */
void tuff_wire_exit(void);

/* Port 4791 in a namespace: one user more, one less. May sleep. */
struct tuff_net *tuff_net_get(struct net *net);
void tuff_net_put(struct tuff_net *net);

/*
 * demux.c: packets find @dev from now on (dev->net and dev->ndev are set), and
 * no longer. After tuff_demux_del() no packet of the wire uses @dev, and no
 * transmit runs that began before dev->stopped was set. May sleep. Calls pair;
 * tuff_demux_del() of a device that was never added does nothing.
 */
void tuff_demux_add(struct tuff_dev *dev);
void tuff_demux_del(struct tuff_dev *dev);

/* tx.c: see tuff_world_tx() */
int tuff_tx_packet(struct tuff_vqp *vqp, struct tuff_av *av,
		   const struct tuff_hdr *hdr, const struct tuff_payload *pl);
void tuff_tx_flush(struct tuff_vqp *vqp);

/* No packet of ours is on its way out any more. Module exit, may sleep. */
void tuff_tx_wait(void);

/* loop.c: requests that go to the peer's queue pair on this host */
void tuff_loop_setup(struct tuff_vqp *vqp);
void tuff_loop_forget_peer(struct tuff_vqp *vqp);
void tuff_loop_quiesce(struct tuff_vqp *vqp);
void tuff_loop_purge(struct tuff_vqp *vqp);

/* crc32.c: see tuff_world_crc32() */
void tuff_crc32_init(void);
void tuff_crc32_exit(void);
u32 tuff_crc32(u32 crc, const void *data, size_t len);
#define TUFF_CRC32_FRONT	128
u32 tuff_crc32_copy(u32 crc, u8 *dst, u32 front_len, const u8 *src, u32 len);

/* rx.c: before a packet is queued; and when it is taken from the queue: the
 * packet again as the engine sees it, false: drop it
 */
void tuff_rx_detach(struct sk_buff *skb);
bool __must_check tuff_rx_parse(struct tuff_pkt *pkt, struct sk_buff *skb);

/* kept.c: packets that the engine keeps, see tuff_world_pkt_keep() */
enum tuff_early_mode tuff_kept_mode(void);
struct sk_buff *tuff_kept_get(const struct tuff_pkt *pkt);
void tuff_kept_put(struct sk_buff *skb);

/* payload.c */
int tuff_rx_write(struct tuff_mr *mr, u64 va, const struct tuff_pkt *pkt,
		  u32 off, u32 len);
void tuff_rx_grh(const struct tuff_pkt *pkt, u8 grh[40]);
bool tuff_rx_from(const struct tuff_pkt *pkt, const struct tuff_av *av);
/* Address fields of a UD completion: smac, vlan, network header type. */
void tuff_rx_wc(const struct tuff_pkt *pkt, struct ib_wc *wc);

#endif /* _TUFF_WIRE_WIRE_H */
