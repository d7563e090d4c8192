#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the guest's part of the benchmark: measure rdma_rxe, unload it, load
# tuff, measure the same
#
# One vCPU: two ends that both poll would measure the scheduler's time slices,
# so latencies sleep on events; perftest's WRITE cannot, qperf's can.
kit=/lab/share/kit
. "$kit/bench-lib.sh"
# A guest that counts instructions is fast by its own clock. What takes this
# long will never end: rdma_rxe of 7.3 sleeps for ever in some lines with events.
export TUFF_TIME_SCALE=1 CALL_LIMIT=30

# perf KEY COLUMN TOOL OPTION...: a number of perftest's result line
perf()
{
	local key=$1 column=$2 tool=ib_$3

	shift 3
	if serve_call nsa nsb 18515 "$tool -d $DEVA -x $GIDA -F $*" \
		"$tool -d $DEVB -x $GIDB -F $* $IPA" >"$WORK/perf"; then
		value "$key" "$(perf_column "$column" "$WORK/client")"
	else
		tail -n 5 "$WORK/perf" | sed 's/^/# /'
		value "$key" ""
	fi
}

# qperf_one KEY TEST OPTION...: a number of qperf, in its machine-readable
# form. Bandwidths are in the units of perftest, 2^20 bytes.
qperf_one()
{
	local key=$1 test=$2

	shift 2
	nsb timeout "$CALL_LIMIT" qperf -uu -t 1 "$@" $IPA "$test" >"$WORK/qperf" 2>&1
	value "$key" "$(awk '
		BEGIN { us["ns"] = 1e-3; us["us"] = 1; us["ms"] = 1e3
			us["sec"] = 1e6 }
		$1 == "latency" { v = $3 * us[$4] }
		$1 == "bw" { v = $3 / 1048576 }
		END { print v }' "$WORK/qperf")"
}

qperf_up()
{
	start nsa qperf >/dev/null 2>&1
	qperf_pid=$STARTED
	wait_for 20 tcp_listens nsa 19765
}

qperf_down()
{
	kill $qperf_pid
	wait $qperf_pid 2>/dev/null
}

# One TCP stream, and TCP's ping-pong, over the same veth
tcp()
{
	qperf_up
	# shellcheck disable=SC2034 # bench-lib.sh
	LINK_TYPE=tcp
	qperf_one bw tcp_bw
	qperf_one lat tcp_lat
	qperf_down
}

# Microseconds of a round of ibv_rc_pingpong, both ends asleep until an event
pingpong()
{
	if serve_call nsa nsb 18515 \
		"ibv_rc_pingpong -d $DEVA -g $GIDA -s 4096 -n 500 -e" \
		"ibv_rc_pingpong -d $DEVB -g $GIDB -s 4096 -n 500 -e $IPA" \
		>"$WORK/perf"; then
		value "$1" "$(sed -n 's/.* = \([0-9.]*\) usec\/iter/\1/p' \
			"$WORK/client")"
	else
		tail -n 5 "$WORK/perf" | sed 's/^/# /'
		value "$1" ""
	fi
}

# Where the responder needs no process, the requester may poll.
polled()
{
	perf read_lat_8_polled 5 read_lat -s 8 -n 1000
	perf atomic_lat_8_polled 5 atomic_lat -n 1000
}

# netem_on OPTION...: in both directions. It draws for each sk_buff, so that
# loss hits packets of tuff as it does the rival's only one by one.
netem_on()
{
	local side

	for side in "$NSA $VETHA" "$NSB $VETHB"; do
		# shellcheck disable=SC2086
		set_side $side "$@" || return
	done
}

set_side()
{
	local ns=$1 dev=$2

	shift 2
	ip -n "$ns" link set "$dev" gso_max_segs 1
	tc -n "$ns" qdisc replace dev "$dev" root netem limit 100000 "$@"
}

# What is left of the bandwidth on a bad network
loss()
{
	GIDA=$(gid_index "$DEVA" $IPA) GIDB=$(gid_index "$DEVB" $IPB)
	CALL_LIMIT=200
	netem_on delay 0
	perf loss_none 4 write_bw -s 65536 -n 1000
	netem_on loss 0.1%
	perf loss_0.1 4 write_bw -s 65536 -n 1000
	netem_on loss 1%
	perf loss_1 4 write_bw -s 65536 -n 1000
	netem_on loss 5%
	perf loss_5 4 write_bw -s 65536 -n 500
	netem_on delay 1ms
	perf delay_1ms 4 write_bw -s 65536 -n 1000
	netem_on delay 1ms reorder 25% 50%
	perf reorder_25 4 write_bw -s 65536 -n 1000
}

