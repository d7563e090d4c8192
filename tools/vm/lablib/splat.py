# SPDX-License-Identifier: GPL-2.0
"""Find what must not stand in a kernel log."""

import re

PATTERNS = [
    r"\bBUG:", r"\bWARNING:", r"\bOops\b", r"kernel BUG at", r"\bBUG at ",
    r"Kernel panic", r"general protection fault", r"Unable to handle kernel",
    r"unable to handle page fault", r"invalid opcode:", r"divide error:",
    r"stack segment:", r"double fault", r"stack guard page",
    r"kernel stack overflow",
    r"KASAN:", r"UBSAN:", r"KFENCE:", r"KCSAN:", r"KMSAN:",
    r"possible (circular|recursive|irq|unsafe) ",
    r"possible irq lock inversion", r"INFO: possible", r"INFO: inconsistent",
    r"inconsistent lock state", r"suspicious RCU usage", r"Voluntary context "
    r"switch within RCU", r"bad unlock balance", r"held lock freed",
    r"lock held when returning to user space", r"\block(s)? held by .* still "
    r"held", r"DEBUG_LOCKS_WARN_ON", r"trying to register non-static key",
    r"turning off the locking correctness validator",
    r"sleeping function called from invalid context",
    r"scheduling while atomic", r"Illegal context switch",
    r"blocked for more than \d+ seconds", r"INFO: task .* blocked",
    r"rcu.*(self-)?detected (expedited )?stalls?", r"rcu_.*kthread starved",
    r"soft lockup", r"hard LOCKUP", r"workqueue lockup",
    r"ODEBUG:", r"list_(add|del) corruption", r"refcount_t:",
    r"ref_tracker:", r"leaked reference", r"unregister_netdevice: waiting",
    r"\bmemory leaked\b", r"Objects remaining in",
    r"Slab cache still has objects", r"DMA-API:", r"SLUB?: Unable to free",
    r"Padding overwritten", r"Redzone overwritten", r"Poison overwritten",
    r"Object already free", r"page dumped because", r"Bad page state",
    r"Bad rss-counter", r"corrupted (list|page table)",
    r"\brestrack: ", r"Trying to vfree", r"nobody cared",
    r"NETDEV WATCHDOG", r"self-detected stall",
]
SPLAT = re.compile("|".join("(?:%s)" % p for p in PATTERNS))

# Lines of a healthy boot that a pattern happens to match; what a checker says
# whose own memory is denied to it by the injection of faults.
HARMLESS = re.compile(
    r"Spectre|mitigation|Kernel command line|Command line:|"
    r"This is a debug kernel|trace_printk|lockdep is turned on|"
    r"kmemleak: Kernel memory leak detector|kmemleak: Automatic|"
    r"DMA-API: (preallocated|debugging enabled)|"
    r"ref_tracker: memory allocation failure")

STAMP = re.compile(r"^(<\d+>)?\[ *\d+\.\d+\](\[ *[TC]\d+\])? ?")
CONTEXT = 24


def find(lines):
    """Return (number, line) of each line that is a splat."""
    return [(number, line) for number, line in enumerate(lines)
            if SPLAT.search(line) and not HARMLESS.search(line)]


def bare(line):
    """Return a log line without its time: console and dmesg compare equal."""
    return STAMP.sub("", line.strip())


def excerpt(lines, first):
    """Return the lines of a report that starts at a line."""
    return lines[first:first + CONTEXT]


def from_kmsg(text):
    """Turn what /dev/kmsg gave (records may repeat) into dmesg's lines."""
    lines = []
    last = -1
    skip = False
    for line in text.splitlines():
        head, sep, rest = line.partition(";")
        fields = head.split(",")
        if sep and len(fields) >= 4 and fields[1].isdigit() and \
                fields[2].isdigit():
            skip = int(fields[1]) <= last
            if not skip:
                last = int(fields[1])
                when = int(fields[2])
                lines.append("[%5d.%06d] %s" % (when // 1000000,
                                                when % 1000000, rest))
        elif not line.startswith(" ") and not skip and lines:
            lines.append(line)
    return lines
