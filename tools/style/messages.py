#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Every message of the module is explained in troubleshooting.rst.

The page quotes it as a user sees it, with something in place of each "%s".
Debug messages (ibdev_dbg, pr_debug) explain themselves where they stand.
"""

import re

import common

PAGE = "Documentation/troubleshooting.rst"
CALL = re.compile(
    r"\b(?:pr_(?:err|warn|notice|info|err_once|warn_once|err_ratelimited|"
    r"warn_ratelimited|info_ratelimited)|"
    r"ibdev_(?:err|warn|notice|info)(?:_ratelimited)?|"
    r"(?:dev|netdev)_(?:err|warn|notice|info)|"
    r"NL_SET_ERR_MSG(?:_MOD|_FMT|_FMT_MOD)?|printk)\s*\(")
STRING = re.compile(r'"((?:\\.|[^"\\])*)"')


def calls(text):
    """Yield (line, format) of each message."""
    for found in CALL.finditer(text):
        depth, end = 1, found.end()
        while depth and end < len(text):
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        strings = STRING.findall(text[found.end():end])
        if strings:
            # adjacent strings are one; later arguments are no format
            first = re.match(r'[^"]*((?:"(?:\\.|[^"\\])*"\s*)+)',
                             text[found.end():end]).group(1)
            joined = "".join(STRING.findall(first))
            yield text.count("\n", 0, found.start()) + 1, \
                joined.replace("\\n", "").replace('\\"', '"')


def quoted(text, page):
    """Tell whether the page has a format, whatever stands for its arguments."""
    parts = re.split(r"%[-+#0-9.*]*(?:hh|h|ll|l|z)?[a-zA-Z]\w*", text)
    pattern = r"[^:;,]{1,40}?".join(re.escape(" ".join(p.split(" ")))
                                   for p in parts)
    return re.search(pattern, page) is not None


def main():
    out = common.Findings()
    page = " ".join(common.read(PAGE).split())
    names = common.files(common.DRIVER + "/*.c", common.DRIVER + "/*.h")
    for name in names:
        for line, text in calls(common.read(name)):
            if not quoted(" ".join(text.split()), page):
                out.add(name, line, "'%s' is not in %s" % (text, PAGE),
                        "say there what it means and what to do")
    out.end(len(names))


if __name__ == "__main__":
    main()
