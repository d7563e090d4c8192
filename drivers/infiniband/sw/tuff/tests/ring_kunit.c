// SPDX-License-Identifier: GPL-2.0
/* tuff: tests of verbs/ring.c: indices that anybody may write */
#include "verbs/ring.h"

#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#define SLOTS	8
#define MASK	(SLOTS - 1)
#define STRIDE	64

/* Exactly the memory of the ring, for KASAN and ASan. */
static int ring_init(struct kunit *test)
{
	struct tuff_ring *ring;

	ring = kunit_kzalloc(test, sizeof(*ring), GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring);
	ring->buf = kunit_kzalloc(test, sizeof(*ring->buf) + SLOTS * STRIDE,
				  GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, ring->buf);
	ring->mask = MASK;
	ring->stride = STRIDE;
	test->priv = ring;
	return 0;
}

/* What a consumer of verbs does: fill a slot, move its index. */
static void user_post(struct tuff_ring *ring, u64 id)
{
	u32 at = ring->buf->producer_index & MASK;

	memcpy(ring->buf->data + at * STRIDE, &id, sizeof(id));
	ring->buf->producer_index = (at + 1) & MASK;
}

static u64 id_of_next(struct tuff_ring *ring)
{
	u64 id;

	tuff_ring_copy(ring, &id, 0, sizeof(id));
	return id;
}

static void posted_counts(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 i;

	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 0);
	for (i = 1; i <= MASK; i++) {
		user_post(ring, i);
		KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), i);
	}
	tuff_ring_advance(ring);
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), MASK - 1);
	KUNIT_EXPECT_EQ(test, tuff_ring_fetched(ring), 1);
	tuff_ring_release(ring);
	KUNIT_EXPECT_EQ(test, tuff_ring_fetched(ring), 0);
	KUNIT_EXPECT_EQ(test, ring->buf->consumer_index, 1);
}

static void posted_goes_round(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u64 i;

	for (i = 0; i < 5 * SLOTS; i++) {
		user_post(ring, i);
		user_post(ring, ~i);
		KUNIT_ASSERT_EQ(test, tuff_ring_posted(ring), 2);
		KUNIT_EXPECT_EQ(test, id_of_next(ring), i);
		tuff_ring_advance(ring);
		KUNIT_EXPECT_EQ(test, id_of_next(ring), ~i);
		tuff_ring_advance(ring);
		tuff_ring_release(ring);
		tuff_ring_release(ring);
	}
}

static void posted_producer_behind_fetched(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 i;

	for (i = 0; i < 4; i++)
		user_post(ring, i);
	tuff_ring_advance(ring);
	tuff_ring_advance(ring);
	ring->buf->producer_index = 1;
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 0);
	ring->buf->producer_index = 3;
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 1);
}

/* Whatever the user's index is: no more than the free slots, within memory. */
static void posted_garbage_is_bounded(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u8 copy[STRIDE];
	u32 seed = 1;
	u32 i;

	for (i = 0; i < 10000; i++) {
		seed = seed * 1664525 + 1013904223;
		ring->buf->producer_index = seed;
		ring->buf->consumer_index = ~seed;
		ring->buf->index_mask = seed;
		ring->buf->log2_elem_size = seed;
		KUNIT_ASSERT_LE(test, tuff_ring_posted(ring),
				MASK - tuff_ring_fetched(ring));
		if (tuff_ring_posted(ring)) {
			tuff_ring_copy(ring, copy, 0, sizeof(copy));
			tuff_ring_advance(ring);
		}
		if (seed & 0x10000 && tuff_ring_fetched(ring))
			tuff_ring_release(ring);
		if (!(seed & 0xff00000))
			tuff_ring_discard(ring);
	}
}

static void copy_stays_in_the_element(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u8 dst[2 * STRIDE];

	memset(ring->buf->data, 0x11, SLOTS * STRIDE);
	ring->head = MASK;
	memset(dst, 0xee, sizeof(dst));
	tuff_ring_copy(ring, dst, STRIDE - 4, STRIDE);
	KUNIT_EXPECT_EQ(test, dst[3], 0x11);
	KUNIT_EXPECT_EQ(test, dst[4], 0xee);
	tuff_ring_copy(ring, dst + 4, STRIDE, 4);
	KUNIT_EXPECT_EQ(test, dst[4], 0xee);
	tuff_ring_copy(ring, dst + 4, 0xffffffff, 4);
	KUNIT_EXPECT_EQ(test, dst[4], 0xee);
}

