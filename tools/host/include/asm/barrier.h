/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: ordered accesses */
#ifndef _TUFF_HOST_ASM_BARRIER_H
#define _TUFF_HOST_ASM_BARRIER_H

/* No barriers without their accesses: the compiler has both in one. */
#define smp_load_acquire(p)	__atomic_load_n((p), __ATOMIC_ACQUIRE)
/* As above. */
#define smp_store_release(p, v)	__atomic_store_n((p), (v), __ATOMIC_RELEASE)

#endif /* _TUFF_HOST_ASM_BARRIER_H */
