#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the rules about time say of recordings from a machine that was busy with other work,
beside the same program on a quiet one.

usage: check_busy_rules.py PROF-ANALYZE

The numbers are those of programs in tests/programs/defects beside four endless loops.
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from make_db import MS, create, insert

HOOK_NS = 20


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def bucket(ns):
    """Of a histogram, with one tick for a nanosecond."""
    exponent = ns.bit_length() - 1
    return ns if ns < 8 else (exponent - 2) * 8 + (ns >> exponent - 3 & 7)


def durations(*groups):
    """So many calls of so many ns."""
    out, last = b"", 0
    for ns, count in groups:
        out += varint(bucket(ns) - last) + varint(count)
        last = bucket(ns)
    return dict(calls=sum(count for _, count in groups), histogram=out,
                self_ns=sum(ns * count for ns, count in groups), p50_ns=groups[0][0],
                max_ns=groups[-1][0])


def make(template, path, wall, cpu, waited, work, threads=1):
    """main() calls work() for as long as it lives. cpu, waited: what the process computed,
    and waited for a CPU, in its last sample. work: calls, self_ns, allocs, or
    of durations()."""
    shutil.copyfile(template, path)
    calls, self_ns = work["calls"], work["self_ns"]
    hooks_ns = calls * HOOK_NS
    with contextlib.closing(sqlite3.connect(path)) as db:
        insert(db, "run", run_id=1, token="t", started_utc="2026-01-01T00:00:00.000Z",
               wall_ns=wall, complete=1, level="exact", ticks_per_second=1000 * MS,
               inner_cost_ns=HOOK_NS / 2,
               outer_cost_ns=HOOK_NS / 2, peak_bytes=1 << 20,
               alloc_count=work.get("allocs", 0), alloc_bytes=0, free_count=0,
               live_bytes_at_exit=0, peak_process_id=1)
        insert(db, "process", process_id=1, run_id=1, pid=10, started_ns=0, wall_ns=wall,
               complete=1)
        insert(db, "lane", lane_id=1, run_id=1, process_id=1)
        for number in range(1, threads + 1):
            insert(db, "thread", thread_id=number, run_id=1, process_id=1,
                   lane_id=1, tid=9 + number, name="t",
                   started_ns=0, wall_ns=wall)
        for number, name, numbers in (
                (1, "main", dict(calls=work.get("caller_calls", 1),
                                 self_ns=wall - self_ns - hooks_ns,
                                 total_ns=wall - hooks_ns,
                                 raw_self_ns=wall - self_ns - hooks_ns,
                                 raw_total_ns=wall, alloc_count=0)),
                (2, "work", dict(calls=calls, self_ns=self_ns, total_ns=self_ns,
                                 raw_self_ns=self_ns + hooks_ns,
                                 raw_total_ns=self_ns + hooks_ns,
                                 alloc_count=work.get("allocs", 0)))):
            numbers["alloc_bytes"] = 0
            single = {key: work[key] for key in ("histogram", "p50_ns", "max_ns")
                      if number == 2 and key in work}
            insert(db, "function", function_id=number, run_id=1, name=name,
                   file="/src/main.c", line=number, recording="exact",
                   **single, **numbers)
            insert(db, "path", path_id=number, run_id=1, depth=number, function_id=number,
                   parent_path_id=number - 1 or None, kind=0, live_bytes=0, at_peak_bytes=0,
                   **numbers)
        insert(db, "resource", run_id=1, process_id=1, time_ns=wall,
               cpu_percent=100 * cpu / wall, rss_bytes=1 << 20, minor_faults=0,
               major_faults=0, thread_count=threads, cpu_wait_ns=waited)
        db.commit()


IDLE = dict(calls=200, self_ns=1)
WAITS = dict(calls=120, self_ns=6400 * MS)
ALLOCATES = dict(calls=640_000, self_ns=47 * MS, allocs=2_560_000)
TINY = dict(calls=5_000_000, self_ns=60 * MS)

