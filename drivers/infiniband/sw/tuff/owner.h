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

/* What becomes of the packets of a turn. */
enum tuff_owner_state {
	TUFF_OWNER_QUEUES,	/* somebody else is the owner: they wait */
	TUFF_OWNER_OWNS,	/* handled at once */
	TUFF_OWNER_DROPS,	/* the QP is dead */
};

/**
 * struct tuff_owner_turn - packets for one QP that came together
 * @vqp: the QP, with a reference, or NULL between turns
 * @state: what becomes of them
 * @handled: how many were
 */
struct tuff_owner_turn {
	struct tuff_vqp *vqp;
	enum tuff_owner_state state;
	u32 handled;
};

void tuff_owner_turn_begin(struct tuff_owner_turn *turn, struct tuff_vqp *vqp);
void tuff_owner_receive(struct tuff_owner_turn *turn, struct sk_buff *skb,
			const struct tuff_pkt *pkt);
void tuff_owner_turn_end(struct tuff_owner_turn *turn);

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
