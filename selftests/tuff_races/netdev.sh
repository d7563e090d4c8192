#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the ground goes: netdev, namespace, link, process, all at once
#
#	TUFF_ROUNDS	200: four rounds of each, since each takes seconds; debug
#			kernel: one
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

RACES=$HERE/tuff_races/verbs_races
ROUNDS=200 QPS=2000
[ "${TUFF_DEBUG_FACTOR:-1}" = 1 ] || ROUNDS=50 QPS=600
ROUNDS=$(((${TUFF_ROUNDS:-$ROUNDS} + 49) / 50))

count_is()
{
	[ "$(objects "$1" "$2" | head -n 1)" = "$3" ]
}

# Only the GSI queue pair is left.
leaves_nothing()
{
	local what

	wait_for 20 count_is "$1" qp 1
	for what in cq mr pd srq ctx; do
		wait_for 20 count_is "$1" $what "${BEFORE[$what]}"
	done
}

count_before()
{
	local what

	declare -gA BEFORE
	for what in cq mr pd srq ctx; do
		BEFORE[$what]=$(objects "$DEVA" $what | head -n 1)
	done
}

no_socket()
{
	[ -z "$(ip netns exec "$1" ss -Huan sport = :4791 2>/dev/null)" ]
}

# A pair of hosts of its own for each round: what a round ends is not mended.
host_pair()
{
	local tag

	tag=$(mktemp -u XXXXX)
	NSA=tfA$tag NSB=tfB$tag VETHA=vA$tag VETHB=vB$tag
	DEVA=ta$tag DEVB=tb$tag
	pair_two 4200
	wait_for 10 gid_index "$DEVA" $IPA
	wait_for 10 gid_index "$DEVB" $IPB
}

busy_begin()
{
	# Not by the process: what the last one said must not be read.
	: >"$WORK/busy"
	stdbuf -oL "$RACES" -d "$DEVA" -P "$DEVB" -n 300 busy >"$WORK/busy" \
		2>&1 &
	BUSY=$!
	wait_for 60 grep -qx busy "$WORK/busy"
}

busy_end()
{
	wait_for 60 not kill -0 $BUSY
	wait $BUSY || { cat "$WORK/busy"; return 1; }
	grep -qx end "$WORK/busy"
}

# ibv_devinfo all the while: it fails when the device goes, and never hangs.
look()
{
	local - rc

	set +x
	while [ -e "$WORK/look" ]; do
		rc=0
		finish 20 ibv_devinfo -v >/dev/null 2>&1 || rc=$?
		[ $rc != 124 ] || touch "$WORK/hung"
		rc=0
		finish 20 rdma resource show qp >/dev/null 2>&1 || rc=$?
		[ $rc != 124 ] || touch "$WORK/hung"
		echo look >>"$WORK/looks"
	done
}

# All of these meet; which of them find something to do is theirs.
all_at_once()
{
	local pids=() cmd

	for cmd in "$@"; do
		$cmd >/dev/null 2>&1 &
		pids+=($!)
	done
	for cmd in "${pids[@]}"; do
		wait "$cmd" || true
	done
}

