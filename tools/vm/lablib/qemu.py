# SPDX-License-Identifier: GPL-2.0
"""One guest: its initramfs, its QEMU command line, its process."""

import ctypes
import os
import shlex
import signal
import subprocess

from lablib import clock, cpio, host

APPLETS = ["sh", "mount", "insmod", "mkdir", "cp", "sleep", "switch_root",
           "echo", "poweroff"]
# mitigations=off and no random delays: guests are for testing, TCG is slow
APPEND = ("console=ttyS0 loglevel=5 panic=-1 oops=panic net.ifnames=0 nokaslr "
          "mitigations=off tsc=reliable no_timer_check random.trust_cpu=on "
          "rdinit=/init")
# erms, fsrm: the kernel would copy by 'rep movsb', a byte at a time in TCG;
# la57: a fifth level of page tables to walk
TCG_CPU = "max,erms=off,fsrm=off,la57=off"
PR_SET_PDEATHSIG = 1
MAC = "52:54:00:12:34:%02x"


def initramfs(target, busybox, image, env, files):
    """Write a guest's initramfs; files: (path in the guest, source)."""
    guest = os.path.join(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__))), "guest")
    out = cpio.Archive()
    for folder in ("dev", "proc", "sys", "lab/mod", "lab/script"):
        out.folder(folder)
    out.device("dev/console", 0o600, 5, 1)
    out.device("dev/null", 0o666, 1, 3)
    out.device("dev/kmsg", 0o644, 1, 11)
    out.file("bin/busybox", busybox)
    for applet in APPLETS:
        out.link("bin/" + applet, "busybox")
    boot = os.path.join(image, "boot")
    for name in sorted(os.listdir(boot)):
        out.file("boot/" + name, os.path.join(boot, name))
    for name in sorted(os.listdir(guest)):
        out.file("init" if name == "init" else "lab/bin/" + name,
                 os.path.join(guest, name))
    text = "".join("export %s=%s\n" % (key, shlex.quote(str(value)))
                   for key, value in env.items())
    out.data("lab/env", text.encode(), 0o644)
    for name, source in files:
        out.file(name, source)
    out.write(target)


def _network(number, guests, sockets):
    """Return the options of eth0's backend: one segment for all guests."""
    path = os.path.join(sockets, "net%d")
    stream = "stream,id=%s,server=%s,addr.type=unix,addr.path=%s"
    if guests == 1:
        # Nobody ever connects: what is sent is dropped, as on a quiet
        # segment. A hub without other ports would not take it at all.
        return ["-netdev", stream % ("eth0", "on", path % 0)]
    if guests == 2:
        return ["-netdev", stream % ("eth0", "on" if number == 1 else "off",
                                     path % 2)]
    if number != 1:
        return ["-netdev", stream % ("eth0", "off", path % number)]
    argv = ["-netdev", "hubport,id=eth0,hubid=0"]
    for other in range(2, guests + 1):
        argv += ["-netdev", stream % ("to%d" % other, "on", path % other),
                 "-netdev", "hubport,id=hub%d,hubid=0,netdev=to%d"
                 % (other, other)]
    return argv


def command(opt, number, guests, image, root, initrd, out, sockets):
    """Return the argv of one guest."""
    base = os.path.join(out, "guest%d" % number)
    argv = [host.QEMU, "-name", "tuff%d" % number, "-nodefaults",
            "-no-user-config", "-display", "none", "-no-reboot",
            "-machine", "q35,vmport=off,hpet=off,smbus=off",
            "-m", "%dM" % opt.memory, "-smp", str(opt.vcpus)]
    line = " ".join([APPEND] + opt.append)
    if host.kvm() and not opt.icount:
        argv += ["-accel", "kvm", "-cpu", "host"]
    elif opt.icount:
        argv += ["-accel", "tcg,thread=single", "-cpu", TCG_CPU,
                 "-icount", "shift=0", "-rtc", "clock=vm"]
    else:
        argv += ["-accel", "tcg,thread=multi", "-cpu", TCG_CPU]
        khz = clock.tsc_khz()
        line += " tsc_early_khz=%d" % khz if khz else ""
    argv += ["-kernel", os.path.join(image, "vmlinux"), "-initrd", initrd,
             "-append", line]
    for name, file in (("root", root),
                       ("mod", os.path.join(image, "modules.erofs"))):
        argv += ["-drive", "if=none,format=raw,readonly=on,id=%s,file=%s"
                 % (name, file.replace(",", ",,")),
                 "-device", "virtio-blk-pci,drive=" + name]
    argv += ["-chardev", "file,id=console,path=" + base + ".console",
             "-serial", "chardev:console", "-device", "virtio-serial-pci"]
    if opt.shell:
        argv += ["-chardev", "socket,id=shell,server=on,wait=off,path=" +
                 os.path.join(sockets, "shell%d" % number),
                 "-device", "virtconsole,chardev=shell"]
    for port in ("kmsg", "out", "status"):
        argv += ["-chardev", "file,id=%s,path=%s.%s" % (port, base, port),
                 "-device", "virtserialport,chardev=%s,name=lab.%s"
                 % (port, port)]
    argv += _network(number, guests, sockets)
    argv += ["-device", "virtio-net-pci,netdev=eth0,host_mtu=%d,mac=%s"
             % (opt.mtu, MAC % number)]
    argv += _folder("out", out, False)
    for tag, folder in enumerate(opt.share):
        argv += _folder("share%d" % tag, os.path.abspath(folder), True)
    return argv


def _folder(tag, path, read_only):
    return ["-fsdev", "local,id=%s,security_model=none,multidevs=remap,path=%s"
            "%s" % (tag, path.replace(",", ",,"),
                    ",readonly=on" if read_only else ""),
            "-device", "virtio-9p-pci,fsdev=%s,mount_tag=%s" % (tag, tag)]


def _die_with_parent():
    """Run in the child: no guest outlives its lab."""
    os.setpgid(0, 0)
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def start(argv, log):
    with open(log, "w", encoding="utf-8") as out:
        return subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=out,
                                stderr=subprocess.STDOUT,
                                preexec_fn=_die_with_parent)
