/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: doorbells that wait for more of them */
#ifndef _TUFF_VERBS_GATHER_H
#define _TUFF_VERBS_GATHER_H

#include "tuff.h"

void tuff_gather_setup(struct tuff_vqp *vqp);
bool tuff_gather_doorbell(struct tuff_vqp *vqp);
void tuff_gather_done(struct tuff_vqp *vqp);
void tuff_gather_stop(struct tuff_vqp *vqp);

#endif /* _TUFF_VERBS_GATHER_H */
