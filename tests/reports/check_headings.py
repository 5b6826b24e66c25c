#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""--sort takes every heading of the table that it sorts, as it is printed.

usage: check_headings.py PROF-ANALYZE
"""
import json
import os
import subprocess
import sys
import tempfile

import make_db

# what each command is asked about, and how many of its tables stand before the sorted one
CASES = [
    (["functions", "waits.db"], 0), (["functions", "estimates.db"], 0),
    (["functions", "fixture.db"], 0), (["tree", "waits.db"], 0), (["tree", "fixture.db"], 0),
    (["callers", "waits.db", "fetch"], 0), (["components", "estimates.db"], 0),
    (["critical", "critical.db", "--run", "1"], 0),
    (["delta", "snapshots.db", "loaded", "done"], 0), (["io", "io.db"], 0),
    (["leaks", "fixture.db"], 0), (["locks", "fixture.db"], 0), (["memory", "fixture.db"], 0),
    (["resources", "fixture.db"], 1), (["ranks", "jobs-lost.db", "--run", "9"], 1),
    (["runs", "fixture.db"], 0), (["delta", "snapshots.db"], 0), (["steps", "waits.db"], 0),
    (["timeline", "timeline.db", "--run", "1"], 1), (["why", "why.db", "handle"], 0),
]
# below the row in text, so that it is no heading; md has no such place
NOT_HEADINGS = ["path"]


def tables(markdown):
    """The headings of each."""
    found, before = [], ""
    for line in markdown.splitlines():
        if line.startswith("|") and set(line) <= set("|-: "):
            found.append([cell.strip().replace("\\|", "|").replace("\\", "")
                          for cell in before.strip("|").split("|")])
        before = line
    return found


def main():
    program, problems, seen = os.path.abspath(sys.argv[1]), [], 0
    with tempfile.TemporaryDirectory() as folder:
        for kind in sorted({words[1] for words, _ in CASES}):
            make_db.make(kind[:-3], os.path.join(folder, kind))

        def ask(*words):
            return subprocess.run([program, *words], cwd=folder, capture_output=True,
                                  encoding="utf-8", check=False)

        for words, number in CASES:
            shown = ask(*words, "--format", "md", "--limit", "0")
            found = tables(shown.stdout)[number:]
            if not found or shown.returncode:
                problems.append(f"{words}: no table: {shown.stderr}")
            for heading in set(found[0] if found else []) - set(NOT_HEADINGS):
                answer = ask(*words, "--sort", heading)
                seen += 1
                if answer.returncode:
                    problems.append(f"{words} --sort {heading!r}: {answer.stderr.strip()[:300]}")
            refused = ask(*words, "--sort", "no such heading")
            if refused.returncode != 2 or "there is no column" not in refused.stderr:
                problems.append(f"{words}: a heading that it does not have: {refused.stderr}")
        took = ask("timeline", "timeline.db", "--run", "1", "--sort", "took", "--format", "json")
        lasted = [call["duration_ns"] for call in json.loads(took.stdout)["spans"]]
        if len(lasted) < 3 or lasted != sorted(lasted, reverse=True):
            problems.append(f"timeline is not sorted by took: {lasted}")
    print(*problems, sep="\n")
    sys.exit(f"{len(problems)} problems, of {seen} headings" if problems or seen < 100 else 0)


main()
