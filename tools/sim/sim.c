// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: chance, the clock and the heap of events */
#include "sim.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/**
 * sim_rand() - the next number of the seed (splitmix64)
 * @sim: the run
 *
 * Return: 64 evenly distributed bits.
 */
u64 sim_rand(struct sim *sim)
{
	u64 z = sim->rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/**
 * sim_below() - a number in 0 .. @n - 1
 * @sim: the run
 * @n: not 0
 *
 * Return: the number.
 */
u64 sim_below(struct sim *sim, u64 n)
{
	return sim_rand(sim) % n;
}

/**
 * sim_range() - a number between two, both included
 * @sim: the run
 * @low: the least
 * @high: the most
 *
 * Return: the number.
 */
u64 sim_range(struct sim *sim, u64 low, u64 high)
{
	return low + sim_below(sim, high - low + 1);
}

/**
 * sim_chance() - does it happen this time
 * @sim: the run
 * @ppm: parts per million
 *
 * Return: true in @ppm of a million cases. Draws no number when @ppm is 0, so
 * that a fault which is switched off changes nothing else.
 */
bool sim_chance(struct sim *sim, u32 ppm)
{
	return ppm && sim_below(sim, 1000000) < ppm;
}

/**
 * sim_fill() - fill memory with chance
 * @sim: the run
 * @buf: memory
 * @len: bytes
 */
void sim_fill(struct sim *sim, void *buf, size_t len)
{
	u8 *to = buf;
	u64 r;

	for (; len >= sizeof(r); len -= sizeof(r), to += sizeof(r)) {
		r = sim_rand(sim);
		memcpy(to, &r, sizeof(r));
	}
	if (len) {
		r = sim_rand(sim);
		memcpy(to, &r, len);
	}
}

static bool sim_earlier(const struct sim_event *a, const struct sim_event *b)
{
	return a->when != b->when ? a->when < b->when : a->seq < b->seq;
}

/**
 * sim_at() - have something happen later
 * @sim: the run
 * @delay_ns: from now
 * @fn: what
 * @arg: to whom
 * @val: more for @fn
 */
void sim_at(struct sim *sim, u64 delay_ns, sim_fn fn, void *arg, u64 val)
{
	struct sim_event event = {
		.when = sim->now + delay_ns, .seq = sim->next_seq++,
		.fn = fn, .arg = arg, .val = val,
	};
	u32 i;

	if (sim->nr_heap == sim->max_heap) {
		sim->max_heap = sim->max_heap ? 2 * sim->max_heap : 256;
		sim->heap = realloc(sim->heap,
				    sim->max_heap * sizeof(*sim->heap));
	}
	for (i = sim->nr_heap++; i; i = (i - 1) / 2) {
		if (!sim_earlier(&event, &sim->heap[(i - 1) / 2]))
			break;
		sim->heap[i] = sim->heap[(i - 1) / 2];
	}
	sim->heap[i] = event;
}

static struct sim_event sim_pop(struct sim *sim)
{
	struct sim_event first = sim->heap[0];
	struct sim_event last = sim->heap[--sim->nr_heap];
	u32 i = 0, child;

	while ((child = 2 * i + 1) < sim->nr_heap) {
		if (child + 1 < sim->nr_heap &&
		    sim_earlier(&sim->heap[child + 1], &sim->heap[child]))
			child++;
		if (!sim_earlier(&sim->heap[child], &last))
			break;
		sim->heap[i] = sim->heap[child];
		i = child;
	}
	sim->heap[i] = last;
	return first;
}

/**
 * sim_step() - run the next event
 * @sim: the run
 *
 * Return: false when there is none, or the run has failed.
 */
bool sim_step(struct sim *sim)
{
	struct sim_event event;

	if (sim->failed || !sim->nr_heap)
		return false;
	event = sim_pop(sim);
	sim->now = event.when;
	event.fn(sim, event.arg, event.val);
	if (++sim->nr_events > sim->knobs.event_limit)
		sim_fail(sim, "no end after %llu events",
			 (unsigned long long)sim->nr_events);
	if (sim->now > sim->knobs.time_limit_ns)
		sim_fail(sim, "no end after %llu ms of virtual time",
			 (unsigned long long)(sim->now / SIM_NS_PER_MS));
	return !sim->failed;
}

/**
 * sim_fail() - something is wrong: end the run
 * @sim: the run
 * @fmt: what is wrong, as printf() takes it
 *
 * Only the first fault is kept: the rest follows from it.
 */
void sim_fail(struct sim *sim, const char *fmt, ...)
{
	va_list args;

	if (sim->failed)
		return;
	sim->failed = true;
	va_start(args, fmt);
	vsnprintf(sim->why, sizeof(sim->why), fmt, args);
	va_end(args);
}

/**
 * sim_init() - begin a run
 * @sim: the run
 * @seed: all chance comes from it
 */
void sim_init(struct sim *sim, u64 seed)
{
	memset(sim, 0, sizeof(*sim));
	sim->seed = seed;
	sim->rng = seed;
	sim->now = SIM_NS_PER_MS;
	sim->knobs.event_limit = 40000;
	sim->knobs.time_limit_ns = 100 * SIM_NS_PER_SEC;
	sim->knobs.max_budget = 64;
}

/**
 * sim_exit() - end a run
 * @sim: the run
 *
 * Frees the frames that are still on their way.
 */
void sim_exit(struct sim *sim)
{
	while (sim->nr_heap) {
		struct sim_event event = sim_pop(sim);

		if (event.fn == sim_host_deliver)
			sim_frame_put(event.arg);
	}
	free(sim->heap);
}
