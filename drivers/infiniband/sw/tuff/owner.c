// SPDX-License-Identifier: GPL-2.0
/* tuff: who runs a queue pair: ownership, backlog, softirq */
#include "owner.h"

#include <linux/bottom_half.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/skbuff.h>
#include <trace/events/tuff.h>

#include "engine/qp.h"
#include "engine/types.h"
#include "verbs/dev.h"
#include "verbs/qp.h"
#include "wire/wire.h"

/*
 * The owner of a QP is who holds vqp->lock. Only the owner touches vqp->qp,
 * and only the functions of this file become the owner. Who brings work
 * (a packet, a doorbell, a timer) leaves a note first - the packet in the
 * backlog, a bit in vqp->flags - and then tries to get the lock. When that
 * fails, somebody else is the owner, and will look at the notes after it has
 * given the lock back. So a note is never left behind:
 *
 *	who brings work			the owner
 *	leave the note			give the lock back
 *	full barrier (A)		full barrier (B)
 *	try to get the lock		look for notes
 *
 * If the attempt fails because the owner still held the lock, then the note
 * was left before the owner gave it back, as (A) and (B) order it, and the
 * owner sees it. Whoever looks for notes and finds one tries again, or raises.
 */

#define TUFF_OWNER_BUDGET	64	/* packets in, and out, of one run */
#define TUFF_OWNER_BACKLOG	1024	/* packets that may wait for one QP */
#define TUFF_OWNER_ROUNDS	4	/* runs before others get the CPU */
#define TUFF_OWNER_BATCH	16	/* QPs of one softirq run */
#define TUFF_OWNER_BULK		8	/* packets in that are hardly the last */

/* Notes, but for the backlog. */
#define TUFF_OWNER_NOTES						\
	(BIT(TUFF_VQP_DOORBELL) | BIT(TUFF_VQP_TIMER) |			\
	 BIT(TUFF_VQP_CQ_BROKEN))

/**
 * struct tuff_owner_cpu - QPs that are to run on a CPU
 * @lock: guards @list. Any context; only taken by this CPU, but for a CPU that
 *	inherits the tasklet of one that went offline
 * @list: &tuff_vqp.sched, each with a reference
 * @tasklet: runs them
 * @running: this CPU owns a QP just now, and must not become the owner of
 *	another but by tuff_owner_enter(): a packet that is delivered
 *	below our own transmit must not recurse. Changed with BHs off
 */
struct tuff_owner_cpu {
	spinlock_t lock;	/* @list */
	struct list_head list;
	struct tasklet_struct tasklet;
	bool running;
};

static DEFINE_PER_CPU(struct tuff_owner_cpu, tuff_owner_cpus);

static bool tuff_owner_has_notes(struct tuff_vqp *vqp)
{
	return READ_ONCE(vqp->flags) & TUFF_OWNER_NOTES ||
	       !skb_queue_empty_lockless(&vqp->backlog);
}

static void tuff_owner_drop(struct tuff_vqp *vqp, struct sk_buff *skb,
			    enum tuff_counter reason)
{
	tuff_dev_count(vqp->dev, reason);
	trace_tuff_drop(vqp->dev, vqp->qp.qpn, NULL, reason);
	kfree_skb(skb);
}

static void tuff_owner_purge(struct tuff_vqp *vqp)
{
	struct sk_buff *skb;

	while ((skb = skb_dequeue(&vqp->backlog)))
		tuff_owner_drop(vqp, skb, TUFF_CNT_DROP_QP_STATE);
}

static void tuff_owner_handle(struct tuff_vqp *vqp, struct sk_buff *skb,
			      const struct tuff_pkt *pkt)
	__must_hold(&vqp->lock)
{
	tuff_qp_receive(&vqp->qp, pkt);
	/* To where transmit takes sk_buffs from, see wire/frame.c. */
	napi_consume_skb(skb, 1);
}

