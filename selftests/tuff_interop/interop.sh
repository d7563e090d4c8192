#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: rdma_rxe as the foreign peer, in both roles, between two guests
#
#	guest 1, this one			guest 2, agent.sh
#	tuff0 over eth0 ---- Ethernet segment ---- peer0 over eth0
#	192.0.2.1, 2001:db8::1		192.0.2.2, 2001:db8::2
#
# At the end the peer changes to tuff as well.
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/lib/wire.sh"

DEV=tuff0 PEER=peer0
IP1=192.0.2.1 IP2=192.0.2.2 IP61=2001:db8::1 IP62=2001:db8::2
DATA=$HERE/tuff_data/verbs_data

here()
{
	"$@"
}

# Run a command in the other guest, with its output and its status.
there()
{
	local out=$WORK/there.$BASHPID rc

	printf '%q ' "$@" | sed 's/$/\n/' |
		socat -t 3600 - TCP:$IP2:9999 >"$out" || return 1
	sed '/^status [0-9]*$/d' "$out"
	rc=$(sed -n 's/^status \([0-9]*\)$/\1/p' "$out")
	rm -f "$out"
	return "${rc:-1}"
}

peer_gid()
{
	there cat "/sys/class/infiniband/$PEER/ports/1/gids/$1"
}

peer_gid_index()
{
	local want i

	want=$(gid_of "$1")
	for i in $(seq 0 15); do
		[ "$(peer_gid "$i")" = "$want" ] && echo "$i" && return 0
	done
	return 1
}

peer_link_add()
{
	there modprobe -a rdma_ucm ib_umad
	case $1 in
	rxe) there modprobe rdma_rxe ;;
	tuff) there lab-insmod tuff ;;
	esac
	there rdma link add $PEER type "$1" netdev eth0
}

find_gids()
{
	GID1=$(gid_index $DEV $IP1) GID61=$(gid_index $DEV $IP61)
	wait_for 10 peer_gid_index $IP2 && wait_for 10 peer_gid_index $IP62 ||
		return 1
	GID2=$(peer_gid_index $IP2) GID62=$(peer_gid_index $IP62)
}

# Either side drives and tells the other what to do.
data()
{
	local driver=$1

	shift
	if [ "$driver" = here ]; then
		serve_call there here 7000 "$DATA -d $PEER -l :7000" \
			"$DATA -d $DEV -c $IP2:7000 $*"
	else
		serve_call here there 7000 "$DATA -d $DEV -l :7000" \
			"$DATA -d $PEER -c $IP1:7000 $*"
	fi || return 1
	not grep "^not ok" "$WORK/client"
	grep -q "^ok" "$WORK/client"
}

pingpong()
{
	local how=$1 program=ibv_$2_pingpong one=$GID1 two=$GID2

	shift 2
	[ "${1:-}" = v6 ] && one=$GID61 two=$GID62 && shift
	if [ "$how" = here ]; then
		serve_call here there 18515 "$program -d $DEV -g $one -n 100 $*" \
			"$program -d $PEER -g $two -n 100 $* $IP1"
	else
		serve_call there here 18515 "$program -d $PEER -g $two -n 100 $*" \
			"$program -d $DEV -g $one -n 100 $* $IP2"
	fi
}

perf()
{
	local how=$1 tool=ib_$2

	shift 2
	if [ "$how" = here ]; then
		serve_call here there 18515 "$tool -d $DEV -x $GID1 -F $*" \
			"$tool -d $PEER -x $GID2 -F $* $IP1"
	else
		serve_call there here 18515 "$tool -d $PEER -x $GID2 -F $*" \
			"$tool -d $DEV -x $GID1 -F $* $IP2"
	fi
}

both()
{
	"$1" here "${@:2}" && "$1" there "${@:2}"
}

pingpongs()
{
	pingpong "$1" rc && pingpong "$1" uc && pingpong "$1" ud &&
		pingpong "$1" srq && pingpong "$1" rc v6 -e
}

# Each end of perftest takes the depth of READs that the other one can, and
# rdma_rxe can 128.
perfs()
{
	perf "$1" send_bw -s 65536 -n 100 && perf "$1" write_bw -s 65537 -n 100 &&
		perf "$1" read_bw -s 65536 -n 100 -o 16 &&
		perf "$1" atomic_bw -n 50 -o 16 && perf "$1" send_lat -s 8 -n 50 &&
		perf "$1" read_lat -s 8 -n 50 -o 16 &&
		perf "$1" send_bw -s 4096 -n 50 -c UD -t 4
}

cm()
{
	local how=$1 a=$2

	if [ "$how" = here ]; then
		cm_call here there rping "rping -s -a $a -C 10 -S 4000 -V" \
			"rping -c -a $a -C 10 -S 4000 -V" || return 1
	else
		cm_call there here rping "rping -s -a $a -C 10 -S 4000 -V" \
			"rping -c -a $a -C 10 -S 4000 -V" || return 1
	fi
}

