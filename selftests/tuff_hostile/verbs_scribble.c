// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_scribble: a process that ruins the rings it shares with the
 * kernel, beside one that works as it should
 *
 * The child finds the rings among its mappings, writes what it likes into
 * them and rings the doorbell by hand; librxe is not asked any more, which
 * would be the first to fall over it. The parent's traffic must not notice.
 */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <rdma/ib_user_verbs.h>
#include <rdma/rdma_user_rxe.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../lib/verbs.h"
#include "kselftest.h"
#include "rings.h"

#define NR_QPS		4

static struct ring rings[MAX_RINGS];
static int nr_rings;
static const char *dev_name, *peer_name;

struct post {
	struct ib_uverbs_cmd_hdr hdr;
	struct ib_uverbs_post_send cmd;
	struct ib_uverbs_send_wr wr;
	struct ib_uverbs_sge sge;
};

/* A WQE that is nearly right: mostly one field is not. */
static void nearly_right(struct rxe_send_wqe *wqe, struct ibv_mr *mr,
			 uint64_t *seed)
{
	uint64_t r = vt_random(seed);

	memset(wqe, 0, sizeof(*wqe));
	wqe->wr.opcode = r % 12;
	wqe->dma.num_sge = 1;
	wqe->wr.send_flags = IBV_SEND_SIGNALED;
	wqe->wr.wr.rdma.remote_addr = (uintptr_t)mr->addr;
	wqe->wr.wr.rdma.rkey = mr->rkey;
	wqe->dma.length = 64;
	wqe->dma.resid = 64;
	wqe->dma.sge[0].addr = (uintptr_t)mr->addr;
	wqe->dma.sge[0].length = 64;
	wqe->dma.sge[0].lkey = mr->lkey;
	switch (r >> 8 & 15) {
	case 0:
		wqe->wr.opcode = r >> 16;
		break;
	case 1:
		wqe->dma.num_sge = r >> 16;
		break;
	case 2:
		wqe->wr.wr.ud.ah_num = r >> 16;
		break;
	case 3:
		wqe->dma.length = r >> 16;
		break;
	case 4:
		wqe->dma.resid = r >> 16;
		break;
	case 5:
		wqe->dma.cur_sge = r >> 16;
		break;
	case 6:
		wqe->dma.sge_offset = r >> 16;
		break;
	case 7:
		wqe->dma.sge[0].length = r >> 16;
		break;
	case 8:
		wqe->dma.sge[0].addr = r;
		break;
	case 9:
		wqe->dma.sge[0].lkey ^= 1 << (r >> 16 & 31);
		break;
	case 10:
		wqe->wr.send_flags = r >> 16;
		break;
	case 11:
		wqe->wr.wr.rdma.rkey = r >> 16;
		break;
	case 12:
		wqe->state = r >> 16;
		wqe->status = r >> 24;
		break;
	case 13:
		wqe->wr.wr.ud.av.network_type = r >> 16;
		break;
	case 14:
		wqe->wr.send_flags |= IBV_SEND_INLINE;
		wqe->dma.length = r >> 48;
		break;
	}
}

/* A receive that is nearly right, for a queue of its own or a shared one. */
static void nearly_right_recv(struct rxe_recv_wqe *wqe, struct ibv_mr *mr,
			      uint64_t *seed)
{
	uint64_t r = vt_random(seed);

	memset(wqe, 0, sizeof(*wqe));
	wqe->dma.num_sge = 1;
	wqe->dma.length = 4096;
	wqe->dma.resid = 4096;
	wqe->dma.sge[0].addr = (uintptr_t)mr->addr;
	wqe->dma.sge[0].length = 4096;
	wqe->dma.sge[0].lkey = mr->lkey;
	switch (r & 15) {
	case 0:
	case 1:
		wqe->dma.num_sge = r >> 16;
		break;
	case 2:
		wqe->dma.length = r >> 16;
		break;
	case 3:
		wqe->dma.resid = r >> 16;
		break;
	case 4:
		wqe->dma.cur_sge = r >> 16;
		break;
	case 5:
		wqe->dma.sge_offset = r >> 16;
		break;
	case 6:
		wqe->dma.sge[0].length = r >> 16;
		break;
	case 7:
		wqe->dma.sge[0].addr = r;
		break;
	case 8:
		wqe->dma.sge[0].lkey = r >> 16;
		break;
	}
}

/*
 * Into the slot that comes next. Requests to send are the large ones; what is
 * written into a completion queue is as wrong as anything else.
 */
static void post_nearly_right(struct ring *r, struct ibv_mr *mr,
			      uint64_t *seed)
{
	uint32_t size = 1u << (r->q->log2_elem_size & 15);
	size_t data = r->len - sizeof(*r->q);
	size_t need = size >= 256 ? sizeof(struct rxe_send_wqe) :
		      sizeof(struct rxe_recv_wqe) + sizeof(struct rxe_sge);
	size_t off = (uint64_t)r->q->producer_index * size % data;

	if (off + need > data)
		off = 0;
	if (off + need > data)
		return;
	if (size >= 256)
		nearly_right((void *)&r->q->data[off & ~7UL], mr, seed);
	else
		nearly_right_recv((void *)&r->q->data[off & ~7UL], mr, seed);
	r->q->producer_index++;
}

