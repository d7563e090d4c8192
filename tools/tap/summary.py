#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Read TAP and KTAP, nested or not, and count what happened.

usage: summary.py FILE...

Prints each failure with the file and line that reports it, and ends with the
line "N passed, N failed, N skipped".  Exit status 1 when anything failed or
nothing ran.

What is counted are the innermost test points: the outer line of a group says
nothing that its members have not said, unless it fails alone (a script that
died after its last good point).  A plan that was not kept and a bail-out are
failures as well, so that a test that ends early cannot look whole.
"""

import re
import sys

PREFIX = re.compile(r"^(?:[ \t]|#[ \t])*")
POINT = re.compile(r"^(not )?ok\b[ \t]*(\d*)[ \t]*(?:- )?(.*)$")
PLAN = re.compile(r"^1\.\.(\d+)[ \t]*(?:#[ \t]*(skip)\b[ \t:]*(.*))?$", re.I)
VERSION = re.compile(r"^K?TAP version \d+$")
DIRECTIVE = re.compile(r"(?:^|\s)#\s*(skip|todo)\b[ \t:]*(.*)$", re.I)


class Point:
    """One test point."""

    def __init__(self, width, verdict, name, why, line):
        self.width = width
        self.verdict = verdict      # "passed", "failed" or "skipped"
        self.name = name
        self.why = why
        self.line = line            # its line number in the log


class Tap:
    """A reader that is fed line by line."""

    def __init__(self):
        self.leaves = []
        self.stack = []
        self.plans = {}             # width -> promised points
        self.seen = {}              # width -> points so far
        self.number = 0

    def feed(self, line, number=None):
        """Take one line; return the Point it holds, or None."""
        self.number = self.number + 1 if number is None else number
        line = line.rstrip("\r\n")
        width = len(PREFIX.match(line).group().expandtabs())
        text = line[PREFIX.match(line).end():]
        if VERSION.match(text):
            self._close(width)
            return None
        if text.startswith("Bail out!"):
            return self._fail(width, text)
        plan = PLAN.match(text)
        if plan:
            return self._plan(width, plan)
        found = POINT.match(text)
        # "ok" must be a result line, not the start of a sentence
        if not found or not (found.group(2) or found.group(3)):
            return None
        if not found.group(2) and width:
            return None
        return self._point(width, found)

    def _point(self, width, found):
        name, why = found.group(3), ""
        verdict = "failed" if found.group(1) else "passed"
        directive = DIRECTIVE.search(name)
        if directive:
            name = name[:directive.start()]
            why = directive.group(2).strip()
            if verdict == "passed" or directive.group(1).lower() == "todo":
                verdict = "skipped"
        point = Point(width, verdict, name.strip() or "?", why, self.number)
        self._close(width + 1)
        children = []
        while self.stack and self.stack[-1].width > width:
            children.append(self.stack.pop())
        self.seen[width] = self.seen.get(width, 0) + 1
        self.stack.append(point)
        if children:
            self.leaves += reversed(children)
            if verdict != "failed" or \
                    any(c.verdict == "failed" for c in children):
                point.verdict = "group"
        return point

    def _plan(self, width, plan):
        if int(plan.group(1)) == 0:
            if width == 0:
                point = Point(width, "skipped", "everything",
                              plan.group(3) or "", self.number)
                self.leaves.append(point)
                return point
            return None
        self.plans[width] = int(plan.group(1))
        return None

    def _fail(self, width, name):
        point = Point(width, "failed", name, "", self.number)
        self.stack.append(point)
        return point

    def _close(self, width):
        """End all groups at this width and deeper; check their plans."""
        for depth in [w for w in self.plans if w >= width]:
            planned = self.plans.pop(depth)
            seen = self.seen.get(depth, 0)
            if planned != seen:
                self._fail(depth, "planned %d test points, saw %d"
                           % (planned, seen))
        for depth in [w for w in self.seen if w >= width]:
            del self.seen[depth]

    def finish(self):
        """No more lines come."""
        self._close(0)
        self.leaves += self.stack
        self.stack = []

    def of(self, verdict):
        return [p for p in self.leaves if p.verdict == verdict]

    def counts(self):
        return tuple(len(self.of(v)) for v in ("passed", "failed", "skipped"))


def read(path):
    """Return the Tap of a whole file."""
    tap = Tap()
    with open(path, encoding="utf-8", errors="replace") as file:
        for line in file:
            tap.feed(line)
    tap.finish()
    return tap


def last_line(passed, failed, skipped):
    return "%d passed, %d failed, %d skipped" % (passed, failed, skipped)


def main(paths):
    if not paths:
        sys.stderr.write("usage: summary.py FILE...\n")
        return 2
    total = [0, 0, 0]
    for path in paths:
        try:
            tap = read(path)
        except OSError as err:
            print("FAIL %s: %s" % (path, err.strerror))
            total[1] += 1
            continue
        for point in tap.of("failed"):
            print("FAIL %s (%s:%d)" % (point.name, path, point.line))
        for point in tap.of("skipped"):
            print("SKIP %s: %s (%s:%d)" % (point.name, point.why or "no reason",
                                           path, point.line))
        counts = tap.counts()
        if not any(counts):
            print("FAIL %s: no test point in it" % path)
            counts = (0, 1, 0)
        total = [a + b for a, b in zip(total, counts)]
    print(last_line(*total))
    return 1 if total[1] or not total[0] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
