/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: all that the engine needs from outside
 *
 * Implemented by world.c and its rooms in the module and by tools/sim on the
 * host. All functions are called by the owner of @qp, with BHs off; none may
 * sleep, none calls back into the engine.
 */
#ifndef _TUFF_ENGINE_WORLD_H
#define _TUFF_ENGINE_WORLD_H

#include <linux/types.h>

#include "engine/drop.h"
#include "engine/qp.h"
#include "engine/types.h"

/* Time */

/* Monotonic nanoseconds, never 0. */
u64 tuff_world_now(struct tuff_qp *qp);

/*
 * Have tuff_qp_timeout() called at @when_ns or soon after, instead of when it
 * was set before. Sets it also when it is already past. @when_ns 0: cancel
 * (a late call is harmless: the engine looks at its deadlines).
 */
void tuff_world_timer(struct tuff_qp *qp, u64 when_ns);

/* Have tuff_qp_run() called again. */
void tuff_world_raise(struct tuff_qp *qp);

/*
 * CRC-32 (reflected Ethernet polynomial) of @len more bytes, without initial
 * or final complement, as crc32_le() computes it.
 */
u32 tuff_world_crc32(u32 crc, const void *data, size_t len);

/* Work requests */

/*
 * The next posted send request, as a record with its references taken, or
 * NULL when nothing is posted, or ERR_PTR(-ENOMEM) (ask again later). Not
 * called while nr_sq == max_send_wr.
 */
struct tuff_swqe *tuff_world_next_swqe(struct tuff_qp *qp);

/* True when tuff_world_next_swqe() would find a request. */
bool tuff_world_sq_posted(struct tuff_qp *qp);

/* @wqe has left the send queue: give its slot back, release the record. */
void tuff_world_swqe_done(struct tuff_qp *qp, struct tuff_swqe *wqe);

/*
 * The next posted receive request (of the RQ or the SRQ), or NULL. One at a
 * time: tuff_world_rwqe_done() comes before the next.
 */
struct tuff_rwqe *tuff_world_next_rwqe(struct tuff_qp *qp);

void tuff_world_rwqe_done(struct tuff_qp *qp, struct tuff_rwqe *wqe);

/* Completions and events */

/* Report a completion on the send or the receive CQ. */
void tuff_world_cqe_send(struct tuff_qp *qp, const struct tuff_cqe *cqe);
void tuff_world_cqe_recv(struct tuff_qp *qp, const struct tuff_cqe *cqe);

void tuff_world_event(struct tuff_qp *qp, enum tuff_event event);

/* The state of @qp is about to change to @state (a tracepoint). */
void tuff_world_state(struct tuff_qp *qp, u8 state);

/* Memory */

/*
 * Find the region of local or remote key @key in the QP's protection domain
 * and check that [@va, @va + @len) lies in it, without wrapping, and that it
 * allows @access (0: local read). @len > 0. Returns a reference, or NULL.
 * The reference keeps the record, not the memory: a region deregistered
 * meanwhile makes the accesses below fail.
 */
struct tuff_mr *tuff_world_lkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access);
struct tuff_mr *tuff_world_rkey_get(struct tuff_qp *qp, u32 key, u64 va,
				    u32 len, u32 access);
void tuff_world_mr_put(struct tuff_mr *mr);

/*
 * Copy @len bytes of @pkt's payload, from its byte @off, or of @src, to @va.
 * Return 0, or -EFAULT when the region went away (nothing, or a part, was
 * written; never outside the region).
 */
int tuff_world_pkt_write(struct tuff_mr *mr, u64 va,
			 const struct tuff_pkt *pkt, u32 off, u32 len);
int tuff_world_mem_write(struct tuff_mr *mr, u64 va, const void *src, u32 len);

/*
 * UD: the 40 bytes that precede the payload in a receive buffer: the IPv6
 * header, or 20 zero bytes and the IPv4 header (IBA A17.4.5.2).
 */
void tuff_world_pkt_grh(const struct tuff_pkt *pkt, u8 grh[40]);

/*
 * The 8 bytes at @va, 8-byte aligned: compare with @compare and swap, or add,
 * as one atomic access of this device; the old value goes to @orig.
 */
int tuff_world_mr_atomic(struct tuff_mr *mr, u64 va, bool fetch_add,
			 u64 compare, u64 swap_add, u64 *orig);

/* Packets that have to wait */

/* Whose are kept? */
enum tuff_early_mode tuff_world_early(struct tuff_qp *qp);

/* %TUFF_EARLY_SLOTS empty slots, or NULL when there is no memory. */
struct tuff_early_slot *tuff_world_early_slots(struct tuff_qp *qp);
void tuff_world_early_free(struct tuff_qp *qp, struct tuff_early_slot *slots);

