// SPDX-License-Identifier: GPL-2.0
/* tuff: the fastest CRC-32 that this kernel has, and one that copies as well */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/kasan-checks.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "wire/copy.h"
#include "wire/fold.h"
#include "wire/wire.h"

/*
 * Since 6.14 crc32_le() itself uses carry-less multiplication. Before, only
 * the crypto API's "crc32" does, when crc32-pclmul is loaded. For short blocks
 * that one walks a table and pays for the FPU each time: not worth it.
 */
#define TUFF_CRC32_SHASH_MIN	512

static DEFINE_STATIC_KEY_FALSE(tuff_crc32_use_shash);
static struct crypto_shash *tuff_crc32_shash;

MODULE_SOFTDEP("pre: crc32-pclmul");

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

static bool tuff_fold = true;
module_param_named(fold, tuff_fold, bool, 0644);
MODULE_PARM_DESC(fold, "Sum up a payload while it is copied");

static DEFINE_STATIC_KEY_FALSE(tuff_crc32_can_fold);

/* Kernels that use wider registers for their own sum are faster in two passes. */
static void tuff_crc32_init_fold(void)
{
	bool wide = crc32_optimizations() & CRC32_LE_OPTIMIZATION &&
		    boot_cpu_has(X86_FEATURE_VPCLMULQDQ);

	if (boot_cpu_has(X86_FEATURE_PCLMULQDQ) && !wide)
		static_branch_enable(&tuff_crc32_can_fold);
}

static bool tuff_crc32_folds(u32 len)
{
	return static_branch_likely(&tuff_crc32_can_fold) &&
	       len >= TUFF_CRC32_SHASH_MIN && READ_ONCE(tuff_fold) &&
	       irq_fpu_usable();
}

/*
 * Zeros in front of a sum that begins with 0 change nothing: what is in front
 * becomes whole blocks by them. A sum that goes on is one that begins with 0
 * and has its state added to the first bytes.
 */
static u32 tuff_crc32_fold(u32 crc, u8 *dst, u32 front_len, const u8 *src,
			   u32 len)
{
	u8 front[2 * TUFF_FOLD_BLOCK], rest[16];
	u32 front_blocks = front_len > TUFF_FOLD_BLOCK ? 2 : 1;
	u8 *begin = front + front_blocks * TUFF_FOLD_BLOCK - front_len;
	u32 blocks = len / TUFF_FOLD_BLOCK;
	u32 done = blocks * TUFF_FOLD_BLOCK;

	memset(front, 0, begin - front);
	memcpy(begin, dst - front_len, front_len);
	put_unaligned_le32(get_unaligned_le32(begin) ^ crc, begin);

	kasan_check_read(src, done);
	kasan_check_write(dst, done);
	kernel_fpu_begin();
	tuff_fold_copy(rest, front, front_blocks, dst, src, blocks,
		       tuff_copy_is_wide());
	kernel_fpu_end();

	crc = crc32_le(0, rest, sizeof(rest));
	if (done == len)
		return crc;
	memcpy(dst + done, src + done, len - done);
	return crc32_le(crc, dst + done, len - done);
}
#else
static void tuff_crc32_init_fold(void)
{
}

static bool tuff_crc32_folds(u32 len)
{
	return false;
}

static u32 tuff_crc32_fold(u32 crc, u8 *dst, u32 front_len, const u8 *src,
			   u32 len)
{
	return 0;
}
#endif

/**
 * tuff_crc32_init() - choose an implementation
 *
 * Cannot fail: there is always the table.
 *
 * Context: module init.
 */
void tuff_crc32_init(void)
{
	struct crypto_shash *shash;

	tuff_crc32_init_fold();
	if (crc32_optimizations() & CRC32_LE_OPTIMIZATION)
		return;

	shash = crypto_alloc_shash("crc32", 0, 0);
	if (IS_ERR(shash))
		return;
	/* The running state has to be the four bytes that we think it is. */
	if (crypto_shash_descsize(shash) != sizeof(u32)) {
		crypto_free_shash(shash);
		return;
	}
	tuff_crc32_shash = shash;
	static_branch_enable(&tuff_crc32_use_shash);
}

/**
 * tuff_crc32_exit() - give back what tuff_crc32_init() took
 *
 * Context: module exit.
 */
void tuff_crc32_exit(void)
{
	if (!tuff_crc32_shash)
		return;
	static_branch_disable(&tuff_crc32_use_shash);
	crypto_free_shash(tuff_crc32_shash);
	tuff_crc32_shash = NULL;
}

static u32 tuff_crc32_by_shash(u32 crc, const void *data, size_t len)
{
	SHASH_DESC_ON_STACK(desc, tuff_crc32_shash);
	u32 state = crc;

	desc->tfm = tuff_crc32_shash;
	if (crypto_shash_import(desc, &state) ||
	    crypto_shash_update(desc, data, len) ||
	    crypto_shash_export(desc, &state))
		return crc32_le(crc, data, len);

	return state;
}

/**
 * tuff_crc32() - CRC-32, reflected, without initial or final complement
 * @crc: state so far
 * @data: more bytes
 * @len: how many
 *
 * Context: any but hard interrupts and NMI.
 * Return: the new state.
 */
u32 tuff_crc32(u32 crc, const void *data, size_t len)
{
	if (static_branch_unlikely(&tuff_crc32_use_shash) &&
	    len >= TUFF_CRC32_SHASH_MIN)
		return tuff_crc32_by_shash(crc, data, len);

	return crc32_le(crc, data, len);
}

/**
 * tuff_crc32_copy() - copy, and go on with a sum over what is copied
 * @crc: state before the bytes in front
 * @dst: where to; in front of it stand bytes that are summed up first
 * @front_len: how many these are; 4 to TUFF_CRC32_FRONT
 * @src: bytes that others may write to meanwhile
 * @len: how many
 *
 * Context: any but hard interrupts and NMI.
 * Return: the state after what stands at @dst.
 */
u32 tuff_crc32_copy(u32 crc, u8 *dst, u32 front_len, const u8 *src, u32 len)
{
	BUILD_BUG_ON(TUFF_CRC32_FRONT != 2 * TUFF_FOLD_BLOCK);

	if (tuff_crc32_folds(len))
		return tuff_crc32_fold(crc, dst, front_len, src, len);
	memcpy(dst, src, len);

	return tuff_crc32(crc, dst - front_len, front_len + len);
}