# one_round N: in turn, each of the ends is the first by a hair.
one_round()
{
	local ends n=$1 i

	host_pair
	busy_begin
	ends=("rdma link delete $DEVA"
	      "ip -n $NSA link delete $VETHA"
	      "ip -n $NSA link set $VETHA netns $NSB"
	      "ip -n $NSA link set $VETHA down name rn$n"
	      "ip netns delete $NSA"
	      "ip -n $NSB link set $VETHB mtu 1500"
	      "rdma link delete $DEVA")
	for ((i = 0; i < n % ${#ends[@]}; i++)); do
		ends=("${ends[@]:1}" "${ends[0]}")
	done
	all_at_once "${ends[@]}"
	wait_for 60 not link_exists "$DEVA"
	busy_end
	# It may be on its way already: its netdev was the other one's peer.
	link_gone "$DEVB" || true
	wait_for 20 not link_exists "$DEVB"
	ip netns delete "$NSA" 2>/dev/null || true
	wait_for 10 no_socket "$NSB"
	ip netns delete "$NSB"
}

test_all_at_once()
{
	local n pid

	touch "$WORK/look"
	trap 'rm -f "$WORK/look"' EXIT
	look &
	pid=$!
	for ((n = 0; n < ROUNDS; n++)); do
		one_round $n
	done
	rm "$WORK/look"
	wait $pid
	echo "$n rounds, $(wc -l <"$WORK/looks") looks"
	[ ! -e "$WORK/hung" ] || fail "a look at the devices hung"
}

# A link that cannot be: nothing of it stays.
test_failed_add()
{
	local n

	host_pair
	link_gone "$DEVA"
	wait_for 10 no_socket "$NSA"
	for ((n = 0; n < ROUNDS * 10; n++)); do
		# The name is taken, by the link of the other host.
		not link_add "$DEVB" "$VETHA" "$NSA"
		no_socket "$NSA"
		not link_add "$DEVA" nosuch "$NSA"
		no_socket "$NSA"
	done
	start nsa python3 -c '
import socket, time
held = socket.socket(socket.AF_INET6, socket.SOCK_DGRAM)
held.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
held.bind(("::", 4791))
print("held", flush=True)
time.sleep(600)' >"$WORK/held"
	wait_for 20 grep -q held "$WORK/held"
	for ((n = 0; n < ROUNDS * 10; n++)); do
		# IPv4 was to be had, IPv6 is not: the first is given back.
		not link_add "$DEVA" "$VETHA" "$NSA"
		[ -z "$(nsa ss -4Huan sport = :4791)" ]
	done
	kill "$STARTED"
	wait "$STARTED" || true
	link_add "$DEVA" "$VETHA" "$NSA"
	link_gone "$DEVA"
	link_gone "$DEVB"
	ip netns delete "$NSA"
	ip netns delete "$NSB"
}

# It has made its queue pairs, or has failed to.
holds_or_ended()
{
	grep -qx holding "$WORK/hold" || not kill -0 "$BUSY"
}

test_kill()
{
	local n

	host_pair
	count_before
	for ((n = 0; n < (ROUNDS + 4) / 5; n++)); do
		: >"$WORK/hold"
		stdbuf -oL "$RACES" -d "$DEVA" -n "$QPS" hold >"$WORK/hold" \
			2>&1 &
		BUSY=$!
		wait_for 50 holds_or_ended
		grep -qx holding "$WORK/hold" ||
			{ cat "$WORK/hold"; return 1; }
		kill -9 $BUSY
		wait $BUSY || true
		leaves_nothing "$DEVA"
	done
	echo "$n times $QPS queue pairs"
	link_gone "$DEVA"
	link_gone "$DEVB"
	ip netns delete "$NSA"
	ip netns delete "$NSB"
}

# Packets that wait in a queueing discipline outlive their queue pairs, and
# their destructors find everything as it has to be.
test_delayed()
{
	local n

	for ((n = 0; n < ROUNDS; n++)); do
		host_pair
		busy_begin
		ip netns exec "$NSA" tc qdisc add dev "$VETHA" root netem \
			delay 300ms limit 10000
		sleep 0.2
		case $((n % 3)) in
		0) kill -9 $BUSY; wait $BUSY || true ;;
		1) link_del "$DEVA"; busy_end ;;
		2) ip -n "$NSA" link delete "$VETHA"; busy_end ;;
		esac
		ip netns delete "$NSA"
		wait_for 20 not link_exists "$DEVA"
		link_gone "$DEVB" || true
		wait_for 20 not link_exists "$DEVB"
		ip netns delete "$NSB"
	done
	echo "$n rounds"
}

load || skip_all "no module"
namespaces_work || skip_all "needs links in namespaces"
export ALONE=
sysctl -qw net.core.netdev_max_backlog=100000
run_tests \
	"netdev, namespace and link go at once, under traffic|test_all_at_once" \
	"a link that fails leaves no socket|test_failed_add" \
	"killed with thousands of queue pairs|test_kill" \
	"packets that outlive their queue pairs|test_delayed"
