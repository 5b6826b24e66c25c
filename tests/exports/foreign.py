# SPDX-License-Identifier: MIT
"""Profiles of others, taken here and imported: of a plain program by perf, of Go by itself."""
import collections
import contextlib
import os
import re
import sqlite3
import subprocess
import sys

import recordings
from recordings import harness

PERIOD_NS = 1_000_000 # of samples


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, text=True, **options).stdout


def rows(database, sql):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def fold(script):
    """perf script's text as folded stacks: {stack: samples}"""
    stacks = collections.Counter()
    for block in script.strip().split("\n\n"):
        head, *frames = block.splitlines()
        names = [re.sub(r"\+0x[0-9a-f]+$", "", frame.split(None, 1)[1].rsplit(" (", 1)[0])
                 for frame in frames]
        stacks[";".join([head.split()[0], *reversed(names)])] += 1
    return stacks


def sample(folder, program, share):
    data = os.path.join(folder, f"perf.{share}")
    run("perf", "record", "-q", "-e", "cpu-clock", "-c", str(PERIOD_NS), "--call-graph", "fp",
        "-o", data, program, str(share))
    return fold(run("perf", "script", "-i", data))


def problems_of_perf(products, folder):
    """Two runs of a plain program, of which the second does more of one thing."""
    program = os.path.join(folder, "busy")
    run("gcc", "-O0", "-g", "-fno-omit-frame-pointer", "-o", program,
        os.path.join(recordings.HERE, "busy.c"))
    database, problems = os.path.join(folder, "perf.db"), []
    for share, label in ((1, "before"), (6, "after")):
        stacks = sample(folder, program, share)
        path = os.path.join(folder, f"{label}.folded")
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(f"{stack} {count}\n" for stack, count in stacks.items())
        run(products.analyze, "import", "folded", path, "-o", database, "--unit",
            f"{PERIOD_NS}ns", "--label", label)
        [(told,)] = rows(database, "SELECT SUM(p.self_ns) FROM call_paths p JOIN runs USING "
                         f"(run_id) WHERE label = '{label}'")
        print(f"perf     {label:12} samples {sum(stacks.values()):10} imported "
              f"{told // PERIOD_NS:10}")
        if told != sum(stacks.values()) * PERIOD_NS:
            problems.append(f"perf: {told} ns, not {sum(stacks.values())} samples")
    totals = dict(((label, name), (ns, error)) for label, name, ns, error in rows(
        database, "SELECT label, name, total_ns, total_error_ns FROM functions JOIN runs "
        "USING (run_id) WHERE name IN ('often', 'rarely')"))
    # two to one, and one to three
    for label, ratio in (("before", 2), ("after", 1 / 3)):
        often, rarely = totals[label, "often"], totals[label, "rarely"]
        if abs(often[0] - ratio * rarely[0]) > 2 * (often[1] + ratio * rarely[1]):
            problems.append(f"perf: {label}: {often} and {rarely} ns, not {ratio} to one")
    compared = run(products.analyze, "compare", database, "--before", "before", "--after",
                   "after")
    paths = compared.split("Call paths")[1]
    if "rarely → churn" not in paths:
        problems.append(f"perf: compare does not say that churn below rarely is more: {compared}")
    return problems


def go_sums(profile, index):
    """The sum as go tool pprof has it."""
    text = run("go", "tool", "pprof", "-top", f"-sample_index={index}",
               "-unit=" + ("ns" if index == "cpu" else "B" if "space" in index else "count"),
               profile, env={**os.environ, "PPROF_TMPDIR": os.path.dirname(profile)})
    return int(re.search(r"of ([\d]+)\S* total", text)[1])


def problems_of_go(products, folder):
    cpu, heap = os.path.join(folder, "cpu.pb.gz"), os.path.join(folder, "heap.pb.gz")
    run("go", "run", os.path.join(recordings.HERE, "busy.go"), cpu, heap,
        env={**os.environ, "GOCACHE": os.path.join(folder, "cache"), "GO111MODULE": "off",
             "GOPATH": folder})
    problems = []
    for profile, index, column, hot in (
            (cpu, "cpu", "self_ns", "main.(*list).churn"),
            (heap, "alloc_space", "alloc_bytes", "main.(*list).keep"),
            (heap, "inuse_space", "live_bytes", "main.(*list).keep"),
            (heap, "alloc_objects", "alloc_count", "main.(*list).keep")):
        database = f"{profile}.{index}.db"
        run(products.analyze, "import", "pprof", profile, "-o", database)
        [(told,)] = rows(database, f"SELECT SUM({column}) FROM call_paths")
        [(name,)] = rows(database, f"SELECT name FROM call_paths GROUP BY name ORDER BY "
                         f"SUM({column}) DESC LIMIT 1")
        theirs = go_sums(profile, index)
        print(f"go       {index:12} go tool pprof   {theirs:17} imported {told:14}  most: {name}")
        if told != theirs or name != hot:
            problems.append(f"go {index}: {told} and {name}, not {theirs} and {hot}")
    return problems


def problems_of(products, folder):
    return problems_of_perf(products, folder) + problems_of_go(products, folder)
