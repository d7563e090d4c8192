// SPDX-License-Identifier: GPL-2.0
/* tuff: traffic beside a test, by a process of its own, compared byte by byte */
#include "live.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "verbs.h"

#define LIVE_WAIT_MS	30000
#define LIVE_ACCESS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | \
			 IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC)

enum { RC, UC, UD };

/* One of the two ends. */
struct end {
	struct vt_dev dev;
	struct vt_qp qp[3];
	struct ibv_ah *ah;
	struct ibv_mr *mr;
	uint8_t *mem;
};

static struct end ends[2];
static struct live *live;

static int step(int err, const char *what)
{
	if (err && !live->what[0])
		snprintf(live->what, sizeof(live->what), "%s", what);
	return err;
}

#define STEP(call)	step(call, #call)

static int end_open(struct end *e, const char *name)
{
	static const enum ibv_qp_type types[] = {
		IBV_QPT_RC, IBV_QPT_UC, IBV_QPT_UD };
	int i, err;

	err = STEP(vt_open(&e->dev, name, "v4"));
	if (err)
		return err;
	e->mem = mmap(NULL, LIVE_LEN, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	e->mr = ibv_reg_mr(e->dev.pd, e->mem, LIVE_LEN, LIVE_ACCESS);
	if (!e->mr)
		return -ENOMEM;
	for (i = RC; i <= UD && !err; i++) {
		/* The PMTU is small, so that messages have many packets. */
		struct vt_qp_spec spec = {
			.type = types[i], .mtu = IBV_MTU_1024, .timeout = 16,
		};

		err = STEP(vt_qp_create(&e->qp[i], &e->dev, &spec));
	}
	return err;
}

static int open_both(const char *dev, const char *peer)
{
	int i, err;

	err = end_open(&ends[0], dev);
	if (!err)
		err = end_open(&ends[1], peer);
	for (i = RC; i <= UD && !err; i++)
		err = STEP(vt_qp_pair(&ends[0].qp[i], &ends[1].qp[i]));
	for (i = 0; i < 2 && !err; i++) {
		ends[i].ah = vt_ah(&ends[i].dev, &ends[!i].dev.gid);
		if (!ends[i].ah)
			err = -ENOMEM;
		live->qpn[i][RC] = ends[i].qp[RC].qp->qp_num;
		live->qpn[i][UC] = ends[i].qp[UC].qp->qp_num;
		live->qpn[i][UD] = ends[i].qp[UD].qp->qp_num;
		live->rkey[i] = ends[i].mr->rkey;
		live->va[i] = (uintptr_t)ends[i].mem;
	}
	return err;
}

/* A message from @s to @r that a receive takes; @off is what comes before. */
static int send_one(struct end *s, struct end *r, int kind, uint32_t len,
		    uint64_t seed)
{
	uint32_t off = kind == UD ? 40 : 0;
	struct ibv_sge from = { (uintptr_t)s->mem, len, s->mr->lkey };
	struct ibv_sge to = { (uintptr_t)r->mem, len + off, r->mr->lkey };
	struct ibv_send_wr *bad, wr = {
		.sg_list = &from, .num_sge = 1, .imm_data = (uint32_t)seed,
		.opcode = seed & 1 ? IBV_WR_SEND : IBV_WR_SEND_WITH_IMM,
		.send_flags = IBV_SEND_SIGNALED,
	};
	struct ibv_wc wc;
	int err;

	live->kind = kind;
	if (kind == UD) {
		wr.wr.ud.ah = s->ah;
		wr.wr.ud.remote_qpn = r->qp[UD].qp->qp_num;
		wr.wr.ud.remote_qkey = VT_QKEY;
	}
	vt_fill(s->mem, len, seed);
	memset(r->mem, 0, len + off);
	err = STEP(vt_post_recv(&r->qp[kind], seed, &to, 1));
	if (!err)
		err = STEP(-ibv_post_send(s->qp[kind].qp, &wr, &bad));
	if (!err)
		err = STEP(vt_poll_status(s->qp[kind].scq, &wc,
					  IBV_WC_SUCCESS, LIVE_WAIT_MS));
	if (!err)
		err = STEP(vt_poll_status(r->qp[kind].rcq, &wc,
					  IBV_WC_SUCCESS, LIVE_WAIT_MS));
	if (!err && wc.byte_len != len + off)
		err = step(-EMSGSIZE, "length of a SEND");
	if (!err && wc.wc_flags & IBV_WC_WITH_IMM &&
	    wc.imm_data != (uint32_t)seed)
		err = step(-EBADMSG, "immediate");
	if (!err && memcmp(s->mem, r->mem + off, len))
		err = step(-EBADMSG, "bytes of a SEND");
	return err;
}

static int rdma_one(struct end *s, struct end *r, enum ibv_wr_opcode op,
		    uint32_t len)
{
	struct ibv_sge sge = { (uintptr_t)s->mem, len, s->mr->lkey };
	struct ibv_wc wc;
	int err;

	err = STEP(vt_post_rdma(&s->qp[RC], op, len, &sge, IBV_SEND_SIGNALED,
				(uintptr_t)r->mem, r->mr->rkey));
	if (!err)
		err = STEP(vt_poll_status(s->qp[RC].scq, &wc, IBV_WC_SUCCESS,
					  LIVE_WAIT_MS));
	return err;
}

static int rdma_all(struct end *s, struct end *r, uint32_t len, uint64_t seed)
{
	uint64_t want = seed, got;
	int err;

	vt_fill(s->mem, len, seed);
	memset(r->mem, 0, len);
	err = rdma_one(s, r, IBV_WR_RDMA_WRITE, len);
	if (!err && memcmp(s->mem, r->mem, len))
		return step(-EBADMSG, "bytes of a WRITE");
	vt_fill(r->mem, len, ~seed);
	if (!err)
		err = rdma_one(s, r, IBV_WR_RDMA_READ, len);
	if (!err && memcmp(s->mem, r->mem, len))
		return step(-EBADMSG, "bytes of a READ");
	memcpy(r->mem, &want, 8);
	if (!err)
		err = rdma_one(s, r, IBV_WR_ATOMIC_FETCH_AND_ADD, 8);
	if (err)
		return err;
	memcpy(&got, s->mem, 8);
	if (got != want)
		return step(-EBADMSG, "what an ATOMIC found");
	memcpy(&got, r->mem, 8);
	return got == want + 1 ? 0 : step(-EBADMSG, "what an ATOMIC left");
}

static int one_round(uint64_t n)
{
	struct end *s = &ends[n & 1], *r = &ends[!(n & 1)];
	uint64_t seed = n * 0x9e3779b97f4a7c15ULL + 1;
	uint32_t len = 1 + vt_random(&seed) % LIVE_LEN;
	int err;

	err = send_one(s, r, RC, len, seed);
	if (!err)
		err = rdma_all(s, r, len, seed + 1);
	if (!err)
		err = send_one(s, r, UC, 1 + len % 3000, seed + 2);
	if (!err)
		err = send_one(s, r, UD, 1 + len % 900, seed + 3);
	return err;
}

static void live_main(const char *dev, const char *peer)
{
	int err;

	err = open_both(dev, peer);
	while (!err && !live->stop && getppid() != 1) {
		err = one_round(live->rounds);
		if (!err)
			live->rounds++;
	}
	live->err = err;
	/* Its queue pairs stay: what is sent to them is counted as before. */
	while (err && !live->stop && getppid() != 1)
		usleep(10000);
	_exit(err ? 1 : 0);
}

/* Start the traffic, before the caller opens any device; NULL: it does not. */
struct live *live_start(const char *dev, const char *peer)
{
	uint64_t end = vt_deadline(20000);

	live = mmap(NULL, sizeof(*live), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (live == MAP_FAILED)
		return NULL;
	snprintf(live->dev[0], sizeof(live->dev[0]), "%s", dev);
	snprintf(live->dev[1], sizeof(live->dev[1]), "%s", peer);
	live->pid = fork();
	if (!live->pid)
		live_main(dev, peer);
	while (!live->rounds && !live->err && !vt_expired(end))
		usleep(1000);
	if (live->rounds)
		return live;
	fprintf(stderr, "traffic does not start: %s: %s\n", live->what,
		strerror(-live->err));
	kill(live->pid, SIGKILL);
	return NULL;
}

/* What went wrong, and what the devices have counted that may tell why. */
static void live_tell(struct live *l)
{
	char command[512];
	int i;

	printf("# traffic of %s: %s: %s, round %lu\n",
	       l->kind == RC ? "RC" : l->kind == UC ? "UC" : "UD", l->what,
	       strerror(-l->err), l->rounds);
	fflush(stdout);
	for (i = 0; i < 2; i++) {
		snprintf(command, sizeof(command),
			 "cd /sys/class/infiniband/%s/ports/1/hw_counters && grep -v '^0$' rx_drop_* tx_* *retr* *_err* /dev/null | sed 's/^/# %s: /'",
			 l->dev[i], l->dev[i]);
		if (system(command))
			break;
	}
}

/* 0 when the traffic goes on: a whole round has passed since the call. */
int live_good(struct live *l)
{
	uint64_t end = vt_deadline(2 * LIVE_WAIT_MS);
	unsigned long from = l->rounds;

	while (l->rounds < from + 2 && !l->err && !vt_expired(end))
		usleep(1000);
	if (l->err)
		live_tell(l);
	return l->err ? l->err : l->rounds < from + 2 ? -ETIMEDOUT : 0;
}

/* Stop it; 0 when nothing ever failed. */
int live_end(struct live *l, unsigned long *rounds)
{
	int status = -1;

	if (l->err)
		live_tell(l);
	l->stop = 1;
	waitpid(l->pid, &status, 0);
	*rounds = l->rounds;
	return l->err ? l->err : status ? -ECHILD : 0;
}
