// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: engine/world.h for simulated hosts */
#include "engine/world.h"

#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <rdma/rdma_user_rxe.h>
#include <stdlib.h>
#include <string.h>

#include "engine/wqe.h"
#include "model.h"
#include "post.h"
#include "sim.h"

/* Time */

u64 tuff_world_now(struct tuff_qp *qp)
{
	return sim_qp_of(qp)->sim->now;
}

void tuff_world_timer(struct tuff_qp *qp, u64 when_ns)
{
	sim_qp_set_timer(sim_qp_of(qp), when_ns);
}

void tuff_world_raise(struct tuff_qp *qp)
{
	sim_qp_raise(sim_qp_of(qp));
}

u32 tuff_world_crc32(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

/* Work requests */

bool tuff_world_sq_posted(struct tuff_qp *qp)
{
	const struct sim_flow *flow = &sim_qp_of(qp)->flow;

	return flow->fetched != flow->posted;
}

struct tuff_swqe *tuff_world_next_swqe(struct tuff_qp *qp)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim *sim = sqp->sim;
	struct tuff_swqe *wqe;
	const struct sim_wr *wr;
	const void *slot;

	if (qp->nr_sq >= qp->max_send_wr)
		sim_fail(sim, "asked for a request with the queue full");
	if (!tuff_world_sq_posted(qp))
		return NULL;
	if (sim_chance(sim, sim->knobs.enomem_ppm))
		return ERR_PTR(-ENOMEM);
	wqe = malloc(tuff_swqe_size(qp->max_send_sge, qp->max_inline));
	wr = &sqp->flow.wr[sqp->flow.fetched];
	slot = sqp->sq + sqp->flow.fetched % sqp->sq_len * sqp->sq_slot;
	if (qp->user)
		tuff_swqe_load(qp, wqe, slot, sqp->sq_slot);
	else
		sim_post_to_record(sqp, wr, wqe);
	sqp->flow.fetched++;
	sqp->host->records++;
	return wqe;
}

void tuff_world_swqe_done(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	if (wqe->loop == TUFF_LOOP_LENT)
		sim_fail(sqp->sim, "released what is lent");
	sim_model_done(sqp, wqe->wr_id);
	tuff_swqe_release(qp, wqe);
	free(wqe);
	sqp->host->records--;
}

struct tuff_rwqe *tuff_world_next_rwqe(struct tuff_qp *qp)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim_rq *rq = sqp->rq;
	const void *slot;

	if (sqp->taken)
		sim_fail(sqp->sim, "asked for two receive requests at once");
	if (rq->fetched == rq->posted)
		return NULL;
	slot = rq->ring + rq->fetched % rq->len * rq->slot_size;
	sqp->taken = &rq->recv[rq->fetched++];
	if (qp->user)
		tuff_rwqe_load(qp, sqp->rwqe, slot, rq->slot_size,
			       rq->max_sge);
	else
		sim_post_recv_to_record(sqp, sqp->taken, sqp->rwqe);
	sqp->taken->by = sqp;
	return sqp->rwqe;
}

void tuff_world_rwqe_done(struct tuff_qp *qp, struct tuff_rwqe *wqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	if (wqe != sqp->rwqe || !sqp->taken)
		sim_fail(sqp->sim, "gave back a receive request it has not");
	tuff_rwqe_release(qp, wqe);
	sim_post_recv_done(sqp->rq, sqp->taken);
	sqp->ended = sqp->taken;
	sqp->taken = NULL;
}

/* Completions and events */

void tuff_world_cqe_send(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sim_ladder_note(sqp->sim, sqp, cqe->status ?
			"send completion in error, wr" : "send completion, wr",
			cqe->wr_id);
	sim_model_cqe_send(sqp, cqe);
}

void tuff_world_cqe_recv(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sim_ladder_note(sqp->sim, sqp, cqe->status ?
			"receive completion in error, wr" :
			"receive completion, wr", cqe->wr_id);
	sim_model_cqe_recv(sqp, cqe);
}

void tuff_world_event(struct tuff_qp *qp, enum tuff_event event)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sim_ladder_note(sqp->sim, sqp, "event", event);
	sqp->nr_events[event]++;
	if (event == TUFF_EVENT_SQ_DRAINED)
		sqp->drained = true;
}

void tuff_world_state(struct tuff_qp *qp, u8 state)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sim_ladder_note(sqp->sim, sqp, "state", state);
	if (state != TUFF_QPS_SQD)
		sqp->drained = false;
}

/* Memory */

