/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: who runs a queue pair: ownership, backlog, softirq */
#ifndef _TUFF_OWNER_H
#define _TUFF_OWNER_H

#include "tuff.h"

struct sk_buff;

int tuff_owner_init(void);
void tuff_owner_exit(void);

/* A packet for @vqp (control block filled by wire/rx.c). Softirq. Takes @skb. */
void tuff_owner_receive(struct tuff_vqp *vqp, struct sk_buff *skb);

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

#endif /* _TUFF_OWNER_H */
