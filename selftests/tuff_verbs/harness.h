/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: what verbs_errors and verbs_events are made with
 *
 * A test is a function that returns 0, or what bad() returns after it has
 * told which value was wrong. "x" is the queue pair that is asked or that
 * sends, "y" its peer, on the peer's device where one was given.
 */
#ifndef _TUFF_SELFTESTS_HARNESS_H
#define _TUFF_SELFTESTS_HARNESS_H

#include <errno.h>

#include "../lib/verbs.h"

#define BUF_LEN		65536
#define ACCESS_FULL	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)
#define WAIT_MS		10000

struct test {
	const char *name;
	int (*run)(void);
};

struct group {
	const char *name;
	const struct test *tests;
};

/* Buffers of both sides, registered with every right. */
struct env {
	struct vt_dev *a, *b;
	uint8_t *abuf, *bbuf;
	struct ibv_mr *amr, *bmr;
};

extern struct env env;
extern const struct test state_tests[], attr_tests[], object_tests[];
extern const struct test local_tests[], remote_tests[], ud_tests[];

int run_groups(int argc, char **argv, const struct group *groups);
int bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int pair(struct vt_qp *x, struct vt_qp *y, struct vt_qp_spec spec);
int to_state(struct vt_qp *qp, enum ibv_qp_state state);
struct ibv_sge asge(uint32_t len);
struct ibv_sge bsge(uint32_t len);
int expect_wc(struct ibv_cq *cq, enum ibv_wc_status status, uint64_t wr_id);
int expect_state(struct vt_qp *qp, enum ibv_qp_state state);
int expect_event(struct vt_dev *dev, enum ibv_event_type type);
void drain_events(struct vt_dev *dev);

#define CHECK(call) do {						\
	int _err = (call);						\
									\
	if (_err)							\
		return bad("%s: %d (%s)", #call, _err,			\
			   _err < 0 ? strerror(-_err) : "");		\
} while (0)

/* The call must give this errno: negative, or positive as libibverbs does. */
#define REFUSED(call, errnum) do {					\
	int _err = (call);						\
									\
	if (_err != (errnum) && _err != -(errnum))			\
		return bad("%s: %d, not %s", #call, _err,		\
			   strerror(errnum));				\
} while (0)

/* The call must give NULL and set errno to one of two values. */
#define REFUSED_PTR(call, err1, err2) do {				\
	void *_p;							\
									\
	errno = 0;							\
	_p = (call);							\
	if (_p || (errno != (err1) && errno != (err2)))			\
		return bad("%s: %s, errno %d (%s), not %s", #call,	\
			   _p ? "succeeded" : "refused", errno,		\
			   strerror(errno), strerror(err1));		\
} while (0)

#endif /* _TUFF_SELFTESTS_HARNESS_H */
