// SPDX-License-Identifier: GPL-2.0
/* tuff: tuff_kapi: the tests */
#include "kapi.h"

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#define KAPI_ROUNDS	1000

static DEFINE_SPINLOCK(kapi_lock);

static struct kapi_qp *kapi_two(void)
{
	return kcalloc(2, sizeof(struct kapi_qp), GFP_KERNEL);
}

static int kapi_two_end(struct kapi_qp *x, struct kapi_qp *y, int err)
{
	kapi_qp_destroy(x);
	if (x != y)
		kapi_qp_destroy(y);
	kfree(min(x, y));
	return err;
}

/* Everything that is not sleeping, under a lock with interrupts off. */
static int kapi_irqs_off_ud(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two(), *y;
	unsigned long flags;
	struct ib_ah *ah;
	struct ib_wc wc;
	int i, err;

	if (!x)
		return -ENOMEM;
	y = x + 1;
	err = kapi_pair(env, x, y, IB_QPT_UD, NULL);
	if (err)
		return err;
	for (i = 0; i < 100 && !err; i++) {
		spin_lock_irqsave(&kapi_lock, flags);
		ah = kapi_ah(x, y);
		if (IS_ERR(ah)) {
			spin_unlock_irqrestore(&kapi_lock, flags);
			err = kapi_bad(env, "round %d: address handle: %ld", i,
				       PTR_ERR(ah));
			break;
		}
		err = kapi_post_recv(y, i);
		if (!err)
			err = kapi_post_ud(x, ah, y->qp->qp_num, i);
		ib_req_notify_cq(y->cq, IB_CQ_NEXT_COMP);
		(void)ib_poll_cq(y->cq, 0, &wc);
		spin_unlock_irqrestore(&kapi_lock, flags);
		if (err)
			kapi_bad(env, "round %d: post: %d", i, err);
		else if (kapi_reap(x, 1) != 1 || kapi_reap(y, 1) != 1)
			err = kapi_bad(env, "round %d: no completion", i);
		spin_lock_irqsave(&kapi_lock, flags);
		rdma_destroy_ah(ah, 0);
		spin_unlock_irqrestore(&kapi_lock, flags);
	}
	return kapi_two_end(x, y, err);
}

/* A post with interrupts off only queues; the message still goes. */
static int kapi_irqs_off_rc(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two(), *y;
	unsigned long flags;
	int i, err;

	if (!x)
		return -ENOMEM;
	y = x + 1;
	err = kapi_pair(env, x, y, IB_QPT_RC, NULL);
	if (err)
		return err;
	for (i = 0; i < 200 && !err; i++) {
		memset(x->buf + (i % KAPI_DEPTH) * KAPI_LEN, i, KAPI_LEN);
		spin_lock_irqsave(&kapi_lock, flags);
		err = kapi_post_recv(y, i);
		if (!err)
			err = kapi_post_send(x, i, KAPI_LEN);
		spin_unlock_irqrestore(&kapi_lock, flags);
		if (err)
			kapi_bad(env, "round %d: post: %d", i, err);
		else if (kapi_reap(x, 1) != 1 || kapi_reap(y, 1) != 1)
			err = kapi_bad(env, "round %d: no completion", i);
		else if (memcmp(x->buf + (i % KAPI_DEPTH) * KAPI_LEN,
				y->buf + (KAPI_DEPTH + i % KAPI_DEPTH) *
				KAPI_LEN, KAPI_LEN))
			err = kapi_bad(env, "round %d: wrong bytes", i);
	}
	return kapi_two_end(x, y, err);
}

/* Each completion of a send or receive posts the next of its kind. */
static void kapi_done_repost(struct kapi_qp *kqp, const struct ib_wc *wc)
{
	int n = atomic_inc_return(&kqp->count);

	if (n == kqp->target)
		complete(&kqp->finished);
	if (atomic_read(&kqp->stop) || wc->status != IB_WC_SUCCESS)
		return;
	if (wc->opcode & IB_WC_RECV)
		kapi_post_recv(kqp, wc->wr_id);
	else
		kapi_post_send(kqp, wc->wr_id, 64);
}

static int kapi_wait(struct kapi_env *env, struct kapi_qp *kqp)
{
	if (!wait_for_completion_timeout(&kqp->finished, KAPI_WAIT))
		return kapi_bad(env, "%d of %d completions, %d in error",
				atomic_read(&kqp->count), kqp->target,
				atomic_read(&kqp->errors));
	if (atomic_read(&kqp->reentered))
		return kapi_bad(env, "handler inside of a verb, or twice at once: %d times",
				atomic_read(&kqp->reentered));
	return 0;
}

static int kapi_ping_from_handler(struct kapi_env *env, struct kapi_qp *x,
				  struct kapi_qp *y)
{
	int i, err;

