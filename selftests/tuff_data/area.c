// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_data: memory with guard zones, and how messages lie in it */
#include "data.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

int area_init(struct area *area, struct vt_dev *dev)
{
	int access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE |
		     IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_ATOMIC;
	int i;

	area->mem = mmap(NULL, 2 * AREA_SIZE, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area->mem == MAP_FAILED)
		return -ENOMEM;
	area->image = area->mem + AREA_SIZE;
	for (i = 0; i < 2; i++) {
		area->mr[i] = ibv_reg_mr(dev->pd, area->mem, AREA_SIZE,
					 access);
		if (!area->mr[i])
			return -errno;
	}
	return 0;
}

void area_free(struct area *area)
{
	int i;

	for (i = 0; i < 2; i++)
		if (area->mr[i])
			ibv_dereg_mr(area->mr[i]);
	if (area->mem)
		munmap(area->mem, 2 * AREA_SIZE);
}

/* Nothing but guard bytes, in memory and image. */
void area_clear(struct area *area, size_t used)
{
	memset(area->mem, GUARD_BYTE, used + GUARD);
	memset(area->image, GUARD_BYTE, used + GUARD);
}

/* Room that any shape of a message takes, guard zones between pieces too. */
size_t slot_size(uint32_t size)
{
	return (size + (MAX_SGE + 3) * GUARD + 7) & ~7UL;
}

static void layout_add(struct layout *l, struct area *area, uint8_t *at,
		       uint32_t len)
{
	struct ibv_sge *sge = &l->sge[l->n];

	sge->addr = (uintptr_t)at;
	sge->length = len;
	sge->lkey = area->mr[l->n & 1]->lkey;
	l->n++;
}

/* Cut @size bytes into @n uneven pieces; a piece may be empty. */
static void cut(uint32_t *len, int n, uint32_t size, bool empties)
{
	uint32_t left = size;
	int i;

	for (i = 0; i < n; i++) {
		uint32_t take = (left * (i % 3 + 1)) / (n + 1);

		if (i == n - 1)
			take = left;
		else if (empties && (i & 1))
			take = 0;
		else if (!take && left)
			take = 1;
		len[i] = take;
		left -= take;
	}
}

static void layout_pieces(struct layout *l, struct area *area, uint32_t size,
			  uint8_t *base, int n, bool back, bool empties)
{
	uint8_t *at[MAX_SGE];
	uint32_t len[MAX_SGE];
	uint8_t *next = base;
	int i, j;

	cut(len, n, size, empties);
	for (i = 0; i < n; i++) {
		j = back ? n - 1 - i : i;
		at[j] = next;
		next += len[j] + GUARD;
	}
	for (i = 0; i < n; i++)
		layout_add(l, area, at[i], len[i]);
}

/* Lay a message of @size out at offset @slot of @area. */
void layout_make(struct layout *l, struct area *area, uint32_t shape,
		 uint32_t size, size_t slot, int max_sge)
{
	uint8_t *base = area->mem + slot + GUARD;

	l->n = 0;
	if (max_sge < 2 && shape >= SHAPE_TWO && shape <= SHAPE_EMPTY)
		shape = SHAPE_ODD;
	switch (shape) {
	case SHAPE_NONE:
		if (!size)
			return;
		/* fall through */
	case SHAPE_ONE:
		layout_add(l, area, base, size);
		return;
	case SHAPE_ODD:
		layout_add(l, area, base + 3, size);
		return;
	case SHAPE_TWO:
		layout_add(l, area, base, size / 3);
		layout_add(l, area, base + size / 3 + 13, size - size / 3);
		return;
	default:
		layout_pieces(l, area, size, base, max_sge,
			      shape == SHAPE_BACK, shape == SHAPE_EMPTY);
	}
}

/* Put a message's bytes into its pieces: of the image, and of the memory. */
void layout_write(const struct layout *l, struct area *area,
		  const uint8_t *bytes, bool memory)
{
	int i;

	for (i = 0; i < l->n; i++) {
		uint8_t *at = (uint8_t *)(uintptr_t)l->sge[i].addr;

		memcpy(area->image + (at - area->mem), bytes,
		       l->sge[i].length);
		if (memory)
			memcpy(at, bytes, l->sge[i].length);
		bytes += l->sge[i].length;
	}
}

int area_check(struct side *s, struct area *area, size_t used,
	       const char *what)
{
	size_t i, at, bad = 0;
	char hex[48];

	used += GUARD;
	at = vt_differ(area->mem, area->image, used);
	if (at == used)
		return 0;
	for (i = at; i < used; i++)
		bad += area->mem[i] != area->image[i];
	snprintf(hex, sizeof(hex), "%02x %02x %02x, not %02x %02x %02x",
		 area->mem[at], area->mem[at + 1], area->mem[at + 2],
		 area->image[at], area->image[at + 1], area->image[at + 2]);
	return fail(s, "%s: %zu bytes wrong, first at %zu of %zu: %s", what,
		    bad, at, used, hex);
}

/* Remember what went wrong first; always -EPROTO. */
int fail(struct side *s, const char *fmt, ...)
{
	va_list ap;

	if (!s->why[0]) {
		va_start(ap, fmt);
		vsnprintf(s->why, sizeof(s->why), fmt, ap);
		va_end(ap);
	}
	return -EPROTO;
}
