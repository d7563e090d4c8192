/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: UDP port 4791 of a network namespace */
#ifndef _TUFF_WIRE_SOCK_H
#define _TUFF_WIRE_SOCK_H

#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/refcount.h>
#include <linux/spinlock.h>

#include "tuff.h"

struct net;
struct socket;

/**
 * struct tuff_net - this driver's part of a network namespace
 * @ref: one for each user, and one for each address vector
 * @rcu: freed after a grace period: packets reach it through the sockets
 * @net: the namespace; not to be followed once the devices were stopped
 * @users: links; the sockets exist while there are any. tuff_net_mutex
 * @dead: the namespace went away, and the sockets with it. tuff_net_mutex
 * @sock4: IPv4 socket on port 4791. Changed under tuff_net_mutex; transmit
 *	reads it under RCU, after it saw that its device is not stopped
 * @sock6: IPv6 socket on port 4791, or NULL. As @sock4
 * @devs: devices that packets may be for, &tuff_dev.demux. Read under RCU,
 *	changed under tuff_net_mutex
 * @av_lock: guards @avs; any context
 * @avs: address vectors, &tuff_av.node: what they cache of this namespace
 *	must be dropped when it goes
 * @renewals: routes that were looked up, so far: when nothing has changed it
 *	has not
 */
struct tuff_net {
	refcount_t ref;
	struct rcu_head rcu;
	struct net *net;
	unsigned int users;
	bool dead;
	struct socket *sock4;
	struct socket *sock6;
	struct hlist_head devs;
	spinlock_t av_lock;	/* @avs */
	struct list_head avs;
	atomic_t renewals;
};

/* Guards the members above; taken in process context, never under RTNL. */
extern struct mutex tuff_net_mutex;

void tuff_net_hold(struct tuff_net *tnet);
void tuff_net_unhold(struct tuff_net *tnet);

#endif /* _TUFF_WIRE_SOCK_H */
