#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The query of a finding about memory has the sites that its figures are sums of, and no
others: of a function on two paths, beside a site of its callee's that is not judged.

usage: check_memory_proof.py PROF-ANALYZE
"""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from check_memory_rules import CASES, MIB, blocks, make
from make_db import insert

# rule: its evidence, and the column of the query that adds up to it
PROOFS = {
    "M1": [("of them here", "alloc_count")],
    "M2": [("allocations", "alloc_count"), ("allocated", "alloc_bytes"),
           ("most live at a time", "peak_bytes")],
    "M3": [("temporary", "temporary_count")],
    "M4": [("reallocs", "realloc_count"), ("copied", "realloc_copied_bytes")],
    "M5": [],
    "M6": [("live at exit", "live_bytes"), ("blocks", "live_count")],
    "M7": [("live at the peak", "at_peak_bytes"), ("blocks", "at_peak_count")],
    "M8": [("allocations", "allocations")],
    "M9": [("blocks at the peak", "at_peak_count")],
    "M10": [("such frees", "cross_thread_free_count"), ("allocations", "alloc_count")],
}
SMALLER = {"rules": {"M8": {"limits": {"big_bytes": 65536}},
                     "M1": {"limits": {"big_bytes": 65536}},
                     "M2": {"limits": {"big_bytes": 65536}}}}
MORE = [("big by another limit", "M8", "found", blocks(16000, MIB // 16) | {"peak_bytes": MIB},
         {"faults": 256_000}, SMALLER)]


def widen(path, one):
    """main also calls other, which calls work, too; and work calls a callee, which has a
    site that is nobody's trouble."""
    none = dict(calls=1, total_ns=0, self_ns=0, raw_total_ns=0, raw_self_ns=0, alloc_count=0,
                alloc_bytes=0)
    few = blocks(150, 8, live_count=1, live_bytes=8, realloc_count=1, at_peak_count=1,
                 at_peak_bytes=8, cross_thread_free_count=1, temporary_count=1)
    with contextlib.closing(sqlite3.connect(path)) as db:
        for number, name in ((3, "other"), (4, "callee")):
            insert(db, "function", function_id=number, run_id=1, name=name,
                   file="/src/work.c", line=number, recording="exact", **none)
        for number, parent, function, depth in ((3, 1, 3, 2), (4, 3, 2, 3), (5, 2, 4, 3)):
            insert(db, "path", path_id=number, run_id=1, depth=depth, function_id=function,
                   parent_path_id=parent, kind=0, live_bytes=0, at_peak_bytes=0, **none)
        insert(db, "site", site_id=2, run_id=1, path_id=4, file="/src/work.c", line=7, **one)
        insert(db, "site", site_id=3, run_id=1, path_id=5, file="/src/work.c", line=9, **few)
        db.commit()


def look(analyze, directory, case):
    name, rule, _, one, rest, rules = case
    database = os.path.join(directory, name.replace(" ", "-") + ".db")
    make(database, one, **rest)
    widen(database, one)
    command = [analyze, "bottlenecks", database, "--format", "json"]
    if rules:
        with open(os.path.join(directory, "rules.json"), "w", encoding="utf-8") as file:
            json.dump(rules, file)
        command += ["--rules", file.name]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    found = [one for one in json.loads(done.stdout)["findings"] if one["id"] == rule]
    if not found or found[0]["function"] != "work":
        return [f"{name}: {rule} is not found of work"]
    evidence = {one["name"]: one["value"] for one in found[0]["evidence"]}
    with contextlib.closing(sqlite3.connect(database)) as db:
        db.row_factory = sqlite3.Row
        rows = db.execute(found[0]["sql"]).fetchall()
    sums = [(what, evidence[what], sum(row[column] for row in rows))
            for what, column in PROOFS[rule]]
    return [f"{name}: {rule} {what} {value}, by the query {proved}"
            for what, value, proved in sums if value != proved] + \
        ([] if rows else [f"{name}: the query of {rule} finds nothing"])


def main():
    cases = [case for case in CASES + MORE if case[1] in PROOFS and case[2] == "found"]
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-proof-") as directory:
        for case in cases:
            problems += look(sys.argv[1], directory, case)
    print("\n".join(problems) or f"{len(cases)} cases")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
