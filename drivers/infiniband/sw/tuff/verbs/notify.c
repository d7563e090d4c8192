// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: events of net_devices and addresses
 *
 * MTU and name of the netdev need nothing: both are read when somebody asks.
 * The GIDs of Ethernet netdevs are ib_core's work; it does not look at those
 * of loopback and tun after the device was registered, so here it is told to.
 */

#include "verbs/notify.h"

#include <linux/if_arp.h>
#include <linux/inetdevice.h>
#include <linux/netdevice.h>
#include <net/addrconf.h>

#include "verbs/dev.h"

/* Down or up: tell the clients, once for each change. */
static void tuff_notify_port(struct tuff_dev *dev, struct net_device *ndev)
{
	enum ib_port_state state = ib_get_curr_port_state(ndev);

	ASSERT_RTNL();

	if (state == dev->port_state)
		return;
	dev->port_state = state;
	if (state == IB_PORT_DOWN)
		tuff_dev_count(dev, TUFF_CNT_LINK_DOWNED);
	if (!ib_device_try_get(&dev->ibdev))
		return;
	ib_dispatch_port_state_event(&dev->ibdev, ndev);
	ib_device_put(&dev->ibdev);
}

/*
 * Under RTNL: nothing here may query the port, which asks ethtool.
 * A device that is found when its netdev registers has changed its namespace
 * just as the link was added: the link belongs to the old one.
 */
static int tuff_notify_netdev(struct notifier_block *nb, unsigned long event,
			      void *ptr)
{
	struct net_device *ndev = netdev_notifier_info_to_dev(ptr);
	struct tuff_dev *dev;

	switch (event) {
	case NETDEV_UP:
	case NETDEV_DOWN:
	case NETDEV_CHANGE:
	case NETDEV_REGISTER:
	case NETDEV_UNREGISTER:
		break;
	default:
		return NOTIFY_DONE;
	}

	dev = tuff_dev_find_get(ndev);
	if (!dev)
		return NOTIFY_DONE;
	if (event == NETDEV_REGISTER || event == NETDEV_UNREGISTER)
		tuff_dev_netdev_gone(dev);
	else
		tuff_notify_port(dev, ndev);
	tuff_dev_put(dev);
	return NOTIFY_DONE;
}

static struct notifier_block tuff_notify_netdev_nb = {
	.notifier_call = tuff_notify_netdev,
};

static int tuff_notify_addr(const struct net_device *ndev, unsigned long event)
{
	if (event == NETDEV_UP && ndev->type != ARPHRD_ETHER)
		tuff_dev_rescan();
	return NOTIFY_DONE;
}

static int tuff_notify_inet(struct notifier_block *nb, unsigned long event,
			    void *ptr)
{
	const struct in_ifaddr *ifa = ptr;

	return tuff_notify_addr(ifa->ifa_dev->dev, event);
}

static struct notifier_block tuff_notify_inet_nb = {
	.notifier_call = tuff_notify_inet,
};

#if IS_ENABLED(CONFIG_IPV6)
/* Softirq. */
static int tuff_notify_inet6(struct notifier_block *nb, unsigned long event,
			     void *ptr)
{
	const struct inet6_ifaddr *ifp = ptr;

	return tuff_notify_addr(ifp->idev->dev, event);
}

static struct notifier_block tuff_notify_inet6_nb = {
	.notifier_call = tuff_notify_inet6,
};

static int tuff_notify_inet6_init(void)
{
	return register_inet6addr_notifier(&tuff_notify_inet6_nb);
}

static void tuff_notify_inet6_exit(void)
{
	unregister_inet6addr_notifier(&tuff_notify_inet6_nb);
}
#else
static int tuff_notify_inet6_init(void)
{
	return 0;
}

static void tuff_notify_inet6_exit(void)
{
}
#endif

/**
 * tuff_notify_init() - begin to listen
 *
 * Context: Module init.
 * Return: 0 or errno.
 */
int tuff_notify_init(void)
{
	int err;

	err = register_netdevice_notifier(&tuff_notify_netdev_nb);
	if (err)
		return err;
	err = register_inetaddr_notifier(&tuff_notify_inet_nb);
	if (err)
		goto err_netdev;
	err = tuff_notify_inet6_init();
	if (err)
		goto err_inet;
	return 0;

err_inet:
	unregister_inetaddr_notifier(&tuff_notify_inet_nb);
err_netdev:
	unregister_netdevice_notifier(&tuff_notify_netdev_nb);
	return err;
}

/**
 * tuff_notify_exit() - listen no longer
 *
 * unregister_netdevice_notifier() plays the unregistration of every netdev to
 * us, so all devices are on their way out after it.
 *
 * Context: Module exit, may sleep.
 */
void tuff_notify_exit(void)
{
	tuff_notify_inet6_exit();
	unregister_inetaddr_notifier(&tuff_notify_inet_nb);
	unregister_netdevice_notifier(&tuff_notify_netdev_nb);
}
