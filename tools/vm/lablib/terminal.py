# SPDX-License-Identifier: GPL-2.0
"""Join the terminal with the guests' shells.

Ctrl-] then a digit goes to that guest, Ctrl-] then q ends the run.
"""

import contextlib
import os
import select
import socket
import sys
import termios
import time
import tty

ESCAPE = 0x1d


@contextlib.contextmanager
def raw(handle):
    """Put a terminal into raw mode for a while."""
    if not os.isatty(handle):
        yield
        return
    old = termios.tcgetattr(handle)
    tty.setraw(handle)
    try:
        yield
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, old)


def _connect(path, process):
    limit = time.monotonic() + 20
    while True:
        line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            line.connect(path)
            return line
        except OSError:
            line.close()
            if process.poll() is not None or time.monotonic() > limit:
                raise
            time.sleep(0.05)


class Switch:
    """The terminal on one side, a shell of each guest on the other."""

    def __init__(self, guests, sockets):
        self.guests = guests
        self.lines = {g.number: _connect(
            os.path.join(sockets, "shell%d" % g.number), g.process)
            for g in guests}
        self.here = 1
        self.escaped = False
        self.over = False
        self.listen = False      # not before a shell is there to hear
        self.ended = False

    def say(self, text):
        os.write(1, ("\r\n[lab: %s]\r\n" % text).encode())

    def typed(self, data):
        """Take what was typed; act on escapes, pass on the rest."""
        rest = bytearray()
        for byte in data:
            if self.escaped:
                self.escaped = False
                if byte in b"123" and byte - 48 in self.lines:
                    self.send(rest)
                    rest = bytearray()
                    self.here = byte - 48
                    self.say("guest %d" % self.here)
                    continue
                if byte in b"qQ":
                    self.over = True
                    return
                if byte != ESCAPE:
                    continue
            elif byte == ESCAPE:
                self.escaped = True
                continue
            rest.append(byte)
        self.send(rest)

    def send(self, data):
        if data:
            self.lines[self.here].sendall(bytes(data))

    def turn(self):
        """Wait for something and handle it."""
        sources = list(self.lines.values())
        if self.listen:
            sources.append(sys.stdin.fileno())
        ready, _, _ = select.select(sources, [], [], 0.2)
        if sys.stdin.fileno() in ready:
            data = os.read(sys.stdin.fileno(), 4096)
            if data:
                self.typed(data)
            else:
                self.listen = False
                self.ended = True
                self.send(b"\x04")
        for number, line in self.lines.items():
            if line in ready:
                data = line.recv(65536)
                self.listen = self.listen or (bool(data) and not self.ended)
                if number == self.here:
                    os.write(1, data)
        # A guest whose shell has ended, or that is gone, ends the run.
        if any(guest.poll() for guest in self.guests):
            self.over = True

    def run(self):
        with raw(sys.stdin.fileno()):
            while not self.over:
                self.turn()


def attach(guests, sockets):
    switch = Switch(guests, sockets)
    several = " Ctrl-] 1..%d changes the guest," % len(guests) \
        if len(guests) > 1 else ""
    sys.stderr.write("lab: booting;%s Ctrl-] q or the end of a shell ends "
                     "the run\n" % several)
    switch.run()
