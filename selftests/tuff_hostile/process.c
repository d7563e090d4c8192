// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_calls: objects in the wrong process, and processes that end */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"
#include "rings.h"

#define WAIT_MS		20000

static int wrong(const char *what)
{
	printf("# %s\n", what);
	return -EPROTO;
}

/* A message of the own queue pair to itself arrives. */
static int works(struct own *o)
{
	struct ibv_sge sge = { (uintptr_t)o->mem, 64, o->mr->lkey };
	struct ibv_wc wc[2];
	int err;

	err = vt_post_recv(&o->qp, 1, &sge, 1);
	if (!err)
		err = vt_post_send(&o->qp, IBV_WR_SEND, 2, &sge, 1,
				   IBV_SEND_SIGNALED);
	if (!err && vt_poll(o->cq, wc, 2, WAIT_MS) != 2)
		err = -ETIMEDOUT;
	if (!err && (wc[0].status || wc[1].status))
		err = -EPROTO;
	return err ? wrong("the owner's queue pair does not work") : 0;
}

/* Everything that the fd is good for, from a process it was not made by. */
static void use_from_elsewhere(int fd, struct own *o)
{
	struct call calls[MAX_CALLS];
	uint8_t answer[1024];
	int n, i;

	n = calls_make(calls, o);
	for (i = 0; i < n; i++)
		if (calls[i].number != IB_USER_VERBS_CMD_DEREG_MR &&
		    calls[i].number != IB_USER_VERBS_CMD_DESTROY_SRQ &&
		    calls[i].number != IB_USER_VERBS_CMD_MODIFY_QP)
			call_write(fd, &calls[i], calls[i].len, answer);
	ioctl_noise(fd, 200);
}

/* What the child of a fork may do to the rings that it inherits. */
static void scribble_rings(int rounds)
{
	struct ring rings[MAX_RINGS];
	int n = rings_find(rings), i, k;
	uint64_t seed = 21;

	for (i = 0; i < rounds; i++) {
		for (k = 0; k < n; k++) {
			uint64_t x = vt_random(&seed);

			rings[k].q->data[x % (rings[k].len - 64 -
					      sizeof(*rings[k].q))] = x >> 32;
		}
	}
}

static int end_of(pid_t pid, int want)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || status != want) {
		printf("# the child ended with %#x\n", status);
		return -ECHILD;
	}
	return 0;
}

/* A child has rings, fd and objects of its parent, and then goes. */
int process_fork(const char *dev)
{
	int err, i;
	struct own o;
	pid_t pid;

	err = own_open(&o, dev);
	for (i = 0; i < 4 && !err; i++) {
		pid = fork();
		if (!pid) {
			use_from_elsewhere(o.dev.ctx->cmd_fd, &o);
			/* In ERR by now, maybe; the memory is its own copy. */
			if (i & 1)
				vt_fill(o.mem, 64, i);
			if (i & 2)
				kill(getpid(), SIGKILL);
			_exit(0);
		}
		err = end_of(pid, i & 2 ? SIGKILL : 0);
		if (!err)
			err = works(&o);
	}
	pid = fork();
	if (!pid) {
		scribble_rings(1000);
		_exit(0);
	}
	end_of(pid, 0);
	own_close(&o);
	return err;
}

