#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a hostile network: made-up packets, beside traffic that goes on
#
#	TUFF_PACKETS	random mutations (100000; 10000 on a debug kernel)
#	TUFF_SWEEP	1: every length and pad on a debug kernel, too
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/lib/wire.sh"

ATTACKERS="198.51.100.77 198.51.100.200 2001:db8:a::c8"
PACKETS=$HERE/tuff_hostile/verbs_packets
SPARSE=0
if [ "${TUFF_DEBUG_FACTOR:-1}" != 1 ]; then
	[ -n "${TUFF_SWEEP:-}" ] || SPARSE=1
	: "${TUFF_PACKETS:=10000}"
fi

mac_of()
{
	ip netns exec "$1" cat "/sys/class/net/$2/address"
}

# Who the packets pretend to be can be answered, and does not answer.
neighbours()
{
	local a

	for a in $ATTACKERS; do
		ip -n "$NSA" neigh replace "$a" lladdr "$(mac_of "$NSB" "$VETHB")" \
			dev "$VETHA" nud permanent
	done
}

# VLAN 5, and VLAN 7 inside of it.
vlans()
{
	ip -n "$NSA" link add link "$VETHA" name v5 type vlan id 5 &&
		ip -n "$NSA" link set v5 up &&
		ip -n "$NSA" link add link v5 name v57 type vlan id 7 &&
		ip -n "$NSA" link set v57 up
}

pair_up || skip_all "no pair of links"
[ -z "$ALONE" ] || skip_all "needs two hosts"
modprobe -q 8021q
single_packets
neighbours
vlans || skip_all "no VLANs"
"$PACKETS" -d "$DEVA" -P "$DEVB" -N "$NSB" -I "$VETHB" \
	-M "$(mac_of "$NSA" "$VETHA")" -n "${TUFF_PACKETS:-100000}" \
	-s "${TUFF_SEED:-1}" -1 $SPARSE "$@"
