// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_memory: kinds of memory that a region may be made of */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "harness.h"

#define MIB		(1UL << 20)
#define AREA_LEN	(8 * MIB)
#define CHUNK		(3 * 4096 + 5)
#define KEYS		3000	/* or as many as VERBS_MEMORY_KEYS says */

static const struct vt_qp_spec rc = { .type = IBV_QPT_RC, .timeout = 12 };
static unsigned long nr_keys = KEYS;

/* Memory that one region of the peer is made of. */
struct kind {
	int flags;		/* of mmap() */
	bool file;		/* a memory file */
	int advice;		/* of madvise() */
	size_t off;		/* where the region begins in it */
	size_t len;
	uint64_t iova;		/* what its first byte is called; 0: as it is */
};

static uint8_t *kind_map(const struct kind *k)
{
	int fd = -1, flags = k->flags;
	uint8_t *mem;

	if (k->file) {
		fd = memfd_create("verbs_memory", 0);
		if (fd < 0 || ftruncate(fd, AREA_LEN))
			return NULL;
	} else {
		flags |= MAP_ANONYMOUS;
	}
	mem = mmap(NULL, AREA_LEN, PROT_READ | PROT_WRITE, flags, fd, 0);
	if (fd >= 0)
		close(fd);
	if (mem == MAP_FAILED)
		return NULL;
	if (k->advice && madvise(mem, AREA_LEN, k->advice))
		return NULL;
	memset(mem, 0x5a, AREA_LEN);
	return mem;
}

/* Guard bytes around the region, and outside what was written. */
static int kind_untouched(const uint8_t *mem, size_t from, size_t to)
{
	size_t i;

	for (i = from; i < to; i++)
		if (mem[i] != 0x5a)
			return bad("byte %zu was written", i);
	return 0;
}

static int chunk_there_and_back(struct vt_qp *x, struct ibv_mr *mr,
				uint64_t va, uint8_t *at, uint32_t len)
{
	struct ibv_sge sge = asge(len);

	vt_fill(env.abuf, len, va);
	CHECK(vt_post_rdma(x, IBV_WR_RDMA_WRITE, 1, &sge, IBV_SEND_SIGNALED,
			   va, mr->rkey));
	CHECK(expect_wc(x->scq, IBV_WC_SUCCESS, 1));
	if (vt_differ(env.abuf, at, len) != len)
		return bad("WRITE at %#lx: byte %zu is wrong", va,
			   vt_differ(env.abuf, at, len));
	memset(env.abuf, 0, len);
	CHECK(vt_post_rdma(x, IBV_WR_RDMA_READ, 2, &sge, IBV_SEND_SIGNALED,
			   va, mr->rkey));
	CHECK(expect_wc(x->scq, IBV_WC_SUCCESS, 2));
	if (vt_differ(env.abuf, at, len) != len)
		return bad("READ at %#lx: byte %zu is wrong", va,
			   vt_differ(env.abuf, at, len));
	return 0;
}

/* One byte before the region, one after it, and around the end of addresses. */
static int chunk_outside(const struct kind *k, struct ibv_mr *mr, uint64_t va)
{
	const uint64_t wrong[] = { va - 1, va + k->len, va + k->len - 4,
				   ~0ULL - 3 };
	struct ibv_sge sge = asge(8);
	struct vt_qp x, y;
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(wrong); i++) {
		CHECK(pair(&x, &y, rc));
		CHECK(vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 1, &sge,
				   IBV_SEND_SIGNALED, wrong[i], mr->rkey));
		CHECK(expect_wc(x.scq, IBV_WC_REM_ACCESS_ERR, 1));
		vt_qp_destroy(&x);
		vt_qp_destroy(&y);
	}
	return 0;
}

