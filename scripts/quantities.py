#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Read common/quantities.def, and hold the schema and the reference against it.

usage: quantities.py [--check] [ROOT]

Prints the table that stands in docs/reference.md between the two comments. --check: says
what is not as the table wants it: columns of common/schema.sql that are missing or that
are in no row, and a document with another table. Exit status 1 then.
"""
import os
import re
import sqlite3
import sys

# What a row may be of: the table in run.db that has it, and its name in the reference.
SUBJECTS = (("path", "call path"), ("path_lane", "path of a thread"),
            ("snapshot_path", "path at a snapshot"), ("function", "function"),
            ("edge", "edge"), (None, None), (None, None), ("site", "site"),
            ("snapshot_site", "site at a snapshot"), ("snapshot", "snapshot"),
            ("process", "process"), ("run", "run"))
UNITS = {"COUNT": "count", "BYTES": "bytes", "NSEC": "ns"}
SUMS = {"SUM": "sum", "BOUND": "at most the sum", "LEAST": "min", "MOST": "max",
        "OUTERMOST": "outermost only; paths: sum", "NOT": "not"}
# Numbers of these tables that nobody measures, or that follow from others.
PLAIN = {"time_ns", "started_ns", "cpu_count", "rank_count", "inner_cost_ns",
         "outer_cost_ns", "hook_cost_error_ns", "counted_cost_ns",
         "counted_cost_error_ns", "alloc_cost_ns", "alloc_cost_error_ns",
         "window_cost_ns", "window_cost_error_ns", "owned_alloc_count",
         "owned_alloc_bytes"}
ROW = re.compile(r"Q\(OF, (\w+),\s*(\w+),\s*(\w+),\s*((?:[xo],\s*)+)(\w+),\s*(.*?)\)"
                 r"(?=\s*(?:Q\(|/\*|$))", re.DOTALL)
BEGIN, END = "<!-- quantities: begin -->\n", "<!-- quantities: end -->"


def read(root, *path):
    with open(os.path.join(root, *path), encoding="utf-8") as file:
        return file.read()


def texts(rest):
    """The strings of a row; neighbours are one, as in C."""
    for run in re.split(r'"\s*,\s*"', rest.strip()[1:-1]):
        yield re.sub(r'"\s*"', "", run)


def quantities(root):
    text = read(root, "common", "quantities.def")
    text = text[text.index("#define QUANTITIES"):].replace("\\\n", "\n")
    for name, unit, add, marks, shown, rest in ROW.findall(text):
        heading, metric, phrase, recorded, meaning = texts(rest)
        yield {"name": name, "unit": unit, "sum": add, "shown": shown, "metric": metric,
               "of": [pair for mark, pair in zip(re.findall("[xo]", marks), SUBJECTS)
                      if mark == "x" and pair[0]],
               "meaning": meaning, "recorded": recorded}


def reference(rows):
    yield "| name | unit | of | adds up | meaning |"
    yield "|---|---|---|---|---|"
    for row in rows:
        yield "| `%s` | %s | %s | %s | %s |" % (
            row["name"], UNITS[row["unit"]], ", ".join(name for _, name in row["of"]),
            SUMS[row["sum"]], row["meaning"])


def columns(db, table):
    return {row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)",
                                         (table,))}


def problems(root, rows):
    db = sqlite3.connect(":memory:")
    db.executescript(read(root, "common", "schema.sql"))
    for table, _ in SUBJECTS:
        if not table:
            continue
        have = columns(db, table)
        want = {row["name"] for row in rows if (table, _) in row["of"]}
        for name in sorted(want - have):
            yield f"common/schema.sql: the table {table} has no column {name}"
        for name in sorted(have - want - PLAIN):
            if re.search(r"_ns$|_bytes$|_count$|^calls$", name):
                yield f"common/quantities.def: no quantity {name} of {table}"
    text = read(root, "docs", "reference.md")
    section = text[text.index(BEGIN) + len(BEGIN):text.index(END)]
    if section != "\n".join(reference(rows)) + "\n":
        yield ("docs/reference.md: its quantities are not those of common/quantities.def; "
               "scripts/quantities.py prints them")


def main():
    arguments = [word for word in sys.argv[1:] if word != "--check"]
    root = arguments[0] if arguments else "."
    rows = list(quantities(root))
    if "--check" not in sys.argv:
        print("\n".join(reference(rows)))
        return 0
    found = list(problems(root, rows))
    print("\n".join(found), file=sys.stderr)
    print(f"{len(rows)} quantities, {len(found)} problems")
    return 1 if found or not rows else 0


sys.exit(main())
