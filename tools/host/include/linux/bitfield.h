/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: fields named by their mask */
#ifndef _TUFF_HOST_LINUX_BITFIELD_H
#define _TUFF_HOST_LINUX_BITFIELD_H

#include <linux/bits.h>
#include <linux/build_bug.h>

#define __tuff_field_shift(mask)	__builtin_ctzll(mask)

#define FIELD_MAX(mask)							\
	((__typeof__(mask))((mask) >> __tuff_field_shift(mask)))
#define FIELD_FIT(mask, val)						\
	(!((((__typeof__(mask))(val)) << __tuff_field_shift(mask)) & ~(mask)))
#define FIELD_PREP(mask, val)						\
	((((__typeof__(mask))(val)) << __tuff_field_shift(mask)) & (mask))
#define FIELD_GET(mask, reg)						\
	((__typeof__(mask))(((reg) & (mask)) >> __tuff_field_shift(mask)))

#endif /* _TUFF_HOST_LINUX_BITFIELD_H */