# name, rule, severity or None, what make() gets, evidence
CASES = [
    ("idle for a third, else without a CPU", "R1", "high",
     dict(wall=1840 * MS, cpu=72 * MS, waited=1147 * MS, work=IDLE),
     {"CPU, while none was waited for": (10.3, 10.5)}),
    ("idle", "R1", "critical", dict(wall=700 * MS, cpu=72 * MS, waited=0, work=IDLE), {}),
    ("computes, else without a CPU", "R1", None,
     dict(wall=1040 * MS, cpu=87 * MS, waited=927 * MS, work=IDLE), {}),
    ("waits for a thread without a CPU", "T0", None,
     dict(wall=6540 * MS, cpu=790 * MS, waited=5405 * MS, threads=3,
          work=WAITS), {}),
    ("the same calls, long by themselves", "T0", "high",
     dict(wall=6540 * MS, cpu=19_000 * MS, waited=0, threads=3,
          work=dict(calls=12, self_ns=6400 * MS)), {}),
    ("the same calls, which may wait for other threads", "T0", "low",
     dict(wall=6540 * MS, cpu=790 * MS, waited=0, threads=3,
          work=dict(calls=12, self_ns=6400 * MS)), {}),
    ("calls of 60 ms that waited", "T0", "low",
     dict(wall=1300 * MS, cpu=640 * MS, waited=600 * MS,
          work=dict(calls=10, self_ns=1200 * MS)),
     {"mean per call, less waits for a CPU": (64e6, 65e6), "with waits for a CPU": 120e6}),
    # 75 ms, of which recording took 28
    ("own time in malloc", "T1", "medium",
     dict(wall=100 * MS, cpu=100 * MS, waited=0, work=ALLOCATES), {}),
    # the median of two calls is the longer one
    ("one of two calls waited", "T1", None,
     dict(wall=1040 * MS, cpu=100 * MS, waited=930 * MS,
          work=durations((100_000, 1), (94_700_000, 1)) | {"p50_ns": 94_700_000}), {}),
    ("both of two calls waited", "T1", "low",
     dict(wall=1040 * MS, cpu=100 * MS, waited=930 * MS,
          work=durations((47_300_000, 2))), {}),
    # 9 ms at 1.8 ns a call; 160 ms, and with the waits 620, of which 100 are the hooks'
    ("tiny calls", "T2", "medium", dict(wall=260 * MS, cpu=260 * MS, waited=0, work=TINY),
     {"share of the run": (5, 6)}),
    ("tiny calls on a busy machine", "T2", "medium",
     dict(wall=720 * MS, cpu=260 * MS, waited=460 * MS, work=TINY),
     {"share of the run": (5, 6)}),
    ("tiny calls that waited", "T3", None,
     dict(wall=1500 * MS, cpu=300 * MS, waited=1180 * MS,
          work=TINY | dict(self_ns=650 * MS, caller_calls=1000)), {}),
    # six waits of 4 ms: with 40 functions that chance is one's
    ("calls that waited", "T8", None,
     dict(wall=500 * MS, cpu=300 * MS, waited=200 * MS,
          work=durations((70_000, 94), (4_000_000, 6))), {}),
    ("calls of two kinds, which waited", "T8", "high",
     dict(wall=500 * MS, cpu=300 * MS, waited=200 * MS,
          work=durations((14_000, 1280), (1_000_000, 320))), {}),
]


def judge(document, rule, wanted, evidence):
    found = [one for one in document["findings"]
             if one["id"] == rule and (rule == "R1" or one["function"] == "work")]
    if [one["severity"] for one in found] != [wanted] * (wanted is not None):
        return [f"{rule} {[(one['severity'], one['score']) for one in found]}, not {wanted}"]
    measured = {one["name"]: one["value"] for finding in found for one in finding["evidence"]}
    wrong = []
    for key, value in evidence.items():
        least, most = value if isinstance(value, tuple) else (value, value)
        if not least <= measured.get(key, -1) <= most:
            wrong.append(f"{key} is {measured.get(key)}, not {value}")
    return wrong


def main():
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-busy-") as directory:
        database = os.path.join(directory, "run.db")
        template = os.path.join(directory, "empty.db")
        create(template).close()
        for name, rule, wanted, what, evidence in CASES:
            make(template, database, **what)
            result = subprocess.run([sys.argv[1], "bottlenecks", database, "-f", "json"],
                                    capture_output=True, text=True, check=False, timeout=60)
            if result.returncode:
                problems.append(f"{name}: exit {result.returncode}: {result.stderr}")
                continue
            problems += [f"{name}: {what}" for what in
                         judge(json.loads(result.stdout), rule, wanted, evidence)]
    print("\n".join(problems) or f"{len(CASES)} cases")
    sys.exit(bool(problems))


main()
