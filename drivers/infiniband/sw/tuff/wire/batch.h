/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: packets that travel through this host's stack as one sk_buff */
#ifndef _TUFF_WIRE_BATCH_H
#define _TUFF_WIRE_BATCH_H

#include <linux/types.h>

struct dst_entry;
struct sk_buff;
struct sock;
struct tuff_av;

struct dst_entry *tuff_batch_route(struct sk_buff *head,
				   const struct tuff_av *av);
bool tuff_batch_join(struct sk_buff *head, struct sk_buff *skb,
		     const struct tuff_av *av);
void tuff_batch_start(struct sk_buff *head, const struct tuff_av *av,
		      const struct dst_entry *dst, bool alone);
void tuff_batch_close(struct sk_buff *head);
struct sk_buff *tuff_batch_split(struct sock *sk, struct sk_buff *skb,
				 bool ipv6);

#endif /* _TUFF_WIRE_BATCH_H */
