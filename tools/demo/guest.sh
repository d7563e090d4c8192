#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What each guest of the demo runs.
#
#   guest 1, the servers          guest 2, the clients
#   192.0.2.1  eth0  tuff0 ------ tuff0  eth0  192.0.2.2
set -u

dev=tuff0
log=/tmp/server.log

die() {
	echo "FAILED: $*"
	[ ! -s "$log" ] || sed 's/^/server: /' "$log"
	rdma statistic show link $dev/1 2>/dev/null | tr ' ' '\n' |
		paste - - 2>/dev/null | grep -v '[[:space:]]0$'
	exit 1
}

show() { echo "\$ $*"; }

wait_for() {
	local tries=0
	until "$@" >/dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 300 ] || return 1
		sleep 0.1
	done
}

# The index of the RoCE v2 GID that is eth0's IPv4 address.
gid_index() {
	local want dir
	want=$(printf '0000:0000:0000:0000:0000:ffff:c000:02%02x' "$LAB_GUEST")
	dir=/sys/class/infiniband/$dev/ports/1
	for file in "$dir"/gids/*; do
		if [ "$(cat "$file")" = "$want" ] &&
		   grep -q 'RoCE v2' "$dir/gid_attrs/types/${file##*/}"; then
			echo "${file##*/}"
			return 0
		fi
	done 2>/dev/null
	return 1
}

active() { ibv_devinfo -d $dev | grep -q PORT_ACTIVE; }
tcp_listens() { ss -Hltn "sport = :$1" | grep -q .; }
cm_listens() { rdma resource show cm_id | grep -q LISTEN; }

# A server on guest 1, a client on guest 2; $1 waits until the server is up.
# All three are commands with arguments, so they are split into words.
# shellcheck disable=SC2086
between() {
	local ready=$1 server=$2 client=$3
	if [ "$LAB_GUEST" = 1 ]; then
		show "$server"
		timeout 120 $server > $log 2>&1 &
		wait_for $ready || die "'$server' does not listen"
		lab-barrier server || die "guest 2 is gone"
		wait $! || die "'$server' ended with status $?"
	else
		lab-barrier server || die "guest 1 is gone"
		show "$client"
		timeout 120 $client || die "'$client' ended with status $?"
		echo
	fi
	lab-barrier finished || die "the other guest is gone"
}

[ "$LAB_GUEST" != 1 ] || show insmod tuff.ko
lab-insmod tuff || die "tuff.ko does not load"
[ "$LAB_GUEST" != 1 ] || show rdma link add $dev type tuff netdev eth0
rdma link add $dev type tuff netdev eth0 || die "no link"
wait_for active || die "the port did not become active"
wait_for gid_index || die "no GID for the IPv4 address"
gid=$(gid_index)
if [ "$LAB_GUEST" = 1 ]; then
	show rdma link
	rdma link
	show ibv_devinfo -d $dev
	ibv_devinfo -d $dev || die "ibv_devinfo"
fi
lab-barrier start || die "the other guest is gone"

peer=192.0.2.1
between "tcp_listens 18515" "ibv_rc_pingpong -d $dev -g $gid -n 500" \
	"ibv_rc_pingpong -d $dev -g $gid -n 500 $peer"
between "tcp_listens 18515" "ib_write_bw -F -d $dev -x $gid -n 500" \
	"ib_write_bw -F -d $dev -x $gid -n 500 $peer"
between "tcp_listens 18515" "ib_send_lat -F -d $dev -x $gid -s 8 -n 500" \
	"ib_send_lat -F -d $dev -x $gid -s 8 -n 500 $peer"
between cm_listens "rping -s -a $peer -C 5 -v" "rping -c -a $peer -C 5 -v"

rdma link delete $dev || die "rdma link delete"
rmmod tuff || die "rmmod"
