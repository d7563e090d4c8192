/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: what the CPU can do */
#ifndef _TUFF_HOST_ASM_CPUFEATURE_H
#define _TUFF_HOST_ASM_CPUFEATURE_H

#define X86_FEATURE_PCLMULQDQ	"pclmul"
#define X86_FEATURE_AVX2	"avx2"
#define boot_cpu_has(feature)	__builtin_cpu_supports(feature)

#endif /* _TUFF_HOST_ASM_CPUFEATURE_H */
