// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: requests that go to the peer's queue pair without packets */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <string.h>

#include "engine/world.h"
#include "engine/wqe.h"
#include "model.h"
#include "sim.h"

/* The request that @sqp, as a responder, is carrying out; NULL: none. */
static struct sim_wr *sim_loop_wr(struct sim_qp *sqp, struct sim_qp **from)
{
	struct sim_wr *wr;
	u32 packet;

	*from = sqp->loop_now->loop_from;
	wr = sim_wr_by_psn(*from, sqp->loop_now->psn, &packet);
	if (!wr || packet)
		sim_fail(sqp->sim, "a lent request that nobody posted");
	return wr;
}

/* @sqp has its answer to @wqe. */
static void sim_loop_answer(struct sim_qp *sqp, struct tuff_swqe *wqe)
{
	struct sim_qp *from;
	struct sim_wr *wr;

	if (wqe != sqp->loop_now)
		sim_fail(sqp->sim, "gave back what it was not asked for");
	sim_ladder_note(sqp->sim, sqp, wqe->loop_answer == TUFF_LOOP_DONE ?
			"has done lent PSN" : "gives back PSN", wqe->psn);
	wr = sim_loop_wr(sqp, &from);
	if (wr && wqe->loop_answer == TUFF_LOOP_DONE)
		sim_wire_lent_done(from, wr);
	else if (wr)
		sim_memory_lent_undone(wr);
	sqp->loop_now = NULL;
}

bool tuff_world_loop(struct tuff_qp *qp)
{
	struct sim *sim = sim_qp_of(qp)->sim;

	return sim->knobs.loop_ppm && sim_chance(sim, sim->knobs.loop_ppm);
}

struct tuff_qp *tuff_world_loop_enter(struct tuff_qp *qp,
				      struct tuff_swqe *wqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim_qp *peer = sqp->peer;
	struct sim *sim = sqp->sim;

	if (peer->gone || sim_chance(sim, sim->knobs.lend_ppm))
		return NULL;
	if (peer->loop_now)
		sim_fail(sim, "a queue pair that was entered twice");
	sim_ladder_note(sim, sqp, "hands over PSN", wqe->psn);
	sim_wire_lent(sqp, wqe->psn);
	wqe->loop_from = sqp;
	peer->loop_now = wqe;
	return &peer->qp;
}

void tuff_world_loop_leave(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	sim_loop_answer(sim_qp_of(qp)->peer, wqe);
}

struct tuff_qp *tuff_world_ud_enter(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	if (!tuff_world_loop(qp) || wqe->dqpn != sqp->peer->qp.qpn)
		return NULL;
	return tuff_world_loop_enter(qp, wqe);
}

void tuff_world_ud_leave(struct tuff_qp *qp, struct tuff_swqe *wqe, bool done)
{
	struct sim_qp *peer = sim_qp_of(qp)->peer;

	peer->loop_grh = 0;
	wqe->loop_answer = done ? TUFF_LOOP_DONE : TUFF_LOOP_PACKETS;
	sim_loop_answer(peer, wqe);
}

void tuff_world_ud_grh(struct tuff_qp *peer, const struct tuff_av *av, u32 len,
		       u8 grh[40])
{
	memset(grh, len, SIM_GRH_LEN);
	sim_qp_of(peer)->loop_grh = SIM_GRH_LEN;
	sim_qp_of(peer)->loop_off = 0;
}

bool tuff_world_loop_give(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim_qp *peer = sqp->peer;
	struct sim *sim = sqp->sim;

	if (peer->gone || sim_chance(sim, SIM_PERCENT))
		return false;
	sim_ladder_note(sim, sqp, "lends PSN", wqe->psn);
	sim_wire_lent(sqp, wqe->psn);
	wqe->loop_from = sqp;
	list_add_tail(&wqe->loop_node, &peer->loop_in);
	sim_qp_raise(peer);
	return true;
}

struct tuff_swqe *tuff_world_loop_peek(struct tuff_qp *qp)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sqp->loop_now = list_first_entry_or_null(&sqp->loop_in,
						 struct tuff_swqe, loop_node);
	return sqp->loop_now;
}

bool tuff_world_loop_from_peer(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	return sim_qp_of(qp)->peer == wqe->loop_from;
}

void tuff_world_loop_return(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct sim_qp *from = wqe->loop_from;

	sim_loop_answer(sim_qp_of(qp), wqe);
	list_del(&wqe->loop_node);
	list_add_tail(&wqe->loop_node, &from->loop_out);
	sim_qp_raise(from);
}

struct tuff_swqe *tuff_world_loop_back(struct tuff_qp *qp)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct tuff_swqe *wqe;

	wqe = list_first_entry_or_null(&sqp->loop_out, struct tuff_swqe,
				       loop_node);
	if (wqe)
		list_del(&wqe->loop_node);
	return wqe;
}

int tuff_world_mr_copy(struct tuff_mr *to, u64 to_va, struct tuff_mr *from,
		       u64 from_va, u32 len)
{
	u8 *dst = sim_mr_at(to, to_va, len);
	u8 *src = sim_mr_at(from, from_va, len);

	if (to->dead || from->dead)
		return -EFAULT;
	if (to->refs < 2 || from->refs < 2 || !dst || !src) {
		sim_fail(to->host->sim, "a copy that leaves a region");
		return -EFAULT;
	}
	memmove(dst, src, len);
	sim_memory_lent(to, to_va, len);
	return 0;
}

/**
 * sim_loop_responder() - who carries out a lent request just now
 * @sim: the run
 *
 * Return: the queue pair, or NULL.
 */
struct sim_qp *sim_loop_responder(struct sim *sim)
{
	u32 h, i;

	for (h = 0; h < 2; h++)
		for (i = 0; i < sim->host[h].nr_qps; i++)
			if (sim->host[h].qp[i]->loop_now)
				return sim->host[h].qp[i];
	return NULL;
}

/**
 * sim_loop_quiesce() - wait until no request of a queue pair is lent
 * @sqp: queue pair that is about to go to RESET
 */
void sim_loop_quiesce(struct sim_qp *sqp)
{
	int tries;

	sqp->qp.requester.no_loop = true;
	for (tries = 0; sqp->qp.requester.nr_lent && tries < 1000; tries++) {
		tuff_qp_run(&sqp->peer->qp, 64);
		tuff_qp_run(&sqp->qp, 64);
	}
	if (sqp->qp.requester.nr_lent)
		sim_fail(sqp->sim, "lent requests do not come back");
}
