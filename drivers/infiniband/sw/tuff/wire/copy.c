// SPDX-License-Identifier: GPL-2.0
/* tuff: the fastest copy of a payload that this CPU has */
#include "wire/copy.h"

#include <linux/jump_label.h>
#include <linux/kasan-checks.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "wire/wide.h"

/* Below this the FPU costs more than wide registers save. */
#define TUFF_COPY_WIDE_MIN	512

static bool tuff_wide = true;
module_param_named(wide, tuff_wide, bool, 0644);
MODULE_PARM_DESC(wide, "Copy payloads with registers of 32 bytes where they are faster");

static DEFINE_STATIC_KEY_FALSE(tuff_copy_can_wide);

#ifdef CONFIG_X86_64
#include <asm/cpufeature.h>
#include <asm/fpu/api.h>

/* Where the CPU has fast short string moves memcpy() is them, and best. */
static bool tuff_copy_wide_pays(void)
{
	return boot_cpu_has(X86_FEATURE_AVX2) &&
	       !boot_cpu_has(X86_FEATURE_FSRM) &&
	       cpu_has_xfeatures(XFEATURE_MASK_SSE | XFEATURE_MASK_YMM, NULL);
}

/* Copies whole blocks; returns how many bytes that were. */
static u32 tuff_copy_blocks(void *dst, const void *src, u32 len)
{
	u32 done = round_down(len, TUFF_WIDE_BLOCK);

	if (!irq_fpu_usable())
		return 0;
	kasan_check_read(src, done);
	kasan_check_write(dst, done);
	kernel_fpu_begin();
	tuff_wide_copy(dst, src, done / TUFF_WIDE_BLOCK);
	kernel_fpu_end();

	return done;
}
#else
static bool tuff_copy_wide_pays(void)
{
	return false;
}

static u32 tuff_copy_blocks(void *dst, const void *src, u32 len)
{
	return 0;
}
#endif

/**
 * tuff_copy_init() - choose how to copy
 *
 * Context: module init.
 */
void tuff_copy_init(void)
{
	if (tuff_copy_wide_pays())
		static_branch_enable(&tuff_copy_can_wide);
}

/**
 * tuff_copy_is_wide() - are registers of 32 bytes of use?
 *
 * Context: any.
 * Return: true when they are there, and not turned off.
 */
bool tuff_copy_is_wide(void)
{
	return static_branch_likely(&tuff_copy_can_wide) &&
	       READ_ONCE(tuff_wide);
}

/**
 * tuff_copy() - memcpy() for payloads
 * @dst: where to
 * @src: where from; each byte is read once
 * @len: bytes
 *
 * Context: any but hard interrupts and NMI.
 */
void tuff_copy(void *dst, const void *src, u32 len)
{
	u32 done = 0;

	if (len >= TUFF_COPY_WIDE_MIN && tuff_copy_is_wide())
		done = tuff_copy_blocks(dst, src, len);
	memcpy(dst + done, src + done, len - done);
}
