#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: a process that ruins its rings, beside one that works
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
[ "$LINK_TYPE" = tuff ] || [ "${1:-}" ] || skip_all "rdma_rxe does not survive"
"$HERE/tuff_hostile/verbs_scribble" -d "$DEVA" -P "$DEVB" "$@"
