/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: verbs_calls: a process that talks to uverbs without a library */
#ifndef _TUFF_SELFTESTS_CALLS_H
#define _TUFF_SELFTESTS_CALLS_H

#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <stdbool.h>
#include <stdint.h>

#include "../lib/live.h"
#include "../lib/verbs.h"

#define NR_KINDS	5

/* What a call names, and what is made by the library before. */
struct own {
	struct vt_dev dev;
	struct vt_qp qp;
	struct ibv_cq *cq;
	struct ibv_srq *srq;
	struct ibv_mr *mr;
	struct ibv_comp_channel *channel;
	uint8_t *mem;
};

/* One command of the write() interface, right as it stands. */
struct call {
	const char *name;
	uint32_t number;
	int len;		/* of header and command */
	int out_len;		/* of the whole answer; 0: it has none */
	uint8_t bytes[512];
};

#define MAX_CALLS	24

int own_open(struct own *o, const char *dev);
void own_close(struct own *o);
int calls_make(struct call *calls, struct own *o);
int call_write(int fd, struct call *c, int len, void *answer);
int objects_count(const char *dev, int counts[NR_KINDS]);
int objects_same(const char *dev, const int before[NR_KINDS]);

/* raw.c: the tests */
int raw_right(const char *dev);
int raw_cut_short(const char *dev);
int raw_answers(const char *dev);
int raw_arguments(const char *dev);
int raw_ioctls(const char *dev, long n);
long ioctl_noise(int fd, long n);
int raw_noise(const char *dev, long n);

/* process.c */
int process_fork(const char *dev);
int process_exec(const char *dev, const char *self);
int process_exec_child(int fd);
int process_pass_fd(const char *dev);
int process_kill(const char *dev, int rounds);
int process_partly_mapped(const char *dev, int rounds);

#endif /* _TUFF_SELFTESTS_CALLS_H */
