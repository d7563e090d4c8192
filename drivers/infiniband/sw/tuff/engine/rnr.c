// SPDX-License-Identifier: GPL-2.0
/* tuff: receiver-not-ready timer codes */
#include "engine/rnr.h"

/* In units of 10 us; code 0 is out of the 16-bit range (IBA table 45). */
static const u16 tuff_rnr_delay_10us[32] = {
	0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192,
	256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 6144, 8192, 12288,
	16384, 24576, 32768, 49152,
};

/**
 * tuff_rnr_delay_ns() - pause that an RNR NAK asks for
 * @code: timer code, 5 bits
 *
 * Return: nanoseconds; code 0 is the longest, 655.36 ms.
 */
u64 tuff_rnr_delay_ns(u8 code)
{
	code &= 31;
	if (!code)
		return 655360000;
	return tuff_rnr_delay_10us[code] * 10000ULL;
}
