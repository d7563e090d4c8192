/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: one seed, one virtual clock, one heap of events */
#ifndef _TUFF_SIM_SIM_H
#define _TUFF_SIM_SIM_H

#include <linux/types.h>

#include "host.h"
#include "ladder.h"
#include "net.h"

#define SIM_NS_PER_US		1000ULL
#define SIM_NS_PER_MS		1000000ULL
#define SIM_NS_PER_SEC		1000000000ULL

/* Parts per million, as sim_chance() takes them. */
#define SIM_PERCENT		10000U

struct scenario;

typedef void (*sim_fn)(struct sim *sim, void *arg, u64 val);

/**
 * struct sim_event - something that happens at a point of virtual time
 * @when: the time, ns
 * @seq: order of the events of one time: first scheduled, first run
 * @fn: what happens
 * @arg: to whom
 * @val: more for @fn
 */
struct sim_event {
	u64 when;
	u64 seq;
	sim_fn fn;
	void *arg;
	u64 val;
};

/**
 * struct sim_knobs - how hosts behave, drawn from the seed by the scenario
 * @run_delay_ns: most time between a raise and the run it asked for
 * @timer_slack_ns: most time by which a timer is late
 * @batch_ppm: chance that a received packet only raises, so that several are
 *	handed to the engine before one run
 * @eagain_ppm: chance that a transmit finds no memory and no raise follows
 * @enomem_ppm: chance that the next send request finds no memory
 * @max_budget: largest budget of one run
 * @loop_ppm: chance that a queue pair finds its peer on its own host
 * @stall_ppm: chance that a host stands still when a packet arrives
 * @stall_ns: longest time for which it does
 * @lend_ppm: chance that the peer is not free just then
 * @early: for each host, whose packets it keeps when they come before their
 *	turn
 * @ipv6: frames are IPv6
 * @time_limit_ns: all must be done by then
 * @event_limit: and by then
 */
struct sim_knobs {
	u64 run_delay_ns;
	u64 timer_slack_ns;
	u32 batch_ppm;
	u32 eagain_ppm;
	u32 enomem_ppm;
	u32 max_budget;
	u32 loop_ppm;
	u32 stall_ppm;
	u64 stall_ns;
	u32 lend_ppm;
	enum tuff_early_mode early[2];
	bool ipv6;
	u64 time_limit_ns;
	u64 event_limit;
};

/**
 * struct sim - one run of one scenario with one seed
 * @now: virtual time, ns; never 0
 * @nr_events: events run so far
 * @rng: state of the only source of chance
 * @heap: events to come, the earliest first
 * @failed: the run is over; @why says why
 * @knobs: how hosts behave
 * @host: the two ends
 * @link: [from][to]; a host reaches itself through a link too
 * @ladder: the last packets and events
 * @scenario: the table row being run
 * @priv: the scenario's own
 */
struct sim {
	u64 now;
	u64 nr_events;
	u64 rng;
	u64 seed;
	u64 next_seq;
	struct sim_event *heap;
	u32 nr_heap;
	u32 max_heap;
	bool failed;
	char why[512];
	struct sim_knobs knobs;
	struct sim_host host[2];
	struct sim_link link[2][2];
	struct sim_ladder ladder;
	const struct scenario *scenario;
	void *priv;
};

u64 sim_rand(struct sim *sim);
u64 sim_below(struct sim *sim, u64 n);
u64 sim_range(struct sim *sim, u64 low, u64 high);
bool sim_chance(struct sim *sim, u32 ppm);
void sim_fill(struct sim *sim, void *buf, size_t len);

void sim_at(struct sim *sim, u64 delay_ns, sim_fn fn, void *arg, u64 val);
bool sim_step(struct sim *sim);
void sim_fail(struct sim *sim, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

void sim_init(struct sim *sim, u64 seed);
void sim_exit(struct sim *sim);

#endif /* _TUFF_SIM_SIM_H */