static struct tuff_mr *sim_key_get(struct tuff_qp *qp, bool remote, u32 key,
				   u64 va, u32 len, u32 access)
{
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim_host *host = sqp->host;
	u32 i;

	if (!len)
		sim_fail(sqp->sim, "a key was looked up for no bytes");
	for (i = 0; i < host->nr_mrs; i++) {
		struct tuff_mr *mr = host->mr[i];

		if (key != (remote ? mr->rkey : mr->lkey))
			continue;
		if (mr->dead || mr->pd != sqp->pd || access & ~mr->access ||
		    !sim_mr_at(mr, va, len))
			return NULL;
		mr->refs++;
		return mr;
	}
	return NULL;
}

struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	return sim_key_get(qp, false, key, va, len, access);
}

struct tuff_mr *tuff_world_rkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	return sim_key_get(qp, true, key, va, len, access);
}

void tuff_world_mr_put(struct tuff_mr *mr)
{
	if (--mr->refs < 1)
		sim_fail(mr->host->sim, "a region was put too often");
}

/* Where to write; NULL: deregistered, or a failure. */
static u8 *sim_world_target(struct tuff_mr *mr, u64 va, u32 len)
{
	u8 *to;

	if (mr->dead)
		return NULL;
	if (mr->refs < 2)
		sim_fail(mr->host->sim, "a write without a reference");
	to = sim_mr_at(mr, va, len);
	if (!to)
		sim_fail(mr->host->sim, "%u bytes at %#llx leave the region",
			 len, va);
	return to;
}

int tuff_world_pkt_write(struct tuff_mr *mr, u64 va, const struct tuff_pkt *pkt,
			 u32 off, u32 len)
{
	const struct sim_frame *frame = pkt->buf;
	u8 *to = sim_world_target(mr, va, len);

	if (!to)
		return -EFAULT;
	if (off > pkt->len || len > pkt->len - off) {
		sim_fail(mr->host->sim, "a copy leaves the packet");
		return -EFAULT;
	}
	memcpy(to, frame->data + sim_frame_bth_off(frame) + pkt->off + off,
	       len);
	sim_memory_pkt_write(mr, va, pkt, off, len);
	return 0;
}

enum tuff_early_mode tuff_world_early(struct tuff_qp *qp)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	return sqp->sim->knobs.early[sqp->host->idx];
}

struct tuff_early_slot *tuff_world_early_slots(struct tuff_qp *qp)
{
	struct sim *sim = sim_qp_of(qp)->sim;

	if (sim_chance(sim, sim->knobs.enomem_ppm))
		return NULL;
	return calloc(TUFF_EARLY_SLOTS, sizeof(struct tuff_early_slot));
}

void tuff_world_early_free(struct tuff_qp *qp, struct tuff_early_slot *slots)
{
	free(slots);
}

void *tuff_world_pkt_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct sim *sim = sim_qp_of(qp)->sim;
	struct sim_frame *frame = pkt->buf;

	if (sim_chance(sim, sim->knobs.enomem_ppm))
		return NULL;
	sim_ladder_note(sim, sim_qp_of(qp), "keeps", pkt->hdr.psn);
	frame->refs++;
	sim_qp_of(qp)->host->records++;
	return frame;
}

bool tuff_world_pkt_kept(struct tuff_qp *qp, void *buf, struct tuff_pkt *pkt)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	if (sim_frame_check(buf, sqp->host->addr, pkt) != SIM_FRAME_GOOD) {
		sim_fail(sqp->sim, "a packet has changed while it was kept");
		return false;
	}
	sqp->rx_behind = sqp->rx;
	sqp->rx = pkt;
	return true;
}

void tuff_world_pkt_free(struct tuff_qp *qp, void *buf)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	if (sqp->rx_behind)
		sqp->rx = sqp->rx_behind;
	sqp->rx_behind = NULL;
	sqp->host->records--;
	sim_frame_put(buf);
}

int tuff_world_mem_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	u8 *to = sim_world_target(mr, va, len);

	if (!to)
		return -EFAULT;
	memcpy(to, src, len);
	sim_memory_write(mr, va, src, len);
	return 0;
}

void tuff_world_pkt_grh(const struct tuff_pkt *pkt, u8 grh[40])
{
	const struct sim_frame *frame = pkt->buf;

	if (frame->ipv6) {
		memcpy(grh, frame->data, 40);
	} else {
		memset(grh, 0, 20);
		memcpy(grh + 20, frame->data, 20);
	}
}

