/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: rings of work requests and completions, mapped by users or not */
#ifndef _TUFF_VERBS_RING_H
#define _TUFF_VERBS_RING_H

#include <linux/types.h>
#include <rdma/rdma_user_rxe.h>

#include "tuff.h"

struct ib_udata;
struct tuff_mmap;

/**
 * struct tuff_ring - a ring in the layout of struct rxe_queue_buf
 * @buf: the shared memory: sizes, both indices, elements
 * @mask: number of slots less one, a power of two less one; also how many
 *	elements the ring holds at most, since a full ring keeps a slot free
 * @stride: bytes from one element to the next
 * @head: work queue: the next element to be fetched; completion queue: the
 *	next slot to be filled. It counts on past the end of the ring, as does
 * @tail: work queue: the oldest element not given back; completion queue: the
 *	consumer's when it was last looked at
 * @map: owner of @buf when a user maps it, else NULL
 *
 * The contract with hostile memory. Everything in @buf may change at any time
 * when a user maps it. The kernel never reads back what it wrote there: sizes
 * and its own index are here. The other side's index is read once per call,
 * masked, and compared with what is possible; elements are copied out once.
 * A work queue's producer is the consumer of verbs, and the kernel takes from
 * it (tuff_ring_posted() and so on); with a completion queue it is the other
 * way round (tuff_ring_held() and so on). Each side has to have one user at a
 * time, for which the caller's lock or ownership stands.
 *
 *	tail <= head <= producer	(work queue)
 *	tail <= consumer <= head	(completion queue), all modulo the size
 */
struct tuff_ring {
	struct rxe_queue_buf *buf;
	u32 mask;
	u32 stride;
	u32 head;
	u32 tail;
	struct tuff_mmap *map;
};

/**
 * struct tuff_ring_move - elements on their way to a ring of another size
 * @to: the new ring
 * @max: how many may be carried in one go
 * @base: element of the old ring that is number 0 of the new one
 * @pos: the next one to be carried
 * @begun: @base and @pos are set
 */
struct tuff_ring_move {
	struct tuff_ring *to;
	u32 max;
	u32 base;
	u32 pos;
	bool begun;
};

/* A user's may be long, and interrupts are off meanwhile: bytes in one go. */
#define TUFF_RING_MOVE_BYTES	(32 * 1024)

/* A ring that was never created, or is gone. */
static inline bool tuff_ring_exists(const struct tuff_ring *ring)
{
	return ring->buf;
}

static inline void *tuff_ring_at(const struct tuff_ring *ring, u32 index)
{
	return ring->buf->data + (size_t)(index & ring->mask) * ring->stride;
}

/* ring.c: work queues, the kernel's side */
u32 tuff_ring_posted(const struct tuff_ring *ring);
u32 tuff_ring_fetched(const struct tuff_ring *ring);
void tuff_ring_copy(const struct tuff_ring *ring, void *dst, u32 off, u32 len);
void tuff_ring_advance(struct tuff_ring *ring);
void tuff_ring_release(struct tuff_ring *ring);
void tuff_ring_discard(struct tuff_ring *ring);

/* ring.c: work queues of kernel consumers, the consumer's side */
void *tuff_ring_free_slot(const struct tuff_ring *ring);
void tuff_ring_post(struct tuff_ring *ring);

/* ring.c: completion queues */
int tuff_ring_held(struct tuff_ring *ring);
void *tuff_ring_slot(const struct tuff_ring *ring);
void tuff_ring_publish(struct tuff_ring *ring);
void *tuff_ring_oldest(const struct tuff_ring *ring);

/* ring.c: both */
bool tuff_ring_move(struct tuff_ring_move *m, const struct tuff_ring *from,
		    u32 oldest, u32 end);

/* ring_mem.c; process context */
int tuff_ring_create(struct tuff_ring *ring, struct ib_udata *udata,
		     u32 entries, u32 elem_size, struct mminfo *info);
void tuff_ring_destroy(struct tuff_ring *ring);

#endif /* _TUFF_VERBS_RING_H */
