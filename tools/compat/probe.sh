#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# tuff: find out which of the newer kernel interfaces a kernel's headers have
#
# Usage: probe.sh KERNEL-SOURCE [OUTPUT]
#
# Writes one "#define TUFF_HAVE_X" for each interface that is there to OUTPUT
# (default: standard output). OUTPUT is left alone when nothing changed, so
# that nothing is rebuilt. Versions are not looked at: distributions and stable
# kernels carry newer interfaces back.

set -eu

me=${0##*/}
if [ $# -lt 1 ] || [ $# -gt 2 ]; then
	echo "usage: $me KERNEL-SOURCE [OUTPUT]" >&2
	exit 2
fi
top=$1
out=${2:-}
if [ ! -e "$top/include/rdma/ib_verbs.h" ]; then
	echo "$me: no include/rdma/ib_verbs.h in $top" >&2
	exit 1
fi

# has NAME FILE REGEX: the words of REGEX stand in one line of FILE.
has()
{
	if grep -Eqs -- "$3" "$top/include/$2"; then
		printf '#define TUFF_HAVE_%s 1\n' "$1"
	fi
}

# spans NAME FILE FROM REGEX: REGEX stands between FROM and the next semicolon.
spans()
{
	if [ -e "$top/include/$2" ] &&
	   awk -v from="$3" '$0 ~ from { on = 1 } on { print } /;/ { on = 0 }' \
		"$top/include/$2" | grep -Eq -- "$4"; then
		printf '#define TUFF_HAVE_%s 1\n' "$1"
	fi
}

probes()
{
	printf '/* Written by %s from the kernel headers. Do not edit. */\n' "$me"
	# rdma
	spans OP_CREATE_CQ_ATTRS rdma/ib_verbs.h \
		'[(][*]create_cq[)]' 'uverbs_attr_bundle'
	has OP_RESIZE_USER_CQ rdma/ib_verbs.h '\(\*resize_user_cq\)'
	spans OP_REG_USER_MR_DMAH rdma/ib_verbs.h \
		'[(][*]reg_user_mr[)]' 'ib_dmah'
	has IB_ALLOC_DEVICE_WITH_NET rdma/ib_verbs.h \
		'define ib_alloc_device_with_net'
	has IB_DISPATCH_PORT_STATE_EVENT rdma/ib_verbs.h \
		'ib_dispatch_port_state_event'
	has IB_GET_CURR_PORT_STATE rdma/ib_verbs.h 'ib_get_curr_port_state'
	has IB_MARK_NAME_ASSIGNED_BY_USER rdma/ib_verbs.h \
		'ib_mark_name_assigned_by_user'
	has IB_UMEM_GET_VA rdma/ib_umem.h 'ib_umem_get_va'
	has IB_NO_UDATA_IO rdma/uverbs_ioctl.h 'ib_no_udata_io'
	# mm, lib, timers, work
	has VM_FLAGS_SET linux/mm.h 'vm_flags_set\('
	has KMALLOC_OBJ linux/slab.h 'define kmalloc_obj\('
	has GUARD_SPINLOCK_BH linux/spinlock.h 'spinlock_bh'
	has HRTIMER_SETUP linux/hrtimer.h 'hrtimer_setup\('
	has TIMER_CONTAINER_OF linux/timer.h 'define timer_container_of'
	has WQ_PERCPU linux/workqueue.h 'WQ_PERCPU'
	has CRC32_LE_VOID linux/crc32.h 'crc32_le\(u32 crc, const void \*'
	has CRC32_OPTIMIZATIONS linux/crc32.h 'crc32_optimizations\('
	# net
	has UDP_TUNNEL_SOCK net/udp_tunnel.h \
		'udp_tunnel_sock_release\(struct sock \*'
	spans UDP_TUNNEL_XMIT_IPCB net/udp_tunnel.h \
		'udp_tunnel_xmit_skb[(]' 'ipcb_flags'
	spans UDP_TUNNEL6_XMIT_IP6CB net/udp_tunnel.h \
		'udp_tunnel6_xmit_skb[(]' 'ip6cb_flags'
	has SOCKADDR_UNSIZED linux/socket.h 'struct sockaddr_unsized'
	has SKB_FRAG_FILL_PAGE_DESC linux/skbuff.h 'skb_frag_fill_page_desc'
	has SKB_FRAGS_READABLE linux/skbuff.h 'skb_frags_readable'
	has NETIF_GET_GSO_MAX_SIZE linux/netdevice.h 'netif_get_gso_max_size'
}

if [ -z "$out" ]; then
	probes
	exit
fi
new=$(probes)
if [ ! -e "$out" ] || [ "$new" != "$(cat "$out")" ]; then
	printf '%s\n' "$new" > "$out.$$"
	mv "$out.$$" "$out"
fi