static void discard_catches_up(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;

	user_post(ring, 1);
	user_post(ring, 2);
	tuff_ring_discard(ring);
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 0);
	KUNIT_EXPECT_EQ(test, ring->buf->consumer_index, 2);
	KUNIT_EXPECT_EQ(test, ring->buf->producer_index, 2);
	user_post(ring, 3);
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 1);
	KUNIT_EXPECT_EQ(test, id_of_next(ring), 3);
}

static void free_slot_until_full(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 i;

	for (i = 0; i < MASK; i++) {
		KUNIT_ASSERT_TRUE(test, tuff_ring_free_slot(ring));
		tuff_ring_post(ring);
	}
	KUNIT_EXPECT_FALSE(test, tuff_ring_free_slot(ring));
	tuff_ring_advance(ring);
	KUNIT_EXPECT_FALSE(test, tuff_ring_free_slot(ring));
	tuff_ring_release(ring);
	KUNIT_EXPECT_TRUE(test, tuff_ring_free_slot(ring));
}

/* A queue of depth 0 has one slot, which is the free one. */
static void free_slot_of_no_queue(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;

	ring->mask = 0;
	KUNIT_EXPECT_FALSE(test, tuff_ring_free_slot(ring));
	ring->buf->producer_index = 0xffffffff;
	KUNIT_EXPECT_EQ(test, tuff_ring_posted(ring), 0);
}

static void push_completion(struct tuff_ring *ring, u64 id)
{
	memcpy(tuff_ring_slot(ring), &id, sizeof(id));
	tuff_ring_publish(ring);
}

static void held_counts(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 i;

	for (i = 1; i <= MASK; i++) {
		push_completion(ring, i);
		KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), i);
	}
	ring->buf->consumer_index = 3;
	KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), MASK - 3);
	push_completion(ring, i);
	KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), MASK - 2);
	KUNIT_EXPECT_EQ(test, ring->buf->producer_index, 0);
}

/* Each place the consumer's index can be: those behind it, and the rest. */
static void held_refuses_impossible_consumers(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 i;

	for (i = 0; i < 5; i++)
		push_completion(ring, i);
	ring->buf->consumer_index = 2;
	KUNIT_ASSERT_EQ(test, tuff_ring_held(ring), 3);

	for (i = 0; i < SLOTS; i++) {
		ring->tail = 2;
		ring->buf->consumer_index = i;
		if (i >= 2 && i <= 5)
			KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), 5 - i);
		else
			KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), -EPROTO);
	}
}

static void held_ignores_high_bits(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;

	push_completion(ring, 1);
	ring->buf->consumer_index = 0xfffffff8;
	KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), 1);
	ring->buf->consumer_index = 0xfffffff9;
	KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), 0);
}

static void oldest_in_order(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u64 i, id;

	for (i = 0; i < 3 * SLOTS; i++) {
		KUNIT_EXPECT_FALSE(test, tuff_ring_oldest(ring));
		push_completion(ring, i);
		KUNIT_ASSERT_TRUE(test, tuff_ring_oldest(ring));
		memcpy(&id, tuff_ring_oldest(ring), sizeof(id));
		KUNIT_EXPECT_EQ(test, id, i);
		tuff_ring_release(ring);
		KUNIT_EXPECT_EQ(test, tuff_ring_held(ring), 0);
	}
}

static void move_keeps_order_across_the_end(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	struct tuff_ring to = { .mask = 3, .stride = STRIDE };
	struct tuff_ring_move m = { .to = &to, .max = SLOTS };
	u64 i, id;

	to.buf = kunit_kzalloc(test, sizeof(*to.buf) + 4 * STRIDE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, to.buf);
	for (i = 0; i < MASK; i++)
		push_completion(ring, i);
	ring->buf->consumer_index = 6;
	KUNIT_ASSERT_EQ(test, tuff_ring_held(ring), 1);
	push_completion(ring, 7);
	push_completion(ring, 8);

	KUNIT_ASSERT_TRUE(test, tuff_ring_move(&m, ring, ring->tail,
					       ring->head));
	to.head = to.tail + 3;
	KUNIT_EXPECT_EQ(test, to.buf->producer_index, 3);
	for (i = 6; i <= 8; i++) {
		KUNIT_ASSERT_TRUE(test, tuff_ring_oldest(&to));
		memcpy(&id, tuff_ring_oldest(&to), sizeof(id));
		KUNIT_EXPECT_EQ(test, id, i);
		tuff_ring_release(&to);
	}
	KUNIT_EXPECT_FALSE(test, tuff_ring_oldest(&to));
}

