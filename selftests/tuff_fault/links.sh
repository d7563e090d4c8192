#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: module and links, with each allocation failing in turn
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/tuff_fault/fault.sh"

KO=${TUFF_KO:-/lab/mod/$MODULE.ko}

insert()
{
	insmod "$KO"
}

remove_if_there()
{
	! loaded || unload
}

# Whatever became of it, another try gives a link that works.
after_link_add()
{
	if [ "$1" = 0 ]; then
		link_del "$DEVA" || return
	fi
	wait_for 10 not link_exists "$DEVA" && port_is_free
}

# The port is the namespace's again when its last link is gone.
port_is_free()
{
	wait_for 10 no_socket
}

no_socket()
{
	[ -z "$(nsa ss -Haun "sport = :4791")" ]
}

after_link_del()
{
	wait_for 10 not link_exists "$DEVA" && port_is_free
}

add()
{
	link_add "$DEVA" "$VETHA" "$NSA"
}

test_module_load()
{
	unload
	step do_one_initcall true remove_if_there insmod "$KO"
	insert
}

test_module_unload()
{
	unload
	step __x64_sys_delete_module loaded_with_link not_loaded rmmod "$MODULE"
	insert
}

loaded_with_link()
{
	loaded || insert
	link_exists "$DEVA" || add
}

# With an error it is still there and can be unloaded.
not_loaded()
{
	[ "$1" = 0 ] || unload || return
	not loaded && not link_exists "$DEVA"
}

test_link_add()
{
	step nldev_newlink true after_link_add ip netns exec "$NSA" \
		rdma link add "$DEVA" type "$LINK_TYPE" netdev "$VETHA"
}

test_link_del()
{
	step nldev_dellink add after_link_del rdma link delete "$DEVA"
}

# The pair works as if nothing had been.
test_works()
{
	add
	link_add "$DEVB" "$VETHB" "$NSB"
	wait_for 10 gid_index "$DEVA" $IPA
	wait_for 10 gid_index "$DEVB" $IPB
	finish 60 "$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -q -t rc \
		-m 1024 -k burst -b 1
}

[ "$LINK_TYPE" = tuff ] || skip_all "needs tuff"
pair_up || skip_all "no pair of links"
faults_there || skip_all "the kernel injects no faults"
[ -e "$KO" ] || skip_all "no $KO"
faults_on
exec 3>&1	# where "step" tells how many there were
link_del "$DEVA"
link_del "$DEVB"
run_tests \
	"module load|test_module_load" \
	"module unload|test_module_unload" \
	"link add|test_link_add" \
	"link delete|test_link_del" \
	"works afterwards|test_works"
