/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: receiver-not-ready timer codes */
#ifndef _TUFF_ENGINE_RNR_H
#define _TUFF_ENGINE_RNR_H

#include <linux/types.h>

u64 tuff_rnr_delay_ns(u8 code);

#endif /* _TUFF_ENGINE_RNR_H */
