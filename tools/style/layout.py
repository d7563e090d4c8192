#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare Documentation/layout.rst with the tree.

Each folder with sources is a section whose literal block lists its files, one
a line: name, blanks, what it is for.  --write makes the blocks anew from what
the files say of themselves ("tuff: ..." in their first comment), keeping what
stands between the blocks.
"""

import os
import re
import sys

import common

PAGE = "Documentation/layout.rst"
SECTION = re.compile(r"^([\w./-]+/)$")
LISTED = re.compile(r"^\t(\S+)(?:\s+(.*))?$")
FOLDERS = ("drivers/", "include/", "tools/", "selftests/")
SKIP = ("tools/fuzz/corpus/",)


def job(name):
    """Return what a file says it is for."""
    text = common.read(name)
    found = re.search(r"tuff: ([^\n]*?)(?:\*/|\n(?: \*/| \*\n|$)|\n \* )", text)
    if name.endswith((".c", ".h")) and found:
        return found.group(1).strip().rstrip(":")
    found = re.search(r'^"""(.*?)(?:\.?"""|\.?$)', text, re.M)
    if name.endswith(".py") and found:
        return found.group(1)
    comments = re.findall(r"^# (?!SPDX|!|shellcheck)(.*)$", text, re.M)
    first = comments[0].rstrip(".") if comments else ""
    return first[6:] if first.startswith("tuff: ") else first


def tree():
    """Return {folder: [file]} of what has to be listed."""
    found = {}
    for name in common.files(*FOLDERS):
        if not name.startswith(SKIP):
            folder, base = os.path.split(name)
            found.setdefault(folder + "/", []).append(base)
    return found


def page():
    """Return {folder: {file: line}} of the page."""
    found, folder = {}, None
    for number, line in enumerate(common.lines(PAGE), 1):
        section = SECTION.match(line)
        if section:
            folder = section.group(1)
            found[folder] = {}
        listed = LISTED.match(line)
        if listed and folder:
            found[folder][listed.group(1)] = number
    return found


def write():
    """Replace the literal blocks; add sections that are missing."""
    real = tree()
    text = common.lines(PAGE)
    parts, folder, out = {}, None, []
    for line in text:
        section = SECTION.match(line)
        if section:
            folder = section.group(1)
            parts[folder] = []
        elif folder and not line.startswith("\t"):
            parts[folder].append(line)
        elif not folder:
            out.append(line)
    for name in sorted(real):
        words = [w for w in parts.get(name, []) if w and
                 not re.match(r"^[-=~]+$", w) and w != "::"]
        out += [name, "-" * len(name), ""]
        if words:
            out += words + [""]
        out += ["::", ""]
        width = max(map(len, real[name])) + 2
        for base in real[name]:
            out.append(("\t%-*s%s" % (width, base,
                                      job(name + base))).rstrip())
        out.append("")
    with open(os.path.join(common.TOP, PAGE), "w", encoding="utf-8") as file:
        file.write("\n".join(out).rstrip() + "\n")


def main():
    if sys.argv[1:] == ["--write"]:
        write()
        return
    out = common.Findings()
    real, listed = tree(), page()
    fix = "tools/style/layout.py --write"
    for folder in real:
        for name in real[folder]:
            if name not in listed.get(folder, {}):
                out.add(folder + name, 1, "not in " + PAGE, fix)
    for folder in listed:
        for name, line in listed[folder].items():
            if name not in real.get(folder, []):
                out.add(PAGE, line, "%s%s does not exist" % (folder, name),
                        fix)
    out.end(len(listed))


if __name__ == "__main__":
    main()
