// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_calls: commands that are wrong, each in its own way */
#include <errno.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "calls.h"

/* Attributes and methods of a driver's own. */
#define DRIVER_NS	(1 << 12)

static uint8_t answers[4096];

static int wrong(const char *name, int got, int want)
{
	printf("# %s: %d (%s), not %d\n", name, got, strerror(got), want);
	return -EPROTO;
}

/* The others would prove nothing if these were not right. */
int raw_right(const char *dev)
{
	struct call calls[MAX_CALLS];
	struct own o;
	int n, i, got, want, err;

	err = own_open(&o, dev);
	if (err)
		return err;
	n = calls_make(calls, &o);
	for (i = 0; i < n && !err; i++) {
		struct call *c = &calls[i];

		/* The kernel's own format is not for a user's objects. */
		want = (c->number == IB_USER_VERBS_CMD_POST_SEND &&
			calls[i - 1].number == c->number) ||
		       c->number == IB_USER_VERBS_CMD_POST_SRQ_RECV ||
		       c->number == IB_USER_VERBS_CMD_POLL_CQ ? EINVAL : 0;
		/* In use by the queue pair. */
		if (c->number == IB_USER_VERBS_CMD_DESTROY_CQ ||
		    c->number == IB_USER_VERBS_CMD_DEALLOC_PD)
			want = EBUSY;
		if (c->number == IB_USER_VERBS_CMD_DESTROY_AH)
			continue;
		got = call_write(o.dev.ctx->cmd_fd, c, c->len, answers);
		if (got != want)
			err = wrong(c->name, got, want);
	}
	own_close(&o);
	return err;
}

/* Every number of bytes less than it needs; and a header that lies. */
int raw_cut_short(const char *dev)
{
	int n, i, len, err, tried = 0;
	struct call calls[MAX_CALLS];
	struct own o;

	err = own_open(&o, dev);
	if (err)
		return err;
	n = calls_make(calls, &o);
	for (i = 0; i < n; i++) {
		struct call *c = &calls[i];
		struct ib_uverbs_cmd_hdr *hdr = (void *)c->bytes;
		struct ib_uverbs_cmd_hdr was = *hdr;

		for (len = 0; len < c->len; len++, tried += 3) {
			*hdr = was;
			call_write(o.dev.ctx->cmd_fd, c, len, answers);
			hdr->in_words = len / 4;
			call_write(o.dev.ctx->cmd_fd, c, len, answers);
			*hdr = was;
			hdr->out_words = len / 4;
			call_write(o.dev.ctx->cmd_fd, c, c->len, answers);
		}
	}
	printf("# %d calls of %d commands\n", tried, n);
	own_close(&o);
	return 0;
}

/*
 * The answer's page ends after each number of words: what was made for it has
 * to go again.
 */
static int answers_of(struct own *o, struct call *c, uint8_t *page, long size)
{
	int room, got;

	for (room = 0; room < c->out_len; room += 4) {
		got = call_write(o->dev.ctx->cmd_fd, c, c->len,
				 page + size - room);
		if (got != EFAULT) {
			printf("# room for %d of %d bytes\n", room,
			       c->out_len);
			return wrong(c->name, got, EFAULT);
		}
	}
	return 0;
}

