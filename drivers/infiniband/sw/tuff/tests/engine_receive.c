// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: the engine once more, for tuff_kunit.ko: what comes in
 *
 * The module that tests is linked with a world of its own, so it cannot use
 * the objects of tuff.ko. The host links objects and does not need this file.
 */
#include "engine/ack.c"
#include "engine/completer.c"
#include "engine/early.c"
#include "engine/execute.c"
#include "engine/replay.c"
#include "engine/responder.c"
#include "engine/scatter.c"
#include "engine/ud.c"
