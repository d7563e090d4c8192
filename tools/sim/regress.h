/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: seeds that failed once */
#ifndef _TUFF_SIM_REGRESS_H
#define _TUFF_SIM_REGRESS_H

#include <linux/types.h>

/**
 * struct sim_regress - a run that once failed
 * @scenario: its name
 * @seed: its seed
 */
struct sim_regress {
	const char *scenario;
	u64 seed;
};

extern const struct sim_regress sim_regress[];

#endif /* _TUFF_SIM_REGRESS_H */