static void scribble(struct ring *r, struct ibv_mr *mr, uint64_t *seed)
{
	uint64_t x = vt_random(seed);
	size_t data = r->len - sizeof(*r->q), off = (x >> 8) % data;
	volatile uint32_t *index = x & 1 << 20 ? &r->q->producer_index :
						 &r->q->consumer_index;

	switch (x & 7) {
	case 0:
		r->q->data[off] = x >> 32;
		break;
	case 1:
		*index = x >> 32;
		break;
	case 2:
		*index += (int)(x >> 32) % 5 - 2;
		break;
	case 3:
		r->q->index_mask = x >> 32;
		break;
	case 4:
		r->q->log2_elem_size = x >> 32;
		break;
	default:
		post_nearly_right(r, mr, seed);
	}
}

static volatile bool stop;
static struct ibv_mr *scratch;

/* The same rings, by another CPU: what was checked may change just after. */
static void *scribble_main(void *arg)
{
	uint64_t seed = (uintptr_t)arg;

	while (!stop)
		scribble(&rings[vt_random(&seed) % nr_rings], scratch, &seed);
	return NULL;
}

/* Ruin everything for a while; being killed for it is fine. */
static void ruin(uint64_t seed, int ms)
{
	uint64_t end = vt_now_ms() + ms;
	struct vt_qp qp[NR_QPS];
	struct vt_dev dev;
	struct ibv_mr *mr;
	unsigned long n = 0;
	struct ibv_srq_init_attr srq = { .attr = { .max_wr = 64,
						   .max_sge = 1 } };
	uint32_t masks[MAX_RINGS], logs[MAX_RINGS];
	pthread_t thread;
	uint8_t *mem;
	int i;

	if (vt_open(&dev, dev_name, "v4"))
		_exit(3);
	mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	mr = ibv_reg_mr(dev.pd, mem, 65536, IBV_ACCESS_LOCAL_WRITE |
			IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
			IBV_ACCESS_REMOTE_ATOMIC);
	for (i = 0; i < NR_QPS; i++) {
		struct vt_qp_spec spec = {
			.type = i == 2 ? IBV_QPT_UC : i == 3 ? IBV_QPT_UD :
							       IBV_QPT_RC,
			.max_inline = 64, .timeout = 4, .rnr_retry = 1,
		};

		if (i == 1)
			spec.srq = ibv_create_srq(dev.pd, &srq);
		if (!mr || (i == 1 && !spec.srq) || vt_qp_create(&qp[i], &dev, &spec))
			_exit(3);
	}
	vt_qp_pair(&qp[0], &qp[1]);
	vt_qp_pair(&qp[2], &qp[2]);
	vt_qp_pair(&qp[3], &qp[3]);
	nr_rings = rings_find(rings);
	if (nr_rings < NR_QPS * 2)
		_exit(4);
	for (i = 0; i < nr_rings; i++) {
		masks[i] = rings[i].q->index_mask;
		logs[i] = rings[i].q->log2_elem_size;
	}
	scratch = mr;
	if (pthread_create(&thread, NULL, scribble_main, (void *)(seed + 1)))
		_exit(5);
	while (vt_now_ms() < end) {
		for (i = 0; i < 8; i++)
			scribble(&rings[vt_random(&seed) % nr_rings], mr,
				 &seed);
		ring_doorbell(qp[n++ % NR_QPS].qp);
		if (n % 64)
			continue;
		/* All again from a sane ring and a living queue pair. */
		for (i = 0; i < nr_rings; i++) {
			rings[i].q->index_mask = masks[i];
			rings[i].q->log2_elem_size = logs[i];
		}
		i = n / 64 % NR_QPS;
		vt_qp_modify_state(&qp[i], IBV_QPS_RESET);
		vt_qp_pair(&qp[i], i < 2 ? &qp[!i] : &qp[i]);
	}
	stop = true;
	pthread_join(thread, NULL);
	printf("# %lu doorbells on %d ruined rings\n", n, nr_rings);
	fflush(stdout);
	_exit(0);
}

static struct vt_dev a, b;

