// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: verbs_errors: the state table of queue pairs
 *
 * The table below is the specification's (IBA 11.2.5.2), written down for
 * these tests: which transitions there are, what each requires and allows.
 * Alternate paths are neither asked for nor refused.
 */
#include "harness.h"

#include <stdio.h>
#include <string.h>

#define NR_STATES	7
#define UNTESTED	(IBV_QP_ALT_PATH | IBV_QP_PATH_MIG_STATE)
#define LAST_MASK	IBV_QP_DEST_QPN

struct move {
	enum ibv_qp_type type;
	enum ibv_qp_state from, to;
	int required, optional;
};

#define CONN_RTR	(IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | \
			 IBV_QP_RQ_PSN)
#define RC_RTS		(IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | \
			 IBV_QP_RNR_RETRY | IBV_QP_SQ_PSN | \
			 IBV_QP_MAX_QP_RD_ATOMIC)
#define RC_SQD		(IBV_QP_PORT | IBV_QP_AV | IBV_QP_TIMEOUT | \
			 IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY | \
			 IBV_QP_MAX_QP_RD_ATOMIC | \
			 IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_ACCESS_FLAGS | \
			 IBV_QP_PKEY_INDEX | IBV_QP_MIN_RNR_TIMER)
#define UC_INIT		(IBV_QP_PKEY_INDEX | IBV_QP_PORT | \
			 IBV_QP_ACCESS_FLAGS)
#define UD_INIT		(IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_QKEY)
#define RC_MORE		(IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS | \
			 IBV_QP_MIN_RNR_TIMER)
#define UC_MORE		(IBV_QP_CUR_STATE | IBV_QP_ACCESS_FLAGS)
#define UD_MORE		(IBV_QP_CUR_STATE | IBV_QP_QKEY)
#define NOTIFY		IBV_QP_EN_SQD_ASYNC_NOTIFY

