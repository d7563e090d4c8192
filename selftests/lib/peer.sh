# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tuff: two hosts in one guest
#
#	  namespace $NSA			  namespace $NSB
#	+-----------------+			+-----------------+
#	| $DEVA over      |   veth, MTU 4200	| $DEVB over      |
#	| $VETHA ---------+---------------------+-------- $VETHB  |
#	| 198.51.100.1    |			| 198.51.100.2    |
#	| 2001:db8:a::1   |			| 2001:db8:a::2   |
#	+-----------------+			+-----------------+
#
# Where the link type works in the first namespace only (rdma_rxe before 7.3),
# both hosts are one device that talks to itself: ALONE=1. TUFF_ALONE=1 asks
# for that.

IPA=198.51.100.1
IPB=198.51.100.2
IP6A=2001:db8:a::1
IP6B=2001:db8:a::2

nsa()
{
	if [ -n "$ALONE" ]; then "$@"; else ip netns exec "$NSA" "$@"; fi
}

nsb()
{
	if [ -n "$ALONE" ]; then "$@"; else ip netns exec "$NSB" "$@"; fi
}

# start WHERE COMMAND...: in the background, where nsa, nsb or another prefix
# function says; $STARTED is the command's own process, not a shell's.
start()
{
	local at=$1

	shift
	[ -z "${ALONE:-}" ] || [ "${at#ns}" = "$at" ] || at=here
	case $at in
	nsa) ip netns exec "$NSA" "$@" & ;;
	nsb) ip netns exec "$NSB" "$@" & ;;
	here) "$@" & ;;
	*) "$at" "$@" & ;;
	esac
	STARTED=$!
}

namespaces_work()
{
	[ -z "${TUFF_ALONE:-}" ] || return 1
	[ "$LINK_TYPE" = tuff ] && return 0
	case $(uname -r) in
	6.*) return 1 ;;
	esac
}

# host_up NETNS NETDEV IPV4 IPV6 MTU
host_up()
{
	local ns=$1

	ip -n "$ns" link set lo up
	ip netns exec "$ns" sysctl -qw "net.ipv6.conf.$2.accept_dad=0" \
		"net.ipv6.conf.$2.router_solicitations=0"
	ip -n "$ns" address add "$3/24" dev "$2"
	ip -n "$ns" address add "$4/64" dev "$2" nodad
	ip -n "$ns" link set "$2" mtu "$5" up
}

# pair_up [MTU]: make the two hosts and a link in each.
pair_up()
{
	local mtu=${1:-4200} tag

	tag=$(mktemp -u XXXXX)
	load || return 1
	# UC and UD have nobody who slows a sender down: let the veth hold all.
	sysctl -qw net.core.netdev_max_backlog=100000
	NSA=tfA$tag NSB=tfB$tag VETHA=vA$tag VETHB=vB$tag
	DEVA=ta$tag DEVB=tb$tag ALONE=
	if namespaces_work; then
		pair_two "$mtu" || return 1
	else
		pair_alone "$mtu" || return 1
	fi
	wait_for 10 gid_index "$DEVA" "$IPA" &&
		wait_for 10 gid_index "$DEVA" "$IP6A" &&
		wait_for 10 gid_index "$DEVB" "$IPB" &&
		wait_for 10 gid_index "$DEVB" "$IP6B"
}

pair_two()
{
	ip netns add "$NSA" && ip netns add "$NSB" || return 1
	defer "ip netns delete $NSA; ip netns delete $NSB"
	ip link add "$VETHA" netns "$NSA" type veth \
		peer name "$VETHB" netns "$NSB" || return 1
	host_up "$NSA" "$VETHA" $IPA $IP6A "$1"
	host_up "$NSB" "$VETHB" $IPB $IP6B "$1"
	defer "link_gone $DEVA; link_gone $DEVB"
	link_add "$DEVA" "$VETHA" "$NSA" && link_add "$DEVB" "$VETHB" "$NSB"
}

pair_alone()
{
	ALONE=1 DEVB=$DEVA IPB=$IPA IP6B=$IP6A
	ip link add "$VETHA" type veth peer name "$VETHB" || return 1
	defer "ip link delete $VETHA"
	sysctl -qw "net.ipv6.conf.$VETHA.accept_dad=0"
	ip address add "$IPA/24" dev "$VETHA"
	ip address add "$IP6A/64" dev "$VETHA" nodad
	ip link set "$VETHB" mtu "$1" up
	ip link set "$VETHA" mtu "$1" up
	defer "link_gone $DEVA"
	link_add "$DEVA" "$VETHA"
}

pair_down()
{
	run_deferred
}

# Two real hosts, or the test does not apply.
need_two()
{
	# shellcheck disable=SC2034 # read by tuff_lib.sh
	[ -z "$ALONE" ] || { TUFF_MAY_SKIP=1; return 4; }
}

# tcp_listens WHERE PORT: somebody listens there.
tcp_listens()
{
	[ -n "$($1 ss -Hltn sport = ":$2")" ]
}

# Seconds that a server and its client may take.
: "${CALL_LIMIT:=$((200 * TIME_SCALE))}"

# serve_call WHERE-SERVER WHERE-CLIENT PORT "SERVER" "CLIENT": run the server
# there, the client when the server listens; both must end well. Their output
# is in $WORK/server and $WORK/client.
serve_call()
{
	local at=$1 from=$2 port=$3 server=$4 client=$5 pid rc=0

	# shellcheck disable=SC2086
	start "$at" timeout "$CALL_LIMIT" $server >"$WORK/server" 2>&1
	pid=$STARTED
	if ! wait_for 20 tcp_listens "$at" "$port"; then
		cat "$WORK/server"
		kill $pid
		return 1
	fi
	# shellcheck disable=SC2086
	$from timeout "$CALL_LIMIT" $client >"$WORK/client" 2>&1 ||
		rc=$?
	[ $rc = 0 ] || kill $pid 2>/dev/null || :
	wait $pid || rc=1$?
	if [ $rc != 0 ]; then
		sed 's/^/server: /' "$WORK/server"
		sed 's/^/client: /' "$WORK/client"
		fail "status $rc: $client"
	fi
}

# The server in $NSA, the client in $NSB.
server_client()
{
	serve_call nsa nsb "$@"
}

# cm_call WHERE-SERVER WHERE-CLIENT PROGRAM "SERVER" "CLIENT": the same for
# rdma_cm, whose listeners are shown by program.
cm_call()
{
	local at=$1 from=$2 program=$3 server=$4 client=$5 pid rc=0

	# shellcheck disable=SC2086
	start "$at" timeout "$CALL_LIMIT" $server >"$WORK/server" 2>&1
	pid=$STARTED
	if ! wait_for 20 cm_listens "$at" "$program"; then
		cat "$WORK/server"
		$at rdma resource show cm_id
		kill $pid
		return 1
	fi
	# shellcheck disable=SC2086
	$from timeout "$CALL_LIMIT" $client >"$WORK/client" 2>&1 ||
		rc=$?
	[ $rc = 0 ] || kill $pid 2>/dev/null
	wait $pid || rc=1$?
	if [ $rc != 0 ]; then
		sed 's/^/server: /' "$WORK/server"
		sed 's/^/client: /' "$WORK/client"
		fail "status $rc: $client"
	fi
}

# cm_listens WHERE PROGRAM
cm_listens()
{
	$1 rdma resource show cm_id | grep LISTEN | grep -q "$2"
}
