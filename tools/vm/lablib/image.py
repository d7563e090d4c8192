# SPDX-License-Identifier: GPL-2.0
"""A kernel as the guests boot it: vmlinux, and its modules in an image."""

import glob
import lzma
import os
import shutil

from lablib import apt, cache, host, kernels
from lablib.say import LabError, run, step

# What a guest needs to reach its root and its host, in any order; built-in
# and unknown ones are passed over.
BOOT = ["virtio_pci", "virtio_blk", "crc32c-generic", "crc32c_generic",
        "crc32c-intel", "crc32c_intel", "libcrc32c", "erofs", "overlay",
        "virtio_console", "9pnet_virtio", "9p", "virtio_net"]
# Module folders that no guest of the lab can use.
USELESS = ["drivers/gpu", "sound", "drivers/media", "drivers/net/wireless",
           "drivers/usb", "drivers/iio", "drivers/hid", "drivers/input",
           "drivers/staging", "drivers/hwmon", "drivers/mtd", "drivers/i2c",
           "drivers/platform", "drivers/leds", "drivers/bluetooth",
           "drivers/thunderbolt", "drivers/comedi", "drivers/ata",
           "drivers/firewire", "drivers/infiniband/hw", "drivers/isdn",
           "drivers/edac", "drivers/pinctrl", "drivers/power",
           "drivers/regulator", "drivers/mfd", "drivers/video",
           "drivers/accel", "drivers/soundwire", "drivers/crypto/intel",
           "drivers/scsi/qla2xxx", "drivers/scsi/lpfc", "drivers/mmc",
           "drivers/net/ethernet", "drivers/net/can", "drivers/net/usb",
           "drivers/gpio", "drivers/watchdog", "drivers/tty/serial/jsm",
           "net/mac80211", "net/wireless", "net/bluetooth", "net/nfc"]

MAGICS = [(b"\xfd7zXZ\x00", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"),
          (b"\x1f\x8b\x08", "gzip")]


def extract_vmlinux(bzimage, target):
    """Unpack the ELF image from a bzImage: unpacking in the guest is slow."""
    with open(bzimage, "rb") as file:
        data = file.read()
    for magic, kind in MAGICS:
        start = data.find(magic)
        while start >= 0:
            text = _inflate(kind, data[start:])
            if text and text.startswith(b"\x7fELF"):
                with open(target, "wb") as file:
                    file.write(text)
                return
            start = data.find(magic, start + 1)
    raise LabError("cannot find the kernel inside %s: its compression is new "
                   "to tools/vm/lablib/image.py" % bzimage)


def _inflate(kind, data):
    if kind == "xz":
        try:
            return lzma.LZMADecompressor().decompress(data)
        except lzma.LZMAError:
            return None
    import subprocess
    done = subprocess.run([kind, "-dcq"], input=data, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    return done.stdout


def boot_modules(tree, release):
    """Return the paths of BOOT's modules, each after what it needs."""
    base = os.path.join(tree, "lib/modules", release)
    needs = {}
    with open(os.path.join(base, "modules.dep"), encoding="ascii") as file:
        for line in file:
            module, _, rest = line.partition(":")
            needs[module] = rest.split()
    by_name = {os.path.basename(m)[:-len(".ko")]: m for m in needs}
    order = []

    def add(module):
        for other in needs[module]:
            add(other)
        if module not in order:
            order.append(module)

    for name in BOOT:
        if name in by_name:
            add(by_name[name])
    return [os.path.join(base, module) for module in order]


def pack_modules(tree, release, folder):
    """Make modules.erofs and boot/ of an installed module tree."""
    host.need("mkfs.erofs")
    host.need("depmod")
    depmod = host.which("depmod")
    run([depmod, "-b", tree, release])
    boot = os.path.join(folder, "boot")
    os.makedirs(boot)
    for number, module in enumerate(boot_modules(tree, release)):
        shutil.copy(module, os.path.join(
            boot, "%02d-%s" % (number, os.path.basename(module))))
    run(["mkfs.erofs", "-T0", os.path.join(folder, "modules.erofs"),
         os.path.join(tree, "lib/modules", release)])
    with open(os.path.join(folder, "release"), "w", encoding="ascii") as file:
        file.write(release + "\n")


class Image(cache.Piece):
    """A stock kernel of Debian, of the same release as its headers."""

    def __init__(self, kernel):
        self.kernel = kernel
        self.stock = kernels.KERNELS[kernel]
        self.name = "kernels/%s/image" % kernel

    def recipe(self):
        return {"format": 2, "boot": BOOT, "useless": USELESS,
                "headers": kernels.Headers(self.kernel).key()}

    def ensure(self, refresh=False):
        kernels.Headers(self.kernel).ensure(refresh)
        return super().ensure()

    def build(self, folder, versions):
        release = kernels.Headers(self.kernel).release()
        suite = apt.suite(self.stock.suite)
        names = suite.names("linux-(image|modules|binary|base)-.*")
        packages = [n for n in ("linux-%s-%s" % (part, release) for part in
                                ("image", "modules", "binary", "base"))
                    if n in names]
        if not packages:
            raise LabError("kernel %s has left the mirror: run 'lab setup "
                           "--kernel %s' to move to the newest"
                           % (release, self.kernel))
        step("fetching kernel %s (%s)" % (self.kernel, release))
        tree = os.path.join(folder, "tree")
        suite.unpack(packages, tree)
        usr = os.path.join(tree, "usr/lib/modules")
        if os.path.isdir(usr):
            os.makedirs(os.path.join(tree, "lib"), exist_ok=True)
            os.rename(usr, os.path.join(tree, "lib/modules"))
        base = os.path.join(tree, "lib/modules", release)
        for path in USELESS:
            cache.remove(os.path.join(base, "kernel", path))
        step("unpacking it")
        run(["sh", "-c", 'find "$1" -name "*.ko.xz" -print0 | '
             'xargs -0 -r -n 64 -P "$(nproc)" xz -dq; '
             'find "$1" -name "*.ko.zst" -print0 | '
             'xargs -0 -r -n 64 -P "$(nproc)" zstd -dq --rm', "sh", base])
        image = glob.glob(base + "/vmlinuz") + \
            glob.glob(tree + "/boot/vmlinuz-*")
        extract_vmlinux(image[0], os.path.join(folder, "vmlinux"))
        for name in glob.glob(base + "/vmlinuz"):
            os.unlink(name)
        pack_modules(tree, release, folder)
        cache.remove(tree)


def image(kernel):
    """Return the piece that holds a bootable kernel."""
    if kernel == kernels.DEBUG:
        from lablib import debugkernel
        return debugkernel.DebugImage()
    return Image(kernel)


class Busybox(cache.Piece):
    """The one program of the first stage of a guest's start."""

    name = "busybox"

    def recipe(self):
        return {"format": 2}

    def build(self, folder, versions):
        tree = os.path.join(folder, "tree")
        apt.suite("bookworm").unpack(["busybox-static"], tree)
        found = glob.glob(tree + "/bin/busybox") + \
            glob.glob(tree + "/usr/bin/busybox")
        shutil.copy(found[0], os.path.join(folder, "busybox"))
        cache.remove(tree)

    def program(self):
        return os.path.join(self.ensure(), "busybox")
