#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: many objects at a time, whose memory comes back; one CPU that is busy
#
#	TUFF_LOAD_QPS, TUFF_LOAD_MRS, TUFF_LOAD_CQS	how many at a time
#	TUFF_LOAD_SECONDS	how long four queue pairs keep one CPU busy
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

LOAD=$HERE/tuff_load/verbs_load
QPS=${TUFF_LOAD_QPS:-512}
MRS=${TUFF_LOAD_MRS:-10000}
CQS=${TUFF_LOAD_CQS:-1000}
BUSY=${TUFF_LOAD_SECONDS:-10}
SLACK_KB=2048	# what the kernel keeps for itself, whatever the load

# Memory that nobody can have: what a leak makes more.
used_kb()
{
	local - name value sum=0

	set +x
	echo 3 >/proc/sys/vm/drop_caches
	while read -r name value _; do
		case $name in
		SUnreclaim: | VmallocUsed: | Percpu: | PageTables:)
			sum=$((sum + value)) ;;
		esac
	done </proc/meminfo
	echo $sum
}

back_to()
{
	local now

	now=$(used_kb)
	[ "$now" -le "$1" ] || fail "$now kB, expected no more than $1"
}

# The second time takes no more memory than the first one left: what is kept
# once, for all that come, is not a leak.
returns_memory()
{
	local before

	finish 300 "$LOAD" -d "$DEVA" -P "$DEVB" "$@"
	before=$(used_kb)
	finish 300 "$LOAD" -d "$DEVA" -P "$DEVB" "$@"
	wait_for 10 back_to $((before + SLACK_KB))
	leaves_nothing "$DEVA" "$DEVB"
}

# The lab looks for soft lockups in the kernel's log.
test_busy()
{
	local cpu

	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[ -e "$cpu" ] || continue
		defer "echo 1 >$cpu"
		echo 0 >"$cpu"
	done
	finish $((BUSY + 60)) "$LOAD" -d "$DEVA" -P "$DEVA" -n 4 -t "$BUSY" busy
	finish $((BUSY + 60)) "$LOAD" -d "$DEVA" -P "$DEVB" -n 4 -t "$BUSY" busy
}

pair_up || skip_all "no pair of links"
run_tests \
	"$QPS queue pairs with traffic|returns_memory -n $QPS qps" \
	"$MRS regions|returns_memory -n $MRS mrs" \
	"$CQS completion queues|returns_memory -n $CQS cqs" \
	"one CPU, four busy queue pairs for $BUSY s|test_busy"