static int kind_use(const struct kind *k, uint8_t *mem, struct ibv_mr *mr)
{
	uint64_t va = k->iova ? k->iova : (uintptr_t)mem + k->off;
	/* First bytes, a border of 2 MiB if there is one, last bytes. */
	size_t huge = (2 * MIB - ((uintptr_t)mem + k->off) % (2 * MIB)) %
		      (2 * MIB);
	const size_t at[] = { 0, huge > CHUNK / 2 ? huge - CHUNK / 2 : huge,
			      k->len - CHUNK };
	struct vt_qp x, y;
	unsigned int i;

	CHECK(pair(&x, &y, rc));
	for (i = 0; i < ARRAY_LEN(at); i++) {
		if (at[i] + CHUNK > k->len)
			continue;
		CHECK(chunk_there_and_back(&x, mr, va + at[i],
					   mem + k->off + at[i], CHUNK));
	}
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	CHECK(kind_untouched(mem, 0, k->off));
	CHECK(kind_untouched(mem, k->off + k->len, AREA_LEN));
	return chunk_outside(k, mr, va);
}

static int kind_run(const struct kind *k)
{
	uint8_t *mem = kind_map(k);
	struct ibv_mr *mr;

	if (!mem)
		return bad("no such memory: %s", strerror(errno));
	mr = k->iova ?
	     ibv_reg_mr_iova(env.b->pd, mem + k->off, k->len, k->iova,
			     ACCESS_FULL) :
	     ibv_reg_mr(env.b->pd, mem + k->off, k->len, ACCESS_FULL);
	if (!mr)
		return bad("reg_mr: %s", strerror(errno));
	CHECK(kind_use(k, mem, mr));
	CHECK(ibv_dereg_mr(mr));
	munmap(mem, AREA_LEN);
	return 0;
}

static int anonymous(void)
{
	return kind_run(&(struct kind){ .flags = MAP_PRIVATE, .off = 4093,
					.len = 3 * MIB + 11 });
}

static int one_page(void)
{
	return kind_run(&(struct kind){ .flags = MAP_PRIVATE, .off = 4096 * 5,
					.len = 4096 * 4 });
}

static int shared_file(void)
{
	return kind_run(&(struct kind){ .flags = MAP_SHARED, .file = true,
					.off = 77, .len = 2 * MIB + 1 });
}

static int transparent_huge(void)
{
	return kind_run(&(struct kind){ .flags = MAP_PRIVATE,
					.advice = MADV_HUGEPAGE,
					.off = 2 * MIB - 13, .len = 5 * MIB });
}

static int hugetlb(void)
{
	return kind_run(&(struct kind){ .flags = MAP_PRIVATE | MAP_HUGETLB,
					.off = 1 * MIB + 3, .len = 6 * MIB });
}

/* The low 12 bits must be those of the address, the rest is free. */
static int own_address(void)
{
	const struct kind odd = { .flags = MAP_PRIVATE, .off = 4096 + 9,
				  .len = 3 * MIB,
				  .iova = 0x123456789000ULL + 9 };

	CHECK(kind_run(&odd));
	return kind_run(&(struct kind){ .flags = MAP_PRIVATE | MAP_HUGETLB,
					.off = 4096, .len = 6 * MIB,
					.iova = 4096 });
}

/* What another thread does to the region of dereg_in_use(). */
static volatile bool stop_writing;

static void *write_on(void *arg)
{
	struct ibv_mr *mr = arg;
	struct ibv_sge sge = asge(BUF_LEN);
	struct ibv_wc wc;
	struct vt_qp x, y;
	long status = 0;

	if (pair(&x, &y, rc))
		return (void *)-1L;
	while (!stop_writing && !status) {
		if (vt_post_rdma(&x, IBV_WR_RDMA_WRITE, 1, &sge,
				 IBV_SEND_SIGNALED, (uintptr_t)mr->addr,
				 mr->rkey) ||
		    vt_poll(x.scq, &wc, 1, WAIT_MS) != 1)
			status = -1;
		else
			status = wc.status;
	}
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return (void *)status;
}

