/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: every limit that is advertised; each of them works */
#ifndef _TUFF_VERBS_LIMITS_H
#define _TUFF_VERBS_LIMITS_H

#include <linux/bits.h>

/* Queue pairs */
#define TUFF_MAX_QP		65536	/* at once */
#define TUFF_MAX_QP_WR		32767	/* requests in one send or receive queue */
#define TUFF_MAX_SGE		32	/* pieces of one request */
#define TUFF_MAX_INLINE		512	/* bytes in one request */
#define TUFF_MAX_RD_ATOMIC	16	/* READ and ATOMIC, each direction */

/* Shared receive queues */
#define TUFF_MAX_SRQ		65536
#define TUFF_MAX_SRQ_WR		32767
#define TUFF_MAX_SRQ_SGE	TUFF_MAX_SGE

/* Completion queues */
#define TUFF_MAX_CQ		1048576
#define TUFF_MAX_CQE		1048575	/* entries of one */

/* The rest */
#define TUFF_MAX_PD		1048576
#define TUFF_MAX_AH		1048576
#define TUFF_MAX_MR		1048576
#define TUFF_MAX_MR_SIZE	BIT_ULL(39)	/* bytes of one user region */
#define TUFF_MAX_UCONTEXT	65536

#define TUFF_GID_TBL_LEN	1024
#define TUFF_PKEY_TBL_LEN	1	/* the default P_Key */
#define TUFF_MAX_MSG_SIZE	0x80000000U	/* bytes (IBA 9.4) */

#endif /* _TUFF_VERBS_LIMITS_H */
