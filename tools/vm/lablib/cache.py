# SPDX-License-Identifier: GPL-2.0
"""The cache: pieces with a key, built aside and renamed into place."""

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile

from lablib.say import LabError, step


def root():
    """Return the cache folder, made when missing."""
    path = os.environ.get("TUFF_CACHE")
    if not path:
        base = os.environ.get("XDG_CACHE_HOME")
        if not base:
            base = os.path.join(os.path.expanduser("~"), ".cache")
        path = os.path.join(base, "tuff")
    path = os.path.abspath(path)
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as err:
        raise LabError("cannot make the cache folder %s: %s; "
                       "set TUFF_CACHE to another" % (path, err)) from err
    return path


def path(*parts):
    return os.path.join(root(), *parts)


@contextlib.contextmanager
def lock(name):
    """Hold an exclusive lock; say so when somebody else has it."""
    where = path("locks")
    os.makedirs(where, exist_ok=True)
    with open(os.path.join(where, name.replace("/", "-")), "w",
              encoding="ascii") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            step("waiting for another lab that works on " + name)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def digest(value):
    text = json.dumps(value, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def file_digest(*names):
    total = hashlib.sha256()
    for name in names:
        with open(name, "rb") as file:
            total.update(file.read())
    return total.hexdigest()[:16]


def remove(tree):
    """Remove a tree that may hold folders without write permission."""
    if os.path.islink(tree) or not os.path.isdir(tree):
        with contextlib.suppress(FileNotFoundError):
            os.unlink(tree)
        return
    shutil.rmtree(tree, ignore_errors=True)
    if os.path.exists(tree):
        raise LabError("cannot remove %s: remove it by hand (as root)" % tree)


class Piece:
    """One thing in the cache: a folder with a key.json.

    A subclass gives name, recipe() (what the piece is made by: known without
    asking anybody), versions() (package versions, asked of apt) and
    build(folder, versions).  A piece is stale when its recipe differs, or,
    where a refresh is wanted, when its versions differ.
    """

    name = None

    def recipe(self):
        raise NotImplementedError

    def versions(self):
        return {}

    def build(self, folder, versions):
        raise NotImplementedError

    def path(self, *parts):
        return path(self.name, *parts)

    def key(self):
        """Return the key of the piece that is there, or None."""
        try:
            with open(self.path("key.json"), encoding="utf-8") as file:
                return json.load(file)
        except (OSError, ValueError):
            return None

    def good(self, refresh):
        key = self.key()
        if not key or key["recipe"] != digest(self.recipe()):
            return False
        return not refresh or key["versions"] == self.versions()

    def ensure(self, refresh=False):
        """Build the piece when missing or stale; return its folder."""
        if self.good(refresh):
            return self.path()
        with lock(self.name):
            if not self.good(refresh):
                self.replace()
        return self.path()

    def replace(self):
        versions = self.versions()
        recipe = digest(self.recipe())      # before: it may change meanwhile
        parent = os.path.dirname(self.path())
        os.makedirs(parent, exist_ok=True)
        mine = ".%s-" % os.path.basename(self.path())
        for name in os.listdir(parent):     # a killed lab's, under our lock
            if name.startswith((mine + "new-", mine + "old-")):
                remove(os.path.join(parent, name))
        work = tempfile.mkdtemp(prefix=mine + "new-", dir=parent)
        os.chmod(work, 0o755)
        try:
            self.build(work, versions)
            key = {"recipe": recipe, "versions": versions}
            with open(os.path.join(work, "key.json"), "w",
                      encoding="utf-8") as file:
                json.dump(key, file, indent=1, sort_keys=True)
            old = None
            if os.path.lexists(self.path()):
                old = tempfile.mkdtemp(prefix=mine + "old-", dir=parent)
                os.rename(self.path(), os.path.join(old, "piece"))
            os.rename(work, self.path())
            if old:
                remove(old)
        finally:
            if os.path.lexists(work):
                remove(work)
