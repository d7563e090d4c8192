/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: ARRAY_SIZE() */
#include <linux/kernel.h>
