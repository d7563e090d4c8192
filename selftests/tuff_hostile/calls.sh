#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a hostile user of system calls, beside traffic that goes on
#
#	TUFF_ROUNDS	500: 100 rounds of what takes long, 20000 calls of noise
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
ROUNDS=$((${TUFF_ROUNDS:-500} / 5))
CALLS=$((ROUNDS * 200))
if [ "${TUFF_DEBUG_FACTOR:-1}" != 1 ] && [ -z "${TUFF_ROUNDS:-}" ]; then
	ROUNDS=30 CALLS=6000
fi
"$HERE/tuff_hostile/verbs_calls" -d "$DEVA" -P "$DEVB" -n $CALLS -r $ROUNDS "$@"
