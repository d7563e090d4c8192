// SPDX-License-Identifier: GPL-2.0
/* tuff: simulation: the tables of scenarios, as one */
#include "scenario.h"

#include <linux/kernel.h>
#include <string.h>

static const struct scenario *const sim_tables[] = {
	sim_rc_scenarios,
	sim_uc_scenarios,
	sim_ud_scenarios,
	sim_error_scenarios,
	sim_life_scenarios,
	sim_chaos_scenarios,
};

/**
 * sim_scenario() - a scenario by number
 * @idx: from 0 on
 *
 * Return: the table row, or NULL past the last.
 */
const struct scenario *sim_scenario(u32 idx)
{
	u32 t, i;

	for (t = 0; t < ARRAY_SIZE(sim_tables); t++)
		for (i = 0; sim_tables[t][i].name; i++)
			if (!idx--)
				return &sim_tables[t][i];
	return NULL;
}

/**
 * sim_nr_scenarios() - how many there are
 *
 * Return: the number.
 */
u32 sim_nr_scenarios(void)
{
	u32 n = 0;

	while (sim_scenario(n))
		n++;
	return n;
}

/**
 * sim_scenario_find() - a scenario by name
 * @name: its name
 *
 * Return: the table row, or NULL.
 */
const struct scenario *sim_scenario_find(const char *name)
{
	const struct scenario *scenario;
	u32 i;

	for (i = 0; (scenario = sim_scenario(i)); i++)
		if (!strcmp(scenario->name, name))
			return scenario;
	return NULL;
}
