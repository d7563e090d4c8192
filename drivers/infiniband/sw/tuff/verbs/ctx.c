// SPDX-License-Identifier: GPL-2.0
/* tuff: user contexts and protection domains */

#include "verbs/ctx.h"

/**
 * tuff_alloc_ucontext() - a process opened the device
 * @ibuc: ib_core's context
 * @udata: not used
 *
 * Return: 0.
 */
int tuff_alloc_ucontext(struct ib_ucontext *ibuc, struct ib_udata *udata)
{
	struct tuff_ucontext *uctx = tuff_ucontext_of(ibuc);

	xa_init_flags(&uctx->mmaps, XA_FLAGS_ALLOC1 | XA_FLAGS_ACCOUNT);
	return 0;
}

/**
 * tuff_dealloc_ucontext() - the process closed the device
 * @ibuc: ib_core's context; all its objects are gone
 */
void tuff_dealloc_ucontext(struct ib_ucontext *ibuc)
{
	struct tuff_ucontext *uctx = tuff_ucontext_of(ibuc);

	WARN_ON_ONCE(!xa_empty(&uctx->mmaps));
	xa_destroy(&uctx->mmaps);
}

/**
 * tuff_disassociate_ucontext() - the device goes while a process has it open
 * @ibuc: ib_core's context
 *
 * Nothing is left to do: ib_core destroys the objects, and mapped rings are
 * pages that belong to whoever maps them. That this function is there tells
 * ib_core that a device can go without waiting for its users.
 */
void tuff_disassociate_ucontext(struct ib_ucontext *ibuc)
{
}

/**
 * tuff_alloc_pd() - create a protection domain
 * @ibpd: ib_core's domain, all of it
 * @udata: not used
 *
 * Return: 0.
 */
int tuff_alloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}

/**
 * tuff_dealloc_pd() - destroy a protection domain
 * @ibpd: ib_core's domain; nothing uses it any more
 * @udata: not used
 *
 * Return: 0.
 */
int tuff_dealloc_pd(struct ib_pd *ibpd, struct ib_udata *udata)
{
	return 0;
}
