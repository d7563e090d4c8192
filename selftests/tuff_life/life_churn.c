// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_life: destroy queue pairs under traffic, and while timers run */
#include <stdio.h>
#include <string.h>

#include "life.h"

static const enum ibv_wr_opcode ops[] = {
	IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_ATOMIC_FETCH_AND_ADD,
};

/* Traffic runs, then one end goes, then the other. */
static int churn_busy(struct life *l, int round)
{
	int i, err, polls = round % 7;

	err = life_pairs(l, 2, (struct vt_qp_spec){
		.type = IBV_QPT_RC, .timeout = 1 + round % 12,
		.retry_cnt = 1 + round % 7, });
	for (i = 0; i < 2 * LIFE_AHEAD && !err; i++)
		err = life_post(l, i & 1, ops[(round + i) % ARRAY_LEN(ops)]);
	if (err)
		return err;
	while (polls-- > 0)
		life_step(l);
	if (round & 1)
		vt_qp_destroy(&l->x[0]);
	else
		vt_qp_destroy(&l->y[0]);
	/* The other pair goes on, and then goes as well. */
	life_step(l);
	life_destroy_pairs(l);
	return 0;
}

/*
 * The peer is silent or not ready: the shortest time-outs fire all the while
 * the queue pair is destroyed.
 */
static int churn_timers(struct life *l, int round)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)l->buf, .length = 100 + round % 5000,
		.lkey = l->amr->lkey,
	};
	int i, err;

	err = life_pairs(l, 4, (struct vt_qp_spec){
		.type = IBV_QPT_RC, .timeout = 1 + round % 4,
		.rnr_retry = 7, .min_rnr_timer = 1, });
	if (err)
		return err;
	for (i = 0; i < 4; i++) {
		if (round & 1)
			vt_qp_destroy(&l->y[i]);
		err = vt_post_send(&l->x[i], IBV_WR_SEND, i, &sge, 1,
				   IBV_SEND_SIGNALED);
		if (err)
			return err;
	}
	for (i = 0; i < round % 20; i++)
		(void)ibv_poll_cq(l->acq, 0, NULL);
	life_destroy_pairs(l);
	return 0;
}

int run_churn(struct life *l, int rounds)
{
	struct ibv_wc wc[16];
	int i, err = 0;

	for (i = 0; i < rounds && !err; i++) {
		err = i % 3 ? churn_timers(l, i) : churn_busy(l, i);
		/* What is left of queue pairs that are gone. */
		while (ibv_poll_cq(l->acq, 16, wc) > 0)
			;
	}
	if (err)
		fprintf(stderr, "round %d: %s\n", i, strerror(-err));
	life_exit(l);
	return err ? 1 : 0;
}
