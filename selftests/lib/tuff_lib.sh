# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tuff: what the guest tests share. Source it first:
#
#	. "$(dirname "$0")/../lib/tuff_lib.sh"
#
# Conventions: a test is a shell function; run_tests makes one TAP line of
# each and shows its trace only when it fails. Waiting is for conditions, with
# a limit that TUFF_TIME_SCALE stretches on slow machines. What a test makes,
# it has removed by "defer".
#
#	TUFF_LINK_TYPE	 tuff, or rxe to try the tests on the kernel's rdma_rxe
#	TUFF_EXPECT_ALL	 1: what is missing is a failure, not a skip

LINK_TYPE=${TUFF_LINK_TYPE:-tuff}
TIME_SCALE=${TUFF_TIME_SCALE:-1}
HERE=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
case $LINK_TYPE in
rxe) MODULE=rdma_rxe ;;
*) MODULE=$LINK_TYPE ;;
esac
WORK=$(mktemp -d /tmp/tuff-test.XXXXXX)
DEFERRED=()

# shellcheck disable=SC1091
. "$HERE/kselftest/ktap_helpers.sh"

# --- cleaning up -----------------------------------------------------------

# defer COMMAND...: run it at the end, last one first.
defer()
{
	DEFERRED+=("$*")
}

run_deferred()
{
	local i

	for ((i = ${#DEFERRED[@]} - 1; i >= 0; i--)); do
		eval "${DEFERRED[i]}" >>"$WORK/cleanup" 2>&1
	done
	DEFERRED=()
}

at_exit()
{
	local rc=$?

	trap '' INT TERM
	run_deferred
	rm -rf "$WORK"
	exit $rc
}
trap at_exit EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# --- tests -----------------------------------------------------------------

# One test: pass, fail (its trace is shown), or skip (it returned 4).
run_one_test()
{
	local name=$1 log=$WORK/log rc

	shift
	(
		set -e
		PS4='+ '
		exec 2>&1
		set -x
		"$@"
	) >"$log"
	rc=$?
	if [ $rc -eq 0 ]; then
		ktap_test_pass "$name"
	elif [ $rc -eq 4 ] && [ "${TUFF_EXPECT_ALL:-0}" != 1 ]; then
		ktap_test_skip "$name"
	elif [ $rc -eq 4 ] && [ "${TUFF_MAY_SKIP:-}" = 1 ]; then
		ktap_test_skip "$name"
	else
		tail -n 40 "$log" | cut -c1-300 | sed 's/^/#   /'
		ktap_test_fail "$name"
	fi
}

# run_tests "name|function arguments" ...
run_tests()
{
	local t

	ktap_print_header
	ktap_set_plan $#
	for t; do
		# shellcheck disable=SC2086
		run_one_test "${t%%|*}" ${t#*|}
	done
	ktap_finished
}

# The whole script cannot run here.
skip_all()
{
	if [ "${TUFF_EXPECT_ALL:-0}" = 1 ]; then
		ktap_print_header
		ktap_set_plan 1
		ktap_test_fail "missing: $*"
		exit "$KSFT_FAIL"
	fi
	ktap_print_header
	ktap_skip_all "$@"
	exit "$KSFT_SKIP"
}

fail()
{
	echo "FAIL: $*"
	return 1
}

# same WANT GOT WHAT
same()
{
	[ "$1" = "$2" ] || fail "$3: expected '$1', got '$2'"
}

# between LOW HIGH VALUE WHAT
between()
{
	{ [ "$3" -ge "$1" ] && [ "$3" -le "$2" ]; } ||
		fail "$4: expected $1..$2, got $3"
}

# fails WITH COMMAND...: it must fail and its output must hold WITH.
fails()
{
	local want=$1 out

	shift
	if out=$("$@" 2>&1); then
		fail "'$*' succeeded: $out"
		return 1
	fi
	case $out in
	*"$want"*) ;;
	*) fail "'$*' said '$out', not '$want'" ;;
	esac
}

# wait_for SECONDS CONDITION...: poll until it holds. What the condition says
# is shown when it never did.
wait_for()
{
	local - limit=$(($1 * TIME_SCALE)) start=$SECONDS out

	set +x
	shift
	until out=$("$@" 2>&1); do
		if [ $((SECONDS - start)) -gt $limit ]; then
			fail "after $limit s still not: $*: $out"
			return 1
		fi
		sleep 0.05
	done
}

not()
{
	! "$@"
}

# finish SECONDS COMMAND...: it must end in time, and well.
finish()
{
	local limit=$(($1 * TIME_SCALE))

	shift
	timeout -k 5 "$limit" "$@"
}

# --- module and links ------------------------------------------------------

# shellcheck disable=SC2120 # suites give the module's name
loaded()
{
	[ -e "/sys/module/${1:-$MODULE}" ]
}

load()
{
	loaded && return 0
	if [ "$LINK_TYPE" = rxe ]; then
		modprobe rdma_rxe
	elif [ -n "${TUFF_KO:-}" ]; then
		insmod "$TUFF_KO"
	elif command -v lab-insmod >/dev/null; then
		lab-insmod "$MODULE"
	else
		modprobe "$MODULE"
	fi
}

unload()
{
	rmmod "$MODULE"
}

link_exists()
{
	[ -e "/sys/class/infiniband/$1" ]
}

# link_add NAME NETDEV [NETNS]
link_add()
{
	local life=/sys/class/infiniband/$1/ports/1/hw_counters/lifespan

	${3:+ip netns exec "$3"} \
		rdma link add "$1" type "$LINK_TYPE" netdev "$2" || return
	# ib_core shows counters as they were up to so many milliseconds ago.
	[ ! -w "$life" ] || echo 0 >"$life"
}

link_del()
{
	rdma link delete "$1"
}

# Remove what is left of a link; for cleaning up.
link_gone()
{
	if link_exists "$1"; then
		rdma link delete "$1"
	fi
}

# gid_index DEV ADDRESS: the RoCEv2 GID with this address, as in ibv_devinfo.
# The table is long, and a process for each entry takes a slow kernel a minute.
gid_index()
{
	local dir=/sys/class/infiniband/$1/ports/1 f

	while read -r f; do
		grep -qs 'RoCE v2' "$dir/gid_attrs/types/${f##*/}" || continue
		echo "${f##*/}"
		return 0
	done < <(grep -lsx "$(gid_of "$2")" "$dir"/gids/*)
	return 1
}

# The GID of an IP address, in sysfs' spelling.
gid_of()
{
	local - IFS=. left right group out=

	set +x
	case $1 in
	*:*)
		IFS=:
		read -ra left <<<"${1%%::*}"
		read -ra right <<<"${1#"${1%%::*}"}"
		right=("${right[@]:2}")
		while [ $((${#left[@]} + ${#right[@]})) -lt 8 ]; do
			left+=(0)
		done
		for group in "${left[@]}" "${right[@]}"; do
			out+=$(printf ':%04x' "0x$group")
		done
		echo "${out#:}"
		;;
	*)
		# shellcheck disable=SC2086 # the four numbers
		printf '0000:0000:0000:0000:0000:ffff:%02x%02x:%02x%02x\n' $1
		;;
	esac
}

# counters_age: ib_core takes a port's counters at most once a jiffy, whatever
# "lifespan" says; who read them before the event waits, or sees the old ones.
counters_age()
{
	sleep 0.01
}

# counter DEV NAME; counters are decimal files.
counter()
{
	counters_age
	cat "/sys/class/infiniband/$1/ports/1/hw_counters/$2"
}

port_state()
{
	sed 's/.*: //' "/sys/class/infiniband/$1/ports/1/state"
}

port_is()
{
	[ "$(port_state "$1")" = "$2" ]
}

# Sum of all counters whose names match a pattern.
counters_sum()
{
	local - f sum=0

	set +x
	counters_age
	for f in /sys/class/infiniband/"$1"/ports/1/hw_counters/$2; do
		[ -e "$f" ] && sum=$((sum + $(cat "$f")))
	done
	echo $sum
}

# nothing_dropped DEV...: no packet was found to be wrong. Left out is what a
# path explains that loses, repeats or delays packets, which a busy guest's
# backlog does: those that wait for a retransmission, what then comes twice, and
# what comes when its queue pair has gone.
nothing_dropped()
{
	local dev bad=0

	[ "$LINK_TYPE" = tuff ] || return 0
	counters_age
	for dev; do
		grep -v '^0$' /dev/null \
			"/sys/class/infiniband/$dev/ports/1/hw_counters"/rx_drop_* \
			"/sys/class/infiniband/$dev/ports/1/hw_counters"/rx_icrc_* |
		grep -v -e awaiting_retransmit -e ack_stale -e duplicate \
			-e response_sequence -e uc_sequence -e no_qp && bad=1
	done
	[ $bad = 0 ] || fail "packets were dropped"
}

# How many objects of a kind a device has; kind: qp cq mr pd srq ctx cm_id
objects()
{
	rdma resource show "$1" | sed -n "s/.*\b$2 \([0-9]*\).*/\1/p"
}

count_is()
{
	[ "$(objects "$1" "$2" | head -n 1)" = "$3" ]
}

# leaves_nothing DEV...: of all objects only the GSI queue pairs are left.
leaves_nothing()
{
	local dev

	for dev; do
		wait_for 10 count_is "$dev" qp 1
		wait_for 10 count_is "$dev" mr 0
		wait_for 10 count_is "$dev" ctx 0
		wait_for 10 count_is "$dev" srq 0
	done
}
