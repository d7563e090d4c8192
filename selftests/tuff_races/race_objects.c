// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_races: rings, regions and queues that go while they are used */
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include "races.h"

/* Maps what may just now come or go. */
struct mapper {
	volatile bool stop;
	volatile long at;	/* page offset near which rings are made */
	long tried, mapped;
	uint64_t sum;
};

static void map_rings(void *arg)
{
	struct mapper *m = arg;
	int fd = r.a.dev.ctx->cmd_fd;
	long page = sysconf(_SC_PAGESIZE);

	while (!m->stop) {
		long off = m->at + m->tried++ % 5;
		volatile uint32_t *p;

		p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 off * page);
		if (p == MAP_FAILED)
			continue;
		/* The memory stays while it is mapped, whatever ends. */
		m->mapped++;
		m->sum += p[0];
		p[100] = m->mapped;
		munmap((void *)p, page);
	}
}

/* The last ring that was made, from the list of mappings; 0: none. */
static long last_ring(void)
{
	char line[512];
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long off, last = 0;

	while (f && fgets(line, sizeof(line), f)) {
		if (strstr(line, "/uverbs") &&
		    sscanf(line, "%*s %*s %lx", &off) == 1 && off > last)
			last = off;
	}
	if (f)
		fclose(f);
	return last / sysconf(_SC_PAGESIZE);
}

/* Three kinds of objects with rings; offsets are given out one by one. */
static int make_and_destroy(long round, struct mapper *m)
{
	struct ibv_srq_init_attr srq_attr = {
		.attr = { .max_wr = 8, .max_sge = 1 } };
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .cq = r.a.cq,
				   .send_wr = 4, .recv_wr = 4 };
	struct ibv_srq *srq;
	struct ibv_cq *cq;
	struct vt_qp qp;

	switch (round % 3) {
	case 0:
		cq = ibv_create_cq(r.a.dev.ctx, 8, NULL, NULL, 0);
		if (!cq)
			return bad("create_cq");
		CHECK(-ibv_destroy_cq(cq));
		m->at++;
		break;
	case 1:
		CHECK(vt_qp_create(&qp, &r.a.dev, &spec));
		vt_qp_destroy(&qp);
		m->at += 2;
		break;
	default:
		srq = ibv_create_srq(r.a.dev.pd, &srq_attr);
		if (!srq)
			return bad("create_srq");
		CHECK(-ibv_destroy_srq(srq));
		m->at++;
	}
	return 0;
}

int mmap_against_destroy(void)
{
	struct mapper m = { };
	struct ibv_cq *cq;
	long i;
	int err = 0;

	cq = ibv_create_cq(r.a.dev.ctx, 8, NULL, NULL, 0);
	if (!cq)
		return bad("create_cq");
	m.at = last_ring();
	CHECK(-ibv_destroy_cq(cq));
	second_go(map_rings, &m);
	for (i = 0; i < r.rounds * 4 && !err; i++)
		err = make_and_destroy(i, &m);
	m.stop = true;
	second_wait();
	printf("# %ld objects, %ld of %ld mmaps came in time\n", i, m.mapped,
	       m.tried);
	if (!err && !m.mapped)
		return bad("no mmap ever met a ring");
	return err;
}

static int is_filled(const uint8_t *mem, long round)
{
	size_t i;

	for (i = 0; i < BUF_LEN; i++)
		if (mem[i] != 0x5a)
			return bad("round %ld: byte %zu was written after the region was gone",
				   round, i);
	return 0;
}

/*
 * One round: requests on a region of the requester's (@local) or the
 * responder's go on while it is deregistered. The memory is filled with
 * something else at once; the request that finds the region gone fails.
 */
static int dereg_round(bool local, long round, uint8_t *mem, long *late)
{
	struct side *owner = local ? &r.a : &r.b;
	int want = local ? IBV_WC_LOC_PROT_ERR : IBV_WC_REM_ACCESS_ERR;
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 14 };
	struct ibv_mr *mr;
	struct vt_qp x, y;
	struct stream s;
	int err;

	mr = ibv_reg_mr(owner->dev.pd, mem, BUF_LEN, RIGHTS);
	if (!mr)
		return bad("round %ld: reg_mr: %s", round, strerror(errno));
	CHECK(make_pair(&x, &y, spec));
	stream_init(&s, &x, &r.a, &r.b);
	s.op = local ? IBV_WR_RDMA_READ : IBV_WR_RDMA_WRITE;
	s.sge.length = BUF_LEN;
	if (local) {
		s.sge.addr = (uintptr_t)mem;
		s.sge.lkey = mr->lkey;
	} else {
		s.va = (uintptr_t)mem;
		s.rkey = mr->rkey;
	}
	second_go(stream_main, &s);
	err = stream_wait(&s, 1 + rnd(4), WAIT_MS);
	pause_us(rnd(1 << rnd(11)));
	*late += !stream_catch(&s);
	if (!err)
		err = -ibv_dereg_mr(mr);
	memset(mem, 0x5a, BUF_LEN);
	/* It goes on until it meets the end. */
	if (!err)
		err = stream_wait(&s, 1L << 40, WAIT_MS);
	s.stop = true;
	second_wait();
	if (err || s.status != want)
		return bad("round %ld: %s, status %s", round, strerror(-err),
			   ibv_wc_status_str(s.status));
	if (is_filled(mem, round))
		return -1;
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	drain(r.a.cq);
	drain(r.b.cq);
	return 0;
}

