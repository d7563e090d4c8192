#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Run rdma-core's Python tests on a device, as TAP.

usage: pyverbs_tap.py DEV GID-INDEX [PATTERN]

A test that skips is one of a verb that the device leaves out: it is told in a
comment and is no test point, but so many must have run at least.
"""

import os
import sys
import unittest

TESTS = "/usr/share/doc/rdma-core"
LEAST = int(os.environ.get("TUFF_PYVERBS_LEAST", "60"))
# Another maker's verbs. And two modules after whose skipped tests pyverbs
# itself ends the interpreter with a segmentation fault, on any device.
OTHERS = ("test_mlx5", "test_efa", "test_cuda", "test_flow",
          "test_parent_domain")
# librxe offers it whatever the kernel's device can, so that the test does not
# find out that it must skip.
LEFT_OUT = {"test_qpex.QpExTestCase.test_qp_ex_rc_atomic_write":
            "ATOMIC_WRITE is not supported"}


class Tap(unittest.TestResult):
    """Print each verdict as it comes."""

    def __init__(self):
        super().__init__()
        self.number = self.bad = self.ran = 0
        self.skips = {}

    def point(self, test, good, text=""):
        self.number += 1
        self.bad += not good
        for line in text.strip().splitlines()[-25:]:
            print("#   " + line)
        print("%s %d %s" % ("ok" if good else "not ok", self.number,
                            test.id().replace("tests.", "", 1)), flush=True)

    def startTest(self, test):
        super().startTest(test)
        self.broken = False

    def keep(self, suite):
        """Take the tests out that do not skip by themselves."""
        kept = unittest.TestSuite()
        for test in suite:
            if isinstance(test, unittest.TestSuite):
                kept.addTest(self.keep(test))
                continue
            reason = LEFT_OUT.get(test.id().replace("tests.", "", 1))
            if reason:
                self.addSkip(test, reason)
            else:
                kept.addTest(test)
        return kept

    def addSuccess(self, test):
        self.ran += 1
        if not self.broken:
            self.point(test, True)

    def addFailure(self, test, err):
        self.ran += 1
        self.point(test, False, self._exc_info_to_string(err, test))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            self.broken = True
            self.point(test, False, self._exc_info_to_string(err, test))

    def addSkip(self, test, reason):
        self.skips.setdefault(reason, []).append(test.id())


def modules():
    for name in sorted(os.listdir(TESTS + "/tests")):
        if name.startswith("test_") and name.endswith(".py") and \
                not name.startswith(OTHERS):
            yield "tests." + name[:-3]


def main():
    dev, gid = sys.argv[1:3]
    pattern = sys.argv[3] if len(sys.argv) > 3 else None
    sys.path[:0] = [TESTS + "/tests", TESTS]
    sys.argv[1:] = ["--dev", dev, "--gid", gid]
    from args_parser import parser
    parser.parse_args()
    loader = unittest.TestLoader()
    if pattern:
        loader.testNamePatterns = ["*%s*" % pattern]
    result = Tap()
    print("TAP version 13", flush=True)
    result.keep(loader.loadTestsFromNames(modules())).run(result)
    for reason, tests in sorted(result.skips.items()):
        print("# left out, %d tests: %s" % (len(tests), reason))
        for test in tests:
            print("#   " + test.replace("tests.", "", 1))
    if not pattern:
        result.number += 1
        enough = result.ran >= LEAST
        result.bad += not enough
        print("%s %d %d tests ran, at least %d must" % (
            "ok" if enough else "not ok", result.number, result.ran, LEAST))
    print("1..%d" % result.number, flush=True)
    # pyverbs' objects do not all survive the end of the interpreter.
    os._exit(1 if result.bad else 0)


if __name__ == "__main__":
    main()
