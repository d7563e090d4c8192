// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_fault: a connection by rdma_cm, both ends in this task
 *
 * What the ends do is spread over events: one loop takes the events of both
 * and does what is next. A fault may end it with an error, or with silence
 * when a message was lost; then the time is up.
 */
#include "fault.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <rdma/rdma_cma.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define CM_PORT		7471
#define CM_WAIT_MS	20000	/* for what nothing keeps from coming */

static struct {
	struct rdma_event_channel *channel;
	struct rdma_cm_id *listener, *client, *server;
	struct sockaddr_in addr;
	int established;
	uint64_t usual_ms;	/* what it takes undisturbed */
} cm;

static int cm_id_qp(struct rdma_cm_id *id)
{
	struct ibv_qp_init_attr init = {
		.qp_type = IBV_QPT_RC,
		.cap = { .max_send_wr = 4, .max_recv_wr = 4,
			 .max_send_sge = 1, .max_recv_sge = 1 },
	};

	return rdma_create_qp(id, NULL, &init) ? -errno : 0;
}

static int cm_accept(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .rnr_retry_count = 7 };
	int err;

	cm.server = id;
	err = cm_id_qp(id);
	if (!err && rdma_accept(id, &param))
		err = -errno;
	return err;
}

static int cm_connect(struct rdma_cm_id *id)
{
	struct rdma_conn_param param = { .retry_count = 7, .rnr_retry_count = 7 };
	int err = cm_id_qp(id);

	if (!err && rdma_connect(id, &param))
		err = -errno;
	return err;
}

static int cm_handle(enum rdma_cm_event_type type, struct rdma_cm_id *id)
{
	switch (type) {
	case RDMA_CM_EVENT_ADDR_RESOLVED:
		return rdma_resolve_route(id, 1000 * vt_scale()) ? -errno : 0;
	case RDMA_CM_EVENT_ROUTE_RESOLVED:
		return cm_connect(id);
	case RDMA_CM_EVENT_CONNECT_REQUEST:
		return cm_accept(id);
	case RDMA_CM_EVENT_ESTABLISHED:
		cm.established++;
		return 0;
	default:
		return -EPROTO;
	}
}

/* One event, if there is one. */
static int cm_progress(void)
{
	enum rdma_cm_event_type type;
	struct rdma_cm_event *event;
	struct rdma_cm_id *id;
	int err;

	if (rdma_get_cm_event(cm.channel, &event))
		return errno == EAGAIN ? 0 : -errno;
	type = event->event;
	id = event->id;
	/* A request must not go unseen, or nobody destroys its id. */
	if (type == RDMA_CM_EVENT_CONNECT_REQUEST)
		cm.server = id;
	err = rdma_ack_cm_event(event) ? -errno : 0;
	return err ? err : cm_handle(type, id);
}

static int cm_prepare(void)
{
	int flags;

	cm.established = 0;
	cm.channel = rdma_create_event_channel();
	if (!cm.channel)
		return -errno;
	flags = fcntl(cm.channel->fd, F_GETFL);
	fcntl(cm.channel->fd, F_SETFL, flags | O_NONBLOCK);
	return 0;
}

static int cm_listen(void)
{
	if (rdma_create_id(cm.channel, &cm.listener, NULL, RDMA_PS_TCP) ||
	    rdma_bind_addr(cm.listener, (struct sockaddr *)&cm.addr) ||
	    rdma_listen(cm.listener, 4))
		return -errno;
	return 0;
}

static int cm_begin(void)
{
	int err = cm_listen();

	if (err)
		return err;
	if (rdma_create_id(cm.channel, &cm.client, NULL, RDMA_PS_TCP) ||
	    rdma_resolve_addr(cm.client, NULL, (struct sockaddr *)&cm.addr,
			      1000 * vt_scale()))
		return -errno;
	return 0;
}

/* After a fault there may be nothing to wait for. */
static bool cm_is_late(uint64_t start)
{
	if (vt_now_ms() - start < 4 * cm.usual_ms + 1000)
		return false;
	return fault_came() || vt_expired(start + CM_WAIT_MS * vt_scale());
}

static int cm_run(void)
{
	struct pollfd pfd = { .fd = cm.channel->fd, .events = POLLIN };
	uint64_t start = vt_now_ms();
	int err = cm_begin();

	while (!err && cm.established < 2) {
		if (cm_is_late(start))
			return -ETIMEDOUT;
		poll(&pfd, 1, 50);
		err = cm_progress();
	}
	if (!err && rdma_disconnect(cm.client))
		err = -errno;
	return err;
}

static void cm_destroy(struct rdma_cm_id **id)
{
	if (!*id)
		return;
	if ((*id)->qp)
		rdma_destroy_qp(*id);
	rdma_destroy_id(*id);
	*id = NULL;
}

/* What came too late for the run brings ids, too. */
static int cm_after(int err)
{
	(void)err;
	cm_destroy(&cm.client);
	cm_destroy(&cm.server);
	cm_destroy(&cm.listener);
	rdma_destroy_event_channel(cm.channel);
	return 0;
}

/* The address of the device; librdmacm opens all devices at the first use. */
int cm_start(void)
{
	uint64_t start;
	int err;

	cm.addr.sin_family = AF_INET;
	cm.addr.sin_port = htons(CM_PORT);
	memcpy(&cm.addr.sin_addr, env.dev.gid.raw + 12, 4);
	err = cm_prepare();
	if (err)
		return err;
	start = vt_now_ms();
	cm.usual_ms = CM_WAIT_MS;
	err = cm_run();
	cm.usual_ms = vt_now_ms() - start;
	cm_after(err);
	return err;
}

const struct fault_case cm_cases[] = {
	{ "connection by rdma_cm", cm_prepare, cm_run, cm_after },
	{ NULL, NULL, NULL, NULL }
};
