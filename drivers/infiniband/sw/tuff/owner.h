/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: who runs a queue pair: ownership, backlog, softirq */
#ifndef _TUFF_OWNER_H
#define _TUFF_OWNER_H

#include "tuff.h"

struct sk_buff;

int tuff_owner_init(void);
void tuff_owner_exit(void);

/*
 * Of a new QP, before anybody can find it: lock, backlog, list node, flags,
 * timer. And its end, in tuff_destroy_qp() and failed creation alike, may
 * sleep: marks it DEAD, so that runs do nothing, stops the timer, empties the
 * backlog. Afterwards only references are left of it, no work.
 */
void tuff_owner_setup(struct tuff_vqp *vqp);
void tuff_owner_stop(struct tuff_vqp *vqp);

/*
 * A packet for @vqp (control block filled by wire/rx.c), and what was read of
 * its headers. Softirq. Takes @skb; @pkt is the caller's. The caller has a
 * reference on @vqp.
 */
void tuff_owner_receive(struct tuff_vqp *vqp, struct sk_buff *skb,
			const struct tuff_pkt *pkt);

/*
 * Something was posted. Any context. Runs the QP here and now when nobody
 * else does and interrupts are on; else raises.
 */
void tuff_owner_kick(struct tuff_vqp *vqp);

/* Have the QP run in softirq soon. Any context, takes no QP lock. */
void tuff_owner_raise(struct tuff_vqp *vqp);

/* Own the QP from process context (modify, query, destroy); no sleeping. */
void tuff_owner_lock(struct tuff_vqp *vqp);
void tuff_owner_unlock(struct tuff_vqp *vqp);

/* In the run of another QP: own the peer's too, if it is free. Never waits. */
bool __must_check tuff_owner_enter(struct tuff_vqp *vqp);
void tuff_owner_leave(struct tuff_vqp *vqp);

#endif /* _TUFF_OWNER_H */
