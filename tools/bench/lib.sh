# SPDX-License-Identifier: GPL-2.0
# tuff: what the guests' parts of the benchmark share: results, one to a line
#
# TOPOLOGY and LINK_TYPE say what is measured. A number that is not there
# "failed", which is our failure unless it is the rival's.
RESULTS=$LAB_OUT/results
FAILED=0

# value KEY [NUMBER]
value()
{
	echo "$TOPOLOGY $LINK_TYPE $1 ${2:-failed}" >>"$RESULTS"
	echo "# $TOPOLOGY $LINK_TYPE $1 ${2:-failed}"
	# shellcheck disable=SC2034 # the exit status of who sources this
	[ -n "${2:-}" ] || [ "$LINK_TYPE" = rxe ] || FAILED=1
}

# median KEY NUMBER...
median()
{
	local key=$1

	shift
	value "$key" "$(printf '%s\n' "$@" | sed '/^$/d' | sort -g |
		awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }')"
}

# perf_column N FILE: a number of perftest's result line
perf_column()
{
	awk -v c="$1" '/^ *[0-9]+ +[0-9]+ +[0-9.]+/ { v = $c } END { print v }' \
		"$2"
}
