#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: verbs, with each allocation and copy failing in turn; traffic, with
# some of its allocations failing
. "$(dirname "$0")/../lib/tuff_lib.sh"
. "$HERE/lib/peer.sh"
. "$HERE/tuff_fault/fault.sh"

# One test for each verb: verbs_fault tells how it went.
passed()
{
	grep -B 4 " $*\$" "$WORK/verbs" | grep '^#'
	grep -q "^ok [0-9]* $*\$" "$WORK/verbs"
}

# In softirq there is no task to count for: one in twenty fails, wherever.
traffic()
{
	local before

	set_faults ignore-gfp-wait Y
	below_module
	before=$(faults)
	echo 5 >"$DEBUGFS/failslab/probability"
	"$@" || { set_faults probability 0; return 1; }
	set_faults probability 0
	anywhere
	set_faults ignore-gfp-wait N
	echo "$(($(faults) - before)) faults"
	[ "$(faults)" -gt "$before" ] || fail "nothing failed"
}

test_data()
{
	finish 120 "$HERE/tuff_data/verbs_data" -d "$DEVA" -P "$DEVB" -q \
		-t rc -m 1024 -k sizes,burst -b 2
}

[ "$LINK_TYPE" = tuff ] || skip_all "needs tuff"
modprobe -q rdma_ucm
pair_up || skip_all "no pair of links"
faults_there || skip_all "the kernel injects no faults"
faults_on
nsa "$HERE/tuff_fault/verbs_fault" -d "$DEVA" \
	-s "${TUFF_FAULT_STRIDE:-1}" 2>&1 | tee "$WORK/verbs" |
	grep --line-buffered '^#'
tests=()
while read -r name; do
	tests+=("$name|passed $name")
done < <(sed -n 's/^\(not \)\?ok [0-9]* //p' "$WORK/verbs")
[ ${#tests[@]} -gt 0 ] || { cat "$WORK/verbs"; skip_all "verbs_fault gave no results"; }
run_tests "${tests[@]}" \
	"RC traffic while packets cannot be made|traffic test_data" \
	"nothing is left|leaves_nothing $DEVA $DEVB"
