# SPDX-License-Identifier: GPL-2.0
"""How fast the host's time stamp counter runs.

A guest under TCG reads the host's counter, but measures its speed against a
timer that QEMU serves late when the host is busy: it may come out fifty times
too low, and all of the guest's time-outs with it.  So the guest is told.
"""

import ctypes
import mmap
import platform
import time

# rdtsc; shl rdx, 32; or rax, rdx; ret
CODE = bytes.fromhex("0f3148c1e2204809d0c3")
SPAN = 0.05     # seconds; the error is some microseconds of it


def tsc_khz():
    """Measure the counter; None where there is none."""
    if platform.machine() != "x86_64":
        return None
    page = mmap.mmap(-1, mmap.PAGESIZE, prot=mmap.PROT_READ |
                     mmap.PROT_WRITE | mmap.PROT_EXEC)
    page.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    read = ctypes.CFUNCTYPE(ctypes.c_uint64)(address)

    def sample():
        """Read clock and counter together: the closest of some pairs."""
        best = None
        for _ in range(20):
            before, count, after = time.monotonic_ns(), read(), \
                time.monotonic_ns()
            if best is None or after - before < best[0]:
                best = after - before, (before + after) / 2, count
        return best[1:]

    start, first = sample()
    time.sleep(SPAN)
    end, last = sample()
    return round((last - first) * 1e6 / (end - start))
