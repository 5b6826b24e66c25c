#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Record programs whose critical path is known (critical_paths.c), and look whether
prof-analyze critical finds it.

usage: critical.py BUILD-ROOT

Times are judged by their shares of the same run, and by what a thread cannot be short of:
a busy machine makes a run longer on its critical path.
"""
import json
import os
import sys
import tempfile

import harness

# what holds the run, at least so many percent of it; what is beside it, at most so many
KNOWN = {
    "joins": (("work_long", 75), ("work_short", 5)),
    "convoy": (("hold_it;usleep", 60), ("think;usleep", 20)),
    "pipeline": (("pack", 60), ("read_items", 20)),
    "take_turns": (("give_back;usleep", 55), ("prepare", 0)),
    "sleeper": (("fetch;usleep", 75), ("prepare", 10)),
}

# What is on the path all of its time, and what none of it but the way of being woken.
WHOLLY = {
    "told_to_end": (("work_alone",), ("listen;sigwait",)),
    "ended_by_other": (("end_all;work_alone",), ("main;ended_by_other;pthread_join",)),
    "written_to": (("work_alone",), ("listen_to_pipe;read",)),
    "told_to_begin": (("prepare", "work_when_told;work_alone"), ("work_when_told;sigwaitinfo",)),
}


def find(document, path):
    """Sums over the rows whose path ends so, or in the kernel's code that gives the time."""
    rows = [row for row in document["critical_paths"]
            if ";".join(name for name in row["path"] if name != "[vdso]").endswith(path)]
    return {name: sum(row[name] for row in rows)
            for name in ("share_percent", "least_percent", "bound_percent", "critical_ns",
                         "woken_ns")}


def check_sums(name, document):
    """Nothing of the run is told twice or left out, and bounds are bounds."""
    sums = document["critical"]
    run_ns = sums["run_ns"]
    of_threads = sum(row["critical_ns"] for row in document["critical_threads"])
    harness.expect(0.9 * run_ns < of_threads + sums["outside_ns"] and
                   0 < of_threads <= run_ns * 1.001,
                   f"{name}: {of_threads} of {run_ns} ns are on threads")
    of_paths = sum(row["critical_ns"] for row in document["critical_paths"])
    parts = sum(sums[part] for part in ("cpu_ns", "ready_ns", "asleep_ns", "not_named_ns",
                                        "woken_ns"))
    harness.expect(abs(of_paths - parts) < 1e-3 * run_ns,
                   f"{name}: paths have {of_paths} ns, the sums {parts}")
    harness.expect(abs(parts + sums["beginning_ns"] + sums["outside_ns"] - run_ns)
                   < 1e-3 * run_ns, f"{name}: {sums}")
    for row in document["critical_paths"]:
        harness.expect(row["least_ns"] - 2 <= row["critical_ns"] <= row["most_ns"] + 2 and
                       row["bound_percent"] <= row["tree_bound_percent"] + 1e-6,
                       f"{name}: {row}")


def time_of(products, database, path):
    """How long the path took itself, ns."""
    last, *others = reversed(path.split(";"))
    joins = "".join(f" JOIN call_paths p{number + 1} ON p{number + 1}.path_id = "
                    f"p{number}.parent_path_id AND p{number + 1}.name = '{other}'"
                    for number, other in enumerate(others))
    query = f"SELECT p0.self_ns FROM call_paths p0{joins} WHERE p0.name = '{last}'"
    result = harness.run([products.analyze, "sql", query, "--format", "csv", database])
    return int(result.stdout.split()[-1])


def check_wholly(name, document, products, database):
    """However busy the machine was: a path lies on it or beside it."""
    on_it, beside = WHOLLY[name]
    check_sums(name, document)
    for path in on_it + beside:
        self_ns = time_of(products, database, path)
        share = find(document, path)
        if path in on_it:
            harness.expect(share["critical_ns"] >= 0.9 * self_ns,
                           f"{name}: {path} took {self_ns} ns and has {share}")
        else:
            harness.expect(self_ns > 3e7 and
                           share["critical_ns"] - share["woken_ns"] < 0.1 * self_ns,
                           f"{name}: {path} took {self_ns} ns and has {share}")


def check(name, document):
    """Shares of what is on threads: a busy machine may take long to come to main()."""
    (held, least), (beside, most) = KNOWN[name]
    check_sums(name, document)
    ns = sum(row["critical_ns"] for row in document["critical_threads"])
    share = find(document, held)
    harness.expect(100 * share["critical_ns"] >= least * ns, f"{name}: {held} has {share}")
    share = find(document, beside)
    harness.expect(100 * share["critical_ns"] <= most * ns, f"{name}: {beside} has {share}")


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        program = harness.compile_program(os.path.join(harness.HERE, "critical_paths.c"),
                                          os.path.join(folder, "program"),
                                          flags=["-pthread", "-D_GNU_SOURCE"])
        for name in [*KNOWN, *WHOLLY, "alone"]:
            database = os.path.join(folder, name + ".db")
            result = harness.run([program, name], cwd=folder,
                                 env=products.environment(database))
            harness.expect(result.returncode == 0, f"{name} ended with {result.returncode}")
            harness.settle(products, database)
            result = harness.run([products.analyze, "critical", "--format", "json", database])
            harness.expect(result.returncode == 0, f"{name}: {result.stdout}{result.stderr}")
            document = json.loads(result.stdout)
            if name == "alone":
                harness.expect("critical_paths" not in document and
                               "several threads" in result.stdout, result.stdout)
            elif name in WHOLLY:
                check_wholly(name, document, products, database)
            else:
                check(name, document)
            print(f"{name}: fine")


try:
    main()
except harness.Failure as failure:
    print(failure)
    sys.exit(1)
