/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: attributes of the device and its port */
#ifndef _TUFF_VERBS_ATTR_H
#define _TUFF_VERBS_ATTR_H

#include <rdma/ib_verbs.h>

#include "tuff.h"

/* &ib_device_ops */
int tuff_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		      struct ib_udata *udata);
int tuff_modify_device(struct ib_device *ibdev, int mask,
		       struct ib_device_modify *modify);
int tuff_query_port(struct ib_device *ibdev, u32 port,
		    struct ib_port_attr *attr);
int tuff_port_active_mtu(struct tuff_dev *dev);
int tuff_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey);
int tuff_get_port_immutable(struct ib_device *ibdev, u32 port,
			    struct ib_port_immutable *immutable);
enum rdma_link_layer tuff_get_link_layer(struct ib_device *ibdev, u32 port);

#endif /* _TUFF_VERBS_ATTR_H */
