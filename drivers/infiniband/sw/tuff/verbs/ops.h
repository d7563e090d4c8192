/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: the table of what ib_core may call */
#ifndef _TUFF_VERBS_OPS_H
#define _TUFF_VERBS_OPS_H

struct ib_device;

void tuff_ops_init_ibdev(struct ib_device *ibdev);

#endif /* _TUFF_VERBS_OPS_H */
