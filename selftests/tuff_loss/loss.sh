#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a network that loses, reorders, duplicates, corrupts and delays
#
# netem stands in front of both ends. RC: everything finishes and every byte
# is right. UC and UD: what arrives is right.
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

netem()
{
	nsa tc qdisc replace dev "$VETHA" root netem limit 10000 "$@"
	[ -n "$ALONE" ] ||
		nsb tc qdisc replace dev "$VETHB" root netem limit 10000 "$@"
}

netem_off()
{
	nsa tc qdisc del dev "$VETHA" root
	[ -n "$ALONE" ] || nsb tc qdisc del dev "$VETHB" root
}

# Sum of a counter of both devices
both()
{
	echo $(($(counter "$DEVA" "$1") + $(counter "$DEVB" "$1")))
}

# What grew, or nothing where counters have other names.
grown()
{
	[ "$LINK_TYPE" = tuff ] || return 0
	[ "$(both "$1")" -gt "$2" ] || fail "$1 stays at $2"
}

value()
{
	[ "$LINK_TYPE" = tuff ] || { echo 0; return; }
	both "$1"
}

data()
{
	"$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -T 14 "$@" \
		>"$WORK/data" || { cat "$WORK/data"; return 1; }
	grep "arrived" "$WORK/data" || true
}

# impaired NETEM COUNTER [VERBS_DATA OPTION...]: _ for blanks, and for no
# counter that must grow
impaired()
{
	local how=$1 name=$2 before rc=0

	shift 2
	[ "$name" = _ ] || before=$(value "$name")
	# shellcheck disable=SC2086
	netem ${how//_/ }
	data "$@" || rc=1
	netem_off
	[ $rc = 0 ] || return 1
	[ "$name" = _ ] || grown "$name" "$before"
}

# early MODE COMMAND...: with the module's parameter
early()
{
	local file=/sys/module/tuff/parameters/early before rc=0

	[ "$LINK_TYPE" = tuff ] || return 4
	before=$(cat "$file")
	echo "$1" >"$file"
	shift
	"$@" || rc=1
	echo "$before" >"$file"
	return $rc
}

# Packets one by one, so that they are lost one by one.
test_mends()
{
	local before rc=0

	before=$(value rx_early_packets)
	nsa ip link set "$VETHA" gso_max_segs 1
	nsb ip link set "$VETHB" gso_max_segs 1
	test_perftest write_bw || rc=1
	nsa ip link set "$VETHA" gso_max_segs 65535
	nsb ip link set "$VETHB" gso_max_segs 65535
	[ $rc = 0 ] && grown rx_early_packets "$before"
}

RC="-t rc -m 1024,4096 -k burst -b 4"
SMALL="-t rc -m 256 -k burst -b 2"
LOSSY="-t uc,ud -m 4096 -k datagrams -n 150"

# Connections are made, too, when their packets get lost.
test_rping()
{
	local rc=0

	netem loss 2%
	cm_call nsa nsb rping "rping -s -a $IPA -C 50 -S 3000 -V" \
		"rping -c -a $IPA -C 50 -S 3000 -V" || rc=1
	netem_off
	return $rc
}

test_perftest()
{
	local rc=0

	netem loss 1%
	server_client 18515 \
		"ib_$1 -d $DEVA -x $GIDA -F -s 65536 -n 200 -u 14" \
		"ib_$1 -d $DEVB -x $GIDB -F -s 65536 -n 200 -u 14 $IPA" || rc=1
	netem_off
	return $rc
}

modprobe -q sch_netem
modprobe -q rdma_ucm
pair_up || skip_all "no pair of links"
nsa tc qdisc replace dev "$VETHA" root netem loss 0% && netem loss 0% &&
	netem_off || skip_all "no netem"
GIDA=$(gid_index "$DEVA" $IPA)
GIDB=$(gid_index "$DEVB" $IPB)
run_tests \
	"RC, loss 0.1 %|impaired loss_0.1% _ $RC" \
	"RC, loss 1 %|impaired loss_1% tx_retransmits $RC" \
	"RC, loss 5 %|impaired loss_5% tx_retransmits $RC" \
	"RC, path MTU 256, loss 5 %|impaired loss_5% tx_retransmits $SMALL" \
	"RC, reorder 25 %|impaired delay_2ms_reorder_25%_50% out_of_sequence $RC" \
	"RC, duplicate 10 %|impaired duplicate_10% duplicate_request $RC" \
	"RC, corrupt 2 %|impaired corrupt_2% tx_retransmits $RC" \
	"RC, delay 3 ms and 2 more|impaired delay_3ms_2ms _ $RC" \
	"RC, all of it|impaired loss_1%_duplicate_5%_corrupt_1%_delay_1ms_reorder_25% tx_retransmits $RC" \
	"RC, loss 5 %, all is kept|early 2 impaired loss_5% rx_early_packets $RC" \
	"RC, path MTU 256, all of it, all is kept|early 2 impaired loss_1%_duplicate_5%_corrupt_1%_delay_1ms_reorder_25% rx_early_packets $SMALL" \
	"RC, all of it, nothing is kept|early 0 impaired loss_1%_duplicate_5%_corrupt_1%_delay_1ms_reorder_25% tx_retransmits $RC" \
	"UC and UD, loss 5 %|impaired loss_5% _ $LOSSY" \
	"UC and UD, reorder 25 %|impaired delay_2ms_reorder_25%_50% _ $LOSSY" \
	"UC and UD, duplicate 10 %|impaired duplicate_10% _ $LOSSY" \
	"UC and UD, corrupt 2 %|impaired corrupt_2% _ $LOSSY" \
	"rping, loss 2 %|test_rping" \
	"write_bw, loss 1 %|test_perftest write_bw" \
	"write_bw, loss 1 %, packets one by one|test_mends" \
	"send_bw, loss 1 %|test_perftest send_bw" \
	"read_bw, loss 1 %|test_perftest read_bw"
