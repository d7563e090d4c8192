# SPDX-License-Identifier: GPL-2.0
"""The checks of programs that follow the code's paths, not its looks.

Each returns (good, text): text holds the findings.
"""

import glob
import os
import re

import common
from external import lab, need, run

ENGINE = ("drivers/infiniband/sw/tuff/engine/*.c",
          "drivers/infiniband/sw/tuff/verbs/ring.c")
FLAGS = ["-std=gnu11", "-fno-strict-aliasing", "-Itools/host/include",
         "-Idrivers/infiniband/sw/tuff"]

TIDY = ["-*", "clang-analyzer-*", "bugprone-*", "cert-*", "performance-*",
        # memcpy_s() and the like are no functions of a kernel
        "-clang-analyzer-security.insecureAPI.*",
        # two numbers side by side are what the protocol is made of
        "-bugprone-easily-swappable-parameters",
        # a designator cannot stand in parentheses
        "-bugprone-macro-parentheses",
        # arithmetic modulo 2^32 that becomes signed is what psn.h is about
        "-bugprone-narrowing-conversions"]

COCCI_KERNEL = "7.3"
# Scripts about things that are not here, and one that takes half a minute;
# those with OCaml in them need its compiler.
COCCI_OTHERS = re.compile(r"bq27xxx|platform|pm_runtime|device_node|clk_put|"
                          r"of_table|pci_|iounmap|for_each_child|irqf_|"
                          r"minmax|badzero|kmalloc_objs|"
                          r"stream_open")


def engine():
    names = common.files(*ENGINE)
    if not names:
        raise OSError("no sources of the engine found")
    return names


def analyzer():
    """gcc follows each path through each function."""
    need("gcc", "gcc")
    text = ""
    for name in engine():
        good, found = run(["gcc", "-fanalyzer", "-O1", "-c", "-o",
                           "/dev/null"] + FLAGS + [name])
        text += found if not good or "warning:" in found else ""
    return not text, text


def clang_tidy():
    need("clang-tidy", "clang-tidy")
    good, text = run(["clang-tidy", "--quiet", "-checks=" + ",".join(TIDY)] +
                     engine() + ["--"] + FLAGS)
    found = [line for line in text.splitlines()
             if re.search(r": (warning|error): ", line)]
    return good and not found, "\n".join(found)


def coccinelle():
    """The kernel's own semantic patches, over the module."""
    need("spatch", "coccinelle")
    tree = lab("src", COCCI_KERNEL, "--only", "scripts/coccinelle")
    scripts = [s for s in sorted(glob.glob(
        os.path.join(tree, "scripts/coccinelle/**/*.cocci"), recursive=True))
        if not COCCI_OTHERS.search(s)]
    if not scripts:
        return False, "no scripts in " + tree
    all_good, found = True, ""
    for script in scripts:
        good, text = run(["spatch", "-D", "report", "--no-show-diff",
                          "--very-quiet", "--no-includes",
                          "--include-headers", "--cocci-file", script,
                          "--dir", "drivers/infiniband/sw/tuff"])
        if text.strip() or not good:
            all_good = False
            found += "%s:\n%s" % (os.path.basename(script), text)
    return all_good, found
