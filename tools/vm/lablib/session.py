# SPDX-License-Identifier: GPL-2.0
"""A run: start the guests, wait for them, judge what they left."""

import os
import shutil
import sys
import tempfile
import time

from lablib import host, image, kernels, kmake, qemu, splat, userland
from lablib.say import LabError, UsageError, step

END = "lab: end of run"
LEAVE = 10      # seconds for the last log lines after the last status


class Guest:
    """What the host knows of one guest."""

    def __init__(self, number, out, prefix):
        self.number = number
        self.base = os.path.join(out, "guest%d" % number)
        self.prefix = prefix
        self.process = None
        self.status = None
        self.verdict = None
        self.shown = 0
        self.line = b""

    def read(self, kind):
        try:
            with open("%s.%s" % (self.base, kind), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return b""

    def stream(self, last=False):
        """Show the output that came since the last call."""
        try:
            with open(self.base + ".out", "rb") as file:
                file.seek(self.shown)
                data = file.read()
        except FileNotFoundError:
            return
        self.shown += len(data)
        if not self.prefix:
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()
            return
        lines = (self.line + data).split(b"\n")
        self.line = b"" if last else lines.pop()
        if last and lines and not lines[-1]:
            lines.pop()
        for line in lines:
            sys.stdout.buffer.write(self.prefix + line + b"\n")
        sys.stdout.buffer.flush()

    def poll(self):
        """Take note of a status or a death; return whether it is over."""
        if self.status is None:
            text = self.read("status").decode(errors="replace").strip()
            if text.isdigit():
                self.status = int(text)
            elif self.process.poll() is not None:
                self.verdict = "died (QEMU ended with status %d)" % \
                    self.process.returncode
        return self.status is not None or self.verdict is not None

    def quiet(self):
        """Tell whether the kernel log has come to its end."""
        return self.process.poll() is not None or \
            END.encode() in self.read("kmsg")


def defaults(opt, guests):
    """Fill in what depends on other options."""
    debug = opt.kernel == kernels.DEBUG
    if opt.vcpus is None:
        opt.vcpus = 1 if opt.icount or guests > 1 else 2
    if opt.memory is None:
        opt.memory = 3072 if debug else 1536
    if opt.time is None:
        opt.time = 900 if debug else 300
    if opt.icount and opt.vcpus != 1:
        raise UsageError("--icount works with one vCPU only: leave out "
                         "--vcpus or say --vcpus 1")


def _modules(opt, work):
    """Return (guest path, stripped module) pairs."""
    found = []
    names = opt.ko or kmake.modules(opt.kernel)
    for name in names:
        if not os.path.isfile(name):
            raise UsageError("no module %s: build it by 'lab kmake %s'"
                             % (name, opt.kernel))
        target = os.path.join(work, os.path.basename(name))
        host.strip(name, target)
        found.append(("lab/mod/" + os.path.basename(name), target))
    return found


def _environment(opt, number, guests, script):
    env = dict(opt.env)
    peers = [n for n in range(1, guests + 1) if n != number]
    env.update({
        "LAB_GUEST": number, "LAB_GUESTS": guests,
        "LAB_PEER": "192.0.2.%d" % peers[0] if peers else "",
        "LAB_PEER6": "2001:db8::%d" % peers[0] if peers else "",
        "LAB_PEERS": " ".join("192.0.2.%d" % n for n in peers),
        "LAB_PEERS6": " ".join("2001:db8::%d" % n for n in peers),
        "LAB_KERNEL": opt.kernel, "LAB_OUT": "/lab/out", "LAB_MTU": opt.mtu,
        "LAB_TIME": opt.time, "LAB_SCRIPT": script,
        "LAB_SHELL": "1" if opt.shell else "",
        "LAB_LEAKS": "1" if opt.leaks else "",
        "LAB_SHARES": " ".join(
            "share%d:%s" % (n, os.path.basename(os.path.abspath(path)))
            for n, path in enumerate(opt.share))})
    size = shutil.get_terminal_size()
    env.update({"LAB_ROWS": size.lines, "LAB_COLUMNS": size.columns})
    return env


def _out_dir(opt):
    if opt.out:
        out = os.path.abspath(opt.out)
        os.makedirs(out, exist_ok=True)
        for name in os.listdir(out):
            if name.startswith("guest") or name == ".barrier":
                path = os.path.join(out, name)
                (shutil.rmtree if os.path.isdir(path) else os.unlink)(path)
        return out
    runs = os.path.join(kmake.repository(), "build", "runs")
    os.makedirs(runs, exist_ok=True)
    return tempfile.mkdtemp(prefix=time.strftime("%m%d-%H%M%S-") +
                            opt.kernel + "-", dir=runs)


class Session:
    """Guests that run together."""

    def __init__(self, opt, scripts):
        self.opt = opt
        self.scripts = scripts
        self.count = len(scripts)
        defaults(opt, self.count)
        host.need(qemu.host.QEMU)
        self.image = image.image(opt.kernel).ensure()
        self.root = userland.Userland(opt.userland).image()
        self.busybox = image.Busybox().program()
        self.out = _out_dir(opt)
        os.chmod(self.out, 0o755)
        self.guests = []

    def run(self):
        """Run to the end; return the guests."""
        with tempfile.TemporaryDirectory(prefix="tuff-lab-") as work:
            try:
                self.start(work)
                if self.opt.shell:
                    from lablib import terminal
                    terminal.attach(self.guests, work)
                else:
                    self.wait()
            finally:
                self.stop()
        return self.guests

    def start(self, work):
        modules = _modules(self.opt, work)
        for number, script in enumerate(self.scripts, 1):
            prefix = b"%d| " % number if self.count > 1 else b""
            guest = Guest(number, self.out, prefix)
            initrd = os.path.join(work, "initrd%d" % number)
            files = list(modules)
            name = ""
            if script:
                name = os.path.basename(script)
                files.append(("lab/script/" + name, script))
            qemu.initramfs(initrd, self.busybox, self.image, _environment(
                self.opt, number, self.count, name), files)
            argv = qemu.command(self.opt, number, self.count, self.image,
                                self.root, initrd, self.out, work)
            guest.process = qemu.start(argv, guest.base + ".qemu")
            self.guests.append(guest)
            self.listening(guest, work)

    def listening(self, guest, work):
        """Wait for the first guest's network sockets before the others."""
        if guest.number != 1:
            return
        for other in range(2, self.count + 1):
            path = os.path.join(work, "net%d" % other)
            limit = time.monotonic() + 20
            while not os.path.exists(path):
                if guest.process.poll() is not None or \
                        time.monotonic() > limit:
                    raise LabError("QEMU did not start:\n    " + guest.read(
                        "qemu").decode(errors="replace").strip())
                time.sleep(0.02)

    def wait(self):
        limit = time.monotonic() + self.opt.time
        while True:
            over = [guest.poll() for guest in self.guests]
            for guest in self.guests:
                guest.stream()
            if all(over):
                break
            if time.monotonic() > limit:
                for guest in self.guests:
                    if not guest.poll():
                        guest.verdict = "timed out after %g s" % self.opt.time
                break
            if any(guest.verdict for guest in self.guests):
                # A dead peer: the others get a moment to notice, no more.
                limit = min(limit, time.monotonic() + 30)
            time.sleep(0.05)
        limit = time.monotonic() + LEAVE
        while time.monotonic() < limit and not all(
                guest.quiet() for guest in self.guests if not guest.verdict):
            time.sleep(0.05)
        for guest in self.guests:
            guest.stream(last=True)

    def stop(self):
        """End every guest, whatever state it is in."""
        for guest in self.guests:
            if guest.process.poll() is None:
                guest.process.kill()
        for guest in self.guests:
            guest.process.wait()
            self.keep(guest)
        shutil.rmtree(os.path.join(self.out, ".barrier"), ignore_errors=True)

    def keep(self, guest):
        """Put a guest's logs into their final form."""
        lines = splat.from_kmsg(guest.read("kmsg").decode(errors="replace"))
        with open(guest.base + ".dmesg", "w", encoding="utf-8") as file:
            file.write("".join(line + "\n" for line in lines))
        for kind in ("kmsg", "qemu"):
            path = "%s.%s" % (guest.base, kind)
            if os.path.exists(path) and (kind == "kmsg" or
                                         not os.path.getsize(path)):
                os.unlink(path)
        if guest.status is None:
            with open(guest.base + ".status", "w", encoding="ascii") as file:
                file.write("%s\n" % (guest.verdict or "interrupted"))


def splats(guest):
    """Return the excerpts of a guest's logs that fail the run."""
    found = []
    seen = set()
    for kind in ("dmesg", "console"):
        lines = guest.read(kind).decode(errors="replace").splitlines()
        end = -1
        for number, line in splat.find(lines):
            bare = splat.bare(line)
            if bare in seen:
                continue
            seen.add(bare)
            if number > end:
                found.append(("%s.%s" % (guest.base, kind), number + 1,
                              splat.excerpt(lines, number)))
                end = number + splat.CONTEXT
    return found


def judge(session):
    """Print what went wrong; return the exit status of the run."""
    red = False
    for guest in session.guests:
        found = splats(guest)
        if guest.verdict:
            step("guest %d: %s" % (guest.number, guest.verdict))
            tail = guest.read("console").decode(errors="replace").splitlines()
            for line in tail[-12:]:
                sys.stderr.write("    %s\n" % line.rstrip())
        elif guest.status:
            step("guest %d: script ended with status %d"
                 % (guest.number, guest.status))
        for name, number, lines in found[:4]:
            step("guest %d: splat in the kernel log, %s:%d"
                 % (guest.number, name, number))
            for line in lines:
                sys.stderr.write("    %s\n" % line.rstrip())
        if len(found) > 4:
            step("guest %d: %d more splats" % (guest.number, len(found) - 4))
        if guest.verdict or guest.status or found:
            red = True
    step("%s, output in %s" % ("FAILED" if red else "passed", session.out))
    return 1 if red else 0
