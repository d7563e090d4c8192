#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# tuff: the unit tests in a kernel, where it has KUnit
. "$(dirname "$0")/../lib/tuff_lib.sh"

KO=${TUFF_KUNIT_KO:-/lab/mod/tuff_kunit.ko}
RESULTS=/sys/kernel/debug/kunit

# Loading it runs the tests; their results stay until it is unloaded.
run_suites()
{
	# A kernel may have it switched off.
	modprobe kunit enable=1 || return
	# "lab-insmod" knows what the module needs; without the lab nothing is.
	if command -v lab-insmod >/dev/null; then
		lab-insmod "$KO"
	else
		insmod "$KO"
	fi
	defer "rmmod tuff_kunit"
}

# A suite's results are KTAP, with a head of their own and one outer line.
show_suite()
{
	sed -n '/^    /p' "$RESULTS/$1/results" | sed 's/^    /  /'
	if [ "$(sed -n '$s/ 1 .*//p' "$RESULTS/$1/results")" = ok ]; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
	fi
}

modprobe -n -q kunit || skip_all "the kernel has no KUnit"
[ -e "$KO" ] || skip_all "no tuff_kunit.ko"
run_suites >"$WORK/load" 2>&1 || { cat "$WORK/load"; skip_all "it does not load"; }
suites=("$RESULTS"/tuff_*/)
[ -d "${suites[0]}" ] || skip_all "the module has no suites"
ktap_print_header
ktap_set_plan ${#suites[@]}
for suite in "${suites[@]}"; do
	show_suite "$(basename "$suite")"
done
ktap_finished
