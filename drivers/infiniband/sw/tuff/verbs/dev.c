// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: devices: made, found, taken apart
 *
 * Many may unregister a device, at the same time: "rdma link delete", the
 * netdev's notifier (by a work item of ib_core's), rdma_rxe's exit (which
 * unregisters all devices of its driver id, and ours have it), and our own
 * exit. So all teardown is in dealloc_driver, which ib_core calls once, and in
 * tuff_dev_reap(), once nothing uses the device any more. tuff_dev_reap() also
 * is the fence for module exit: when it has run, nobody is on the way back
 * from dealloc_driver.
 */

#include "verbs/dev.h"

#include <linux/etherdevice.h>
#include <linux/if_arp.h>
#include <linux/mutex.h>
#include <linux/random.h>
#include <linux/siphash.h>
#include <linux/wait.h>
#include <net/addrconf.h>
#include <net/net_namespace.h>

#include "verbs/link.h"
#include "verbs/mr.h"
#include "verbs/ops.h"
#include "wire/wire.h"

/*
 * Guards the list and what struct tuff_dev says it does. Process context;
 * taken under RTNL by the notifier, so RTNL is never taken under it.
 */
static DEFINE_MUTEX(tuff_dev_mutex);
static LIST_HEAD(tuff_devs);
static DECLARE_WAIT_QUEUE_HEAD(tuff_dev_wait);	/* the list became empty */
static struct workqueue_struct *tuff_dev_wq;
static siphash_key_t tuff_dev_guid_key;

/* The netdev's reference is dropped here, once, by whoever comes first. */
static void tuff_dev_drop_netdev(struct tuff_dev *dev)
{
	struct net_device *ndev;

	lockdep_assert_held(&tuff_dev_mutex);

	ndev = rcu_dereference_protected(dev->ndev,
					 lockdep_is_held(&tuff_dev_mutex));
	if (!ndev)
		return;
	RCU_INIT_POINTER(dev->ndev, NULL);
	netdev_put(ndev, &dev->ndev_tracker);
}

/**
 * tuff_dev_netdev_get() - the device's net_device
 * @dev: the device
 *
 * Unregistration of a net_device clears the pointer and then waits for a grace
 * period before it waits for references, so one taken here counts.
 *
 * Context: Any.
 * Return: the netdev with a reference (dev_put()), or NULL when it unregisters.
 */
struct net_device *tuff_dev_netdev_get(struct tuff_dev *dev)
{
	struct net_device *ndev;

	rcu_read_lock();
	ndev = rcu_dereference(dev->ndev);
	dev_hold(ndev);
	rcu_read_unlock();
	return ndev;
}

/**
 * tuff_get_netdev() - the net_device of a port, for ib_core
 * @ibdev: the device
 * @port: 1
 *
 * Context: Any; takes no RTNL.
 * Return: the netdev with a reference, or NULL when it unregisters.
 */
struct net_device *tuff_get_netdev(struct ib_device *ibdev, u32 port)
{
	return tuff_dev_netdev_get(tuff_dev_of(ibdev));
}

/* Nothing uses the device any more. Work item. */
static void tuff_dev_reap(struct work_struct *work)
{
	struct tuff_dev *dev = container_of(work, struct tuff_dev, reap);

	/* Does nothing but wait for the one who unregistered it. */
	ib_unregister_device(&dev->ibdev);
	/* Look-ups by packets and by numbers. */
	synchronize_rcu();
	tuff_mr_exit_dev(dev);
	WARN_ON_ONCE(!xa_empty(&dev->qps) || !xa_empty(&dev->srqs) ||
		     !xa_empty(&dev->avs));
	xa_destroy(&dev->qps);
	xa_destroy(&dev->srqs);
	xa_destroy(&dev->avs);
	free_percpu(dev->counters);

	mutex_lock(&tuff_dev_mutex);
	list_del(&dev->entry);
	if (list_empty(&tuff_devs))
		wake_up_all(&tuff_dev_wait);
	mutex_unlock(&tuff_dev_mutex);
	put_device(&dev->ibdev.dev);
}

/**
 * tuff_dev_put() - give up what tuff_dev_get() took
 * @dev: the device
 *
 * Context: Any.
 */
