// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_data: a side, its connections, and the follower's loop */
#include "data.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int side_init(struct side *s, const char *dev, const char *gid)
{
	int err;

	err = vt_open(&s->dev, dev, gid);
	if (err)
		return err;
	s->max_sge = s->dev.attr.max_sge < MAX_SGE ? s->dev.attr.max_sge :
						     MAX_SGE;
	s->flat = malloc(AREA_SIZE);
	err = area_init(&s->out, &s->dev);
	if (!err)
		err = area_init(&s->in, &s->dev);
	return s->flat ? err : -ENOMEM;
}

void side_exit(struct side *s)
{
	area_free(&s->out);
	area_free(&s->in);
	free(s->flat);
	vt_close(&s->dev);
	if (s->fd > 0)
		close(s->fd);
}

static int session_create(struct side *s)
{
	struct vt_qp_spec spec = {
		.type = s->session.type,
		.mtu = s->session.mtu,
		.send_wr = 128,
		.recv_wr = 256,
		.send_sge = s->max_sge,
		.recv_sge = s->max_sge,
		.max_inline = s->session.max_inline,
		.timeout = s->session.timeout,
		.rd_atomic = s->dev.attr.max_qp_rd_atom < 8 ?
			s->dev.attr.max_qp_rd_atom : 8,
	};

	/* The GRH of a datagram takes one. */
	if (spec.type == IBV_QPT_UD && s->max_sge < s->dev.attr.max_sge)
		spec.recv_sge++;
	else if (spec.type == IBV_QPT_UD)
		s->max_sge--;
	return vt_qp_create(&s->qp, &s->dev, &spec);
}

void session_end(struct side *s)
{
	if (s->ah)
		ibv_destroy_ah(s->ah);
	s->ah = NULL;
	if (s->qp.qp)
		vt_qp_destroy(&s->qp);
}

static int session_connect(struct side *s)
{
	int err;

	err = vt_qp_connect(&s->qp, &s->peer);
	if (!err && s->session.type == IBV_QPT_UD) {
		s->ah = vt_ah(&s->dev, &s->peer.gid);
		if (!s->ah)
			err = -errno;
	}
	return err;
}

/* The driver opens a connection on both sides. */
int session_drive(struct side *s, const struct session *session)
{
	struct msg m = { .cmd = CMD_OPEN, .session = *session };
	int err;

	s->why[0] = '\0';
	s->session = *session;
	err = session_create(s);
	if (err)
		return fail(s, "create QP: %s", strerror(-err));
	vt_qp_addr(&s->qp, &m.addr);
	if (msg_call(s->fd, &m))
		return fail(s, "peer is gone");
	if (m.err)
		return fail(s, "peer: %s", m.text);
	s->peer = m.addr;
	err = session_connect(s);
	if (err)
		return fail(s, "connect QP: %s", strerror(-err));
	return 0;
}

static int follow_open(struct side *s, struct msg *m)
{
	int err;

	session_end(s);
	s->session = m->session;
	s->peer = m->addr;
	err = session_create(s);
	if (err)
		return fail(s, "create QP: %s", strerror(-err));
	err = session_connect(s);
	if (err)
		return fail(s, "connect QP: %s", strerror(-err));
	vt_qp_addr(&s->qp, &m->addr);
	return 0;
}

/*
 * Both sides are requester and responder at once: tell the driver where our
 * area is, wait until it has told us that it is ready, run, compare.
 */
static int follow_burst(struct side *s, struct msg *m)
{
	uint64_t va = m->va[0], seed = m->c.seed;
	unsigned int ops = m->count;
	uint32_t rkey = m->rkey[0];
	int err;

	err = burst_prepare(s, seed, ops);
	if (err)
		return err;
	m->va[0] = (uintptr_t)s->in.mem;
	m->rkey[0] = s->in.mr[0]->rkey;
	m->err = 0;
	if (msg_send(s->fd, m))
		return -EPIPE;
	err = burst_run(s, seed + 1, ops, va, rkey);
	/* The driver's requests are done too when it says so. */
	if (msg_call(s->fd, m))
		return -EPIPE;
	return err ? err : burst_check(s, seed, ops);
}

static int follow_datagrams(struct side *s, struct msg *m)
{
	unsigned int got = 0;
	int err;

	err = dgram_prepare(s, m->count, m->c.size);
	if (err || msg_call(s->fd, m))
		return err ? err : -EPIPE;
	err = dgram_collect(s, m->count, m->c.size, &got);
	m->count = got;
	return err;
}

/* Do what the driver says until it has enough. */
int follow(struct side *s)
{
	struct msg m;
	int err;

	for (;;) {
		if (msg_recv(s->fd, &m))
			return -EPIPE;
		s->why[0] = '\0';
		switch (m.cmd) {
		case CMD_OPEN:
			err = follow_open(s, &m);
			break;
		case CMD_CASE:
			err = case_prepare(s, &m.c, &m);
			break;
		case CMD_CHECK:
			err = case_check(s, &m.c);
			break;
		case CMD_BURST:
			err = follow_burst(s, &m);
			break;
		case CMD_DATAGRAMS:
			err = follow_datagrams(s, &m);
			break;
		case CMD_CLOSE:
			session_end(s);
			err = 0;
			break;
		default:
			return 0;
		}
		if (err == -EPIPE)
			return err;
		m.err = err;
		memcpy(m.text, s->why, sizeof(m.text));
		if (msg_send(s->fd, &m))
			return -EPIPE;
	}
}
