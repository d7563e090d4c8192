#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Names and heads of functions: prefix, kernel-doc, inline, SPDX."""

import re

import common

DRIVER = common.DRIVER + "/"
FIRST = re.compile(r"^(//|/\*) SPDX-License-Identifier: GPL-2\.0\b")
JOB = re.compile(r"^/\*\n? ?\*? ?tuff: \S", re.M)
# heads the kernel's macros make: name and linkage are theirs
MACRO = re.compile(r"^[A-Z][A-Z0-9_]+\(")


def documented(text, line):
    """Tell whether a kernel-doc comment ends right above a line."""
    above = line - 2
    if above < 0 or text[above].strip() != "*/":
        return False
    while above >= 0 and not text[above].lstrip().startswith("/*"):
        above -= 1
    return text[above].strip() == "/**"


def check_head(name, text, line, head, out):
    if MACRO.match(head):
        return
    func = common.function_name(head)
    static = re.match(r"^static\b", head)
    if not func.startswith("tuff_"):
        out.add(name, line, "%s() has no prefix" % func,
                "tuff_<subject>_<verb>: stack traces have to say whose it is")
    if func.startswith("__"):
        out.add(name, line, "%s()" % func, "no double-underscore names; "
                "_locked says that the caller holds the lock")
    if name.endswith(".c") and re.search(r"\binline\b", head):
        out.add(name, line, "inline in a .c file", "the compiler knows")
    if name.endswith(".h") and static and not re.search(r"\binline\b", head):
        out.add(name, line, "a static function in a header that is not inline",
                "make it static inline, or move it")
    # what the world promises the engine is told once, in engine/world.h
    if name.endswith(".c") and not static and \
            not func.startswith("tuff_world_") and \
            not documented(text, line):
        out.add(name, line, "%s() has no kernel-doc" % func,
                "say what it does, Context: and Return:")


def main():
    out = common.Findings()
    names = common.files(DRIVER + "*.c", DRIVER + "*.h", "include/*.h")
    for name in names:
        text = common.lines(name)
        if not text or not FIRST.match(text[0]):
            out.add(name, 1, "no SPDX line", "first line: "
                    "SPDX-License-Identifier: GPL-2.0")
        elif not JOB.search("\n".join(text[1:6])):
            out.add(name, 2, "does not say what it is for",
                    "second line: /* tuff: what this file is for */")
        if name.startswith(("include/", DRIVER + "tests/")):
            continue
        for line, head, _ in common.functions(name):
            check_head(name, text, line, head, out)
    out.end(len(names))


if __name__ == "__main__":
    main()
