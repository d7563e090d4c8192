# SPDX-License-Identifier: GPL-2.0
"""What make check runs, in which order, and what may overlap."""

import collections
import glob
import os

TOP = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
LAB = "tools/vm/lab"
KERNELS = ("6.1", "6.12", "7.3")
DEBUG = "debug"
GUEST_KERNELS = KERNELS + (DEBUG,)
FULL = "6.12"           # the kernel that runs every suite that it can

# What runs on the debug kernel: suites, or single tests of them (suite:test),
# and the variables that fit them into the time there is. To have it run
# another, add a row.
DEBUG_SUITES = (
    ("kunit", {}),
    ("smoke", {}),
    ("hostile:scribble.sh", {}),
    ("hostile:packets.sh", {}),
    ("hostile:calls.sh", {}),
    ("races:races.sh", {}),
    ("races:races_wire.sh", {}),
    ("life", {}),
)

# Warnings are errors; the same for all who build for a kernel of Debian's, so
# that it is built once.
STRICT = {"TUFF_KMAKE": "W=1 KCFLAGS=-Werror"}

# name, argv; tap: stdout is TAP, else the exit status is the verdict; limit:
# seconds; needs: steps without which this one is pointless; after: what it may
# not run beside
Step = collections.namedtuple("Step", "name argv tap limit needs env after",
                              defaults=(True, 600, (), {}, ()))


def suites():
    """Return the names of the guest suites."""
    return sorted(os.path.basename(os.path.dirname(path))[len("tuff_"):]
                  for path in glob.glob(os.path.join(
                      TOP, "selftests/tuff_*/Makefile")))


def host_packages():
    return Step("packages", ["tools/tap/packages.sh"], tap=False, limit=900)


def fetch(kernels):
    """Kernels, headers and root images: the network and one core's work."""
    argv = [LAB, "setup"]
    for kernel in kernels:
        argv += ["--kernel", kernel]
    return Step("fetch", argv, tap=False, limit=1800, needs=("packages",))


def make(name, folder, target, limit):
    return Step(name, ["make", "-s", "-C", folder, target], limit=limit,
                needs=("packages",))


def in_turn(steps):
    """None of these beside another one."""
    return [step._replace(after=step.after + tuple(s.name for s in steps[:i]))
            for i, step in enumerate(steps)]


def host():
    """They share folders below build/, and use all CPUs themselves."""
    return in_turn([
        make("unit", "tools/host", "unit", 300),
        make("vectors", "tools/host", "vectors", 60),
        make("sim", "tools/sim", "check", 900),
        make("fuzz", "tools/fuzz", "check", 600),
        Step("coverage", ["tools/host/coverage.py"], limit=300,
             needs=("packages",))])


def builds():
    made = [Step("build " + kernel, [LAB, "kmake", kernel], tap=False,
                 limit=900, needs=("packages", "fetch"), env=STRICT)
            for kernel in KERNELS]
    # an interface that came or went with an update of a kernel
    probed = [Step("probe " + kernel,
                   ["diff", "-u", "tools/compat/expected/" + kernel,
                    "build/%s/include/compat/tuff_probe.h" % kernel],
                   tap=False, limit=10, needs=("build " + kernel,))
              for kernel in KERNELS]
    return made + probed


def style():
    return [Step("style", ["tools/style/run"], limit=1800,
                 needs=("packages",), env=STRICT)]


def lab():
    return Step("lab", ["tools/vm/selftest.sh"], limit=900,
                needs=("fetch", "build " + FULL), env=STRICT)


def bench():
    """Ratios that must not get worse; by counted instructions."""
    return Step("bench", ["tools/bench/run", "--smoke"], limit=900,
                needs=("fetch", "build " + FULL), env=STRICT)


def debug_kernel():
    """Built when the cache has none, for which it says the minutes."""
    return Step("debug kernel", [LAB, "setup", "--kernel", DEBUG], tap=False,
                limit=5400, needs=("fetch",))


def guest(kernel, names=()):
    """Suites on a kernel; without names all that it is given to run."""
    env = {} if kernel == DEBUG else dict(STRICT)
    needs = ["fetch", "build " + kernel]
    if kernel == DEBUG:
        needs.append("debug kernel")
        for _, variables in DEBUG_SUITES:
            env.update(variables)
        names = names or [name for name, _ in DEBUG_SUITES]
    argv = ["selftests/run", "--kernel", kernel]
    for name in names:
        argv += ["--suite", name]
    return Step("guest " + kernel, argv, limit=3600, needs=tuple(needs),
                env=env)


def smokes():
    """On the kernels that do not run everything."""
    return [guest(k, ["smoke"]) for k in KERNELS if k != FULL]


def phases(opt):
    """Return the phases: how many steps at a time, and the steps.

    What is free takes the first one that does not wait for another.
    """
    if opt.part == "guest":
        kernel = opt.kernel or FULL
        get = debug_kernel() if kernel == DEBUG else fetch([kernel])
        return [(1, [host_packages(), get, guest(kernel, opt.suite)])]
    if opt.part == "host":
        return [(1, [host_packages()]), (2, host() + builds() + style())]
    # One guest at a time, and from early on: they leave a CPU to the others.
    guests = in_turn([lab(), bench()] + smokes())
    return [(1, [host_packages()]),
            (2, [fetch(KERNELS), debug_kernel()] + builds() + guests +
             host() + style()),
            (1, [guest(FULL), guest(DEBUG)])]
