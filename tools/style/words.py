#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Words that may not stand in the sources, each with the reason."""

import re

import common

DRIVER = common.DRIVER + "/"
EXCEPTION = "COMPAT_EXCEPTION"

# (where, where not, pattern, what, the fix); searched in code without
# comments and strings
CODE = [
    (("drivers/", "include/", "selftests/"), (common.COMPAT,),
     r"\bLINUX_VERSION_CODE\b|\bKERNEL_VERSION\b",
     "a kernel version", "probe the feature, see Documentation/compat.rst"),
    (("drivers/", "include/", "selftests/"), (common.COMPAT,),
     r"\bTUFF_HAVE_\w+", "a compat probe outside include/compat",
     "write the newest spelling, map it in tuff_compat.h"),
    (("drivers/",), (),
     r"\bBUG(_ON)?\s*\(", "BUG", "count and drop, or WARN_ON_ONCE"),
    (("drivers/",), (),
     r"\bWARN(_ON)?\s*\(", "a warning that can repeat",
     "WARN_ON_ONCE, for our own faults only"),
    ((DRIVER + "engine/", DRIVER + "wire/rx.c", DRIVER + "wire/tx.c",
      DRIVER + "owner.c", DRIVER + "world.c"), (),
     r"\b(pr_\w+|printk|dev_(err|warn|info|dbg)|net_\w+_ratelimited|"
     r"ibdev_\w+|netdev_(err|warn|info|dbg))\s*\(",
     "a message on the data path", "count it: engine/drop.h"),
    (("drivers/",), (DRIVER + "engine/state.c",),
     r"(?:\bqp(?:->|\.)|->qp\.|\bqp->)state\s*=(?!=)",
     "a QP state written outside its setter", "tuff_qp_set_state()"),
    (("drivers/",), (DRIVER + "wire/", DRIVER + "verbs/dev.c"),
     r"\bsynchronize_rcu(_expedited)?\s*\(",
     "a grace period waited for", "kfree_rcu() or call_rcu(): destroying a "
     "thousand objects must not take a thousand grace periods"),
    (("drivers/",), (), r"\bib_device_set_netdev\s*\(",
     "ib_device_set_netdev()", "rdma_rxe would find the device and take it "
     "for its own: own map, ops.get_netdev"),
    (("drivers/",), (), r"\bib_unregister_driver\s*\(",
     "ib_unregister_driver()", "it takes rdma_rxe's devices too"),
]

# (file, text of the line): why a finding there is none
EXCUSED = [
    (DRIVER + "wire/tx.c", "packets are stuck below"),   # module exit
]

# searched in everything, comments included
TEXT = [
    (r"\b(TODO|FIXME|XXX|HACK)\b", "a mark of unfinished work",
     "finish it, or file an issue"),
    (r"\b(linux-)?(headers|image)-\d+\.\d+\.\d+-\d+", "a package version",
     "look versions up by pattern: they vanish from the mirror"),
]

CONDITION = re.compile(r"^#\s*(?:el)?if\s+(.*)$")
CONDITION_OK = re.compile(
    r"^[\s!&|()]*((IS_ENABLED|IS_REACHABLE)\(CONFIG_\w+\)[\s!&|()]*)+$|"
    r"^defined\(\w+\) \|\| defined\(TRACE_HEADER_MULTI_READ\)$|"
    r"^!defined\(_?_TUFF_\w+\) \|\| defined\(TRACE_HEADER_MULTI_READ\)$|"
    r"^!defined\(_TRACE_\w+\) \|\| defined\(TRACE_HEADER_MULTI_READ\)$")
IFDEF = re.compile(r"^#\s*if(?:n)?def\s+(\w+)")
IFDEF_OK = re.compile(r"^_(TUFF|TRACE)_\w+$|^CONFIG_\w+$|^__KERNEL__$")


def check_code(name, out):
    plain = common.read(name).splitlines()
    code = common.blank_comments(common.read(name)).splitlines()
    for number, line in enumerate(code, 1):
        if EXCEPTION in plain[number - 1] or any(
                name == where and text in plain[number - 1]
                for where, text in EXCUSED):
            continue
        for where, where_not, pattern, what, fix in CODE:
            if name.startswith(where) and not name.startswith(where_not or
                                                              ("\0",)) and \
                    re.search(pattern, line):
                out.add(name, number, what, fix)
        if name.startswith("drivers/"):
            check_condition(name, number, line, out)


def check_condition(name, number, line, out):
    condition = CONDITION.match(line)
    if condition and not CONDITION_OK.match(condition.group(1).strip()):
        out.add(name, number, "a preprocessor condition",
                "only include guards, IS_ENABLED and IS_REACHABLE; what "
                "differs between kernels goes to tuff_compat.h")
    ifdef = IFDEF.match(line)
    if ifdef and not IFDEF_OK.match(ifdef.group(1)):
        out.add(name, number, "#ifdef " + ifdef.group(1),
                "only include guards and CONFIG_ options")


def main():
    out = common.Findings()
    code = common.files("drivers/*.c", "drivers/*.h", "include/*.h",
                        "selftests/*.c", "selftests/*.h")
    for name in code:
        check_code(name, out)
    for name in common.files():
        if name.startswith(("LICENSES/", "tools/style/", "tools/fuzz/corpus")):
            continue
        try:
            text = common.lines(name)
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text, 1):
            for pattern, what, fix in TEXT:
                if re.search(pattern, line):
                    out.add(name, number, what, fix)
    out.end(len(code))


if __name__ == "__main__":
    main()
