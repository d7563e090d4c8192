/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: both ends on this host: requests go from QP to QP without packets */
#ifndef _TUFF_WIRE_LOOP_H
#define _TUFF_WIRE_LOOP_H

#include "tuff.h"

void tuff_loop_setup(struct tuff_vqp *vqp);
void tuff_loop_forget_peer(struct tuff_vqp *vqp);
void tuff_loop_quiesce(struct tuff_vqp *vqp);
void tuff_loop_purge(struct tuff_vqp *vqp);

#endif /* _TUFF_WIRE_LOOP_H */
