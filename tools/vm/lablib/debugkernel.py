# SPDX-License-Identifier: GPL-2.0
"""The debug kernel: built from Debian's 6.12 sources and debug.config."""

import os
import re
import subprocess
import time

from lablib import cache, host, image, source
from lablib.say import LabError, run, step

BASE = "6.12"
FRAGMENT = os.path.join(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))), "debug.config")
# What a module build reads of a finished tree, as in Debian's headers.
KEEP = ("Makefile", ".config", "Module.symvers", "System.map", "include",
        "scripts", "arch/x86", "tools/objtool", "tools/include", "vmlinux")
OBJECTS = 1820      # for telling how far the build is
TIME = "27 minutes of CPU time: some 15 on two cores"


def lost(fragment, config):
    """Return the lines of a fragment that a .config does not have."""
    with open(config, encoding="utf-8") as file:
        have = set(file.read().splitlines())
    with open(fragment, encoding="utf-8") as file:
        want = [line.strip() for line in file if line.startswith("CONFIG_")]
    return [line for line in want if line not in have]


def _compile(tree, log):
    """Build everything, saying every half minute how far it is."""
    jobs = os.environ.get("TUFF_JOBS") or os.cpu_count() or 1
    argv = ["make", "-C", tree, "-j%s" % jobs, "vmlinux", "modules"]
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL")}
    with open(log, "w", encoding="utf-8") as out:
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                 stderr=subprocess.STDOUT, env=env)
        try:
            told = time.monotonic()
            while child.poll() is None:
                time.sleep(0.5)
                if time.monotonic() - told >= 30:
                    told = time.monotonic()
                    with open(log, "rb") as file:
                        done = file.read().count(b"\n  CC ")
                    step("debug kernel: %d objects of some %d" %
                         (done, OBJECTS))
        finally:
            if child.poll() is None:
                child.terminate()
                child.wait()
    if child.returncode:
        with open(log, encoding="utf-8", errors="replace") as file:
            errors = [line for line in file
                      if re.search(r"error|Error|\*\*\*", line)]
        raise LabError("the debug kernel does not build:\n    %s\n  (whole "
                       "log: %s)" % ("    ".join(errors[-15:]).rstrip(), log))


def prune(tree):
    """Remove all that no module build asks for."""
    kept = {os.path.join(tree, path) for path in KEEP}
    on_the_way = {os.path.dirname(path) for path in kept}
    for folder, dirs, files in os.walk(tree):
        for name in list(dirs):
            path = os.path.join(folder, name)
            if path in kept:
                dirs.remove(name)
            elif path not in on_the_way:
                cache.remove(path)
                dirs.remove(name)
        for name in files:
            if os.path.join(folder, name) not in kept:
                os.unlink(os.path.join(folder, name))
    for folder, _, files in os.walk(os.path.join(tree, "arch/x86")):
        for name in files:
            if name.endswith((".o", ".a", ".c", ".S", ".cmd", ".order")):
                os.unlink(os.path.join(folder, name))


class DebugKernel(cache.Piece):
    """The build tree, the kernel and its modules."""

    name = "kernels/debug-" + BASE

    def recipe(self):
        return {"format": 1, "config": cache.file_digest(FRAGMENT),
                "boot": image.BOOT}

    def versions(self):
        return source.Tarball(BASE).versions()

    def build(self, folder, versions):
        for program in ("gcc", "make", "flex", "bison", "bc",
                        "/usr/include/libelf.h", "mkfs.erofs"):
            host.need(program)
        tree = os.path.join(folder, "tree")
        step("configuring the debug kernel")
        tarball = source.Tarball(BASE)
        tarball.ensure(refresh=True)
        tarball.unpack(tree)
        run(["make", "-s", "-C", tree, "KCONFIG_ALLCONFIG=" + FRAGMENT,
             "allnoconfig"])
        gone = lost(FRAGMENT, os.path.join(tree, ".config"))
        if gone:
            raise LabError("Kconfig does not take these lines of %s: name "
                           "what they depend on there, or drop them:\n    %s"
                           % (FRAGMENT, "\n    ".join(gone)))
        step("building the debug kernel: " + TIME)
        start = time.monotonic()
        _compile(tree, cache.path("debug-kernel.log"))
        step("built the debug kernel in %.1f minutes" %
             ((time.monotonic() - start) / 60))
        self.finish(folder, tree)

    def finish(self, folder, tree):
        """Take kernel and modules out of a built tree, and slim it."""
        with open(os.path.join(tree, "include/config/kernel.release"),
                  encoding="ascii") as file:
            release = file.read().strip()
        step("packing the debug kernel's modules")
        stage = os.path.join(folder, "stage")
        run(["make", "-s", "-C", tree, "INSTALL_MOD_PATH=" + stage,
             "INSTALL_MOD_STRIP=1", "modules_install"])
        for link in ("build", "source"):
            cache.remove(os.path.join(stage, "lib/modules", release, link))
        image.pack_modules(stage, release, folder)
        cache.remove(stage)
        run(["strip", "--strip-debug", "-o", os.path.join(folder, "vmlinux"),
             os.path.join(tree, "vmlinux")])
        prune(tree)

    def kdir(self):
        return os.path.join(self.ensure(), "tree")


class DebugImage(DebugKernel):
    """The same piece, seen as something to boot."""
