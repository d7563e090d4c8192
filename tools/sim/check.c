// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: what must hold after every event, and at the end */
#include "check.h"

#include <linux/kernel.h>
#include <linux/list.h>
#include <string.h>

#include "engine/drop.h"
#include "engine/psn.h"
#include "engine/wqe.h"
#include "sim.h"

/* The pointers of the sending half (engine/qp.h). */
static void sim_check_psns(struct sim_qp *sqp)
{
	const struct tuff_requester *r = &sqp->qp.requester;
	struct sim *sim = sqp->sim;

	if ((r->una | r->nxt | r->max | r->end) & ~TUFF_PSN_MASK)
		sim_fail(sim, "a PSN of more than 24 bits");
	if (tuff_psn_diff(r->nxt, r->una) < 0)
		sim_fail(sim, "nxt %u is before una %u", r->nxt, r->una);
	if (tuff_psn_diff(r->max, r->nxt) < 0)
		sim_fail(sim, "max %u is before nxt %u", r->max, r->nxt);
	if (tuff_psn_diff(r->end, r->max) < 0)
		sim_fail(sim, "end %u is before max %u", r->end, r->max);
	if (r->retry_left > sqp->qp.attr.retry_cnt ||
	    r->rnr_left > sqp->qp.attr.rnr_retry)
		sim_fail(sim, "more retries left than there are");
}

/* The list of requests in flight fits the PSNs and the counts. */
static void sim_check_queue(struct sim_qp *sqp)
{
	const struct tuff_requester *r = &sqp->qp.requester;
	u32 nr = 0, rd_atomic = 0, idx = sqp->flow.done;
	struct tuff_swqe *wqe, *prev = NULL;
	struct sim *sim = sqp->sim;
	bool cur = !r->cur;

	list_for_each_entry(wqe, &sqp->qp.sq, node) {
		if (wqe->wr_id != idx++)
			sim_fail(sim, "request %llu is in the wrong place",
				 wqe->wr_id);
		if (prev && wqe->npsn &&
		    wqe->psn != tuff_psn_add(prev->psn, prev->npsn))
			sim_fail(sim, "wr %llu: PSNs do not follow",
				 wqe->wr_id);
		if (prev && wqe->npsn && !prev->npsn)
			sim_fail(sim, "wr %llu began before the one before",
				 wqe->wr_id);
		if (wqe->npsn && (wqe->opcode == TUFF_WR_RDMA_READ ||
				  wqe->opcode == TUFF_WR_ATOMIC_CMP_AND_SWP ||
				  wqe->opcode == TUFF_WR_ATOMIC_FETCH_AND_ADD))
			rd_atomic++;
		cur |= wqe == r->cur;
		prev = wqe;
		nr++;
	}
	if (nr != sqp->qp.nr_sq || nr > sqp->attr.max_send_wr)
		sim_fail(sim, "%u requests in the queue, %u counted", nr,
			 sqp->qp.nr_sq);
	if (nr != sqp->flow.fetched - sqp->flow.done)
		sim_fail(sim, "%u requests in the queue, %u were fetched", nr,
			 sqp->flow.fetched - sqp->flow.done);
	if (!cur)
		sim_fail(sim, "the current request is not in the queue");
	if (rd_atomic != r->nr_rd_atomic ||
	    rd_atomic > sqp->attr.max_rd_atomic)
		sim_fail(sim, "%u READs and ATOMICs open, %u counted, %u may",
			 rd_atomic, r->nr_rd_atomic, sqp->attr.max_rd_atomic);
}

static void sim_check_responder(struct sim_qp *sqp)
{
	const struct tuff_responder *s = &sqp->qp.responder;
	struct sim *sim = sqp->sim;
	u32 i;

	if ((s->epsn | s->msn) & ~TUFF_PSN_MASK)
		sim_fail(sim, "a PSN or MSN of more than 24 bits");
	if (!!s->wqe != !!sqp->taken)
		sim_fail(sim, "a receive request was lost or made up");
	for (i = 0; i < s->nr_replay && s->replay; i++)
		if (s->replay[i].sent > s->replay[i].npsn)
			sim_fail(sim, "an answer of too many packets");
	if (s->nr_replay && s->replay_next >= s->nr_replay)
		sim_fail(sim, "the next answer lies outside the ring");
}

/**
 * sim_check_event() - what must hold after every event
 * @sim: the run
 */
void sim_check_event(struct sim *sim)
{
	u32 h, i;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		for (i = 0; i < host->nr_qps; i++) {
			sim_model_quiet(host->qp[i]);
			sim_check_psns(host->qp[i]);
			sim_check_queue(host->qp[i]);
			sim_check_responder(host->qp[i]);
		}
	}
}

