#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The first screen of a report: what is worth fixing stands on it, and the numbers on it are one
another's sums.

usage: check_screen.py PROF_ANALYZE

Of made recordings at 80 columns: the first finding comes behind at most 8 lines, what ran is told
in as many as it should be, and no bound is larger than what contains it. The shares of all
functions add up to 100 %, their own CPU time to that of the head and of `where`, and so do the
shares of all call paths and the bytes of all sites. A function's callers add up to its total, those among
them that have inlined code and so the time of calls that they did not make.
"""
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

import make_db

KINDS = ("fixture", "findings", "marks", "wrappers", "groups", "estimates", "ticked", "unsampled",
         "inlined", "waits", "frames", "snapshots", "drowned")
LINES = 8


def ask(analyze, database, *options):
    environment = {**os.environ, "COLUMNS": "80", "LC_ALL": "C.UTF-8"}
    return subprocess.run([analyze, database, *options], env=environment, check=False,
                          stdout=subprocess.PIPE, text=True).stdout


def screen_problems(text):
    lines = text.splitlines()
    first = next((i for i, line in enumerate(lines) if re.match(r"#?1 +[A-Z]+\b", line)), None)
    if first is not None and first > LINES:
        yield f"{first} lines stand before the first finding: {lines[:first]}"
    if not lines[0].startswith("trust: "):
        yield f"the first line is {lines[0]!r}"
    runs = next((i for i, line in enumerate(lines) if line.startswith("Run ")), 99)
    if runs > 2:
        yield f"{runs} lines tell of trust: {lines[:runs]}"
    if max(map(len, lines)) > 80:
        yield f"longer than 80 columns: {max(lines, key=len)!r}"
    for share in re.findall(r"<([0-9.]+)%", text):
        if float(share) > 100:
            yield f"a share of up to {share} %"


def near(one, other, what, count=1):
    """Each of so many numbers is a whole one."""
    if abs(one - other) > count + 1e-9 * abs(other):
        yield f"{what}: {one} beside {other}"


def sum_problems(report):
    functions, where = report["functions"], report.get("where")
    paths, sites = report["call_paths"], report.get("allocation_sites", [])
    own = "self_cpu_ns" if where else "self_ns"
    total = sum(row[own] or 0 for row in functions)
    if total > 0:
        shares = sum(row["self_percent"] or 0 for row in functions)
        yield from near(shares, 100, "shares of functions", 1e-6)
        for row in functions:
            if row[own] is not None:
                yield from near(row["self_percent"], 100 * row[own] / total,
                                f"the share of {row['name']}", 1e-6)
        known = [row[own] for row in functions if row[own] is not None]
        if known != sorted(known, reverse=True):
            yield f"functions are not sorted: {known}"
        if all(row["recording"] != "counted" for row in functions):
            yield from near(sum(row[own] for row in paths), total, "time of paths", len(paths))
            yield from near(sum(row["self_percent"] for row in paths), 100, "shares of paths", 1e-6)
    known = {row["name"]: row["self_error_ns"] for row in functions if row["self_error_ns"]}
    for row in paths:
        if row["self_error_ns"] > known.get(row["name"], row["self_error_ns"]) + 1:
            yield f"a path of {row['name']} is less certain than all of them together"
    if where:
        yield from near(where["program_ns"], min(total, where["cpu_ns"]), "the head's CPU time",
                        len(functions))
        yield from near(where["program_ns"] + where.get("hooks_ns", 0) + where.get("other_ns", 0),
                        where["cpu_ns"], "CPU time", 3)
    yield from near(sum(row["alloc_bytes"] for row in sites), report["run"]["alloc_bytes"] or 0,
                    "bytes of sites")


def move_inlined(database):
    """The callee and its total: its first caller was inlined into a function that has the time."""
    with sqlite3.connect(database) as db:
        run, caller, callee, time = db.execute(
            "SELECT run_id, caller_id, callee_id, total_ns FROM edge WHERE caller_id <> callee_id "
            "AND run_id = (SELECT MAX(run_id) FROM run) ORDER BY total_ns DESC").fetchone()
        host, = db.execute("SELECT function_id FROM function WHERE function_id NOT IN (SELECT "
                           "caller_id FROM edge WHERE callee_id = ?)", (callee,)).fetchone()
        db.execute("UPDATE edge SET total_ns = 0 WHERE (run_id, caller_id, callee_id) = (?, ?, ?)",
                   (run, caller, callee))
        db.execute("INSERT INTO edge (run_id, caller_id, callee_id, calls, total_ns) "
                   "VALUES (?, ?, ?, 0, ?)", (run, host, callee, time))
    db.close()
    return callee


def caller_problems(analyze, database):
    callee = move_inlined(database)
    told = json.loads(ask(analyze, "callers", database, f"#{callee}", "-f", "json"))
    yield from near(sum(row["total_ns"] for row in told["callers"]),
                    told["function"]["total_ns"], "callers' time", len(told["callers"]))
    functions = json.loads(ask(analyze, "functions", database, "-f", "json", "-n", "0"))
    for row in functions["functions"]:
        if row["function_id"] == callee:
            yield from near(told["function"]["self_percent"], row["self_percent"],
                            "the share among callers", 1e-6)


def problems(analyze, kind, folder):
    database = os.path.join(folder, kind + ".db")
    make_db.make(kind, database)
    yield from screen_problems(ask(analyze, database))
    if not json.loads(ask(analyze, database, "-f", "json"))["functions"]:
        return
    yield from sum_problems(json.loads(ask(analyze, database, "-f", "json", "-n", "0")))
    if kind == "inlined":
        yield from caller_problems(analyze, database)


def main():
    count = 0
    with tempfile.TemporaryDirectory(prefix="profshim-screen-") as folder:
        for kind in KINDS:
            for problem in problems(sys.argv[1], kind, folder):
                print(f"{kind}: {problem}")
                count += 1
    print(f"{count} problems, of {len(KINDS)} recordings")
    return count > 0


if __name__ == "__main__":
    sys.exit(main())