void tuff_dev_put(struct tuff_dev *dev)
{
	if (refcount_dec_and_test(&dev->users))
		queue_work(tuff_dev_wq, &dev->reap);
}

/**
 * tuff_dealloc_driver() - the device is unregistered, or never was registered
 * @ibdev: the device; all its objects are gone
 *
 * Context: Process context.
 */
void tuff_dealloc_driver(struct ib_device *ibdev)
{
	struct tuff_dev *dev = tuff_dev_of(ibdev);

	tuff_demux_del(dev);
	mutex_lock(&tuff_dev_mutex);
	tuff_dev_drop_netdev(dev);
	mutex_unlock(&tuff_dev_mutex);
	if (dev->net)
		tuff_net_put(dev->net);
	dev->net = NULL;
	tuff_dev_put(dev);
}

/*
 * EUI-64 of the MAC. Where there is none (lo, tun) a number that stays the
 * same for this netdev as long as the module is loaded.
 */
static __be64 tuff_dev_guid(const struct net_device *ndev)
{
	union {
		__be64 guid;
		u8 raw[8];
	} eui;
	u8 mac[ETH_ALEN] __aligned(8);
	u64 hash;

	if (ndev->addr_len == ETH_ALEN && is_valid_ether_addr(ndev->dev_addr)) {
		ether_addr_copy(mac, ndev->dev_addr);
	} else {
		hash = siphash_2u64(dev_net(ndev)->net_cookie, ndev->ifindex,
				    &tuff_dev_guid_key);
		memcpy(mac, &hash, sizeof(mac));
		mac[0] &= ~0x1;		/* not a group */
		mac[0] |= 0x2;		/* locally administered */
	}
	addrconf_addr_eui48(eui.raw, mac);
	return eui.guid;
}

static void tuff_dev_init_ibdev(struct tuff_dev *dev,
				const struct net_device *ndev)
{
	struct ib_device *ibdev = &dev->ibdev;

	strscpy(ibdev->node_desc, "tuff", sizeof(ibdev->node_desc));
	ibdev->node_type = RDMA_NODE_IB_CA;
	ibdev->phys_port_cnt = 1;
	ibdev->num_comp_vectors = num_possible_cpus();
	ibdev->node_guid = tuff_dev_guid(ndev);
	/*
	 * librxe's doorbell is POST_SEND. The other commands in the kernel's
	 * own format reach our functions too, which refuse them for a user's
	 * objects: with a errno that says so.
	 */
	ibdev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
				  BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
				  BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	tuff_link_init_ibdev(ibdev);
	tuff_ops_init_ibdev(ibdev);
	ib_mark_name_assigned_by_user(ibdev);
}

static void tuff_dev_init_tables(struct tuff_dev *dev)
{
	const gfp_t flags = XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ;

	xa_init_flags(&dev->qps, flags);
	xa_init_flags(&dev->srqs, flags);
	xa_init_flags(&dev->avs, flags);
	/* A number that was just in use is the last one to be used again. */
	dev->next_qpn = get_random_u32() & TUFF_QPN_MASK;
}

/*
 * From here on ib_dealloc_device() is the way back, and dealloc_driver and
 * tuff_dev_reap() do the work.
 */
static struct tuff_dev *tuff_dev_alloc(struct net_device *ndev, struct net *net)
{
	struct tuff_dev *dev;
	int err;

	dev = ib_alloc_device_with_net(tuff_dev, ibdev, net);
	if (!dev)
		return ERR_PTR(-ENOMEM);
	refcount_set(&dev->users, 1);
	INIT_WORK(&dev->reap, tuff_dev_reap);
	dev->ifindex = ndev->ifindex;
	dev->ether = ndev->type == ARPHRD_ETHER;
	tuff_dev_init_tables(dev);
	tuff_dev_init_ibdev(dev, ndev);

	get_device(&dev->ibdev.dev);	/* for the list */
	mutex_lock(&tuff_dev_mutex);
	list_add_tail(&dev->entry, &tuff_devs);
	mutex_unlock(&tuff_dev_mutex);

