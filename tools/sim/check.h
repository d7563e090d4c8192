/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: simulation: what must hold after every event, and at the end */
#ifndef _TUFF_SIM_CHECK_H
#define _TUFF_SIM_CHECK_H

#include <linux/types.h>

struct sim;

void sim_check_event(struct sim *sim);
void sim_check_done(struct sim *sim);
void sim_check_memory(struct sim *sim);
void sim_check_clean(struct sim *sim);
void sim_check_gaps(struct sim *sim);
void sim_check_counters(struct sim *sim);
void sim_check_flushed(struct sim *sim);
void sim_check_leaks(struct sim *sim);

#endif /* _TUFF_SIM_CHECK_H */
