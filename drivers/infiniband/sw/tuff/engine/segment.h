/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: a send request cut into packets */
#ifndef _TUFF_ENGINE_SEGMENT_H
#define _TUFF_ENGINE_SEGMENT_H

#include "engine/types.h"

bool tuff_swqe_is_rd_atomic(const struct tuff_swqe *wqe);
u32 tuff_segment_npsn(const struct tuff_qp *qp, u32 length);
u32 tuff_segment(struct tuff_qp *qp, const struct tuff_swqe *wqe, u32 psn,
		 struct tuff_hdr *hdr, struct tuff_payload *pl);

#endif /* _TUFF_ENGINE_SEGMENT_H */
