/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: whose packet is it: device and queue pair */
#ifndef _TUFF_WIRE_DEMUX_H
#define _TUFF_WIRE_DEMUX_H

#include "tuff.h"

struct net_device;
struct sk_buff;

struct net_device *tuff_demux_netdev(struct sk_buff *skb, bool ipv6);
struct tuff_dev *tuff_demux_find(struct tuff_net *tnet,
				 struct net_device *came);
struct tuff_dev *tuff_demux_first(struct tuff_net *tnet);
struct tuff_vqp * __must_check
tuff_demux_qp(struct tuff_net *tnet, struct tuff_dev *dev,
	      struct net_device *came, u32 qpn);
struct tuff_vqp * __must_check
tuff_demux_local_qp(const struct tuff_av *av, u32 qpn);

#endif /* _TUFF_WIRE_DEMUX_H */
