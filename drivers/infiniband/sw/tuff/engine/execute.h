/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: carry out a request packet that stands at the expected PSN */
#ifndef _TUFF_ENGINE_EXECUTE_H
#define _TUFF_ENGINE_EXECUTE_H

#include "engine/qp.h"
#include "engine/responder.h"

struct tuff_verdict __must_check
tuff_execute(struct tuff_qp *qp, const struct tuff_pkt *pkt);

#endif /* _TUFF_ENGINE_EXECUTE_H */
