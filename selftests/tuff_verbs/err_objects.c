// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_errors: making and ending objects; limits; verbs left out */
#include "harness.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct ibv_cq *new_cq(int cqe)
{
	return ibv_create_cq(env.a->ctx, cqe, NULL, NULL, 0);
}

static struct ibv_qp *new_qp(struct ibv_cq *cq, struct ibv_qp_cap cap,
			     enum ibv_qp_type type)
{
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .cap = cap, .qp_type = type,
	};

	return ibv_create_qp(env.a->pd, &init);
}

static int qp_capacities(void)
{
	struct ibv_device_attr *d = &env.a->attr;
	struct ibv_cq *cq = new_cq(16);
	const struct ibv_qp_cap over[] = {
		{ d->max_qp_wr + 1, 1, 1, 1, 0 },
		{ 1, d->max_qp_wr + 1, 1, 1, 0 },
		{ 1, 1, d->max_sge + 1, 1, 0 },
		{ 1, 1, 1, d->max_sge + 1, 0 },
		{ ~0u, 1, 1, 1, 0 }, { 1, ~0u, 1, 1, 0 },
		{ 1, 1, ~0u, 1, 0 }, { 1, 1, 1, ~0u, 0 },
		{ 1, 1, 1, 1, ~0u }, { 1, 1, 1, 1, 1 << 20 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(over); i++) {
		struct ibv_qp *qp;

		errno = 0;
		qp = new_qp(cq, over[i], IBV_QPT_RC);
		if (qp || (errno != EINVAL && errno != ENOMEM))
			return bad("capacities %u %u %u %u %u: %s, errno %d",
				   over[i].max_send_wr, over[i].max_recv_wr,
				   over[i].max_send_sge, over[i].max_recv_sge,
				   over[i].max_inline_data,
				   qp ? "made" : "refused", errno);
	}
	CHECK(ibv_destroy_cq(cq));
	return 0;
}

/* Limits advertised are limits that work. */
static int qp_largest(void)
{
	struct ibv_device_attr *d = &env.a->attr;
	struct ibv_qp_cap cap = { d->max_qp_wr, d->max_qp_wr, 1, 1, 0 };
	struct ibv_cq *cq = new_cq(16);
	struct ibv_qp *qp;

	qp = new_qp(cq, cap, IBV_QPT_RC);
	if (!qp)
		return bad("%d requests: %s", d->max_qp_wr, strerror(errno));
	CHECK(ibv_destroy_qp(qp));
	cap = (struct ibv_qp_cap){ 16, 16, d->max_sge, d->max_sge, 0 };
	qp = new_qp(cq, cap, IBV_QPT_UD);
	if (!qp)
		return bad("%d SGEs: %s", d->max_sge, strerror(errno));
	CHECK(ibv_destroy_qp(qp));
	CHECK(ibv_destroy_cq(cq));
	return 0;
}

static int qp_types(void)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RAW_PACKET, IBV_QPT_XRC_SEND, IBV_QPT_DRIVER,
		(enum ibv_qp_type)1, (enum ibv_qp_type)0x77,
	};
	struct ibv_qp_cap cap = { 4, 4, 1, 1, 0 };
	struct ibv_cq *cq = new_cq(16);
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(types); i++) {
		struct ibv_qp *qp;

		errno = 0;
		qp = new_qp(cq, cap, types[i]);
		if (qp || (errno != EOPNOTSUPP && errno != EINVAL &&
			   errno != EPERM && errno != ENOSYS))
			return bad("type %d: %s, errno %d (%s)", types[i],
				   qp ? "made" : "refused", errno,
				   strerror(errno));
	}
	CHECK(ibv_destroy_cq(cq));
	return 0;
}

