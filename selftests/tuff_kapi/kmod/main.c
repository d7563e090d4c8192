// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: tuff_kapi: reading /sys/kernel/debug/tuff_kapi/results runs the tests
 * on the devices of the parameters and gives TAP
 */
#include "kapi.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/mutex.h>

static char *dev;
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "name of the device");

static char *peer;
module_param(peer, charp, 0444);
MODULE_PARM_DESC(peer, "name of the peer's device (default: the same)");

static struct ib_device *kapi_a, *kapi_b;
static struct dentry *kapi_dir;
static DEFINE_MUTEX(kapi_mutex);

static int kapi_add(struct ib_device *ibdev)
{
	const char *name = dev_name(&ibdev->dev);

	if (dev && !strcmp(name, dev))
		kapi_a = ibdev;
	if (peer && !strcmp(name, peer))
		kapi_b = ibdev;
	return 0;
}

/* Waits for a run of the tests: they use the device to their end. */
static void kapi_remove(struct ib_device *ibdev, void *client_data)
{
	mutex_lock(&kapi_mutex);
	if (kapi_a == ibdev)
		kapi_a = NULL;
	if (kapi_b == ibdev)
		kapi_b = NULL;
	mutex_unlock(&kapi_mutex);
}

static struct ib_client kapi_client = {
	.name = "tuff_kapi",
	.add = kapi_add,
	.remove = kapi_remove,
};

static int kapi_show(struct seq_file *out, void *unused)
{
	struct kapi_env env = { .out = out };
	const struct kapi_test *t;
	int n = 0;

	mutex_lock(&kapi_mutex);
	env.a = kapi_a;
	env.b = peer ? kapi_b : kapi_a;
	for (t = kapi_tests; t->name; t++)
		n++;
	seq_printf(out, "TAP version 13\n1..%d\n", n);
	for (t = kapi_tests, n = 1; t->name; t++, n++) {
		int err = env.a && env.b ? t->run(&env) :
					   kapi_bad(&env, "no such device");

		seq_printf(out, "%sok %d %s\n", err ? "not " : "", n,
			   t->name);
	}
	mutex_unlock(&kapi_mutex);
	return 0;
}

/* Room for all of it at once: what does not fit is asked for again. */
static int kapi_open(struct inode *inode, struct file *file)
{
	return single_open_size(file, kapi_show, NULL, 32768);
}

static const struct file_operations kapi_fops = {
	.owner = THIS_MODULE,
	.open = kapi_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init kapi_init(void)
{
	int err = ib_register_client(&kapi_client);

	if (err)
		return err;
	kapi_dir = debugfs_create_dir("tuff_kapi", NULL);
	debugfs_create_file("results", 0400, kapi_dir, NULL, &kapi_fops);
	return 0;
}
module_init(kapi_init);

static void __exit kapi_exit(void)
{
	debugfs_remove_recursive(kapi_dir);
	ib_unregister_client(&kapi_client);
}
module_exit(kapi_exit);

MODULE_DESCRIPTION("Test of RDMA devices by a kernel consumer");
MODULE_LICENSE("GPL");
