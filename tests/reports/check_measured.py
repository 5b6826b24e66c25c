#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No rule speaks of a run that lacks what the rule rests on: a recording from which one
measurement after the other is taken away, and a look at the rules' sources.

usage: check_measured.py PROF-ANALYZE
"""
import contextlib
import glob
import json
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

from make_db import MS, create
from make_times import SECOND, Times, node, sample

RULES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "analyzer",
                     "rules")

# What takes it away, in SQL, and the reason that is given.
LACKS = {
    "calls": ("UPDATE function SET calls = 0", "no calls were counted"),
    "allocations": ("UPDATE run SET alloc_count = 0", "no allocation was recorded"),
    "steps": ("DELETE FROM series", "the run has no steps"),
    "wall time": ("INSERT INTO trust (run_id, name, value) VALUES (1, 'unseen_ends', 1)",
                  "the run time is unknown"),
    "CPU time": ("UPDATE trust SET name = 'switches_unseen' WHERE name = 'switches_by_rseq'",
                 "not told apart in every process"),
    "samples": ("DELETE FROM resource", "no samples of /proc were taken"),
    "self time": ("UPDATE path SET total_error_ns = 1000000000 WHERE parent_path_id IS NULL",
                 "the program's self time is not known"),
    "an end of its own": ("UPDATE run SET complete = 0", "did not end by itself"),
}
MORE_LACKS = [
    ("CPU time", "DELETE FROM trust", "not told apart in every process"),
    ("CPU time", "INSERT INTO trust (run_id, name, value) VALUES (1, 'unsplit_processes', 1)",
     "not told apart in every process"),
    ("samples", "UPDATE resource SET time_ns = 49999999", "too short for samples"),
    ("samples", "UPDATE resource SET time_ns = 499999999", "less than half of the run"),
    ("wall time", "UPDATE run SET wall_ns = 0", "the run time is unknown"),
]
# Parameters that are 0 where they were not measured, and what a rule that asks for them needs.
NUMBERS = {"cpu": re.compile(r":(?:threads_ns|cpu_ns|ready_ns|busy)\b|FROM wished"),
           "samples": re.compile(r":(?:span_ns|sampled_cpu_ns|major_faults|minor_faults|"
                                 r"rss_peak_bytes)\b")}


def make(path):
    """main calls work, which computes in a long call, hot, which does in many, and tiny."""
    with contextlib.closing(create(path)) as db:
        Times(db, 1, [node("work", 600 * MS, 1, p50_ns=600 * MS, max_ns=600 * MS,
                           blocked=300 * MS),
                      node("hot", 100 * MS, 1000, p50_ns=100_000),
                      node("tiny", 20 * MS, 10_000_000, hooks=20 * MS)],
              samples=[sample(30)], step_ns=400 * MS, blocked=250 * MS)
        db.execute("UPDATE run SET alloc_count = 1000, peak_bytes = 1 << 20")
        db.commit()
    return path


def look(analyze, path):
    done = subprocess.run([analyze, "bottlenecks", path, "-f", "json"], capture_output=True,
                          text=True, check=True, timeout=60)
    document = json.loads(done.stdout)
    return {rule["id"]: (rule["outcome"], rule["reason"] or "") for rule in document["rules"]}


def needs_of(analyze):
    done = subprocess.run([analyze, "bottlenecks", "--list-rules", "-f", "json"],
                          capture_output=True, text=True, check=True, timeout=60)
    return {row["id"]: row["needs"].split(", ") for row in json.loads(done.stdout)["rules"]}


def look_at_lack(analyze, folder, needs, lack, sql, reason):
    path = make(os.path.join(folder, "run.db"))
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.execute(sql)
        db.commit()
    states = look(analyze, path)
    os.unlink(path)
    return [f"{rule} without {lack}: {states[rule]}" for rule in needs if lack in needs[rule]
            and (states[rule][0] != "not measured" or reason not in states[rule][1])]


def look_at_unknown(analyze, folder, needs, whole):
    """A time that is not known, and could be much, lets no rule about time pass; one that
    is little lets them."""
    problems = []
    for error_ms, outcome in ((300, "not judged"), (1, "passed")):
        path = make(os.path.join(folder, "run.db"))
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.execute("UPDATE function SET self_ns = 0, self_error_ns = ?, raw_self_ns = ?"
                       " WHERE name = 'tiny'", [error_ms * MS, error_ms * MS])
            db.commit()
        states = look(analyze, path)
        os.unlink(path)
        passed = [rule for rule in needs if whole[rule][0] == "passed"
                  and "self time" in needs[rule]]
        problems += [f"{rule} of an error of {error_ms} ms: {states[rule]}" for rule in passed
                     if states[rule][0] != outcome or outcome == "not judged"
                     and states[rule][1] != "instrumentation dominates tiny"]
        problems += [f"{rule} rests on no time: {states[rule]}" for rule in needs
                     if "self time" not in needs[rule] and states[rule][0] == "not judged"]
        if len(passed) < 2:
            problems.append(f"only {passed} have passed before")
    return problems


def look_at_sources():
    """Who reads what samples tell says that it needs them."""
    problems = []
    for path in glob.glob(os.path.join(RULES, "*", "*.sql")):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        needs = re.search(r"^-- :needs (.*)$", text, re.MULTILINE)[1].split()
        problems += [f"{os.path.basename(path)}: reads {numbers.search(text)[0]} without {needed}"
                     for needed, numbers in NUMBERS.items()
                     if numbers.search(text) and needed not in needs]
    return problems


def main():
    analyze, problems = sys.argv[1], look_at_sources()
    needs = needs_of(analyze)
    problems += [f"{rule} needs {needs[rule]}" for rule in needs
                 if not set(needs[rule]) <= {*LACKS, "data of its own", "calls of libc"}]
    with tempfile.TemporaryDirectory(prefix="profshim-measured-") as folder:
        states = look(analyze, make(os.path.join(folder, "whole.db")))
        for rule in ("T1", "T2", "T9", "R1", "T13"):
            if states[rule][0] != "found":
                problems.append(f"{rule} of all that there is: {states[rule]}")
        lacks = [(lack, *one) for lack, one in LACKS.items()] + MORE_LACKS
        for one in lacks:
            problems += look_at_lack(analyze, folder, needs, *one)
        problems += look_at_unknown(analyze, folder, needs, states)
        # T1 may speak of short calls; hot's are long
        problems += look_at_lack(analyze, folder, {"T1": ["CPU time"]}, "CPU time",
                                 *LACKS["CPU time"])
    print("\n".join(problems) or f"{len(needs)} rules, {len(lacks)} lacks")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