/* Packets that waited, oldest first. Returns how many were handled. */
static int tuff_owner_drain(struct tuff_vqp *vqp, int budget)
	__must_hold(&vqp->lock)
{
	struct tuff_pkt pkt;
	struct sk_buff *skb;
	int n = 0;

	while (n < budget && (skb = skb_dequeue(&vqp->backlog))) {
		n++;
		if (tuff_rx_parse(&pkt, skb))
			tuff_owner_handle(vqp, skb, &pkt);
		else
			tuff_owner_drop(vqp, skb, TUFF_CNT_DROP_LENGTH);
	}

	return n;
}

/* A run begins: what waited comes in. False: the QP is dead. */
static bool tuff_owner_begin(struct tuff_vqp *vqp)
	__must_hold(&vqp->lock)
{
	lockdep_assert_held(&vqp->lock);

	if (test_bit(TUFF_VQP_GATHERS, &vqp->flags))
		clear_bit(TUFF_VQP_GATHERS, &vqp->flags);
	clear_bit(TUFF_VQP_DOORBELL, &vqp->flags);
	/* What is posted after this is read below, or rings again. */
	smp_mb__after_atomic();
	if (test_bit(TUFF_VQP_DEAD, &vqp->flags)) {
		clear_bit(TUFF_VQP_TIMER, &vqp->flags);
		clear_bit(TUFF_VQP_CQ_BROKEN, &vqp->flags);
		tuff_owner_purge(vqp);
		return false;
	}
	if (!skb_queue_empty_lockless(&vqp->backlog))
		tuff_owner_drain(vqp, TUFF_OWNER_BUDGET);

	return true;
}

/*
 * The rest of a run: what is late, then what goes out, which ends with the
 * acknowledgements of all that came in and the batch on its way. True: there
 * is more to do.
 */
static bool tuff_owner_finish(struct tuff_vqp *vqp)
	__must_hold(&vqp->lock)
{
	if (test_and_clear_bit(TUFF_VQP_TIMER, &vqp->flags))
		tuff_qp_timeout(&vqp->qp);
	if (test_and_clear_bit(TUFF_VQP_CQ_BROKEN, &vqp->flags))
		tuff_qp_error(&vqp->qp);

	return tuff_qp_run(&vqp->qp, TUFF_OWNER_BUDGET);
}

/* One bounded run. True: there is more to do. */
static bool tuff_owner_work(struct tuff_vqp *vqp)
	__must_hold(&vqp->lock)
{
	bool more = false;

	/* The route of a packet in the batch is held by RCU. */
	rcu_read_lock();
	if (tuff_owner_begin(vqp))
		more = tuff_owner_finish(vqp);
	rcu_read_unlock();

	return more;
}

/* The notes may be looked at afterwards. */
static void tuff_owner_release(struct tuff_vqp *vqp)
	__releases(&vqp->lock)
{
	__this_cpu_write(tuff_owner_cpus.running, false);
	spin_unlock(&vqp->lock);
	smp_mb();	/* (B) */
}

/*
 * Run a QP until there is nothing to do, within bounds. The caller left its
 * note, and barrier (A) behind it.
 */
static void tuff_owner_run(struct tuff_vqp *vqp)
{
	bool more;
	int i;

	lockdep_assert_in_softirq();

	for (i = 0; i < TUFF_OWNER_ROUNDS; i++) {
		if (__this_cpu_read(tuff_owner_cpus.running))
			break;	/* below another run: when that is over */
		if (!spin_trylock(&vqp->lock))
			return;
		__this_cpu_write(tuff_owner_cpus.running, true);
		more = tuff_owner_work(vqp);
		tuff_owner_release(vqp);
		if (more)
			break;
		if (!tuff_owner_has_notes(vqp))
			return;
	}
	tuff_owner_raise(vqp);
}

