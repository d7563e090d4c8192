// SPDX-License-Identifier: GPL-2.0
/* tuff: the table of what ib_core may call; nothing else */

#include "verbs/ops.h"

#include <linux/module.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/attr.h"
#include "verbs/av.h"
#include "verbs/cq.h"
#include "verbs/ctx.h"
#include "verbs/dev.h"
#include "verbs/mad.h"
#include "verbs/mmap.h"
#include "verbs/mr.h"
#include "verbs/nldev.h"
#include "verbs/post.h"
#include "verbs/qp.h"
#include "verbs/qp_attr.h"
#include "verbs/srq.h"
#include "verbs/stats.h"

#define TUFF_UVERBS_ABI_VERSION	2	/* librxe's */

TUFF_ADAPT_CREATE_CQ(tuff_create_cq)
TUFF_ADAPT_REG_USER_MR(tuff_reg_user_mr)
TUFF_ADAPT_RESIZE_USER_CQ(tuff_resize_user_cq)

static const struct ib_device_ops tuff_ops = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_RXE,
	.uverbs_abi_ver = TUFF_UVERBS_ABI_VERSION,

	/* the device and its port */
	.alloc_hw_port_stats = tuff_alloc_hw_port_stats,
	.dealloc_driver = tuff_dealloc_driver,
	.fill_res_mr_entry = tuff_fill_res_mr_entry,
	.fill_res_qp_entry = tuff_fill_res_qp_entry,
	.get_hw_stats = tuff_get_hw_stats,
	.get_link_layer = tuff_get_link_layer,
	.get_netdev = tuff_get_netdev,
	.get_port_immutable = tuff_get_port_immutable,
	.modify_device = tuff_modify_device,
	.process_mad = tuff_process_mad,
	.query_device = tuff_query_device,
	.query_pkey = tuff_query_pkey,
	.query_port = tuff_query_port,

	/* user contexts, protection domains, address handles */
	.alloc_pd = tuff_alloc_pd,
	.alloc_ucontext = tuff_alloc_ucontext,
	.create_ah = tuff_create_ah,
	.create_user_ah = tuff_create_ah,
	.dealloc_pd = tuff_dealloc_pd,
	.dealloc_ucontext = tuff_dealloc_ucontext,
	.destroy_ah = tuff_destroy_ah,
	.disassociate_ucontext = tuff_disassociate_ucontext,
	.mmap = tuff_mmap,
	.modify_ah = tuff_modify_ah,
	.query_ah = tuff_query_ah,

	/* memory regions */
	.dereg_mr = tuff_dereg_mr,
	.get_dma_mr = tuff_get_dma_mr,
	TUFF_SET_REG_USER_MR(tuff_reg_user_mr),

	/* queues */
	TUFF_SET_CREATE_CQ(tuff_create_cq),
	.create_qp = tuff_create_qp,
	.create_srq = tuff_create_srq,
	.destroy_cq = tuff_destroy_cq,
	.destroy_qp = tuff_destroy_qp,
	.destroy_srq = tuff_destroy_srq,
	.modify_qp = tuff_modify_qp,
	.modify_srq = tuff_modify_srq,
	.poll_cq = tuff_poll_cq,
	.post_recv = tuff_post_recv,
	.post_send = tuff_post_send,
	.post_srq_recv = tuff_post_srq_recv,
	.query_qp = tuff_query_qp,
	.query_srq = tuff_query_srq,
	.req_notify_cq = tuff_req_notify_cq,
	TUFF_SET_RESIZE_USER_CQ(tuff_resize_user_cq),

	INIT_RDMA_OBJ_SIZE(ib_ah, tuff_ibah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, tuff_ibcq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_pd, tuff_pd, ibpd),
	INIT_RDMA_OBJ_SIZE(ib_qp, tuff_ibqp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, tuff_ibsrq, ibsrq),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, tuff_ucontext, ibuc),
};

/**
 * tuff_ops_init_ibdev() - give a device its operations
 * @ibdev: new device
 */
void tuff_ops_init_ibdev(struct ib_device *ibdev)
{
	ib_set_device_ops(ibdev, &tuff_ops);
}
