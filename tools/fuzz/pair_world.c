// SPDX-License-Identifier: GPL-2.0
/* tuff: fuzz target "pair": engine/world.h */
#include "pair.h"

#include <string.h>

#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/minmax.h>
#include <rdma/rdma_user_rxe.h>

#include "engine/psn.h"
#include "engine/world.h"

struct pair pair;

/* Time */

u64 tuff_world_now(struct tuff_qp *qp)
{
	return pair.now;
}

void tuff_world_timer(struct tuff_qp *qp, u64 when_ns)
{
	pair_qp_of(qp)->timer_at = when_ns;
}

void tuff_world_raise(struct tuff_qp *qp)
{
	pair_qp_of(qp)->raised = true;
}

u32 tuff_world_crc32(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

/* Rings */

/* The producer's next slot; it does not care whether the ring is full. */
void *pair_slot(struct tuff_ring *ring)
{
	return tuff_ring_at(ring, ring->buf->producer_index);
}

void pair_posted(struct tuff_ring *ring)
{
	ring->buf->producer_index = (ring->buf->producer_index + 1) &
				    ring->mask;
}

/* A copy of the next element, of exactly its size so that ASan sees its end. */
static void *pair_fetch(struct tuff_ring *ring)
{
	void *copy = malloc(ring->stride);

	CHECK(copy);
	tuff_ring_copy(ring, copy, 0, ring->stride);
	tuff_ring_advance(ring);
	CHECK(tuff_ring_fetched(ring) <= ring->mask);
	return copy;
}

bool tuff_world_sq_posted(struct tuff_qp *qp)
{
	return tuff_ring_posted(&pair_qp_of(qp)->sq);
}

struct tuff_swqe *tuff_world_next_swqe(struct tuff_qp *qp)
{
	struct pair_qp *p = pair_qp_of(qp);
	struct tuff_swqe *wqe;
	void *user;

	CHECK(p == pair.in);
	CHECK(qp->nr_sq < qp->max_send_wr);
	if (!tuff_ring_posted(&p->sq))
		return NULL;
	if (pair.no_memory) {
		pair.no_memory--;
		return ERR_PTR(-ENOMEM);
	}
	user = pair_fetch(&p->sq);
	wqe = malloc(tuff_swqe_size(qp->max_send_sge, qp->max_inline));
	CHECK(wqe);
	tuff_swqe_load(qp, wqe, user, p->sq.stride);
	free(user);
	wqe->wr_id = p->sends++;
	return wqe;
}

void tuff_world_swqe_done(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	CHECK(p == pair.in);
	CHECK(wqe->loop != TUFF_LOOP_LENT);
	CHECK(wqe->wr_id == p->sends_done);
	p->sends_done++;
	pair_check_ended(p, &p->send_ended, wqe->wr_id,
			 wqe->flags & TUFF_SEND_SIGNALED);
	if (tuff_swqe_takes_receive(wqe) && !p->resetting)
		p->sent_to_recv++;
	tuff_swqe_release(qp, wqe);
	free(wqe);
	tuff_ring_release(&p->sq);
}

struct tuff_rwqe *tuff_world_next_rwqe(struct tuff_qp *qp)
{
	struct pair_qp *p = pair_qp_of(qp);
	void *user;

	CHECK(p == pair.in && !p->taken);
	if (!tuff_ring_posted(p->recv))
		return NULL;
	user = pair_fetch(p->recv);
	tuff_rwqe_load(qp, p->rwqe, user, p->recv->stride,
		       qp->has_srq ? PAIR_MAX_SGE : qp->max_recv_sge);
	free(user);
	/* A shared slot is free again when it was read. */
	if (qp->has_srq)
		tuff_ring_release(p->recv);
	p->rwqe->wr_id = p->recvs++;
	p->taken = true;
	p->num_pieces = p->rwqe->num_sge;
	memcpy(p->pieces, p->rwqe->sge, p->num_pieces * sizeof(p->pieces[0]));
	return p->rwqe;
}

void tuff_world_rwqe_done(struct tuff_qp *qp, struct tuff_rwqe *wqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	CHECK(p == pair.in && p->taken && wqe == p->rwqe);
	CHECK(wqe->wr_id == p->recvs - 1);
	p->taken = false;
	pair_check_ended(p, &p->recv_ended, wqe->wr_id, true);
	tuff_rwqe_release(qp, wqe);
	if (!qp->has_srq)
		tuff_ring_release(&p->rq);
}

/* Completions and events */

void tuff_world_cqe_send(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	if (cqe->status != TUFF_WC_SUCCESS)
		p->sent_to_recv = 0;
	pair_check_cqe(p, &p->send_ended, cqe);
}

void tuff_world_cqe_recv(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	p->received += cqe->status == TUFF_WC_SUCCESS;
	pair_check_cqe(p, &p->recv_ended, cqe);
}

void tuff_world_event(struct tuff_qp *qp, enum tuff_event event)
{
	CHECK(event <= TUFF_EVENT_LAST_WQE_REACHED);
	pair.events++;
}

void tuff_world_state(struct tuff_qp *qp, u8 state)
{
}

/* Memory */

static bool pair_mr_holds(const struct tuff_mr *mr, u64 va, u32 len)
{
	return va >= mr->va && va - mr->va <= mr->len &&
	       len <= mr->len - (va - mr->va);
}

static struct tuff_mr *pair_key_get(struct tuff_qp *qp, bool remote, u32 key,
				    u64 va, u32 len, u32 access)
{
	u32 i;

	CHECK(len);
	for (i = 0; i < PAIR_MRS; i++) {
		struct tuff_mr *mr = &pair.mr[i];

		if (key != (remote ? mr->rkey : mr->lkey))
			continue;
		if (mr->dead || mr->pd != 1 || access & ~mr->access ||
		    !pair_mr_holds(mr, va, len))
			return NULL;
		mr->refs++;
		return mr;
	}
	return NULL;
}

struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	return pair_key_get(qp, false, key, va, len, access);
}