/* Nothing may be under way any more. */
static void sim_check_idle(struct sim_qp *sqp)
{
	const struct tuff_requester *r = &sqp->qp.requester;
	const struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;
	u32 i;

	if (sqp->gone)
		return;
	if (flow->posted != flow->to_post)
		sim_fail(sim, "stuck: QP %u on host %u: %u of %u were posted",
			 sqp->qp.qpn, sqp->host->idx, flow->posted,
			 flow->to_post);
	if (flow->done != flow->posted)
		sim_fail(sim, "stuck: QP %u on host %u: %u of %u are done",
			 sqp->qp.qpn, sqp->host->idx, flow->done,
			 flow->posted);
	if (sqp->qp.state == TUFF_QPS_RTS &&
	    (r->una != r->nxt || r->una != r->max || r->una != r->end))
		sim_fail(sim, "QP %u is idle with PSNs in flight", sqp->qp.qpn);
	for (i = 0; i < TUFF_NR_TIMERS; i++)
		if (sqp->qp.deadline[i])
			sim_fail(sim, "QP %u is idle with timer %u armed",
				 sqp->qp.qpn, i);
}

/* Every message of @sqp that had to be received was. */
static void sim_check_received(struct sim_qp *sqp)
{
	const struct sim_flow *flow = &sqp->flow;
	struct sim *sim = sqp->sim;
	u32 i;

	for (i = 0; i < flow->done && !sqp->gone; i++) {
		const struct sim_wr *wr = &flow->wr[i];

		if (wr->status || wr->expect || wr->lost ||
		    !sim_wr_takes_recv(wr))
			continue;
		if (!wr->received)
			sim_fail(sim, "wr %u was never received", i);
	}
}

/**
 * sim_check_done() - nothing is left to happen: all must have happened
 * @sim: the run
 */
void sim_check_done(struct sim *sim)
{
	u32 h, i;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		for (i = 0; i < host->nr_qps; i++) {
			sim_check_idle(host->qp[i]);
			if (host->qp[i]->qp.type == TUFF_QPT_RC)
				sim_check_received(host->qp[i]);
		}
	}
}

/* Was every WRITE of an unreliable connection carried out? */
static bool sim_check_all_written(const struct sim_flow *flow)
{
	u32 i;

	for (i = 0; i < flow->posted; i++)
		if (flow->wr[i].rmr && flow->wr[i].executed != flow->wr[i].len)
			return false;
	return true;
}

/* Is what the model says of the region's bytes to be taken at its word? */
static bool sim_check_exact(const struct tuff_mr *mr)
{
	const struct sim_qp *sqp = mr->flow;

	if (mr->role == SIM_ROLE_SOURCE || mr->role == SIM_ROLE_FORBIDDEN)
		return true;
	if (!sqp || sqp->flow.may_fail)
		return false;
	return sqp->qp.type == TUFF_QPT_RC || sim_check_all_written(&sqp->flow);
}

/* Receive buffers that no message has reached. */
static void sim_check_unused(struct sim *sim, const struct sim_rq *rq)
{
	u32 i;

	for (i = 0; i < rq->nr_bufs; i++) {
		u32 off = i * rq->buf_len;

		if (rq->buf_busy[i] < 0 || rq->recv[rq->buf_busy[i]].by)
			continue;
		if (memcmp(rq->mr->mem + off, rq->mr->model + off,
			   rq->buf_len))
			sim_fail(sim, "an unused receive buffer was written");
	}
}

/**
 * sim_check_memory() - compare all memory with the model
 * @sim: the run, done
 */
void sim_check_memory(struct sim *sim)
{
	u32 h, i, off;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		for (i = 0; i < host->nr_mrs; i++) {
			struct tuff_mr *mr = host->mr[i];

			if (!sim_check_exact(mr) ||
			    !memcmp(mr->mem, mr->model, mr->len))
				continue;
			for (off = 0; mr->mem[off] == mr->model[off]; off++)
				;
			sim_fail(sim, "host %u region %u differs at byte %u",
				 h, i, off);
		}
		for (i = 0; i < host->nr_rqs; i++)
			sim_check_unused(sim, host->rq[i]);
	}
}

/* Most probes of a host where nothing is lost. */
#define SIM_CLEAN_PROBES	3

static void sim_check_none(struct sim *sim, u32 h,
			   const enum tuff_counter *none, u32 nr)
{
	const struct sim_host *host = &sim->host[h];
	u32 i;

	for (i = 0; i < nr; i++)
		if (host->counter[none[i]])
			sim_fail(sim, "host %u: %s is %llu", h,
				 tuff_counter_name(none[i]),
				 host->counter[none[i]]);
}

/**
 * sim_check_clean() - a faultless network saw no repair
 * @sim: the run, done; no packet was lost, late or overtaken
 *
 * A host that waits for room or memory may answer so late that it is probed,
 * now and then: then packets come twice, of which answers are dropped, and
 * nothing else happens.
 */
