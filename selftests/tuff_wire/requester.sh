#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: requester.py between the two hosts
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/lib/wire.sh"

pair_up || skip_all "no pair of links"
raw_peer "$HERE/tuff_wire/requester.py" "$@"