struct tuff_mr *tuff_world_rkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	return pair_key_get(qp, true, key, va, len, access);
}

void tuff_world_mr_put(struct tuff_mr *mr)
{
	CHECK(mr && mr->refs > 0);
	mr->refs--;
}

/* The engine holds a reference, and asks for nothing outside the region. */
static u8 *pair_bytes(struct tuff_mr *mr, u64 va, u32 len)
{
	CHECK(mr && mr->refs > 0 && mr->pd == 1);
	CHECK(pair_mr_holds(mr, va, len));
	return mr->dead ? NULL : mr->bytes + (va - mr->va);
}

int tuff_world_mem_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	u8 *to = pair_bytes(mr, va, len);

	if (!to)
		return -EFAULT;
	pair_check_write(mr, va, len);
	memcpy(to, src, len);
	return 0;
}

enum tuff_early_mode tuff_world_early(struct tuff_qp *qp)
{
	return pair.early;
}

struct tuff_early_slot *tuff_world_early_slots(struct tuff_qp *qp)
{
	if (pair.no_memory) {
		pair.no_memory--;
		return NULL;
	}
	return calloc(TUFF_EARLY_SLOTS, sizeof(struct tuff_early_slot));
}

void tuff_world_early_free(struct tuff_qp *qp, struct tuff_early_slot *slots)
{
	free(slots);
}

void *tuff_world_pkt_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	struct sim_frame *frame = pkt->buf;

	CHECK(pkt == pair.rx && pair_qp_of(qp) == pair.in);
	if (pair.no_memory) {
		pair.no_memory--;
		return NULL;
	}
	frame->refs++;
	pair.nr_kept++;
	return frame;
}

bool tuff_world_pkt_kept(struct tuff_qp *qp, void *buf, struct tuff_pkt *pkt)
{
	CHECK(pair.rx && !pair.rx_behind);
	CHECK(pair_parse(buf, pkt));
	pair.rx_behind = pair.rx;
	pair.rx = pkt;
	return true;
}

