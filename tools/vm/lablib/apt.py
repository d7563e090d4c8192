# SPDX-License-Identifier: GPL-2.0
"""Packages of other suites, from the machine's own mirror.

A private apt state under the cache, one per suite: the host's sources and
lists stay as they are.
"""

import contextlib
import glob
import os
import re
import time

from lablib import cache
from lablib.say import LabError, output, run, step

KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
FRESH = 3600        # seconds that package lists are good for


def _site(label):
    text = output(["apt-get", "indextargets", "--format", "$(SITE)",
                   "Origin: Debian", "Label: " + label])
    sites = text.split()
    return sites[0] if sites else None


def sources(suite):
    """Return the sources.list of a suite on the mirror the machine uses."""
    if not os.path.exists("/usr/bin/apt-get"):
        raise LabError("no apt-get here: the lab is made of Debian packages, "
                       "run it on Debian 12")
    site = _site("Debian")
    if not site and os.geteuid() == 0:
        step("reading the host's package lists")
        with contextlib.suppress(LabError):     # some other source may fail
            run(["apt-get", "update", "-q"])
        site = _site("Debian")
    if not site:
        raise LabError("apt knows no Debian mirror yet: run 'apt-get update' "
                       "(as root) and try again")
    option = "deb [signed-by=%s] " % KEYRING
    lines = [option + "%s %s%s main" % (site, suite, part)
             for part in ("", "-updates", "-backports")]
    security = _site("Debian-Security")
    if security:
        lines.append(option + "%s %s-security main" % (security, suite))
    return "\n".join(lines) + "\n"


class Suite:
    """A Debian suite with its backports, read through a private apt state."""

    def __init__(self, name):
        self.name = name
        self.dir = cache.path("apt", name)
        self.config = os.path.join(self.dir, "apt.conf")
        self.list = os.path.join(self.dir, "sources.list")
        self.env = dict(os.environ, APT_CONFIG=self.config, LC_ALL="C",
                        DEBIAN_FRONTEND="noninteractive")

    def update(self):
        """Read the package lists, unless that was done lately."""
        stamp = os.path.join(self.dir, "updated")
        with cache.lock("apt-" + self.name):
            try:
                age = time.time() - os.stat(stamp).st_mtime
            except OSError:
                age = FRESH
            if age < FRESH:
                return
            for part in ("lists/partial", "archives/partial"):
                os.makedirs(os.path.join(self.dir, part), exist_ok=True)
            with open(self.list, "w", encoding="ascii") as file:
                file.write(sources(self.name))
            with open(self.config, "w", encoding="ascii") as file:
                file.write('Dir::Etc::sourcelist "%s";\n'
                           'Dir::Etc::sourceparts "/dev/null";\n'
                           'Dir::State::lists "%s/lists";\n'
                           'Dir::Cache "%s";\n'
                           'APT::Sandbox::User "root";\n'
                           % (self.list, self.dir, self.dir))
            step("reading the package lists of " + self.name)
            run(["apt-get", "update", "-q"], env=self.env)
            with open(stamp, "w", encoding="ascii"):
                pass

    def names(self, pattern):
        """Return the names of the packages that match a pattern."""
        self.update()
        text = output(["apt-cache", "pkgnames"], env=self.env)
        want = re.compile(pattern + r"\Z")
        return [name for name in text.split() if want.match(name)]

    def version(self, package):
        """Return the version that apt would install in a fresh tree."""
        self.update()
        text = output(["apt-cache", "-o", "Dir::State::status=/dev/null",
                       "policy", package], env=self.env)
        found = re.search(r"Candidate: (\S+)", text)
        if not found or found.group(1) == "(none)":
            raise LabError("no package %s in %s: run 'lab setup' again later"
                           % (package, self.name))
        return found.group(1)

    def download(self, packages, folder):
        """Fetch packages (name or name=version); return the .deb paths."""
        self.update()
        os.makedirs(folder, exist_ok=True)
        run(["apt-get", "download", "-q"] + list(packages), cwd=folder,
            env=self.env)
        return sorted(glob.glob(os.path.join(folder, "*.deb")))

    def unpack(self, packages, folder, paths=()):
        """Fetch packages and unpack them into a folder, not installed.

        Paths, where given, limit what is unpacked (tar patterns).
        """
        debs = folder + ".debs"
        try:
            for deb in self.download(packages, debs):
                os.makedirs(folder, exist_ok=True)
                if paths:
                    run(["sh", "-c", 'deb=$1; shift; dpkg-deb '
                         '--fsys-tarfile "$deb" | tar -x --wildcards "$@"',
                         "sh", os.path.abspath(deb)] + list(paths), cwd=folder)
                else:
                    run(["dpkg-deb", "-x", deb, folder])
        finally:
            cache.remove(debs)


def version_key(text):
    """Sort key for version strings that follow one scheme."""
    return [(1, int(part), "") if part.isdigit()
            else (0, 0, part) if part.startswith("~") else (1, -1, part)
            for part in re.findall(r"\d+|~?[^\d~]*", text) if part]


_SUITES = {}


def suite(name):
    if name not in _SUITES:
        _SUITES[name] = Suite(name)
    return _SUITES[name]
