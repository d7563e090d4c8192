# SPDX-License-Identifier: GPL-2.0
"""The checks that other people's programs make.

Each returns (good, text): text holds the findings.
"""

import glob
import os
import re
import shutil
import subprocess

import common

LAB = os.path.join(common.TOP, "tools/vm/lab")
SPARSE_KERNEL = "6.12"
CHECKPATCH_KERNEL = "7.3"
CHECKPATCH_FILES = ["scripts/checkpatch.pl", "scripts/spelling.txt",
                    "scripts/const_structs.checkpatch"]
# What checkpatch may not say, beside .checkpatch.conf, per kind of file.
CHECKPATCH_GROUPS = [
    (("drivers/*.c", "drivers/*.h"), []),
    # TRACE_EVENT() is laid out as everywhere in the kernel
    (("include/trace/*.h",), ["OPEN_ENDED_LINE", "PARENTHESIS_ALIGNMENT",
                              "TRAILING_SEMICOLON"]),
    # macros that imitate the kernel's typed allocators have to cast, and
    # wrappers of one function each stand close together
    # __VA_OPT__(,) has no place for a blank
    (("include/compat/*.h",), ["UNNECESSARY_CASTS", "MACRO_ARG_PRECEDENCE",
                               "SPACING", "LINE_SPACING"]),
    # what imitates the kernel's macros has their form: a member cannot stand
    # in parentheses, and a type before a star is no product
    (("tools/host/include/*.h",), ["SPACING", "MACRO_ARG_PRECEDENCE",
                                   "PREFER_KERNEL_TYPES", "CAMELCASE",
                                   "PREFER_DEFINED_ATTRIBUTE_MACRO",
                                   "VOLATILE", "UNSPECIFIED_INT",
                                   "LONG_LINE"]),
    # programs: they have libc's types and no <linux/compiler.h>; PRIu64 is
    # no camel; a test's CHECK() returns; libibverbs says ENOSYS for verbs that
    # a provider lacks
    (("tools/*.c", "tools/*.h", "selftests/*.c", "selftests/*.h"),
     ["PREFER_KERNEL_TYPES", "PREFER_DEFINED_ATTRIBUTE_MACRO",
      "PREFER_FALLTHROUGH", "VOLATILE", "CAMELCASE", "PREFER_PR_LEVEL",
      "MACRO_WITH_FLOW_CONTROL", "ENOSYS"]),
]
# words that codespell takes for misspelt ones
CODESPELL_IGNORE = "upto,dum,ot,te,nd,fo,ser,hel,sie,inout,addin,unx,iif,rto"


class Missing(Exception):
    """A program that has to be there is not."""


def need(program, package):
    if not shutil.which(program):
        raise Missing("%s is missing: apt-get install %s" % (program, package))


def run(argv, **kw):
    """Run a check that prints findings and says by its status."""
    done = subprocess.run(argv, cwd=kw.pop("cwd", common.TOP),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, text=True,
                          errors="replace", **kw)
    return done.returncode == 0, done.stdout


def lab(*args):
    """Return the last line of what the lab prints on stdout."""
    done = subprocess.run((LAB,) + args, cwd=common.TOP,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False, text=True)
    if done.returncode:
        raise Missing("lab %s failed:\n%s" % (" ".join(args), done.stderr))
    return done.stdout.strip().splitlines()[-1]


def checkpatch():
    need("perl", "perl")
    tree = lab("src", CHECKPATCH_KERNEL, "--only", *CHECKPATCH_FILES)
    script = os.path.join(tree, "scripts/checkpatch.pl")
    all_good, found, seen = True, "", set()
    for patterns, ignored in CHECKPATCH_GROUPS:
        files = [f for f in common.files(*patterns) if f not in seen]
        if not files:
            return False, "no source files like " + " ".join(patterns)
        seen.update(files)
        good, text = run(["perl", script, "--strict", "--terse",
                          "--no-summary", "--show-types"] +
                         ["--ignore=" + ",".join(ignored)] * bool(ignored) +
                         ["-f"] + files)
        all_good = all_good and good and not text.strip()
        found += text
    for left in glob.glob(os.path.join(common.TOP, ".checkpatch-camelcase.*")):
        os.unlink(left)
    return all_good, found


def sparse():
    need("sparse", "sparse")
    good, text = run([LAB, "kmake", SPARSE_KERNEL, "C=2"])
    if not good:
        return False, text
    where = re.compile(r"^%s/build/[^/]+/(\S+?: (?:warning|error): .*)"
                       % re.escape(common.TOP))
    found = [m.group(1) for m in map(where.match, text.splitlines()) if m]
    # a relative path is what newer kbuilds print
    found += re.findall(r"^((?:drivers|include|selftests)/\S+:\d+:\d+: "
                        r"(?:warning|error): .*)$", text, re.M)
    checked = len(re.findall(r"^\s*CHECK\s", text, re.M))
    if not checked:
        return False, "sparse looked at no file:\n" + text
    return not found, "\n".join(sorted(set(found)))


def headers():
    return run(["bash", os.path.join(common.TOP, "tools/style/headers.sh"),
                SPARSE_KERNEL])


def kernel_doc():
    need("perl", "perl")
    script = os.path.join(lab("kdir", SPARSE_KERNEL), "scripts/kernel-doc")
    files = common.files("drivers/*.c", "drivers/*.h", "include/*.h")
    if not files:
        return False, "no source files found"
    good, text = run(["perl", script, "-none", "-Wall"] + files)
    # a header without kernel-doc comments has nothing to check
    found = [line for line in text.splitlines()
             if line.strip() and "no structured comments found" not in line]
    return good and not found, "\n".join(found)


def scripts(*shebangs):
    """Return the tracked files that begin with one of the shebangs."""
    found = []
    for name in common.files():
        try:
            with open(os.path.join(common.TOP, name), "rb") as file:
                first = file.readline(100)
        except OSError:
            continue
        if first.startswith(b"#!") and \
                any(s in first for s in shebangs):
            found.append(name)
    return found


def shellcheck():
    need("shellcheck", "shellcheck")
    programs = scripts(b"/sh", b"bash")
    parts = sorted(set(common.files("*.sh")) - set(programs))
    if not programs:
        return False, "no scripts found"
    common_args = ["shellcheck", "-x", "-P", "SCRIPTDIR", "-f", "gcc",
                   "-S", "warning"]
    good, text = run(common_args + programs)
    # parts of scripts, which are sourced, have no first line to go by
    if parts:
        more_good, more = run(common_args + ["-s", "bash"] + parts)
        good, text = good and more_good, text + more
    return good, text


def codespell():
    need("codespell", "codespell")
    names = [n for n in common.files()
             if not n.startswith(("LICENSES/", "tools/fuzz/corpus"))]
    return run(["codespell", "-L", CODESPELL_IGNORE] + names)


def python():
    names = sorted(set(common.files("*.py")) | set(scripts(b"python3")))
    bad = []
    for name in names:
        try:
            compile(common.read(name), name, "exec", dont_inherit=True)
        except SyntaxError as err:
            bad.append("%s:%s: %s" % (name, err.lineno, err.msg))
    return bool(names) and not bad, "\n".join(bad)
