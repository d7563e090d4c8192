// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: the engine once more, for tuff_kunit.ko: headers, requests, names
 *
 * The module that tests is linked with a world of its own, so it cannot use
 * the objects of tuff.ko. The host links objects and does not need this file.
 */
#include "engine/build.c"
#include "engine/drop.c"
#include "engine/icrc.c"
#include "engine/opcode.c"
#include "engine/parse.c"
#include "engine/wqe.c"
