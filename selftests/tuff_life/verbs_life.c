// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_life: queue pairs that are busy when something ends
 *
 *	verbs_life -d DEV [-P PEER] [-n NUMBER] [-t SECONDS] MODE
 *
 *	churn	destroy queue pairs under traffic, NUMBER times
 *	busy	NUMBER busy pairs; says "busy", then waits for the device's end
 *	hold	NUMBER connected pairs; says "holding", waits to be killed
 *	regions	NUMBER memory regions; likewise
 *	maps	rings mapped while the device goes; then forks and touches them
 */
#include "life.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
		 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

int life_init(struct life *l, const char *a, const char *b)
{
	int err;

	err = vt_open(&l->a, a, "v4");
	if (err)
		return err;
	l->peer = &l->a;
	if (b && strcmp(a, b)) {
		err = vt_open(&l->b, b, "v4");
		if (err)
			return err;
		l->peer = &l->b;
	}
	l->buf = mmap(NULL, 2 * LIFE_LEN, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	l->amr = ibv_reg_mr(l->a.pd, l->buf, LIFE_LEN, ACCESS);
	l->bmr = ibv_reg_mr(l->peer->pd, l->buf + LIFE_LEN, LIFE_LEN, ACCESS);
	l->acq = ibv_create_cq(l->a.ctx, 16384, NULL, NULL, 0);
	l->bcq = ibv_create_cq(l->peer->ctx, 16384, NULL, NULL, 0);
	return l->amr && l->bmr && l->acq && l->bcq ? 0 : -errno;
}

int life_pairs(struct life *l, int n, struct vt_qp_spec spec)
{
	struct vt_qp_spec peer = spec;
	int err;

	spec.cq = l->acq;
	peer.cq = l->bcq;
	for (l->pairs = 0; l->pairs < n; l->pairs++) {
		struct vt_qp *x = &l->x[l->pairs], *y = &l->y[l->pairs];

		err = vt_qp_create(x, &l->a, &spec);
		if (!err)
			err = vt_qp_create(y, l->peer, &peer);
		if (!err)
			err = vt_qp_pair(x, y);
		if (err)
			return err;
	}
	return 0;
}

void life_destroy_pairs(struct life *l)
{
	int i;

	for (i = 0; i < l->pairs; i++) {
		vt_qp_destroy(&l->x[i]);
		vt_qp_destroy(&l->y[i]);
	}
	l->pairs = 0;
}

void life_exit(struct life *l)
{
	life_destroy_pairs(l);
	ibv_destroy_cq(l->acq);
	ibv_destroy_cq(l->bcq);
	ibv_dereg_mr(l->amr);
	ibv_dereg_mr(l->bmr);
	vt_close(&l->a);
	if (l->peer != &l->a)
		vt_close(&l->b);
}

/* A request of pair @i: a whole buffer, or 8 bytes for an atomic. */
int life_post(struct life *l, int i, enum ibv_wr_opcode op)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)l->buf, .length = LIFE_LEN,
		.lkey = l->amr->lkey,
	};

	/* Completions of a pair that is gone may still be in the queue. */
	if (!l->x[i].qp)
		return -ENOENT;
	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD)
		sge.length = 8;
	return vt_post_rdma(&l->x[i], op, i, &sge, IBV_SEND_SIGNALED,
			    (uintptr_t)l->buf + LIFE_LEN, l->bmr->rkey);
}

/* Take completions, post a new request for each; how many were taken. */
int life_step(struct life *l)
{
	struct ibv_wc wc[16];
	int i, n;

	n = ibv_poll_cq(l->acq, 16, wc);
	for (i = 0; i < n; i++) {
		l->done++;
		if (wc[i].status != IBV_WC_SUCCESS)
			l->failed++;
		else if (life_post(l, wc[i].wr_id,
				   l->done % 3 ? IBV_WR_RDMA_WRITE :
						 IBV_WR_RDMA_READ))
			l->failed++;
	}
	return n;
}

int main(int argc, char **argv)
{
	static struct life l;
	const char *dev = NULL, *peer = NULL, *mode;
	int number = 64, seconds = 60, c, err;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:n:t:")) != -1) {
		switch (c) {
		case 'd':
			dev = optarg;
			break;
		case 'P':
			peer = optarg;
			break;
		case 'n':
			number = atoi(optarg);
			break;
		case 't':
			seconds = atoi(optarg);
			break;
		}
	}
	mode = argv[optind];
	if (!dev || !mode) {
		fprintf(stderr, "usage: %s -d DEV [-P PEER] [-n N] [-t SECONDS] MODE\n",
			argv[0]);
		return 2;
	}
	err = life_init(&l, dev, peer);
	if (err) {
		fprintf(stderr, "%s: %s\n", dev, strerror(-err));
		return 1;
	}
	if (!strcmp(mode, "churn"))
		return run_churn(&l, number);
	if (!strcmp(mode, "busy"))
		return run_busy(&l, number, seconds);
	if (!strcmp(mode, "hold"))
		return run_hold(&l, number);
	if (!strcmp(mode, "regions"))
		return run_regions(&l, number);
	if (!strcmp(mode, "maps"))
		return run_maps(&l);
	fprintf(stderr, "no mode %s\n", mode);
	return 2;
}
