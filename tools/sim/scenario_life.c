// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: queue pairs whose state changes under traffic */
#include "scenario.h"
const struct scenario sim_life_scenarios[] = {
	{ }
};
