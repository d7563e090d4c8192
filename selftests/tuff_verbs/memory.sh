#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: kinds of memory, keys, and regions that go while they are used
#
# VERBS_MEMORY_KEYS: registrations of the test of keys; more than 2^18 take
# minutes in a guest.
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
sysctl -qw vm.nr_hugepages=8
"$HERE/tuff_verbs/verbs_memory" -d "$DEVA" -P "$DEVB" "$@"
status=$?
sysctl -qw vm.nr_hugepages=0
exit $status
