/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the rings of this process, which librxe does not show */
#ifndef _TUFF_SELFTESTS_RINGS_H
#define _TUFF_SELFTESTS_RINGS_H

#include <infiniband/verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_RINGS	32

struct ring {
	struct rxe_queue_buf *q;
	size_t len;
};

int rings_find(struct ring rings[MAX_RINGS]);
int ring_command(struct ibv_context *ctx, uint32_t number, void *cmd,
		 size_t len);
int ring_doorbell(struct ibv_qp *qp);

#endif /* _TUFF_SELFTESTS_RINGS_H */
