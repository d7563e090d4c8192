/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: "rdma link add" and "rdma link delete" */
#ifndef _TUFF_VERBS_LINK_H
#define _TUFF_VERBS_LINK_H

struct ib_device;

void tuff_link_register(void);
void tuff_link_unregister(void);
void tuff_link_init_ibdev(struct ib_device *ibdev);

#endif /* _TUFF_VERBS_LINK_H */
