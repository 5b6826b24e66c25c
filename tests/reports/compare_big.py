#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compare two recordings of 100,000 call paths each: at most 1 s of CPU and 256 MiB.

usage: compare_big.py PROF_ANALYZE [KEEP-IN]

KEEP-IN: a folder that keeps the two databases, for measuring by hand. A program built
with a sanitizer is only asked to give the right answer.
"""
import json
import os
import random
import resource
import subprocess
import sys
import tempfile

import make_db

PATHS, FUNCTIONS, SITES = 100_000, 2_000, 20_000
SECONDS, BYTES = 1.0, 256 << 20
NAME = "module_%d::function_%d(int)"


def tree():
    """Parent and function of each path; the same on both sides."""
    random.seed(2)
    parents, depths, children = [None], [1], set()
    functions = [0]
    while len(parents) < PATHS:
        parent = random.randrange(len(parents))
        function = random.randrange(1, FUNCTIONS)
        if depths[parent] < 40 and (parent, function) not in children:
            children.add((parent, function))
            parents.append(parent)
            depths.append(depths[parent] + 1)
            functions.append(function)
    return parents, depths, functions


def fill(path, shape, is_after):
    """After: function 7 takes twice the time."""
    db = make_db.create(path)
    parents, depths, functions = shape
    random.seed(3)
    make_db.insert(db, "run", run_id=1, token=path, command="./big", complete=1, exit_code=0,
                   wall_ns=10**9, level="exact", inner_cost_ns=8.0, outer_cost_ns=18.0)
    calls, selves = [0] * FUNCTIONS, [0] * FUNCTIONS
    rows, sites = [], []
    for number, (parent, depth, function) in enumerate(zip(parents, depths, functions)):
        count, self_ns = random.randrange(1, 3000), random.randrange(100, 100_000)
        if is_after and function == 7:
            self_ns *= 2
        calls[function] += count
        selves[function] += self_ns
        rows.append((number + 1, None if parent is None else parent + 1, depth, function + 1,
                     count, self_ns, self_ns, self_ns, self_ns))
        if number < SITES:
            sites.append((number + 1, "/src/file.cc", number % 1000))
    db.executemany("INSERT INTO path (path_id, run_id, parent_path_id, depth, function_id, kind,"
                   " calls, total_ns, self_ns, raw_total_ns, raw_self_ns, alloc_count,"
                   " alloc_bytes, live_bytes, at_peak_bytes)"
                   " VALUES (?, 1, ?, ?, ?, 0, ?, ?, ?, ?, ?, 1, 64, 0, 0)", rows)
    db.executemany("INSERT INTO site (run_id, path_id, file, line, alloc_count, alloc_bytes,"
                   " free_count, free_bytes, live_count, live_bytes, peak_bytes, at_peak_bytes,"
                   " at_peak_count, temporary_count, realloc_count, realloc_copied_bytes,"
                   " cross_thread_free_count, largest_bytes)"
                   " VALUES (1, ?, ?, ?, 1, 64, 1, 64, 0, 0, 64, 0, 0, 0, 0, 0, 0, 64)", sites)
    for number in range(FUNCTIONS):
        make_db.insert(db, "function", function_id=number + 1, run_id=1,
                       name=NAME % (number % 40, number), file="/src/%d.cc" % (number % 40),
                       line=number, calls=calls[number], total_ns=selves[number],
                       self_ns=selves[number], raw_total_ns=selves[number],
                       raw_self_ns=selves[number], alloc_count=0, alloc_bytes=0,
                       recording="exact")
    db.commit()
    db.close()


def check_answer(program, before, after):
    done = subprocess.run([program, "compare", before, after, "-f", "json", "-n", "1"],
                          check=True, capture_output=True)
    document = json.loads(done.stdout)
    first = document["functions"][0]
    if first["name"] != NAME % (7, 7) or not first["self_difference_ns"] > 0:
        sys.exit("not the function that became slower: %s" % first)
    balance = document["balance"][0]
    if balance["difference"] != first["self_difference_ns"] or balance["new"] or balance["gone"]:
        sys.exit("does not add up: %s" % balance)


def main():
    program = sys.argv[1]
    with tempfile.TemporaryDirectory() as temporary:
        folder = sys.argv[2] if len(sys.argv) > 2 else temporary
        shape = tree()
        before, after = (os.path.join(folder, name) for name in ("before.db", "after.db"))
        fill(before, shape, False)
        fill(after, shape, True)
        subprocess.run([program, "compare", before, after], check=True,
                       stdout=subprocess.DEVNULL)
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        check_answer(program, before, after)
    seconds, size = used.ru_utime + used.ru_stime, used.ru_maxrss << 10
    print("%.2f s of CPU, %.0f MiB" % (seconds, size / (1 << 20)))
    if seconds > SECONDS or size > BYTES:
        sys.exit("more than %.0f s or %d MiB" % (SECONDS, BYTES >> 20))


main()
