#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every counter is explained in counters.rst and counted somewhere.

engine/drop.h is the list; Documentation/counters.rst has a definition of each
(a line that is ``name`` alone), and no more.
"""

import re

import common

LIST = common.DRIVER + "/engine/drop.h"
PAGE = "Documentation/counters.rst"
ROW = re.compile(r'^\tX\((\w+), "(\w+)"\)')
TERM = re.compile(r"^``(\w+)``$")


def main():
    out = common.Findings()
    rows = {}
    for number, line in enumerate(common.lines(LIST), 1):
        row = ROW.match(line)
        if row:
            rows[row.group(2)] = (row.group(1), number)
    terms = {}
    for number, line in enumerate(common.lines(PAGE), 1):
        term = TERM.match(line)
        if term:
            if term.group(1) in terms:
                out.add(PAGE, number, "%s stands twice" % term.group(1),
                        "remove one")
            terms[term.group(1)] = number
    for name in set(rows) - set(terms):
        out.add(LIST, rows[name][1], "%s is not in %s" % (name, PAGE),
                "say there what it means and what to do")
    for name in set(terms) - set(rows):
        out.add(PAGE, terms[name], "%s is not in %s" % (name, LIST),
                "no such counter: remove it")
    code = "\n".join(common.read(n) for n in common.files(
        common.DRIVER + "/*.c", common.DRIVER + "/*.h") if n != LIST)
    for name, (ident, number) in rows.items():
        if not re.search(r"\bTUFF_CNT_%s\b" % ident, code):
            out.add(LIST, number, "nothing counts %s" % name,
                    "count it, or remove it: a counter that stays 0 lies")
    out.end(len(rows))


if __name__ == "__main__":
    main()