	err = kapi_pair(env, x, y, IB_QPT_RC, kapi_done_repost);
	if (err)
		return err;
	x->target = KAPI_ROUNDS;
	y->target = KAPI_ROUNDS;
	for (i = 0; i < 16; i++)
		kapi_post_recv(y, i);
	if (x != y)
		for (i = 0; i < 16; i++)
			kapi_post_recv(x, i);
	for (i = 0; i < 8 && !err; i++) {
		err = kapi_post_send(x, i, 64);
		if (!err && x != y)
			err = kapi_post_send(y, i, 64);
	}
	if (err)
		kapi_bad(env, "post: %d", err);
	if (!err)
		err = kapi_wait(env, x);
	if (!err && x != y)
		err = kapi_wait(env, y);
	/* Each goes on until both are done: the other needs its receives. */
	atomic_set(&x->stop, 1);
	atomic_set(&y->stop, 1);
	msleep(50);
	return err;
}

static int kapi_repost(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two();

	if (!x)
		return -ENOMEM;
	return kapi_two_end(x, x + 1, kapi_ping_from_handler(env, x, x + 1));
}

static int kapi_repost_self(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two();

	if (!x)
		return -ENOMEM;
	return kapi_two_end(x, x, kapi_ping_from_handler(env, x, x));
}

/* One queue pair connected with itself, polled. */
static int kapi_self(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two();
	int i, n, err;

	if (!x)
		return -ENOMEM;
	err = kapi_pair(env, x, x, IB_QPT_RC, NULL);
	if (err)
		return err;
	for (i = 0; i < 100 && !err; i++) {
		err = kapi_post_recv(x, i);
		if (!err)
			err = kapi_post_send(x, i, KAPI_LEN);
		n = err ? 0 : kapi_reap(x, 2);
		if (n != 2)
			err = kapi_bad(env, "round %d: %d of 2 completions, %d",
				       i, n, err);
	}
	return kapi_two_end(x, x, err);
}

struct kapi_poster {
	struct kapi_qp *kqp;
	int err;
	struct completion ready;
};

/* Post and poll as fast as can be on one CPU. */
static int kapi_poster_main(void *arg)
{
	struct kapi_poster *p = arg;
	unsigned long end = jiffies + KAPI_WAIT;
	int sent = 0, done = 0, received = 0;
	struct ib_wc wc;

	while ((done < KAPI_ROUNDS || received < KAPI_ROUNDS) && !p->err) {
		if (sent < KAPI_ROUNDS && sent - done < KAPI_DEPTH) {
			p->err = kapi_post_send(p->kqp, sent, 64);
			sent++;
		}
		while (ib_poll_cq(p->kqp->cq, 1, &wc) == 1) {
			if (wc.status != IB_WC_SUCCESS) {
				p->err = -EIO;
			} else if (wc.opcode & IB_WC_RECV) {
				received++;
				kapi_post_recv(p->kqp, wc.wr_id);
			} else {
				done++;
			}
		}
		if (time_after(jiffies, end))
			p->err = -ETIMEDOUT;
		cond_resched();
	}
	complete(&p->ready);
	return 0;
}

/* A posts to B while B posts to A, on two CPUs. */
static int kapi_crossed(struct kapi_env *env)
{
	struct kapi_qp *x = kapi_two(), *y;
	struct kapi_poster p[2] = {};
	struct task_struct *task;
	int i, err, cpu = -1;

	if (!x)
		return -ENOMEM;
	y = x + 1;
	err = kapi_pair(env, x, y, IB_QPT_RC, NULL);
	if (err)
		return err;
	p[0].kqp = x;
	p[1].kqp = y;
	for (i = 0; i < KAPI_DEPTH; i++) {
		kapi_post_recv(x, i);
		kapi_post_recv(y, i);
	}
	for (i = 0; i < 2; i++) {
		init_completion(&p[i].ready);
		cpu = cpumask_next(cpu, cpu_online_mask);
		if (cpu >= nr_cpu_ids)
			cpu = cpumask_first(cpu_online_mask);
		task = kthread_create(kapi_poster_main, &p[i], "kapi/%d", i);
		if (IS_ERR(task)) {
			p[i].err = PTR_ERR(task);
			complete(&p[i].ready);
			continue;
		}
		kthread_bind(task, cpu);
		wake_up_process(task);
	}
	for (i = 0; i < 2; i++) {
		wait_for_completion(&p[i].ready);
		if (p[i].err)
			err = kapi_bad(env, "side %d: %d", i, p[i].err);
	}
	/* Exit of the threads: they have touched their last of ours. */
	msleep(20);
	return kapi_two_end(x, y, err);
}

struct kapi_timer {
	struct hrtimer timer;
	struct kapi_qp *kqp;
	int left;
	int err;
	struct completion ready;
};

/* Hard interrupt. */
static enum hrtimer_restart kapi_timer_fn(struct hrtimer *timer)
{
	struct kapi_timer *kt = container_of(timer, struct kapi_timer, timer);

