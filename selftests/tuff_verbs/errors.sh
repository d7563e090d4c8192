#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: bad input of each verb, requester and responder on two hosts
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"

pair_up || skip_all "no pair of links"
"$HERE/tuff_verbs/verbs_errors" -d "$DEVA" -P "$DEVB" "$@"