/* Let a packet wait for the owner. */
static void tuff_owner_queue(struct tuff_vqp *vqp, struct sk_buff *skb)
{
	if (skb_queue_len_lockless(&vqp->backlog) >= TUFF_OWNER_BACKLOG) {
		tuff_owner_drop(vqp, skb, TUFF_CNT_DROP_BACKLOG);
		return;
	}
	tuff_rx_detach(skb);
	skb_queue_tail(&vqp->backlog, skb);
	smp_mb();	/* (A) */
}

/**
 * tuff_owner_turn_begin() - packets for a QP are about to come
 * @turn: empty; filled in
 * @vqp: the QP; the caller's reference on it is taken
 *
 * Owns the QP when it is free and nothing came before, so that the packets
 * are handled as they are given, and one answer leaves for all of them.
 *
 * Context: softirq or BHs off, under RCU until tuff_owner_turn_end().
 */
void tuff_owner_turn_begin(struct tuff_owner_turn *turn, struct tuff_vqp *vqp)
{
	turn->vqp = vqp;
	turn->state = TUFF_OWNER_QUEUES;
	turn->handled = 0;
	if (!skb_queue_empty_lockless(&vqp->backlog) ||
	    __this_cpu_read(tuff_owner_cpus.running) ||
	    !spin_trylock(&vqp->lock))
		return;
	__this_cpu_write(tuff_owner_cpus.running, true);
	turn->state = tuff_owner_begin(vqp) ? TUFF_OWNER_OWNS :
					      TUFF_OWNER_DROPS;
	__release(&vqp->lock);	/* for sparse: the turn has it */
}

/**
 * tuff_owner_receive() - a packet for the QP of a turn
 * @turn: after tuff_owner_turn_begin()
 * @skb: the packet, as wire/rx.c leaves it; taken
 * @pkt: its headers; the caller's
 *
 * Context: softirq or BHs off, under RCU.
 */
void tuff_owner_receive(struct tuff_owner_turn *turn, struct sk_buff *skb,
			const struct tuff_pkt *pkt)
{
	switch (turn->state) {
	case TUFF_OWNER_OWNS:
		turn->handled++;
		tuff_owner_handle(turn->vqp, skb, pkt);
		break;
	case TUFF_OWNER_QUEUES:
		tuff_owner_queue(turn->vqp, skb);
		break;
	case TUFF_OWNER_DROPS:
		tuff_owner_drop(turn->vqp, skb, TUFF_CNT_DROP_QP_STATE);
		break;
	}
}

/**
 * tuff_owner_turn_end() - no more packets for the QP of a turn
 * @turn: empty or not; empty afterwards
 *
 * Many packets are a part of more as a rule, which wait behind them by now:
 * one answer leaves for all of these, in the softirq that follows.
 *
 * Context: softirq or BHs off, under RCU.
 */
void tuff_owner_turn_end(struct tuff_owner_turn *turn)
{
	struct tuff_vqp *vqp = turn->vqp;
	bool more = false;

	if (!vqp)
		return;
	turn->vqp = NULL;
	if (turn->state != TUFF_OWNER_QUEUES) {
		__acquire(&vqp->lock);	/* for sparse */
		if (turn->state == TUFF_OWNER_OWNS)
			more = turn->handled >= TUFF_OWNER_BULK ||
			       test_bit(TUFF_VQP_RAISED, &vqp->flags) ||
			       tuff_owner_finish(vqp);
		tuff_owner_release(vqp);
	}
	if (more)
		tuff_owner_raise(vqp);
	else if (tuff_owner_has_notes(vqp))
		tuff_owner_run(vqp);
	tuff_vqp_put(vqp);
}

/**
 * tuff_owner_kick() - something was posted, or changed
 * @vqp: the QP; the caller has a reference
 *
 * Context: any, interrupts off included; not under a QP, CQ or SRQ lock.
 */
