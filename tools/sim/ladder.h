/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: the last packets and events, drawn as a ladder */
#ifndef _TUFF_SIM_LADDER_H
#define _TUFF_SIM_LADDER_H

#include <linux/types.h>
#include <stdio.h>

#include "engine/types.h"

struct sim;
struct sim_frame;
struct sim_qp;

#define SIM_LADDER_LEN	40

enum sim_rung_kind {
	SIM_RUNG_SENT,
	SIM_RUNG_LOST,
	SIM_RUNG_DOUBLED,
	SIM_RUNG_OVERTAKEN,
	SIM_RUNG_DAMAGED,
	SIM_RUNG_FORGED,
	SIM_RUNG_ARRIVED,
	SIM_RUNG_REFUSED,	/* below the engine: IP, ICRC, headers */
	SIM_RUNG_NOTE,
};

/**
 * struct sim_rung - one line of the ladder
 * @at: virtual time
 * @kind: what happened
 * @from: host
 * @to: host
 * @qpn: queue pair of the sender, or the one a note is about
 * @hdr: transport headers
 * @len: payload
 * @note: text of a note, a constant string
 * @val: more for the note
 */
struct sim_rung {
	u64 at;
	u8 kind;
	u8 from;
	u8 to;
	u32 qpn;
	struct tuff_hdr hdr;
	u32 len;
	const char *note;
	u64 val;
};

/**
 * struct sim_ladder - the last lines
 * @rung: ring of lines
 * @next: lines written so far
 * @live: print each line at once, too
 */
struct sim_ladder {
	struct sim_rung rung[SIM_LADDER_LEN];
	u64 next;
	FILE *live;
};

void sim_ladder_frame(struct sim *sim, enum sim_rung_kind kind,
		      const struct sim_frame *frame);
void sim_ladder_note(struct sim *sim, const struct sim_qp *sqp,
		     const char *note, u64 val);
void sim_ladder_print(const struct sim *sim, FILE *out);

#endif /* _TUFF_SIM_LADDER_H */
