// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: the engine once more, for tuff_kunit.ko: what goes out, and states
 *
 * The module that tests is linked with a world of its own, so it cannot use
 * the objects of tuff.ko. The host links objects and does not need this file.
 */
#include "engine/loop.c"
#include "engine/mend.c"
#include "engine/requester.c"
#include "engine/retransmit.c"
#include "engine/rnr.c"
#include "engine/rtt.c"
#include "engine/run.c"
#include "engine/segment.c"
#include "engine/state.c"
#include "engine/timer.c"
#include "engine/window.c"
