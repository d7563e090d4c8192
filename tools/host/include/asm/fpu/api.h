/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: a process always owns its FPU */
#ifndef _TUFF_HOST_ASM_FPU_API_H
#define _TUFF_HOST_ASM_FPU_API_H

static inline void kernel_fpu_begin(void) { }
static inline void kernel_fpu_end(void) { }

#endif /* _TUFF_HOST_ASM_FPU_API_H */
