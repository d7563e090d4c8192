/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: host shim: CRC-32 */
#ifndef _TUFF_HOST_LINUX_CRC32_H
#define _TUFF_HOST_LINUX_CRC32_H

#include <linux/types.h>

u32 crc32_le(u32 crc, const void *p, size_t len);

#endif /* _TUFF_HOST_LINUX_CRC32_H */
