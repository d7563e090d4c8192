/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what the fuzz targets share */
#ifndef _TUFF_FUZZ_CHECK_H
#define _TUFF_FUZZ_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <linux/types.h>

/* An invariant of the target; its breach is a finding. */
#define CHECK(cond) do {						\
	if (!(cond)) {							\
		fprintf(stderr, "%s:%d: %s: broken: %s\n", __FILE__,	\
			__LINE__, __func__, #cond);			\
		abort();						\
	}								\
} while (0)

/* libFuzzer's entry, and the replay's. */
int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

#endif /* _TUFF_FUZZ_CHECK_H */