	err = tuff_mr_init_dev(dev);
	dev->counters = alloc_percpu(struct tuff_counters);
	if (err || !dev->counters) {
		ib_dealloc_device(&dev->ibdev);
		return ERR_PTR(-ENOMEM);
	}
	return dev;
}

static struct tuff_dev *tuff_dev_find(const struct net_device *ndev)
{
	struct tuff_dev *dev;

	lockdep_assert_held(&tuff_dev_mutex);

	list_for_each_entry(dev, &tuff_devs, entry)
		if (rcu_access_pointer(dev->ndev) == ndev)
			return dev;
	return NULL;
}

/*
 * Take the netdev. Its notifier looks at the list under the same lock, so one
 * of the two sees the other.
 */
static int tuff_dev_attach(struct tuff_dev *dev, struct net_device *ndev,
			   struct net *net)
{
	int err = 0;

	mutex_lock(&tuff_dev_mutex);
	if (tuff_dev_find(ndev)) {
		err = -EEXIST;
	} else if (READ_ONCE(ndev->reg_state) != NETREG_REGISTERED ||
		   !net_eq(dev_net(ndev), net)) {
		err = -ENODEV;
	} else {
		netdev_hold(ndev, &dev->ndev_tracker, GFP_KERNEL);
		rcu_assign_pointer(dev->ndev, ndev);
	}
	mutex_unlock(&tuff_dev_mutex);
	return err;
}

/* From here on the notifier keeps it; ib_core looks when it registers. */
static void tuff_dev_look_at_port(struct tuff_dev *dev, struct net_device *ndev)
{
	rtnl_lock();
	dev->port_state = ib_get_curr_port_state(ndev);
	rtnl_unlock();
}

static int tuff_dev_open_port(struct tuff_dev *dev, struct net *net)
{
	struct tuff_net *tnet = tuff_net_get(net);

	if (IS_ERR(tnet))
		return PTR_ERR(tnet);
	dev->net = tnet;
	tuff_demux_add(dev);
	return 0;
}

/* The netdev may have gone meanwhile, and the notifier left it to us. */
static int tuff_dev_register(struct tuff_dev *dev, const char *name)
{
	bool gone;
	int err;

	err = ib_register_device(&dev->ibdev, name, NULL);
	if (err)
		return err;
	mutex_lock(&tuff_dev_mutex);
	dev->registered = true;
	gone = dev->gone;
	mutex_unlock(&tuff_dev_mutex);
	if (gone)
		ib_unregister_device(&dev->ibdev);
	return 0;
}

static int tuff_dev_create_in(const char *name, struct net_device *ndev,
			      struct net *net)
{
	struct tuff_dev *dev;
	int err;

	dev = tuff_dev_alloc(ndev, net);
	if (IS_ERR(dev))
		return PTR_ERR(dev);
	/* From registration on others may unregister it. */
	tuff_dev_get(dev);
	err = tuff_dev_attach(dev, ndev, net);
	if (!err) {
		tuff_dev_look_at_port(dev, ndev);
		err = tuff_dev_open_port(dev, net);
	}
	if (!err)
		err = tuff_dev_register(dev, name);
	if (err)
		ib_dealloc_device(&dev->ibdev);
	tuff_dev_put(dev);
	return err;
}

/**
 * tuff_dev_create() - make and register a device over a net_device
 * @name: of the device
 * @ndev: the netdev; the caller has a reference
 *
 * Context: Process context; not under RTNL.
 * Return: 0; -EEXIST when @ndev has a device, -EADDRINUSE when somebody else
 * has UDP port 4791, -ENFILE when @name is taken, -ENODEV when @ndev is about
 * to go.
 */
int tuff_dev_create(const char *name, struct net_device *ndev)
{
	struct net *net;
	int err;

	rcu_read_lock();
	net = maybe_get_net(dev_net(ndev));
	rcu_read_unlock();
	if (!net)
		return -ENODEV;
	err = tuff_dev_create_in(name, ndev, net);
	put_net(net);
	return err;
}

/**
 * tuff_dev_find_get() - the registered device over a net_device
 * @ndev: the netdev
 *
 * Context: Process context.
 * Return: the device with tuff_dev_get() taken, or NULL.
 */
