/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: every counter, and so every reason for which a packet is dropped
 *
 * One list makes the enum, the names in hw_counters/ and the tracepoints'
 * strings; Documentation/counters.rst is checked against it. Names are mlx5's
 * where mlx5 has one.
 */
#ifndef _TUFF_ENGINE_DROP_H
#define _TUFF_ENGINE_DROP_H

/* Events: X(enum, name) */
#define TUFF_EVENT_COUNTERS(X)						\
	X(TX_PACKETS, "tx_packets")					\
	X(TX_BYTES, "tx_bytes")						\
	X(RX_PACKETS, "rx_packets")					\
	X(RX_BYTES, "rx_bytes")						\
	X(RX_WRITE_REQUESTS, "rx_write_requests")			\
	X(RX_READ_REQUESTS, "rx_read_requests")				\
	X(RX_ATOMIC_REQUESTS, "rx_atomic_requests")			\
	X(RX_SEND_REQUESTS, "rx_send_requests")				\
	X(OUT_OF_BUFFER, "out_of_buffer")				\
	X(OUT_OF_SEQUENCE, "out_of_sequence")				\
	X(RX_EARLY, "rx_early_packets")					\
	X(DUPLICATE_REQUEST, "duplicate_request")			\
	X(PACKET_SEQ_ERR, "packet_seq_err")				\
	X(IMPLIED_NAK_SEQ_ERR, "implied_nak_seq_err")			\
	X(RNR_NAK_RETRY_ERR, "rnr_nak_retry_err")			\
	X(LOCAL_ACK_TIMEOUT_ERR, "local_ack_timeout_err")		\
	X(ADP_RETRANS, "roce_adp_retrans")				\
	X(RETRY_EXCEEDED, "retry_exceeded")				\
	X(RNR_RETRY_EXCEEDED, "rnr_retry_exceeded")			\
	X(REQ_CQE_ERROR, "req_cqe_error")				\
	X(REQ_CQE_FLUSH_ERROR, "req_cqe_flush_error")			\
	X(REQ_REMOTE_INVALID_REQUEST, "req_remote_invalid_request")	\
	X(REQ_REMOTE_ACCESS_ERRORS, "req_remote_access_errors")		\
	X(REQ_REMOTE_OP_ERRORS, "req_remote_op_errors")			\
	X(RESP_CQE_ERROR, "resp_cqe_error")				\
	X(RESP_CQE_FLUSH_ERROR, "resp_cqe_flush_error")			\
	X(RESP_LOCAL_LENGTH_ERROR, "resp_local_length_error")		\
	X(RESP_REMOTE_ACCESS_ERRORS, "resp_remote_access_errors")	\
	X(RESP_REMOTE_INVALID_REQUEST, "resp_remote_invalid_request")	\
	X(RESP_REMOTE_OP_ERRORS, "resp_remote_op_errors")		\
	X(LOOPBACK_MESSAGES, "loopback_messages")			\
	X(TX_ACKS, "tx_acks")						\
	X(RX_ACKS, "rx_acks")						\
	X(TX_RETRANSMITS, "tx_retransmits")				\
	X(TX_NO_ROOM, "tx_no_room")					\
	X(TX_NO_ROUTE, "tx_no_route")					\
	X(TX_ERRORS, "tx_errors")					\
	X(CQ_OVERFLOW, "cq_overflow")					\
	X(LINK_DOWNED, "link_downed")					\
	X(RX_ICMP_ERRORS, "rx_icmp_errors")

/* Reasons of dropped packets: X(enum, name) */
#define TUFF_DROP_COUNTERS(X)						\
	X(DROP_TRUNCATED, "rx_drop_truncated")				\
	X(DROP_LENGTH, "rx_drop_length")				\
	X(DROP_ICRC, "rx_icrc_encapsulated")				\
	X(DROP_VERSION, "rx_drop_version")				\
	X(DROP_OPCODE, "rx_drop_opcode")				\
	X(DROP_PAD, "rx_drop_pad")					\
	X(DROP_NO_QP, "rx_drop_no_qp")					\
	X(DROP_NO_DEVICE, "rx_drop_no_device")				\
	X(DROP_TRANSPORT, "rx_drop_transport")				\
	X(DROP_QP_STATE, "rx_drop_qp_state")				\
	X(DROP_SOURCE, "rx_drop_source")				\
	X(DROP_PKEY, "rx_drop_pkey")					\
	X(DROP_QKEY, "rx_drop_qkey")					\
	X(DROP_BACKLOG, "rx_drop_backlog")				\
	X(DROP_MEMORY, "rx_drop_memory")				\
	X(DROP_SILENT, "rx_drop_awaiting_retransmit")			\
	X(DROP_DUPLICATE, "rx_drop_duplicate")				\
	X(DROP_UC_SEQUENCE, "rx_drop_uc_sequence")			\
	X(DROP_UC_INVALID, "rx_drop_uc_invalid")			\
	X(DROP_UD_NO_BUFFER, "rx_drop_ud_no_buffer")			\
	X(DROP_UD_LENGTH, "rx_drop_ud_length")				\
	X(DROP_ACK_INVALID, "rx_drop_ack_invalid")			\
	X(DROP_ACK_STALE, "rx_drop_ack_stale")				\
	X(DROP_RESPONSE_INVALID, "rx_drop_response_invalid")		\
	X(DROP_RESPONSE_SEQUENCE, "rx_drop_response_sequence")		\
	X(DROP_CNP, "rx_cnp_ignored")					\
	X(DROP_MULTICAST, "rx_drop_multicast")				\
	X(DROP_FRAGMENT, "rx_drop_fragment")				\
	X(DROP_IP_HEADER, "rx_drop_ip_header")

#define TUFF_COUNTERS(X) TUFF_EVENT_COUNTERS(X) TUFF_DROP_COUNTERS(X)

enum tuff_counter {
#define TUFF_COUNTER_ENUM(id, name) TUFF_CNT_##id,
	TUFF_COUNTERS(TUFF_COUNTER_ENUM)
#undef TUFF_COUNTER_ENUM
	TUFF_NR_COUNTERS,
	/* Not counted: the packet was right and is done with. */
	TUFF_CNT_NONE = TUFF_NR_COUNTERS,
};

const char *tuff_counter_name(enum tuff_counter counter);

#endif /* _TUFF_ENGINE_DROP_H */
