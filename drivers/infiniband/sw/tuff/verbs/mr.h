/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: memory regions */
#ifndef _TUFF_VERBS_MR_H
#define _TUFF_VERBS_MR_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/refcount.h>
#include <rdma/ib_verbs.h>

#include "tuff.h"

struct ib_umem;

/**
 * struct tuff_mr - a memory region
 * @ibmr: ib_core's part; memory is ours, unlike that of other objects
 * @ref: the registration's, and one for each tuff_mr_get()
 * @rcu: freed after a grace period, look-ups are under RCU
 * @pd: protection domain; compared, never followed
 * @key: L_Key and R_Key
 * @access: &enum ib_access_flags that matter to us
 * @iova: first address, as work requests and packets name it
 * @length: bytes
 * @pins: accesses to the memory under way, and one of the registration
 * @unpinned: completed when @pins becomes 0
 * @umem: the user's pages, or NULL: all kernel memory, address = address
 * @blocks: kernel addresses of the blocks of @umem
 * @block_shift: log2 of their size, at least PAGE_SHIFT
 * @first: bytes of the first block before @iova
 * @gone: deregistered: the key is good no more
 *
 * All but the counts and @gone is written before the region can be found.
 */
struct tuff_mr {
	struct ib_mr ibmr;
	struct kref ref;
	struct rcu_head rcu;
	struct ib_pd *pd;
	u32 key;
	u32 access;
	u64 iova;
	u64 length;
	refcount_t pins;
	struct completion unpinned;
	struct ib_umem *umem;
	u64 *blocks;
	u32 first;
	u8 block_shift;
	bool gone;
};

static inline struct tuff_mr *tuff_mr_of(struct ib_mr *ibmr)
{
	return container_of(ibmr, struct tuff_mr, ibmr);
}

int tuff_mr_init_dev(struct tuff_dev *dev);
void tuff_mr_exit_dev(struct tuff_dev *dev);

/* &ib_device_ops */
struct ib_mr *tuff_get_dma_mr(struct ib_pd *ibpd, int access);
struct ib_mr *tuff_reg_user_mr(struct ib_pd *ibpd, u64 start, u64 length,
			       u64 iova, int access, struct ib_dmah *dmah,
			       struct ib_udata *udata);
int tuff_dereg_mr(struct ib_mr *ibmr, struct ib_udata *udata);

#endif /* _TUFF_VERBS_MR_H */
