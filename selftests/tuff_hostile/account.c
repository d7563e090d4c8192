// SPDX-License-Identifier: GPL-2.0
/* tuff: verbs_packets: what was sent against what was counted */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "hostile.h"

static bool is_counted(int why)
{
	return why_names[why];
}

/* What an open queue pair may count, too, when its peer has ended it. */
static bool is_of_state(int why)
{
	return why == WHY_STATE || why == WHY_PKEY || why == WHY_QKEY ||
	       why == WHY_SOURCE;
}

static long counted(int why)
{
	return vt_counter_aged(&device, why_names[why]);
}

void account_begin(struct account *a)
{
	int i;

	memset(a, 0, sizeof(*a));
	vt_counters_age();
	for (i = 0; i < NR_WHY; i++)
		if (is_counted(i))
			a->before[i] = counted(i);
}

void account_frame(struct account *a, const uint8_t *frame, int len)
{
	a->sent[judge(frame, len, targets, nr_targets)]++;
	a->total++;
}

void account_add(struct account *a, const struct packet *p)
{
	uint8_t frame[FRAME_MAX];
	int len = forge(p, frame);

	account_frame(a, frame, len);
	forge_queue(frame, len);
}

static long grown_aged(struct account *a, enum why why)
{
	return counted(why) - a->before[why];
}

long account_grown(struct account *a, enum why why)
{
	vt_counters_age();
	return grown_aged(a, why);
}

static int account_differs(struct account *a, bool tell)
{
	long grown, most;
	int i, bad = 0;

	vt_counters_age();
	for (i = 0; i < NR_WHY; i++) {
		if (!is_counted(i))
			continue;
		grown = grown_aged(a, i);
		most = a->sent[i] + (is_of_state(i) ? a->sent[WHY_OPEN] : 0);
		if (grown >= a->sent[i] && grown <= most)
			continue;
		bad = 1;
		if (tell)
			printf("# %s: %ld sent, %ld counted\n", why_names[i],
			       a->sent[i], grown);
	}
	return bad;
}

/* Each packet was counted under its own name, and none under another. */
int account_check(struct account *a)
{
	uint64_t end = vt_deadline(5000);
	int err = forge_flush();

	if (err)
		return err;
	while (account_differs(a, false)) {
		if (vt_expired(end)) {
			account_differs(a, true);
			return -ENOMSG;
		}
		sched_yield();
	}
	return 0;
}
