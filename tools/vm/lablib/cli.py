# SPDX-License-Identifier: GPL-2.0
"""The command line: arguments in, calls of the other modules out."""

import argparse
import sys

from lablib import kernels
from lablib.say import LabError, UsageError


class Parser(argparse.ArgumentParser):
    """A parser whose errors are two lines that say what to do."""

    def error(self, message):
        sys.stderr.write("lab: %s\nlab: try '%s --help'\n"
                         % (message, self.prog))
        raise SystemExit(2)


def _kernel(parser, **kw):
    parser.add_argument("kernel", metavar="KERNEL", choices=kernels.NAMES,
                        help=", ".join(kernels.NAMES), **kw)


def parser():
    top = Parser(prog="lab", description="Kernels, headers and guests for "
                 "building and testing the module.")
    sub = top.add_subparsers(dest="command", metavar="COMMAND",
                             parser_class=Parser)

    one = sub.add_parser("kdir", help="print a kernel's build tree")
    _kernel(one)

    one = sub.add_parser("kmake", help="build the module for a kernel")
    _kernel(one)
    one.add_argument("--build", metavar="DIR",
                     help="where to build (default: build/KERNEL)")
    one.add_argument("args", nargs=argparse.REMAINDER, metavar="MAKE-ARG",
                     help="passed to kbuild: W=1, C=2, CF=..., targets")
    return top


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


def main(argv):
    top = parser()
    opt = top.parse_args(argv)
    if not opt.command:
        top.print_help()
        return 2
    try:
        return globals()["do_" + opt.command.replace("-", "_")](opt)
    except LabError as err:
        sys.stderr.write("lab: %s\n" % err)
        return err.status
    except KeyboardInterrupt:
        sys.stderr.write("lab: interrupted\n")
        return 130
