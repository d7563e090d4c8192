# SPDX-License-Identifier: GPL-2.0
"""The guests' root trees: a read-only image per Debian release."""

import os

from lablib import apt, cache, host
from lablib.say import UsageError, need_root, run, step

NAMES = ("bookworm", "trixie")
DEFAULT = "bookworm"

# Packages whose version is part of the key come first.
KEYED = ["rdma-core", "perftest", "python3-pyverbs", "iproute2", "tshark"]
PACKAGES = KEYED + [
    "ibverbs-providers", "ibverbs-utils", "rdmacm-utils", "infiniband-diags",
    "python3", "python3-scapy", "tcpdump", "qperf", "iperf3", "ethtool",
    "kmod", "iptables", "nftables", "procps", "psmisc", "iputils-ping",
    "strace", "jq", "socat", "bsdextrautils", "less"]

# Nothing but the tests of pyverbs is read below /usr/share/doc.
DROP = ["/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*",
        "/usr/share/info/*", "/usr/share/lintian/*", "/usr/share/bug/*",
        "/usr/share/wireshark/*.html"]
KEEP = ["/usr/share/doc/rdma-core/*"]
ERASE = ("var/lib/apt/lists", "var/cache", "var/log", "var/lib/dpkg/info",
         "boot", "usr/lib/udev/hwdb.d", "usr/share/zoneinfo", "usr/share/i18n")


def check(name):
    if name not in NAMES:
        raise UsageError("no userland '%s': the lab has %s"
                         % (name, ", ".join(NAMES)))
    return name


class Userland(cache.Piece):
    """One root image, root.erofs."""

    def __init__(self, suite):
        self.suite = suite
        self.name = "userland/" + suite

    def recipe(self):
        return {"format": 4, "suite": self.suite, "packages": PACKAGES,
                "drop": DROP, "keep": KEEP, "erase": ERASE}

    def versions(self):
        suite = apt.suite(self.suite)
        return {package: suite.version(package) for package in KEYED}

    def build(self, folder, versions):
        need_root("making a guest image")
        for program in ("mmdebstrap", "mkfs.erofs"):
            host.need(program)
        step("making the %s guest image (1-3 minutes)" % self.suite)
        root = os.path.join(folder, "root")
        sources = os.path.join(folder, "sources.list")
        with open(sources, "w", encoding="ascii") as file:
            file.write(apt.sources(self.suite))
        run(["mmdebstrap", "--variant=minbase", "--mode=root",
             "--include=" + ",".join(PACKAGES),
             "--aptopt=Apt::Install-Recommends \"false\""] +
            ["--dpkgopt=path-exclude=" + path for path in DROP] +
            ["--dpkgopt=path-include=" + path for path in KEEP] +
            [self.suite, root, sources])
        for path in ERASE:
            cache.remove(os.path.join(root, path))
        # Debian compresses longer files there, tests too.
        run(["find", os.path.join(root, "usr/share/doc/rdma-core/tests"),
             "-name", "*.gz", "-exec", "gunzip", "{}", "+"])
        for path in ("lab", "var/log", "var/cache", "lib/modules"):
            os.makedirs(os.path.join(root, path), exist_ok=True)
        step("packing it")
        run(["mkfs.erofs", "-T0", os.path.join(folder, "root.erofs"), root])
        cache.remove(root)

    def image(self):
        return os.path.join(self.ensure(), "root.erofs")
