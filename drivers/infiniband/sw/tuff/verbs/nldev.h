/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what "rdma resource show -dd" tells of our objects */
#ifndef _TUFF_VERBS_NLDEV_H
#define _TUFF_VERBS_NLDEV_H

struct ib_mr;
struct ib_qp;
struct sk_buff;

/* &ib_device_ops */
int tuff_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr);
int tuff_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp);

#endif /* _TUFF_VERBS_NLDEV_H */
