#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Test of the lab itself; TAP on stdout. Boots a few guests (about a minute).
#   tools/vm/selftest.sh [KERNEL]

lab=$(dirname "$(readlink -f "$0")")/lab
kernel=${1:-6.12}
work=$(mktemp -d)
number=0
failed=0
trap 'rm -rf "$work"' EXIT

check()		# check NAME COMMAND...: one line of TAP
{
	local name=$1
	shift
	number=$((number + 1))
	if "$@"; then
		echo "ok $number $name"
	else
		echo "not ok $number $name"
		sed 's/^/# /' "$work/log"
		failed=$((failed + 1))
	fi
}

script()	# script NAME: stdin becomes a guest script
{
	{ echo '#!/bin/sh'; cat; } >"$work/$1"
	chmod +x "$work/$1"
}

run()		# run OPTION...: result in $status, $work/log, $work/out
{
	rm -rf "$work/out"
	"$lab" run --kernel "$kernel" --out "$work/out" --time 90 "$@" \
		>"$work/log" 2>&1
	status=$?
}

refused()	# refused TEXT ARG...: exit 2, TEXT said, nothing booted
{
	local text=$1
	shift
	"$lab" "$@" >"$work/log" 2>&1
	[ $? -eq 2 ] && grep -q -e "$text" "$work/log"
}

no_guest_left()
{
	! pgrep -f "qemu-system.*$work/out" >"$work/log"
}

passed()	{ [ $status -eq 0 ]; }
red()		{ [ $status -eq 1 ]; }
said()		{ grep -q -e "$1" "$work/log"; }
file_is()	{ [ "$(cat "$work/out/$1")" = "$2" ]; }
file_has()	{ grep -q -e "$2" "$work/out/$1"; }

echo "TAP version 13"

script true <<<'exit 0'
check "no command" refused usage
check "unknown command" refused "invalid choice" frobnicate
check "unknown kernel" refused "invalid choice" run --kernel 2.4 "$work/true"
check "unknown userland" refused "invalid choice" run --userland sid "$work/true"
check "no script" refused "required: SCRIPT" run
check "missing script" refused "no script" run "$work/none"
check "too many scripts" refused "3 guests at most" \
	run "$work/true" "$work/true" "$work/true" "$work/true"
check "guests and scripts that differ" refused "one for each" \
	run --guests 3 "$work/true" "$work/true"
check "four guests" refused "from 1 to 3" run --guests 4 "$work/true"
check "icount with two vCPUs" refused "one vCPU" \
	run --icount --vcpus 2 "$work/true"
check "bad variable" refused "NAME=VALUE" run --env x "$work/true"
check "bad limit" refused "whole number" run --time soon "$work/true"
check "missing share" refused "no folder" run --share "$work/none" "$work/true"
check "missing module" refused "no module" run --ko "$work/no.ko" "$work/true"
check "kdir of a chroot kernel" refused "kmake" kdir 7.3
check "src without paths" refused "either --all or --only" src 6.12

mkdir "$work/shared"
echo shared >"$work/shared/file"
script three <<'END'
echo to stdout
echo to stderr >&2
cat /lab/share/shared/file
echo kept >/lab/out/kept
echo "word is $WORD, kernel $LAB_KERNEL, guest $LAB_GUEST of $LAB_GUESTS"
exit 3
END
run --share "$work/shared" --env "WORD=two words" "$work/three"
check "a script's status 3 fails the run" red
check "status is kept" file_is guest1.status 3
check "stdout, stderr and share are seen" said "to stdout"
check "stderr is in the output" file_has guest1.out "to stderr"
check "a shared folder is there" file_has guest1.out "^shared$"
check "variables are passed" file_has guest1.out \
	"word is two words, kernel $kernel, guest 1 of 1"
check "files of the guest are kept" file_is kept kept
check "dmesg is kept" file_has guest1.dmesg "ready after"
check "no guest is left" no_guest_left

script warn <<'END'
echo "<4>WARNING: CPU: 0 PID: 1 at nowhere.c:1 nothing+0x0/0x10" >/dev/kmsg
exit 0
END
run "$work/warn"
check "a WARNING fails a run whose script passed" red
check "the splat is shown" said "nowhere.c:1"
check "the script's own status is kept" file_is guest1.status 0

script die <<'END'
echo last words
sync
echo c >/proc/sysrq-trigger
END
run "$work/die"
check "a dead guest is red" red
check "it is said" said "died"
check "no status is made up" file_has guest1.status died
check "the panic is in the console" file_has guest1.console "Kernel panic"

script hang <<<'while :; do sleep 100; done'
run --time 20 "$work/hang"
check "a timeout is red" red
check "it is said" said "timed out after 20 s"
check "no guest is left after a timeout" no_guest_left

"$lab" run --kernel "$kernel" --out "$work/out" "$work/hang" \
	>"$work/log" 2>&1 &
pid=$!
tries=0
until pgrep -f "qemu-system.*$work/out" >/dev/null || [ $tries -gt 100 ]; do
	tries=$((tries + 1))
	sleep 0.1
done
kill -TERM $pid
wait $pid
status=$?
check "SIGTERM ends a run" test $status -eq 130
check "no guest is left after SIGTERM" no_guest_left

script ping <<'END'
set -e
lab-barrier up
ping -c 3 -i 0.2 "$LAB_PEER"
ping -c 3 -i 0.2 "$LAB_PEER6"
ping -M do -s 4400 -c 1 "$LAB_PEER"
lab-barrier done
END
run "$work/ping" "$work/ping"
check "two guests reach each other" passed
check "both ended well" file_is guest2.status 0

run --guests 3 "$work/ping"
check "three guests reach each other" passed

script early <<<'exit 0'
script late <<<'lab-barrier never 60'
run "$work/early" "$work/late"
check "a barrier without the other end fails" red
check "it names the guest" file_has guest2.out "guest 1 ended"

run --icount "$work/true"
check "icount boots" passed

echo "1..$number"
[ $failed -eq 0 ]
