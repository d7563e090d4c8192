// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: memory regions: registration, keys, look-up
 *
 * Who can still hold a region when it is deregistered: work requests that name
 * it, by @ref, for as long as they like; they find it gone when they touch the
 * memory. Whoever is touching the memory just then, by @pins, with BHs off and
 * for one packet at most: deregistration waits for these, and then the pages
 * go back to the user.
 */

#include "verbs/mr.h"

#include <linux/random.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/xarray.h>
#include <rdma/ib_umem.h>
#include <rdma/iter.h>

#include "verbs/dev.h"
#include "verbs/key.h"
#include "verbs/limits.h"
#include "verbs/mem.h"

/* Rights that are checked, and flags that ask for nothing we would not do. */
#define TUFF_MR_RIGHTS		(IB_ACCESS_LOCAL_WRITE |		\
				 IB_ACCESS_REMOTE_WRITE |		\
				 IB_ACCESS_REMOTE_READ |		\
				 IB_ACCESS_REMOTE_ATOMIC)
#define TUFF_MR_FLAGS		(TUFF_MR_RIGHTS | IB_ACCESS_HUGETLB |	\
				 IB_ACCESS_OPTIONAL)

/* Sizes of blocks: any page size up to 1 GiB, which is how far the kernel's
 * addresses of physically contiguous memory are aligned alike.
 */
#define TUFF_MR_BLOCK_SIZES	GENMASK(30, PAGE_SHIFT)

static void tuff_mr_init(struct tuff_mr *mr, struct ib_pd *pd, u32 access)
{
	kref_init(&mr->ref);
	refcount_set(&mr->pins, 1);
	init_completion(&mr->unpinned);
	mr->pd = pd;
	mr->access = access & TUFF_MR_RIGHTS;
}

/* All kernel memory, as ib_dma_map_*() of a device without DMA names it. */
static void tuff_mr_init_all(struct tuff_mr *mr)
{
	mr->iova = 0;
	mr->length = U64_MAX;
}

/* Take a key whose look-up finds nothing yet. */
static int tuff_mr_key_alloc(struct tuff_dev *dev, struct tuff_mr *mr)
{
	u32 index;
	int err;

	xa_lock_irq(&dev->mrs);
	err = __xa_alloc_cyclic(&dev->mrs, &index, NULL,
				XA_LIMIT(1, TUFF_KEY_INDEX_MAX),
				&dev->next_key, GFP_KERNEL);
	if (err == 1)	/* all indices have come round */
		dev->key_gen++;
	if (err >= 0)
		mr->key = tuff_key_make(index, dev->key_gen);
	xa_unlock_irq(&dev->mrs);
	if (err < 0)
		return err == -EBUSY ? -ENOMEM : err;
	mr->ibmr.lkey = mr->key;
	mr->ibmr.rkey = mr->key;
	return 0;
}

static void tuff_mr_key_free(struct tuff_dev *dev, struct tuff_mr *mr)
{
	xa_erase_irq(&dev->mrs, tuff_key_index(mr->key));
}

/* The slot is there already, so this cannot fail. */
static void tuff_mr_publish(struct tuff_dev *dev, struct tuff_mr *mr)
{
	xa_store_irq(&dev->mrs, tuff_key_index(mr->key), mr, GFP_KERNEL);
}

static void tuff_mr_release(struct kref *ref)
{
	struct tuff_mr *mr = container_of(ref, struct tuff_mr, ref);

	kfree_rcu(mr, rcu);
}

/**
 * tuff_mr_put() - drop a reference on a region
 * @mr: the region, or NULL
 *
 * Context: Any.
 */
void tuff_mr_put(struct tuff_mr *mr)
{
	if (mr)
		kref_put(&mr->ref, tuff_mr_release);
}

/**
 * tuff_mr_pin() - begin an access to a region's memory
 * @mr: the region; the caller has a reference
 *
 * Context: Any; BHs stay off until tuff_mr_unpin().
 * Return: false when the region was deregistered.
 */
bool tuff_mr_pin(struct tuff_mr *mr)
{
	return refcount_inc_not_zero(&mr->pins);
}

/**
 * tuff_mr_unpin() - end an access to a region's memory
 * @mr: the region, after tuff_mr_pin()
 *
 * Context: Any.
 */
void tuff_mr_unpin(struct tuff_mr *mr)
{
	if (refcount_dec_and_test(&mr->pins))
		complete(&mr->unpinned);
}

/* No access from here on; those under way are waited for. */
static void tuff_mr_revoke(struct tuff_mr *mr)
{
	tuff_mr_unpin(mr);
	wait_for_completion(&mr->unpinned);
}

static bool tuff_mr_covers(const struct tuff_mr *mr, u64 va, u32 len)
{
	return va >= mr->iova && len <= mr->length &&
	       va - mr->iova <= mr->length - len;
}

