# SPDX-License-Identifier: GPL-2.0
"""A root tree of a newer Debian, to run that release's kbuild in."""

import os

from lablib import apt, cache
from lablib.say import need_root, run, step

PACKAGES = ["gcc", "gcc-14", "gcc-14-for-host", "make", "libc6-dev",
            "libelf1t64", "libssl3t64", "zlib1g", "pahole", "perl-base",
            "python3-minimal", "kmod", "sparse", "xz-utils"]


class BuildRoot(cache.Piece):
    """A root tree with compiler and kbuild's libraries."""

    def __init__(self, suite):
        self.suite = suite
        self.name = "buildroot/" + suite

    def recipe(self):
        return {"format": 2, "suite": self.suite, "packages": PACKAGES}

    def versions(self):
        return {p: apt.suite(self.suite).version(p) for p in ("gcc-14",
                                                              "sparse")}

    def build(self, folder, versions):
        need_root("making a build tree of " + self.suite)
        from lablib import host
        host.need("mmdebstrap")
        step("making a build tree of %s (a minute)" % self.suite)
        sources = os.path.join(folder, "sources.list")
        with open(sources, "w", encoding="ascii") as file:
            file.write(apt.sources(self.suite))
        run(["mmdebstrap", "--variant=minbase", "--mode=root",
             "--include=" + ",".join(PACKAGES),
             "--aptopt=Apt::Install-Recommends \"false\"",
             "--dpkgopt=path-exclude=/usr/share/man/*",
             "--dpkgopt=path-exclude=/usr/share/doc/*",
             "--dpkgopt=path-exclude=/usr/share/locale/*",
             self.suite, os.path.join(folder, "root"), sources])


# $1 the root, then pairs of mode and folder until --, then the command
ENTER = """
set -e
root=$1; shift
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"
while [ "$1" != -- ]; do
	mkdir -p "$root$2"
	mount --bind "$2" "$root$2"
	[ "$1" = rw ] || mount -o remount,bind,ro "$root$2"
	shift 2
done
shift
exec chroot "$root" /usr/bin/env -i PATH=/usr/bin:/usr/sbin:/bin:/sbin \
	HOME=/ LC_ALL=C "$@"
"""


def enter(suite, argv, folders):
    """Return an argv that runs argv in the tree; nothing stays mounted.

    Folders: (path, read_only) pairs, seen inside under the same path.
    """
    root = os.path.join(BuildRoot(suite).ensure(), "root")
    binds = []
    for path, read_only in folders:
        binds += ["ro" if read_only else "rw", path]
    return ["unshare", "--mount", "--propagation", "private", "sh", "-c",
            ENTER, "sh", root] + binds + ["--"] + argv
