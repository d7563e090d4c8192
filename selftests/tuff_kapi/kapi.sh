#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a kernel consumer (kmod/), alone and over the wire
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

KO=${TUFF_KAPI_KO:-/lab/mod/tuff_kapi.ko}

# Each test of the module is a test of ours.
results()
{
	insmod "$KO" dev="$1" peer="$2" || return
	timeout $((60 * TIME_SCALE)) cat /sys/kernel/debug/tuff_kapi/results \
		>"$WORK/$3"
	rmmod tuff_kapi
}

has_passed()
{
	grep "^# " "$WORK/$1" || true
	grep -qx "ok [0-9]* $2" <(tr ' ' _ <"$WORK/$1" | sed 's/_/ /; s/_/ /')
}

pair_up || skip_all "no pair of links"
[ -e "$KO" ] || skip_all "no tuff_kapi.ko"
results "$DEVA" "$DEVA" alone
results "$DEVA" "$DEVB" wire
tests=()
for how in alone wire; do
	while read -r name; do
		tests+=("$how: ${name//_/ }|has_passed $how $name")
	done < <(sed -n 's/^\(not \)\?ok [0-9]* //p' "$WORK/$how" | tr ' ' _)
done
[ ${#tests[@]} -gt 0 ] || skip_all "the module gave no results"
run_tests "${tests[@]}"
