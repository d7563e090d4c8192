# SPDX-License-Identifier: GPL-2.0
"""The kernels of the lab, and the headers to build modules with.

To add a stock kernel add a row to KERNELS; nothing else names versions.
"""

import collections
import glob
import os
import re

from lablib import apt, cache
from lablib.say import LabError, UsageError, step

# suite: where the packages are; release: pattern of the kernel's release;
# kbuild: name of the kbuild package; chroot: build in a tree of that suite,
# because its kbuild tools need a newer C library than the oldest host has.
Stock = collections.namedtuple("Stock", "suite release kbuild chroot")

KERNELS = {
    "6.1": Stock("bookworm", r"6\.1\.0-\d+-amd64", "linux-kbuild-6.1", False),
    "6.12": Stock("bookworm", r"6\.12\.[\d.]+\+deb12(?:\.\d+)?-amd64",
                  "linux-kbuild-%s", False),
    "7.3": Stock("trixie", r"7\.3\.[\d.]+\+deb13(?:\.\d+)?-amd64",
                 "linux-kbuild-%s", True),
}
DEBUG = "debug"
DEFAULT = "6.12"
NAMES = list(KERNELS) + [DEBUG]


def check(name):
    """Return the name of a kernel, or raise UsageError."""
    if name not in NAMES:
        raise UsageError("no kernel '%s': the lab has %s"
                         % (name, ", ".join(NAMES)))
    return name


def newest_release(name):
    """Return the newest release whose image and headers are both there."""
    stock = KERNELS[name]
    names = apt.suite(stock.suite).names("linux-(image|headers)-" +
                                         stock.release)
    images = {n[len("linux-image-"):] for n in names if "-image-" in n}
    headers = {n[len("linux-headers-"):] for n in names if "-headers-" in n}
    both = images & headers
    if not both:
        raise LabError("the mirror has no kernel like linux-image-%s with "
                       "headers; its row in tools/vm/lablib/kernels.py is out "
                       "of date" % stock.release)
    return max(both, key=apt.version_key)


class Headers(cache.Piece):
    """A stock kernel's headers with their kbuild tools, relocated."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.stock = KERNELS[kernel]
        self.name = "kernels/%s/headers" % kernel

    def recipe(self):
        return {"format": 2, "stock": self.stock}

    def versions(self):
        release = newest_release(self.kernel)
        found = {"release": release}
        for package in self.packages(release):
            found[package] = apt.suite(self.stock.suite).version(package)
        return found

    def packages(self, release):
        abi = release[:-len("-amd64")]
        kbuild = self.stock.kbuild
        return ["linux-headers-" + release, "linux-headers-%s-common" % abi,
                kbuild % abi if "%s" in kbuild else kbuild]

    def build(self, folder, versions):
        release = versions["release"]
        step("fetching the headers of %s (%s)" % (self.kernel, release))
        tree = os.path.join(folder, "tree")
        apt.suite(self.stock.suite).unpack(
            ["%s=%s" % item for item in versions.items()
             if item[0] != "release"], tree)
        kdir = os.path.join(tree, "usr/src/linux-headers-" + release)
        self.relocate(kdir)
        os.symlink(os.path.relpath(kdir, folder), os.path.join(folder, "kdir"))

    def relocate(self, kdir):
        """Make the absolute paths of a headers package relative to it."""
        here = "$(abspath $(dir $(lastword $(MAKEFILE_LIST))))"
        for name in glob.glob(kdir + "/Makefile") + \
                glob.glob(kdir + "/.kernelvariables"):
            with open(name, encoding="utf-8") as file:
                text = file.read()
            fixed = re.sub(r"(?<![\w.)])/usr/src/", here + "/../", text)
            fixed = re.sub(r"(?<![\w.)])/usr/lib/(?=linux-kbuild)",
                           here + "/../../lib/", fixed)
            if fixed != text:
                with open(name, "w", encoding="utf-8") as file:
                    file.write(fixed)

    def release(self):
        self.ensure()
        return self.key()["versions"]["release"]

    def kdir(self):
        return os.path.realpath(os.path.join(self.ensure(), "kdir"))


def headers(kernel):
    """Return the piece that holds a kernel's build tree."""
    if kernel == DEBUG:
        from lablib import debugkernel
        return debugkernel.DebugKernel()
    return Headers(kernel)


def in_chroot(kernel):
    return kernel != DEBUG and KERNELS[kernel].chroot
