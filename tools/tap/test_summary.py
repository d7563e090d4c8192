#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Check summary.py: each row is a log and what it has to count."""

import sys

sys.dont_write_bytecode = True

import summary  # noqa: E402

ROWS = [
    ("flat", "TAP version 13\n1..2\nok 1 - a\nnot ok 2 - b\n", (1, 1, 0)),
    ("plan at the end", "ok 1 a\nok 2 b\n1..2\n", (2, 0, 0)),
    ("plan not kept", "1..3\nok 1 a\nok 2 b\n", (2, 1, 0)),
    ("skip", "1..2\nok 1 a # SKIP no tool\nok 2 b\n", (1, 0, 1)),
    ("skip of all", "TAP version 13\n1..0 # SKIP no device\n", (0, 0, 1)),
    ("kselftest nesting", "1..1\n# 1..2\n# ok 1 a\n# ok 2 b\n"
     "ok 1 selftests: x: y.sh\n", (2, 0, 0)),
    ("script that dies", "1..1\n# 1..2\n# ok 1 a\n"
     "not ok 1 selftests: x: y.sh # exit=1\n", (1, 1, 0)),
    ("script that fails after its last good point", "1..1\n# 1..1\n# ok 1 a\n"
     "not ok 1 selftests: x: y.sh # TIMEOUT\n", (1, 1, 0)),
    ("inner failure counts once", "1..1\n# 1..2\n# ok 1 a\n# not ok 2 b\n"
     "not ok 1 selftests: x: y.sh # exit=1\n", (1, 1, 0)),
    ("KUnit nesting", "KTAP version 1\n1..1\n    KTAP version 1\n"
     "    # Subtest: s\n    1..2\n    ok 1 a\n    ok 2 b\n# s: pass:2\n"
     "ok 1 s\n", (2, 0, 0)),
    ("two documents", "TAP version 13\n1..1\nok 1 a\nTAP version 13\n1..1\n"
     "ok 1 b\n", (2, 0, 0)),
    ("bail out", "1..2\nok 1 a\nBail out! no memory\n", (1, 2, 0)),
    ("remarks are no points", "1..1\n# ok, going on\nok 1 a\n# not ok\n",
     (1, 0, 0)),
    ("nothing", "", (0, 0, 0)),
]


def main():
    print("TAP version 13\n1..%d" % len(ROWS))
    bad = 0
    for number, (name, text, want) in enumerate(ROWS, 1):
        tap = summary.Tap()
        for line in text.splitlines():
            tap.feed(line)
        tap.finish()
        good = tap.counts() == want
        bad += not good
        print("%sok %d - %s" % ("" if good else "not ", number, name))
        if not good:
            print("# counted %s, expected %s" % (tap.counts(), want))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
