/* SPDX-License-Identifier: GPL-2.0 */
/* tuff: kept answers of READ and ATOMIC requests */
#ifndef _TUFF_ENGINE_REPLAY_H
#define _TUFF_ENGINE_REPLAY_H

#include "engine/qp.h"

bool tuff_replay_room(const struct tuff_qp *qp);
void tuff_replay_add_read(struct tuff_qp *qp, const struct tuff_pkt *pkt);
void tuff_replay_add_atomic(struct tuff_qp *qp, const struct tuff_pkt *pkt,
			    u64 orig);
bool tuff_replay_again(struct tuff_qp *qp, const struct tuff_pkt *pkt);
bool tuff_replay_pending(const struct tuff_qp *qp);
bool tuff_replay_run(struct tuff_qp *qp, int *budget);

#endif /* _TUFF_ENGINE_REPLAY_H */
