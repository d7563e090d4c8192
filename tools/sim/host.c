// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: what a host has, and how its events reach the engine */
#include "host.h"

#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <rdma/rdma_user_rxe.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wqe.h"
#include "load.h"
#include "sim.h"

/* Well known (IBA 13.1); its high bit stands for the queue pair's own. */
#define SIM_GSI_QKEY	0x80010000
/* Receive records that may be posted during one run. */
#define SIM_MAX_RECV	2048
/* Send records likewise, per queue pair. */
#define SIM_MAX_WR	1024

/**
 * sim_hosts_init() - two hosts with nothing on them
 * @sim: the run
 */
void sim_hosts_init(struct sim *sim)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		struct sim_host *host = &sim->host[i];

		host->sim = sim;
		host->idx = i;
		sim_fill(sim, host->addr, sizeof(host->addr));
		host->addr[0] = 10 + i;
		host->ip_id = sim_rand(sim);
	}
}

/**
 * sim_mr_create() - register memory
 * @host: whose
 * @role: what for
 * @pd: protection domain
 * @len: bytes
 * @access: &enum tuff_access
 *
 * Return: the region, filled with chance; so is its model.
 */
struct tuff_mr *sim_mr_create(struct sim_host *host, enum sim_role role,
			      u32 pd, u32 len, u32 access)
{
	struct sim *sim = host->sim;
	struct tuff_mr *mr = calloc(1, sizeof(*mr));

	mr->host = host;
	mr->role = role;
	mr->pd = pd;
	mr->access = access;
	mr->len = len;
	mr->refs = 1;
	/* Keys of 24 bits of index and 8 of generation never meet by chance. */
	mr->lkey = (host->nr_mrs * 2 + 1) << 8 | (sim_rand(sim) & 0xff);
	mr->rkey = (host->nr_mrs * 2 + 2) << 8 | (sim_rand(sim) & 0xff);
	mr->va = sim_rand(sim) & 0x7ffffffffff8ULL;
	if (sim_chance(sim, 10 * SIM_PERCENT))
		mr->va = -(u64)(len + 8) & ~7ULL;
	mr->mem = malloc(len);
	mr->model = malloc(len);
	sim_fill(sim, mr->mem, len);
	memcpy(mr->model, mr->mem, len);
	host->mr[host->nr_mrs++] = mr;
	return mr;
}

/**
 * sim_mr_dereg() - deregister memory that the engine may still refer to
 * @mr: the region
 */
void sim_mr_dereg(struct tuff_mr *mr)
{
	mr->dead = true;
}

/**
 * sim_mr_at() - where an address lies
 * @mr: region
 * @va: address
 * @len: bytes
 *
 * Return: the memory, or NULL when any of it lies outside.
 */
u8 *sim_mr_at(const struct tuff_mr *mr, u64 va, u32 len)
{
	u64 off = va - mr->va;

	if (off > mr->len || len > mr->len - off)
		return NULL;
	return mr->mem + off;
}

/**
 * sim_rq_create() - a receive queue with its buffers
 * @host: whose
 * @pd: protection domain
 * @len: requests that can be posted at once
 * @max_sge: pieces of one
 * @buf_len: bytes of one buffer
 *
 * Return: the queue.
 */
struct sim_rq *sim_rq_create(struct sim_host *host, u32 pd, u32 len,
			     u32 max_sge, u32 buf_len)
{
	struct sim_rq *rq = calloc(1, sizeof(*rq));
	u32 i;

	rq->host = host;
	rq->pd = pd;
	rq->len = len;
	rq->max_sge = max_sge;
	rq->slot_size = roundup_pow_of_two(sizeof(struct rxe_recv_wqe) +
					   max_sge * sizeof(struct rxe_sge));
	rq->ring = calloc(len, rq->slot_size);
	rq->buf_len = buf_len;
	rq->nr_bufs = len + 2;
	rq->mr = sim_mr_create(host, SIM_ROLE_RECV, pd, buf_len * rq->nr_bufs,
			       TUFF_ACCESS_LOCAL_WRITE);
	rq->buf_busy = malloc(rq->nr_bufs * sizeof(*rq->buf_busy));
	for (i = 0; i < rq->nr_bufs; i++)
		rq->buf_busy[i] = -1;
	rq->max_recv = SIM_MAX_RECV;
	rq->recv = calloc(rq->max_recv, sizeof(*rq->recv));
	rq->burst = len;
	host->rq[host->nr_rqs++] = rq;
	return rq;
}

/**
 * sim_av_create() - a path to a host
 * @host: where it begins
 * @to: where it ends
 * @numbered: an address handle, with a number; else a connection's
 *
 * Return: the address vector, one reference.
 */
struct tuff_av *sim_av_create(struct sim_host *host, u8 to, bool numbered)
{
	struct sim *sim = host->sim;
	struct tuff_av *av = calloc(1, sizeof(*av));

