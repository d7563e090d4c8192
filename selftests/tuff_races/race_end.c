// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_races: a process that is killed, or whose device goes */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "races.h"

#define NR_BUSY	8

/*
 * @n queue pairs, half of them connected with each other and many of these
 * with requests under way that nobody waits for.
 */
int mode_hold(int n)
{
	struct vt_qp *qps = calloc(n, sizeof(*qps));
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .cq = r.a.cq,
				   .send_wr = 8, .recv_wr = 8, .timeout = 10 };
	int i;

	for (i = 0; i < n; i++)
		CHECK(vt_qp_create(&qps[i], &r.a.dev, &spec));
	for (i = 0; i + 1 < n / 2; i += 2)
		CHECK(vt_qp_pair(&qps[i], &qps[i + 1]));
	for (i = 0; i + 1 < n / 2; i++)
		CHECK(post(&qps[i], &r.a, &r.a, i % 3 ? IBV_WR_RDMA_READ :
			   IBV_WR_SEND, i, BUF_LEN));
	printf("holding\n");
	for (;;)
		pause();
}

static bool is_gone(struct vt_dev *dev)
{
	struct pollfd fd = { .fd = dev->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool gone;

	if (poll(&fd, 1, 0) != 1)
		return false;
	if (ibv_get_async_event(dev->ctx, &event))
		return true;
	gone = event.event_type == IBV_EVENT_DEVICE_FATAL;
	ibv_ack_async_event(&event);
	return gone;
}

/* Traffic until one of the devices goes; then every end must come. */
int mode_busy(int seconds)
{
	uint64_t end = vt_now_ms() + VT_MS((uint64_t)seconds);
	struct vt_qp x[NR_BUSY], y[NR_BUSY];
	unsigned long done = 0;
	struct ibv_wc wc[16];
	int i, n;

	for (i = 0; i < NR_BUSY; i++)
		CHECK(make_pair(&x[i], &y[i], (struct vt_qp_spec){
			.type = IBV_QPT_RC, .timeout = 12, .retry_cnt = 3 }));
	for (i = 0; i < 4 * NR_BUSY; i++)
		CHECK(post(&x[i % NR_BUSY], &r.a, &r.b, IBV_WR_RDMA_WRITE,
			   i % NR_BUSY, 30000));
	printf("busy\n");
	while (!is_gone(&r.a.dev) && !is_gone(&r.b.dev)) {
		if (vt_now_ms() > end)
			return bad("the device did not go");
		n = ibv_poll_cq(r.a.cq, 16, wc);
		if (n <= 0)
			sched_yield();
		for (i = 0; i < n; i++, done++)
			if (!wc[i].status)
				post(&x[wc[i].wr_id], &r.a, &r.b,
				     done & 1 ? IBV_WR_RDMA_READ :
						IBV_WR_RDMA_WRITE,
				     wc[i].wr_id, 30000);
	}
	for (i = 0; i < NR_BUSY; i++) {
		vt_qp_destroy(&x[i]);
		vt_qp_destroy(&y[i]);
	}
	side_close(&r.a);
	side_close(&r.b);
	printf("# %lu requests\nend\n", done);
	return 0;
}
