# SPDX-License-Identifier: GPL-2.0
"""Messages to the person at the terminal, and commands with a log."""

import os
import subprocess
import sys
import time

START = time.monotonic()


class LabError(Exception):
    """Something the user has to know; the text says what to do next."""

    status = 3


class UsageError(LabError):
    """Wrong arguments: exit status 2."""

    status = 2


def step(text):
    """Announce a step on stderr: stdout belongs to results."""
    print("lab: [%4d s] %s" % (time.monotonic() - START, text),
          file=sys.stderr, flush=True)


def warn(text):
    print("lab: warning: " + text, file=sys.stderr, flush=True)


def run(argv, log=None, **kw):
    """Run a command quietly; when it fails, show the end of its output."""
    kw.setdefault("stdin", subprocess.DEVNULL)
    if log is None:
        done = subprocess.run(argv, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True,
                              errors="replace", check=False, **kw)
        tail = done.stdout
    else:
        with open(log, "w", encoding="utf-8") as out:
            done = subprocess.run(argv, stdout=out, stderr=subprocess.STDOUT,
                                  check=False, **kw)
        with open(log, encoding="utf-8", errors="replace") as text:
            tail = text.read()
    if done.returncode:
        lines = tail.strip().splitlines()[-25:]
        raise LabError("%s failed with status %d:\n    %s%s" % (
            " ".join(map(str, argv[:6])), done.returncode, "\n    ".join(lines),
            "\n  (whole log: %s)" % log if log else ""))
    return tail


def output(argv, **kw):
    """Return a command's stdout; raise LabError with its stderr."""
    kw.setdefault("stdin", subprocess.DEVNULL)
    done = subprocess.run(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, errors="replace", check=False, **kw)
    if done.returncode:
        raise LabError("%s failed with status %d:\n    %s" % (
            " ".join(map(str, argv[:6])), done.returncode,
            "\n    ".join(done.stderr.strip().splitlines()[-25:])))
    return done.stdout


def need_root(what):
    if os.geteuid() != 0:
        raise LabError("%s needs root: run the same command with sudo" % what)
