#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: links in network namespaces
. "$(dirname "$0")/../lib/tuff_lib.sh"

NS=tfns$$ DEV=tm$$

veth_in()
{
	ip netns add "$1"
	ip -n "$1" link set lo up
	ip -n "$1" link add va type veth peer name vb
	ip -n "$1" address add "198.51.100.$2/24" dev va
	ip -n "$1" link set vb up
	ip -n "$1" link set va up
}

port_count()
{
	ip netns exec "$1" ss -Haun "sport = :4791" | wc -l
}

# Each namespace has a socket of its own, as long as it has a link.
test_socket_per_namespace()
{
	veth_in ${NS}a 1
	veth_in ${NS}b 2
	link_add ${DEV}a va ${NS}a
	same 2 "$(port_count ${NS}a)" "sockets of a"
	same 0 "$(port_count ${NS}b)" "sockets of b"
	link_add ${DEV}b va ${NS}b
	same 2 "$(port_count ${NS}b)" "sockets of b"
	same 0 "$(ss -Haun "sport = :4791" | wc -l)" "sockets of the first"
	link_del ${DEV}a
	same 0 "$(port_count ${NS}a)" "sockets of a"
	same 2 "$(port_count ${NS}b)" "sockets of b"
	link_del ${DEV}b
	ip netns delete ${NS}a
	ip netns delete ${NS}b
}

test_namespace_deleted()
{
	local i

	for i in 1 2 3; do
		veth_in ${NS}c 3
		link_add ${DEV}c va ${NS}c
		ip netns delete ${NS}c
		wait_for 10 not link_exists ${DEV}c
	done
}

# A moved netdev leaves its link behind, as every netdev that unregisters.
test_netdev_moved()
{
	veth_in ${NS}d 4
	link_add ${DEV}d va ${NS}d
	ip netns add ${NS}e
	ip -n ${NS}d link set va netns ${NS}e
	wait_for 10 not link_exists ${DEV}d
	# The socket goes last, when nobody finds the device any more.
	wait_for 10 socket_is ${NS}d 0
	ip -n ${NS}e link set va up
	link_add ${DEV}d va ${NS}e
	same 2 "$(port_count ${NS}e)" "sockets of e"
	ip netns delete ${NS}e
	wait_for 10 not link_exists ${DEV}d
	ip netns delete ${NS}d
}

# Whoever binds the port first keeps it.
test_port_taken()
{
	veth_in ${NS}f 6
	ip netns exec ${NS}f socat -u UDP4-RECV:4791 STDOUT &
	wait_for 5 socket_is ${NS}f 1
	fails "Address already in use" link_add ${DEV}f va ${NS}f
	not link_exists ${DEV}f
	dmesg | tail -n 20 | grep -q "4791 is taken"
	kill $!
	wait_for 5 socket_is ${NS}f 0
	link_add ${DEV}f va ${NS}f
	link_del ${DEV}f
	ip netns delete ${NS}f
}

socket_is()
{
	[ "$(port_count "$1")" -eq "$2" ]
}

test_unload_with_namespaces()
{
	veth_in ${NS}g 7
	veth_in ${NS}h 8
	link_add ${DEV}g va ${NS}g
	link_add ${DEV}h va ${NS}h
	ip netns delete ${NS}h
	unload
	not link_exists ${DEV}g
	not link_exists ${DEV}h
	ip netns delete ${NS}g
	load
}

remove_all()
{
	local x

	for x in a b c d e f g h; do
		link_gone ${DEV}$x
		ip netns delete ${NS}$x 2>/dev/null
	done
}

load || skip_all "no $MODULE"
defer remove_all
run_tests \
	"a socket for each namespace|test_socket_per_namespace" \
	"namespace deleted|test_namespace_deleted" \
	"netdev moved to another namespace|test_netdev_moved" \
	"port taken by somebody else|test_port_taken" \
	"unload with links in namespaces|test_unload_with_namespaces"
