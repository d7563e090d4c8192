// SPDX-License-Identifier: GPL-2.0
/* tuff: a tiny world for unit tests of the engine, which remembers all */
#include "world_kunit.h"

#include <kunit/test.h>
#include <linux/crc32.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "engine/world.h"

struct tuff_kunit_world tuff_kunit_world;

/* A suite's .init. */
int tuff_kunit_world_init(struct kunit *test)
{
	memset(&tuff_kunit_world, 0, sizeof(tuff_kunit_world));
	tuff_kunit_world.now = 1;
	tuff_kunit_world.drop = TUFF_CNT_NONE;
	return 0;
}

/* Clear the logs; what exists and what is posted stays. */
void tuff_kunit_forget(void)
{
	tuff_kunit_world.nr_txs = 0;
	tuff_kunit_world.nr_cqes = 0;
	tuff_kunit_world.nr_events = 0;
	tuff_kunit_world.raised = false;
	tuff_kunit_world.drop = TUFF_CNT_NONE;
	memset(tuff_kunit_world.counts, 0, sizeof(tuff_kunit_world.counts));
}

/* A suite's .exit: nothing may be left of any case. */
void tuff_kunit_world_check(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, tuff_kunit_refs(), 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.bad_puts, 0);
	KUNIT_EXPECT_EQ(test, tuff_kunit_world.nr_kept, 0);
}

struct tuff_mr *tuff_kunit_mr_add(u32 key, u64 va, u64 len, u32 access)
{
	struct tuff_mr *mr;

	if (tuff_kunit_world.nr_mrs == TUFF_KUNIT_MRS)
		return NULL;
	mr = &tuff_kunit_world.mrs[tuff_kunit_world.nr_mrs++];
	mr->key = key;
	mr->va = va;
	mr->len = len;
	mr->access = access;
	return mr;
}

struct tuff_av *tuff_kunit_av_add(u32 num)
{
	struct tuff_av *av;

	if (tuff_kunit_world.nr_avs == TUFF_KUNIT_AVS)
		return NULL;
	av = &tuff_kunit_world.avs[tuff_kunit_world.nr_avs++];
	av->num = num;
	return av;
}

int tuff_kunit_refs(void)
{
	int refs = 0;
	u32 i;

	for (i = 0; i < tuff_kunit_world.nr_mrs; i++)
		refs += tuff_kunit_world.mrs[i].refs;
	for (i = 0; i < tuff_kunit_world.nr_avs; i++)
		refs += tuff_kunit_world.avs[i].refs;
	return refs;
}

static bool mr_allows(const struct tuff_mr *mr, u64 va, u32 len, u32 access)
{
	if (va < mr->va || va - mr->va > mr->len)
		return false;
	if (len > mr->len - (va - mr->va))
		return false;
	return !(access & ~mr->access);
}

u64 tuff_world_now(struct tuff_qp *qp)
{
	return tuff_kunit_world.now;
}

void tuff_world_timer(struct tuff_qp *qp, u64 when_ns)
{
	tuff_kunit_world.timer_at = when_ns;
}

void tuff_world_raise(struct tuff_qp *qp)
{
	tuff_kunit_world.raised = true;
}

struct tuff_swqe *tuff_world_next_swqe(struct tuff_qp *qp)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_swqe *wqe = w->swqes[0];

	if (!w->nr_swqes)
		return NULL;
	w->nr_swqes--;
	memmove(w->swqes, w->swqes + 1, w->nr_swqes * sizeof(w->swqes[0]));
	return wqe;
}

bool tuff_world_sq_posted(struct tuff_qp *qp)
{
	return tuff_kunit_world.nr_swqes;
}

void tuff_world_swqe_done(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	tuff_swqe_release(qp, wqe);
}

struct tuff_rwqe *tuff_world_next_rwqe(struct tuff_qp *qp)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_rwqe *wqe = w->rwqes[0];

	if (!w->nr_rwqes)
		return NULL;
	w->nr_rwqes--;
	memmove(w->rwqes, w->rwqes + 1, w->nr_rwqes * sizeof(w->rwqes[0]));
	return wqe;
}

