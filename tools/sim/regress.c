// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: seeds that failed once */
#include "regress.h"

#include <linux/stddef.h>

/*
 * Run before all others. A seed plays another game once its scenario draws
 * other numbers: then it only costs a millisecond. Each was seen to fail with
 * the fix taken out.
 */
const struct sim_regress sim_regress[] = {
	/* an ACK behind each answer of a READ or ATOMIC */
	{ "rc_clean", 1 },
	/* a duplicate READ took the place of a new one: NAK invalid request */
	{ "rc_doubling", 653 },
	{ "rc_storm", 2191 },
	{ "rc_lossy_read", 65 },
	{ "rc_tiny", 391 },
	/* an answer that transmit refused asked for a run at once, for ever */
	{ "rc_backpressure", 691 },
	/* after SQE the next message began behind nxt */
	{ "life_dereg_uc", 7 },
	/* a late duplicate READ of memory that had gone: NAK access error */
	{ "life_retire", 51 },
	/* a request that failed in SQD did not stop the send queue */
	{ "chaos_uc", 3190 },
	{ "chaos_ud", 6060 },
	{ }
};
