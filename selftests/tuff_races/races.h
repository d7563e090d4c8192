/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: verbs_races: ends that meet what is under way
 *
 * Two sides, "a" and "b", each with a device, memory and a completion queue
 * that its queue pairs share. Both may be the same device. A second thread
 * does what shall happen at the same time.
 */
#ifndef _TUFF_SELFTESTS_RACES_H
#define _TUFF_SELFTESTS_RACES_H

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../lib/verbs.h"

#define BUF_LEN		131072
#define CQ_LEN		4096
#define WAIT_MS		20000
#define RIGHTS		(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

struct side {
	struct vt_dev dev;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	uint8_t *buf;
};

struct races {
	struct side a, b;
	long rounds;
	long events;
	uint64_t seed;
};

extern struct races r;

/* Each returns 0, or what bad() does. */
int bad(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
int side_open(struct side *s, const char *name);
void side_close(struct side *s);
int make_pair(struct vt_qp *x, struct vt_qp *y, struct vt_qp_spec spec);
int post(struct vt_qp *qp, struct side *from, struct side *to,
	 enum ibv_wr_opcode op, uint64_t id, uint32_t len);
int post_recvs(struct vt_qp *qp, struct side *s, int n);
int drain(struct ibv_cq *cq);
uint32_t rnd(uint32_t n);
void pause_us(uint32_t us);
void pin(int cpu);

/* The second thread: calls @fn(@arg) when it is told, at once. */
int second_start(void);
void second_go(void (*fn)(void *), void *arg);
void second_wait(void);
void second_stop(void);

#define CHECK(call) do {						\
	int _err = (call);						\
									\
	if (_err)							\
		return bad("%s: %d (%s)", #call, _err,			\
			   _err < 0 ? strerror(-_err) : "");		\
} while (0)

/* Requests that go on and on, by the second thread. */
struct stream {
	struct vt_qp *qp;
	struct ibv_cq *cq;
	struct ibv_sge sge;
	uint64_t va;
	uint32_t rkey;
	int op;			/* -1: a mixture */
	volatile bool stop, posting;
	volatile long posted, done;
	volatile int status;	/* the first that was not success; 0: none */
};

/* race_stream.c */
void stream_init(struct stream *s, struct vt_qp *qp, struct side *from,
		 struct side *to);
void stream_main(void *arg);
int stream_wait(struct stream *s, long done, int ms);
bool stream_catch(struct stream *s);

/* race_qp.c */
int destroy_under_traffic(void);
int destroy_at_timers(void);
int error_under_traffic(void);
int reset_under_traffic(void);
int states_at_timers(void);
int reads_against_modify(void);
int recover_under_traffic(void);

/* race_objects.c */
int mmap_against_destroy(void);
int dereg_remote(void);
int dereg_local(void);
int objects_in_use(void);

/* race_cq.c */
int resize_under_traffic(void);
int resize_too_small(void);
int crossed_posts(void);
int own_peer(void);
int events_one_way(void);

/* race_end.c: modes that a script ends from outside */
int mode_hold(int n);
int mode_busy(int seconds);

#endif /* _TUFF_SELFTESTS_RACES_H */
