// SPDX-License-Identifier: GPL-2.0
/*
 * tuff: copy and CRC-32 in one pass, by carry-less multiplication
 *
 * What is loaded to be copied is summed up before it leaves the register. The
 * sum is the well-known one: four registers take 16 bytes each out of 64 and
 * are moved on by 64 bytes, which is to multiply them by a power of x modulo
 * the polynomial (V. Gopal et al., "Fast CRC Computation for Generic
 * Polynomials Using PCLMULQDQ Instruction", 2009). What is left at the end are
 * 16 bytes that have the same CRC as all that went in; they are summed up the
 * ordinary way.
 *
 * Nothing here depends on the kernel, so that the tests run it on the host. In
 * the kernel the caller owns the FPU, and the compiler, which does not use it,
 * leaves the registers alone between the statements.
 */
#include "wire/fold.h"

/* x^(64*8+32), x^(64*8-32) and x^(16*8+32), x^(16*8-32), reflected. */
static const u64 tuff_fold_by_64[2] __aligned(16) = {
	0x154442bd4ULL, 0x1c6e41596ULL,
};

static const u64 tuff_fold_by_16[2] __aligned(16) = {
	0x1751997d0ULL, 0x0ccaa009eULL,
};

/* The 16 bytes of register @x move on by what xmm0 says; xmm5 is spoilt. */
#define TUFF_FOLD_MOVE(x)						\
	"movdqa %%xmm" #x ", %%xmm5\n\t"				\
	"pclmulqdq $0x00, %%xmm0, %%xmm" #x "\n\t"			\
	"pclmulqdq $0x11, %%xmm0, %%xmm5\n\t"				\
	"pxor %%xmm5, %%xmm" #x "\n\t"

/* And meet the next ones. */
#define TUFF_FOLD_ADD(x, off)						\
	TUFF_FOLD_MOVE(x)						\
	"movdqu " #off "(%[src]), %%xmm6\n\t"				\
	"pxor %%xmm6, %%xmm" #x "\n\t"

#define TUFF_FOLD_ADD_COPY(x, off)					\
	TUFF_FOLD_ADD(x, off)						\
	"movdqu %%xmm6, " #off "(%[dst])\n\t"

static void tuff_fold_begin(const u8 *block)
{
	asm volatile("movdqu 0x00(%[src]), %%xmm1\n\t"
		     "movdqu 0x10(%[src]), %%xmm2\n\t"
		     "movdqu 0x20(%[src]), %%xmm3\n\t"
		     "movdqu 0x30(%[src]), %%xmm4\n\t"
		     "movdqa %[by], %%xmm0"
		     : : [src] "r" (block), [by] "m" (tuff_fold_by_64)
		     : "memory");
}

static void tuff_fold_block(const u8 *block)
{
	asm volatile(TUFF_FOLD_ADD(1, 0x00)
		     TUFF_FOLD_ADD(2, 0x10)
		     TUFF_FOLD_ADD(3, 0x20)
		     TUFF_FOLD_ADD(4, 0x30)
		     : : [src] "r" (block) : "memory");
}

static void tuff_fold_block_copy(u8 *to, const u8 *block)
{
	asm volatile(TUFF_FOLD_ADD_COPY(1, 0x00)
		     TUFF_FOLD_ADD_COPY(2, 0x10)
		     TUFF_FOLD_ADD_COPY(3, 0x20)
		     TUFF_FOLD_ADD_COPY(4, 0x30)
		     : : [src] "r" (block), [dst] "r" (to) : "memory");
}

/*
 * The same for two blocks, with registers twice as wide for the copy, and the
 * three operands that come with them for the sum, which is that of the copy.
 */
#define TUFF_FOLD_WIDE_COPY(off)					\
	"vmovdqu " #off "(%[src]), %%ymm6\n\t"				\
	"vmovdqu " #off "+0x20(%[src]), %%ymm7\n\t"			\
	"vmovdqu %%ymm6, " #off "(%[dst])\n\t"				\
	"vmovdqu %%ymm7, " #off "+0x20(%[dst])\n\t"

#define TUFF_FOLD_WIDE_ADD(x, off)					\
	"vpclmulqdq $0x11, %%xmm0, %%xmm" #x ", %%xmm5\n\t"		\
	"vpclmulqdq $0x00, %%xmm0, %%xmm" #x ", %%xmm" #x "\n\t"	\
	"vpxor " #off "(%[dst]), %%xmm5, %%xmm5\n\t"			\
	"vpxor %%xmm5, %%xmm" #x ", %%xmm" #x "\n\t"

static void tuff_fold_wide(u8 *to, const u8 *blocks)
{
	asm volatile(TUFF_FOLD_WIDE_COPY(0x00)
		     TUFF_FOLD_WIDE_COPY(0x40)
		     TUFF_FOLD_WIDE_ADD(1, 0x00)
		     TUFF_FOLD_WIDE_ADD(2, 0x10)
		     TUFF_FOLD_WIDE_ADD(3, 0x20)
		     TUFF_FOLD_WIDE_ADD(4, 0x30)
		     TUFF_FOLD_WIDE_ADD(1, 0x40)
		     TUFF_FOLD_WIDE_ADD(2, 0x50)
		     TUFF_FOLD_WIDE_ADD(3, 0x60)
		     TUFF_FOLD_WIDE_ADD(4, 0x70)
		     : : [src] "r" (blocks), [dst] "r" (to) : "memory");
}

/* What the other instructions take for a mix of widths would cost them time. */
static void tuff_fold_wide_end(void)
{
	asm volatile("vzeroupper");
}

static void tuff_fold_end(u8 rest[16])
{
	asm volatile("movdqa %[by], %%xmm0\n\t"
		     TUFF_FOLD_MOVE(1)
		     "pxor %%xmm1, %%xmm2\n\t"
		     TUFF_FOLD_MOVE(2)
		     "pxor %%xmm2, %%xmm3\n\t"
		     TUFF_FOLD_MOVE(3)
		     "pxor %%xmm3, %%xmm4\n\t"
		     "movdqu %%xmm4, (%[rest])"
		     : : [by] "m" (tuff_fold_by_16), [rest] "r" (rest)
		     : "memory");
}

/**
 * tuff_fold_copy() - sum up blocks, and copy some of them
 * @rest: 16 bytes whose CRC, begun with 0, is that of all blocks
 * @front: what is summed up only
 * @front_blocks: TUFF_FOLD_BLOCK bytes each; 1 at least
 * @dst: where the others go
 * @src: where they are; each byte is read once
 * @blocks: how many
 * @wide: with registers of 32 bytes
 *
 * Context: the caller owns the FPU, of an x86 that has PCLMULQDQ, and AVX2 for
 * @wide.
 */
void tuff_fold_copy(u8 rest[16], const u8 *front, u32 front_blocks,
		    u8 *dst, const u8 *src, u32 blocks, bool wide)
{
	const u32 two = 2 * TUFF_FOLD_BLOCK;

	tuff_fold_begin(front);
	while (--front_blocks) {
		front += TUFF_FOLD_BLOCK;
		tuff_fold_block(front);
	}
	if (wide) {
		for (; blocks >= 2; blocks -= 2, dst += two, src += two)
			tuff_fold_wide(dst, src);
		tuff_fold_wide_end();
	}
	for (; blocks; blocks--) {
		tuff_fold_block_copy(dst, src);
		dst += TUFF_FOLD_BLOCK;
		src += TUFF_FOLD_BLOCK;
	}
	tuff_fold_end(rest);
}
