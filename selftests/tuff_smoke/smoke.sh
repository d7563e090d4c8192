#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a minute, on every kernel: load, link, tools, data, unload
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

data()
{
	"$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -q "$@" \
		>"$WORK/data" || { cat "$WORK/data"; return 1; }
}

perf()
{
	local tool=$1

	shift
	server_client 18515 "$tool -d $DEVA -x $GIDA -F $*" \
		"$tool -d $DEVB -x $GIDB -F $* $IPA"
}

pingpong()
{
	local tool=ibv_$1_pingpong

	shift
	server_client 18515 "$tool -d $DEVA -g $GIDA -n 100 $*" \
		"$tool -d $DEVB -g $GIDB -n 100 $* $IPA"
}

test_devinfo()
{
	ibv_devinfo -v -d "$DEVA" | grep -q PORT_ACTIVE
}

test_rping()
{
	cm_call nsa nsb rping "rping -s -a $IPA -C 10 -V" \
		"rping -c -a $IPA -C 10 -V"
}

test_unload()
{
	unload
	not loaded
	not link_exists "$DEVA"
	load
	link_add "$DEVA" "$VETHA" "$NSA"
	link_del "$DEVA"
	unload
}

modprobe -q rdma_ucm
pair_up || skip_all "no pair of links"
GIDA=$(gid_index "$DEVA" $IPA)
GIDB=$(gid_index "$DEVB" $IPB)
run_tests \
	"ibv_devinfo|test_devinfo" \
	"data on RC, path MTU 4096|data -t rc -m 4096 -k sizes,burst -b 2" \
	"data on RC, path MTU 256|data -t rc -m 256 -k sizes" \
	"data on UC and UD|data -t uc,ud -m 1024 -k sizes" \
	"ibv_rc_pingpong|pingpong rc" \
	"ibv_rc_pingpong with events|pingpong rc -e" \
	"ibv_ud_pingpong|pingpong ud" \
	"ib_write_bw|perf ib_write_bw -s 65536 -n 200" \
	"ib_send_lat|perf ib_send_lat -s 8 -n 100" \
	"ib_read_bw|perf ib_read_bw -s 65536 -n 100" \
	"rping|test_rping" \
	"unload, load, unload|test_unload"
