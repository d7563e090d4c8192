/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: acknowledgements: one at the end of a run */
#ifndef _TUFF_ENGINE_ACK_H
#define _TUFF_ENGINE_ACK_H

#include "engine/qp.h"

void tuff_ack_run(struct tuff_qp *qp);

#endif /* _TUFF_ENGINE_ACK_H */