/* A hundred messages between two good queue pairs, with their bytes. */
static int good_traffic(uint64_t seed)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC };
	uint8_t *mem = mmap(NULL, 16384, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct ibv_mr *amr = ibv_reg_mr(a.pd, mem, 8192,
					IBV_ACCESS_LOCAL_WRITE);
	struct ibv_mr *bmr = ibv_reg_mr(b.pd, mem + 8192, 8192,
					IBV_ACCESS_LOCAL_WRITE);
	struct ibv_sge s = { (uintptr_t)mem, 8192, amr->lkey };
	struct ibv_sge r = { (uintptr_t)mem + 8192, 8192, bmr->lkey };
	struct vt_qp x, y;
	struct ibv_wc wc;
	int i, err;

	err = vt_qp_create(&x, &a, &spec);
	if (!err)
		err = vt_qp_create(&y, &b, &spec);
	if (!err)
		err = vt_qp_pair(&x, &y);
	for (i = 0; i < 100 && !err; i++) {
		vt_fill(mem, 8192, seed + i);
		err = vt_post_recv(&y, i, &r, 1);
		if (!err)
			err = vt_post_send(&x, IBV_WR_SEND, i, &s, 1,
					   IBV_SEND_SIGNALED);
		if (!err)
			err = vt_poll_status(x.scq, &wc, IBV_WC_SUCCESS,
					     20000);
		if (!err)
			err = vt_poll_status(y.rcq, &wc, IBV_WC_SUCCESS,
					     20000);
		if (!err && memcmp(mem, mem + 8192, 8192))
			err = -EBADMSG;
	}
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	ibv_dereg_mr(amr);
	ibv_dereg_mr(bmr);
	munmap(mem, 16384);
	if (err)
		ksft_print_msg("message %d: %s\n", i, strerror(-err));
	return err;
}

/* Only the doorbell is for user objects. */
static int kernel_format(void)
{
	struct vt_qp_spec spec = { .type = IBV_QPT_RC };
	struct vt_qp qp;
	struct post p = {};
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_poll_cq cmd;
	} poll = { .cmd = { .ne = 1 } };
	struct {
		struct ib_uverbs_cmd_hdr hdr;
		struct ib_uverbs_post_recv cmd;
		struct ib_uverbs_recv_wr wr;
	} recv = { .cmd = { .wr_count = 1, .wqe_size = sizeof(recv.wr) } };
	int send, receive, polled;

	if (vt_qp_create(&qp, &a, &spec) || vt_qp_pair(&qp, &qp))
		return -1;
	p.cmd.qp_handle = qp.qp->handle;
	p.cmd.wr_count = 1;
	p.cmd.wqe_size = sizeof(p.wr);
	p.wr.opcode = IBV_WR_SEND;
	send = ring_command(a.ctx, IB_USER_VERBS_CMD_POST_SEND, &p,
			    sizeof(p.hdr) + sizeof(p.cmd) + sizeof(p.wr));
	recv.cmd.qp_handle = qp.qp->handle;
	receive = ring_command(a.ctx, IB_USER_VERBS_CMD_POST_RECV, &recv,
			       sizeof(recv));
	poll.cmd.cq_handle = qp.scq->handle;
	polled = ring_command(a.ctx, IB_USER_VERBS_CMD_POLL_CQ, &poll,
			      sizeof(poll));
	vt_qp_destroy(&qp);
	if (send == EINVAL && receive == EINVAL && polled == EINVAL)
		return 0;
	ksft_print_msg("POST_SEND %d POST_RECV %d POLL_CQ %d, not EINVAL\n",
		       send, receive, polled);
	return -1;
}

static int run_ruin(int round, int ms)
{
	int status, err, rounds = 0;
	pid_t pid;

	pid = fork();
	if (!pid)
		ruin(round * 7919 + 1, ms);
	do {
		err = good_traffic(round * 1000 + rounds++);
	} while (!err && !waitpid(pid, &status, WNOHANG));
	if (err)
		kill(pid, SIGKILL);
	if (err)
		waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status)) {
		ksft_print_msg("the child could not begin: %d\n",
			       WEXITSTATUS(status));
		return -1;
	}
	ksft_print_msg("%d rounds of good traffic beside it, child %#x\n",
		       rounds, status);
	return err;
}

int main(int argc, char **argv)
{
	int c, i, rounds = 4, ms = 2000;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((c = getopt(argc, argv, "d:P:n:t:")) != -1) {
		switch (c) {
		case 'd':
			dev_name = optarg;
			break;
		case 'P':
			peer_name = optarg;
			break;
		case 'n':
			rounds = atoi(optarg);
			break;
		case 't':
			ms = atoi(optarg);
			break;
		}
	}
	if (!dev_name)
		return 2;
	ksft_print_header();
	ksft_set_plan(rounds + 2);
	if (vt_open(&a, dev_name, "v4") ||
	    vt_open(&b, peer_name ? peer_name : dev_name, "v4"))
		ksft_exit_fail_msg("no device\n");
	ksft_test_result(!kernel_format(),
			 "kernel-format posts and polls are refused\n");
	for (i = 0; i < rounds; i++)
		ksft_test_result(!run_ruin(i, ms), "ruined rings, seed %d\n",
				 i);
	ksft_test_result(!good_traffic(1), "traffic afterwards\n");
	ksft_finished();
}
