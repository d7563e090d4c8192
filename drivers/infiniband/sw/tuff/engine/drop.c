// SPDX-License-Identifier: GPL-2.0
/* tuff: names of the counters, as hw_counters/ and the tracepoints show them */
#include "engine/drop.h"

#include <linux/stddef.h>

static const char * const tuff_counter_names[TUFF_NR_COUNTERS] = {
#define TUFF_COUNTER_NAME(id, name)					\
	[TUFF_CNT_##id] = name,
	TUFF_COUNTERS(TUFF_COUNTER_NAME)
#undef TUFF_COUNTER_NAME
};

/**
 * tuff_counter_name() - name of a counter or drop reason
 * @counter: any value; TUFF_CNT_NONE too
 *
 * Context: any.
 * Return: the name, "none" for a value that is no counter; never NULL.
 */
const char *tuff_counter_name(enum tuff_counter counter)
{
	if ((unsigned int)counter >= TUFF_NR_COUNTERS)
		return "none";
	return tuff_counter_names[counter];
}