#define M(t, f, to, req, opt) \
	{ IBV_QPT_##t, IBV_QPS_##f, IBV_QPS_##to, req, opt }

static const struct move moves[] = {
	M(RC, RESET, INIT, UC_INIT, 0),
	M(UC, RESET, INIT, UC_INIT, 0),
	M(UD, RESET, INIT, UD_INIT, 0),
	M(RC, INIT, INIT, 0, UC_INIT),
	M(UC, INIT, INIT, 0, UC_INIT),
	M(UD, INIT, INIT, 0, UD_INIT),
	M(RC, INIT, RTR, CONN_RTR | IBV_QP_MAX_DEST_RD_ATOMIC |
	  IBV_QP_MIN_RNR_TIMER, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX),
	M(UC, INIT, RTR, CONN_RTR, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX),
	M(UD, INIT, RTR, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY),
	M(RC, RTR, RTS, RC_RTS, RC_MORE),
	M(UC, RTR, RTS, IBV_QP_SQ_PSN, UC_MORE),
	M(UD, RTR, RTS, IBV_QP_SQ_PSN, UD_MORE),
	M(RC, RTS, RTS, 0, RC_MORE),
	M(UC, RTS, RTS, 0, UC_MORE),
	M(UD, RTS, RTS, 0, UD_MORE),
	M(RC, RTS, SQD, 0, NOTIFY),
	M(UC, RTS, SQD, 0, NOTIFY),
	M(UD, RTS, SQD, 0, NOTIFY),
	M(RC, SQD, RTS, 0, RC_MORE),
	M(UC, SQD, RTS, 0, UC_MORE),
	M(UD, SQD, RTS, 0, UD_MORE),
	M(RC, SQD, SQD, 0, RC_SQD),
	/*
	 * The address of UC could change here, too; but uverbs adds the port
	 * to it, which of UC may not change.
	 */
	M(UC, SQD, SQD, 0, IBV_QP_ACCESS_FLAGS | IBV_QP_PKEY_INDEX),
	M(UD, SQD, SQD, 0, IBV_QP_PKEY_INDEX | IBV_QP_QKEY),
	M(UC, SQE, RTS, 0, UC_MORE),
	M(UD, SQE, RTS, 0, UD_MORE),
};

static const struct move *find_move(enum ibv_qp_type type,
				    enum ibv_qp_state from,
				    enum ibv_qp_state to)
{
	unsigned int i;

	for (i = 0; i < ARRAY_LEN(moves); i++)
		if (moves[i].type == type && moves[i].from == from &&
		    moves[i].to == to)
			return &moves[i];
	return NULL;
}

/* Every attribute a good value, so that only the mask matters. */
static void good_values(struct vt_qp *qp, enum ibv_qp_state from,
			enum ibv_qp_state to, struct ibv_qp_attr *attr)
{
	struct ibv_qp_attr rts;
	struct vt_addr self;

	vt_qp_addr(qp, &self);
	vt_attr_rtr(qp, &self, attr);
	vt_attr_rts(qp, &rts);
	attr->sq_psn = rts.sq_psn;
	attr->timeout = rts.timeout;
	attr->retry_cnt = rts.retry_cnt;
	attr->rnr_retry = rts.rnr_retry;
	attr->max_rd_atomic = rts.max_rd_atomic;
	attr->cap.max_send_wr = qp->spec.send_wr;
	attr->cap.max_recv_wr = qp->spec.recv_wr;
	attr->cap.max_send_sge = 1;
	attr->cap.max_recv_sge = 1;
	attr->qp_access_flags = qp->spec.access;
	attr->port_num = VT_PORT;
	attr->qkey = VT_QKEY;
	attr->qp_state = to;
	attr->cur_qp_state = from;
}

static int new_qp(struct vt_qp *qp, enum ibv_qp_type type,
		  enum ibv_qp_state state)
{
	struct vt_qp_spec spec = { .type = type };

	CHECK(vt_qp_create(qp, env.a, &spec));
	CHECK(to_state(qp, state));
	return expect_state(qp, state);
}

/* One transition with this mask; 0 or errno, and the state is then right. */
static int try_move(enum ibv_qp_type type, enum ibv_qp_state from,
		    enum ibv_qp_state to, int mask, int want)
{
	struct ibv_qp_attr attr;
	struct vt_qp qp;
	int err, rc;

	rc = new_qp(&qp, type, from);
	if (rc)
		return rc;
	good_values(&qp, from, to, &attr);
	err = ibv_modify_qp(qp.qp, &attr, mask | IBV_QP_STATE);
	if (err != want)
		rc = bad("%s %s -> %s, mask %#x: %s, expected %s",
			 vt_type_name(type), vt_state_name(from),
			 vt_state_name(to), mask, strerror(err),
			 want ? strerror(want) : "success");
	else
		rc = expect_state(&qp, err ? from : to);
	vt_qp_destroy(&qp);
	return rc;
}

/* From one state into every other. */
static int moves_from(enum ibv_qp_type type, enum ibv_qp_state from)
{
	int to, rc = 0;

	for (to = IBV_QPS_RESET; to < NR_STATES; to++) {
		const struct move *m = find_move(type, from, to);
		/* ERR is not reached from RESET, all else reaches both. */
		bool legal = m || to == IBV_QPS_RESET ||
			     (to == IBV_QPS_ERR && from != IBV_QPS_RESET);

		rc |= try_move(type, from, to, m ? m->required : 0,
			       legal ? 0 : EINVAL);
	}
	return rc;
}

/* All masks that are wrong by one attribute, for all moves of a type. */
static int wrong_masks(enum ibv_qp_type type, bool missing)
{
	unsigned int i;
	int bit, rc = 0;

	for (i = 0; i < ARRAY_LEN(moves); i++) {
		const struct move *m = &moves[i];
		int known = m->required | m->optional | UNTESTED |
			    IBV_QP_STATE;

		if (m->type != type)
			continue;
		for (bit = 1; bit <= LAST_MASK; bit <<= 1) {
			if (missing && (m->required & bit))
				rc |= try_move(type, m->from, m->to,
					       m->required & ~bit, EINVAL);
			if (!missing && !(known & bit))
				rc |= try_move(type, m->from, m->to,
					       m->required | bit, EINVAL);
		}
	}
	return rc;
}

/* Every optional attribute alone, and all together. */
static int optional_masks(enum ibv_qp_type type)
{
	unsigned int i;
	int bit, rc = 0;

	for (i = 0; i < ARRAY_LEN(moves); i++) {
		const struct move *m = &moves[i];

		if (m->type != type || !m->optional)
			continue;
		for (bit = 1; bit <= LAST_MASK; bit <<= 1)
			if (m->optional & bit)
				rc |= try_move(type, m->from, m->to,
					       m->required | bit, 0);
		rc |= try_move(type, m->from, m->to,
			       m->required | m->optional, 0);
	}
	return rc;
}

#define FROM(t, s) \
	static int from_##t##_##s(void) { return moves_from(IBV_QPT_##t, IBV_QPS_##s); }
#define FROM_ALL(t) FROM(t, RESET) FROM(t, INIT) FROM(t, RTR) FROM(t, RTS) \
	FROM(t, SQD) FROM(t, ERR)				\
	static int t##_missing(void)				\
	{ return wrong_masks(IBV_QPT_##t, true); }		\
	static int t##_extra(void)				\
	{ return wrong_masks(IBV_QPT_##t, false); }		\
	static int t##_optional(void)				\
	{ return optional_masks(IBV_QPT_##t); }

FROM_ALL(RC)
FROM_ALL(UC)
FROM_ALL(UD)
FROM(UC, SQE)
FROM(UD, SQE)

/* A wrong idea of the current state is refused. */
static int wrong_current(void)
{
	struct ibv_qp_attr attr;
	struct vt_qp qp;
	int err;

	CHECK(new_qp(&qp, IBV_QPT_RC, IBV_QPS_RTS));
	good_values(&qp, IBV_QPS_SQD, IBV_QPS_RTS, &attr);
	err = ibv_modify_qp(qp.qp, &attr, IBV_QP_STATE | IBV_QP_CUR_STATE);
	vt_qp_destroy(&qp);
	return err == EINVAL ? 0 : bad("CUR_STATE SQD in RTS: %d", err);
}

/* ERR and back through RESET: the queue pair is as good as new. */
static int reset_again(void)
{
	struct ibv_sge s = asge(64), r = bsge(64);
	struct vt_qp x, y;
	struct vt_addr at;
	int i;

	CHECK(pair(&x, &y, (struct vt_qp_spec){ .type = IBV_QPT_RC }));
	for (i = 0; i < 3; i++) {
		CHECK(vt_post_recv(&y, 10 + i, &r, 1));
		CHECK(vt_post_send(&x, IBV_WR_SEND, i, &s, 1,
				   IBV_SEND_SIGNALED));
		CHECK(expect_wc(x.scq, IBV_WC_SUCCESS, i));
		CHECK(expect_wc(y.rcq, IBV_WC_SUCCESS, 10 + i));
		CHECK(vt_post_recv(&y, 99, &r, 1));
		CHECK(vt_qp_modify_state(&x, i & 1 ? IBV_QPS_RESET :
						     IBV_QPS_ERR));
		CHECK(vt_qp_modify_state(&y, IBV_QPS_RESET));
		CHECK(vt_qp_modify_state(&x, IBV_QPS_RESET));
		CHECK(vt_quiet(y.rcq, 20));
		vt_qp_addr(&y, &at);
		CHECK(vt_qp_connect(&x, &at));
		vt_qp_addr(&x, &at);
		CHECK(vt_qp_connect(&y, &at));
	}
	vt_qp_destroy(&x);
	vt_qp_destroy(&y);
	return 0;
}

const struct test state_tests[] = {
	{ "RC from RESET", from_RC_RESET }, { "RC from INIT", from_RC_INIT },
	{ "RC from RTR", from_RC_RTR }, { "RC from RTS", from_RC_RTS },
	{ "RC from SQD", from_RC_SQD }, { "RC from ERR", from_RC_ERR },
	{ "UC from RESET", from_UC_RESET }, { "UC from INIT", from_UC_INIT },
	{ "UC from RTR", from_UC_RTR }, { "UC from RTS", from_UC_RTS },
	{ "UC from SQD", from_UC_SQD }, { "UC from SQE", from_UC_SQE },
	{ "UC from ERR", from_UC_ERR },
	{ "UD from RESET", from_UD_RESET }, { "UD from INIT", from_UD_INIT },
	{ "UD from RTR", from_UD_RTR }, { "UD from RTS", from_UD_RTS },
	{ "UD from SQD", from_UD_SQD }, { "UD from SQE", from_UD_SQE },
	{ "UD from ERR", from_UD_ERR },
	{ "RC, a required attribute missing", RC_missing },
	{ "UC, a required attribute missing", UC_missing },
	{ "UD, a required attribute missing", UD_missing },
	{ "RC, an attribute too many", RC_extra },
	{ "UC, an attribute too many", UC_extra },
	{ "UD, an attribute too many", UD_extra },
	{ "RC, optional attributes", RC_optional },
	{ "UC, optional attributes", UC_optional },
	{ "UD, optional attributes", UD_optional },
	{ "wrong current state", wrong_current },
	{ "RESET makes it new", reset_again },
	{ }
};
