#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: what a guest of the lab runs: the collections of $SUITES
#
# The kit lies on a read-only share; $LAB_OUT is kept by the host.
set -o pipefail

kit=/lab/share/kit
collections=()
for suite in ${SUITES:?which suites}; do
	collections+=(-c "$suite")
done
[ -z "${TUFF_LIMIT:-}" ] || collections+=(-o "$TUFF_LIMIT")
export TUFF_LINK_TYPE TUFF_EXPECT_ALL TUFF_TIME_SCALE TUFF_DEBUG_FACTOR TUFF_SEED
for name in TUFF_ROUNDS TUFF_EVENTS TUFF_PACKETS TUFF_SWEEP; do
	[ -z "${!name:-}" ] || export "${name?}"
done
for name in "${!KSELFTEST_@}"; do
	export "${name?}"
done
# Alone nobody takes what eth0 sends, and the watchdog complains.
[ "${LAB_GUESTS:-1}" -gt 1 ] || ip link set eth0 down 2>/dev/null
modprobe -q veth
sysctl -qw kernel.printk="4 4 1 7"

cd "$kit" || exit
start=$SECONDS
# The runner appends to its standard output: it must be a pipe.
./run_kselftest.sh "${collections[@]}" 2>&1 | cat
rc=$?
echo "# $((SECONDS - start)) s"
exit $rc
