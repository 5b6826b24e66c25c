#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-record --sweep and prof-analyze scaling on a program whose laws are known."""
import json

import host
from host import expect, scenario

LAWS = {"constant": "1", "logarithmic": "log n", "linear": "n", "linearithmic": "n log n",
        "quadratic": "n^2", "main": "1"}


def sweep(case, values, *arguments):
    program = case.compile("growths.c")
    result = host.harness.run([case.products.record, "-q", "-o", case.database, "--sweep", values,
                               "--repeat", "2", "--", program, *arguments],
                              cwd=case.directory, env=host.harness.plain_environment())
    expect(result.returncode == 0, f"the sweep: {result}")


def scaling(case, *options, status=0):
    result = case.analyze("scaling", case.database, "-f", "json", "-n", "0", *options)
    expect(result.returncode == status, f"{options} ended with {result}")
    return json.loads(result.stdout)


def laws(sections, table, key, law):
    return {row[key]: row[law] for row in sections[table]}


@scenario
def right_laws(case):
    """Counts are exact: so are their laws, of functions and of call edges."""
    sweep(case, "n=250,500,1000,2000", "{n}")
    sections = scaling(case)
    found = laws(sections, "functions", "name", "calls_law")
    wrong = {name: found.get(name) for name, law in LAWS.items() if found.get(name) != law}
    expect(not wrong, f"laws of calls: {wrong}")
    found = laws(sections, "edges", "callee", "law")
    wrong = {name: found.get(name) for name, law in LAWS.items() if found.get(name, law) != law}
    expect(not wrong and len(found) >= 5, f"laws of edges: {found}")
    found = {row["name"]: row for row in sections["quantities"]}
    expect(found["calls"]["exact"] and found["calls"]["law"] == "n^2", f"the run: {found}")
    found = {row["name"]: row for row in scaling(case, "linear")["quantities"]}
    expect(found["calls"]["law"] == "n" and found["calls"]["later"] == 20000,
           f"of one function: {found}")


@scenario
def doubling(case):
    sweep(case, "m=6,8,10,12", "100", "{m}")
    found = laws(scaling(case), "functions", "name", "calls_law")
    expect(found["exponential"] == "2^n" and found["quadratic"] == "1", f"laws: {found}")


@scenario
def gate(case):
    sweep(case, "n=250,500,1000", "{n}")
    for limits, status, results in (
            ("calls ~ n^1.5", 3, ["exceeded"]), ("calls ~ n^2, wall ~ n^9", 0, ["kept", "kept"]),
            ("func:linear.calls ~ n", 0, ["kept"]),
            ("func:linearithmic.calls ~ n, func:linearithmic.calls ~ n log n", 3,
             ["exceeded", "kept"]),
            ("alloc_count ~ 1", 0, ["kept"]), ("live ~ n", 0, ["kept"])):
        rows = scaling(case, "--fail-on", limits, status=status)["gate"]
        expect([row["result"] for row in rows] == results, f"{limits}: {rows}")
    result = case.analyze("scaling", case.database, "--fail-on", "calls ~ n", "-f", "junit")
    expect(result.returncode == 3 and "<failure" in result.stdout, f"junit: {result}")


host.main()
