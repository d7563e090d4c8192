/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: what the C tests share on top of libibverbs
 *
 * All functions that return int give 0 or a negative errno; the caller turns
 * that into a TAP line. Waiting is for conditions, with a limit that
 * TUFF_TIME_SCALE stretches on slow machines.
 */
#ifndef _TUFF_SELFTESTS_VERBS_H
#define _TUFF_SELFTESTS_VERBS_H

#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define VT_PORT		1
#define VT_QKEY		0x11223344
#define VT_MS(s)	((s) * 1000)
#define ARRAY_LEN(x)	(sizeof(x) / sizeof((x)[0]))

/* An open device with a protection domain and the GID the tests use. */
struct vt_dev {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_device_attr attr;
	struct ibv_port_attr port;
	union ibv_gid gid;
	int gid_index;
};

/* What a peer must know of a queue pair. */
struct vt_addr {
	union ibv_gid gid;
	uint32_t qpn;
	uint32_t psn;
};

/* How a queue pair is made and connected; 0 means the default in brackets. */
struct vt_qp_spec {
	enum ibv_qp_type type;
	int send_wr;		/* [64] */
	int recv_wr;		/* [64] */
	int send_sge;		/* [1] */
	int recv_sge;		/* [1] */
	int max_inline;		/* [0] */
	int access;		/* [every remote right] */
	enum ibv_mtu mtu;	/* [the port's active MTU] */
	int timeout;		/* [14] */
	int retry_cnt;		/* [7]; -1 is none */
	int rnr_retry;		/* [7]; -1 is none */
	int min_rnr_timer;	/* [1: 10 us] */
	int rd_atomic;		/* [4]; -1 is none */
	bool sig_all;
	struct ibv_cq *cq;	/* [one of its own for each side] */
	struct ibv_cq *rcq;	/* [@cq]; only together with it */
	struct ibv_srq *srq;
	struct ibv_comp_channel *channel;
};

struct vt_qp {
	struct vt_dev *dev;
	struct vt_qp_spec spec;
	struct ibv_qp *qp;
	struct ibv_cq *scq;
	struct ibv_cq *rcq;
	uint32_t psn;
};

int vt_scale(void);
uint64_t vt_now_ms(void);
uint64_t vt_deadline(int ms);
bool vt_expired(uint64_t deadline);

int vt_open(struct vt_dev *dev, const char *name, const char *gid);
void vt_close(struct vt_dev *dev);

void vt_spec_defaults(struct vt_dev *dev, struct vt_qp_spec *spec);
int vt_qp_create(struct vt_qp *qp, struct vt_dev *dev,
		 const struct vt_qp_spec *spec);
void vt_qp_destroy(struct vt_qp *qp);
void vt_qp_addr(struct vt_qp *qp, struct vt_addr *addr);
int vt_attr_init(struct vt_qp *qp, struct ibv_qp_attr *attr);
int vt_attr_rtr(struct vt_qp *qp, const struct vt_addr *peer,
		struct ibv_qp_attr *attr);
int vt_attr_rts(struct vt_qp *qp, struct ibv_qp_attr *attr);
int vt_qp_init(struct vt_qp *qp);
int vt_qp_rtr(struct vt_qp *qp, const struct vt_addr *peer);
int vt_qp_rts(struct vt_qp *qp);
int vt_qp_connect(struct vt_qp *qp, const struct vt_addr *peer);
int vt_qp_pair(struct vt_qp *a, struct vt_qp *b);
int vt_qp_modify_state(struct vt_qp *qp, enum ibv_qp_state state);
enum ibv_qp_state vt_qp_state(struct vt_qp *qp);
struct ibv_ah *vt_ah(struct vt_dev *dev, const union ibv_gid *gid);

int vt_poll(struct ibv_cq *cq, struct ibv_wc *wc, int n, int ms);
int vt_poll_status(struct ibv_cq *cq, struct ibv_wc *wc,
		   enum ibv_wc_status status, int ms);
int vt_quiet(struct ibv_cq *cq, int ms);

int vt_post_send(struct vt_qp *qp, enum ibv_wr_opcode op, uint64_t wr_id,
		 struct ibv_sge *sge, int num_sge, int flags);
int vt_post_rdma(struct vt_qp *qp, enum ibv_wr_opcode op, uint64_t wr_id,
		 struct ibv_sge *sge, int flags, uint64_t va, uint32_t rkey);
int vt_post_recv(struct vt_qp *qp, uint64_t wr_id, struct ibv_sge *sge,
		 int num_sge);

uint64_t vt_random(uint64_t *state);
void vt_fill(void *p, size_t len, uint64_t seed);
size_t vt_differ(const void *a, const void *b, size_t len);
long vt_counter(struct vt_dev *dev, const char *name);
long vt_counter_aged(struct vt_dev *dev, const char *name);
void vt_counters_age(void);
const char *vt_state_name(enum ibv_qp_state state);
const char *vt_type_name(enum ibv_qp_type type);

#endif /* _TUFF_SELFTESTS_VERBS_H */