void tuff_owner_kick(struct tuff_vqp *vqp)
{
	set_bit(TUFF_VQP_DOORBELL, &vqp->flags);
	smp_mb__after_atomic();	/* (A) */
	/*
	 * A completion handler that polls until nothing is left, and posts for
	 * each, would never leave if its posts completed while it looks: with
	 * the peer on this host they can.
	 */
	if (in_serving_softirq() || in_hardirq() || irqs_disabled()) {
		tuff_owner_raise(vqp);
		return;
	}

	local_bh_disable();
	tuff_owner_run(vqp);
	local_bh_enable();
}

/**
 * tuff_owner_raise() - have a QP run in softirq soon
 * @vqp: the QP; by a reference, or under RCU: nothing happens to one that has
 *	no reference left
 *
 * Takes no QP lock, so that anybody may call it: the engine, a timer, the
 * destructor of a packet.
 *
 * Context: any, interrupts off included.
 */
void tuff_owner_raise(struct tuff_vqp *vqp)
{
	struct tuff_owner_cpu *cpu;
	unsigned long flags;

	/* Already set: its run is still to come, and this orders us before. */
	if (test_and_set_bit(TUFF_VQP_RAISED, &vqp->flags))
		return;
	if (!kref_get_unless_zero(&vqp->ref))
		return;

	local_irq_save(flags);
	cpu = this_cpu_ptr(&tuff_owner_cpus);
	spin_lock(&cpu->lock);
	list_add_tail(&vqp->sched, &cpu->list);
	spin_unlock(&cpu->lock);
	tasklet_schedule(&cpu->tasklet);
	local_irq_restore(flags);
}

/**
 * tuff_owner_enter() - own a second QP, the peer of the one that runs
 * @vqp: the peer; the caller has a reference, and owns another QP
 *
 * The only place where two QPs are owned at once. It never waits, so no order
 * of the two is needed; and it is not done twice, so the depth is constant.
 *
 * Context: owner of the other QP, in its run.
 * Return: false when somebody else is the owner, or @vqp is dead.
 */
bool tuff_owner_enter(struct tuff_vqp *vqp)
{
	if (!spin_trylock(&vqp->lock))
		return false;
	/* For sparse, which knows of no lock that is held when it was free. */
	__release(&vqp->lock);
	if (likely(!test_bit(TUFF_VQP_DEAD, &vqp->flags)))
		return true;
	tuff_owner_leave(vqp);

	return false;
}

/**
 * tuff_owner_leave() - end of tuff_owner_enter()
 * @vqp: the peer
 *
 * What came for it meanwhile runs in softirq.
 *
 * Context: owner of the other QP, in its run.
 */
void tuff_owner_leave(struct tuff_vqp *vqp)
{
	__acquire(&vqp->lock);
	spin_unlock(&vqp->lock);
	smp_mb();	/* (B) */
	if (tuff_owner_has_notes(vqp))
		tuff_owner_raise(vqp);
}

static struct tuff_vqp *tuff_owner_next(struct tuff_owner_cpu *cpu)
{
	struct tuff_vqp *vqp;

	spin_lock_irq(&cpu->lock);
	vqp = list_first_entry_or_null(&cpu->list, struct tuff_vqp, sched);
	if (vqp)
		list_del_init(&vqp->sched);
	spin_unlock_irq(&cpu->lock);

	return vqp;
}

/* Softirq: run the QPs that were raised on this CPU, a batch of them. */
static void tuff_owner_tasklet(struct tasklet_struct *tasklet)
{
	struct tuff_owner_cpu *cpu = from_tasklet(cpu, tasklet, tasklet);
	struct tuff_vqp *vqp;
	int i;

	for (i = 0; i < TUFF_OWNER_BATCH; i++) {
		vqp = tuff_owner_next(cpu);
		if (!vqp)
			return;
		/*
		 * Raised again from here on, it is listed again. The doorbell
		 * is our note: another CPU may be the owner, and may already
		 * have passed what this run is for.
		 */
		clear_bit(TUFF_VQP_RAISED, &vqp->flags);
		set_bit(TUFF_VQP_DOORBELL, &vqp->flags);
		smp_mb__after_atomic();	/* (A) */
		tuff_owner_run(vqp);
		tuff_vqp_put(vqp);
	}
	tasklet_schedule(tasklet);
}

