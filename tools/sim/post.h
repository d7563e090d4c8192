/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: the consumer's side of the rings, as librxe writes them */
#ifndef _TUFF_SIM_POST_H
#define _TUFF_SIM_POST_H

#include "host.h"

u32 sim_post_room(const struct sim_qp *sqp);
void sim_post_send(struct sim_qp *sqp, const struct sim_wr *wr);
void sim_post_to_record(struct sim_qp *sqp, const struct sim_wr *wr,
			struct tuff_swqe *wqe);
void sim_post_recv_to_record(struct sim_qp *sqp, const struct sim_recv *recv,
			     struct tuff_rwqe *wqe);
u32 sim_post_recv_room(const struct sim_rq *rq);
void sim_post_recv(struct sim_rq *rq, const struct sim_recv *recv);
void sim_post_recv_done(struct sim_rq *rq, struct sim_recv *recv);

#endif /* _TUFF_SIM_POST_H */
