# SPDX-License-Identifier: GPL-2.0
"""What the host itself must have, and how it gets it."""

import contextlib
import os
import re
import shutil
import subprocess

from lablib import apt
from lablib.say import LabError, output, run, step

# program or file that shows a package is there, and the package
BUILD = [("gcc", "gcc"), ("make", "make"), ("bc", "bc"), ("flex", "flex"),
         ("bison", "bison"), ("xz", "xz-utils"), ("zstd", "zstd"),
         ("/usr/include/libelf.h", "libelf-dev"),
         ("/usr/include/openssl/ssl.h", "libssl-dev"),
         ("sparse", "sparse"), ("depmod", "kmod")]
GUESTS = [("mmdebstrap", "mmdebstrap"), ("mkfs.erofs", "erofs-utils"),
          ("socat", "socat"), ("rsync", "rsync"),
          ("/usr/include/infiniband/verbs.h", "libibverbs-dev"),
          ("/usr/include/rdma/rdma_cma.h", "librdmacm-dev"),
          ("/usr/share/keyrings/debian-archive-keyring.gpg",
           "debian-archive-keyring")]
QEMU = "qemu-system-x86_64"
QEMU_MAJOR = 8      # -netdev stream with reconnect, fast enough TCG
SBIN = "/usr/sbin:/sbin"


def which(name):
    if name.startswith("/"):
        return name if os.path.exists(name) else None
    return shutil.which(name, path=os.environ.get("PATH", "") + ":" + SBIN)


def qemu_good():
    """Tell whether a QEMU that is new enough is there."""
    if not which(QEMU):
        return False
    found = re.search(r"version (\d+)", output([QEMU, "--version"]))
    return bool(found) and int(found.group(1)) >= QEMU_MAJOR


def _qemu_suite():
    """Return the apt environment whose suite has a good QEMU."""
    text = output(["apt-cache", "policy", "qemu-system-x86"],
                  env=dict(os.environ, LC_ALL="C"))
    found = re.search(r"Candidate: (?:\d+:)?(\d+)", text)
    if found and int(found.group(1)) >= QEMU_MAJOR:
        return None, []
    suite = apt.suite("bookworm")
    suite.update()
    return suite, ["-t", "bookworm-backports"]


def missing():
    """Return the packages that the host lacks."""
    return [package for probe, package in BUILD + GUESTS if not which(probe)]


def setup():
    """Install what is missing."""
    packages = missing()
    need_qemu = not qemu_good()
    if not packages and not need_qemu:
        return
    if os.geteuid() != 0:
        raise LabError(
            "this machine lacks: %s\n  run 'sudo tools/vm/lab setup "
            "--host-only' once, then this again without sudo" %
            " ".join(packages + ["qemu-system-x86"] * need_qemu))
    env = dict(os.environ, DEBIAN_FRONTEND="noninteractive", LC_ALL="C")
    install = ["apt-get", "install", "-y", "-q", "--no-install-recommends",
               "-o", "DPkg::Lock::Timeout=600"]
    if packages:
        step("installing " + " ".join(packages))
        try:
            run(install + packages, env=env)
        except LabError:
            step("reading the host's package lists and trying again")
            with contextlib.suppress(LabError):     # some source may fail
                run(["apt-get", "update", "-q"], env=env)
            run(install + packages, env=env)
    if need_qemu:
        step("installing qemu-system-x86")
        suite, option = _qemu_suite()
        run(install + option + ["qemu-system-x86"],
            env=suite.env if suite else env)


def need(program):
    """Raise LabError unless a program is there; root installs it."""
    if which(program):
        return
    if os.geteuid() == 0:
        setup()
    if not which(program):
        raise LabError("%s is missing: run 'sudo tools/vm/lab setup "
                       "--host-only'" % program)


def kvm():
    """Tell whether KVM works here.

    A /dev/kvm on a CPU without virtualisation of its own exists (nested
    guests of some clouds), and fails in the middle of a boot.
    """
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            if not re.search(r"^flags\s*:.*\b(vmx|svm)\b", file.read(), re.M):
                return False
        os.close(os.open("/dev/kvm", os.O_RDWR))
    except OSError:
        return False
    return True


def strip(source, target):
    """Copy a module without its debug information."""
    subprocess.run(["strip", "--strip-debug", "-o", target, source],
                   check=True)