static int dereg_rounds(bool local)
{
	uint8_t *mem = mmap(NULL, BUF_LEN, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long i, late = 0;
	int err = 0;

	memset(r.a.buf, 0x33, BUF_LEN);
	memset(r.b.buf, 0x44, BUF_LEN);
	for (i = 0; i < r.rounds && !err; i++)
		err = dereg_round(local, i, mem, &late);
	munmap(mem, BUF_LEN);
	printf("# %ld rounds, in %ld nothing was under way\n", i, late);
	if (!err && late > r.rounds * 9 / 10)
		return bad("most came too late");
	return err;
}

int dereg_remote(void)
{
	return dereg_rounds(false);
}

int dereg_local(void)
{
	return dereg_rounds(true);
}

/* What a queue pair uses cannot go, and trying does not hurt the traffic. */
struct user {
	struct vt_qp x, y;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	volatile bool stop;
	long done;
	int err;
};

static void use(void *arg)
{
	struct user *u = arg;
	struct ibv_sge sge = { (uintptr_t)r.b.buf, 64, r.b.mr->lkey };
	struct ibv_recv_wr *bad_wr, wr = { .sg_list = &sge, .num_sge = 1 };
	struct ibv_wc wc;

	while (!u->stop && !u->err) {
		u->err = -ibv_post_srq_recv(u->srq, &wr, &bad_wr);
		if (!u->err)
			u->err = post(&u->x, &r.a, &r.b, IBV_WR_SEND,
				      u->done, 64);
		if (!u->err)
			u->err = vt_poll_status(r.a.cq, &wc, IBV_WC_SUCCESS,
						WAIT_MS);
		if (!u->err)
			u->err = vt_poll_status(u->cq, &wc, IBV_WC_SUCCESS,
						WAIT_MS);
		u->done++;
	}
}

static int all_busy(struct user *u)
{
	int cq = ibv_destroy_cq(u->cq), srq = ibv_destroy_srq(u->srq);
	int pd = ibv_dealloc_pd(r.b.dev.pd);

	if (cq == EBUSY && srq == EBUSY && pd == EBUSY)
		return 0;
	return bad("destroy_cq %d, destroy_srq %d, dealloc_pd %d: not EBUSY",
		   cq, srq, pd);
}

int objects_in_use(void)
{
	struct ibv_srq_init_attr attr = { .attr = { .max_wr = 64,
						    .max_sge = 1 } };
	struct vt_qp_spec spec = { .type = IBV_QPT_RC, .timeout = 16 };
	struct user u = { };
	long i = 0;
	int err = 0;

	u.cq = ibv_create_cq(r.b.dev.ctx, 256, NULL, NULL, 0);
	u.srq = ibv_create_srq(r.b.dev.pd, &attr);
	if (!u.cq || !u.srq)
		return bad("no queues");
	spec.cq = r.a.cq;
	CHECK(vt_qp_create(&u.x, &r.a.dev, &spec));
	spec.cq = u.cq;
	spec.srq = u.srq;
	CHECK(vt_qp_create(&u.y, &r.b.dev, &spec));
	CHECK(vt_qp_pair(&u.x, &u.y));
	second_go(use, &u);
	for (i = 0; !err && !u.err && (i < r.rounds || !u.done); i++)
		err = all_busy(&u);
	u.stop = true;
	second_wait();
	vt_qp_destroy(&u.x);
	vt_qp_destroy(&u.y);
	printf("# %ld rounds, %ld messages beside them\n", i, u.done);
	if (u.err)
		return bad("message %ld: %s", u.done, strerror(-u.err));
	CHECK(-ibv_destroy_srq(u.srq));
	CHECK(-ibv_destroy_cq(u.cq));
	return err;
}