	av->to = to;
	av->refs = 1;
	av->path.ipv6 = sim->knobs.ipv6;
	memcpy(av->path.saddr, host->addr, 16);
	memcpy(av->path.daddr, sim->host[to].addr, 16);
	av->path.sport = 0xc000 | sim_rand(sim);
	av->path.tos = sim_rand(sim);
	av->path.ttl = 64;
	host->av[host->nr_avs++] = av;
	if (numbered)
		av->num = host->nr_avs;
	return av;
}

/**
 * sim_qp_create() - a queue pair in RESET
 * @host: whose
 * @pd: protection domain
 * @attr: its attributes
 * @rq: its receive queue
 *
 * Return: the queue pair.
 */
struct sim_qp *sim_qp_create(struct sim_host *host, u32 pd,
			     const struct sim_qp_attr *attr, struct sim_rq *rq)
{
	struct sim *sim = host->sim;
	struct sim_qp *sqp = calloc(1, sizeof(*sqp));
	struct tuff_qp *qp = &sqp->qp;

	sqp->sim = sim;
	sqp->host = host;
	sqp->pd = pd;
	sqp->attr = *attr;
	sqp->rq = rq;
	qp->qpn = 0x10 + 0x100 * host->nr_qps + sim_below(sim, 0x100) +
		  0x10000 * host->idx;
	if (attr->type == TUFF_QPT_GSI)
		qp->qpn = 1;
	qp->type = attr->type;
	qp->user = !attr->kernel;
	qp->sig_all = attr->sig_all;
	qp->has_srq = attr->has_srq;
	qp->max_send_sge = attr->max_send_sge;
	qp->max_recv_sge = attr->max_recv_sge;
	qp->max_inline = attr->max_inline;
	qp->max_send_wr = attr->max_send_wr;
	tuff_qp_init(qp);

	sqp->sq_len = attr->max_send_wr;
	sqp->sq_slot = sizeof(struct rxe_send_wqe) +
		       max_t(u32, attr->max_send_sge * sizeof(struct rxe_sge),
			     attr->max_inline);
	sqp->sq_slot = roundup_pow_of_two(sqp->sq_slot);
	INIT_LIST_HEAD(&sqp->loop_in);
	INIT_LIST_HEAD(&sqp->loop_out);
	sqp->sq = calloc(sqp->sq_len, sqp->sq_slot);
	sqp->rwqe = malloc(sizeof(*sqp->rwqe) +
			   rq->max_sge * sizeof(struct tuff_sge));
	sqp->flow.max = SIM_MAX_WR;
	sqp->flow.wr = calloc(sqp->flow.max, sizeof(*sqp->flow.wr));
	sqp->flow.burst = 1;
	host->qp[host->nr_qps++] = sqp;
	return sqp;
}

/**
 * sim_qp_to_rtr() - RESET to RTR: ready to receive
 * @sqp: queue pair
 * @peer: other end; for UD any, its path MTU is used
 */
void sim_qp_to_rtr(struct sim_qp *sqp, struct sim_qp *peer)
{
	const struct sim_qp_attr *attr = &sqp->attr;
	struct tuff_qp *qp = &sqp->qp;

	sqp->peer = peer;
	qp->attr.pkey = TUFF_PKEY_DEFAULT;
	qp->attr.access = attr->access;
	qp->attr.qkey = qp->type == TUFF_QPT_GSI ? SIM_GSI_QKEY :
						   0x11110000 + qp->qpn;
	tuff_qp_set_state(qp, TUFF_QPS_INIT);

	if (tuff_qp_connected(qp) && !qp->av)
		qp->av = sim_av_create(sqp->host, peer->host->idx, false);
	qp->attr.path_mtu_shift = attr->mtu_shift;
	qp->attr.max_dest_rd_atomic = peer->attr.max_rd_atomic;
	qp->attr.min_rnr_timer = attr->min_rnr_timer;
	qp->attr.dqpn = peer->qp.qpn;
	qp->attr.rq_psn = peer->attr.sq_psn;
	if (qp->type == TUFF_QPT_RC) {
		struct tuff_responder *responder = &qp->responder;

		responder->nr_replay = max_t(u8, peer->attr.max_rd_atomic, 1);
		free(responder->replay);
		responder->replay = calloc(responder->nr_replay,
					   sizeof(*responder->replay));
	}
	tuff_qp_set_state(qp, TUFF_QPS_RTR);
}

/**
 * sim_qp_to_rts() - RTR to RTS: ready to send
 * @sqp: queue pair
 */