void tuff_world_pkt_free(struct tuff_qp *qp, void *buf)
{
	CHECK(pair.nr_kept);
	pair.nr_kept--;
	if (pair.rx_behind)
		pair.rx = pair.rx_behind;
	pair.rx_behind = NULL;
	sim_frame_put(buf);
}

int tuff_world_pkt_write(struct tuff_mr *mr, u64 va, const struct tuff_pkt *pkt,
			 u32 off, u32 len)
{
	const struct sim_frame *frame = pkt->buf;

	CHECK(pkt == pair.rx);
	CHECK(off <= pkt->len && len <= pkt->len - off);
	return tuff_world_mem_write(mr, va, frame->data +
				    sim_frame_bth_off(frame) + pkt->off + off,
				    len);
}

void tuff_world_pkt_grh(const struct tuff_pkt *pkt, u8 grh[40])
{
	memset(grh, 0x60, 40);
}

int tuff_world_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add,
			 u64 compare, u64 swap_add, u64 *orig)
{
	u8 *at = pair_bytes(mr, va, sizeof(*orig));
	u64 value;

	CHECK(!(va & 7));
	if (!at)
		return -EFAULT;
	pair_check_write(mr, va, sizeof(*orig));
	memcpy(orig, at, sizeof(*orig));
	value = fetch_add ? *orig + swap_add :
		*orig == compare ? swap_add : *orig;
	memcpy(at, &value, sizeof(value));
	return 0;
}

int tuff_world_mr_copy(struct tuff_mr *to, u64 to_va, struct tuff_mr *from,
		       u64 from_va, u32 len)
{
	u8 *dst = pair_bytes(to, to_va, len);
	u8 *src = pair_bytes(from, from_va, len);

	if (!dst || !src)
		return -EFAULT;
	pair_check_write(to, to_va, len);
	memmove(dst, src, len);
	return 0;
}

/* Address vectors */

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num)
{
	if (!ah_num || ah_num > PAIR_AVS)
		return NULL;
	pair.av[ah_num - 1].refs++;
	return &pair.av[ah_num - 1];
}

