/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: tuff_kapi: what kernel consumers do with a device, as a test
 *
 * core_locking.rst lets them post, poll, arm and make address handles in any
 * context, interrupts off included, and forbids the driver to call their
 * handlers from inside a verb.
 */
#ifndef _TUFF_KAPI_H
#define _TUFF_KAPI_H

#include <linux/completion.h>
#include <linux/seq_file.h>
#include <rdma/ib_verbs.h>

#define KAPI_DEPTH	32
#define KAPI_LEN	1024
#define KAPI_QKEY	0x1234
#define KAPI_WAIT	(20 * HZ)

struct kapi_qp;

/* Called by a completion queue for each completion; may post again. */
typedef void kapi_done_t(struct kapi_qp *kqp, const struct ib_wc *wc);

/**
 * struct kapi_qp - a queue pair with its queue and its buffers
 * @dev: its device
 * @pd: its protection domain
 * @cq: both of its completion queues
 * @qp: the queue pair
 * @buf: KAPI_DEPTH slots to send from, as many to receive into
 * @dma: @buf as the device sees it
 * @gid_index: of its address
 * @gid: its address
 * @smac: its MAC address
 * @done: handler of completions, or NULL: the test polls
 * @finished: completed by @done when the test is over
 * @target: how many completions @done waits for
 * @count: completions seen
 * @errors: completions that were not successful
 * @reentered: the handler ran inside of a verb, or twice at once
 * @handling: the handler runs
 * @stop: @done posts no more
 */
struct kapi_qp {
	struct ib_device *dev;
	struct ib_pd *pd;
	struct ib_cq *cq;
	struct ib_qp *qp;
	u8 *buf;
	dma_addr_t dma;
	u32 gid_index;
	union ib_gid gid;
	u8 smac[ETH_ALEN];
	kapi_done_t *done;
	struct completion finished;
	int target;
	atomic_t count;
	atomic_t errors;
	atomic_t reentered;
	atomic_t handling;
	atomic_t stop;
};

/* The devices of this run: the same one twice when there is no peer. */
struct kapi_env {
	struct ib_device *a;
	struct ib_device *b;
	struct seq_file *out;
};

struct kapi_test {
	const char *name;
	int (*run)(struct kapi_env *env);
};

extern const struct kapi_test kapi_tests[];

/* fixture.c */
int kapi_qp_create(struct kapi_qp *kqp, struct ib_device *dev,
		   enum ib_qp_type type, kapi_done_t *done);
void kapi_qp_destroy(struct kapi_qp *kqp);
int kapi_qp_connect(struct kapi_qp *kqp, const struct kapi_qp *peer);
int kapi_pair(struct kapi_env *env, struct kapi_qp *x, struct kapi_qp *y,
	      enum ib_qp_type type, kapi_done_t *done);
struct ib_ah *kapi_ah(struct kapi_qp *kqp, const struct kapi_qp *peer);
int kapi_post_send(struct kapi_qp *kqp, u64 wr_id, u32 len);
int kapi_post_ud(struct kapi_qp *kqp, struct ib_ah *ah, u32 qpn, u64 wr_id);
int kapi_post_recv(struct kapi_qp *kqp, u64 wr_id);
int kapi_reap(struct kapi_qp *kqp, int n);
int kapi_bad(struct kapi_env *env, const char *fmt, ...) __printf(2, 3);

#endif /* _TUFF_KAPI_H */
