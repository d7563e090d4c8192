// SPDX-License-Identifier: GPL-2.0
/* tuff: UDP port 4791 of a network namespace */
#include "wire/sock.h"

#include <linux/err.h>
#include <linux/in.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/udp.h>
#include <net/ip.h>
#include <net/ipv6.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>
#include <net/udp_tunnel.h>

#include "verbs/dev.h"
#include "wire/copy.h"
#include "wire/frame.h"
#include "wire/pages.h"
#include "wire/route.h"
#include "wire/rx.h"
#include "wire/wire.h"

/**
 * struct tuff_pernet - what a namespace remembers of us
 * @tnet: its state, NULL while it has no link
 * @closing: it goes away: no link may come any more
 *
 * A record of its own, because devices (whose unregistration is asynchronous)
 * and address vectors outlive the namespace.
 */
struct tuff_pernet {
	struct tuff_net *tnet;
	bool closing;
};

/* Guards the members that sock.h names; never taken under RTNL. */
DEFINE_MUTEX(tuff_net_mutex);
static unsigned int tuff_pernet_id;

/**
 * tuff_net_hold() - take a reference on the record, not on the namespace
 * @tnet: per-namespace state
 *
 * Context: any; the caller has a reference already.
 */
void tuff_net_hold(struct tuff_net *tnet)
{
	refcount_inc(&tnet->ref);
}

/**
 * tuff_net_unhold() - give a reference back
 * @tnet: per-namespace state
 *
 * Context: any.
 */
void tuff_net_unhold(struct tuff_net *tnet)
{
	if (refcount_dec_and_test(&tnet->ref))
		kfree_rcu(tnet, rcu);
}

/*
 * Peers have agreed on a path MTU. Another one that an ICMP error tells of is
 * nothing to them, and anybody may have made it up: only the interface's MTU
 * counts.
 */
static void tuff_sock_ignore_pmtu(struct sock *sk)
{
	ip_sock_set_mtu_discover(sk, IP_PMTUDISC_PROBE);
#if IS_ENABLED(CONFIG_IPV6)
	if (sk->sk_family == AF_INET6)
		inet6_sk(sk)->pmtudisc = IPV6_PMTUDISC_PROBE;
#endif
}

static void tuff_sock_setup(struct tuff_net *tnet, struct socket *sock)
{
	struct udp_tunnel_sock_cfg cfg = {
		.sk_user_data = tnet,
		.encap_type = 1,	/* any value but 0: we take it all */
		.encap_rcv = tuff_rx,
		.encap_err_lookup = tuff_rx_icmp,
	};

	tuff_sock_ignore_pmtu(sock->sk);
	setup_udp_tunnel_sock(tnet->net, sock->sk, &cfg);
	udp_allow_gso(sock->sk);
}

static int tuff_sock_open4(struct tuff_net *tnet)
{
	struct udp_port_cfg cfg = {
		.family = AF_INET,
		.local_udp_port = htons(TUFF_UDP_PORT),
	};
	int err;

	err = udp_sock_create(tnet->net, &cfg, &tnet->sock4);
	if (err)
		return err;
	tuff_sock_setup(tnet, tnet->sock4);

	return 0;
}

static int tuff_sock_open6(struct tuff_net *tnet)
{
	struct udp_port_cfg cfg = {
		.family = AF_INET6,
		.local_udp_port = htons(TUFF_UDP_PORT),
		.ipv6_v6only = true,
		/* Checksum 0 is what RoCE hardware sends, over IPv6 too. */
		.use_udp6_tx_checksums = false,
		.use_udp6_rx_checksums = false,
	};
	int err;

	err = udp_sock_create(tnet->net, &cfg, &tnet->sock6);
	if (err == -EAFNOSUPPORT || err == -EPFNOSUPPORT)
		return 0;	/* a kernel, or a boot, without IPv6 */
	if (err)
		return err;
	tuff_sock_setup(tnet, tnet->sock6);

	return 0;
}

static void tuff_sock_close(struct tuff_net *tnet)
{
	lockdep_assert_held(&tuff_net_mutex);

	if (tnet->sock6)
		udp_tunnel_sock_release(tnet->sock6->sk);
	if (tnet->sock4)
		udp_tunnel_sock_release(tnet->sock4->sk);
	tnet->sock6 = NULL;
	tnet->sock4 = NULL;
}

static int tuff_sock_open(struct tuff_net *tnet)
{
	int err;

	lockdep_assert_held(&tuff_net_mutex);

	err = tuff_sock_open4(tnet);
	if (!err)
		err = tuff_sock_open6(tnet);
	if (err)
		tuff_sock_close(tnet);

	return err;
}

static struct tuff_net *tuff_net_create(struct net *net)
{
	struct tuff_net *tnet;
	int err;

