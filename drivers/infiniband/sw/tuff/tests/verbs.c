// SPDX-License-Identifier: GPL-2.0
/* tuff: what is tested of verbs, once more, for tuff_kunit.ko; as engine_*.c */
#include "verbs/ring.c"
