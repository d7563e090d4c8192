#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the benchmark of two CPUs, and of many queue pairs in one process
#
# Both ends are one device. These are wall time: the ratios of one run are what
# counts, and medians of several rounds.
export TUFF_TIME_SCALE=10 TUFF_LINK_TYPE=tuff TUFF_ALONE=1
kit=/lab/share/kit
. "$kit/bench-lib.sh"
. "$kit/lib/tuff_lib.sh"
. "$kit/lib/peer.sh"

ROUNDS=${BENCH_ROUNDS:-5}
# shellcheck disable=SC2034 # bench-lib.sh
TOPOLOGY=cores
LENGTH=(-s 65536 -n 4000)

# pair CPU OPTION...: perftest with itself on a CPU; MiB/s go to $WORK/cpuN
pair()
{
	local cpu=$1 port=$((18515 + $1))

	shift
	taskset -c "$cpu" ib_write_bw -d "$DEVA" -x "$GID" -F -p $port "$@" \
		>"$WORK/server$cpu" 2>&1 &
	wait_for 20 tcp_listens nsa $port || return
	timeout 100 taskset -c "$cpu" ib_write_bw -d "$DEVA" -x "$GID" -F \
		-p $port "$@" $IPA >"$WORK/client$cpu" 2>&1
	wait $!
	perf_column 4 "$WORK/client$cpu" >"$WORK/cpu$cpu"
}

# One pair; two at once, each on its CPU
pairs()
{
	local round one=() both=()

	for ((round = 0; round < ROUNDS; round++)); do
		pair 0 "${LENGTH[@]}"
		one+=("$(cat "$WORK/cpu0")")
		pair 0 "${LENGTH[@]}" &
		pair 1 "${LENGTH[@]}"
		wait
		both+=("$(cat "$WORK"/cpu[01] | awk '{ s += $1 } END { print s }')")
	done
	median pairs_1 "${one[@]}"
	median pairs_2 "${both[@]}"
}

# queue_pairs N: in one process, which has so many
queue_pairs()
{
	local round found=()

	for ((round = 0; round < ROUNDS; round++)); do
		pair 0 -s 65536 -q "$1" -n $((8192 / $1)) -t 8
		found+=("$(cat "$WORK/cpu0")")
	done
	median "queue_pairs_$1" "${found[@]}"
}

: >"$RESULTS"
pair_up 4200 || exit 1
GID=$(gid_index "$DEVA" $IPA)
pairs
for n in 2 64 1024; do
	queue_pairs $n
done
python3 "$kit/table.py" "$RESULTS" || FAILED=1
exit $FAILED
