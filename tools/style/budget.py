#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Sizes: how long a function and a file may be, and how deep.

Past the limit is a failure.  A table, which is data in the form of code, is
excused by the marker "budget: table" in the comment above it.
"""

import common

FUNCTION_LIMIT = 80
FUNCTION_AIM = 50
AIM_SHARE = 0.05            # of all functions may be longer than the aim
ARGUMENT_LIMIT = 9
NESTING_LIMIT = 5           # braces, the function's own counted
FILE_LIMIT = {".c": 900, ".h": 300}
MARKER = "budget: table"


def excused(name, line):
    """Tell whether the comment that ends above a line has the marker."""
    text = common.lines(name)
    above = line - 2
    while above >= 0 and text[above].strip():
        if MARKER in text[above]:
            return True
        above -= 1
    return False


def arguments(head):
    inside = head[head.index("(") + 1:head.rindex(")")]
    depth, count = 0, 1
    for char in inside:
        depth += {"(": 1, ")": -1}.get(char, 0)
        count += char == "," and depth == 0
    return count if inside.strip() not in ("", "void") else 0


def nesting(body):
    """Return how deep the braces go, the function's own counted."""
    depth, deepest = 1, 1
    for char in "".join(body):
        depth += {"{": 1, "}": -1}.get(char, 0)
        deepest = max(deepest, depth)
    return deepest


def main():
    out = common.Findings()
    names = common.files("drivers/*.c", "drivers/*.h", "include/*.h",
                         "tools/*.c", "tools/*.h", "selftests/*.c",
                         "selftests/*.h")
    sizes, long_ones = [], []
    for name in names:
        total = len(common.lines(name))
        limit = FILE_LIMIT[name[-2:]]
        if total > limit:
            out.add(name, limit, "%d lines, %d are allowed" % (total, limit),
                    "split it by subject")
        for line, head, body in common.functions(name):
            if excused(name, line):
                continue
            func = common.function_name(head)
            if name.startswith("drivers/"):
                sizes.append(len(body))
                if len(body) > FUNCTION_AIM:
                    long_ones.append((len(body), name, line, func))
            if len(body) > FUNCTION_LIMIT:
                out.add(name, line, "%s() has %d lines, %d are allowed"
                        % (func, len(body), FUNCTION_LIMIT),
                        "give its steps functions of their own")
            if arguments(head) > ARGUMENT_LIMIT:
                out.add(name, line, "%s() takes %d arguments"
                        % (func, arguments(head)), "pass a struct")
            if nesting(body) > NESTING_LIMIT:
                out.add(name, line, "%s() nests %d deep"
                        % (func, nesting(body)), "return early, or split")
    if len(long_ones) > AIM_SHARE * max(len(sizes), 1):
        for size, name, line, func in sorted(long_ones, reverse=True):
            out.add(name, line, "%s() has %d lines, and %d of %d functions "
                    "are past %d" % (func, size, len(long_ones), len(sizes),
                                     FUNCTION_AIM), "shorten some")
    out.end(len(names))


if __name__ == "__main__":
    main()
