/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the route of an address vector, looked up once and kept */
#ifndef _TUFF_WIRE_ROUTE_H
#define _TUFF_WIRE_ROUTE_H

#include "tuff.h"

struct dst_entry;

struct dst_entry *tuff_route_find(struct tuff_av *av);
u32 tuff_route_mtu(struct dst_entry *dst, bool ipv6);
void tuff_route_add(struct tuff_av *av, struct tuff_net *tnet);
void tuff_route_del(struct tuff_av *av);
void tuff_route_forget_all(struct tuff_net *tnet);

#endif /* _TUFF_WIRE_ROUTE_H */
