/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: byte order */
#ifndef _TUFF_HOST_ASM_BYTEORDER_H
#define _TUFF_HOST_ASM_BYTEORDER_H

/* The uapi header has the forms with underscores. */
#include_next <asm/byteorder.h>

#include <linux/types.h>

#define cpu_to_le16	__cpu_to_le16
#define cpu_to_le32	__cpu_to_le32
#define cpu_to_le64	__cpu_to_le64
#define le16_to_cpu	__le16_to_cpu
#define le32_to_cpu	__le32_to_cpu
#define le64_to_cpu	__le64_to_cpu
#define cpu_to_be16	__cpu_to_be16
#define cpu_to_be32	__cpu_to_be32
#define cpu_to_be64	__cpu_to_be64
#define be16_to_cpu	__be16_to_cpu
#define be32_to_cpu	__be32_to_cpu
#define be64_to_cpu	__be64_to_cpu
#define be16_to_cpup	__be16_to_cpup
#define be32_to_cpup	__be32_to_cpup
#define be64_to_cpup	__be64_to_cpup

#endif /* _TUFF_HOST_ASM_BYTEORDER_H */
