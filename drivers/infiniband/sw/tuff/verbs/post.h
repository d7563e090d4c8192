/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: posting of work requests, and the doorbell */
#ifndef _TUFF_VERBS_POST_H
#define _TUFF_VERBS_POST_H

#include <rdma/ib_verbs.h>

#include "tuff.h"

struct tuff_ring;

int tuff_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad_wr);
int tuff_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad_wr);
int tuff_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad_wr);

#endif /* _TUFF_VERBS_POST_H */
