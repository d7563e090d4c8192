#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a peer whose host refuses port 4791, by ICMP
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

# Without a link nobody has the port over there, as behind a firewall.
test_refused()
{
	local tool=$HERE/tuff_hostile/verbs_packets

	link_gone "$DEVB"
	finish 60 "$tool" -d "$DEVA" refused
}

pair_up || skip_all "no pair of links"
[ -z "$ALONE" ] || skip_all "needs two hosts"
run_tests "an error after the retries, and counters that tell why|test_refused"
