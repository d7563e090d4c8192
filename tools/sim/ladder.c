// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: the last packets and events, drawn as a ladder */
#include "ladder.h"

#include <string.h>

#include "engine/opcode.h"
#include "host.h"
#include "sim.h"

static const char *const sim_rung_names[] = {
	[SIM_RUNG_SENT]		= "",
	[SIM_RUNG_LOST]		= "lost",
	[SIM_RUNG_DOUBLED]	= "doubled",
	[SIM_RUNG_OVERTAKEN]	= "overtaken",
	[SIM_RUNG_DAMAGED]	= "damaged",
	[SIM_RUNG_FORGED]	= "forged",
	[SIM_RUNG_ARRIVED]	= "arrived",
	[SIM_RUNG_REFUSED]	= "refused",
};

static void sim_rung_text(const struct sim_rung *rung, char *buf, size_t size)
{
	const struct tuff_hdr *hdr = &rung->hdr;
	const struct tuff_opcode *op = &tuff_opcodes[hdr->opcode];
	int n;

	n = snprintf(buf, size, "%s psn %u", op->name ? op->name : "?",
		     hdr->psn);
	if (rung->len)
		n += snprintf(buf + n, size - n, " len %u", rung->len);
	if (op->hdrs & TUFF_HDR_RETH)
		n += snprintf(buf + n, size - n, " dmalen %u", hdr->dmalen);
	if (op->hdrs & TUFF_HDR_AETH)
		n += snprintf(buf + n, size - n, " syn %#x msn %u",
			      hdr->syndrome, hdr->msn);
	if (hdr->ackreq)
		snprintf(buf + n, size - n, " ackreq");
}

static void sim_rung_print(const struct sim_rung *rung, FILE *out)
{
	char text[128];

	fprintf(out, "%12.3f us  ", rung->at / 1000.0);
	if (rung->kind == SIM_RUNG_NOTE) {
		fprintf(out, "%*s[%c qp %u] %s %llu\n", rung->from ? 58 : 0, "",
			'A' + rung->from, rung->qpn, rung->note,
			(unsigned long long)rung->val);
		return;
	}
	sim_rung_text(rung, text, sizeof(text));
	if (rung->kind == SIM_RUNG_ARRIVED || rung->kind == SIM_RUNG_REFUSED)
		fprintf(out, "%*s%c <- %-50s %s\n", rung->to ? 58 : 0, "",
			'A' + rung->to, text, sim_rung_names[rung->kind]);
	else
		fprintf(out, "%*s%c qp %u -> %-44s %s\n", rung->from ? 58 : 0,
			"", 'A' + rung->from, rung->qpn, text,
			sim_rung_names[rung->kind]);
}

static struct sim_rung *sim_ladder_add(struct sim *sim)
{
	struct sim_ladder *ladder = &sim->ladder;
	struct sim_rung *rung;

	rung = &ladder->rung[ladder->next++ % SIM_LADDER_LEN];
	rung->at = sim->now;
	return rung;
}

/**
 * sim_ladder_frame() - something happened to a packet
 * @sim: the run
 * @kind: what
 * @frame: the packet
 */
void sim_ladder_frame(struct sim *sim, enum sim_rung_kind kind,
		      const struct sim_frame *frame)
{
	struct sim_rung *rung = sim_ladder_add(sim);

	rung->kind = kind;
	rung->from = frame->from;
	rung->to = frame->to;
	rung->qpn = frame->qp->qp.qpn;
	rung->hdr = frame->hdr;
	rung->len = frame->payload_len;
	if (sim->ladder.live)
		sim_rung_print(rung, sim->ladder.live);
}

/**
 * sim_ladder_note() - something happened to a queue pair
 * @sim: the run
 * @sqp: the queue pair
 * @note: what, a constant string
 * @val: a number that belongs to it
 */
void sim_ladder_note(struct sim *sim, const struct sim_qp *sqp,
		     const char *note, u64 val)
{
	struct sim_rung *rung = sim_ladder_add(sim);

	rung->kind = SIM_RUNG_NOTE;
	rung->from = sqp->host->idx;
	rung->qpn = sqp->qp.qpn;
	rung->note = note;
	rung->val = val;
	if (sim->ladder.live)
		sim_rung_print(rung, sim->ladder.live);
}

/**
 * sim_ladder_print() - the last lines
 * @sim: the run
 * @out: where to
 */
void sim_ladder_print(const struct sim *sim, FILE *out)
{
	const struct sim_ladder *ladder = &sim->ladder;
	u64 i = ladder->next > SIM_LADDER_LEN ? ladder->next - SIM_LADDER_LEN : 0;

	for (; i < ladder->next; i++)
		sim_rung_print(&ladder->rung[i % SIM_LADDER_LEN], out);
}