void sim_qp_to_rts(struct sim_qp *sqp)
{
	const struct sim_qp_attr *attr = &sqp->attr;
	struct tuff_qp *qp = &sqp->qp;

	qp->attr.sq_psn = attr->sq_psn;
	qp->attr.timeout = attr->timeout;
	qp->attr.retry_cnt = attr->retry_cnt;
	qp->attr.rnr_retry = attr->rnr_retry;
	qp->attr.max_rd_atomic = attr->max_rd_atomic;
	tuff_qp_set_state(qp, TUFF_QPS_RTS);
}

/**
 * sim_qp_connect() - RESET to RTS, one end
 * @sqp: queue pair
 * @peer: other end; for UD any, its path MTU is used
 */
void sim_qp_connect(struct sim_qp *sqp, struct sim_qp *peer)
{
	sim_qp_to_rtr(sqp, peer);
	sim_qp_to_rts(sqp);
}

/**
 * sim_qp_reset() - modify to RESET: all that was posted is forgotten
 * @sqp: queue pair
 */
void sim_qp_reset(struct sim_qp *sqp)
{
	sim_loop_quiesce(sqp);
	sim_model_quiet(sqp);
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_RESET);
	sim_model_forget(sqp);
}

/**
 * sim_qp_vanish() - to RESET for good, as when it is destroyed
 * @sqp: queue pair
 *
 * What it sent is still on its way, and still has to be right.
 */
void sim_qp_vanish(struct sim_qp *sqp)
{
	sim_loop_quiesce(sqp);
	sim_model_quiet(sqp);
	sqp->gone = true;
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_RESET);
	sqp->ended = NULL;
	sqp->flow.to_post = sqp->flow.posted;
	sqp->flow.may_fail |= BIT(TUFF_WC_WR_FLUSH_ERR);
	sqp->rq->to_post = sqp->rq->posted;
	sqp->peer->flow.may_fail |= BIT(TUFF_WC_RETRY_EXC_ERR);
}

/**
 * sim_qp_set_error() - modify to ERR
 * @sqp: queue pair
 */
void sim_qp_set_error(struct sim_qp *sqp)
{
	sqp->flow.may_fail |= BIT(TUFF_WC_WR_FLUSH_ERR);
	sqp->peer->flow.may_fail |= BIT(TUFF_WC_RETRY_EXC_ERR);
	sim_ladder_note(sqp->sim, sqp, "modify to ERR", 0);
	tuff_qp_set_state(&sqp->qp, TUFF_QPS_ERR);
	sqp->flow.flushing = true;
}

/* How long @host stands still from now on. */
static u64 sim_host_stall(const struct sim_host *host)
{
	u64 now = host->sim->now;

	return host->stalled_until > now ? host->stalled_until - now : 0;
}

/* Another host has the CPU, or an interrupt storm has it. */
static void sim_host_may_stall(struct sim_host *host)
{
	struct sim *sim = host->sim;

	if (sim_chance(sim, sim->knobs.stall_ppm))
		host->stalled_until = sim->now +
				      sim_below(sim, sim->knobs.stall_ns);
}

/* Give the engine a turn. */
static void sim_qp_turn(struct sim_qp *sqp)
{
	struct sim *sim = sqp->sim;

	if (sqp->qp.state == TUFF_QPS_RESET)
		return;
	if (sim_host_stall(sqp->host)) {
		sim_qp_raise(sqp);
		return;
	}
	sqp->loop_now = NULL;
	if (tuff_qp_run(&sqp->qp, sim_range(sim, 1, sim->knobs.max_budget)))
		sim_qp_raise(sqp);
	sqp->loop_now = NULL;
}

static void sim_qp_raised(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;

	sqp->raised = false;
	sim_qp_turn(sqp);
}

/**
 * sim_qp_raise() - have the engine run soon
 * @sqp: queue pair
 */
void sim_qp_raise(struct sim_qp *sqp)
{
	struct sim *sim = sqp->sim;

	if (sqp->raised)
		return;
	sqp->raised = true;
	sim_at(sim, sim_host_stall(sqp->host) +
	       sim_below(sim, sim->knobs.run_delay_ns + 1), sim_qp_raised,
	       sqp, 0);
}

/**
 * sim_qp_kick() - something was posted
 * @sqp: queue pair
 */
void sim_qp_kick(struct sim_qp *sqp)
{
	struct sim *sim = sqp->sim;

	if (sim_chance(sim, sim->knobs.batch_ppm))
		sim_qp_raise(sqp);
	else
		sim_qp_turn(sqp);
}

static void sim_qp_timer(struct sim *sim, void *arg, u64 gen)
{
	struct sim_qp *sqp = arg;

	u64 stall = sim_host_stall(sqp->host);

	if (gen != sqp->timer_gen || sqp->qp.state == TUFF_QPS_RESET)
		return;
	if (stall) {
		sim_at(sim, stall, sim_qp_timer, sqp, gen);
		return;
	}
	sim_ladder_note(sim, sqp, "timer", 0);
	tuff_qp_timeout(&sqp->qp);
	sim_qp_turn(sqp);
}

