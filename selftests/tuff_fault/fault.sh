# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tuff: allocations and copies that fail to order; sourced by the tests here
#
# The kernel counts chances to fail, for the one task whose fail-nth is set,
# and where asked only those below a function: with that function in the stack.

KINDS="failslab fail_page_alloc fail_usercopy"
DEBUGFS=/sys/kernel/debug

faults_there()
{
	local kind

	[ -w /proc/self/fail-nth ] || return
	for kind in $KINDS; do
		[ -w "$DEBUGFS/$kind/require-start" ] || return
	done
}

# set_faults FILE VALUE: for each kind that has the file
set_faults()
{
	local kind

	for kind in $KINDS; do
		[ ! -e "$DEBUGFS/$kind/$1" ] || echo "$2" >"$DEBUGFS/$kind/$1"
	done
}

# Every allocation that may sleep is a chance, too.
faults_on()
{
	defer faults_off
	set_faults verbose 0
	set_faults times 1000000
	set_faults ignore-gfp-wait N
	set_faults min-order 0
	anywhere
}

faults_off()
{
	set_faults probability 0
	set_faults times 0
	set_faults ignore-gfp-wait Y
	anywhere
}

anywhere()
{
	set_faults require-start 0
	set_faults require-end 0xffffffffffffffff
}

# below FUNCTION: only what it calls: one of ib_core, or of SYMBOLS. All of the
# kernel's symbols would take a slow one minutes to sort; they come in order.
SYMBOLS="do_one_initcall __x64_sys_delete_module"
below()
{
	local - first last

	set +x
	[ -s "$WORK/symbols" ] ||
		awk -v names=" $SYMBOLS " '
			follow || $4 == "[ib_core]" ||
			index(names, " " $3 " ") { print }
			{ follow = index(names, " " $3 " ") }' \
			/proc/kallsyms | LC_ALL=C sort >"$WORK/symbols"
	read -r first last < <(awk -v name="$1" '
		$3 == name { first = $1 }
		first != "" && $1 > first { print first, $1; exit }' \
		"$WORK/symbols")
	[ -n "$last" ] || { fail "no function $1"; return; }
	set_faults require-start "0x$first"
	set_faults require-end "0x$last"
}

# Only what the module calls.
below_module()
{
	local size base

	read -r _ size _ _ _ base _ < <(grep "^$MODULE " /proc/modules)
	set_faults require-start "$base"
	set_faults require-end "$(printf '0x%x' $((base + size)))"
}

# How many have failed since faults_on.
faults()
{
	local kind sum=0

	for kind in $KINDS; do
		sum=$((sum + 1000000 - $(cat "$DEBUGFS/$kind/times")))
	done
	echo $sum
}

# with_fault NTH COMMAND...: the NTH chance below the function fails.
with_fault()
{
	bash -c 'echo "$0" >/proc/self/fail-nth && exec "$@"' "$@"
}

# step FUNCTION PREPARE UNDO COMMAND...: run the command, with the first fault
# below the function, the second, and so on, until it gets through without one.
# UNDO is called after each, with the command's exit status.
step()
{
	local function=$1 prepare=$2 undo=$3 nth=1 before rc hits=0 errors=0

	shift 3
	below "$function"
	while :; do
		$prepare
		before=$(faults)
		rc=0
		with_fault $nth "$@" >"$WORK/step" 2>&1 || rc=$?
		$undo $rc || { fail "after fault $nth of $*"; return 1; }
		[ "$(faults)" != "$before" ] || break
		hits=$((hits + 1))
		[ $rc = 0 ] || errors=$((errors + 1))
		nth=$((nth + ${TUFF_FAULT_STRIDE:-1}))
	done
	anywhere
	ktap_print_msg "$hits faults, $errors errors: $*" >&3
	[ $rc = 0 ] || { cat "$WORK/step"; fail "no fault, but status $rc"; }
	[ $hits -gt 0 ] || fail "nothing failed"
}
