// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: a copy with registers of 32 bytes
 *
 * Nothing here depends on the kernel, as in fold.c.
 */
#include "wire/wide.h"

/**
 * tuff_wide_copy() - copy blocks
 * @dst: where to
 * @src: where from; each byte is read once
 * @blocks: TUFF_WIDE_BLOCK bytes each
 *
 * Context: the caller owns the FPU, of an x86 that has AVX.
 */
void tuff_wide_copy(u8 *dst, const u8 *src, u32 blocks)
{
	for (; blocks; blocks--) {
		asm volatile("vmovdqu 0x00(%[src]), %%ymm0\n\t"
			     "vmovdqu 0x20(%[src]), %%ymm1\n\t"
			     "vmovdqu 0x40(%[src]), %%ymm2\n\t"
			     "vmovdqu 0x60(%[src]), %%ymm3\n\t"
			     "vmovdqu %%ymm0, 0x00(%[dst])\n\t"
			     "vmovdqu %%ymm1, 0x20(%[dst])\n\t"
			     "vmovdqu %%ymm2, 0x40(%[dst])\n\t"
			     "vmovdqu %%ymm3, 0x60(%[dst])"
			     : : [src] "r" (src), [dst] "r" (dst) : "memory");
		dst += TUFF_WIDE_BLOCK;
		src += TUFF_WIDE_BLOCK;
	}
	asm volatile("vzeroupper");
}
