#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the rules about steps, and the rule about the start when there are steps, find in
made databases: on both sides of each limit, and what they say without steps.

usage: check_step_rules.py PROF-ANALYZE
"""
import contextlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

from make_db import MS, create, insert, split
from make_marks import series

SECOND = 1000 * MS
MIB = 1 << 20


def make(template, path, durations=(), start=10 * MS, live=None, wall=None, ready=None,
         waited=0, peak=100 * MIB):
    """main runs for the whole run and makes steps of these durations from start on.
    live: of the process at the end of each step. ready: what each waited for a CPU; waited:
    what the thread did outside of them; without, it computed all the time."""
    end = start + sum(durations)
    wall = wall or end + 10 * MS
    shutil.copyfile(template, path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute("PRAGMA synchronous = OFF")
        insert(db, "run", run_id=1, token="t", started_utc="2026-01-01T00:00:00.000Z",
               wall_ns=wall, complete=1, level="exact", inner_cost_ns=10, outer_cost_ns=10,
               peak_bytes=peak, alloc_count=1, alloc_bytes=1, free_count=1,
               live_bytes_at_exit=0, peak_process_id=1)
        insert(db, "process", process_id=1, run_id=1, pid=10, started_ns=0, wall_ns=wall,
               complete=1)
        insert(db, "lane", lane_id=1, run_id=1, process_id=1)
        insert(db, "thread", thread_id=1, run_id=1, process_id=1, lane_id=1, tid=10,
               name="main", started_ns=0, wall_ns=wall)
        numbers = dict(calls=1, total_ns=wall, self_ns=wall // 50, raw_total_ns=wall,
                       raw_self_ns=wall // 50, alloc_count=0, alloc_bytes=0)
        insert(db, "function", function_id=1, run_id=1, name="main", file="/src/main.c",
               line=1, recording="exact", **numbers)
        insert(db, "path", path_id=1, run_id=1, depth=1, function_id=1, kind=0,
               live_bytes=0, at_peak_bytes=0, **numbers)
        ready = ready or [0] * len(durations)
        split(db, 1, ready=sum(ready) + waited)
        db.execute("UPDATE path SET ready_ns = ?", [sum(ready) + waited])
        times, now = [], start
        for duration in durations:
            now += duration
            times.append(now)
        for number, process_id in enumerate((1, None) if durations else (), 1):
            series(db, number, process_id, 1, "frame", list(durations), times,
                   live or [1000] * len(durations), ready)
        db.commit()


def even(count, duration=MS):
    """Steps that differ a little, without a trend."""
    return [duration + duration // 100 * (i * 7 % 10) for i in range(count)]


def with_slow(count, slow, factor):
    steps = even(count)
    for i in range(slow):
        steps[(2 * i + 1) * count // (2 * slow)] *= factor
    return steps


def without_cpu(steps, most=1000):
    """What slow steps took beyond 2 ms, of so many of them."""
    slow = [number for number, step in enumerate(steps) if step > 2 * MS][:most]
    return [step - 2 * MS if number in slow else 0 for number, step in enumerate(steps)]


def rising(count, last):
    """From 1 ms to last ms."""
    return [int(MS * (1 + (last - 1) * i / (count - 1))) for i in range(count)]


GROWS = [MIB + 100_000 * i for i in range(400)]
FILLS = [MIB + 100_000 * min(i, 215) for i in range(400)]

# name, rule, outcome, what make() gets, evidence
CASES = [
    ("nothing", None, "passed", dict(durations=even(400)), {}),
    ("no steps", "S1", "not measured", dict(wall=SECOND), {}),
    ("no steps", "S2", "not measured", dict(wall=SECOND), {}),
    ("no steps", "S3", "not measured", dict(wall=SECOND), {}),
    ("late first step", "T13", "found", dict(durations=even(400), start=400 * MS),
     {"start-up": 400e6, "before main()": 0}),
    ("late by half", "T13", "found", dict(durations=even(400), start=400 * MS, waited=200 * MS),
     {"start-up": 200e6, "CPU wait in it, at most": 200e6}),
    ("late by the machine", "T13", "passed",
     dict(durations=even(400), start=400 * MS, waited=260 * MS), {}),
    ("late, then a busy machine", "T13", "found",
     dict(durations=even(400), start=400 * MS, ready=[MS // 2] * 400),
     {"start-up": 400e6, "CPU wait in it, at most": None}),
    ("first step", "T13", "passed", dict(durations=even(400), start=170 * MS), {}),
    # the latest 512 and the extremes do not hold the first one
    ("long loop", "T13", "passed", dict(durations=rising(2000, 1.2), start=100 * MS), {}),
    ("drift", "S1", "found", dict(durations=rising(400, 3)), {"steps": 400}),
    # medians of the first and the last quarter: 1.12 and 1.86 ms
    ("enough drift", "S1", "found", dict(durations=rising(400, 2.0)), {}),
    ("little drift", "S1", "passed", dict(durations=rising(400, 1.6)), {}),
    ("few steps drift", "S1", "passed", dict(durations=rising(31, 3)), {}),
    ("enough steps drift", "S1", "found", dict(durations=rising(32, 3)), {"steps": 32}),
    ("a slow end", "S1", "passed", dict(durations=even(399) + [300 * MS]), {}),
    ("slower by chance", "S1", "passed", dict(durations=(even(8, 2 * MS) + even(8)) * 25), {}),
    ("drift in a long run", "S1", "passed",
     dict(durations=rising(400, 3), wall=20 * SECOND), {}),
    ("little drift, a slow step", "S1", "passed",
     dict(durations=rising(300, 2) + [SECOND] + rising(400, 2)[300:], wall=8 * SECOND), {}),
    ("drift of the machine", "S1", "passed",
     dict(durations=even(200) + even(200, 2 * MS),
          ready=[0] * 200 + [MS] * 200), {}),
    ("drift and the machine", "S1", "passed",
     dict(durations=even(200) + even(200, 2 * MS),
          ready=[0] * 200 + [6 * MS // 10] * 200), {}),
    ("drift beside the machine", "S1", "found",
     dict(durations=even(200) + even(200, 2 * MS),
          ready=[0] * 200 + [4 * MS // 10] * 200), {}),
    ("drift on a busy machine", "S1", "found",
     dict(durations=rising(400, 3), ready=[one // 2 for one in rising(400, 3)]), {}),
    ("a slow step", "S2", "found", dict(durations=with_slow(400, 1, 50)),
     {"slow steps, at least": 1}),
    ("five slow steps", "S2", "found", dict(durations=with_slow(400, 5, 20)),
     {"slow steps, at least": 5}),
    ("many slow steps", "S2", "found", dict(durations=with_slow(1000, 60, 20)),
     {"slow steps, at least": 50}),
    ("not so slow", "S2", "passed", dict(durations=with_slow(400, 5, 9)), {}),
    ("slow but short", "S2", "passed",
     dict(durations=[step // 1000 for step in with_slow(400, 5, 20)]), {}),
    ("slow in a long run", "S2", "passed",
     dict(durations=with_slow(400, 5, 20), wall=20 * SECOND), {}),
    ("a slow machine", "S2", "passed",
     dict(durations=with_slow(400, 5, 20), ready=without_cpu(with_slow(400, 5, 20))), {}),
    ("many on a slow machine", "S2", "passed",
     dict(durations=with_slow(1000, 60, 20), ready=without_cpu(with_slow(1000, 60, 20))), {}),
    ("one of five by itself", "S2", "found",
     dict(durations=with_slow(400, 5, 20), ready=without_cpu(with_slow(400, 5, 20), 4)),
     {"slow steps, at least": 1}),
    ("a slow machine otherwise", "S2", "found",
     dict(durations=with_slow(400, 5, 20),
          ready=[MS // 2 * (step < 2 * MS) for step in with_slow(400, 5, 20)]),
     {"slow steps, at least": 5}),
    ("drift is not slow", "S2", "passed",
     dict(durations=[int(MS * (1 + 29 * (i / 400) ** 4)) for i in range(400)]), {}),
    ("growth", "S3", "found", dict(durations=even(400), live=GROWS), {"steps": 400}),
    ("fills up", "S3", "passed", dict(durations=even(400), live=FILLS, peak=30 * MIB), {}),
    ("grows a little", "S3", "passed",
     dict(durations=even(400), live=[MIB + 5000 * i for i in range(400)], peak=5 * MIB), {}),
    ("small share", "S3", "passed",
     dict(durations=even(400), live=GROWS, peak=1000 * MIB), {}),
    ("up and down", "S3", "passed",
     dict(durations=even(400), live=[MIB * (1 + i % 40) for i in range(400)]), {}),
]


def judge(document, database, rule, wanted, evidence):
    outcomes = {line["id"]: line["outcome"] for line in document["rules"]}
    if rule is None:
        return [f"{name} is found" for name in ("S1", "S2", "S3", "T13")
                if outcomes[name] == "found"]
    if outcomes[rule] != wanted:
        return [f"{rule} {outcomes[rule]}, not {wanted}"]
    wrong = []
    for finding in (one for one in document["findings"] if one["id"] == rule):
        measured = {one["name"]: one["value"] for one in finding["evidence"]}
        wrong += [f"{key} is {measured.get(key)}, not {value}"
                  for key, value in evidence.items() if measured.get(key) != value]
        if rule[0] == "S" and (finding["step"], finding["function"]) != ("frame", None):
            wrong.append(f"{rule} names {finding['step']}, {finding['function']}")
        with contextlib.closing(sqlite3.connect(database)) as db:
            if not any(row[1] for row in db.execute(finding["sql"])):
                wrong.append(f"the SQL of {rule} finds nothing")
    return wrong


def main():
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-steps-") as directory:
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
                         judge(json.loads(result.stdout), database, rule, wanted, evidence)]
    print("\n".join(problems) or f"{len(CASES)} cases")
    sys.exit(bool(problems))


main()
