#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Print the ratios; exit status 1 when a line is missing or tuff is slower.

usage: table.py RESULTS
       table.py --expected FILE RESULTS

Each line of the results: topology, link type, key, number.  With --expected:
TAP; a ratio fails that is 15 % below what the file says of it.
"""

import sys

# key: title, unit, how many of it are good
ROWS = {
    "write_bw_64K": ("WRITE bandwidth, 64 KiB", "MiB/s", "more"),
    "send_bw_64K": ("SEND bandwidth, 64 KiB", "MiB/s", "more"),
    "read_bw_64K": ("READ bandwidth, 64 KiB", "MiB/s", "more"),
    "send_lat_8": ("SEND latency, 8 bytes", "us", "less"),
    "read_lat_8": ("READ latency, 8 bytes", "us", "less"),
    "write_rate_64": ("WRITE rate, 64 bytes", "M/s", "more"),
    "send_rate_64": ("SEND rate, 64 bytes", "M/s", "more"),
    "send_rate_64_events": ("SEND rate, 64 bytes, events", "M/s", "more"),
    "ud_rate_1K": ("UD SEND rate, 1 KiB", "M/s", "more"),
    "ud_rate_64_events": ("UD SEND rate, 64 bytes, events", "M/s", "more"),
    "ud_lat_8": ("UD SEND latency, 8 bytes", "us", "less"),
    "pingpong_4K": ("ibv_rc_pingpong, 4 KiB, events", "us", "less"),
    "write_bw_64K_1024": ("WRITE, 64 KiB, path MTU 1024", "MiB/s", "more"),
    "send_bw_64K_1024": ("SEND, 64 KiB, path MTU 1024", "MiB/s", "more"),
    "read_bw_64K_1024": ("READ, 64 KiB, path MTU 1024", "MiB/s", "more"),
    "read_lat_8_polled": ("READ latency, 8 bytes, polled", "us", "less"),
    "atomic_lat_8_polled": ("ATOMIC latency, polled", "us", "less"),
    "loss_none": ("WRITE, 64 KiB, nothing lost", "MiB/s", "more"),
    "loss_0.1": ("loss 0.1 %", "MiB/s", "more"),
    "loss_1": ("loss 1 %", "MiB/s", "more"),
    "loss_5": ("loss 5 %", "MiB/s", "more"),
    "delay_1ms": ("delay 1 ms", "MiB/s", "more"),
    "reorder_25": ("delay 1 ms, reordering 25 %", "MiB/s", "more"),
    "pairs_1": ("WRITE, 64 KiB, one pair of processes", "MiB/s", "more"),
    "pairs_2": ("two pairs, two CPUs", "MiB/s", "more"),
    "queue_pairs_2": ("2 queue pairs in one process", "MiB/s", "more"),
    "queue_pairs_64": ("64 queue pairs in one process", "MiB/s", "more"),
    "queue_pairs_1024": ("1024 queue pairs in one process", "MiB/s", "more"),
    "idle_wakeups": ("500 idle queue pairs, 10 s", "wake-ups", "less"),
    "grow_none": ("WRITE rate, 64 bytes, alone", "M/s", "more"),
    "grow_qps_100": ("beside 100 queue pairs", "M/s", "more"),
    "grow_qps_10000": ("beside 10 000 queue pairs", "M/s", "more"),
    "grow_mrs_10": ("beside 10 memory regions", "M/s", "more"),
    "grow_mrs_100000": ("beside 100 000 memory regions", "M/s", "more"),
    "qperf_send_lat_1": ("qperf rc_lat, 1 byte", "us", "less"),
    "qperf_write_lat_1": ("qperf rc_rdma_write_lat, 1 byte", "us", "less"),
    "qperf_read_lat_1": ("qperf rc_rdma_read_lat, 1 byte", "us", "less"),
    "qperf_send_bw_64K": ("qperf rc_bw, 64 KiB", "MiB/s", "more"),
    "qperf_write_bw_64K": ("qperf rc_rdma_write_bw, 64 KiB", "MiB/s", "more"),
    "memory_per_qp": ("kernel memory of an idle RC QP", "bytes", "less"),
}
TOPOLOGIES = {
    "alone": "a device that talks to itself",
    "growth": "a device that talks to itself, beside what does not matter",
    "wire4500": "two namespaces joined by veth, MTU 4500 (path MTU 4096)",
    "wire1500": "two namespaces joined by veth, MTU 1500 (path MTU 1024)",
    "cores": "a device that talks to itself, two CPUs, wall time",
    "two": "two guests on one segment, wall time",
    "loss": "two namespaces joined by veth, MTU 4500, packets one by one",
}
MEMORY_LIMIT = 8192
SLACK = 0.85
# What a line must have of another one
BASES = {
    "grow_qps_100": ("grow_none", 0.9),
    "grow_qps_10000": ("grow_none", 0.9),
    "grow_mrs_10": ("grow_none", 0.9),
    "grow_mrs_100000": ("grow_none", 0.9),
    "pairs_2": ("pairs_1", 1.5),
    "queue_pairs_64": ("queue_pairs_2", 0.9),
    "queue_pairs_1024": ("queue_pairs_2", 0.9),
}


def read(path):
    found = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            topology, kind, key, number = line.split()
            found[topology, kind, key] = None if number == "failed" else \
                float(number)
    return found


def ratio(more, rxe, tuff):
    """Above 1 tuff is better."""
    if not rxe or not tuff:
        return None
    return tuff / rxe if more else rxe / tuff


def tcp_of(found, topology, key):
    """What TCP over the same veth has to say about a line, or None."""
    for kind in ("bw", "lat"):
        if "_%s_" % kind in key:
            return found.get((topology, "tcp", kind))
    return None


def good_enough(found, topology, key, times):
    tuff = found.get((topology, "tuff", key))
    if tuff is None:
        return False
    if key == "memory_per_qp":
        return 0 < tuff <= MEMORY_LIMIT
    if key == "idle_wakeups":
        return tuff == 0
    if key in BASES:
        base, least = BASES[key]
        base = found.get((topology, "tuff", base))
        return base is not None and tuff >= least * base
    return times is None or times >= 1


def cell(value):
    return "-" if value is None else "%.2f" % value


def number(value):
    if value is None:
        return "failed"
    return "%.4g" % value if value < 10000 else "%.0f" % value


def main(path):
    found, bad = read(path), 0
    for topology, title in TOPOLOGIES.items():
        rows = [key for key in ROWS if (topology, "tuff", key) in found or
                (topology, "rxe", key) in found]
        if not rows:
            continue
        print("\n%s" % title)
        print("%-34s %10s %10s %7s %10s %7s" % (
            "", "rdma_rxe", "tuff", "ratio", "TCP", "ratio"))
        for key in rows:
            name, unit, good = ROWS[key]
            rxe = found.get((topology, "rxe", key))
            tuff = found.get((topology, "tuff", key))
            times = ratio(good == "more", rxe, tuff)
            tcp = tcp_of(found, topology, key)
            measured = (topology, "rxe", key) in found
            print("%-34s %10s %10s %7s %10s %7s" % (
                "%s (%s)" % (name, unit),
                number(rxe) if measured else "-", number(tuff), cell(times),
                number(tcp) if tcp else "-",
                cell(ratio(good == "more", tcp, tuff))))
            bad += not good_enough(found, topology, key, times)
    print("\nratio: above 1 tuff is better; %s" % (
        "%d lines are not" % bad if bad else "all lines are"))
    return 1 if bad or not found else 0


def against(found, topology, rival, key):
    """The ratio of a line to rdma_rxe or to TCP, or None."""
    more = ROWS[key][2] == "more"
    tuff = found.get((topology, "tuff", key))
    if rival == "tcp":
        return ratio(more, tcp_of(found, topology, key), tuff)
    return ratio(more, found.get((topology, rival, key)), tuff)


def smoke(expected, path):
    """Each line of the file: topology, rival, key, ratio."""
    found, bad = read(path), 0
    with open(expected, encoding="ascii") as file:
        wanted = [line.split() for line in file if line[0] not in "#\n"]
    print("TAP version 13\n1..%d" % len(wanted))
    for number_of, (topology, rival, key, want) in enumerate(wanted, 1):
        got = against(found, topology, rival, key)
        good = got is not None and got >= SLACK * float(want)
        bad += not good
        print("%s %d %s, %s: %s times %s, recorded: %s" % (
            "ok" if good else "not ok", number_of, ROWS[key][0], topology,
            cell(got), rival, want))
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1] == "--expected":
        sys.exit(smoke(*sys.argv[2:]))
    sys.exit(main(sys.argv[1]))