# held MODE NUMBER COMMAND...: while a process has so many
held()
{
	local mode=$1 number=$2 pid rc=1

	shift 2
	: >"$WORK/hold"
	"$kit/tuff_life/verbs_life" -d "$DEVA" -P "$DEVB" -n "$number" "$mode" \
		>"$WORK/hold" 2>&1 &
	pid=$!
	if wait_for 100 grep -qx holding "$WORK/hold"; then
		"$@"
		rc=0
	else
		cat "$WORK/hold"
	fi
	kill -9 $pid
	wait $pid 2>/dev/null
	return $rc
}

# Timers and tasklets of ours that run in ten seconds in which nobody does
# anything
idle()
{
	local trace=/sys/kernel/tracing event

	mountpoint -q $trace || mount -t tracefs tracefs $trace
	: >$trace/trace
	for event in timer/hrtimer_expire_entry timer/timer_expire_entry \
		irq/tasklet_entry workqueue/workqueue_execute_start; do
		[ ! -e $trace/events/$event ] || echo 1 >$trace/events/$event/enable
	done
	sleep 10
	echo 0 >$trace/events/enable
	# The tick's timer is seen when anything is.
	if grep -q tick $trace/trace; then
		value idle_wakeups "$(grep -c 'tuff\|rxe' $trace/trace)"
	else
		value idle_wakeups ""
	fi
}

# What a message costs when there are many of what it does not use
growth()
{
	local n

	GIDA=$(gid_index "$DEVA" $IPA) GIDB=$(gid_index "$DEVB" $IPB)
	held hold 250 idle || value idle_wakeups ""
	perf grow_none 5 write_bw -s 64 -n 4000
	for n in 50 5000; do
		held hold $n perf grow_qps_$((2 * n)) 5 write_bw -s 64 -n 4000 ||
			value grow_qps_$((2 * n)) ""
	done
	for n in 10 100000; do
		held regions $n perf grow_mrs_$n 5 write_bw -s 64 -n 4000 ||
			value grow_mrs_$n ""
	done
}

# What make check measures: no line that another task's time slice changes.
smoke()
{
	GIDA=$(gid_index "$DEVA" $IPA) GIDB=$(gid_index "$DEVB" $IPB)
	perf write_bw_64K 4 write_bw -s 65536 -n 400
	perf write_rate_64 5 write_bw -s 64 -n 4000
	[ "$TOPOLOGY" = alone ] || return 0
	perf read_bw_64K 4 read_bw -s 65536 -n 400 -e
	perf read_lat_8 5 read_lat -s 8 -n 300 -e
	perf send_rate_64_events 5 send_bw -s 64 -n 4000 -r 4096 -e
}

speed()
{
	GIDA=$(gid_index "$DEVA" $IPA) GIDB=$(gid_index "$DEVB" $IPB)
	perf write_bw_64K 4 write_bw -s 65536 -n 400
	perf send_bw_64K 4 send_bw -s 65536 -n 400 -e
	perf read_bw_64K 4 read_bw -s 65536 -n 400 -e
	perf send_lat_8 5 send_lat -s 8 -n 300 -e
	perf read_lat_8 5 read_lat -s 8 -n 300 -e
	perf write_rate_64 5 write_bw -s 64 -n 4000
	perf send_rate_64 5 send_bw -s 64 -n 4000 -r 4096
	perf send_rate_64_events 5 send_bw -s 64 -n 4000 -r 4096 -e
	perf ud_rate_1K 5 send_bw -c UD -s 1024 -n 2000 -r 4096
	perf ud_rate_64_events 5 send_bw -c UD -s 64 -n 2000 -r 4096 -e
	perf ud_lat_8 5 send_lat -c UD -s 8 -n 300 -e
	pingpong pingpong_4K
	if [ "$TOPOLOGY" = alone ]; then
		perf write_bw_64K_1024 4 write_bw -s 65536 -n 200 -m 1024
		perf send_bw_64K_1024 4 send_bw -s 65536 -n 200 -m 1024 -e
		perf read_bw_64K_1024 4 read_bw -s 65536 -n 200 -m 1024 -e
	fi
	polled
	[ -z "${BENCH_QUICK:-}" ] || return 0
	qperf_up
	qperf_one qperf_send_lat_1 rc_lat -cm1
	qperf_one qperf_write_lat_1 rc_rdma_write_lat -cm1
	qperf_one qperf_read_lat_1 rc_rdma_read_lat -cm1
	qperf_one qperf_send_bw_64K rc_bw -cm1
	qperf_one qperf_write_bw_64K rc_rdma_write_bw -cm1
	qperf_down
}