int raw_answers(const char *dev)
{
	long size = sysconf(_SC_PAGESIZE);
	int n, i, err;
	struct call calls[MAX_CALLS];
	struct own o;
	uint8_t *page;

	err = own_open(&o, dev);
	if (err)
		return err;
	page = mmap(NULL, 2 * size, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(page + size, size);
	n = calls_make(calls, &o);
	for (i = 0; i < n && !err; i++)
		if (calls[i].out_len &&
		    calls[i].number != IB_USER_VERBS_CMD_POST_SEND &&
		    calls[i].number != IB_USER_VERBS_CMD_POST_SRQ_RECV &&
		    calls[i].number != IB_USER_VERBS_CMD_POLL_CQ &&
		    calls[i].number != IB_USER_VERBS_CMD_DESTROY_CQ)
			err = answers_of(&o, &calls[i], page, size);
	own_close(&o);
	return err;
}

/* Each word of each command with values that it should not have. */
int raw_arguments(const char *dev)
{
	static const uint32_t values[] = { 0, 1, 2, 0x7fffffff, 0x80000000,
					   0xffffffff, 0xffff, 0x10000, 4096 };
	int n, i, at, err, tried = 0, taken = 0;
	struct call calls[MAX_CALLS];
	struct own o;
	size_t v;

	err = own_open(&o, dev);
	if (err)
		return err;
	n = calls_make(calls, &o);
	for (i = 0; i < n; i++) {
		struct call *c = &calls[i];

		for (at = 8; at + 4 <= c->len; at += 4) {
			for (v = 0; v < ARRAY_LEN(values); v++, tried++) {
				struct call bent = *c;

				memcpy(bent.bytes + at, &values[v], 4);
				taken += !call_write(o.dev.ctx->cmd_fd, &bent,
						     bent.len, answers);
			}
		}
	}
	printf("# %d calls, %d of them had nothing wrong\n", tried, taken);
	own_close(&o);
	return 0;
}

/* Commands of all numbers, with random bodies of random lengths. */
int raw_noise(const char *dev, long n)
{
	struct ib_uverbs_cmd_hdr *hdr;
	int err;
	struct call c = { };
	uint64_t seed = 11;
	struct own o;
	long i;

	err = own_open(&o, dev);
	if (err)
		return err;
	hdr = (void *)c.bytes;
	for (i = 0; i < n; i++) {
		vt_fill(c.bytes, sizeof(c.bytes), vt_random(&seed));
		/* Handles are small numbers. */
		if (i & 1)
			memset(c.bytes + 17, 0, 3);
		hdr->command = vt_random(&seed) % 64;
		if (!(vt_random(&seed) % 8))
			hdr->command |= IB_USER_VERBS_CMD_FLAG_EXTENDED;
		c.out_len = vt_random(&seed) % 4 ? 64 : 0;
		c.len = 8 + vt_random(&seed) % 32 * 4;
		hdr->in_words = c.len / 4;
		hdr->out_words = 16;
		call_write(o.dev.ctx->cmd_fd, &c, c.len, answers);
	}
	own_close(&o);
	return 0;
}

struct ioctl_call {
	struct ib_uverbs_ioctl_hdr hdr;
	struct ib_uverbs_attr attrs[12];
};

static void random_attr(struct ib_uverbs_attr *a, uint64_t *seed)
{
	uint64_t x = vt_random(seed);

	memset(a, 0, sizeof(*a));
	a->attr_id = x % 24;
	if (!(x >> 8 & 7))
		a->attr_id |= DRIVER_NS;
	a->len = (x >> 16 & 3) ? (x >> 20 & 15) * 4 : x >> 20;
	a->flags = x >> 40 & 1;
	switch (x >> 44 & 3) {
	case 0:
		a->data = x >> 48 & 15;		/* a handle, or inline */
		break;
	case 1:
		a->data = (uintptr_t)answers;
		break;
	case 2:
		a->data = vt_random(seed);
		break;
	default:
		a->data_s64 = -1;
	}
}

/*
 * The other interface: objects, methods and attributes at random. Returns how
 * many had nothing wrong.
 */
long ioctl_noise(int fd, long n)
{
	struct ioctl_call c;
	uint64_t seed = 12;
	long i, taken = 0;
	int k;

	for (i = 0; i < n; i++) {
		uint64_t x = vt_random(&seed);

		memset(&c, 0, sizeof(c));
		c.hdr.object_id = x % 20;
		c.hdr.method_id = x >> 8 & 7;
		c.hdr.num_attrs = x >> 16 & 7;
		c.hdr.driver_id = x >> 24 & 15 ? RDMA_DRIVER_RXE : x >> 32;
		c.hdr.length = sizeof(c.hdr) +
			       c.hdr.num_attrs * sizeof(c.attrs[0]);
		if (!(x >> 40 & 31))
			c.hdr.length = x >> 48;
		for (k = 0; k < 8; k++) {
			random_attr(&c.attrs[k], &seed);
			if (x >> 20 & 1)
				c.attrs[k].attr_id = k;
		}
		taken += !ioctl(fd, RDMA_VERBS_IOCTL, &c);
	}
	return taken;
}

int raw_ioctls(const char *dev, long n)
{
	struct own o;
	int err;

	err = own_open(&o, dev);
	if (err)
		return err;
	printf("# %ld calls, %ld of them had nothing wrong\n", n,
	       ioctl_noise(o.dev.ctx->cmd_fd, n));
	own_close(&o);
	return 0;
}