/*
 * Keep the bytes of @pkt, which the caller looks at just now, beyond its call:
 * a handle until tuff_world_pkt_free(), or NULL when there is no room. With it
 * tuff_world_pkt_kept() fills a struct tuff_pkt anew, as it was; false: it
 * must be dropped.
 */
void *tuff_world_pkt_keep(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_world_pkt_kept(struct tuff_qp *qp, void *buf, struct tuff_pkt *pkt);
void tuff_world_pkt_free(struct tuff_qp *qp, void *buf);

/* Address vectors */

struct tuff_av *tuff_world_ah_get(struct tuff_qp *qp, u32 ah_num);
void tuff_world_av_put(struct tuff_av *av);

/* True when @pkt came from the peer of connected @qp: its addresses match. */
bool tuff_world_pkt_from_peer(struct tuff_qp *qp, const struct tuff_pkt *pkt);

/* P_Key at @index of the port, or 0. */
u16 tuff_world_pkey(struct tuff_qp *qp, u32 index);

/* Loopback: the peer's QP is on this host, and takes requests themselves */

/* May requests of connected @qp go to its peer's QP? Cheap, asked often. */
bool tuff_world_loop(struct tuff_qp *qp);

/*
 * Become the owner of the peer's QP as well, to carry @wqe out in this run:
 * never waits, NULL when the peer is not free or not there. Until
 * tuff_world_loop_leave(), which wants @wqe with its answer.
 */
struct tuff_qp *tuff_world_loop_enter(struct tuff_qp *qp,
				      struct tuff_swqe *wqe);
void tuff_world_loop_leave(struct tuff_qp *qp, struct tuff_swqe *wqe);

/*
 * Lend @wqe to the peer's QP and have that run; false when it is not there.
 * The record and its memory references stay as they are until it comes back.
 */
bool tuff_world_loop_give(struct tuff_qp *qp, struct tuff_swqe *wqe);

/* The oldest request lent to @qp, or NULL. It stays until it is returned. */
struct tuff_swqe *tuff_world_loop_peek(struct tuff_qp *qp);

/*
 * Did @wqe come from the peer of @qp: are both of the same type, and do the
 * addresses match?
 */
bool tuff_world_loop_from_peer(struct tuff_qp *qp, const struct tuff_swqe *wqe);

/* Give @wqe, the oldest lent, back to where it came from, and have that run. */
void tuff_world_loop_return(struct tuff_qp *qp, struct tuff_swqe *wqe);

/* The oldest request of @qp that came back, taken off, or NULL. */
struct tuff_swqe *tuff_world_loop_back(struct tuff_qp *qp);

/*
 * UD: as tuff_world_loop_enter() and leave, for the QP that the datagram @wqe
 * goes to; @done tells whether it was delivered. In between, the 40 bytes that
 * its packet would have brought along, see tuff_world_pkt_grh(), with @len
 * bytes from the BTH to the end of the ICRC.
 */
struct tuff_qp *tuff_world_ud_enter(struct tuff_qp *qp, struct tuff_swqe *wqe);
void tuff_world_ud_leave(struct tuff_qp *qp, struct tuff_swqe *wqe, bool done);
void tuff_world_ud_grh(struct tuff_qp *peer, const struct tuff_av *av, u32 len,
		       u8 grh[40]);

/*
 * Copy @len bytes from region to region. Return 0, or -EFAULT when one of
 * them went away (nothing, or a part, was written).
 */
int tuff_world_mr_copy(struct tuff_mr *to, u64 to_va, struct tuff_mr *from,
		       u64 from_va, u32 len);

/* Transmit */

/*
 * Build and send one packet along @av: headers from @hdr (PadCnt, P_Key and
 * the like are filled by the engine), payload from @pl (NULL: none), pad and
 * ICRC added. The packet may wait in a batch until tuff_world_tx_flush().
 * Return 0 (sent, or lost as the network may lose it), -EAGAIN (no room or
 * memory: the same packet must be offered again later; a raise or the TX
 * timer brings the run) or -EFAULT (the payload's region went away).
 */
int tuff_world_tx(struct tuff_qp *qp, struct tuff_av *av,
		  const struct tuff_hdr *hdr, const struct tuff_payload *pl);

/* End of a run: send what waits. */
void tuff_world_tx_flush(struct tuff_qp *qp);

/* Counters */

void tuff_world_count(struct tuff_qp *qp, enum tuff_counter counter);

/* @pkt ends here, for @reason (a counter and a tracepoint). */
void tuff_world_drop(struct tuff_qp *qp, const struct tuff_pkt *pkt,
		     enum tuff_counter reason);

#endif /* _TUFF_ENGINE_WORLD_H */