struct tuff_dev *tuff_dev_find_get(const struct net_device *ndev)
{
	struct tuff_dev *dev;

	mutex_lock(&tuff_dev_mutex);
	dev = tuff_dev_find(ndev);
	if (dev && !refcount_inc_not_zero(&dev->users))
		dev = NULL;
	mutex_unlock(&tuff_dev_mutex);
	return dev;
}

/**
 * tuff_dev_netdev_gone() - the net_device unregisters or leaves its namespace
 * @dev: the device over it
 *
 * Nothing is sent any more, and the device unregisters by and by.
 *
 * Context: Netdev notifier, under RTNL.
 */
void tuff_dev_netdev_gone(struct tuff_dev *dev)
{
	bool registered;

	WRITE_ONCE(dev->stopped, true);
	mutex_lock(&tuff_dev_mutex);
	dev->gone = true;
	registered = dev->registered;
	tuff_dev_drop_netdev(dev);
	mutex_unlock(&tuff_dev_mutex);
	/* Else tuff_dev_register() will see that it is gone. */
	if (registered && ib_device_try_get(&dev->ibdev)) {
		ib_unregister_device_queued(&dev->ibdev);
		ib_device_put(&dev->ibdev);
	}
}

/* ib_core follows the addresses of Ethernet netdevs only. */
static struct tuff_dev *tuff_dev_next_unfollowed(struct tuff_dev *after)
{
	struct tuff_dev *dev, *found = NULL;

	mutex_lock(&tuff_dev_mutex);
	dev = list_prepare_entry(after, &tuff_devs, entry);
	list_for_each_entry_continue(dev, &tuff_devs, entry) {
		if (!dev->ether && dev->registered &&
		    refcount_inc_not_zero(&dev->users)) {
			found = dev;
			break;
		}
	}
	mutex_unlock(&tuff_dev_mutex);
	if (after)
		tuff_dev_put(after);
	return found;
}

static void tuff_dev_rescan_work(struct work_struct *work)
{
	struct tuff_dev *dev = NULL;

	while ((dev = tuff_dev_next_unfollowed(dev))) {
		if (!ib_device_try_get(&dev->ibdev))
			continue;
		rdma_roce_rescan_device(&dev->ibdev);
		ib_device_put(&dev->ibdev);
	}
}

static DECLARE_WORK(tuff_dev_rescan_item, tuff_dev_rescan_work);

/**
 * tuff_dev_rescan() - look for addresses that ib_core does not follow
 *
 * Soon, in a work item, for the devices over loopback and tun.
 *
 * Context: Any.
 */
void tuff_dev_rescan(void)
{
	queue_work(tuff_dev_wq, &tuff_dev_rescan_item);
}

/**
 * tuff_dev_init() - get ready to have devices
 *
 * Return: 0 or -ENOMEM.
 */
int tuff_dev_init(void)
{
	get_random_bytes(&tuff_dev_guid_key, sizeof(tuff_dev_guid_key));
	tuff_dev_wq = alloc_workqueue("tuff", WQ_UNBOUND, 0);
	return tuff_dev_wq ? 0 : -ENOMEM;
}

static struct tuff_dev *tuff_dev_next_to_leave(void)
{
	struct tuff_dev *dev;

	mutex_lock(&tuff_dev_mutex);
	list_for_each_entry(dev, &tuff_devs, entry) {
		if (dev->leaving)
			continue;
		dev->leaving = true;
		get_device(&dev->ibdev.dev);
		mutex_unlock(&tuff_dev_mutex);
		return dev;
	}
	mutex_unlock(&tuff_dev_mutex);
	return NULL;
}

/**
 * tuff_dev_exit() - unregister all devices and wait until nothing is left
 *
 * No device can come any more: the link operations are unregistered.
 *
 * Context: Module exit, may sleep.
 */
void tuff_dev_exit(void)
{
	struct tuff_dev *dev;

	while ((dev = tuff_dev_next_to_leave())) {
		ib_unregister_device(&dev->ibdev);
		put_device(&dev->ibdev.dev);
	}
	wait_event(tuff_dev_wait, list_empty_careful(&tuff_devs));
	destroy_workqueue(tuff_dev_wq);
}
