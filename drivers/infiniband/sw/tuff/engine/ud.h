/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: datagrams (UD and GSI) */
#ifndef _TUFF_ENGINE_UD_H
#define _TUFF_ENGINE_UD_H

#include "engine/qp.h"

bool tuff_ud_send(struct tuff_qp *qp, struct tuff_swqe *wqe);
void tuff_ud_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt);

#endif /* _TUFF_ENGINE_UD_H */