static int cq_sizes(void)
{
	int max = env.a->attr.max_cqe;
	struct ibv_cq *cq;

	REFUSED_PTR(new_cq(0), EINVAL, EINVAL);
	REFUSED_PTR(new_cq(-1), EINVAL, EINVAL);
	REFUSED_PTR(new_cq(max + 1), EINVAL, EINVAL);
	REFUSED_PTR(ibv_create_cq(env.a->ctx, 8, NULL, NULL,
				  env.a->ctx->num_comp_vectors),
		    EINVAL, EINVAL);
	REFUSED_PTR(ibv_create_cq(env.a->ctx, 8, NULL, NULL, -1), EINVAL,
		    EINVAL);
	cq = new_cq(1);
	if (!cq || cq->cqe < 1)
		return bad("one entry: %s", strerror(errno));
	CHECK(ibv_destroy_cq(cq));
	cq = new_cq(max);
	if (!cq || cq->cqe < max)
		return bad("%d entries: %s", max, strerror(errno));
	CHECK(ibv_destroy_cq(cq));
	return 0;
}

/* Ten completions lie in the queue: it may not get smaller than that. */
static int cq_resize(void)
{
	struct ibv_sge s = asge(8), r = bsge(8);
	struct vt_qp x, y;
	int i;

	CHECK(pair(&x, &y, (struct vt_qp_spec){ .type = IBV_QPT_RC }));
	for (i = 0; i < 10; i++) {
		CHECK(vt_post_recv(&y, i, &r, 1));
		CHECK(vt_post_send(&x, IBV_WR_SEND, i, &s, 1, 0));
	}
	CHECK(vt_post_rdma(&x, IBV_WR_RDMA_READ, 10, &s, IBV_SEND_SIGNALED,
			   (uintptr_t)env.bbuf, env.bmr->rkey));
	CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, 10));
	REFUSED(ibv_resize_cq(y.rcq, 0), EINVAL);
	REFUSED(ibv_resize_cq(y.rcq, 5), EINVAL);
	REFUSED(ibv_resize_cq(y.rcq, env.b->attr.max_cqe + 1), EINVAL);
	CHECK(ibv_resize_cq(y.rcq, 10));
	CHECK(ibv_resize_cq(y.rcq, 1000));
	for (i = 0; i < 10; i++)
		CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, i));
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

/* The limit is to be ignored: it is armed by modify. */
static struct ibv_srq *new_srq(int wr, int sge)
{
	struct ibv_srq_init_attr init = {
		.attr = { .max_wr = wr, .max_sge = sge, .srq_limit = 1 << 20 },
	};

	return ibv_create_srq(env.a->pd, &init);
}

static int srq_attributes(void)
{
	struct ibv_device_attr *d = &env.a->attr;
	struct ibv_srq_attr attr = {};
	struct ibv_srq *srq;

	REFUSED_PTR(new_srq(d->max_srq_wr + 1, 1), EINVAL, EINVAL);
	REFUSED_PTR(new_srq(0, 1), EINVAL, EINVAL);
	REFUSED_PTR(new_srq(1, d->max_srq_sge + 1), EINVAL, EINVAL);
	srq = new_srq(d->max_srq_wr, 1);
	if (!srq)
		return bad("%d requests: %s", d->max_srq_wr, strerror(errno));
	CHECK(ibv_destroy_srq(srq));
	srq = new_srq(10, d->max_srq_sge);
	if (!srq)
		return bad("%d SGEs: %s", d->max_srq_sge, strerror(errno));
	CHECK(ibv_query_srq(srq, &attr));
	if (attr.max_wr < 10 || (int)attr.max_sge < d->max_srq_sge ||
	    attr.srq_limit)
		return bad("query: max_wr %u max_sge %u limit %u", attr.max_wr,
			   attr.max_sge, attr.srq_limit);
	attr.srq_limit = attr.max_wr + 1;
	REFUSED(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT), EINVAL);
	attr.srq_limit = 5;
	CHECK(ibv_modify_srq(srq, &attr, IBV_SRQ_LIMIT));
	attr.srq_limit = 0;
	CHECK(ibv_query_srq(srq, &attr));
	if (attr.srq_limit != 5)
		return bad("limit %u, expected 5", attr.srq_limit);
	REFUSED(ibv_modify_srq(srq, &attr, 1 << 5), EINVAL);
	CHECK(ibv_destroy_srq(srq));
	return 0;
}

