// SPDX-License-Identifier: GPL-2.0
/* tuff: CRC-32 on the host, eight bytes a step: the simulation lives on it */
#include <linux/crc32.h>

#include <string.h>

#include <linux/types.h>
#include <asm/byteorder.h>

#define POLYNOMIAL	0xedb88320U	/* Ethernet, reflected */
#define STRIDE		8

/* table[k][b]: what byte b does k bytes before the end of a step. */
static u32 table[STRIDE][256];

static void __attribute__((__constructor__)) crc32_init(void)
{
	u32 crc;
	int i, k;

	for (i = 0; i < 256; i++) {
		crc = i;
		for (k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? POLYNOMIAL : 0);
		table[0][i] = crc;
	}
	for (k = 1; k < STRIDE; k++)
		for (i = 0; i < 256; i++)
			table[k][i] = table[k - 1][i] >> 8 ^
				      table[0][table[k - 1][i] & 0xff];
}

u32 crc32_le(u32 crc, const void *data, size_t len)
{
	const u8 *p = data;
	u64 word;
	u32 next;
	int i;

	for (; len >= STRIDE; len -= STRIDE, p += STRIDE) {
		memcpy(&word, p, STRIDE);
		word = __le64_to_cpu((__le64)word) ^ crc;
		next = 0;
		for (i = 0; i < STRIDE; i++)
			next ^= table[STRIDE - 1 - i][word >> 8 * i & 0xff];
		crc = next;
	}
	for (; len; len--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xff];
	return crc;
}
