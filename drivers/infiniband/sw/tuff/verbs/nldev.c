// SPDX-License-Identifier: GPL-2.0
/* tuff: what "rdma resource show -dd" tells of our objects */

#include "verbs/nldev.h"

#include <net/netlink.h>
#include <rdma/rdma_netlink.h>
#include <rdma/restrack.h>

#include "owner.h"
#include "verbs/dev.h"
#include "verbs/mr.h"
#include "verbs/qp.h"

/* Names and values of one object, filled under its lock, told without. */
struct tuff_nldev_value {
	const char *name;
	u32 value;
};

static int tuff_nldev_put(struct sk_buff *msg,
			  const struct tuff_nldev_value *values, size_t nr)
{
	struct nlattr *table;
	size_t i;

	table = nla_nest_start(msg, RDMA_NLDEV_ATTR_DRIVER);
	if (!table)
		return -EMSGSIZE;
	for (i = 0; i < nr; i++) {
		if (rdma_nl_put_driver_u32(msg, values[i].name,
					   values[i].value)) {
			nla_nest_cancel(msg, table);
			return -EMSGSIZE;
		}
	}
	nla_nest_end(msg, table);
	return 0;
}

/**
 * tuff_fill_res_qp_entry() - where the protocol of a QP stands
 * @msg: netlink message
 * @ibqp: the QP, which may be in destruction
 *
 * Context: Process context.
 * Return: 0 or -EMSGSIZE.
 */
int tuff_fill_res_qp_entry(struct sk_buff *msg, struct ib_qp *ibqp)
{
	struct tuff_dev *dev = tuff_dev_of(ibqp->device);
	struct tuff_vqp *vqp = tuff_vqp_get(dev, ibqp->qp_num);
	const struct tuff_qp *qp;

	if (!vqp)
		return 0;
	qp = &vqp->qp;
	tuff_owner_lock(vqp);
	const struct tuff_nldev_value values[] = {
		{ "una", qp->requester.una },
		{ "nxt", qp->requester.nxt },
		{ "max", qp->requester.max },
		{ "end", qp->requester.end },
		{ "in_flight", qp->nr_sq },
		{ "rd_atomic", qp->requester.nr_rd_atomic },
		{ "retry_left", qp->requester.retry_left },
		{ "rnr_left", qp->requester.rnr_left },
		{ "epsn", qp->responder.epsn },
		{ "msn", qp->responder.msn },
		{ "tx_bytes", atomic_read(&vqp->tx_bytes) },
	};
	tuff_owner_unlock(vqp);
	tuff_vqp_put(vqp);
	return tuff_nldev_put(msg, values, ARRAY_SIZE(values));
}

/**
 * tuff_fill_res_mr_entry() - how a region's pages are kept
 * @msg: netlink message
 * @ibmr: the region
 *
 * Context: Process context.
 * Return: 0 or -EMSGSIZE.
 */
int tuff_fill_res_mr_entry(struct sk_buff *msg, struct ib_mr *ibmr)
{
	const struct tuff_mr *mr = tuff_mr_of(ibmr);
	const struct tuff_nldev_value values[] = {
		{ "access", mr->access },
		{ "block_shift", mr->block_shift },
	};

	return tuff_nldev_put(msg, values, ARRAY_SIZE(values));
}