/* The program after exec has nothing but the number of the fd. */
int process_exec_child(int fd)
{
	struct ib_uverbs_reg_mr *mr;
	struct call calls[MAX_CALLS];
	uint8_t answer[1024];
	struct ibv_context ctx = { .cmd_fd = fd };
	struct ibv_pd pd = { .handle = 0 };
	struct ibv_mr rmr = { .handle = 0 };
	struct ibv_cq cq = { .handle = 0 };
	struct ibv_srq srq = { .handle = 0 };
	struct ibv_qp qp = { .handle = 0 };
	struct own o = { .dev = { .ctx = &ctx, .pd = &pd }, .mr = &rmr,
			 .cq = &cq, .srq = &srq, .qp = { .qp = &qp } };
	uint32_t handle;
	int n, i;

	o.mem = mmap(NULL, 65536, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* Whatever handles there are: they are guessed. */
	for (handle = 0; handle < 16; handle++) {
		pd.handle = handle;
		rmr.handle = handle;
		cq.handle = handle;
		srq.handle = handle;
		qp.handle = handle;
		n = calls_make(calls, &o);
		for (i = 0; i < n; i++)
			call_write(fd, &calls[i], calls[i].len, answer);
	}
	/* A region of this program's memory, in the other's context. */
	n = calls_make(calls, &o);
	for (handle = 0; handle < 16; handle++) {
		mr = (void *)(calls[1].bytes + sizeof(struct ib_uverbs_cmd_hdr));
		mr->pd_handle = handle;
		call_write(fd, &calls[1], calls[1].len, answer);
	}
	/* write() looks at the credentials, which are others; this does not. */
	ioctl_noise(fd, 2000);
	return 0;
}

int process_exec(const char *dev, const char *self)
{
	int err, fd;
	char number[16];
	struct own o;
	pid_t pid;

	err = own_open(&o, dev);
	if (err)
		return err;
	pid = fork();
	if (!pid) {
		fd = dup(o.dev.ctx->cmd_fd);	/* this one stays open */
		snprintf(number, sizeof(number), "%d", fd);
		execl(self, self, "-x", number, NULL);
		printf("# exec: %s\n", strerror(errno));
		fflush(stdout);
		_exit(1);
	}
	err = end_of(pid, 0);
	own_close(&o);
	return err;
}

static int send_fd(int sock, int fd)
{
	char room[CMSG_SPACE(sizeof(fd))] = "", byte = 0;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(sock, &m, 0) == 1 ? 0 : -errno;
}

static int receive_fd(int sock)
{
	char room[CMSG_SPACE(sizeof(int))], byte;
	struct iovec v = { &byte, 1 };
	struct msghdr m = { .msg_iov = &v, .msg_iovlen = 1,
			    .msg_control = room,
			    .msg_controllen = sizeof(room) };
	int fd;

	if (recvmsg(sock, &m, 0) != 1 || !CMSG_FIRSTHDR(&m))
		return -1;
	memcpy(&fd, CMSG_DATA(CMSG_FIRSTHDR(&m)), sizeof(fd));
	return fd;
}

/* Makes objects, sends its fd away, and waits for its end. */
static void giver(const char *dev, int sock)
{
	struct own o;

	if (own_open(&o, dev) || send_fd(sock, o.dev.ctx->cmd_fd))
		_exit(1);
	for (;;)
		pause();
}

/* Rings of a process that is dead: map them, write, ring the doorbell. */
static int map_all(int fd)
{
	long page = sysconf(_SC_PAGESIZE), off;
	volatile uint32_t *p;
	int i, mapped = 0;

	for (off = 0; off < 32; off++) {
		p = mmap(NULL, page, PROT_READ | PROT_WRITE, MAP_SHARED, fd,
			 off * page);
		if (p == MAP_FAILED)
			continue;
		mapped++;
		for (i = 0; i < page / 4; i++)
			p[i] = i * 0x01010101;
		/* Some stay mapped until the process ends. */
		if (off & 1)
			munmap((void *)p, page);
	}
	return mapped;
}

int process_pass_fd(const char *dev)
{
	int sock[2], fd, mapped = 0, more = 0;
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sock))
		return -errno;
	pid = fork();
	if (!pid)
		giver(dev, sock[1]);
	close(sock[1]);
	fd = receive_fd(sock[0]);
	if (fd >= 0)
		mapped = map_all(fd);
	kill(pid, SIGKILL);
	end_of(pid, SIGKILL);
	if (fd >= 0) {
		/* The context lives as long as somebody has the fd. */
		more = map_all(fd);
		process_exec_child(fd);
		close(fd);
	}
	close(sock[0]);
	printf("# %d rings mapped, %d after their owner's end\n", mapped, more);
	if (!mapped || !more)
		return wrong("nothing could be mapped");
	return 0;
}

/* Makes, uses and destroys, as fast as it can. */
static void busy(const char *dev)
{
	struct ibv_sge sge = { .length = 65536 };
	struct own o;
	int i;

	for (;;) {
		if (own_open(&o, dev))
			_exit(1);
		sge.addr = (uintptr_t)o.mem;
		sge.lkey = o.mr->lkey;
		for (i = 0; i < 16; i++)
			vt_post_rdma(&o.qp, i & 1 ? IBV_WR_RDMA_READ :
				     IBV_WR_RDMA_WRITE, i, &sge,
				     IBV_SEND_SIGNALED, sge.addr, o.mr->rkey);
		own_close(&o);
	}
}

/* At any moment of it. */
int process_kill(const char *dev, int rounds)
{
	int err = 0, i;
	uint64_t seed = 31;
	pid_t pid;

	for (i = 0; i < rounds && !err; i++) {
		pid = fork();
		if (!pid)
			busy(dev);
		usleep(vt_random(&seed) % (20000 * vt_scale()));
		kill(pid, SIGKILL);
		err = end_of(pid, SIGKILL);
	}
	return err;
}

static long pinned_kb(void)
{
	char line[256];
	FILE *f = fopen("/proc/self/status", "r");
	long kb = -1;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "VmPin: %ld", &kb) == 1)
			break;
	if (f)
		fclose(f);
	return kb;
}

/* A hole, a page that may not be written, a file that is too short. */
int process_partly_mapped(const char *dev, int rounds)
{
	long size = sysconf(_SC_PAGESIZE), before;
	struct vt_dev d;
	struct ibv_mr *mr;
	uint8_t *mem;
	int i, err;

	err = vt_open(&d, dev, "v4");
	if (err)
		return err;
	before = pinned_kb();
	for (i = 0; i < rounds && !err; i++) {
		mem = mmap(NULL, 16 * size, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		memset(mem, 1, 16 * size);
		if (i & 1)
			munmap(mem + i % 16 * size, size);
		else
			mprotect(mem + i % 16 * size, size, PROT_NONE);
		errno = 0;
		mr = ibv_reg_mr(d.pd, mem, 16 * size, IBV_ACCESS_LOCAL_WRITE);
		if (mr || errno != EFAULT)
			err = wrong("a region with a hole");
		munmap(mem, 16 * size);
	}
	printf("# %d rounds, %ld KiB pinned before, %ld after\n", i, before,
	       pinned_kb());
	if (!err && pinned_kb() != before)
		err = wrong("pages stay pinned");
	vt_close(&d);
	return err;
}
