// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: the engine once more, for tuff_kunit.ko
 *
 * The module that tests is linked with a world of its own, so it cannot use
 * the objects of tuff.ko. The host links objects and does not need this file.
 */
#include "engine/ack.c"
#include "engine/build.c"
#include "engine/completer.c"
#include "engine/drop.c"
#include "engine/execute.c"
#include "engine/icrc.c"
#include "engine/opcode.c"
#include "engine/parse.c"
#include "engine/replay.c"
#include "engine/requester.c"
#include "engine/responder.c"
#include "engine/retransmit.c"
#include "engine/rnr.c"
#include "engine/run.c"
#include "engine/scatter.c"
#include "engine/segment.c"
#include "engine/state.c"
#include "engine/timer.c"
#include "engine/ud.c"
#include "engine/wqe.c"
