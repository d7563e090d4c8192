#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: rdma-core's own Python tests: nothing fails
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
modprobe -q rdma_ucm
[ -e /usr/share/doc/rdma-core/tests ] || skip_all "no tests of pyverbs"
PYTHONDONTWRITEBYTECODE=1 nsa "$HERE/tuff_verbs/pyverbs_tap.py" "$DEVA" \
	"$(gid_index "$DEVA" $IPA)" "$@"
