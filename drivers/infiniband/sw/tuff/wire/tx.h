/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: packets out, and the priority they travel with */
#ifndef _TUFF_WIRE_TX_H
#define _TUFF_WIRE_TX_H

#include <net/route.h>

#include "verbs/av.h"

/**
 * tuff_qos_priority() - priority of a path's packets inside this host
 * @av: the path
 *
 * The queueing discipline maps it to a band, a VLAN device to the PCP, DCB to
 * a traffic class.
 *
 * Return: a value for skb->priority.
 */
static inline u32 tuff_qos_priority(const struct tuff_av *av)
{
	return rt_tos2priority(av->tos);
}

#endif /* _TUFF_WIRE_TX_H */
