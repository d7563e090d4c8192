#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Run the checks, show how they go, keep their logs, count what happened.

usage: check.py all | host | guest [--kernel K] [--suite S]...

The last line of stdout is "N passed, N failed, N skipped".  Exit status 1 when
anything failed or nothing ran, 130 after Ctrl-C.  Logs: build/check/.
"""

import argparse
import os
import queue
import re
import shutil
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True

import plan  # noqa: E402
import summary  # noqa: E402

BEAT = 30       # seconds of silence before a sign of life
SCALE = float(os.environ.get("TUFF_TIME_SCALE") or 1)   # of all limits
START = time.monotonic()
RESULT = re.compile(r"^[# \t]*(not )?ok \d")


def say(text):
    print("[%5d s] %s" % (time.monotonic() - START, text), flush=True)


class Job:
    """One step that runs: its process, its log, its TAP."""

    def __init__(self, step, folder):
        self.step = step
        self.log = os.path.join(folder, step.name.replace(" ", "-") + ".log")
        self.tap = summary.Tap()
        self.began = time.monotonic()
        self.spoke = self.began
        self.number = 0
        self.last = ""
        self.told = 0
        self.lock = threading.Lock()
        self.stopped = None
        self.file = open(self.log, "w", encoding="utf-8")
        self.process = None

    def start(self):
        say("%s: started" % self.step.name)
        env = dict(os.environ, TUFF_EXPECT_ALL="1", **self.step.env)
        # an outer make must not hand its flags to the checks' own
        for name in ("MAKEFLAGS", "MFLAGS", "MAKELEVEL", "KERNEL", "SUITE",
                     "KDIR", "SEED", "T", "V"):
            env.pop(name, None)
        try:
            self.process = subprocess.Popen(
                self.step.argv, cwd=plan.TOP, env=env,
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE, text=True, errors="replace",
                start_new_session=True)
        except OSError as err:
            self.line("cannot run %s: %s" % (self.step.argv[0], err.strerror))
            return []
        readers = [threading.Thread(target=self.read, args=(stream, is_out),
                                    daemon=True)
                   for stream, is_out in ((self.process.stdout, True),
                                          (self.process.stderr, False))]
        for reader in readers:
            reader.start()
        return readers

    def read(self, stream, is_out):
        for line in stream:
            self.line(line.rstrip("\n"), is_out)

    def line(self, line, is_out=False):
        """Log one whole line; look for TAP where the step speaks it."""
        with self.lock:
            self.number += 1
            self.file.write(line + "\n")
            self.file.flush()
            self.last = line.strip() or self.last
            if not (is_out and self.step.tap):
                return
            point = self.tap.feed(line, self.number)
            if point and point.verdict == "failed":
                say("%s: not ok: %s (%s:%d)" % (
                    self.step.name, point.name, self.where(), self.number))
                self.spoke = time.monotonic()

    def where(self):
        return os.path.relpath(self.log, plan.TOP)

    def beat(self):
        now = time.monotonic()
        limit = self.step.limit * SCALE
        if limit and now - self.began > limit and not self.stopped:
            self.stopped = "took longer than %d s" % limit
            self.kill()
        if now - self.spoke > BEAT:
            self.spoke = now
            say("%s: %s%s" % (self.step.name, self.progress(),
                              self.last[:100]))

    def progress(self):
        passed = sum(p.verdict == "passed" for p in
                     self.tap.leaves + self.tap.stack)
        return "%d passed so far: " % passed if self.step.tap and passed else ""

    def kill(self):
        """End the step's whole process group: first politely."""
        if not self.process:
            return
        for sig, patience in ((signal.SIGTERM, 20), (signal.SIGKILL, 5)):
            try:
                os.killpg(self.process.pid, sig)
                self.process.wait(patience)
                return
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def finish(self):
        """Return (passed, failed, skipped) of the step."""
        status = self.process.wait() if self.process else 127
        self.file.close()
        self.tap.finish()
        if self.step.tap:
            counts = self.tap.counts()
            why = self.verdict(status, counts)
            if why:
                counts = (counts[0], counts[1] + 1, counts[2])
        else:
            why = self.stopped or (status and "exit status %d" % status)
            counts = (0, 1, 0) if why else (1, 0, 0)
        say("%s: %s, %d s%s" % (
            self.step.name, summary.last_line(*counts),
            time.monotonic() - self.began,
            " (%s)" % self.where() if counts[1] or counts[2] else ""))
        self.why = why
        return counts

    def verdict(self, status, counts):
        """Say what is wrong with a TAP step beyond its failed points."""
        if self.stopped:
            return self.stopped
        if not any(counts):
            return "no test point (exit status %d)" % status
        if status and not counts[1]:
            return "exit status %d though no point failed" % status
        return ""

    def tell(self):
        """Print failures and skips once more, for the end of the run."""
        if self.why:
            print("FAIL %s: %s (%s)" % (self.step.name, self.why,
                                        self.where()))
            for line in tail(self.log) if not self.step.tap else []:
                print("     | " + line)
        for point in self.tap.of("failed"):
            print("FAIL %s: %s (%s:%d)" % (self.step.name, point.name,
                                           self.where(), point.line))
            for line in before(self.log, point.line):
                print("     | " + line)
        for point in self.tap.of("skipped"):
            print("SKIP %s: %s: %s (%s:%d)" % (
                self.step.name, point.name, point.why or "no reason given",
                self.where(), point.line))


