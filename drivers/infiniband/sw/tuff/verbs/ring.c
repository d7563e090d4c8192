// SPDX-License-Identifier: GPL-2.0
/* tuff: rings of work requests and completions: the indices and elements */

#include "verbs/ring.h"

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/barrier.h>

static u32 tuff_ring_producer(const struct tuff_ring *ring)
{
	/* Pairs with the producer's release: the elements before the index. */
	return smp_load_acquire(&ring->buf->producer_index) & ring->mask;
}

static u32 tuff_ring_consumer(const struct tuff_ring *ring)
{
	/* Pairs with the consumer's release: it has read what it gives back. */
	return smp_load_acquire(&ring->buf->consumer_index) & ring->mask;
}

/**
 * tuff_ring_fetched() - elements fetched and not given back
 * @ring: work queue
 *
 * Context: the one taker of @ring.
 * Return: their number.
 */
u32 tuff_ring_fetched(const struct tuff_ring *ring)
{
	return (ring->head - ring->tail) & ring->mask;
}

/**
 * tuff_ring_posted() - elements posted and not fetched
 * @ring: work queue
 *
 * A producer that moved behind what was fetched already counts as one that
 * posted nothing.
 *
 * Context: the one taker of @ring.
 * Return: their number, at most what the ring can hold.
 */
u32 tuff_ring_posted(const struct tuff_ring *ring)
{
	u32 fetched = tuff_ring_fetched(ring);
	u32 all = (tuff_ring_producer(ring) - ring->tail) & ring->mask;

	return all > fetched ? all - fetched : 0;
}

/**
 * tuff_ring_copy() - copy a part of the next element to be fetched
 * @ring: work queue, tuff_ring_posted() not 0
 * @dst: kernel memory
 * @off: first byte
 * @len: bytes; what lies beyond the element is left out
 *
 * Each byte is to be copied once and judged in the copy.
 *
 * Context: the one taker of @ring.
 */
void tuff_ring_copy(const struct tuff_ring *ring, void *dst, u32 off, u32 len)
{
	const u8 *src = tuff_ring_at(ring, ring->head);

	if (off >= ring->stride)
		return;
	memcpy(dst, src + off, min(len, ring->stride - off));
}

/**
 * tuff_ring_advance() - the next element has been fetched
 * @ring: work queue
 *
 * Context: the one taker of @ring.
 */
void tuff_ring_advance(struct tuff_ring *ring)
{
	ring->head++;
}

/**
 * tuff_ring_release() - give the oldest slot back to the producer
 * @ring: work queue with something fetched, or completion queue of a kernel
 *	consumer with something held
 *
 * Context: the one taker of @ring.
 */
void tuff_ring_release(struct tuff_ring *ring)
{
	ring->tail++;
	/* The slot has been read before the producer may fill it. */
	smp_store_release(&ring->buf->consumer_index,
			  ring->tail & ring->mask);
}

/**
 * tuff_ring_discard() - forget all that was posted and fetched
 * @ring: work queue
 *
 * The producer's index is the producer's: it is not set back but caught up
 * with.
 *
 * Context: the one taker of @ring.
 */
void tuff_ring_discard(struct tuff_ring *ring)
{
	ring->tail += (tuff_ring_producer(ring) - ring->tail) & ring->mask;
	ring->head = ring->tail;
	/* As in tuff_ring_release(). */
	smp_store_release(&ring->buf->consumer_index,
			  ring->tail & ring->mask);
}

/**
 * tuff_ring_free_slot() - where a kernel consumer's next request goes
 * @ring: work queue that no user maps
 *
 * Context: the one producer of @ring.
 * Return: the slot, or NULL when the ring is full.
 */
void *tuff_ring_free_slot(const struct tuff_ring *ring)
{
	u32 producer = ring->buf->producer_index;

	if (((producer + 1 - tuff_ring_consumer(ring)) & ring->mask) == 0)
		return NULL;
	return tuff_ring_at(ring, producer);
}

/**
 * tuff_ring_post() - hand over the slot that tuff_ring_free_slot() gave
 * @ring: work queue that no user maps
 *
 * Context: the one producer of @ring.
 */
void tuff_ring_post(struct tuff_ring *ring)
{
	u32 producer = ring->buf->producer_index;

	/* The slot is filled before it may be taken. */
	smp_store_release(&ring->buf->producer_index,
			  (producer + 1) & ring->mask);
}

/**
 * tuff_ring_held() - completions that were not taken yet
 * @ring: completion queue
 *
 * Context: the lock of the completion queue.
 * Return: their number, or -EPROTO when the consumer's index is where no
 * consumer could have moved it: backwards, or past what there is.
 */
int tuff_ring_held(struct tuff_ring *ring)
{
	u32 held = (ring->head - ring->tail) & ring->mask;
	u32 consumer = tuff_ring_consumer(ring);
	u32 taken = (consumer - ring->tail) & ring->mask;

	if (taken > held)
		return -EPROTO;
	ring->tail += taken;
	return held - taken;
}

/**
 * tuff_ring_slot() - where the next completion goes
 * @ring: completion queue that holds less than @ring->mask completions
 *
 * Context: the lock of the completion queue.
 * Return: the slot.
 */
void *tuff_ring_slot(const struct tuff_ring *ring)
{
	return tuff_ring_at(ring, ring->head);
}

/**
 * tuff_ring_publish() - let the consumer see the slot just filled
 * @ring: completion queue
 *
 * Context: the lock of the completion queue.
 */
void tuff_ring_publish(struct tuff_ring *ring)
{
	ring->head++;
	/* The slot is filled before it may be taken. */
	smp_store_release(&ring->buf->producer_index,
			  ring->head & ring->mask);
}

/**
 * tuff_ring_oldest() - the completion a kernel consumer takes next
 * @ring: completion queue that no user maps
 *
 * Followed by tuff_ring_release().
 *
 * Context: the lock of the completion queue.
 * Return: the slot, or NULL when the ring is empty.
 */
void *tuff_ring_oldest(const struct tuff_ring *ring)
{
	return ring->head == ring->tail ? NULL : tuff_ring_at(ring, ring->tail);
}

/**
 * tuff_ring_move() - carry elements over to a ring of another size, a few
 * @m: what is moved where; @m->to is empty, and nobody knows it yet
 * @from: ring to leave, of the same element size
 * @oldest: first element of @from that has to be there, of those that the one
 *	taker has not taken
 * @end: one past the last, at most @m->to->mask elements later
 *
 * Called again and again, without the lock of @from in between, until all was
 * carried: then @m->to is as the taker and the producer are to find it.
 *
 * Context: the lock of both sides of @from.
 * Return: true when all was carried.
 */
bool tuff_ring_move(struct tuff_ring_move *m, const struct tuff_ring *from,
		    u32 oldest, u32 end)
{
	struct tuff_ring *to = m->to;
	u32 n;

	if (!m->begun) {
		m->begun = true;
		m->base = oldest;
		m->pos = oldest;
	}
	/* Others have taken some meanwhile; or say now that there are less. */
	if ((s32)(oldest - m->pos) > 0)
		m->pos = oldest;
	if ((s32)(end - m->pos) < 0)
		m->pos = end;
	for (n = 0; n < m->max && m->pos != end; n++, m->pos++)
		memcpy(tuff_ring_at(to, m->pos - m->base),
		       tuff_ring_at(from, m->pos), to->stride);
	if (m->pos != end)
		return false;
	to->tail = oldest - m->base;
	to->buf->consumer_index = to->tail & to->mask;
	to->buf->producer_index = (end - m->base) & to->mask;

	return true;
}
