// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: performance management datagrams: what counters/ is made from
 *
 * ib_core reads the standard port counters by asking the device with the same
 * datagrams that a fabric's manager sends.
 */

#include "verbs/mad.h"

#include <linux/minmax.h>
#include <rdma/ib_pma.h>

#include "verbs/dev.h"
#include "verbs/stats.h"

#define TUFF_MAD_BYTES_PER_WORD	4	/* data counters count words */
#define TUFF_MAD_STATUS_BAD_ATTR	cpu_to_be16(0x000c)	/* IBA 13.4.7 */

/* Packets that came in and were thrown away for what was wrong in them. */
static u64 tuff_mad_rx_errors(struct tuff_dev *dev)
{
	return tuff_stats_sum(dev, TUFF_CNT_DROP_ICRC) +
	       tuff_stats_sum(dev, TUFF_CNT_DROP_TRUNCATED) +
	       tuff_stats_sum(dev, TUFF_CNT_DROP_LENGTH) +
	       tuff_stats_sum(dev, TUFF_CNT_DROP_VERSION) +
	       tuff_stats_sum(dev, TUFF_CNT_DROP_OPCODE) +
	       tuff_stats_sum(dev, TUFF_CNT_DROP_PAD);
}

/* Packets that should have gone out and did not. */
static u64 tuff_mad_tx_discards(struct tuff_dev *dev)
{
	return tuff_stats_sum(dev, TUFF_CNT_TX_ERRORS) +
	       tuff_stats_sum(dev, TUFF_CNT_TX_NO_ROUTE);
}

/* Counters stop at their largest value (IBA 16.1.3.5). */
static __be16 tuff_mad_be16(u64 value)
{
	return cpu_to_be16(min_t(u64, value, U16_MAX));
}

static __be32 tuff_mad_be32(u64 value)
{
	return cpu_to_be32(min_t(u64, value, U32_MAX));
}

static void tuff_mad_class(struct ib_class_port_info *info)
{
	info->base_version = IB_MGMT_BASE_VERSION;
	info->class_version = 1;
	info->capability_mask = IB_PMA_CLASS_CAP_EXT_WIDTH;
}

static void tuff_mad_counters(struct tuff_dev *dev,
			      struct ib_pma_portcounters *cnt)
{
	cnt->port_select = 1;
	cnt->link_downed_counter =
		min_t(u64, tuff_stats_sum(dev, TUFF_CNT_LINK_DOWNED), U8_MAX);
	cnt->port_rcv_errors = tuff_mad_be16(tuff_mad_rx_errors(dev));
	cnt->port_xmit_discards = tuff_mad_be16(tuff_mad_tx_discards(dev));
	cnt->port_xmit_data =
		tuff_mad_be32(tuff_stats_sum(dev, TUFF_CNT_TX_BYTES) /
			      TUFF_MAD_BYTES_PER_WORD);
	cnt->port_rcv_data =
		tuff_mad_be32(tuff_stats_sum(dev, TUFF_CNT_RX_BYTES) /
			      TUFF_MAD_BYTES_PER_WORD);
	cnt->port_xmit_packets =
		tuff_mad_be32(tuff_stats_sum(dev, TUFF_CNT_TX_PACKETS));
	cnt->port_rcv_packets =
		tuff_mad_be32(tuff_stats_sum(dev, TUFF_CNT_RX_PACKETS));
}

static void tuff_mad_counters_ext(struct tuff_dev *dev,
				  struct ib_pma_portcounters_ext *cnt)
{
	__be64 tx = cpu_to_be64(tuff_stats_sum(dev, TUFF_CNT_TX_PACKETS));
	__be64 rx = cpu_to_be64(tuff_stats_sum(dev, TUFF_CNT_RX_PACKETS));

	cnt->port_select = 1;
	cnt->port_xmit_data =
		cpu_to_be64(tuff_stats_sum(dev, TUFF_CNT_TX_BYTES) /
			    TUFF_MAD_BYTES_PER_WORD);
	cnt->port_rcv_data =
		cpu_to_be64(tuff_stats_sum(dev, TUFF_CNT_RX_BYTES) /
			    TUFF_MAD_BYTES_PER_WORD);
	cnt->port_xmit_packets = tx;
	cnt->port_rcv_packets = rx;
	cnt->port_unicast_xmit_packets = tx;
	cnt->port_unicast_rcv_packets = rx;
}

/**
 * tuff_process_mad() - answer a performance management datagram
 * @ibdev: the device
 * @flags: &enum ib_mad_flags
 * @port: 1
 * @in_wc: completion of the datagram, NULL when ib_core asks itself
 * @in_grh: its GRH, or NULL
 * @in: the datagram
 * @out: the answer
 * @out_size: size of @out
 * @out_pkey_index: P_Key of the answer
 *
 * Context: Process context.
 * Return: bits of &enum ib_mad_result: success alone when it is none of ours.
 */
int tuff_process_mad(struct ib_device *ibdev, int flags, u32 port,
		     const struct ib_wc *in_wc, const struct ib_grh *in_grh,
		     const struct ib_mad *in, struct ib_mad *out,
		     size_t *out_size, u16 *out_pkey_index)
{
	struct tuff_dev *dev = tuff_dev_of(ibdev);
	struct ib_pma_mad *pma = (struct ib_pma_mad *)out;

	if (in->mad_hdr.mgmt_class != IB_MGMT_CLASS_PERF_MGMT ||
	    in->mad_hdr.method != IB_MGMT_METHOD_GET)
		return IB_MAD_RESULT_SUCCESS;

	memset(out, 0, sizeof(*out));
	out->mad_hdr = in->mad_hdr;
	out->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	switch (in->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		tuff_mad_class((struct ib_class_port_info *)pma->data);
		break;
	case IB_PMA_PORT_COUNTERS:
		tuff_mad_counters(dev, (void *)pma->data);
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		tuff_mad_counters_ext(dev, (void *)pma->data);
		break;
	default:
		out->mad_hdr.status = TUFF_MAD_STATUS_BAD_ATTR;
	}
	return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
}
