/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: what comes back to a requester: ACK, NAK, READ data, ATOMIC results */
#ifndef _TUFF_ENGINE_COMPLETER_H
#define _TUFF_ENGINE_COMPLETER_H

#include "engine/qp.h"

void tuff_completer_handle(struct tuff_qp *qp, const struct tuff_pkt *pkt);

#endif /* _TUFF_ENGINE_COMPLETER_H */
