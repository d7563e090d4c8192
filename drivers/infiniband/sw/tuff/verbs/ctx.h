/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: user contexts and protection domains */
#ifndef _TUFF_VERBS_CTX_H
#define _TUFF_VERBS_CTX_H

#include <linux/xarray.h>
#include <rdma/ib_verbs.h>

/**
 * struct tuff_ucontext - one open of the device by a process
 * @ibuc: ib_core's part; allocated and freed by it
 * @mmaps: &struct tuff_mmap by page offset, see mmap.c; own lock, process
 *	context
 * @next_off: page offset at which the search for a free one begins
 */
struct tuff_ucontext {
	struct ib_ucontext ibuc;
	struct xarray mmaps;
	u32 next_off;
};

/* A protection domain is only an identity: it is compared, never followed. */
struct tuff_pd {
	struct ib_pd ibpd;
};

static inline struct tuff_ucontext *tuff_ucontext_of(struct ib_ucontext *ibuc)
{
	return container_of(ibuc, struct tuff_ucontext, ibuc);
}

int tuff_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata);
void tuff_dealloc_ucontext(struct ib_ucontext *ibuc);
void tuff_disassociate_ucontext(struct ib_ucontext *ibuc);
int tuff_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);
int tuff_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata);

#endif /* _TUFF_VERBS_CTX_H */