/* Deregistration takes no notice of who writes; the pages are free at once. */
static int dereg_in_use(void)
{
	struct ibv_mr *mr;
	pthread_t thread;
	uint64_t began;
	uint8_t *mem;
	void *status;
	int i;

	for (i = 0; i < 20; i++) {
		mem = mmap(NULL, BUF_LEN, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mr = ibv_reg_mr(env.b->pd, mem, BUF_LEN, ACCESS_FULL);
		if (!mr)
			return bad("reg_mr: %s", strerror(errno));
		struct ibv_mr copy = *mr;

		stop_writing = false;
		if (pthread_create(&thread, NULL, write_on, &copy))
			return bad("no thread");
		usleep(2000 * (i % 5));
		began = vt_now_ms();
		CHECK(ibv_dereg_mr(mr));
		if (vt_now_ms() - began > (uint64_t)VT_MS(1) * vt_scale())
			return bad("dereg_mr took %lu ms",
				   vt_now_ms() - began);
		memset(mem, 0x5a, BUF_LEN);
		pthread_join(thread, &status);
		if ((long)status != IBV_WC_REM_ACCESS_ERR)
			return bad("the writer ended with %ld", (long)status);
		CHECK(kind_untouched(mem, 0, BUF_LEN));
		munmap(mem, BUF_LEN);
	}
	return 0;
}

static int key_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* No key comes again within many registrations. */
static int keys(void)
{
	uint32_t *key = calloc(nr_keys, sizeof(*key));
	struct ibv_mr *mr;
	unsigned long i;

	if (!key)
		return bad("no memory");
	for (i = 0; i < nr_keys; i++) {
		mr = ibv_reg_mr(env.a->pd, env.abuf, 64, ACCESS_FULL);
		if (!mr)
			return bad("registration %lu: %s", i, strerror(errno));
		key[i] = mr->rkey;
		CHECK(ibv_dereg_mr(mr));
	}
	qsort(key, nr_keys, sizeof(*key), key_order);
	for (i = 1; i < nr_keys; i++)
		if (key[i] == key[i - 1])
			return bad("key %#x came twice", key[i]);
	free(key);
	return 0;
}

/* Over RLIMIT_MEMLOCK without the privilege; rings do not count. */
static int memlock_limited(void)
{
	struct ibv_cq *cq;
	uint8_t *mem = mmap(NULL, MIB, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	REFUSED_PTR(ibv_reg_mr(env.a->pd, mem, MIB, ACCESS_FULL),
		    ENOMEM, EPERM);
	cq = ibv_create_cq(env.a->ctx, 32768, NULL, NULL, 0);
	if (!cq)
		return bad("a queue counts: %s", strerror(errno));
	CHECK(ibv_destroy_cq(cq));
	munmap(mem, MIB);
	return 0;
}

static int memlock(void)
{
	struct rlimit old, small = { 65536, 65536 };
	int err;

	if (getrlimit(RLIMIT_MEMLOCK, &old))
		return bad("getrlimit: %s", strerror(errno));
	small.rlim_max = old.rlim_max;
	if (setrlimit(RLIMIT_MEMLOCK, &small) || seteuid(65534))
		return bad("cannot give up privileges: %s", strerror(errno));
	err = memlock_limited();
	if (seteuid(0) || setrlimit(RLIMIT_MEMLOCK, &old))
		return bad("cannot take privileges back: %s", strerror(errno));
	return err;
}

static const struct test memory_tests[] = {
	{ "anonymous memory at an odd address", anonymous },
	{ "whole pages", one_page },
	{ "shared file", shared_file },
	{ "transparent huge pages", transparent_huge },
	{ "huge pages", hugetlb },
	{ "addresses of its own", own_address },
	{ "deregistered while it is written", dereg_in_use },
	{ "keys do not come again", keys },
	{ "small RLIMIT_MEMLOCK", memlock },
	{ NULL, NULL }
};

int main(int argc, char **argv)
{
	static const struct group groups[] = {
		{ "memory", memory_tests },
		{ NULL, NULL }
	};
	const char *many = getenv("VERBS_MEMORY_KEYS");

	if (many)
		nr_keys = strtoul(many, NULL, 0);
	return run_groups(argc, argv, groups);
}
