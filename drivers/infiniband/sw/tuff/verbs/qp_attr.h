/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: modify and query of queue pairs */
#ifndef _TUFF_VERBS_QP_ATTR_H
#define _TUFF_VERBS_QP_ATTR_H

#include <rdma/ib_verbs.h>

/* &ib_device_ops */
int tuff_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int tuff_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);

#endif /* _TUFF_VERBS_QP_ATTR_H */