void tuff_world_av_put(struct tuff_av *av)
{
	CHECK(av && av->refs > 0);
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

/* Loopback */

bool tuff_world_loop(struct tuff_qp *qp)
{
	return pair.loop;
}

static struct tuff_qp *pair_loop_enter(struct pair_qp *p, struct pair_qp *peer)
{
	CHECK(p == pair.in);
	if (pair.busy || p == peer)
		return NULL;
	pair.in = peer;
	return &peer->qp;
}

/* Its answers, if there are any, leave with the run that follows. */
static void pair_loop_leave(struct pair_qp *p)
{
	CHECK(p != pair.in);
	pair_check_qp(pair.in);
	pair.in->raised = true;
	pair.in = p;
}

struct tuff_qp *tuff_world_loop_enter(struct tuff_qp *qp,
				      struct tuff_swqe *wqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	wqe->loop_from = p;
	return pair_loop_enter(p, p->peer);
}

void tuff_world_loop_leave(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	pair_loop_leave(pair_qp_of(qp));
}

struct tuff_qp *tuff_world_ud_enter(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	u32 i;

	for (i = 0; pair.loop && i < PAIR_QPS; i++)
		if (pair.qp[i].qp.qpn == wqe->dqpn)
			return pair_loop_enter(pair_qp_of(qp), &pair.qp[i]);
	return NULL;
}

void tuff_world_ud_leave(struct tuff_qp *qp, struct tuff_swqe *wqe, bool done)
{
	pair_loop_leave(pair_qp_of(qp));
}

void tuff_world_ud_grh(struct tuff_qp *peer, const struct tuff_av *av, u32 len,
		       u8 grh[40])
{
	CHECK(pair_qp_of(peer) == pair.in);
	memset(grh, len, 40);
}

bool tuff_world_loop_give(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct pair_qp *p = pair_qp_of(qp);

	CHECK(p == pair.in);
	if (p->peer->qp.state == TUFF_QPS_RESET)
		return false;
	wqe->loop_from = p;
	list_add_tail(&wqe->loop_node, &p->peer->loop_in);
	p->peer->raised = true;
	return true;
}

struct tuff_swqe *tuff_world_loop_peek(struct tuff_qp *qp)
{
	return list_first_entry_or_null(&pair_qp_of(qp)->loop_in,
					struct tuff_swqe, loop_node);
}

bool tuff_world_loop_from_peer(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	return wqe->loop_from == pair_qp_of(qp)->peer;
}

void tuff_world_loop_return(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	struct pair_qp *from = wqe->loop_from;

	CHECK(pair_qp_of(qp) == pair.in);
	CHECK(wqe == tuff_world_loop_peek(qp));
	list_del(&wqe->loop_node);
	list_add_tail(&wqe->loop_node, &from->loop_out);
	from->raised = true;
}

struct tuff_swqe *tuff_world_loop_back(struct tuff_qp *qp)
{
	struct tuff_swqe *wqe;

	CHECK(pair_qp_of(qp) == pair.in);
	wqe = list_first_entry_or_null(&pair_qp_of(qp)->loop_out,
				       struct tuff_swqe, loop_node);
	if (wqe)
		list_del(&wqe->loop_node);
	return wqe;
}

/* Transmit */

/* A packet that finds the air full is lost. */
void pair_launch(struct sim_frame *frame)
{
	if (pair.nr_air == PAIR_AIR)
		sim_frame_put(frame);
	else
		pair.air[pair.nr_air++] = frame;
}

struct sim_frame *pair_land(u32 idx)
{
	struct sim_frame *frame = pair.air[idx];

	pair.nr_air--;
	memmove(pair.air + idx, pair.air + idx + 1,
		(pair.nr_air - idx) * sizeof(pair.air[0]));
	return frame;
}

void pair_air_clear(void)
{
	while (pair.nr_air)
		sim_frame_put(pair_land(0));
}

/* The bytes of a packet; false when one of its regions went away. */
static bool pair_gather(const struct tuff_payload *pl, u8 *to)
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
		from = pair_bytes(sge->mr, sge->addr + off, n);
		if (!from)
			return false;
		memcpy(to, from, n);
		to += n;
		left -= n;
		off = 0;
	}
	CHECK(!left);
	return true;
}

int tuff_world_tx(struct tuff_qp *qp, struct tuff_av *av,
		  const struct tuff_hdr *hdr, const struct tuff_payload *pl)
{
	u8 payload[4096];

	CHECK(pair_qp_of(qp) == pair.in && av);
	CHECK(qp->state >= TUFF_QPS_RTR && qp->state != TUFF_QPS_ERR);
	CHECK(!pl || (pl->len && pl->len <= tuff_qp_mtu(qp)));
	CHECK(((pl ? pl->len : 0) + hdr->pad) % 4 == 0);
	CHECK(hdr->psn <= TUFF_PSN_MASK && hdr->dqpn <= TUFF_QPN_MASK);
	if (pair.tx_left) {
		pair.tx_left--;
		if (pair.tx_ret != -EFAULT || pl)
			return pair.tx_ret;
	}
	if (pl && !pair_gather(pl, payload))
		return -EFAULT;
	pair_launch(sim_frame_build(&av->path, pair.ip_id++, hdr, payload,
				    pl ? pl->len : 0));
	return 0;
}

void tuff_world_tx_flush(struct tuff_qp *qp)
{
}

/* Counters */

void tuff_world_count(struct tuff_qp *qp, enum tuff_counter counter)
{
	CHECK(counter < TUFF_NR_COUNTERS);
}

void tuff_world_drop(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		     enum tuff_counter reason)
{
	CHECK(pkt == pair.rx && reason < TUFF_NR_COUNTERS);
	pair.drops++;
}
