#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: connections by rdma_cm over IPv4 and IPv6
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

cm()
{
	cm_call nsa nsb "$@"
}

# rping compares what comes back (-V); the server ends with its one client.
test_rping()
{
	cm rping "rping -s -a $1 -C 20 -S 5000 -V" \
		"rping -c -a $1 -C 20 -S 5000 -V"
}

test_ucmatose()
{
	cm ucmatose "ucmatose -b $1 -c 30 -C 4 -S 3000 -f $2" \
		"ucmatose -s $1 -b $3 -c 30 -C 4 -S 3000 -f $2"
	grep -q "return status 0" "$WORK/client"
	grep -q "return status 0" "$WORK/server"
}

test_udaddy()
{
	cm udaddy "udaddy -b $1 -c 8 -C 4 -S 900 -f $2" \
		"udaddy -s $1 -b $3 -c 8 -C 4 -S 900 -f $2"
	grep -q "return status 0" "$WORK/client"
	grep -q "return status 0" "$WORK/server"
}

test_rdma_client()
{
	cm rdma_server "rdma_server -s $1 -p 7471" "rdma_client -s $1 -p 7471"
	grep -q "end 0" "$WORK/client"
	grep -q "end 0" "$WORK/server"
}

# A server that stays, clients that come and go.
test_rounds()
{
	local pid i

	start nsa rping -s -P -a $IPA >"$WORK/server" 2>&1
	pid=$STARTED
	wait_for 20 cm_listens nsa rping
	for i in $(seq 15); do
		nsb timeout $((20 * TIME_SCALE)) \
			rping -c -a $IPA -C 1 >"$WORK/client" 2>&1 ||
			{ cat "$WORK/client"; fail "round $i"; return 1; }
	done
	kill $pid
	wait $pid || true
	wait_for 10 all_gone
}

test_many_at_once()
{
	cm ucmatose "ucmatose -b $IPA -c 150 -C 1 -S 8" \
		"ucmatose -s $IPA -b $IPB -c 150 -C 1 -S 8"
	wait_for 10 all_gone
}

# Only the GSI queue pair is left on each device.
all_gone()
{
	same 1 "$(objects "$DEVA" qp)" "queue pairs of $DEVA" &&
		same 1 "$(objects "$DEVB" qp)" "queue pairs of $DEVB" &&
		same 0 "$(objects "$DEVA" mr)" "regions of $DEVA"
}

test_refused()
{
	# Nobody listens on this port: a reject, not a time-out.
	not nsb timeout $((20 * TIME_SCALE)) rping -c -a $IPA -p 7999 -C 1 \
		>"$WORK/client" 2>&1
	cat "$WORK/client"
	grep -q "REJECTED" "$WORK/client"
}

test_drops()
{
	all_gone
	nothing_dropped "$DEVA" "$DEVB"
}

modprobe -q rdma_ucm
modprobe -q ib_umad
pair_up || skip_all "no pair of links"
run_tests \
	"rping, IPv4|test_rping $IPA" \
	"rping, IPv6|test_rping $IP6A" \
	"ucmatose, IPv4|test_ucmatose $IPA ip $IPB" \
	"ucmatose, IPv6|test_ucmatose $IP6A ip6 $IP6B" \
	"udaddy, IPv4|test_udaddy $IPA ip $IPB" \
	"udaddy, IPv6|test_udaddy $IP6A ip6 $IP6B" \
	"rdma_server and rdma_client, IPv4|test_rdma_client $IPA" \
	"rdma_server and rdma_client, IPv6|test_rdma_client $IP6A" \
	"fifteen clients one after the other|test_rounds" \
	"150 connections at once|test_many_at_once" \
	"nobody listens|test_refused" \
	"all gone, nothing dropped|test_drops"
