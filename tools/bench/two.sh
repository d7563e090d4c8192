#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the benchmark of two guests on one segment, in each of them
#
# Guest 1 has the servers, guest 2 the clients and the results. These are wall
# time: the ratios of one run are what counts, and medians of several rounds.
export TUFF_TIME_SCALE=10
. /lab/share/kit/bench-lib.sh
. /lab/share/kit/lib/tuff_lib.sh

DEV=bench0
ROUNDS=${BENCH_ROUNDS:-5}
# shellcheck disable=SC2034 # bench-lib.sh
TOPOLOGY=two
PEER=192.0.2.1

listens()
{
	[ -n "$(ss -Hltn "sport = :$1")" ]
}

# both PORT "SERVER" "CLIENT": the client's output is in $WORK/client
both()
{
	local rc=0

	# shellcheck disable=SC2086
	if [ "$LAB_GUEST" = 1 ]; then
		timeout 100 $2 >"$WORK/server" 2>&1 &
		wait_for 20 listens "$1"
		lab-barrier server
		wait $! || rc=$?
	else
		lab-barrier server
		timeout 100 $3 >"$WORK/client" 2>&1 || rc=$?
	fi
	lab-barrier finished
	return $rc
}

# perf KEY COLUMN TOOL OPTION...
perf()
{
	local key=$1 column=$2 tool=ib_$3 round found=()

	shift 3
	for ((round = 0; round < ROUNDS; round++)); do
		both 18515 "$tool -d $DEV -x $GID -F $*" \
			"$tool -d $DEV -x $GID -F $* $PEER" || continue
		[ "$LAB_GUEST" = 1 ] ||
			found+=("$(perf_column "$column" "$WORK/client")")
	done
	[ "$LAB_GUEST" = 1 ] || median "$key" "${found[@]}"
}

tcp()
{
	local round found=()

	# shellcheck disable=SC2034 # bench-lib.sh
	LINK_TYPE=tcp
	for ((round = 0; round < ROUNDS; round++)); do
		if [ "$LAB_GUEST" = 1 ]; then
			qperf >/dev/null 2>&1 &
			wait_for 20 listens 19765
			lab-barrier server
			lab-barrier finished
			kill $!
		else
			lab-barrier server
			found+=("$(timeout 60 qperf -uu -t 2 $PEER tcp_bw |
				awk '$1 == "bw" { print $3 / 1048576 }')")
			lab-barrier finished
		fi
	done
	[ "$LAB_GUEST" = 1 ] || median bw "${found[@]}"
}

measure()
{
	# shellcheck disable=SC2034 # bench-lib.sh
	LINK_TYPE=$1
	if [ "$1" = rxe ]; then modprobe rdma_rxe; else lab-insmod tuff; fi ||
		exit 1
	rdma link add $DEV type "$1" netdev eth0 || exit 1
	wait_for 20 gid_index $DEV "192.0.2.$LAB_GUEST" || exit 1
	GID=$(gid_index $DEV "192.0.2.$LAB_GUEST")
	lab-barrier start
	perf write_bw_64K 4 write_bw -s 65536 -n 1000
	perf send_bw_64K 4 send_bw -s 65536 -n 1000
	perf read_bw_64K 4 read_bw -s 65536 -n 1000
	perf write_rate_64 5 write_bw -s 64 -n 5000
	perf read_lat_8 5 read_lat -s 8 -n 500
	lab-barrier end
	rdma link delete $DEV
	rmmod "$([ "$1" = rxe ] && echo rdma_rxe || echo tuff)" || FAILED=1
}

[ "$LAB_GUEST" = 1 ] || : >"$RESULTS"
measure rxe
measure tuff
tcp
[ "$LAB_GUEST" = 1 ] || python3 /lab/share/kit/table.py "$RESULTS" || FAILED=1
exit $FAILED
