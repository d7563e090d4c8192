#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: adding and deleting links, wrong arguments, what is shown of a device
#
#	namespace $NS:  va 198.51.100.1 ---veth--- vb
. "$(dirname "$0")/../lib/tuff_lib.sh"

NS=tfl$$ VA=va$$ VB=vb$$ DEV=tl$$

one_up()
{
	ip netns add $NS && defer "ip netns delete $NS" &&
		ip -n $NS link set lo up &&
		ip -n $NS link add $VA type veth peer name $VB &&
		ip -n $NS address add 198.51.100.1/24 dev $VA &&
		ip -n $NS link set $VB mtu 4200 up &&
		ip -n $NS link set $VA mtu 4200 up
}

in_ns()
{
	ip netns exec $NS "$@"
}

# The UDP port, in both families.
port_taken()
{
	[ "$(in_ns ss -Haun "sport = :4791" | wc -l)" -eq 2 ]
}

port_free()
{
	[ -z "$(in_ns ss -Haun "sport = :4791")" ]
}

test_add_delete()
{
	port_free
	link_add $DEV $VA $NS
	link_exists $DEV
	port_taken
	rdma link show $DEV/1 | grep -q "state ACTIVE"
	link_del $DEV
	wait_for 5 not link_exists $DEV
	wait_for 5 port_free
}

# Many times; the number of the device and its names come back.
test_add_delete_often()
{
	local i

	for i in $(seq 10); do
		link_add $DEV $VA $NS
		link_del $DEV
	done
	not link_exists $DEV
	port_free
}

test_second_on_netdev()
{
	link_add $DEV $VA $NS
	fails "File exists" link_add ${DEV}x $VA $NS
	not link_exists ${DEV}x
	port_taken
	# The other end is a netdev of its own; one socket serves both.
	link_add ${DEV}b $VB $NS
	port_taken
	link_del $DEV
	port_taken
	link_del ${DEV}b
	port_free
}

test_name_in_use()
{
	link_add $DEV $VA $NS
	fails "error" link_add $DEV $VB $NS
	link_exists $DEV
	link_del $DEV
	link_add $DEV $VB $NS
	link_del $DEV
	port_free
}

test_bad_names()
{
	local long

	long=$(printf 'x%.0s' $(seq 70))
	not link_add "$long" $VA $NS
	not link_add "a%d%d" $VA $NS
	not link_add "" $VA $NS
	port_free
}

test_bad_netdevs()
{
	not link_add $DEV nosuchdev $NS
	not in_ns rdma link add $DEV type nosuchtype netdev $VA
	not rdma link delete nosuchlink
	port_free
}

# IP in IP has no Ethernet header, and its packets are somebody else's.
test_netdev_type_refused()
{
	modprobe ipip
	in_ns ip link add tnl$$ type ipip local 198.51.100.1 remote 198.51.100.9
	fails "not supported" link_add $DEV tnl$$ $NS
	not link_exists $DEV
	in_ns ip link delete tnl$$
	port_free
	dmesg | tail -n 20 | grep -q "$DEV: tnl$$ is no Ethernet"
}

test_loopback()
{
	link_add $DEV lo $NS
	wait_for 5 gid_index $DEV 127.0.0.1
	port_is $DEV ACTIVE
	link_del $DEV
}

test_tun()
{
	modprobe tun
	mkdir -p /dev/net
	[ -e /dev/net/tun ] || mknod /dev/net/tun c 10 200
	in_ns ip tuntap add dev tun$$ mode tun
	in_ns ip address add 198.51.100.129/25 dev tun$$
	in_ns ip link set tun$$ up
	link_add $DEV tun$$ $NS
	wait_for 5 gid_index $DEV 198.51.100.129
	in_ns ip address add 198.51.100.130/25 dev tun$$
	wait_for 5 gid_index $DEV 198.51.100.130
	in_ns ip link delete tun$$
	wait_for 5 not link_exists $DEV
	wait_for 5 port_free
}

# Others that look like Ethernet do.
test_ethernet_kinds()
{
	local kind

	modprobe -a dummy macvlan 8021q bridge
	in_ns ip link add dum$$ type dummy
	in_ns ip link add mac$$ link $VA type macvlan
	in_ns ip link add vl$$ link $VA type vlan id 7
	in_ns ip link add br$$ type bridge
	for kind in dum mac vl br; do
		in_ns ip link set $kind$$ up
		link_add $DEV$kind $kind$$ $NS
		link_exists $DEV$kind
	done
	for kind in mac vl dum br; do
		in_ns ip link delete $kind$$
		wait_for 5 not link_exists $DEV$kind
	done
	wait_for 5 port_free
}

attr()
{
	sed -n "s/^[ \t]*$1:[ \t]*//p" "$WORK/devinfo" | head -n 1
}

