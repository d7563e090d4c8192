#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: every opcode, size border, path MTU and SGE shape between two hosts
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
"$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" "$@"