	kt->err = kapi_post_send(kt->kqp, kt->left, 64);
	if (kt->err || !--kt->left) {
		complete(&kt->ready);
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(200000));
	return HRTIMER_RESTART;
}

static int kapi_hardirq(struct kapi_env *env)
{
	/* DEBUG_OBJECTS wants to be told of timers on a stack. */
	static struct kapi_timer kt;
	struct kapi_qp *x = kapi_two(), *y;
	int i, err;

	if (!x)
		return -ENOMEM;
	y = x + 1;
	err = kapi_pair(env, x, y, IB_QPT_RC, NULL);
	if (err)
		return err;
	for (i = 0; i < 30; i++)
		kapi_post_recv(y, i);
	kt.kqp = x;
	kt.left = 30;
	kt.err = 0;
	init_completion(&kt.ready);
	hrtimer_setup(&kt.timer, kapi_timer_fn, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_HARD);
	hrtimer_start(&kt.timer, ns_to_ktime(200000), HRTIMER_MODE_REL_HARD);
	if (!wait_for_completion_timeout(&kt.ready, KAPI_WAIT))
		err = kapi_bad(env, "timer stopped with %d left", kt.left);
	hrtimer_cancel(&kt.timer);
	if (!err && kt.err)
		err = kapi_bad(env, "post: %d", kt.err);
	if (!err && (kapi_reap(x, 30) != 30 || kapi_reap(y, 30) != 30))
		err = kapi_bad(env, "completions are missing");
	return kapi_two_end(x, y, err);
}

struct kapi_cqe {
	struct ib_cqe cqe;
	struct completion done;
	enum ib_wc_status status;
};

static void kapi_cqe_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct kapi_cqe *k = container_of(wc->wr_cqe, struct kapi_cqe, cqe);

	k->status = wc->status;
	complete(&k->done);
}

/* The queues of ib_alloc_cq() in each context, and draining. */
static int kapi_drain_one(struct kapi_env *env, enum ib_poll_context poll)
{
	struct kapi_cqe k = { .cqe.done = kapi_cqe_done };
	struct ib_qp_init_attr attr = {
		.cap = { .max_send_wr = 8, .max_recv_wr = 8,
			 .max_send_sge = 1, .max_recv_sge = 1 },
		.qp_type = IB_QPT_RC,
	};
	struct ib_recv_wr wr = { .wr_cqe = &k.cqe };
	struct kapi_qp *x = kapi_two();
	int err = -ENOMEM;

	if (!x)
		return err;
	init_completion(&k.done);
	if (kapi_qp_create(x, env->a, IB_QPT_RC, NULL))
		goto out_free;
	ib_destroy_qp(x->qp);
	ib_destroy_cq(x->cq);
	x->cq = ib_alloc_cq(env->a, NULL, 16, 0, poll);
	if (IS_ERR(x->cq)) {
		err = PTR_ERR(x->cq);
		x->cq = NULL;
		x->qp = NULL;
		goto out_destroy;
	}
	attr.send_cq = x->cq;
	attr.recv_cq = x->cq;
	x->qp = ib_create_qp(x->pd, &attr);
	err = PTR_ERR_OR_ZERO(x->qp);
	if (!err)
		err = kapi_qp_connect(x, x);
	if (!err)
		err = ib_post_recv(x->qp, &wr, NULL);
	if (!err) {
		ib_drain_qp(x->qp);
		if (!wait_for_completion_timeout(&k.done, KAPI_WAIT))
			err = -ETIMEDOUT;
		else if (k.status != IB_WC_WR_FLUSH_ERR)
			err = -EPROTO;
	}
	if (!IS_ERR(x->qp))
		ib_destroy_qp(x->qp);
	x->qp = NULL;
	ib_free_cq(x->cq);
	x->cq = NULL;
out_destroy:
	kapi_qp_destroy(x);
out_free:
	kfree(x);
	return err ? kapi_bad(env, "poll context %d: %d", poll, err) : 0;
}

static int kapi_drain(struct kapi_env *env)
{
	int err = kapi_drain_one(env, IB_POLL_SOFTIRQ);

	return err ? err : kapi_drain_one(env, IB_POLL_WORKQUEUE);
}

const struct kapi_test kapi_tests[] = {
	{ "UD: handles, posts and polls with interrupts off",
	  kapi_irqs_off_ud },
	{ "RC: posts with interrupts off", kapi_irqs_off_rc },
	{ "posts from the completion handler", kapi_repost },
	{ "posts from the completion handler to itself", kapi_repost_self },
	{ "queue pair connected with itself", kapi_self },
	{ "crossed posts on two CPUs", kapi_crossed },
	{ "posts in hard interrupts", kapi_hardirq },
	{ "draining, from softirq and from a work queue", kapi_drain },
	{ }
};
