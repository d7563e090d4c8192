# SPDX-License-Identifier: GPL-2.0
"""What the style checks share: the files, and how a finding is told."""

import os
import re
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
DRIVER = "drivers/infiniband/sw/tuff"
TRACE = "include/trace/events/tuff.h"
COMPAT = "include/compat/"


def files(*patterns):
    """Return the files git knows of or would add, sorted, that match."""
    out = subprocess.run(
        ["git", "-c", "safe.directory=*", "ls-files", "-z", "--cached",
         "--others", "--exclude-standard", "--"] + list(patterns),
        cwd=TOP, stdout=subprocess.PIPE, check=True).stdout.decode()
    return sorted(f for f in set(out.split("\0"))
                  if f and os.path.isfile(os.path.join(TOP, f)))


def read(name):
    try:
        with open(os.path.join(TOP, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        print("%s:1: does not exist: write it" % name)
        sys.exit(1)


def lines(name):
    return read(name).splitlines()


def blank_comments(text):
    """Blank out comments and strings, keeping line and column."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', blank, text,
                  flags=re.S)


class Findings:
    """Collects findings; each is one line: file:line: what; the fix."""

    def __init__(self):
        self.count = 0

    def add(self, name, line, what, fix):
        self.count += 1
        print("%s:%d: %s: %s" % (name, line, what, fix))

    def end(self, looked_at=1):
        """Exit: 1 with findings, or when there was nothing to look at."""
        if not looked_at:
            print("nothing to look at: the sources have moved; "
                  "tell this check where they are")
            sys.exit(1)
        sys.exit(1 if self.count else 0)


FUNCTION_END = "}"


def functions(name):
    """Yield (line, head, body) of each C function: kernel brace style.

    line is where the head starts, head its text, body the list of lines
    between the braces.
    """
    text = blank_comments(read(name)).splitlines()
    index = 0
    while index < len(text):
        if text[index] != "{":
            index += 1
            continue
        start = index
        while start > 0 and text[start - 1].strip() and \
                text[start - 1][0] not in "}#;":
            start -= 1
            if text[start][0] not in " \t)":
                # the head begins in the first column; its type may stand
                # on a line of its own above
                above = text[start - 1] if start else ""
                if not re.match(r"^[A-Za-z_][\w \*]*$", above):
                    break
        end = index + 1
        while end < len(text) and text[end] != FUNCTION_END:
            end += 1
        head = " ".join(s.strip() for s in text[start:index])
        if "(" in head and not head.rstrip().endswith("="):
            yield start + 1, head, text[index + 1:end]
        index = end + 1


def function_name(head):
    """Return the name a function head defines."""
    found = re.search(r"(\w+)\s*\(", re.sub(
        r"__\w+\s*\([^()]*\)", "", head))
    return found.group(1) if found else ""
