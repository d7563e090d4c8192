#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Who may include whom: the rooms, as Documentation/design.rst has them."""

import os
import re

import common

DRIVER = common.DRIVER + "/"

# What the engine may take of the kernel, and so what tools/host/include has
# to supply. A longer list needs a line in Documentation/design.rst.
ENGINE_LINUX = {"linux/" + name + ".h" for name in (
    "types", "kernel", "bits", "bitfield", "build_bug", "compiler", "err",
    "errno", "limits", "minmax", "list", "string", "unaligned", "math64",
    "log2", "spinlock", "stddef")} | {"asm/byteorder.h",
                                      "rdma/rdma_user_rxe.h"}

# Room -> the rooms and headers its files may include. "" is the top: main.c,
# world.c and owner.c, which see everything.
ALLOWED = {
    "engine": ("engine/", "tuff.h"),
    "verbs": ("verbs/", "engine/", "wire/wire.h",
              "wire/route.h", "tuff.h", "owner.h"),
    "wire": ("wire/", "engine/", "verbs/dev.h", "verbs/av.h", "verbs/mem.h",
             "verbs/qp.h", "tuff.h", "owner.h"),
    "tests": ("tests/", "engine/", "verbs/ring.c", "verbs/ring.h",
              "wire/fold.c", "wire/fold.h", "wire/wide.c", "wire/wide.h",
              "tuff.h"),
    "": ("",),
}
TABLES = ("verbs/ops.c",)       # names the callbacks of its whole room
MAX_LOCAL = {".h": 4, ".c": 12}
INCLUDE = re.compile(r'^#\s*include\s+(["<])([^">]+)[">]')


def room(path):
    """Return the room of a path below the driver's folder."""
    return os.path.dirname(path)


def includes(name):
    """Return [(line, kind, what)]; kind is the opening bracket."""
    found = []
    for number, line in enumerate(common.lines(name), 1):
        match = INCLUDE.match(line)
        if match:
            found.append((number, match.group(1), match.group(2)))
    return found


def check_rooms(name, path, own, out):
    allowed = ALLOWED.get(own)
    if allowed is None:
        out.add(name, 1, "unknown room '%s'" % own,
                "the rooms are %s" % ", ".join(sorted(filter(None, ALLOWED))))
        return
    local = 0
    for line, kind, what in includes(name):
        if kind == "<":
            if own == "engine" and what not in ENGINE_LINUX:
                out.add(name, line, "the engine includes <%s>" % what,
                        "it is pure protocol: ask for it in engine/world.h")
            continue
        local += "/" in what
        if own == "tests" and "/" not in what and os.path.exists(
                os.path.join(common.TOP, DRIVER, own, what)):
            what = own + "/" + what
        if not os.path.exists(os.path.join(common.TOP, DRIVER, what)):
            out.add(name, line, '"%s" is not below %s' % (what, DRIVER),
                    'name it with its room, like "engine/psn.h"')
        elif not any(what == a or (a.endswith("/") and what.startswith(a)) or
                     a == "" for a in allowed):
            out.add(name, line, "%s may not see %s" % (own, what),
                    "rooms know only what layers.py lists: move the function "
                    "or pass what is needed")
    limit = MAX_LOCAL[path[-2:]]
    if own not in ("", "tests") and path not in TABLES and local > limit:
        out.add(name, 1, "%d local headers, %d are allowed" % (local, limit),
                "split the file by subject")


def groups(name):
    """Return the blocks of include lines that stand together."""
    blocks, last = [], None
    for line, kind, what in includes(name):
        if last is None or line != last + 1:
            blocks.append([])
        blocks[-1].append((line, kind, what))
        last = line
    return blocks


def in_order(names):
    """By name, or <linux/...> first and then by name; KUnit before all.

    The few headers of the top (tuff.h, owner.h) may stand anywhere.
    """
    names = [n for n in names if "/" in n and not n.startswith("kunit/")]
    return names == sorted(names) or \
        names == sorted(names, key=lambda n: (not n.startswith("linux/"), n))


def check_order(name, path, out):
    blocks = groups(name)
    own = path[:-2] + ".h"
    if path.endswith(".c") and room(path) != "tests" and \
            os.path.exists(os.path.join(common.TOP, DRIVER, own)):
        if not blocks or blocks[0][0][2] != own:
            out.add(name, 1, "its own header is not the first include",
                    'begin with #include "%s" and a blank line' % own)
        elif len(blocks[0]) > 1:
            out.add(name, blocks[0][1][0], "no blank line after own header",
                    "put one")
        blocks = blocks[1:]
    for block in blocks:
        kinds = {kind for _, kind, _ in block}
        if len(kinds) > 1:
            out.add(name, block[0][0], "<...> and \"...\" in one block",
                    "<linux/...> first, a blank line, then local headers")
        names = [what for _, _, what in block]
        if not in_order(names):
            out.add(name, block[0][0], "includes are not sorted",
                    "by name, <linux/...> first")
        if len(set(names)) != len(names):
            out.add(name, block[0][0], "a header is included twice",
                    "remove one")


def check_guard(name, path, out):
    want = "_TUFF_" + re.sub(r"\W", "_", path).upper()
    if not re.search(r"^#ifndef %s\n#define %s$" % (want, want),
                     common.read(name), re.M):
        out.add(name, 1, "include guard", "it has to be " + want)


def check_cycles(graph, out):
    """Report each header that includes itself by way of others."""
    def walk(node, path):
        if node in path:
            cycle = path[path.index(node):] + [node]
            if node == min(cycle):
                out.add(DRIVER + node, 1, "headers include each other",
                        " -> ".join(cycle) + ": forward-declare in tuff.h")
            return
        for other in graph.get(node, ()):
            walk(other, path + [node])
    for node in graph:
        walk(node, [])


def main():
    out = common.Findings()
    names = common.files(DRIVER + "*.c", DRIVER + "*.h")
    graph = {}
    for name in names:
        path = name[len(DRIVER):]
        check_rooms(name, path, room(path), out)
        check_order(name, path, out)
        if path.endswith(".h"):
            check_guard(name, path, out)
            graph[path] = [what for _, kind, what in includes(name)
                           if kind == '"']
    check_cycles(graph, out)
    out.end(len(names))


if __name__ == "__main__":
    main()
