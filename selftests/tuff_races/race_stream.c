// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_races: requests that go on and on, by the second thread */
#include <sched.h>

#include "races.h"

#define AHEAD	16

/* To the beginning of the other side's buffer; changed as wanted. */
void stream_init(struct stream *s, struct vt_qp *qp, struct side *from,
		 struct side *to)
{
	memset(s, 0, sizeof(*s));
	s->qp = qp;
	s->cq = from->cq;
	s->sge = (struct ibv_sge){ (uintptr_t)from->buf, 8192,
				   from->mr->lkey };
	s->va = (uintptr_t)to->buf;
	s->rkey = to->mr->rkey;
	s->op = -1;
}

static int stream_post(struct stream *s)
{
	static const enum ibv_wr_opcode ops[] = {
		IBV_WR_RDMA_WRITE, IBV_WR_RDMA_READ, IBV_WR_SEND,
		IBV_WR_ATOMIC_FETCH_AND_ADD,
	};
	enum ibv_wr_opcode op = s->op < 0 ? ops[s->posted % 4] :
					    (enum ibv_wr_opcode)s->op;
	struct ibv_sge sge = s->sge;

	if (op == IBV_WR_ATOMIC_FETCH_AND_ADD)
		sge.length = 8;
	if (op == IBV_WR_SEND)
		return vt_post_send(s->qp, op, s->posted, &sge, 1,
				    IBV_SEND_SIGNALED);
	return vt_post_rdma(s->qp, op, s->posted, &sge, IBV_SEND_SIGNALED,
			    s->va, s->rkey);
}

/* Until it is stopped; after a failure nothing new is posted. */
void stream_main(void *arg)
{
	struct stream *s = arg;
	struct ibv_wc wc[16];
	int i, n;

	while (!s->stop) {
		while (!s->status && s->posted < s->done + AHEAD) {
			s->posting = true;
			if (stream_post(s))
				break;
			s->posted++;
			s->posting = false;
		}
		n = ibv_poll_cq(s->cq, 16, wc);
		if (n <= 0)
			sched_yield();
		for (i = 0; i < n; i++) {
			if (wc[i].qp_num != s->qp->qp->qp_num ||
			    wc[i].opcode & IBV_WC_RECV)
				continue;
			if (wc[i].status && !s->status)
				s->status = wc[i].status;
			s->done++;
		}
	}
}

/* Until so many are done, or one has failed. */
int stream_wait(struct stream *s, long done, int ms)
{
	uint64_t end = vt_deadline(ms);

	while (s->done < done && !s->status && !vt_expired(end))
		sched_yield();
	return s->done >= done || s->status ? 0 : -ETIMEDOUT;
}

/*
 * Until a request is under way, as far as can be seen from here; false: none
 * was for long, as they all end while they are posted and nobody shares the
 * CPU with them.
 */
bool stream_catch(struct stream *s)
{
	uint64_t end = vt_deadline(20);

	while (!vt_expired(end))
		if (s->posting || s->posted > s->done)
			return true;
	return false;
}