static void *map(int prot)
{
	return mmap(NULL, 65536, prot, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* On-demand paging is wrong where it is not offered. */
static int has_odp(void)
{
	struct ibv_device_attr_ex attr = {};

	return !ibv_query_device_ex(env.a->ctx, NULL, &attr) &&
	       attr.odp_caps.general_caps & IBV_ODP_SUPPORT;
}

static int mr_access(void)
{
	static const int wrong[] = {
		IBV_ACCESS_REMOTE_WRITE,
		IBV_ACCESS_REMOTE_ATOMIC,
		IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ,
		1 << 12,
		IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_ON_DEMAND,
	};
	int n = ARRAY_LEN(wrong) - has_odp();
	void *mem = map(PROT_READ | PROT_WRITE);
	struct ibv_mr *mr;
	int i;

	for (i = 0; i < n; i++) {
		errno = 0;
		mr = ibv_reg_mr(env.a->pd, mem, 4096, wrong[i]);
		if (mr || (errno != EINVAL && errno != EOPNOTSUPP))
			return bad("access %#x: %s, errno %d", wrong[i],
				   mr ? "made" : "refused", errno);
	}
	mr = ibv_reg_mr(env.a->pd, mem, 4096, ACCESS_FULL |
			IBV_ACCESS_RELAXED_ORDERING);
	if (!mr)
		return bad("relaxed ordering: %s", strerror(errno));
	CHECK(ibv_dereg_mr(mr));
	munmap(mem, 65536);
	return 0;
}

static int mr_memory(void)
{
	uint8_t *mem = map(PROT_READ | PROT_WRITE), *ro = map(PROT_READ);
	struct ibv_mr *mr;
	int i;

	munmap(mem + 8192, 65536 - 8192);
	for (i = 0; i < 50; i++)
		REFUSED_PTR(ibv_reg_mr(env.a->pd, mem, 65536,
				       IBV_ACCESS_LOCAL_WRITE),
			    EFAULT, ENOMEM);
	REFUSED_PTR(ibv_reg_mr(env.a->pd, mem, ~0UL - 100,
			       IBV_ACCESS_LOCAL_WRITE), EINVAL, EOVERFLOW);
	REFUSED_PTR(ibv_reg_mr(env.a->pd, ro, 4096, IBV_ACCESS_LOCAL_WRITE),
		    EFAULT, EFAULT);
	mr = ibv_reg_mr(env.a->pd, ro, 4096, IBV_ACCESS_REMOTE_READ);
	if (!mr)
		return bad("read-only memory: %s", strerror(errno));
	CHECK(ibv_dereg_mr(mr));
	mr = ibv_reg_mr(env.a->pd, mem + 1, 1, ACCESS_FULL);
	if (!mr)
		return bad("one odd byte: %s", strerror(errno));
	CHECK(ibv_dereg_mr(mr));
	munmap(mem, 8192);
	munmap(ro, 65536);
	return 0;
}

/* Keys of registrations made one after the other are not the same soon. */
static int mr_keys(void)
{
	uint8_t *mem = map(PROT_READ | PROT_WRITE);
	uint32_t first = 0;
	struct ibv_mr *mr;
	int i;

	for (i = 0; i < 200; i++) {
		mr = ibv_reg_mr(env.a->pd, mem, 4096, ACCESS_FULL);
		if (!mr)
			return bad("reg_mr %d: %s", i, strerror(errno));
		if (!mr->lkey || (i && mr->rkey == first))
			return bad("registration %d: lkey %#x rkey %#x again",
				   i, mr->lkey, mr->rkey);
		if (!i)
			first = mr->rkey;
		CHECK(ibv_dereg_mr(mr));
	}
	munmap(mem, 65536);
	return 0;
}

static int in_use(void)
{
	struct ibv_pd *pd = ibv_alloc_pd(env.a->ctx);
	uint8_t *mem = map(PROT_READ | PROT_WRITE);
	struct ibv_qp_cap cap = { 4, 4, 1, 1, 0 };
	struct ibv_cq *cq = new_cq(4);
	struct ibv_srq *srq = new_srq(4, 1);
	struct ibv_mr *mr = ibv_reg_mr(pd, mem, 4096, 0);
	struct ibv_qp_init_attr init = {
		.send_cq = cq, .recv_cq = cq, .cap = cap, .srq = srq,
		.qp_type = IBV_QPT_RC,
	};
	struct ibv_qp *qp = ibv_create_qp(env.a->pd, &init);

	if (!pd || !cq || !srq || !mr || !qp)
		return bad("cannot make the objects: %s", strerror(errno));
	REFUSED(ibv_dealloc_pd(pd), EBUSY);
	REFUSED(ibv_destroy_cq(cq), EBUSY);
	REFUSED(ibv_destroy_srq(srq), EBUSY);
	CHECK(ibv_destroy_qp(qp));
	CHECK(ibv_destroy_srq(srq));
	CHECK(ibv_destroy_cq(cq));
	CHECK(ibv_dereg_mr(mr));
	CHECK(ibv_dealloc_pd(pd));
	munmap(mem, 65536);
	return 0;
}

static struct ibv_ah *new_ah(bool global, int port, int gid_index)
{
	struct ibv_ah_attr attr = {
		.is_global = global, .port_num = port,
		.grh = { .dgid = env.b->gid, .sgid_index = gid_index,
			 .hop_limit = 1 },
	};

	return ibv_create_ah(env.a->pd, &attr);
}

static int address_handles(void)
{
	struct ibv_ah *ah;

	REFUSED_PTR(new_ah(false, VT_PORT, env.a->gid_index), EINVAL, EINVAL);
	REFUSED_PTR(new_ah(true, 0, env.a->gid_index), EINVAL, EINVAL);
	REFUSED_PTR(new_ah(true, 2, env.a->gid_index), EINVAL, EINVAL);
	REFUSED_PTR(new_ah(true, VT_PORT, 255), EINVAL, ENODATA);
	ah = new_ah(true, VT_PORT, env.a->gid_index);
	if (!ah)
		return bad("address handle: %s", strerror(errno));
	CHECK(ibv_destroy_ah(ah));
	return 0;
}

/* What this device leaves out says so, and is not advertised. */
static int left_out(void)
{
	struct ibv_device_attr *d = &env.a->attr;
	struct ibv_xrcd_init_attr xrcd = {
		.comp_mask = IBV_XRCD_INIT_ATTR_FD | IBV_XRCD_INIT_ATTR_OFLAGS,
		.fd = -1, .oflags = 0100,
	};
	struct ibv_alloc_dm_attr dm = { .length = 64 };

	if (!(d->device_cap_flags & (IBV_DEVICE_MEM_WINDOW_TYPE_2A |
				     IBV_DEVICE_MEM_WINDOW_TYPE_2B)))
		REFUSED_PTR(ibv_alloc_mw(env.a->pd, IBV_MW_TYPE_2),
			    EOPNOTSUPP, ENOSYS);
	if (!(d->device_cap_flags & IBV_DEVICE_MEM_WINDOW))
		REFUSED_PTR(ibv_alloc_mw(env.a->pd, IBV_MW_TYPE_1),
			    EOPNOTSUPP, ENOSYS);
	if (!(d->device_cap_flags & IBV_DEVICE_XRC))
		REFUSED_PTR(ibv_open_xrcd(env.a->ctx, &xrcd), EOPNOTSUPP,
			    ENOSYS);
	REFUSED_PTR(ibv_alloc_dm(env.a->ctx, &dm), EOPNOTSUPP, ENOSYS);
	return 0;
}

const struct test object_tests[] = {
	{ "queue pairs: capacities too large", qp_capacities },
	{ "queue pairs: largest capacities", qp_largest },
	{ "queue pairs: types that are not there", qp_types },
	{ "completion queues: sizes and vectors", cq_sizes },
	{ "completion queues: resize", cq_resize },
	{ "shared receive queues", srq_attributes },
	{ "memory regions: access flags", mr_access },
	{ "memory regions: memory that is not there", mr_memory },
	{ "memory regions: keys change", mr_keys },
	{ "objects in use stay", in_use },
	{ "address handles", address_handles },
	{ "verbs left out", left_out },
	{ }
};
