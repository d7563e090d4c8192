// SPDX-License-Identifier: GPL-2.0
/* tuff: attributes of the device and its port */

#include "verbs/attr.h"

#include <linux/ethtool.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_mad.h>
#include <rdma/uverbs_ioctl.h>

#include "verbs/dev.h"
#include "verbs/limits.h"

/* Nobody's number: no maker's name is claimed, and tools know it from rxe. */
#define TUFF_VENDOR_ID		0xffffff
#define TUFF_VENDOR_PART_ID	1
#define TUFF_HW_VER		1

/* 4.096 us * 2^15: a busy host may take 134 ms until softirq runs. */
#define TUFF_LOCAL_ACK_DELAY	15

/**
 * tuff_query_device() - what the device can do
 * @ibdev: the device
 * @attr: filled
 * @udata: not used
 *
 * Context: Process context.
 * Return: 0 or errno. IBA 11.2.1.2.
 */
int tuff_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		      struct ib_udata *udata)
{
	int err = ib_no_udata_io(udata);

	if (err)
		return err;
	*attr = (struct ib_device_attr){
		.sys_image_guid = ibdev->node_guid,
		.max_mr_size = TUFF_MAX_MR_SIZE,
		.page_size_cap = ~0ULL << PAGE_SHIFT,
		.vendor_id = TUFF_VENDOR_ID,
		.vendor_part_id = TUFF_VENDOR_PART_ID,
		.hw_ver = TUFF_HW_VER,
		.max_qp = TUFF_MAX_QP,
		.max_qp_wr = TUFF_MAX_QP_WR,
		.device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				    IB_DEVICE_PORT_ACTIVE_EVENT |
				    IB_DEVICE_SYS_IMAGE_GUID |
				    IB_DEVICE_RC_RNR_NAK_GEN |
				    IB_DEVICE_SRQ_RESIZE,
		.kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_ALLOW_USER_UNREG,
		.max_send_sge = TUFF_MAX_SGE,
		.max_recv_sge = TUFF_MAX_SGE,
		.max_sge_rd = TUFF_MAX_SGE,
		.max_cq = TUFF_MAX_CQ,
		.max_cqe = TUFF_MAX_CQE,
		.max_mr = TUFF_MAX_MR,
		.max_pd = TUFF_MAX_PD,
		.max_qp_rd_atom = TUFF_MAX_RD_ATOMIC,
		.max_res_rd_atom = TUFF_MAX_RD_ATOMIC * TUFF_MAX_QP,
		.max_qp_init_rd_atom = TUFF_MAX_RD_ATOMIC,
		.atomic_cap = IB_ATOMIC_HCA,
		.max_ah = TUFF_MAX_AH,
		.max_srq = TUFF_MAX_SRQ,
		.max_srq_wr = TUFF_MAX_SRQ_WR,
		.max_srq_sge = TUFF_MAX_SRQ_SGE,
		.max_pkeys = TUFF_PKEY_TBL_LEN,
		.local_ca_ack_delay = TUFF_LOCAL_ACK_DELAY,
	};
	return 0;
}

/*
 * The IB words for a link's speed in Mb/s, the slowest that is not slower.
 * A speed that nobody knows (lo, tun, virtio) is told as the lowest there is.
 */