/**
 * tuff_mr_get() - find the region of a key and check what is wanted of it
 * @dev: the device
 * @pd: protection domain of who asks
 * @kernel: a kernel consumer asks: the local DMA lkey is good
 * @remote: a packet asks
 * @key: L_Key or R_Key
 * @va: first address
 * @len: bytes, not 0
 * @access: rights that are needed; 0: local read
 *
 * Context: Any.
 * Return: the region with a reference, or NULL. IBA 10.6.3.
 */
struct tuff_mr *tuff_mr_get(struct tuff_dev *dev, struct ib_pd *pd, bool kernel,
			    bool remote, u32 key, u64 va, u32 len, u32 access)
{
	struct tuff_mr *mr;

	if (kernel && !remote && key == TUFF_KEY_LOCAL_DMA) {
		mr = dev->dma_mr;
		kref_get(&mr->ref);
		return mr;
	}
	rcu_read_lock();
	mr = xa_load(&dev->mrs, tuff_key_index(key));
	if (!mr || mr->key != key || mr->pd != pd ||
	    (access & ~mr->access) || !tuff_mr_covers(mr, va, len) ||
	    !kref_get_unless_zero(&mr->ref))
		mr = NULL;
	rcu_read_unlock();
	return mr;
}

/**
 * tuff_mr_get_again() - tuff_mr_get() for who mostly asks for the same
 * @last: the region of the last call, a reference, or NULL; the caller's
 * @dev: the device
 * @pd: protection domain of who asks
 * @remote: a packet asks
 * @key: L_Key or R_Key
 * @va: first address
 * @len: bytes, not 0
 * @access: rights that are needed; 0: local read
 *
 * The reference in @last keeps the record only: once the region is
 * deregistered its key is good no more, here as in the table.
 *
 * Context: Any; the caller keeps others from @last.
 * Return: the region with a reference, or NULL. IBA 10.6.3.
 */
struct tuff_mr *tuff_mr_get_again(struct tuff_mr **last, struct tuff_dev *dev,
				  struct ib_pd *pd, bool remote, u32 key,
				  u64 va, u32 len, u32 access)
{
	struct tuff_mr *mr = *last;

	if (mr && mr->key == key && !READ_ONCE(mr->gone) &&
	    !(access & ~mr->access) && tuff_mr_covers(mr, va, len)) {
		kref_get(&mr->ref);
		return mr;
	}
	mr = tuff_mr_get(dev, pd, false, remote, key, va, len, access);
	if (mr) {
		kref_get(&mr->ref);
		tuff_mr_put(*last);
		*last = mr;
	}
	return mr;
}

/* The pages as a table of blocks as large as they allow. */
static int tuff_mr_fill(struct tuff_mr *mr)
{
	struct ib_umem *umem = mr->umem;
	struct ib_block_iter biter;
	unsigned long size;
	size_t i = 0;

	size = ib_umem_find_best_pgsz(umem, TUFF_MR_BLOCK_SIZES,
				      umem->address);
	if (!size)
		return -EINVAL;
	mr->blocks = kvmalloc_array(ib_umem_num_dma_blocks(umem, size),
				    sizeof(*mr->blocks), GFP_KERNEL_ACCOUNT);
	if (!mr->blocks)
		return -ENOMEM;
	mr->block_shift = __ffs(size);
	mr->first = umem->address & (size - 1);
	rdma_umem_for_each_dma_block(umem, &biter, size)
		mr->blocks[i++] = rdma_block_iter_dma_address(&biter);
	return 0;
}

/* What made ib_umem_get_va() fail, where the errno alone does not tell. */
static void tuff_mr_explain(struct ib_device *ibdev, u64 length, int err)
{
	if (err == -ENOMEM && !capable(CAP_IPC_LOCK))
		ibdev_info_ratelimited(ibdev,
				       "no region of %llu bytes for %s[%d]: out of memory, or over RLIMIT_MEMLOCK of %lu bytes\n",
				       length, current->comm,
				       task_pid_nr(current),
				       rlimit(RLIMIT_MEMLOCK));
	else
		ibdev_dbg(ibdev, "no region of %llu bytes: %d\n", length, err);
}

static int tuff_mr_map_user(struct tuff_mr *mr, struct ib_device *ibdev,
			    u64 start, u64 length, int access)
{
	struct ib_umem *umem;
	int err;

	umem = ib_umem_get_va(ibdev, start, length, access);
	if (IS_ERR(umem)) {
		tuff_mr_explain(ibdev, length, PTR_ERR(umem));
		return PTR_ERR(umem);
	}
	mr->umem = umem;
	err = tuff_mr_fill(mr);
	if (err) {
		kvfree(mr->blocks);
		ib_umem_release(umem);
	}
	return err;
}