test_devinfo()
{
	local mac guid

	link_add $DEV $VA $NS
	wait_for 5 gid_index $DEV 198.51.100.1
	ibv_devinfo -v -d $DEV >"$WORK/devinfo"
	cat "$WORK/devinfo"
	mac=$(in_ns cat /sys/class/net/$VA/address)
	# EUI-64 of the MAC: the second bit of its first byte turned
	guid=$(python3 -c '
import sys
m = bytes.fromhex(sys.argv[1].replace(":", ""))
g = (bytes([m[0] ^ 2]) + m[1:3] + b"\xff\xfe" + m[3:]).hex()
print(":".join(g[i:i + 4] for i in range(0, 16, 4)))' "$mac")
	same "$guid" "$(attr node_guid)" node_guid
	same "$guid" "$(attr sys_image_guid)" sys_image_guid
	not [ $(($(attr vendor_id))) -eq 0 ]
	same "PORT_ACTIVE (4)" "$(attr state)" state
	same "4096 (5)" "$(attr active_mtu)" active_mtu
	same "4096 (5)" "$(attr max_mtu)" max_mtu
	same Ethernet "$(attr link_layer)" link_layer
	same "InfiniBand (0)" "$(attr transport)" transport
	same 1 "$(attr phys_port_cnt)" phys_port_cnt
	same "LINK_UP (5)" "$(attr phys_state)" phys_state
	grep -q "GID\[.*::ffff:198.51.100.1, RoCE v2" "$WORK/devinfo"
	between 1 100000000 "$(attr max_qp)" max_qp
	between 1 65536 "$(attr max_sge)" max_sge
	between 1 255 "$(attr max_qp_rd_atom)" max_qp_rd_atom
	echo "a host's name" >/sys/class/infiniband/$DEV/node_desc
	same "a host's name" "$(cat /sys/class/infiniband/$DEV/node_desc)" \
		node_desc
	# Not there yet, so not advertised.
	same 0 "$(attr max_mw)" max_mw
	link_del $DEV
}

test_counters()
{
	local f n=0

	link_add $DEV $VA $NS
	for f in /sys/class/infiniband/$DEV/ports/1/hw_counters/*; do
		[ "${f##*/}" = lifespan ] && continue
		grep -qx '[0-9]*' "$f"
		n=$((n + 1))
	done
	between 20 500 $n "number of counters"
	rdma statistic show link $DEV/1 | grep -q "rx_packets"
	grep -qx '[0-9]*' /sys/class/infiniband/$DEV/ports/1/counters/port_xmit_data
	link_del $DEV
}

test_rdma_tool()
{
	link_add $DEV $VA $NS
	rdma dev show $DEV | grep -q "$DEV: node_type ca"
	rdma -d dev show $DEV
	rdma link show $DEV/1 | grep -q "netdev $VA" ||
		in_ns rdma link show $DEV/1 | grep -q "netdev $VA"
	# What the GSI queue pair is made of, and nothing else.
	rdma resource show $DEV
	same 1 "$(objects $DEV qp)" "queue pairs"
	same 0 "$(objects $DEV mr)" "regions"
	rdma -j -d resource show qp link $DEV/1 |
		jq -e ".[0].type == \"GSI\" and .[0].lqpn == 1"
	link_del $DEV
}

test_alias()
{
	modinfo -F alias "/lab/mod/$MODULE.ko" | grep -qx "rdma-link-$LINK_TYPE"
}

test_unload()
{
	local i

	for i in 1 2 3; do
		load
		link_add $DEV $VA $NS
		link_add ${DEV}b $VB $NS
		unload
		not link_exists $DEV
		not link_exists ${DEV}b
		not loaded
		port_free
		fails "error" link_add $DEV $VA $NS
	done
	load
}

load && one_up || skip_all "no $MODULE"
# No test may leave a link for the next.
for name in $DEV ${DEV}b; do defer "link_gone $name"; done
run_tests \
	"add and delete|test_add_delete" \
	"add and delete ten times|test_add_delete_often" \
	"one link for a netdev, one socket for all|test_second_on_netdev" \
	"name in use|test_name_in_use" \
	"names that are none|test_bad_names" \
	"netdevs and types that are not there|test_bad_netdevs" \
	"netdev of a type that does not do|test_netdev_type_refused" \
	"loopback|test_loopback" \
	"tun|test_tun" \
	"dummy, macvlan, vlan, bridge|test_ethernet_kinds" \
	"ibv_devinfo tells true values|test_devinfo" \
	"counters are there and numbers|test_counters" \
	"rdma dev, link, resource|test_rdma_tool" \
	"module alias|test_alias" \
	"unload and load with links|test_unload"