void tuff_world_rwqe_done(struct tuff_qp *qp, struct tuff_rwqe *wqe)
{
	tuff_rwqe_release(qp, wqe);
}

static void log_cqe(const struct tuff_cqe *cqe, bool recv)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;

	if (w->nr_cqes < TUFF_KUNIT_LOG) {
		w->cqes[w->nr_cqes].cqe = *cqe;
		w->cqes[w->nr_cqes].recv = recv;
	}
	w->nr_cqes++;
}

void tuff_world_cqe_send(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	log_cqe(cqe, false);
}

void tuff_world_cqe_recv(struct tuff_qp *qp, const struct tuff_cqe *cqe)
{
	log_cqe(cqe, true);
}

void tuff_world_event(struct tuff_qp *qp, enum tuff_event event)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;

	if (w->nr_events < TUFF_KUNIT_LOG)
		w->events[w->nr_events] = event;
	w->nr_events++;
}

void tuff_world_state(struct tuff_qp *qp, u8 state)
{
}

struct tuff_mr *tuff_world_rkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	return tuff_world_lkey_get(qp, key, va, len, access);
}

static u8 *mr_bytes(struct tuff_mr *mr, u64 va, u32 len)
{
	if (!mr->bytes || !mr_allows(mr, va, len, 0))
		return NULL;
	return mr->bytes + (va - mr->va);
}

int tuff_world_mem_write(struct tuff_mr *mr, u64 va, const void *src, u32 len)
{
	u8 *to = mr_bytes(mr, va, len);

	if (!to)
		return -EFAULT;
	memcpy(to, src, len);
	return 0;
}

int tuff_world_pkt_write(struct tuff_mr *mr, u64 va,
			 const struct tuff_pkt *pkt, u32 off, u32 len)
{
	if (off > pkt->len || len > pkt->len - off) {
		tuff_kunit_world.bad_puts++;
		return -EFAULT;
	}
	return tuff_world_mem_write(mr, va, (u8 *)pkt->buf + pkt->off + off,
				    len);
}

enum tuff_early_mode tuff_world_early(struct tuff_qp *qp)
{
	return tuff_kunit_world.early;
}

struct tuff_early_slot *tuff_world_early_slots(struct tuff_qp *qp)
{
	if (tuff_kunit_world.no_memory)
		return NULL;
	return kcalloc(TUFF_EARLY_SLOTS, sizeof(struct tuff_early_slot),
		       GFP_KERNEL);
}

void tuff_world_early_free(struct tuff_qp *qp, struct tuff_early_slot *slots)
{
	kfree(slots);
}

/* A copy: the packets of these tests live on their stacks. */
void *tuff_world_pkt_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	u32 len = pkt->buf ? pkt->off + pkt->len : 0;
	struct tuff_pkt *kept;

	if (tuff_kunit_world.no_memory)
		return NULL;
	kept = kmalloc(sizeof(*kept) + len, GFP_KERNEL);
	if (!kept)
		return NULL;
	*kept = *pkt;
	memcpy(kept + 1, pkt->buf, len);
	tuff_kunit_world.nr_kept++;
	return kept;
}

bool tuff_world_pkt_kept(struct tuff_qp *qp, void *buf, struct tuff_pkt *pkt)
{
	*pkt = *(struct tuff_pkt *)buf;
	pkt->buf = (struct tuff_pkt *)buf + 1;
	return true;
}

void tuff_world_pkt_free(struct tuff_qp *qp, void *buf)
{
	tuff_kunit_world.nr_kept--;
	kfree(buf);
}

void tuff_world_pkt_grh(const struct tuff_pkt *pkt, u8 grh[40])
{
	memset(grh, 0x60, 40);
}

int tuff_world_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add,
			 u64 compare, u64 swap_add, u64 *orig)
{
	u8 *at = mr_bytes(mr, va, sizeof(*orig));
	u64 value;

	if (!at)
		return -EFAULT;
	memcpy(orig, at, sizeof(*orig));
	if (fetch_add)
		value = *orig + swap_add;
	else
		value = *orig == compare ? swap_add : *orig;
	memcpy(at, &value, sizeof(value));
	return 0;
}