static void tuff_port_set_speed(struct ib_port_attr *attr, u32 mbps)
{
	static const struct {
		u32 mbps;
		u8 width;
		u16 speed;
	} links[] = {
		{   2500, IB_WIDTH_1X, IB_SPEED_SDR },
		{   5000, IB_WIDTH_1X, IB_SPEED_DDR },
		{  10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{  14000, IB_WIDTH_1X, IB_SPEED_FDR },
		{  20000, IB_WIDTH_4X, IB_SPEED_DDR },
		{  25000, IB_WIDTH_1X, IB_SPEED_EDR },
		{  40000, IB_WIDTH_4X, IB_SPEED_FDR10 },
		{  50000, IB_WIDTH_1X, IB_SPEED_HDR },
		{  56000, IB_WIDTH_4X, IB_SPEED_FDR },
		{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 200000, IB_WIDTH_4X, IB_SPEED_HDR },
		{ 400000, IB_WIDTH_4X, IB_SPEED_NDR },
		{ 800000, IB_WIDTH_8X, IB_SPEED_NDR },
	};
	unsigned int i = 0;

	if (mbps != (u32)SPEED_UNKNOWN)
		while (i < ARRAY_SIZE(links) - 1 && links[i].mbps < mbps)
			i++;
	attr->active_width = links[i].width;
	attr->active_speed = links[i].speed;
}

/* Takes RTNL: for process context, never for a notifier. */
static u32 tuff_port_ethtool_speed(struct net_device *ndev)
{
	struct ethtool_link_ksettings link = {};
	int err = -ENODEV;

	rtnl_lock();
	if (READ_ONCE(ndev->reg_state) == NETREG_REGISTERED)
		err = __ethtool_get_link_ksettings(ndev, &link);
	rtnl_unlock();
	return err ? (u32)SPEED_UNKNOWN : link.base.speed;
}

static void tuff_port_set_state(struct ib_port_attr *attr,
				struct net_device *ndev)
{
	attr->state = ib_get_curr_port_state(ndev);
	if (attr->state == IB_PORT_ACTIVE)
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else if (netif_running(ndev))
		attr->phys_state = IB_PORT_PHYS_STATE_POLLING;
	else
		attr->phys_state = IB_PORT_PHYS_STATE_DISABLED;
}

/*
 * rdma_cm takes the MTU of a path from the same function. Where not even 256
 * bytes fit there is nothing smaller to tell.
 */
static enum ib_mtu tuff_port_mtu(const struct net_device *ndev)
{
	enum ib_mtu mtu = iboe_get_mtu(READ_ONCE(ndev->mtu));

	return mtu ? mtu : IB_MTU_256;
}

/**
 * tuff_modify_device() - the device's description (rdma-ndd, sysfs)
 * @ibdev: the device
 * @mask: IB_DEVICE_MODIFY_NODE_DESC
 * @modify: the description
 *
 * Context: Process context.
 * Return: 0, or -EOPNOTSUPP for what does not change.
 */
int tuff_modify_device(struct ib_device *ibdev, int mask,
		       struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, modify->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

/**
 * tuff_port_active_mtu() - what path MTU the port can carry
 * @dev: the device
 *
 * Does not take RTNL, as tuff_query_port() does: connecting must not wait for
 * whoever has it.
 *
 * Context: Process context.
 * Return: &enum ib_mtu, or -ENODEV when the netdev is gone.
 */
int tuff_port_active_mtu(struct tuff_dev *dev)
{
	struct net_device *ndev = tuff_dev_netdev_get(dev);
	enum ib_mtu mtu;

	if (!ndev)
		return -ENODEV;
	mtu = tuff_port_mtu(ndev);
	dev_put(ndev);
	return mtu;
}

/**
 * tuff_query_port() - what the port is and how it is
 * @ibdev: the device
 * @port: 1
 * @attr: filled; zeroed by ib_core
 *
 * Context: Process context, not under RTNL.
 * Return: 0, -EINVAL for another port, -ENODEV when the netdev is going.
 */
int tuff_query_port(struct ib_device *ibdev, u32 port,
		    struct ib_port_attr *attr)
{
	struct net_device *ndev;

	if (port != 1)
		return -EINVAL;
	ndev = tuff_dev_netdev_get(tuff_dev_of(ibdev));
	if (!ndev)
		return -ENODEV;

	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = tuff_port_mtu(ndev);
	attr->gid_tbl_len = TUFF_GID_TBL_LEN;
	attr->ip_gids = true;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->max_msg_sz = TUFF_MAX_MSG_SIZE;
	attr->pkey_tbl_len = TUFF_PKEY_TBL_LEN;
	attr->max_vl_num = 1;
	tuff_port_set_state(attr, ndev);
	tuff_port_set_speed(attr, tuff_port_ethtool_speed(ndev));
	dev_put(ndev);
	return 0;
}

/**
 * tuff_query_pkey() - an entry of the P_Key table
 * @ibdev: the device
 * @port: 1
 * @index: 0
 * @pkey: set to the default P_Key, full member (IBA A17.4.4)
 *
 * Context: Any.
 * Return: 0 or -EINVAL.
 */
int tuff_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (port != 1 || index >= TUFF_PKEY_TBL_LEN)
		return -EINVAL;
	*pkey = TUFF_PKEY_DEFAULT;
	return 0;
}

/**
 * tuff_get_port_immutable() - what stays as it is while the device lives
 * @ibdev: the device
 * @port: 1
 * @immutable: filled
 *
 * Context: Process context, before registration.
 * Return: 0 or -EINVAL.
 */
int tuff_get_port_immutable(struct ib_device *ibdev, u32 port,
			    struct ib_port_immutable *immutable)
{
	if (port != 1)
		return -EINVAL;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->pkey_tbl_len = TUFF_PKEY_TBL_LEN;
	immutable->gid_tbl_len = TUFF_GID_TBL_LEN;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

/**
 * tuff_get_link_layer() - Ethernet, or what passes for it
 * @ibdev: the device
 * @port: 1
 *
 * Context: Any.
 * Return: IB_LINK_LAYER_ETHERNET.
 */
enum rdma_link_layer tuff_get_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}