static int tuff_mr_check(struct ib_device *ibdev, u64 length, u64 iova,
			 int access)
{
	u64 last;

	if (access & ~TUFF_MR_FLAGS) {
		ibdev_dbg(ibdev, "access flags %#x are not supported\n",
			  access & ~TUFF_MR_FLAGS);
		return -EOPNOTSUPP;
	}
	if (!length || length > TUFF_MAX_MR_SIZE ||
	    check_add_overflow(iova, length - 1, &last)) {
		ibdev_dbg(ibdev, "no region of %llu bytes at %#llx\n", length,
			  iova);
		return -EINVAL;
	}
	return 0;
}

/**
 * tuff_reg_user_mr() - register memory of a process
 * @ibpd: protection domain
 * @start: where it is
 * @length: bytes
 * @iova: what the first byte is called in work requests and packets
 * @access: rights
 * @dmah: DMA handle; there is no hardware that could follow it
 * @udata: not used
 *
 * Context: Process context.
 * Return: the region or an ERR_PTR. IBA 11.2.8.2.
 */
struct ib_mr *tuff_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata)
{
	struct tuff_dev *dev = tuff_dev_of(ibpd->device);
	struct tuff_mr *mr;
	int err;

	if (dmah)
		return ERR_PTR(-EOPNOTSUPP);
	err = tuff_mr_check(ibpd->device, length, iova, access);
	if (err)
		return ERR_PTR(err);
	mr = kzalloc_obj(*mr, GFP_KERNEL_ACCOUNT);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	tuff_mr_init(mr, ibpd, access);
	mr->iova = iova;
	mr->length = length;
	err = tuff_mr_map_user(mr, ibpd->device, start, length, access);
	if (err)
		goto err_free;
	err = tuff_mr_key_alloc(dev, mr);
	if (err)
		goto err_unmap;
	tuff_mr_publish(dev, mr);
	return &mr->ibmr;

err_unmap:
	kvfree(mr->blocks);
	ib_umem_release(mr->umem);
err_free:
	kfree(mr);
	return ERR_PTR(err);
}

/**
 * tuff_get_dma_mr() - a region of all kernel memory
 * @ibpd: protection domain of a kernel consumer
 * @access: rights
 *
 * Context: Process context.
 * Return: the region or an ERR_PTR. IBA 10.6.2.3.
 */
struct ib_mr *tuff_get_dma_mr(struct ib_pd *ibpd, int access)
{
	struct tuff_dev *dev = tuff_dev_of(ibpd->device);
	struct tuff_mr *mr;
	int err;

	mr = kzalloc_obj(*mr);
	if (!mr)
		return ERR_PTR(-ENOMEM);
	tuff_mr_init(mr, ibpd, access);
	tuff_mr_init_all(mr);
	err = tuff_mr_key_alloc(dev, mr);
	if (err) {
		kfree(mr);
		return ERR_PTR(err);
	}
	tuff_mr_publish(dev, mr);
	return &mr->ibmr;
}

/**
 * tuff_dereg_mr() - deregister a region
 * @ibmr: the region
 * @udata: not used
 *
 * Context: Process context; waits for accesses under way.
 * Return: 0. IBA 11.2.8.5.
 */
int tuff_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata)
{
	struct tuff_dev *dev = tuff_dev_of(ibmr->device);
	struct tuff_mr *mr = tuff_mr_of(ibmr);

	tuff_mr_key_free(dev, mr);
	WRITE_ONCE(mr->gone, true);
	tuff_mr_revoke(mr);
	if (mr->umem) {
		kvfree(mr->blocks);
		ib_umem_release(mr->umem);
	}
	tuff_mr_put(mr);
	return 0;
}

/**
 * tuff_mr_init_dev() - set up keys and the region of the local DMA lkey
 * @dev: new device
 *
 * Return: 0 or -ENOMEM.
 */
int tuff_mr_init_dev(struct tuff_dev *dev)
{
	xa_init_flags(&dev->mrs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	/* Keys of an earlier life of this link shall mean nothing now. */
	dev->next_key = tuff_key_index(get_random_u32());
	dev->key_gen = get_random_u32();

	dev->dma_mr = kzalloc_obj(*dev->dma_mr);
	if (!dev->dma_mr)
		return -ENOMEM;
	tuff_mr_init(dev->dma_mr, NULL, IB_ACCESS_LOCAL_WRITE);
	tuff_mr_init_all(dev->dma_mr);
	dev->ibdev.local_dma_lkey = TUFF_KEY_LOCAL_DMA;
	return 0;
}

/**
 * tuff_mr_exit_dev() - undo tuff_mr_init_dev()
 * @dev: device that nobody uses any more
 *
 * Context: Process context.
 */
void tuff_mr_exit_dev(struct tuff_dev *dev)
{
	if (dev->dma_mr)
		tuff_mr_revoke(dev->dma_mr);
	tuff_mr_put(dev->dma_mr);
	WARN_ON_ONCE(!xa_empty(&dev->mrs));
	xa_destroy(&dev->mrs);
}
