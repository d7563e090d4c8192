#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""How much of the engine the host's tests reach, as TAP.

usage: coverage.py [--least PERCENT] [--missing] [--seeds N]

Builds unit tests, simulation and the replay of the fuzz corpus for gcov, runs
them, and counts for each file of engine/ the lines that any of them ran.
Prints a line per file; --missing adds the lines that none ran. Fails when less
than PERCENT (95) of all lines were run.
"""

import argparse
import collections
import glob
import gzip
import json
import os
import shutil
import subprocess
import sys

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
OUT = os.path.join(TOP, "build/cover")
ENGINE = "drivers/infiniband/sw/tuff/engine"


def make(folder, *args):
    """Build or run something with gcov's counters in it."""
    jobs = "-j%d" % (os.cpu_count() or 1)
    done = subprocess.run(
        ["make", "-s", jobs, "-C", os.path.join(TOP, folder),
         "CC=gcc --coverage -fprofile-update=single", "OPT=-O0",
         "HOST_SANITIZE="] + list(args),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, check=False, text=True, errors="replace")
    if done.returncode:
        sys.exit("Bail out! %s %s failed:\n%s" % (folder, " ".join(args),
                                                  done.stdout[-4000:]))


def play(seeds):
    """Run what the checks run, less often: lines need no thousand seeds."""
    make("tools/host", "unit", "out=" + OUT + "/host")
    make("tools/fuzz", "replay", "out=" + OUT + "/fuzz")
    make("tools/sim", "play", "O=" + OUT + "/sim", "SEEDS=%d" % seeds)


def lines_of(data):
    """Yield (source, line, runs) of one .gcda file."""
    done = subprocess.run(["gcov", "--json-format", "--stdout", data],
                          cwd=os.path.dirname(data), check=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE)
    text = done.stdout
    if text[:2] == b"\x1f\x8b":
        text = gzip.decompress(text)
    for report in text.splitlines():
        report = json.loads(report)
        where = report["current_working_directory"]
        for file in report["files"]:
            name = os.path.relpath(os.path.realpath(os.path.join(
                where, file["file"])), TOP)
            for line in file["lines"]:
                yield name, line["line_number"], line["count"]


def count():
    """Return {file: {line: runs}} for the engine."""
    found = collections.defaultdict(lambda: collections.defaultdict(int))
    for data in glob.glob(OUT + "/**/*.gcda", recursive=True):
        for name, line, runs in lines_of(data):
            if os.path.dirname(name) == ENGINE:
                found[name][line] += runs
    return found


def spans(numbers):
    """Return [1, 2, 3, 7] as "1-3 7"."""
    out = []
    for n in numbers:
        if out and out[-1][1] == n - 1:
            out[-1][1] = n
        else:
            out.append([n, n])
    return " ".join("%d" % a if a == b else "%d-%d" % (a, b) for a, b in out)


def percent(part, whole):
    return 100.0 * part / whole if whole else 100.0


def main():
    parser = argparse.ArgumentParser(description="coverage of the engine")
    parser.add_argument("--least", type=float, default=95.0)
    parser.add_argument("--seeds", type=int, default=2000)
    parser.add_argument("--missing", action="store_true")
    opt = parser.parse_args()
    # counts of an older build would count for this one
    shutil.rmtree(OUT, ignore_errors=True)
    play(opt.seeds)
    found = count()
    print("TAP version 13\n1..1")
    run = whole = 0
    for name in sorted(found):
        lines = found[name]
        hit = sum(1 for runs in lines.values() if runs)
        run, whole = run + hit, whole + len(lines)
        print("# %-16s %4d of %4d  %5.1f %%" % (
            os.path.basename(name), hit, len(lines), percent(hit,
                                                             len(lines))))
        if opt.missing and hit < len(lines):
            print("#     not run: " + spans(
                sorted(n for n, runs in lines.items() if not runs)))
    good = whole and percent(run, whole) >= opt.least
    print("%sok 1 - coverage: %.1f %% of the engine's %d lines, %g %% is least"
          % ("" if good else "not ", percent(run, whole), whole, opt.least))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
