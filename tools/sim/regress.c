// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: seeds that failed once */
#include "regress.h"

/*
 * Run before all others. A seed plays another game once its scenario draws
 * other numbers: a row is worth what it costs, no more.
 */
const struct sim_regress sim_regress[] = {
	{ }
};
