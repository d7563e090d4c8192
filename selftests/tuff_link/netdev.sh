#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a link follows its netdev: carrier, MTU, name, addresses, end
#
#	namespace $NS:  va 198.51.100.1, $DEV ---veth--- vb
. "$(dirname "$0")/../lib/tuff_lib.sh"

PORT_ERROR="port error\|PORT_ERR" PORT_ACTIVE="port active\|PORT_ACTIVE"
NS=tfn$$ VA=va$$ VB=vb$$ DEV=tn$$

one_up()
{
	ip netns add $NS && defer "ip netns delete $NS" &&
		ip -n $NS link set lo up &&
		ip -n $NS link add $VA type veth peer name $VB &&
		ip -n $NS address add 198.51.100.1/24 dev $VA &&
		ip -n $NS link set $VB mtu 4200 up &&
		ip -n $NS link set $VA mtu 4200 up &&
		defer "link_gone $DEV" && link_add $DEV $VA $NS
}

nsip()
{
	ip -n $NS "$@"
}

mtu_is()
{
	ibv_devinfo -d $DEV | grep -q "active_mtu:[[:space:]]*$1 "
}

watch()
{
	: >"$WORK/events"
	stdbuf -oL ibv_asyncwatch -d $DEV >"$WORK/events" 2>&1 &
	WATCHER=$!
	trap 'kill $WATCHER 2>/dev/null' EXIT
	wait_for 10 grep -q "" "$WORK/events"
}

saw()
{
	cat "$WORK/events"
	grep -qi "$1" "$WORK/events"	# as rdma-core 44 or 56 calls it
}

test_carrier()
{
	nsip link set $VB up
	watch
	nsip link set $VB down
	wait_for 5 port_is $DEV DOWN
	wait_for 5 saw "$PORT_ERROR"
	ibv_devinfo -d $DEV | grep -q PORT_DOWN
	nsip link set $VB up
	wait_for 5 port_is $DEV ACTIVE
	wait_for 5 saw "$PORT_ACTIVE"
	nsip link set $VA down
	wait_for 5 port_is $DEV DOWN
	nsip link set $VA up
	wait_for 5 port_is $DEV ACTIVE
	same 2 "$(grep -ci "$PORT_ERROR" "$WORK/events")" "port errors"
	same 2 "$(grep -ci "$PORT_ACTIVE" "$WORK/events")" "port actives"
	if [ "$LINK_TYPE" = tuff ]; then
		same 2 "$(counter $DEV link_downed)" link_downed
	fi
}

test_mtu()
{
	local pair

	for pair in 400:256 1000:512 1500:1024 2500:2048 4200:4096 9000:4096; do
		nsip link set $VB mtu "${pair%:*}"
		nsip link set $VA mtu "${pair%:*}"
		wait_for 5 mtu_is "${pair#*:}"
	done
	nsip link set $VA mtu 4200
}

test_rename()
{
	nsip link set $VB up
	nsip link set $VA down
	nsip link set $VA name ren$$
	nsip link set ren$$ up
	wait_for 5 port_is $DEV ACTIVE
	ip netns exec $NS rdma link show $DEV/1 | grep -q "netdev ren$$"
	nsip link set ren$$ down
	nsip link set ren$$ name $VA
	nsip link set $VA up
	wait_for 5 port_is $DEV ACTIVE
	wait_for 5 gid_index $DEV 198.51.100.1
}

test_addresses()
{
	nsip address add 198.51.100.7/24 dev $VA
	nsip address add 2001:db8:b::7/64 dev $VA nodad
	wait_for 5 gid_index $DEV 198.51.100.7
	wait_for 5 gid_index $DEV 2001:db8:b::7
	nsip address del 198.51.100.7/24 dev $VA
	wait_for 5 not gid_index $DEV 198.51.100.7
	nsip address del 2001:db8:b::7/64 dev $VA
	wait_for 5 not gid_index $DEV 2001:db8:b::7
	gid_index $DEV 198.51.100.1
}

# The GID of a new MAC's link-local address comes, GID 0 is never dead.
test_mac()
{
	local lla

	nsip link set $VA down
	nsip link set $VA address 02:11:22:33:44:55
	nsip link set $VA up
	lla=fe80::11:22ff:fe33:4455
	wait_for 5 gid_index $DEV $lla
	same "$(gid_of $lla)" \
		"$(cat /sys/class/infiniband/$DEV/ports/1/gids/0)" "GID 0"
}

test_vlan_address()
{
	modprobe 8021q
	nsip link add vl$$ link $VA type vlan id 9
	nsip address add 198.51.100.200/28 dev vl$$
	nsip link set vl$$ up
	wait_for 5 gid_index $DEV 198.51.100.200
	nsip link delete vl$$
	wait_for 5 not gid_index $DEV 198.51.100.200
}

port_free()
{
	[ -z "$(ip netns exec $NS ss -Haun "sport = :4791")" ]
}

test_netdev_deleted()
{
	nsip link delete $VA
	wait_for 5 not link_exists $DEV
	wait_for 5 port_free
}

load && one_up || skip_all "no $MODULE"
wait_for 5 gid_index $DEV 198.51.100.1 || skip_all "no GID"
run_tests \
	"carrier|test_carrier" \
	"MTU|test_mtu" \
	"name|test_rename" \
	"addresses|test_addresses" \
	"MAC address|test_mac" \
	"address of a VLAN|test_vlan_address" \
	"netdev deleted|test_netdev_deleted"
