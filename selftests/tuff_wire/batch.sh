#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: packets that travel as one sk_buff, and what others on the way do to it
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

# Everything arrives, whatever it takes.
traffic()
{
	local family

	for family in v4 v6; do
		finish 120 "$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" \
			-g $family -q -t rc -m 1024 -k burst -b 1 ||
			{ tc_says; return 1; }
	done
}

tc_says()
{
	nsa tc -s filter show dev "$VETHA" egress
	nsb tc -s filter show dev "$VETHB" ingress
}

# The most sk_buffs that passed a filter of the two.
filtered()
{
	tc_says | sed -n 's/.* \([0-9]*\) pkt .*/\1/p' | sort -n | tail -n 1
}

filters_on()
{
	nsa tc qdisc add dev "$VETHA" clsact && nsb tc qdisc add dev "$VETHB" clsact
}

filters_off()
{
	nsa tc qdisc del dev "$VETHA" clsact
	nsb tc qdisc del dev "$VETHB" clsact
}

# with_filter EGRESS-ACTION [INGRESS-ACTION]
with_filter()
{
	filters_on || return 4
	# shellcheck disable=SC2086
	nsa tc filter add dev "$VETHA" egress matchall action $1 || return 4
	# shellcheck disable=SC2086
	[ -z "${2:-}" ] ||
		nsb tc filter add dev "$VETHB" ingress matchall action $2 ||
		return 4
	traffic
	[ "$(filtered)" -gt 0 ]
	filters_off
}

# The stack cuts the batch after it has put a tag, or two, in front of its
# head: each of the others needs room for them, too.
test_tag()
{
	nsa ethtool -K "$VETHA" tx-gso-list off tx-vlan-hw-insert off \
		tx-vlan-stag-hw-insert off
	with_filter "vlan push id 5" "vlan pop"
	with_filter "vlan push id 5 pipe action vlan push id 7 protocol 802.1ad" \
		"vlan pop pipe action vlan pop"
	nsa ethtool -K "$VETHA" tx-gso-list on tx-vlan-hw-insert on \
		tx-vlan-stag-hw-insert on
}

# Bytes of a later packet are wanted in one piece, and left as they are: the
# batch is no longer laid out as it was made.
test_pulled()
{
	with_filter "pedit munge offset 5000 u32 set 0 retain 0"
}

# One bit of a later packet is turned: what follows goes one by one, and what
# was turned is not taken.
test_changed()
{
	local before

	before=$(counter "$DEVB" rx_icrc_encapsulated)
	with_filter "pedit munge offset 5000 u32 invert"
	[ "$(counter "$DEVB" rx_icrc_encapsulated)" -gt "$before" ]
}

# Each of the short cuts turned off: the bytes are the same, and no ICRC is wrong.
test_switches()
{
	local one all=/sys/module/tuff/parameters before

	before=$(counter "$DEVB" rx_icrc_encapsulated)
	for one in batch fold seal; do
		[ -w "$all/$one" ] || { echo "no switch '$one'"; return 1; }
		echo N >"$all/$one"
		traffic || { echo "without '$one'"; return 1; }
		echo Y >"$all/$one"
	done
	[ "$(counter "$DEVB" rx_icrc_encapsulated)" = "$before" ]
}

# How long requests of a stream wait for each other: virtual machines are slow.
gathering()
{
	echo "$1" >/sys/module/tuff/parameters/gather
}

sk_buffs()
{
	nsb cat "/sys/class/net/$VETHB/statistics/tx_packets"
}

perftest()
{
	server_client 18515 "ib_$1 -d $DEVA -x $GIDA -F $2" \
		"ib_$1 -d $DEVB -x $GIDB -F $2 $IPA"
}

# sent N: how many sk_buffs so many small WRITEs, and what is around them, take
sent()
{
	local before

	before=$(sk_buffs)
	perftest write_bw "-s 64 -n $1" >/dev/null
	echo $(($(sk_buffs) - before))
}

test_stream()
{
	local alone together

	gathering 0
	alone=$(sent 4000)
	gathering 5000
	together=$(sent 4000)
	echo "$alone one by one, $together together"
	[ "$alone" -ge 4000 ]
	[ "$together" -lt 2000 ]
	traffic
}

# waits COMMAND...: how many doorbells have waited as long as they may; the tick
# shows that events are seen at all
waits()
{
	local trace=/sys/kernel/tracing
	local event=$trace/events/timer/hrtimer_expire_entry/enable

	mountpoint -q $trace || mount -t tracefs tracefs $trace
	: >$trace/trace
	echo 1 >"$event"
	"$@" >/dev/null || { echo 0 >"$event"; return 1; }
	echo 0 >"$event"
	grep -q tick $trace/trace || { echo "no timer was seen" >&2; return 1; }
	awk '/tuff_gather/ { n++ } END { print n + 0 }' $trace/trace
}

# Of 200 messages in each direction hardly one waits for more: the time that an
# answer takes would say the same, but only where nothing else runs.
test_answers()
{
	local kind waited

	gathering 5000
	for kind in read_lat write_lat send_lat; do
		waited=$(waits perftest $kind "-s 8 -n 200")
		echo "$kind: $waited doorbells waited"
		between 0 4 "$waited" "doorbells of $kind that waited"
	done
}

modprobe -q -a sch_ingress cls_matchall act_vlan act_pedit
pair_up 1500 || skip_all "no pair of links"
need_two || skip_all "needs two hosts"
GIDA=$(gid_index "$DEVA" $IPA) GIDB=$(gid_index "$DEVB" $IPB)
defer gathering "$(cat /sys/module/tuff/parameters/gather)"
# The debug kernel has no such filters.
[ "${TUFF_DEBUG_FACTOR:-1}" = 1 ] || TUFF_MAY_SKIP=1
run_tests \
	"batches in VLANs that are put on below|test_tag" \
	"batches that are pulled together|test_pulled" \
	"batches that are changed|test_changed" \
	"each switch off|test_switches" \
	"requests of a stream leave together|test_stream" \
	"who waits for answers gets them at once|test_answers"
