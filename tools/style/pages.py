#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The pages: form, links between them, and the paths they name."""

import os
import re

import common

UNDERLINE = re.compile(r"^([=\-~^])\1{2,}$")
LINK = re.compile(r":doc:`(?:[^<`]*<)?([\w./-]+)>?`")
PATH = re.compile(r"``((?:drivers|include|tools|selftests|Documentation)/"
                  r"[\w./-]+)``")
# In testing.rst: a file of a suite.
TEST = re.compile(r"``([a-z]+/\w+\.(?:sh|py))``")
WIDTH = 80


def check_form(name, text, out):
    if not text or text[0] != ".. SPDX-License-Identifier: GPL-2.0":
        out.add(name, 1, "no SPDX line",
                "first line: .. SPDX-License-Identifier: GPL-2.0")
    for number, line in enumerate(text, 1):
        if UNDERLINE.match(line) and number > 1 and text[number - 2].strip() \
                and not text[number - 2].startswith(("=", " ", "\t")):
            if len(line) < len(text[number - 2]) and " " not in line:
                out.add(name, number, "underline shorter than its title",
                        "make it %d long" % len(text[number - 2]))
        made = name.endswith("layout.rst") and line.startswith("\t")
        if len(line.expandtabs()) > WIDTH and "http" not in line and not made:
            out.add(name, number, "%d columns" % len(line.expandtabs()),
                    "%d are allowed" % WIDTH)
        if line != line.rstrip():
            out.add(name, number, "blanks at the end", "remove them")


def check_links(name, text, out):
    for number, line in enumerate(text, 1):
        for target in LINK.findall(line):
            if not os.path.exists(os.path.join(common.TOP, "Documentation",
                                               target + ".rst")):
                out.add(name, number, "no page " + target, "correct the link")
        for path in PATH.findall(line):
            if not os.path.exists(os.path.join(common.TOP, path)):
                out.add(name, number, "no file " + path, "correct the path")
        for test in TEST.findall(line):
            if not os.path.exists(os.path.join(common.TOP, "selftests/tuff_" +
                                               test)):
                out.add(name, number, "no test " + test, "correct the name")


def check_index(names, out):
    index = common.lines("Documentation/index.rst")
    listed = {line.strip() for line in index if re.match(r"^\s+\w+$", line)}
    for name in names:
        page = os.path.basename(name)[:-4]
        if page != "index" and page not in listed:
            out.add("Documentation/index.rst", 1, "%s is not listed" % page,
                    "add it to the toctree")


def main():
    out = common.Findings()
    names = common.files("Documentation/*.rst")
    for name in names + ["README"]:
        text = common.lines(name)
        if name != "README":
            check_form(name, text, out)
        check_links(name, text, out)
    check_index(names, out)
    out.end(len(names))


if __name__ == "__main__":
    main()
