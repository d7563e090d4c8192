# SPDX-License-Identifier: GPL-2.0
"""Kernel sources out of Debian's linux-source packages."""

import glob
import os

from lablib import apt, cache
from lablib.say import LabError, UsageError, run, step

SOURCES = {"6.12": ("bookworm", "linux-source-6.12"),
           "7.3": ("trixie", "linux-source-7.3")}
# The kit that test folders are built and run with.
SELFTESTS = "tools/testing/selftests"
KSELFTEST = [SELFTESTS + "/" + name for name in (
    "kselftest", "kselftest.h", "kselftest_harness.h", "kselftest_module.h",
    "kselftest_deps.sh", "kselftest_install.sh", "lib.mk", "Makefile",
    "run_kselftest.sh", "net/lib.sh")] + ["scripts/subarch.include",
                                          "tools/scripts"]


class Tarball(cache.Piece):
    """The source package's tarball, as it came."""

    def __init__(self, kernel):
        if kernel not in SOURCES:
            raise UsageError("no sources of '%s': the lab has those of %s"
                             % (kernel, ", ".join(SOURCES)))
        self.kernel = kernel
        self.suite, self.package = SOURCES[kernel]
        self.name = "source/%s/tarball" % kernel

    def recipe(self):
        return {"format": 1, "source": SOURCES[self.kernel]}

    def versions(self):
        return {self.package: apt.suite(self.suite).version(self.package)}

    def build(self, folder, versions):
        step("fetching %s (some 160 MB)" % self.package)
        tree = os.path.join(folder, "tree")
        apt.suite(self.suite).unpack(
            ["%s=%s" % item for item in versions.items()], tree,
            ["*/linux-source-*.tar.xz"])
        found = glob.glob(tree + "/usr/src/linux-source-*.tar.xz")
        os.rename(found[0], os.path.join(folder, "linux.tar.xz"))
        cache.remove(tree)

    def unpack(self, folder, paths=()):
        """Unpack some paths, or everything, into a folder."""
        os.makedirs(folder, exist_ok=True)
        argv = ["tar", "-xf", os.path.join(self.ensure(), "linux.tar.xz"),
                "-C", folder, "--strip-components=1", "--no-same-owner"]
        argv += ["linux-source-%s/%s" % (self.kernel, p) for p in paths]
        try:
            run(argv)
        except LabError as err:
            missing = [line.split(":")[1].strip().partition("/")[2]
                       for line in str(err).splitlines()
                       if "Not found in archive" in line]
            if missing:
                raise UsageError("not in linux %s: %s" % (
                    self.kernel, ", ".join(missing))) from err
            raise


class Tree(cache.Piece):
    """Some paths of a kernel's source, or all of it (no paths)."""

    def __init__(self, kernel, paths=(), name=None):
        self.tarball = Tarball(kernel)
        self.paths = sorted(set(path.strip("/") for path in paths))
        label = name or ("part-" + cache.digest(self.paths)
                         if self.paths else "all")
        self.name = "source/%s/%s" % (kernel, label)

    def recipe(self):
        return {"format": 3, "paths": self.paths,
                "tarball": self.tarball.key()}

    def ensure(self, refresh=False):
        self.tarball.ensure(refresh)
        return super().ensure()

    def build(self, folder, versions):
        step("unpacking %s of linux %s" % (
            "%d paths" % len(self.paths) if self.paths else "all",
            self.tarball.kernel))
        self.tarball.unpack(os.path.join(folder, "linux"), self.paths)

    def tree(self):
        return os.path.join(self.ensure(), "linux")


def kselftest():
    """Return the folder with the kernel's kselftest kit."""
    return os.path.join(Tree("7.3", KSELFTEST, "kselftest").tree(), SELFTESTS)
