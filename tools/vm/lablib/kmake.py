# SPDX-License-Identifier: GPL-2.0
"""Build the module for one kernel, in a copy of the source of its own."""

import contextlib
import fcntl
import fnmatch
import glob
import json
import os
import shutil
import subprocess

from lablib import kernels
from lablib.say import LabError, UsageError, need_root

MODULE = "drivers/infiniband/sw/tuff/tuff.ko"
ROOTS = ("Kbuild", "drivers", "include", "tools/compat")
MADE = ("*.o", "*.a", "*.ko", "*.mod", "*.mod.c", ".*", "*.order",
        "*.symvers", "*.cmd", "*.d", "tuff_probe.h", "*.pyc")


def repository():
    """Return the root of the repository that this lab belongs to."""
    here = os.path.dirname(os.path.abspath(__file__))
    return os.path.dirname(os.path.dirname(os.path.dirname(here)))


def build_dir(kernel, override=None):
    return os.path.abspath(override or
                           os.path.join(repository(), "build", kernel))


def _sources(top):
    """Yield the relative paths of all that kbuild reads."""
    roots = list(ROOTS) + [
        os.path.relpath(path, top)
        for path in glob.glob(os.path.join(top, "selftests/*/kmod"))]
    for root in roots:
        full = os.path.join(top, root)
        if os.path.isfile(full):
            yield root
        for folder, dirs, files in os.walk(full):
            dirs[:] = [d for d in dirs if not d.startswith(".")]
            for name in files:
                if not any(fnmatch.fnmatch(name, made) for made in MADE):
                    yield os.path.relpath(os.path.join(folder, name), top)


def _same(one, two):
    with open(one, "rb") as first, open(two, "rb") as second:
        return first.read() == second.read()


def sync(top, build):
    """Copy what changed and remove what went; keep what kbuild made.

    A file is copied only when its content differs, and then counts as new
    whatever its own date: going back to an older version rebuilds, touching a
    file does not.
    """
    listing = os.path.join(build, ".lab-sources")
    old = {}
    with contextlib.suppress(OSError, ValueError):
        with open(listing, encoding="utf-8") as file:
            old = json.load(file)
    new = {}
    for name in sorted(_sources(top)):
        source = os.path.join(top, name)
        target = os.path.join(build, name)
        try:
            info = os.stat(source)
        except FileNotFoundError:
            continue
        stamp = [info.st_mtime_ns, info.st_size]
        if old.get(name) != stamp or not os.path.exists(target):
            os.makedirs(os.path.dirname(target), exist_ok=True)
            if not os.path.exists(target) or not _same(source, target):
                shutil.copyfile(source, target)
            shutil.copymode(source, target)
        new[name] = stamp
    for name in set(old) - set(new):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(build, name))
    with open(listing + ".new", "w", encoding="utf-8") as file:
        json.dump(new, file)
    os.rename(listing + ".new", listing)


def _environment():
    """The environment for kbuild: an outer make must not leak into it."""
    env = {k: v for k, v in os.environ.items()
           if k not in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "MAKEOVERRIDES",
                        "KERNEL", "KDIR", "V", "W", "C", "CF")}
    env["LC_ALL"] = "C"
    return env


def command(kernel, args, folder, build):
    """Return the argv that runs kbuild in a folder of the build tree."""
    headers = kernels.headers(kernel)
    argv = ["make", "--no-print-directory", "-C", headers.kdir(),
            "M=" + folder, "CONFIG_DEBUG_INFO_BTF_MODULES="] + list(args)
    if kernel == kernels.DEBUG:
        # The kernel has no line numbers (they take minutes to build), the
        # module has.
        argv += ["CONFIG_DEBUG_INFO=y", "CONFIG_DEBUG_INFO_DWARF5=y"]
    if not kernels.in_chroot(kernel):
        return argv
    from lablib import buildroot
    return buildroot.enter(kernels.KERNELS[kernel].suite, argv,
                           [(headers.path(), True), (build, False)])


def kmake(kernel, args, override=None):
    """Build for one kernel; return make's exit status.

    TUFF_KMAKE has more arguments, for all builds that a program makes: where
    one has W=1 and the next has not, each builds everything anew.
    """
    top = repository()
    if not os.path.exists(os.path.join(top, "Kbuild")):
        raise LabError("no Kbuild in %s: nothing to build yet" % top)
    if kernels.in_chroot(kernel):
        need_root("building for %s (its tools run in a chroot)" % kernel)
    if override and os.path.abspath(override) == top:
        raise UsageError("--build must not be the source itself")
    build = build_dir(kernel, override)
    args = list(args) + os.environ.get("TUFF_KMAKE", "").split()
    if not any(a.startswith("-j") for a in args):
        args.insert(0, "-j%d" % (os.cpu_count() or 1))
    kernels.headers(kernel).ensure()
    os.makedirs(build, exist_ok=True)
    with open(os.path.join(build, ".lab-lock"), "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        sync(top, build)
        _forget_other_kernel(kernel, build)
        status = _make(kernel, args, build, build)
        for folder in sorted(glob.glob(build + "/selftests/*/kmod")):
            if status:
                break
            if os.path.exists(os.path.join(folder, "Kbuild")):
                status = _make(kernel, args + ["KBUILD_EXTRA_SYMBOLS=" + build +
                                               "/Module.symvers"],
                               folder, build)
    return status


def _forget_other_kernel(kernel, build):
    """Clean the tree when it was built against other headers."""
    note = os.path.join(build, ".lab-kernel")
    want = json.dumps(kernels.headers(kernel).key(), sort_keys=True)
    have = None
    with contextlib.suppress(OSError):
        with open(note, encoding="utf-8") as file:
            have = file.read()
    if have is not None and have != want:
        for folder, _, files in os.walk(build):
            for name in files:
                if not name.startswith(".lab-") and \
                        any(fnmatch.fnmatch(name, made) for made in MADE):
                    os.unlink(os.path.join(folder, name))
    with open(note, "w", encoding="utf-8") as file:
        file.write(want)


def _make(kernel, args, folder, build):
    return subprocess.run(command(kernel, args, folder, build),
                          env=_environment(), check=False).returncode


def modules(kernel, override=None):
    """Return the modules that are built for a kernel."""
    build = build_dir(kernel, override)
    module = os.path.join(build, MODULE)
    found = [module] + \
        sorted(glob.glob(os.path.dirname(module) + "/tests/*.ko")) + \
        sorted(glob.glob(build + "/selftests/*/kmod/*.ko"))
    return [name for name in found if os.path.exists(name)]
