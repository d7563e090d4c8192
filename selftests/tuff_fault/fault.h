/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: verbs_fault: verbs in which every allocation and copy fails in turn */
#ifndef _TUFF_SELFTESTS_FAULT_H
#define _TUFF_SELFTESTS_FAULT_H

#include "../lib/verbs.h"

#define FAULT_LEN	(64 * 1024)

/*
 * A verb under test. @prepare makes what it needs; @run is it, with one fault;
 * @after puts all back, and is told what @run returned. Of these only @run
 * sees faults. All return 0 or a negative errno.
 */
struct fault_case {
	const char *name;
	int (*prepare)(void);
	int (*run)(void);
	int (*after)(int err);
};

/* What the cases share; a case's own objects are in the lower half. */
struct fault_env {
	const char *name;
	struct vt_dev dev;
	uint8_t *buf;
	struct ibv_mr *mr;
	struct ibv_cq *cq;

	struct vt_qp x, y;
	struct ibv_context *ctx;
	struct ibv_comp_channel *channel;
	struct ibv_pd *own_pd;
	struct ibv_mr *own_mr;
	struct ibv_cq *own_cq;
	struct ibv_srq *srq;
	struct ibv_qp *qp;
	struct ibv_ah *ah;
};

extern struct fault_env env;
extern const struct fault_case object_cases[], qp_cases[], cm_cases[];

bool fault_came(void);
int cm_start(void);

#endif /* _TUFF_SELFTESTS_FAULT_H */
