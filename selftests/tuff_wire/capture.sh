#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: each opcode on the wire, decoded by tshark, its ICRC computed again
#
# tcpdump stands at the far end of the veth, where packets are single.
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/lib/wire.sh"

RC="00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14"
UC="20 21 22 23 24 25 26 27 28 29 2a 2b"
UD="64 65"

# record FAMILY TYPES: a capture of everything verbs_data does in them.
record()
{
	local rc=0

	capture_begin "$WORK/$1.pcap"
	"$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -g "$1" -q -t "$2" \
		-m 256 -k sizes >"$WORK/data" || rc=1
	capture_end
	[ $rc = 0 ] || { cat "$WORK/data"; return 1; }
}

test_record()
{
	record v4 rc,uc,ud
	record v6 rc,uc,ud
}

test_check()
{
	# shellcheck disable=SC2086
	python3 "$HERE/lib/wire.py" check "$WORK/$1.pcap" $RC $UC $UD
}

# Warnings and errors of the dissectors of UDP, IP and InfiniBand.
test_tshark()
{
	tshark_complaints "$WORK/$1.pcap" >"$WORK/expert"
	cat "$WORK/expert"
	[ ! -s "$WORK/expert" ]
	"${TSHARK[@]}" -r "$WORK/$1.pcap" -T fields \
		-e infiniband.bth.opcode 2>/dev/null | sort -n | uniq -c >"$WORK/opcodes"
	cat "$WORK/opcodes"
	same $(($(echo "$RC $UC $UD" | wc -w))) "$(wc -l <"$WORK/opcodes")" \
		"opcodes that tshark sees"
}

# Batches that the stack cuts, since the device says that it takes no lists,
# are the same packets.
test_cut()
{
	nsa ethtool -K "$VETHA" tx-gso-list off
	nsb ethtool -K "$VETHB" tx-gso-list off
	nsa ip link set "$VETHA" gso_max_segs 65535
	nsb ip link set "$VETHB" gso_max_segs 65535
	record v4 rc,uc,ud
	record v6 rc,uc,ud
}

modprobe -q af_packet
pair_up || skip_all "no pair of links"
need_two || skip_all "needs two hosts"
single_packets
run_tests \
	"all opcodes recorded|test_record" \
	"IPv4: fields and ICRC|test_check v4" \
	"IPv6: fields and ICRC|test_check v6" \
	"IPv4: tshark|test_tshark v4" \
	"IPv6: tshark|test_tshark v6" \
	"batches that the stack cuts recorded|test_cut" \
	"IPv4, cut: fields and ICRC|test_check v4" \
	"IPv6, cut: fields and ICRC|test_check v6" \
	"IPv4, cut: tshark|test_tshark v4" \
	"IPv6, cut: tshark|test_tshark v6"
