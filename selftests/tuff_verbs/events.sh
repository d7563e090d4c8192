#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: completion channels and asynchronous events between two hosts
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
"$HERE/tuff_verbs/verbs_events" -d "$DEVA" -P "$DEVB" "$@"
