// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: "rdma link add" and "rdma link delete"
 *
 * Deleting needs no function of ours: ib_core unregisters the device, and
 * dealloc_driver does the rest.
 */

#include "verbs/link.h"

#include <linux/if_arp.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <rdma/rdma_netlink.h>

#include "verbs/dev.h"

/* IP and UDP as the engine sends them, over a link layer that ib_core knows. */
static bool tuff_link_fits(const struct net_device *ndev)
{
	switch (ndev->type) {
	case ARPHRD_ETHER:
	case ARPHRD_LOOPBACK:
	case ARPHRD_NONE:	/* tun, no link-layer header */
		return true;
	default:
		return false;
	}
}

/* The netlink request carries no way to say it: the log does. */
static void tuff_link_explain(const char *name, const struct net_device *ndev,
			      int err)
{
	switch (err) {
	case -EOPNOTSUPP:
		pr_err("tuff: %s: %s is no Ethernet, loopback or tun interface (type %u)\n",
		       name, ndev->name, ndev->type);
		break;
	case -EEXIST:
		pr_err("tuff: %s: %s has a tuff device already\n", name,
		       ndev->name);
		break;
	case -ENFILE:
		pr_err("tuff: %s: an RDMA device of this name exists\n", name);
		break;
	case -EADDRINUSE:
		pr_err("tuff: %s: UDP port %u is taken in the network namespace of %s, probably by rdma_rxe\n",
		       name, TUFF_UDP_PORT, ndev->name);
		break;
	default:
		pr_err("tuff: %s: cannot be made over %s: error %d\n", name,
		       ndev->name, err);
	}
}

static int tuff_link_new(const char *name, struct net_device *ndev)
{
	int err = -EOPNOTSUPP;

	if (tuff_link_fits(ndev))
		err = tuff_dev_create(name, ndev);
	if (err)
		tuff_link_explain(name, ndev, err);
	return err;
}

static struct rdma_link_ops tuff_link_ops = {
	.type = "tuff",
	.newlink = tuff_link_new,
};

/**
 * tuff_link_init_ibdev() - say how the device came to be
 * @ibdev: new device
 */
void tuff_link_init_ibdev(struct ib_device *ibdev)
{
	ibdev->link_ops = &tuff_link_ops;
}

/**
 * tuff_link_register() - let links be added
 */
void tuff_link_register(void)
{
	rdma_link_register(&tuff_link_ops);
}

/**
 * tuff_link_unregister() - no link is added any more, nor being added
 */
void tuff_link_unregister(void)
{
	rdma_link_unregister(&tuff_link_ops);
}

MODULE_ALIAS_RDMA_LINK("tuff");
