/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: one packet as an sk_buff */
#ifndef _TUFF_WIRE_FRAME_H
#define _TUFF_WIRE_FRAME_H

#include <linux/types.h>

#include "tuff.h"

struct dst_entry;
struct sk_buff;
struct tuff_hdr;
struct tuff_payload;

struct sk_buff *tuff_frame_build(struct tuff_vqp *vqp, struct tuff_av *av,
				 struct dst_entry *dst,
				 const struct tuff_hdr *hdr,
				 const struct tuff_payload *pl);
bool tuff_frame_is_sealed(const struct sk_buff *skb, u32 hdr_len,
			  const u8 *masked, u32 masked_len);
void tuff_frame_init(void);

#endif /* _TUFF_WIRE_FRAME_H */