bool tuff_world_pkt_from_peer(struct tuff_qp *qp, const struct tuff_pkt *pkt)
{
	return !tuff_kunit_world.foreign;
}

u16 tuff_world_pkey(struct tuff_qp *qp, u32 index)
{
	return index ? 0 : TUFF_PKEY_DEFAULT;
}

int tuff_world_tx(struct tuff_qp *qp, struct tuff_av *av,
		  const struct tuff_hdr *hdr, const struct tuff_payload *pl)
{
	struct tuff_kunit_world *w = &tuff_kunit_world;
	struct tuff_kunit_tx *tx;

	if (w->tx_ret)
		return w->tx_ret;
	if (w->nr_txs < TUFF_KUNIT_LOG) {
		tx = &w->txs[w->nr_txs];
		tx->hdr = *hdr;
		tx->off = pl ? pl->off : 0;
		tx->len = pl ? pl->len : 0;
	}
	w->nr_txs++;
	return 0;
}

/* No peer is on this host; tools/sim has those. */

bool tuff_world_loop(struct tuff_qp *qp)
{
	return false;
}

struct tuff_qp *tuff_world_loop_enter(struct tuff_qp *qp,
				      struct tuff_swqe *wqe)
{
	return NULL;
}

void tuff_world_loop_leave(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
}

bool tuff_world_loop_give(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	return false;
}

struct tuff_qp *tuff_world_ud_enter(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	return NULL;
}

void tuff_world_ud_leave(struct tuff_qp *qp, struct tuff_swqe *wqe, bool done)
{
}

void tuff_world_ud_grh(struct tuff_qp *peer, const struct tuff_av *av, u32 len,
		       u8 grh[40])
{
}

struct tuff_swqe *tuff_world_loop_peek(struct tuff_qp *qp)
{
	return tuff_kunit_world.lent;
}

bool tuff_world_loop_from_peer(struct tuff_qp *qp, const struct tuff_swqe *wqe)
{
	return false;
}

void tuff_world_loop_return(struct tuff_qp *qp, struct tuff_swqe *wqe)
{
	tuff_kunit_world.lent = NULL;
}

struct tuff_swqe *tuff_world_loop_back(struct tuff_qp *qp)
{
	return NULL;
}

int tuff_world_mr_copy(struct tuff_mr *to, u64 to_va, struct tuff_mr *from,
		       u64 from_va, u32 len)
{
	return -EFAULT;
}

void tuff_world_tx_flush(struct tuff_qp *qp)
{
}

void tuff_world_count(struct tuff_qp *qp, enum tuff_counter counter)
{
	tuff_kunit_world.counts[counter]++;
}

void tuff_world_drop(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		     enum tuff_counter reason)
{
	tuff_kunit_world.drop = reason;
	tuff_world_count(qp, reason);
}

struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access)
{
	struct tuff_mr *mr;
	u32 i;

	tuff_kunit_world.nr_key_gets++;
	for (i = 0; i < tuff_kunit_world.nr_mrs; i++) {
		mr = &tuff_kunit_world.mrs[i];
		if (mr->key == key && mr_allows(mr, va, len, access)) {
			mr->refs++;
			return mr;
		}
	}
	return NULL;
}

void tuff_world_mr_put(struct tuff_mr *mr)
{
	if (!mr || mr->refs <= 0)
		tuff_kunit_world.bad_puts++;
	else
		mr->refs--;
}

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num)
{
	u32 i;

	tuff_kunit_world.nr_ah_gets++;
	for (i = 0; i < tuff_kunit_world.nr_avs; i++)
		if (tuff_kunit_world.avs[i].num == ah_num) {
			tuff_kunit_world.avs[i].refs++;
			return &tuff_kunit_world.avs[i];
		}
	return NULL;
}

void tuff_world_av_put(struct tuff_av *av)
{
	if (!av || av->refs <= 0)
		tuff_kunit_world.bad_puts++;
	else
		av->refs--;
}

u32 tuff_world_crc32(u32 crc, const void *data, size_t len)
{
	return crc32_le(crc, data, len);
}

MODULE_LICENSE("GPL");
MODULE_DESCRIPTION("tuff: unit tests of the engine");