void sim_check_clean(struct sim *sim)
{
	static const enum tuff_counter none[] = {
		TUFF_CNT_OUT_OF_SEQUENCE, TUFF_CNT_PACKET_SEQ_ERR,
		TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR, TUFF_CNT_RETRY_EXCEEDED,
	};
	static const enum tuff_counter twice[] = {
		TUFF_CNT_TX_RETRANSMITS, TUFF_CNT_DUPLICATE_REQUEST,
		TUFF_CNT_IMPLIED_NAK_SEQ_ERR,
	};
	bool probed = sim->host[0].counter[TUFF_CNT_ADP_RETRANS] ||
		      sim->host[1].counter[TUFF_CNT_ADP_RETRANS];
	u32 h, i;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		for (i = 0; i < host->nr_qps; i++)
			sim_check_received(host->qp[i]);
		sim_check_none(sim, h, none, ARRAY_SIZE(none));
		if (host->counter[TUFF_CNT_ADP_RETRANS] > SIM_CLEAN_PROBES)
			sim_fail(sim, "host %u probed %llu times", h,
				 host->counter[TUFF_CNT_ADP_RETRANS]);
		if (!probed)
			sim_check_none(sim, h, twice, ARRAY_SIZE(twice));
		if ((host->dropped && !probed) || host->refused)
			sim_fail(sim, "host %u dropped %llu packets", h,
				 host->dropped + host->refused);
	}
}

/**
 * sim_check_counters() - compare what was counted with what was seen
 * @sim: the run, done
 */
void sim_check_counters(struct sim *sim)
{
	static const enum tuff_counter known[] = {
		TUFF_CNT_TX_RETRANSMITS, TUFF_CNT_REQ_CQE_ERROR,
		TUFF_CNT_REQ_CQE_FLUSH_ERROR, TUFF_CNT_RESP_CQE_ERROR,
		TUFF_CNT_RESP_CQE_FLUSH_ERROR,
	};
	u32 h, i;

	for (h = 0; h < 2; h++) {
		const struct sim_host *host = &sim->host[h];

		for (i = 0; i < ARRAY_SIZE(known); i++)
			if (host->counter[known[i]] != host->expected[known[i]])
				sim_fail(sim, "host %u: %s is %llu, not %llu",
					 h, tuff_counter_name(known[i]),
					 host->counter[known[i]],
					 host->expected[known[i]]);
	}
}

/**
 * sim_check_gaps() - a network that left gaps only: no timeout was needed
 * @sim: the run, done
 */
void sim_check_gaps(struct sim *sim)
{
	u32 h;

	for (h = 0; h < 2; h++)
		if (sim->host[h].counter[TUFF_CNT_LOCAL_ACK_TIMEOUT_ERR])
			sim_fail(sim, "host %u waited for a timeout", h);
}

/* Of a shared queue nothing is flushed: an event tells (IBA 10.2.9.6). */
static void sim_check_last_wqe(struct sim_qp *sqp)
{
	if (sqp->nr_events[TUFF_EVENT_LAST_WQE_REACHED] != 1)
		sim_fail(sqp->sim, "the last receive was reached %u times",
			 sqp->nr_events[TUFF_EVENT_LAST_WQE_REACHED]);
}

/**
 * sim_check_flushed() - all queue pairs went to ERR: everything is reported
 * @sim: the run
 */
void sim_check_flushed(struct sim *sim)
{
	u32 h, i;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		for (i = 0; i < host->nr_qps; i++) {
			struct sim_qp *sqp = host->qp[i];

			if (sqp->gone)
				continue;
			if (sqp->flow.done != sqp->flow.posted)
				sim_fail(sim, "send requests are not flushed");
			if (sqp->attr.has_srq) {
				sim_check_last_wqe(sqp);
				continue;
			}
			if (sqp->rq->completed != sqp->rq->posted)
				sim_fail(sim, "%u of %u receives are reported",
					 sqp->rq->completed, sqp->rq->posted);
		}
	}
}

/**
 * sim_check_leaks() - all queue pairs were reset: nobody holds anything
 * @sim: the run
 */
void sim_check_leaks(struct sim *sim)
{
	u32 h, i;

	for (h = 0; h < 2; h++) {
		struct sim_host *host = &sim->host[h];

		if (host->records)
			sim_fail(sim, "%lld send records leaked",
				 (long long)host->records);
		for (i = 0; i < host->nr_mrs; i++)
			if (host->mr[i]->refs != 1)
				sim_fail(sim, "region %u has %d references", i,
					 host->mr[i]->refs);
		for (i = 0; i < host->nr_avs; i++)
			if (host->av[i]->refs != 1)
				sim_fail(sim, "address vector %u has %d", i,
					 host->av[i]->refs);
	}
}