def tail(path, count=12):
    with open(path, encoding="utf-8", errors="replace") as file:
        return [line.rstrip() for line in file.readlines()[-count:]]


def before(path, number, count=16):
    """What a test said ahead of its result: the lines since the last one."""
    with open(path, encoding="utf-8", errors="replace") as file:
        lines = [line.rstrip()[:200] for line in file.readlines()[:number - 1]]
    said = []
    for line in reversed(lines[-count:]):
        if RESULT.match(line):
            break
        said.insert(0, line)
    return said


class Run:
    """All steps; phase after phase, some of one phase side by side."""

    def __init__(self, folder):
        self.folder = folder
        self.total = [0, 0, 0]
        self.jobs = []
        self.active = []
        self.running = []
        self.stopping = False
        self.done = {}
        self.lock = threading.Lock()

    def one(self, step):
        bad = [n for n in step.needs if not self.done.get(n, True)]
        job = Job(step, self.folder)
        with self.lock:
            self.jobs.append(job)
        if bad:
            job.line("not run: '%s' failed" % "', '".join(bad))
            job.stopped = "not run, because '%s' failed" % "', '".join(bad)
        else:
            with self.lock:
                readers = job.start()
                self.active.append(job)
            for reader in readers:
                reader.join()
        counts = job.finish()
        with self.lock:
            if job in self.active:
                self.active.remove(job)
            self.done[step.name] = not counts[1]
            self.total = [a + b for a, b in zip(self.total, counts)]

    def next(self, waiting):
        """Take the first step of a phase that waits for no other one of it."""
        with self.lock:
            if self.stopping:
                waiting.clear()
            names = {step.name for step in waiting + self.running}
            for step in waiting:
                if not names & set(step.needs + step.after):
                    waiting.remove(step)
                    self.running.append(step)
                    return step
        return None

    def lane(self, waiting, errors):
        try:
            while waiting:
                step = self.next(waiting)
                if not step:
                    time.sleep(0.5)
                    continue
                self.one(step)
                with self.lock:
                    self.running.remove(step)
        except Exception as err:        # a fault of ours must not look green
            errors.put(err)
            self.stopping = True

    def phase(self, lanes, steps):
        errors = queue.Queue()
        waiting = list(steps)
        threads = [threading.Thread(target=self.lane, args=(waiting, errors),
                                    daemon=True) for _ in range(lanes)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            time.sleep(0.5)
            with self.lock:
                active = list(self.active)
            for job in active:
                job.beat()
        if not errors.empty():
            raise errors.get()

    def interrupt(self):
        """End what runs; what a lane was just about to start as well."""
        self.stopping = True
        for _ in range(2):
            with self.lock:
                active = list(self.active)
            for job in active:
                job.kill()

    def end(self):
        print()
        for job in self.jobs:
            job.tell()
        if self.total[1]:
            print("logs: %s/" % os.path.relpath(self.folder, plan.TOP))
        print(summary.last_line(*self.total), flush=True)
        return 1 if self.total[1] or not self.total[0] else 0


def arguments():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n")[2][7:])
    parser.add_argument("part", choices=["all", "host", "guest"])
    parser.add_argument("--kernel", choices=plan.GUEST_KERNELS)
    parser.add_argument("--suite", action="append", default=[])
    opt = parser.parse_args()
    unknown = {name.split(":")[0] for name in opt.suite} - set(plan.suites())
    if unknown:
        parser.error("no suite '%s'; there are: %s" % (
            ", ".join(sorted(unknown)), ", ".join(plan.suites())))
    return opt


def main():
    opt = arguments()
    folder = os.path.join(plan.TOP, "build", "check")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    run = Run(folder)

    def stop(signum, _frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        for lanes, steps in plan.phases(opt):
            run.phase(lanes, steps)
        return run.end()
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        run.interrupt()
        print("interrupted; logs: build/check/", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