int tuff_world_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add,
			 u64 compare, u64 swap_add, u64 *orig)
{
	u8 *at = sim_world_target(mr, va, 8);
	u64 now;

	if (!at)
		return -EFAULT;
	if (va & 7)
		sim_fail(mr->host->sim, "an atomic at %#llx", va);
	memcpy(orig, at, 8);
	now = fetch_add ? *orig + swap_add :
	      *orig == compare ? swap_add : *orig;
	memcpy(at, &now, 8);
	sim_memory_atomic(mr, va, fetch_add, compare, swap_add);
	return 0;
}

/* Address vectors */

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num)
{
	struct sim_host *host = sim_qp_of(qp)->host;

	if (!ah_num || ah_num > host->nr_avs || !host->av[ah_num - 1]->num)
		return NULL;
	host->av[ah_num - 1]->refs++;
	return host->av[ah_num - 1];
}

void tuff_world_av_put(struct tuff_av *av)
{
	av->refs--;
}

bool tuff_world_pkt_from_peer(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	return sim_frame_saddr_is(pkt->buf, qp->av->path.daddr);
}

u16 tuff_world_pkey(struct tuff_qp *qp, u32 index)
{
	return index ? 0 : TUFF_PKEY_DEFAULT;
}

/* Transmit */

/* The bytes of @pl; false when one of its regions went away. */
static bool sim_gather(const struct tuff_payload *pl, u8 *to)
{
	u32 off = pl->off, left = pl->len, i, n;

	if (pl->data) {
		memcpy(to, pl->data + off, left);
		return true;
	}
	for (i = 0; left && i < pl->num_sge; i++) {
		const struct tuff_sge *sge = &pl->sge[i];
		const u8 *from;

		if (off >= sge->len) {
			off -= sge->len;
			continue;
		}
		n = min(left, sge->len - off);
		from = sim_mr_at(sge->mr, sge->addr + off, n);
		if (sge->mr->dead || !from)
			return false;
		memcpy(to, from, n);
		to += n;
		left -= n;
		off = 0;
	}
	return !left;
}

static void sim_world_room(struct sim *sim, void *arg, u64 val)
{
	struct sim_qp *sqp = arg;

	sqp->tx_blocked = false;
	sim_qp_raise(sqp);
}

/* Refuse a packet now and then; true when that happens. */
static bool sim_world_refuse(struct sim_qp *sqp, u8 to)
{
	struct sim *sim = sqp->sim;
	const struct sim_link *link = &sim->link[sqp->host->idx][to];

	if (sim_chance(sim, sim->knobs.eagain_ppm))
		return true;
	if (!link->block || !sim_link_full(sim, link))
		return false;
	/* The device tells when it has room again. */
	if (!sqp->tx_blocked) {
		sqp->tx_blocked = true;
		sim_at(sim, (link->busy_until - sim->now) / 2 + 1,
		       sim_world_room, sqp, 0);
	}
	return true;
}

int tuff_world_tx(struct tuff_qp *qp, struct tuff_av *av,
		  const struct tuff_hdr *hdr, const struct tuff_payload *pl)
{
	u32 len = pl ? pl->len : 0;
	struct sim_qp *sqp = sim_qp_of(qp);
	struct sim_host *host = sqp->host;
	struct sim_frame *frame;
	u8 payload[4096];

	if (len > sizeof(payload)) {
		sim_fail(sqp->sim, "a packet with %u bytes of payload", len);
		return 0;
	}
	if (sim_world_refuse(sqp, av->to))
		return -EAGAIN;
	if (pl && !sim_gather(pl, payload))
		return -EFAULT;
	frame = sim_frame_build(&av->path, host->ip_id++, hdr, payload, len);
	frame->from = host->idx;
	frame->to = av->to;
	frame->qp = sqp;
	host->counter[TUFF_CNT_TX_PACKETS]++;
	sim_link_send(sqp->sim, frame);
	sim_wire_check(sqp, hdr, payload, len);
	return 0;
}

void tuff_world_tx_flush(struct tuff_qp *qp)
{
}

/* Counters */

void tuff_world_count(struct tuff_qp *qp, enum tuff_counter counter)
{
	sim_qp_of(qp)->host->counter[counter]++;
}

void tuff_world_drop(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		     enum tuff_counter reason)
{
	struct sim_qp *sqp = sim_qp_of(qp);

	sim_ladder_note(sqp->sim, sqp, tuff_counter_name(reason),
			pkt->hdr.psn);
	sqp->host->counter[reason]++;
	sqp->host->dropped++;
}
