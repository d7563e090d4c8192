// SPDX-License-Identifier: GPL-2.0
/* tuff: what is tested of wire, once more, for tuff_kunit.ko; as engine_*.c */
#include "wire/fold.c"
#include "wire/wide.c"
