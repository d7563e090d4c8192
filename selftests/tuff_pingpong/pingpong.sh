#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the five pingpongs of ibverbs-utils, on IPv4 and IPv6 GIDs
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

ITERS=60

# pingpong PROGRAM ADDRESS-A ADDRESS-B OPTION...
pingpong()
{
	local program=ibv_$1_pingpong a=$2 b=$3 ga gb

	shift 3
	ga=$(gid_index "$DEVA" "$a")
	gb=$(gid_index "$DEVB" "$b")
	server_client 18515 \
		"$program -d $DEVA -g $ga -n $ITERS $*" \
		"$program -d $DEVB -g $gb -n $ITERS $* $IPA"
	# Both sides say how many bytes went in how many seconds.
	grep -q "bytes in .* seconds" "$WORK/server"
	grep -q "bytes in .* seconds" "$WORK/client"
	grep -q "$ITERS iters in" "$WORK/client"
}

v4()
{
	local program=$1

	shift
	pingpong "$program" $IPA $IPB "$@"
}

v6()
{
	local program=$1

	shift
	pingpong "$program" $IP6A $IP6B "$@"
}

# The whole message is compared with what was sent.
checked()
{
	v4 rc -c -s 100000 -m 1024
}

test_drops()
{
	nothing_dropped "$DEVA" "$DEVB"
}

pair_up || skip_all "no pair of links"
run_tests \
	"rc, IPv4|v4 rc" \
	"rc, IPv6|v6 rc" \
	"rc with events, IPv4|v4 rc -e" \
	"rc with events, IPv6|v6 rc -e" \
	"rc, 100000 bytes compared|checked" \
	"uc, IPv4|v4 uc" \
	"uc, IPv6|v6 uc" \
	"ud, IPv4|v4 ud" \
	"ud, IPv6|v6 ud" \
	"srq, IPv4|v4 srq" \
	"srq, IPv6|v6 srq" \
	"nothing was dropped|test_drops"
