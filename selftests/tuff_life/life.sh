#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: ends: of queue pairs, links, netdevs, the module, processes, while
# they are busy
#
#	TUFF_LIFE_ROUNDS	rounds of load, use, unload (3); with it also a debug
#				kernel has as much to do as others
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

LIFE=$HERE/tuff_life/verbs_life
PAIRS=64 MANY=400
ROUNDS=${TUFF_LIFE_ROUNDS:-3}
# Under full load; five seconds on a debug kernel.
LIMIT_MS=1000
if [ "${TUFF_DEBUG_FACTOR:-1}" != 1 ]; then
	LIMIT_MS=5000
	[ -n "${TUFF_LIFE_ROUNDS:-}" ] || PAIRS=16 MANY=100
fi

now_ms()
{
	local up

	read -r up _ </proc/uptime
	echo $((${up/./} * 10))
}

# begin MODE [OPTION...]: run verbs_life until it is under way.
begin()
{
	local word=busy

	[ "$1" = hold ] && word=holding
	# Not by the process: what the last one said must not be read.
	: >"$WORK/life"
	stdbuf -oL "$LIFE" -d "$DEVA" -P "$DEVB" -t 300 "${@:2}" "$1" \
		<"$WORK/stdin" >"$WORK/life" 2>&1 &
	LIFE_PID=$!
	wait_for 60 grep -qx $word "$WORK/life"
}

said_end()
{
	wait_for 30 not kill -0 "$LIFE_PID" &&
		wait "$LIFE_PID" || { cat "$WORK/life"; return 1; }
	cat "$WORK/life"
	# That is how libibverbs calls IBV_EVENT_DEVICE_FATAL.
	grep -q "catastrophic" "$WORK/life" && grep -qx end "$WORK/life"
}

# timed WHAT COMMAND...: it ends in time.
timed()
{
	local what=$1 start took

	shift
	start=$(now_ms)
	"$@"
	took=$(($(now_ms) - start))
	echo "# $what: $took ms" >&3
	between 0 $LIMIT_MS $took "milliseconds for $what"
}

test_churn()
{
	finish 120 "$LIFE" -d "$DEVA" -P "$DEVB" -n $MANY churn
	leaves_nothing "$DEVA" "$DEVB"
}

test_kill()
{
	local i

	for i in 1 2; do
		begin hold -n $MANY
		kill -9 "$LIFE_PID"
		wait "$LIFE_PID" || true
		leaves_nothing "$DEVA" "$DEVB"
	done
}

test_link_delete()
{
	begin busy -n "$PAIRS"
	timed "rdma link delete, $PAIRS busy pairs" link_del "$DEVA"
	said_end
	link_add "$DEVA" "$VETHA" "$NSA"
	wait_for 10 gid_index "$DEVA" $IPA
}

test_netdev_delete()
{
	begin busy -n "$PAIRS"
	timed "ip link delete, $PAIRS busy pairs" \
		ip -n "$NSA" link delete "$VETHA"
	wait_for 5 not link_exists "$DEVA"
	said_end
}

test_namespace_delete()
{
	begin busy -n 16
	timed "ip netns delete, 16 busy pairs" ip netns delete "$NSA"
	wait_for 10 not link_exists "$DEVA"
	said_end
}

test_unload()
{
	begin busy -n "$PAIRS"
	# A debug kernel takes seconds to forget any module.
	[ "$LIMIT_MS" = 1000 ] || LIMIT_MS=10000
	timed "rmmod, $PAIRS busy pairs" unload
	said_end
	not loaded
	load
}

test_unload_with_rings_mapped()
{
	begin maps
	unload
	not loaded
	echo go >"$WORK/stdin"
	said_end
	load
}

# Right after the traffic the first rmmod succeeds.
test_loop()
{
	local i

	for ((i = 0; i < ROUNDS; i++)); do
		load
		pair_again
		"$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -q -t rc \
			-m 1024 -k burst -b 1 >"$WORK/data" ||
			{ cat "$WORK/data"; return 1; }
		unload
		not loaded
	done
	load
}

# Modules that are gone have left no memory, where the kernel can tell.
test_leaks()
{
	unload
	! command -v lab-leaks >/dev/null || lab-leaks
	load
}

# A test has taken the pair apart: make it anew.
pair_again()
{
	link_gone "$DEVA"
	link_gone "$DEVB"
	ip netns delete "$NSA" 2>/dev/null || true
	ip netns delete "$NSB" 2>/dev/null || true
	pair_two 4200
	wait_for 10 gid_index "$DEVA" $IPA
	wait_for 10 gid_index "$DEVB" $IPB
}

with_pair()
{
	load
	pair_again
	"$@"
}

pair_up || skip_all "no pair of links"
[ -z "$ALONE" ] || skip_all "needs two hosts"
mkfifo "$WORK/stdin"
exec 8<>"$WORK/stdin"
exec 3>&1	# where "timed" tells how long it took
run_tests \
	"destroyed under traffic and with timers running|test_churn" \
	"kill -9 with $MANY connections|test_kill" \
	"link deleted|with_pair test_link_delete" \
	"netdev deleted|with_pair test_netdev_delete" \
	"namespace deleted|with_pair test_namespace_delete" \
	"module unloaded|with_pair test_unload" \
	"module unloaded with rings mapped|with_pair test_unload_with_rings_mapped" \
	"load, use, unload, $ROUNDS times|test_loop" \
	"no memory left behind|test_leaks"