/*
 * A few in one go, while the consumer takes and more are pushed: what is left
 * in the end is what was not taken, and nothing else.
 */
static void move_beside_both_sides(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	u32 taken = 0, pushed = 0, round;
	u64 id;

	for (round = 0; round < 1000; round++) {
		struct tuff_ring to = { .mask = 2 * SLOTS - 1,
					.stride = STRIDE };
		struct tuff_ring_move m = { .to = &to, .max = 1 + round % 3 };
		bool done;

		to.buf = kunit_kzalloc(test, sizeof(*to.buf) + 2 * SLOTS *
				       STRIDE, GFP_KERNEL);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, to.buf);
		do {
			while (pushed - taken < MASK && (pushed ^ round) % 3)
				push_completion(ring, pushed++);
			done = tuff_ring_move(&m, ring, ring->tail,
					      ring->head);
			if (done)
				to.head = to.tail + (pushed - taken);
			else if (taken != pushed && round % 2)
				ring->buf->consumer_index = ++taken & MASK;
			KUNIT_ASSERT_EQ(test, tuff_ring_held(ring),
					pushed - taken);
		} while (!done);
		KUNIT_ASSERT_EQ(test, tuff_ring_held(&to), pushed - taken);
		for (; tuff_ring_oldest(&to); tuff_ring_release(&to)) {
			memcpy(&id, tuff_ring_oldest(&to), sizeof(id));
			KUNIT_ASSERT_EQ(test, id, taken++);
		}
		KUNIT_ASSERT_EQ(test, taken, pushed);
		ring->buf->consumer_index = taken & MASK;
		push_completion(ring, pushed++);
		KUNIT_ASSERT_EQ(test, tuff_ring_held(ring), 1);
	}
}

/* A producer that goes back: what it says there is now is what is moved. */
static void move_of_a_producer_that_goes_back(struct kunit *test)
{
	struct tuff_ring *ring = test->priv;
	struct tuff_ring to = { .mask = MASK, .stride = STRIDE };
	struct tuff_ring_move m = { .to = &to, .max = 2 };

	to.buf = kunit_kzalloc(test, sizeof(*to.buf) + SLOTS * STRIDE,
			       GFP_KERNEL);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, to.buf);
	KUNIT_EXPECT_FALSE(test, tuff_ring_move(&m, ring, 0, 6));
	KUNIT_EXPECT_FALSE(test, tuff_ring_move(&m, ring, 0, 6));
	KUNIT_EXPECT_TRUE(test, tuff_ring_move(&m, ring, 0, 1));
	KUNIT_EXPECT_EQ(test, to.buf->producer_index, 1);
	KUNIT_EXPECT_EQ(test, to.buf->consumer_index, 0);
}

static struct kunit_case tuff_ring_cases[] = {
	KUNIT_CASE(posted_counts),
	KUNIT_CASE(posted_goes_round),
	KUNIT_CASE(posted_producer_behind_fetched),
	KUNIT_CASE(posted_garbage_is_bounded),
	KUNIT_CASE(copy_stays_in_the_element),
	KUNIT_CASE(discard_catches_up),
	KUNIT_CASE(free_slot_until_full),
	KUNIT_CASE(free_slot_of_no_queue),
	KUNIT_CASE(held_counts),
	KUNIT_CASE(held_refuses_impossible_consumers),
	KUNIT_CASE(held_ignores_high_bits),
	KUNIT_CASE(oldest_in_order),
	KUNIT_CASE(move_keeps_order_across_the_end),
	KUNIT_CASE(move_beside_both_sides),
	KUNIT_CASE(move_of_a_producer_that_goes_back),
	{}
};

static struct kunit_suite tuff_ring_suite = {
	.name = "tuff_ring",
	.init = ring_init,
	.test_cases = tuff_ring_cases,
};

kunit_test_suite(tuff_ring_suite);
