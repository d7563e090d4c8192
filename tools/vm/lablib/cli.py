# SPDX-License-Identifier: GPL-2.0
"""The command line: arguments in, calls of the other modules out."""

import argparse
import os
import re
import signal
import subprocess
import sys

from lablib import cache, kernels, userland
from lablib.say import LabError, UsageError, step


class Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines that say what to do."""

    def error(self, message):
        sys.stderr.write("lab: %s\nlab: try '%s --help'\n"
                         % (message, self.prog))
        raise SystemExit(2)


def _whole(low, high):
    def parse(text):
        if not re.fullmatch(r"\d+", text) or not low <= int(text) <= high:
            raise argparse.ArgumentTypeError(
                "'%s' is not a whole number from %d to %d" % (text, low, high))
        return int(text)
    return parse


def _pair(text):
    name, sep, value = text.partition("=")
    if not sep or not re.fullmatch(r"[A-Za-z_]\w*", name):
        raise argparse.ArgumentTypeError("'%s' is not NAME=VALUE" % text)
    return name, value


def _folder(text):
    if not os.path.isdir(text):
        raise argparse.ArgumentTypeError("no folder '%s'" % text)
    return text


def _kernel(one):
    one.add_argument("kernel", metavar="KERNEL", choices=kernels.NAMES,
                     help=", ".join(kernels.NAMES))


def _guest_options(one):
    add = one.add_argument
    add("--kernel", default=kernels.DEFAULT, choices=kernels.NAMES,
        help="kernel of the guests (%s)" % kernels.DEFAULT)
    add("--userland", default=userland.DEFAULT, choices=userland.NAMES,
        help="root image of the guests (%s)" % userland.DEFAULT)
    add("--guests", type=_whole(1, 3), metavar="N",
        help="number of guests, 1 to 3")
    add("--vcpus", type=_whole(1, 8), metavar="N",
        help="vCPUs of each (2 for one guest, 1 for several)")
    add("--memory", type=_whole(256, 65536), metavar="MIB",
        help="memory of each (1536, debug kernel 3072)")
    add("--mtu", type=_whole(1280, 65535), default=4500,
        help="MTU of the segment that joins the guests (4500)")
    add("--icount", action="store_true",
        help="one instruction is one nanosecond: figures repeat")
    add("--append", action="append", default=[], metavar="TEXT",
        help="more kernel parameters")
    add("--env", action="append", default=[], type=_pair,
        metavar="NAME=VALUE", help="a variable for the scripts")
    add("--share", action="append", default=[], type=_folder, metavar="DIR",
        help="a folder, read-only in the guest as /lab/share/NAME")
    add("--ko", action="append", default=[], metavar="FILE",
        help="a module for /lab/mod (default: what kmake built)")
    add("--out", metavar="DIR", help="where results go (fresh in build/runs)")


def parser():
    top = Parser(prog="lab", description="Kernels, headers and guests for "
                 "building and testing the module. See Documentation/lab.rst.")
    sub = top.add_subparsers(dest="command", metavar="COMMAND",
                             parser_class=Parser)

    one = sub.add_parser("setup", help="fetch and build what is missing or "
                         "out of date")
    one.add_argument("--kernel", action="append", default=[],
                     choices=kernels.NAMES, help="this kernel (repeatable; "
                     "default 6.12)")
    one.add_argument("--userland", action="append", default=[],
                     choices=userland.NAMES, help="this root image "
                     "(repeatable; default bookworm)")
    one.add_argument("--all", action="store_true", help="every kernel and "
                     "root image, the debug kernel too")
    one.add_argument("--jobs", type=_whole(1, 256), metavar="N",
                     help="compilers at a time for the debug kernel "
                     "(one for each CPU)")
    one.add_argument("--host-only", action="store_true",
                     help="only the host's own packages")

    _kernel(sub.add_parser("kdir", help="print a kernel's build tree"))

    one = sub.add_parser("kmake", help="build the module for a kernel")
    one.add_argument("--build", metavar="DIR",
                     help="where to build (default: build/KERNEL)")
    _kernel(one)
    one.add_argument("args", nargs=argparse.REMAINDER, metavar="MAKE-ARG",
                     help="passed to kbuild: W=1, C=2, CF=..., targets")

    one = sub.add_parser("src", help="unpack kernel sources, print the path")
    one.add_argument("kernel", choices=["6.12", "7.3"], metavar="KERNEL",
                     help="6.12 or 7.3")
    one.add_argument("--all", action="store_true", help="the whole tree")
    one.add_argument("--only", nargs="+", default=[], metavar="PATH",
                     help="these files and folders")

    sub.add_parser("kselftest", help="unpack the kernel's kselftest kit, "
                   "print the path")

    one = sub.add_parser("run", help="boot guests, run a script in each")
    _guest_options(one)
    one.add_argument("--time", type=_whole(1, 86400), metavar="SECONDS",
                     help="limit, boot and all (300, debug kernel 900)")
    one.add_argument("--no-leak-scan", dest="leaks", action="store_false",
                     default=None, help="debug kernel: no kmemleak scan at "
                     "the end")
    one.add_argument("scripts", nargs="+", metavar="SCRIPT",
                     help="one for all guests, or one for each")

    one = sub.add_parser("shell", help="boot guests, give a shell in each")
    _guest_options(one)

    sub.add_parser("status", help="show what the cache holds")
    sub.add_parser("clean", help="remove the cache")
    return top


def do_setup(opt):
    from lablib import apt, host, image
    names = kernels.NAMES if opt.all else opt.kernel or [kernels.DEFAULT]
    lands = userland.NAMES if opt.all else opt.userland or [userland.DEFAULT]
    if opt.jobs:
        os.environ["TUFF_JOBS"] = str(opt.jobs)
    host.setup()
    if opt.host_only:
        return 0
    for name in names:
        image.image(name).ensure(refresh=True)
        if kernels.in_chroot(name):
            from lablib import buildroot
            buildroot.BuildRoot(kernels.KERNELS[name].suite).ensure(True)
    image.Busybox().ensure()
    for land in lands:
        userland.Userland(land).ensure(refresh=True)
    step("ready: kernels %s, root images %s" % (" ".join(names),
                                                " ".join(lands)))
    return 0


def do_kdir(opt):
    if kernels.in_chroot(opt.kernel):
        raise UsageError("the kbuild tools of %s do not run on this host: use "
                         "'lab kmake %s'" % (opt.kernel, opt.kernel))
    print(kernels.headers(opt.kernel).kdir())
    return 0


def do_kmake(opt):
    from lablib import kmake
    return kmake.kmake(opt.kernel, [a for a in opt.args if a != "--"],
                       opt.build)


def do_src(opt):
    from lablib import source
    if opt.all == bool(opt.only):
        raise UsageError("say either --all or --only PATH...")
    print(source.Tree(opt.kernel, opt.only).tree())
    return 0


def do_kselftest(_opt):
    from lablib import source
    print(source.kselftest())
    return 0


def do_run(opt):
    from lablib import session
    scripts = opt.scripts
    for script in scripts:
        if not os.path.isfile(script):
            raise UsageError("no script '%s'" % script)
    count = opt.guests or len(scripts)
    if count > 3:
        raise UsageError("%d scripts: the lab has 3 guests at most"
                         % len(scripts))
    if len(scripts) == 1:
        scripts = scripts * count
    if len(scripts) != count:
        raise UsageError("%d scripts for %d guests: give one for all or one "
                         "for each" % (len(scripts), count))
    opt.shell = False
    if opt.leaks is None:
        opt.leaks = opt.kernel == kernels.DEBUG
    run = session.Session(opt, scripts)
    step("output in " + run.out)
    run.run()
    return session.judge(run)


def do_shell(opt):
    from lablib import session
    opt.shell, opt.leaks, opt.time = True, False, 86400
    run = session.Session(opt, [None] * (opt.guests or 1))
    run.run()
    step("output in " + run.out)
    return 0


def _size(path):
    done = subprocess.run(["du", "-sh", path], stdout=subprocess.PIPE,
                          text=True, check=False)
    return done.stdout.split("\t")[0]


def do_status(_opt):
    root = cache.root()
    print("%s (%s)" % (root, _size(root)))
    for folder, dirs, files in sorted(os.walk(root)):
        dirs[:] = [d for d in dirs if not d.startswith(".")]
        if "key.json" not in files:
            continue
        dirs[:] = []
        name = os.path.relpath(folder, root)
        piece = cache.Piece()
        piece.name = name
        versions = piece.key()["versions"]
        note = versions.get("release") or next(
            (" ".join(item) for item in sorted(versions.items())), "")
        print("  %-28s %6s  %s" % (name, _size(folder), note))
    return 0


def do_clean(_opt):
    root = cache.root()
    size = _size(root)
    for name in os.listdir(root):
        cache.remove(os.path.join(root, name))
    step("removed %s of %s" % (size, root))
    return 0


def _interrupt(signum, _frame):
    raise KeyboardInterrupt(signum)


def main(argv):
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    top = parser()
    opt = top.parse_args(argv)
    if not opt.command:
        top.print_help(sys.stderr)
        return 2
    try:
        return globals()["do_" + opt.command](opt)
    except LabError as err:
        sys.stderr.write("lab: %s\n" % err)
        return err.status
    except KeyboardInterrupt:
        sys.stderr.write("lab: interrupted\n")
        return 130
