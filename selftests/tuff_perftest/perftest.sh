#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: every perftest of SEND, WRITE, READ and ATOMIC, bandwidth and latency
#
# UC and UD have nobody who slows a sender down, so few of theirs are under
# way at once.
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

# perf TOOL LINES OPTION...: both ends well, and LINES lines of results.
perf()
{
	local tool=ib_$1 lines=$2

	shift 2
	server_client 18515 "$tool -d $DEVA -x $GIDA -F $*" \
		"$tool -d $DEVB -x $GIDB -F $* $IPA"
	grep -v "^ *#" "$WORK/client"
	same "$lines" "$(grep -c '^ *[0-9][0-9]* *[0-9][0-9]* *[0-9.]' \
		"$WORK/client")" "lines of results"
	not grep -qi "completion with error\|failed status" "$WORK/client" \
		"$WORK/server"
}

# 2 to 8 MiB, each power of two
all_sizes()
{
	perf "$1" 23 -a -n 5 "${@:2}"
}

# The borders of path MTU 1024
borders()
{
	local size

	for size in 1023 1024 1025; do
		perf "$1" 1 -s $size -m 1024 -n 50 "${@:2}"
	done
}

some_sizes()
{
	local size

	for size in 2 1024 4095 4096 4097 65536; do
		perf "$1" 1 -s $size -n 20 "${@:2}"
	done
}

# One datagram is at most a path MTU.
datagrams()
{
	local size

	for size in 2 1024 4095 4096; do
		perf "$1" 1 -s $size -n 40 -c UD "${@:2}"
	done
}

atomic()
{
	perf "$1" 1 -n 100 -A CMP_AND_SWAP
	perf "$1" 1 -n 100 -A FETCH_AND_ADD
}

test_drops()
{
	nothing_dropped "$DEVA" "$DEVB"
}

pair_up || skip_all "no pair of links"
GIDA=$(gid_index "$DEVA" $IPA)
GIDB=$(gid_index "$DEVB" $IPB)
run_tests \
	"send_bw RC, 2 to 8 MiB|all_sizes send_bw" \
	"write_bw RC, 2 to 8 MiB|all_sizes write_bw" \
	"read_bw RC, 2 to 8 MiB|all_sizes read_bw" \
	"send_lat RC, 2 to 8 MiB|all_sizes send_lat" \
	"write_lat RC, 2 to 8 MiB|all_sizes write_lat" \
	"read_lat RC, 2 to 8 MiB|all_sizes read_lat" \
	"send_bw RC, borders|borders send_bw" \
	"write_bw RC, borders|borders write_bw" \
	"read_bw RC, borders|borders read_bw" \
	"send_bw RC with events|perf send_bw 1 -s 4096 -n 100 -e" \
	"send_bw RC both ways|perf send_bw 1 -s 4096 -n 100 -b" \
	"write_bw RC, 8 queue pairs|perf write_bw 1 -s 4096 -n 100 -q 8" \
	"atomic_bw|atomic atomic_bw" \
	"atomic_lat|atomic atomic_lat" \
	"send_bw UC|some_sizes send_bw -c UC -t 2" \
	"write_bw UC|some_sizes write_bw -c UC -t 2" \
	"send_lat UC|perf send_lat 1 -s 4097 -n 50 -c UC" \
	"write_lat UC|perf write_lat 1 -s 4097 -n 50 -c UC" \
	"send_bw UD|datagrams send_bw -t 4" \
	"send_lat UD|datagrams send_lat" \
	"nothing was dropped|test_drops"