/**
 * sim_qp_set_timer() - set or cancel the timer of a queue pair
 * @sqp: queue pair
 * @when_ns: virtual time, 0 = cancel
 */
void sim_qp_set_timer(struct sim_qp *sqp, u64 when_ns)
{
	struct sim *sim = sqp->sim;
	u64 delay;

	sqp->timer_gen++;
	if (!when_ns)
		return;
	delay = when_ns > sim->now ? when_ns - sim->now : 0;
	delay += sim_below(sim, sim->knobs.timer_slack_ns + 1);
	sim_at(sim, delay, sim_qp_timer, sqp, sqp->timer_gen);
}

static struct sim_qp *sim_qp_find(struct sim_host *host, u32 qpn)
{
	u32 i;

	for (i = 0; i < host->nr_qps; i++)
		if (host->qp[i]->qp.qpn == qpn)
			return host->qp[i];
	return NULL;
}

static void sim_host_receive(struct sim_host *host, struct sim_frame *frame,
			     struct tuff_pkt *pkt)
{
	struct sim_qp *sqp = sim_qp_find(host, pkt->hdr.dqpn);
	struct sim *sim = host->sim;
	u64 dropped = host->dropped;
	bool waits;
	u32 una;

	if (!sqp || sqp->qp.state == TUFF_QPS_RESET) {
		host->refused++;
		return;
	}
	host->received++;
	sqp->rx = pkt;
	waits = sqp->qp.requester.state == TUFF_REQUESTER_RNR;
	una = sqp->qp.requester.una;
	tuff_qp_receive(&sqp->qp, pkt);
	/* Progress ends the pause, and what follows is news again. */
	if (waits && sqp->qp.requester.una != una) {
		sqp->rnr_until = 0;
		waits = false;
	}
	if (!waits)
		sim_wire_received(sqp, &pkt->hdr);
	sqp->rx = NULL;
	if (frame->forged && host->dropped == dropped)
		sim_fail(sim, "a forged packet was not dropped");
	if (sim_chance(sim, sim->knobs.batch_ppm))
		sim_qp_raise(sqp);
	else
		sim_qp_turn(sqp);
}

/**
 * sim_host_deliver() - a packet arrives (event)
 * @sim: the run
 * @arg: struct sim_frame, whose reference is taken
 * @val: nothing
 */
void sim_host_deliver(struct sim *sim, void *arg, u64 val)
{
	struct sim_frame *frame = arg;
	struct sim_host *host = &sim->host[frame->to];
	u64 stall = sim_host_stall(host);
	struct tuff_pkt pkt;

	if (stall) {
		sim_at(sim, stall, sim_host_deliver, frame, 0);
		return;
	}
	sim_host_may_stall(host);
	switch (sim_frame_check(frame, host->addr, &pkt)) {
	case SIM_FRAME_GOOD:
		if (frame->damaged)
			sim_fail(sim, "the ICRC let a damaged packet through");
		sim_ladder_frame(sim, SIM_RUNG_ARRIVED, frame);
		sim_host_receive(host, frame, &pkt);
		break;
	default:
		if (!frame->touched && !frame->forged)
			sim_fail(sim, "a sound packet was refused");
		sim_ladder_frame(sim, SIM_RUNG_REFUSED, frame);
		host->refused++;
		break;
	}
	sim_frame_put(frame);
}

static void sim_qp_free(struct sim_qp *sqp)
{
	u32 i;

	for (i = 0; i < sqp->flow.max; i++)
		free(sqp->flow.wr[i].data);
	free(sqp->flow.wr);
	free(sqp->qp.responder.replay);
	free(sqp->rwqe);
	free(sqp->sq);
	free(sqp);
}

static void sim_host_exit(struct sim_host *host)
{
	u32 i;

	for (i = 0; i < host->nr_qps; i++)
		sim_qp_free(host->qp[i]);
	for (i = 0; i < host->nr_rqs; i++) {
		free(host->rq[i]->ring);
		free(host->rq[i]->buf_busy);
		free(host->rq[i]->recv);
		free(host->rq[i]);
	}
	for (i = 0; i < host->nr_mrs; i++) {
		free(host->mr[i]->mem);
		free(host->mr[i]->model);
		free(host->mr[i]);
	}
	for (i = 0; i < host->nr_avs; i++)
		free(host->av[i]);
}

/**
 * sim_hosts_exit() - free both hosts, whatever state they are in
 * @sim: the run
 *
 * Records that the engine still holds after a failed run are leaked: the
 * process is about to report and end.
 */
void sim_hosts_exit(struct sim *sim)
{
	sim_host_exit(&sim->host[0]);
	sim_host_exit(&sim->host[1]);
}