test_rping()
{
	cm here $IP1 && cm there $IP2 && cm here $IP61 && cm there $IP62
}

test_ucmatose()
{
	cm_call there here ucmatose "ucmatose -b $IP2 -c 10 -C 3 -S 3000" \
		"ucmatose -s $IP2 -b $IP1 -c 10 -C 3 -S 3000"
	cm_call here there ucmatose "ucmatose -b $IP1 -c 10 -C 3 -S 3000" \
		"ucmatose -s $IP1 -b $IP2 -c 10 -C 3 -S 3000"
}

test_udaddy()
{
	cm_call there here udaddy "udaddy -b $IP2 -c 4 -C 3 -S 900" \
		"udaddy -s $IP2 -b $IP1 -c 4 -C 3 -S 900"
	cm_call here there udaddy "udaddy -b $IP1 -c 4 -C 3 -S 900" \
		"udaddy -s $IP1 -b $IP2 -c 4 -C 3 -S 900"
}

# lossy NETEM DRIVER [OPTION...]
lossy()
{
	local rc=0

	# shellcheck disable=SC2086
	tc qdisc replace dev eth0 root netem limit 10000 ${1//_/ }
	# shellcheck disable=SC2086
	there tc qdisc replace dev eth0 root netem limit 10000 ${1//_/ }
	data "$2" -t rc -m 1024 -k burst -b 2 -T 14 "${@:3}" || rc=1
	tc qdisc del dev eth0 root
	there tc qdisc del dev eth0 root
	return $rc
}

# What leaves this guest, packet by packet
test_capture()
{
	local rc=0

	capture_begin "$WORK/pcap" here eth0
	data here -q -t rc,uc,ud -m 256 -k sizes || rc=1
	data there -q -t rc -m 256 -k sizes || rc=1
	capture_end
	[ $rc = 0 ]
	python3 "$HERE/lib/wire.py" check "$WORK/pcap" --from $IP1 \
		00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 10 11 12 13 14 \
		20 21 22 23 24 25 26 27 28 29 2a 2b 64 65
}

test_tshark()
{
	tshark_complaints "$WORK/pcap" "ip.src == $IP1" >"$WORK/expert"
	cat "$WORK/expert"
	[ ! -s "$WORK/expert" ]
}

test_drops()
{
	nothing_dropped $DEV
}

test_peer_changes()
{
	there rdma link delete $PEER
	there rmmod rdma_rxe
	peer_link_add tuff
	wait_for 10 peer_gid_index $IP2
	same "$GID2" "$(peer_gid_index $IP2)" "GID index of the peer"
}

[ "${LAB_GUESTS:-1}" -ge 2 ] || skip_all "needs two guests"
lab-barrier ready || skip_all "the other guest is not there"
defer "lab-barrier end"
modprobe -a rdma_ucm sch_netem ib_umad
load && { defer "link_gone $DEV"; link_add $DEV eth0; } ||
	skip_all "no link"
wait_for 10 gid_index $DEV $IP1 && wait_for 10 gid_index $DEV $IP61 &&
	peer_link_add rxe && find_gids || skip_all "no peer"

# No READs and ATOMICs where packets get lost or come late, rdma_rxe's faults: it
# answers a repeated READ of a single packet without its memory region, with a
# warning; and completes an ATOMIC by a bare acknowledgement of its PSN, though
# the answer with the value has not come yet.
MODES="-t rc,uc,ud -q -k sizes,shapes -m 1024"
run_tests \
	"tuff drives, rxe follows|data here $MODES" \
	"rxe drives, tuff follows|data there $MODES" \
	"bursts, path MTU 4096|both data -t rc -m 4096 -k burst -b 2" \
	"bursts, path MTU 256|both data -t rc -m 256 -k burst -b 1" \
	"pingpongs, server on tuff|pingpongs here" \
	"pingpongs, server on rxe|pingpongs there" \
	"perftest, server on tuff|perfs here" \
	"perftest, server on rxe|perfs there" \
	"rping in both directions|test_rping" \
	"ucmatose in both directions|test_ucmatose" \
	"udaddy in both directions|test_udaddy" \
	"nothing was dropped|test_drops" \
	"capture: fields and ICRC of what tuff sends|test_capture" \
	"capture: tshark|test_tshark" \
	"loss 1 %, tuff drives|lossy loss_1% here -R" \
	"loss 1 %, rxe drives|lossy loss_1% there -R" \
	"reorder 25 %, tuff drives|lossy delay_2ms_reorder_25%_50% here -R" \
	"duplicate and corrupt, tuff drives|lossy duplicate_5%_corrupt_1% here -R" \
	"the peer changes to tuff|test_peer_changes" \
	"tuff and tuff: data|both data $MODES" \
	"tuff and tuff: bursts with loss|lossy loss_1% here" \
	"tuff and tuff: perftest|perfs here"