meminfo()
{
	sed -n "s/^$1: *\([0-9]*\) kB/\1/p" /proc/meminfo
}

# KiB of rings that a process has mapped
mapped_rings()
{
	local range rest sum=0

	while read -r range rest; do
		case $rest in
		*uverbs*) sum=$((sum + 0x${range#*-} - 0x${range%-*})) ;;
		esac
	done < "/proc/$1/maps"
	echo $((sum / 1024))
}

# KiB that are free, and kept by a CPU
kept_by_cpus()
{
	awk '$1 == "count:" { pages += $2 } END { print pages * 4 }' \
		/proc/zoneinfo
}

# Kernel memory in KiB: all that is neither free nor a process's nor a file's
kernel_memory_now()
{
	local all part cache

	sync
	echo 3 >/proc/sys/vm/drop_caches
	# What a slab cache keeps for later counts as free only after this.
	for cache in /sys/kernel/slab/*/shrink; do
		echo 1 >"$cache"
	done
	all=$(($(meminfo MemTotal) - $(kept_by_cpus)))
	for part in MemFree Buffers Cached AnonPages PageTables; do
		all=$((all - $(meminfo $part)))
	done
	echo $all
}

# The same when what ended before has given its memory back, for which RCU takes
# up to ten seconds.
kernel_memory()
{
	local was=0 now=-1000 i

	sleep 11
	for ((i = 0; i < 10 && (now > was + 64 || now < was - 64); i++)); do
		was=$now
		sleep 1
		now=$(kernel_memory_now)
	done
	echo "$now"
}

# Bytes per idle connected RC queue pair, without its rings. The completion
# queues and buffers of the process are the same whatever the number of pairs.
memory()
{
	local few many

	held hold 10 memory_of few && held hold 510 memory_of many ||
		few=
	value memory_per_qp "${few:+$(((many - few) * 1024 / 1000))}"
}

# memory_of VARIABLE: kernel memory without the rings that are mapped, in KiB
memory_of()
{
	printf -v "$1" %s $(($(kernel_memory) - $(mapped_rings $!)))
}

# measure TYPE ALONE TOPOLOGY MTU
measure()
{
	export TUFF_LINK_TYPE=$1 TUFF_ALONE=$2
	TOPOLOGY=$3
	case " ${BENCH_ONLY:-$3} " in
	*" $3 "*) ;;
	*) return ;;
	esac
	(
		. "$kit/lib/tuff_lib.sh"
		. "$kit/lib/peer.sh"
		pair_up "$4" || { echo "no links of type $1"; exit 1; }
		if [ -n "${BENCH_SMOKE:-}" ]; then
			smoke
		elif [ "$TOPOLOGY" = loss ] || [ "$TOPOLOGY" = growth ]; then
			$TOPOLOGY
		else
			[ "$TOPOLOGY" = alone ] && memory
			speed
		fi
		case $1$2$TOPOLOGY in
		tuffwire*) tcp ;;
		esac
		exit $FAILED
	) || FAILED=1
	rmmod "$([ "$1" = rxe ] && echo rdma_rxe || echo tuff)" || FAILED=1
}

modprobe -a veth sch_netem
: >"$RESULTS"
for type in rxe tuff; do
	measure $type 1 alone 4200
	[ -n "${BENCH_SMOKE:-}" ] || measure $type 1 growth 4200
	case $type$(uname -r) in
	rxe6.*) continue ;;
	esac
	measure $type "" wire4500 4500
	[ -n "${BENCH_SMOKE:-}" ] && continue
	measure $type "" wire1500 1500
	measure $type "" loss 4500
done
if [ -n "${BENCH_SMOKE:-}" ]; then
	exec python3 "$kit/table.py" --expected "$kit/expected" "$RESULTS"
fi
python3 "$kit/table.py" "$RESULTS" || FAILED=1
exit $FAILED
