/* SPDX-License-Identifier: GPL-2.0 */
/*
 * tuff: traffic beside a test, by a process of its own, compared byte by byte
 *
 * It must not notice what the test does: it ends at the first message that is
 * late, fails or has a wrong byte.
 */
#ifndef _TUFF_SELFTESTS_LIVE_H
#define _TUFF_SELFTESTS_LIVE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define LIVE_LEN	8192

/* What both processes see. */
struct live {
	volatile int stop;
	volatile int err;		/* negative errno */
	volatile unsigned long rounds;	/* 0: it has not begun */
	volatile uint32_t qpn[2][3];	/* of both devices: RC, UC, UD */
	volatile uint32_t rkey[2];
	volatile uint64_t va[2];
	char what[128];			/* the step that failed */
	char dev[2][64];
	volatile int kind;		/* of the message under way */
	pid_t pid;
};

struct live *live_start(const char *dev, const char *peer);
int live_good(struct live *l);
int live_end(struct live *l, unsigned long *rounds);

#endif /* _TUFF_SELFTESTS_LIVE_H */
