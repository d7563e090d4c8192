// SPDX-License-Identifier: GPL-2.0
/* tuff: module init and exit, in order, nothing else */

#include <linux/module.h>

#include "owner.h"
#include "verbs/dev.h"
#include "verbs/link.h"
#include "verbs/notify.h"
#include "wire/wire.h"

/* What is a CPU's own is guarded by BHs that are off, see owner.c, pages.c. */
#ifdef CONFIG_PREEMPT_RT
#error "tuff is not for PREEMPT_RT kernels: softirqs of a CPU preempt each other there"
#endif

static int __init tuff_init(void)
{
	int err;

	tuff_crc32_init();
	err = tuff_owner_init();
	if (err)
		goto err_crc32;
	err = tuff_wire_init();
	if (err)
		goto err_owner;
	err = tuff_dev_init();
	if (err)
		goto err_wire;
	err = tuff_notify_init();
	if (err)
		goto err_dev;
	tuff_link_register();
	return 0;

err_dev:
	tuff_dev_exit();
err_wire:
	tuff_wire_exit();
err_owner:
	tuff_owner_exit();
err_crc32:
	tuff_crc32_exit();
	return err;
}

/*
 * No new link, no more events; then the devices go, each waiting for whoever
 * else unregisters it; then the packets that are still on their way.
 */
static void __exit tuff_exit(void)
{
	tuff_link_unregister();
	tuff_notify_exit();
	tuff_dev_exit();
	tuff_wire_exit();
	tuff_owner_exit();
	tuff_crc32_exit();
	rcu_barrier();
}

module_init(tuff_init);
module_exit(tuff_exit);

MODULE_DESCRIPTION("Software RDMA over Converged Ethernet (RoCEv2)");
MODULE_AUTHOR("The tuff developers");
MODULE_LICENSE("GPL");