	tnet = kzalloc_obj(*tnet);
	if (!tnet)
		return ERR_PTR(-ENOMEM);
	refcount_set(&tnet->ref, 1);
	tnet->net = net;
	INIT_HLIST_HEAD(&tnet->devs);
	spin_lock_init(&tnet->av_lock);
	INIT_LIST_HEAD(&tnet->avs);

	err = tuff_sock_open(tnet);
	if (err) {
		tuff_net_unhold(tnet);
		return ERR_PTR(err);
	}

	return tnet;
}

/**
 * tuff_net_get() - one more link in a namespace
 * @net: the namespace, which the caller knows to be alive
 *
 * The first link brings the sockets.
 *
 * Context: process, may sleep; not under RTNL.
 * Return: the namespace's state, or an ERR_PTR: -EADDRINUSE when somebody
 * else has the port, -ENODEV when the namespace is going away.
 */
struct tuff_net *tuff_net_get(struct net *net)
{
	struct tuff_pernet *pn = net_generic(net, tuff_pernet_id);
	struct tuff_net *tnet;

	mutex_lock(&tuff_net_mutex);
	tnet = pn->tnet;
	if (pn->closing) {
		tnet = ERR_PTR(-ENODEV);
	} else if (tnet) {
		tuff_net_hold(tnet);
		tnet->users++;
	} else {
		tnet = tuff_net_create(net);
		if (!IS_ERR(tnet)) {
			tnet->users = 1;
			pn->tnet = tnet;
		}
	}
	mutex_unlock(&tuff_net_mutex);

	return tnet;
}

/**
 * tuff_net_put() - one link less in a namespace
 * @tnet: what tuff_net_get() returned; the namespace itself may be gone
 *
 * The last link takes the sockets with it.
 *
 * Context: process, may sleep.
 */
void tuff_net_put(struct tuff_net *tnet)
{
	struct tuff_pernet *pn;

	mutex_lock(&tuff_net_mutex);
	if (!--tnet->users && !tnet->dead) {
		tuff_sock_close(tnet);
		pn = net_generic(tnet->net, tuff_pernet_id);
		pn->tnet = NULL;
	}
	mutex_unlock(&tuff_net_mutex);

	tuff_net_unhold(tnet);
}

/*
 * A namespace goes away. UDP tunnel sockets hold no reference on it and our
 * devices are unregistered asynchronously, so everything of ours that reaches
 * into it has to end here, whatever is still to come of the devices.
 *
 * First step, while all of the namespace still stands: nothing is transmitted
 * by its devices any more. cleanup_net() waits for a grace period between
 * pre_exit and exit, and transmit looks at @stopped under RCU.
 */
static void __net_exit tuff_net_pre_exit(struct net *net)
{
	struct tuff_pernet *pn = net_generic(net, tuff_pernet_id);
	struct tuff_dev *dev;

	mutex_lock(&tuff_net_mutex);
	pn->closing = true;
	if (pn->tnet)
		hlist_for_each_entry(dev, &pn->tnet->devs, demux)
			WRITE_ONCE(dev->stopped, true);
	mutex_unlock(&tuff_net_mutex);
}

/*
 * Second step: no transmit section that saw the devices running is left, and
 * none will look a route up again. Give back the sockets and the routes; IPv6
 * routes point into the namespace. cleanup_net() then waits with rcu_barrier()
 * for what dst_release() leaves to RCU.
 */
static void __net_exit tuff_net_exit(struct net *net)
{
	struct tuff_pernet *pn = net_generic(net, tuff_pernet_id);
	struct tuff_net *tnet;

	mutex_lock(&tuff_net_mutex);
	tnet = pn->tnet;
	if (tnet) {
		tuff_sock_close(tnet);
		tnet->dead = true;
		pn->tnet = NULL;
		tuff_route_forget_all(tnet);
	}
	mutex_unlock(&tuff_net_mutex);
}

static struct pernet_operations tuff_pernet_ops = {
	.pre_exit = tuff_net_pre_exit,
	.exit = tuff_net_exit,
	.id = &tuff_pernet_id,
	.size = sizeof(struct tuff_pernet),
};

/**
 * tuff_wire_init() - make the wire room ready
 *
 * Context: module init.
 * Return: 0 or an errno.
 */
int tuff_wire_init(void)
{
	tuff_copy_init();
	tuff_frame_init();

	return register_pernet_subsys(&tuff_pernet_ops);
}

/**
 * tuff_wire_exit() - take it down again
 *
 * All devices are gone, and with them all sockets, so no new packet comes in.
 * What is still on its way out (in a queueing discipline, in a driver) calls
 * our destructor when it is done: the code must stay until then.
 *
 * Context: module exit, may sleep.
 */
void tuff_wire_exit(void)
{
	unregister_pernet_subsys(&tuff_pernet_ops);
	tuff_tx_wait();
	/* Receive handlers and destructors that are about to return. */
	synchronize_rcu();
	/* kfree_rcu() needs no code of ours, call_rcu() of the QPs does. */
	rcu_barrier();
	tuff_pages_exit();
}
