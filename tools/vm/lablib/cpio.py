# SPDX-License-Identifier: GPL-2.0
"""Write an initramfs (cpio, newc) without help from other programs."""

import os
import stat


class Archive:
    """Collects files, then packs them."""

    def __init__(self):
        self.parts = []
        self.number = 1
        self.folders = set()

    def _entry(self, name, mode, data=b"", device=(0, 0)):
        encoded = name.encode() + b"\0"
        head = "070701" + "".join("%08X" % value for value in (
            self.number, mode, 0, 0, 1, 0, len(data), 0, 0,
            device[0], device[1], len(encoded), 0))
        self.number += 1
        block = head.encode() + encoded
        block += b"\0" * (-len(block) % 4)
        self.parts.append(block + data + b"\0" * (-len(data) % 4))

    def folder(self, name):
        name = name.strip("/")
        if not name or name in self.folders:
            return
        self.folder(os.path.dirname(name))
        self.folders.add(name)
        self._entry(name, stat.S_IFDIR | 0o755)

    def data(self, name, data, mode=0o755):
        self.folder(os.path.dirname(name))
        self._entry(name.strip("/"), stat.S_IFREG | mode, data)

    def file(self, name, source, mode=0o755):
        with open(source, "rb") as file:
            self.data(name, file.read(), mode)

    def link(self, name, target):
        self.folder(os.path.dirname(name))
        self._entry(name.strip("/"), stat.S_IFLNK | 0o777, target.encode())

    def device(self, name, mode, major, minor):
        self.folder(os.path.dirname(name))
        self._entry(name.strip("/"), stat.S_IFCHR | mode, b"", (major, minor))

    def write(self, name):
        with open(name, "wb") as file:
            for part in self.parts:
                file.write(part)
            tail = Archive()
            tail._entry("TRAILER!!!", 0)
            file.write(tail.parts[0])
