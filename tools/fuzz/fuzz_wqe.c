// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: fuzz target: an element of a ring that its user scribbles on
 *
 * Input: eight bytes of what the queue pair is like, then the element, cut or
 * filled with zeroes to the size that the queue pair's limits give it. Both a
 * send and a receive request are loaded from it.
 */
#include "check.h"

#include <string.h>

#include <kunit/test.h>
#include <linux/minmax.h>
#include <rdma/rdma_user_rxe.h>

#include "engine/qp.h"
#include "engine/wqe.h"
#include "world_kunit.h"

#define BASE	0x10000

/* The tests' world has expectations; here they are invariants. */
void tuff_kunit_fail(struct kunit *test, const char *file, int line,
		     bool leave, const char *fmt, ...)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, fmt);
	abort();
}

/* Small numbers, so that the fuzzer finds them. */
static void set_up_world(void)
{
	tuff_kunit_world_init(NULL);
	tuff_kunit_mr_add(1, BASE, 0xffffffff, TUFF_ACCESS_LOCAL_WRITE);
	tuff_kunit_mr_add(2, BASE, 0x1000, 0);
	tuff_kunit_mr_add(0, 0, ~0ULL, TUFF_ACCESS_LOCAL_WRITE);
	tuff_kunit_av_add(1);
}

static void set_up_qp(struct tuff_qp *qp, const u8 *how)
{
	static const u8 types[] = {
		TUFF_QPT_RC, TUFF_QPT_UC, TUFF_QPT_UD, TUFF_QPT_GSI,
	};

	memset(qp, 0, sizeof(*qp));
	qp->user = true;
	qp->type = types[how[0] & 3];
	qp->sig_all = how[0] & 4;
	qp->attr.path_mtu_shift = 8 + how[1] % 5;
	qp->max_send_sge = how[2] % 33;
	qp->max_recv_sge = how[3] % 33;
	qp->max_inline = how[4] << 1;
	qp->attr.qkey = 0x11111111;
}

/* A copy of exactly @bytes, as a ring's element has them. */
static void *element(const u8 *data, size_t size, u32 bytes)
{
	void *copy = calloc(1, bytes);

	CHECK(copy);
	if (size)
		memcpy(copy, data, min_t(size_t, size, bytes));
	return copy;
}

static void check_send(const struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	u64 sum = 0;
	u32 i;

	CHECK(!(wqe->flags & ~0xf));
	CHECK(!qp->sig_all || wqe->flags & TUFF_SEND_SIGNALED);
	CHECK(wqe->length <= TUFF_MSG_MAX);
	CHECK(wqe->dqpn <= TUFF_QPN_MASK);
	CHECK(!wqe->inline_data || !wqe->num_sge);
	if (wqe->inline_data) {
		CHECK(wqe->length <= qp->max_inline);
	} else {
		CHECK(wqe->num_sge <= qp->max_send_sge);
		for (i = 0; i < wqe->num_sge; i++) {
			CHECK(wqe->sge[i].mr && wqe->sge[i].len);
			sum += wqe->sge[i].len;
		}
		CHECK(sum == wqe->length);
	}
	if (wqe->status != TUFF_WC_SUCCESS)
		return;
	CHECK(wqe->opcode <= TUFF_WR_ATOMIC_FETCH_AND_ADD);
	CHECK(tuff_qp_connected(qp) ? !wqe->av : !!wqe->av);
	CHECK(tuff_qp_connected(qp) || wqe->length <= tuff_qp_mtu(qp));
	if (wqe->opcode >= TUFF_WR_RDMA_READ)
		CHECK(qp->type == TUFF_QPT_RC && !wqe->inline_data);
	if (wqe->opcode > TUFF_WR_RDMA_READ)
		CHECK(wqe->length == 8);
}

static void check_recv(const struct tuff_qp *qp, const struct tuff_rwqe *wqe)
{
	u64 sum = 0;
	u32 i;

	CHECK(wqe->num_sge <= qp->max_recv_sge);
	for (i = 0; i < wqe->num_sge; i++) {
		CHECK(wqe->sge[i].mr && wqe->sge[i].len);
		sum += wqe->sge[i].len;
	}
	CHECK(wqe->length == min_t(u64, sum, 0xffffffff));
}

static void fuzz_send(struct tuff_qp *qp, const u8 *data, size_t size)
{
	u32 bytes = sizeof(struct rxe_send_wqe) +
		    max_t(u32, qp->max_send_sge * sizeof(struct rxe_sge),
			  qp->max_inline);
	struct rxe_send_wqe *user = element(data, size, bytes);
	struct tuff_swqe *wqe;

	wqe = malloc(tuff_swqe_size(qp->max_send_sge, qp->max_inline));
	CHECK(wqe);
	tuff_swqe_load(qp, wqe, user, bytes);
	check_send(qp, wqe);
	tuff_swqe_release(qp, wqe);
	CHECK(!tuff_kunit_refs() && !tuff_kunit_world.bad_puts);
	free(wqe);
	free(user);
}

static void fuzz_recv(struct tuff_qp *qp, const u8 *data, size_t size)
{
	u32 bytes = sizeof(struct rxe_recv_wqe) +
		    qp->max_recv_sge * sizeof(struct rxe_sge);
	struct rxe_recv_wqe *user = element(data, size, bytes);
	struct tuff_rwqe *wqe;

	wqe = malloc(sizeof(*wqe) + qp->max_recv_sge * sizeof(wqe->sge[0]));
	CHECK(wqe);
	tuff_rwqe_load(qp, wqe, user, bytes, qp->max_recv_sge);
	check_recv(qp, wqe);
	tuff_rwqe_release(qp, wqe);
	CHECK(!tuff_kunit_refs() && !tuff_kunit_world.bad_puts);
	free(wqe);
	free(user);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct tuff_qp qp;

	if (size < 8)
		return 0;
	set_up_world();
	set_up_qp(&qp, data);
	fuzz_send(&qp, data + 8, size - 8);
	fuzz_recv(&qp, data + 8, size - 8);
	return 0;
}
