// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_fault: everything but queue pairs */
#include "fault.h"

#include <errno.h>

#define ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE)

/* libibverbs says NULL and errno, or a positive errno. */
static int made(const void *p)
{
	return p ? 0 : -(errno ? errno : EIO);
}

static int open_run(void)
{
	env.ctx = ibv_open_device(env.dev.ctx->device);
	return made(env.ctx);
}

static int open_after(int err)
{
	(void)err;
	/* libibverbs' own errno is not told by close. */
	if (env.ctx)
		ibv_close_device(env.ctx);
	env.ctx = NULL;
	return 0;
}

static int pd_run(void)
{
	env.own_pd = ibv_alloc_pd(env.dev.ctx);
	return made(env.own_pd);
}

static int pd_destroy(void)
{
	int err = -ibv_dealloc_pd(env.own_pd);

	if (!err)
		env.own_pd = NULL;
	return err;
}

static int pd_after(int err)
{
	(void)err;
	return env.own_pd ? pd_destroy() : 0;
}

static int mr_run(void)
{
	env.own_mr = ibv_reg_mr(env.dev.pd, env.buf, 2 * FAULT_LEN, ACCESS);
	return made(env.own_mr);
}

static int mr_destroy(void)
{
	int err = -ibv_dereg_mr(env.own_mr);

	if (!err)
		env.own_mr = NULL;
	return err;
}

static int mr_after(int err)
{
	(void)err;
	return env.own_mr ? mr_destroy() : 0;
}

static int channel_run(void)
{
	env.channel = ibv_create_comp_channel(env.dev.ctx);
	return made(env.channel);
}

static int channel_destroy(void)
{
	int err = -ibv_destroy_comp_channel(env.channel);

	if (!err)
		env.channel = NULL;
	return err;
}

static int channel_after(int err)
{
	(void)err;
	return env.channel ? channel_destroy() : 0;
}

static int cq_run(void)
{
	env.own_cq = ibv_create_cq(env.dev.ctx, 600, NULL, env.channel, 0);
	return made(env.own_cq);
}

static int cq_resize(void)
{
	return -ibv_resize_cq(env.own_cq, 2000);
}

static int cq_arm(void)
{
	return -ibv_req_notify_cq(env.own_cq, 0);
}

static int cq_destroy(void)
{
	int err = -ibv_destroy_cq(env.own_cq);

	if (!err)
		env.own_cq = NULL;
	return err;
}

static int cq_after(int err)
{
	(void)err;
	return env.own_cq ? cq_destroy() : 0;
}

static int event_cq_prepare(void)
{
	return channel_run();
}

static int event_cq_after(int err)
{
	int cq = cq_after(err), channel = channel_after(err);

	return cq ? cq : channel;
}

static int srq_run(void)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = 200, .max_sge = 3 },
	};

	env.srq = ibv_create_srq(env.dev.pd, &init);
	return made(env.srq);
}

static int srq_limit(void)
{
	struct ibv_srq_attr attr = { .srq_limit = 5 };

	return -ibv_modify_srq(env.srq, &attr, IBV_SRQ_LIMIT);
}

static int srq_resize(void)
{
	struct ibv_srq_attr attr = { .max_wr = 900 };

	return -ibv_modify_srq(env.srq, &attr, IBV_SRQ_MAX_WR);
}

static int srq_query(void)
{
	struct ibv_srq_attr attr;

	return -ibv_query_srq(env.srq, &attr);
}

static int srq_destroy(void)
{
	int err = -ibv_destroy_srq(env.srq);

	if (!err)
		env.srq = NULL;
	return err;
}

static int srq_after(int err)
{
	(void)err;
	return env.srq ? srq_destroy() : 0;
}

static int ah_run(void)
{
	env.ah = vt_ah(&env.dev, &env.dev.gid);
	return made(env.ah);
}

static int ah_destroy(void)
{
	int err = -ibv_destroy_ah(env.ah);

	if (!err)
		env.ah = NULL;
	return err;
}

static int ah_after(int err)
{
	(void)err;
	return env.ah ? ah_destroy() : 0;
}

static int query_device(void)
{
	struct ibv_device_attr attr;

	return -ibv_query_device(env.dev.ctx, &attr);
}

static int query_port(void)
{
	struct ibv_port_attr attr;

	return -ibv_query_port(env.dev.ctx, VT_PORT, &attr);
}

static int query_gids(void)
{
	struct ibv_gid_entry table[16];
	ssize_t n = ibv_query_gid_table(env.dev.ctx, table, 16, 0);

	return n < 0 ? (int)n : 0;
}

const struct fault_case object_cases[] = {
	{ "open_device", NULL, open_run, open_after },
	{ "query_device", NULL, query_device, NULL },
	{ "query_port", NULL, query_port, NULL },
	{ "query_gid_table", NULL, query_gids, NULL },
	{ "alloc_pd", NULL, pd_run, pd_after },
	{ "dealloc_pd", pd_run, pd_destroy, pd_after },
	{ "reg_mr", NULL, mr_run, mr_after },
	{ "dereg_mr", mr_run, mr_destroy, mr_after },
	{ "create_comp_channel", NULL, channel_run, channel_after },
	{ "create_cq", NULL, cq_run, cq_after },
	{ "create_cq with events", event_cq_prepare, cq_run, event_cq_after },
	{ "resize_cq", cq_run, cq_resize, cq_after },
	{ "req_notify_cq", cq_run, cq_arm, cq_after },
	{ "destroy_cq", cq_run, cq_destroy, cq_after },
	{ "create_srq", NULL, srq_run, srq_after },
	{ "modify_srq, limit", srq_run, srq_limit, srq_after },
	{ "modify_srq, size", srq_run, srq_resize, srq_after },
	{ "query_srq", srq_run, srq_query, srq_after },
	{ "destroy_srq", srq_run, srq_destroy, srq_after },
	{ "create_ah", NULL, ah_run, ah_after },
	{ "destroy_ah", ah_run, ah_destroy, ah_after },
	{ NULL, NULL, NULL, NULL }
};