/* Soft hrtimer: it is later than a deadline of the QP. */
static enum hrtimer_restart tuff_owner_timer(struct hrtimer *timer)
{
	struct tuff_vqp *vqp = container_of(timer, struct tuff_vqp, timer);

	set_bit(TUFF_VQP_TIMER, &vqp->flags);
	tuff_owner_raise(vqp);

	return HRTIMER_NORESTART;
}

/**
 * tuff_owner_lock() - own a QP for a change from outside
 * @vqp: the QP; the caller has a reference
 *
 * Nothing is transmitted in between: what there is to send goes in the run
 * that a tuff_owner_kick() brings.
 *
 * Context: process, BHs on. No sleeping until tuff_owner_unlock().
 */
void tuff_owner_lock(struct tuff_vqp *vqp)
	__acquires(&vqp->lock)
{
	spin_lock_bh(&vqp->lock);
	__this_cpu_write(tuff_owner_cpus.running, true);
}

/**
 * tuff_owner_unlock() - end of tuff_owner_lock()
 * @vqp: the QP
 *
 * What came meanwhile runs in softirq, at once.
 *
 * Context: process.
 */
void tuff_owner_unlock(struct tuff_vqp *vqp)
	__releases(&vqp->lock)
{
	tuff_owner_release(vqp);
	if (tuff_owner_has_notes(vqp))
		tuff_owner_raise(vqp);
	local_bh_enable();
}

/**
 * tuff_owner_setup() - the parts of a new QP that this file uses
 * @vqp: the QP, zeroed, not yet visible to anybody
 *
 * Context: process.
 */
void tuff_owner_setup(struct tuff_vqp *vqp)
{
	spin_lock_init(&vqp->lock);
	skb_queue_head_init(&vqp->backlog);
	INIT_LIST_HEAD(&vqp->sched);
	hrtimer_setup(&vqp->timer, tuff_owner_timer, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_SOFT);
}

/**
 * tuff_owner_stop() - the end of a QP's work
 * @vqp: the QP, after tuff_owner_setup(); the caller has a reference
 *
 * Afterwards runs do nothing and packets are dropped. The timer cannot come
 * back: only a run that finds the QP alive arms it, and one that began before
 * had the lock that we took.
 *
 * Context: process, may sleep; not the owner.
 */
void tuff_owner_stop(struct tuff_vqp *vqp)
{
	tuff_owner_lock(vqp);
	set_bit(TUFF_VQP_DEAD, &vqp->flags);
	tuff_owner_purge(vqp);
	tuff_owner_unlock(vqp);
	hrtimer_cancel(&vqp->timer);
}

/**
 * tuff_owner_init() - make every CPU ready to run QPs
 *
 * Context: module init.
 * Return: 0.
 */
int tuff_owner_init(void)
{
	struct tuff_owner_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&tuff_owner_cpus, i);
		spin_lock_init(&cpu->lock);
		INIT_LIST_HEAD(&cpu->list);
		tasklet_setup(&cpu->tasklet, tuff_owner_tasklet);
	}

	return 0;
}

/**
 * tuff_owner_exit() - wait for the last runs
 *
 * All QPs are destroyed; a run that was raised before may still be due, and
 * finds its QP dead.
 *
 * Context: module exit, may sleep.
 */
void tuff_owner_exit(void)
{
	struct tuff_owner_cpu *cpu;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(&tuff_owner_cpus, i);
		while (!list_empty_careful(&cpu->list))
			msleep(20);
		tasklet_kill(&cpu->tasklet);
	}
}
