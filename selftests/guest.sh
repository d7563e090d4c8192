#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: what a guest of the lab runs: the collections of $SUITES
#
# A suite may be one test of a collection, COLLECTION:TEST. The kit lies on a
# read-only share; $LAB_OUT is kept by the host.
set -o pipefail

kit=/lab/share/kit
selected=()
limit=0
for suite in ${SUITES:?which suites}; do
	case $suite in
	*:*) selected+=(-t "$suite") ;;
	*) selected+=(-c "$suite") ;;
	esac
	own=$(sed -n 's/timeout=//p' "$kit/${suite%%:*}/settings")
	[ "$own" -le $limit ] || limit=$own
done
# More time on a slow kernel: the longest limit, so many times, is everybody's.
if [ -n "${TUFF_LIMIT:-}" ]; then
	selected+=(-o "$TUFF_LIMIT")
elif [ "${TUFF_DEBUG_FACTOR:-1}" != 1 ]; then
	selected+=(-o $((limit * TUFF_DEBUG_FACTOR)))
fi
for name in "${!KSELFTEST_@}" "${!TUFF_@}"; do
	export "${name?}"
done
# Alone nobody takes what eth0 sends, and the watchdog complains.
[ "${LAB_GUESTS:-1}" -gt 1 ] || ip link set eth0 down 2>/dev/null
modprobe -q veth
sysctl -qw kernel.printk="4 4 1 7"

cd "$kit" || exit
start=$SECONDS
# The runner appends to its standard output: it must be a pipe.
./run_kselftest.sh "${selected[@]}" 2>&1 | cat
rc=$?
echo "# $((SECONDS - start)) s"
exit $rc
