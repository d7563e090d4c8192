#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the same races between two hosts: by packets
#
#	TUFF_ROUNDS	rounds of each (500; debug kernel 60)
#	TUFF_EVENTS	messages of the event test (20000; debug kernel 5000)
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
# Long enough for a slow machine that requests of a stream meet their ends
# while they wait for more.
gather=/sys/module/tuff/parameters/gather
if [ -w $gather ]; then
	defer "echo $(cat $gather) >$gather"
	echo 1000 >$gather
fi
ROUNDS=500 EVENTS=20000
[ "${TUFF_DEBUG_FACTOR:-1}" = 1 ] || ROUNDS=60 EVENTS=5000
"$HERE/tuff_races/verbs_races" -d "$DEVA" -P "$DEVB" -n "${TUFF_ROUNDS:-$ROUNDS}" \
	-e "${TUFF_EVENTS:-$EVENTS}" -s "${TUFF_SEED:-1}" "$@"
