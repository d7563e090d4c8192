// SPDX-License-Identifier: GPL-2.0
/* tuff: the fastest CRC-32 that this kernel has */
#include <crypto/hash.h>
#include <linux/crc32.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/module.h>

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
