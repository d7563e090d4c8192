/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: ALIGN() and the like */
#include <linux/math.h>
