#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: loaded beside rdma_rxe, whose notifier takes every device of its
# driver number for its own
#
# rdma_rxe has port 4791 in the first namespace (before 7.3 as soon as it is
# loaded), tuff's link is in a namespace of its own.
. "$(dirname "$0")/../lib/tuff_lib.sh"

NS=tfr$$ DEV=tr$$

fire_events()
{
	local ns=$1

	ip -n "$ns" link set va mtu 2000
	ip -n "$ns" link set vb down
	ip -n "$ns" link set vb up
	ip -n "$ns" link set va down
	ip -n "$ns" link set va address 02:00:00:00:00:77
	ip -n "$ns" link set va name vren
	ip -n "$ns" link set vren up
	ip -n "$ns" address add 198.51.100.99/24 dev vren
	ip -n "$ns" address del 198.51.100.99/24 dev vren
	ip -n "$ns" link set vren mtu 4200
	ip -n "$ns" link set vren down
	ip -n "$ns" link set vren name va
	ip -n "$ns" link set va up
}

rxe_up()
{
	modprobe rdma_rxe
	ip link add xa$$ type veth peer name xb$$
	ip link set xb$$ up
	ip link set xa$$ up
	rdma link add rx$$ type rxe netdev xa$$
}

tuff_up()
{
	ip netns add $NS
	ip -n $NS link set lo up
	ip -n $NS link add va type veth peer name vb
	ip -n $NS address add 198.51.100.1/24 dev va
	ip -n $NS link set vb up
	ip -n $NS link set va up
	link_add $DEV va $NS
}

test_events()
{
	rxe_up
	tuff_up
	fire_events $NS
	wait_for 5 port_is $DEV ACTIVE
	ip link set xa$$ mtu 2000
	ip link set xa$$ down
	ip link set xa$$ up
	wait_for 5 port_is rx$$ ACTIVE
	wait_for 5 gid_index $DEV 198.51.100.1
}

# Both work at the same time.
test_both_talk()
{
	local dev

	ip address add 198.51.100.65/26 dev xa$$
	wait_for 5 gid_index rx$$ 198.51.100.65
	for dev in rx$$ $DEV; do
		"$HERE/tuff_data/verbs_data" -d $dev -P $dev -q -t rc -m 1024 \
			-k sizes >"$WORK/data"
		cat "$WORK/data"
	done
}

test_first_namespace_is_taken()
{
	ip link add ya$$ type veth peer name yb$$
	fails "Address already in use" link_add ${DEV}y ya$$
	dmesg | tail -n 20 | grep -q "probably by rdma_rxe"
	ip link delete ya$$
}

port_free()
{
	[ -z "$(ip netns exec $NS ss -Haun "sport = :4791")" ]
}

# rdma_rxe's exit unregisters every device of its number, ours too.
test_rxe_unloads()
{
	rmmod rdma_rxe
	wait_for 10 not link_exists rx$$
	wait_for 10 not link_exists $DEV
	wait_for 5 port_free
	link_add $DEV va $NS
	wait_for 5 gid_index $DEV 198.51.100.1
	"$HERE/tuff_data/verbs_data" -d $DEV -P $DEV -q -t rc -m 1024 -k sizes
	link_del $DEV
}

test_both_unload()
{
	modprobe rdma_rxe
	rdma link add rx$$ type rxe netdev xa$$
	link_add $DEV va $NS
	unload
	link_exists rx$$
	not link_exists $DEV
	load
	link_add $DEV va $NS
	rmmod rdma_rxe
	unload
	load
}

remove_all()
{
	link_gone $DEV
	link_gone rx$$
	rmmod rdma_rxe
	ip netns delete $NS
	ip link delete xa$$
}

[ "$LINK_TYPE" = tuff ] || skip_all "needs tuff beside rdma_rxe"
load || skip_all "no $MODULE"
modinfo rdma_rxe >/dev/null || skip_all "no rdma_rxe"
defer remove_all
run_tests \
	"every netdev event|test_events" \
	"both at the same time|test_both_talk" \
	"port taken in the first namespace|test_first_namespace_is_taken" \
	"rdma_rxe unloads and takes our links|test_rxe_unloads" \
	"either unloads first|test_both_unload"
