/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: verbs_life: queue pairs that are busy when something ends */
#ifndef _TUFF_SELFTESTS_LIFE_H
#define _TUFF_SELFTESTS_LIFE_H

#include "../lib/verbs.h"

#define LIFE_LEN	65536	/* bytes of one WRITE */
#define LIFE_AHEAD	4	/* requests of one queue pair under way */
#define MAX_PAIRS	5120

/* What a run has: two devices, buffers, pairs that share two queues. */
struct life {
	struct vt_dev a, b;
	struct vt_dev *peer;
	uint8_t *buf;
	struct ibv_mr *amr, *bmr;
	struct ibv_cq *acq, *bcq;
	struct vt_qp x[MAX_PAIRS], y[MAX_PAIRS];
	int pairs;
	unsigned long done, failed;
};

int life_init(struct life *l, const char *a, const char *b);
int life_pairs(struct life *l, int n, struct vt_qp_spec spec);
void life_destroy_pairs(struct life *l);
void life_exit(struct life *l);
int life_post(struct life *l, int i, enum ibv_wr_opcode op);
int life_step(struct life *l);

/* Modes, one file each; they return the exit status. */
int run_churn(struct life *l, int rounds);
int run_busy(struct life *l, int pairs, int seconds);
int run_hold(struct life *l, int pairs);
int run_regions(struct life *l, int regions);
int run_maps(struct life *l);

#endif /* _TUFF_SELFTESTS_LIFE_H */
