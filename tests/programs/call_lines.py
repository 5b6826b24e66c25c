#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call path is told with the line of its call.

usage: call_lines.py BUILD-ROOT

The program's lines say whom they call (call_lines.c). It is built by both compilers at two
levels, and recorded with each call timed, and at the default level, which counts most of them
instead. Every path has the line that is marked for it, or none when none is; so has what is
allocated, and it all adds up.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "exports"))
import readers  # noqa: E402  (found through the line above)

SOURCE = os.path.join(HERE, "call_lines.c")
RECORDINGS = {"all": (1, {}), "counted": (200000, {"PROFSHIM_LEVEL": "full"})}
CALLS = """SELECT p.name, c.name, c.call_file, c.call_line, c.call_lines FROM call_paths c
    JOIN call_paths p ON p.path_id = c.parent_path_id WHERE c.kind IN ('function', 'wait')
    AND c.name NOT LIKE 'asks%' AND c.name NOT LIKE 'get%'"""


def truth():
    """{(caller, callee): ([the first line], [others])}"""
    calls = {}
    with open(SOURCE, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            told = re.search(r"//([@+]) (\w+) (\w+)$", line)
            if told:
                calls.setdefault(told.groups()[1:], ([], []))[told[1] == "+"].append(number)
    return calls


def differences(database, wanted, are_counted):
    """Between what is recorded and what the lines say, in words."""
    seen = set()
    with harness.reading(database) as connection:
        for caller, callee, file, line, count in harness.query(connection, CALLS):
            first, others = wanted.get((caller, callee), ([], []))
            seen.add((caller, callee))
            if file and os.path.basename(file) != "call_lines.c":
                yield f"{caller} calls {callee} in {file}"
            # what is counted first is by chance
            if line not in (first + others * are_counted or [None]):
                yield f"{caller} calls {callee} in line {line}, not {first + others}"
            if count not in range(1, 2 + len(others)) and line:
                yield f"{caller} calls {callee} in {count} lines"
    for pair in set(wanted) - seen:
        yield f"{pair[0]} calls {pair[1]}: no path"


def lines_of_callgrind(products, database):
    """A call's costs are told with its line, below the caller's own."""
    exported = harness.run([products.analyze, "export", "callgrind", database]).stdout
    names, at, lines = {}, {}, set()
    told = exported.splitlines()
    for place, line in enumerate(told):
        name = re.match(r"(c?fn)=\((\d+)\)(?: (.*))?$", line)
        if name:
            names.setdefault(name[2], name[3])
            at[name[1]] = names[name[2]]
        elif line.startswith("calls="):
            lines.add((at["fn"], at["cfn"], int(told[place + 1].split()[0])))
    return lines


def lines_of_pprof(products, database):
    exported = os.path.join(os.path.dirname(database), "pprof")
    with open(exported, "wb") as file:
        subprocess.run([products.analyze, "export", "pprof", database], stdout=file, check=True)
    return readers.Pprof(exported).calls()


def lines_of_tree(products, database):
    shown = harness.run([products.analyze, "tree", database, "--inlined", "--format", "json",
                           "--limit", "0"])
    rows = json.loads(shown.stdout)["call_tree"]
    names = {row["path_id"]: row["name"] for row in rows}
    return {(names.get(row["parent_path_id"]), row["name"], row["call_line"]) for row in rows}


def lines_of_callers(products, database, wanted):
    """Of each function that is called, and people see the same."""
    lines = set()
    for callee in {pair[1] for pair in wanted}:
        command = [products.analyze, "callers", database, callee]
        rows = json.loads(harness.run([*command, "--format", "json"]).stdout)["callers"]
        shown = harness.run(command).stdout
        for row in rows:
            if f"call_lines.c:{row['call_line']}" in shown:
                lines.add((row["name"], callee, row["call_line"]))
    return lines


def differences_in_time(products, database, wanted):
    """Of the calls that were kept for being slow."""
    exported = harness.run([products.analyze, "export", "chrome", database]).stdout
    told = [(event["name"], re.search(r"called at \S*/call_lines\.c:(\d+)$",
                                      event.get("args", {}).get("detail", "")))
            for event in json.loads(exported)["traceEvents"]]
    if not any(line for _, line in told):
        yield "chrome has no line of a call"
    for name, line in told:
        lines = [sum(places, []) for pair, places in wanted.items() if pair[1] == name]
        if line and lines and int(line[1]) not in sum(lines, []):
            yield f"chrome has {name} called at {line[1]}"


def differences_in_views(products, database, wanted):
    for view, lines in {"callgrind": lines_of_callgrind(products, database),
                        "pprof": lines_of_pprof(products, database),
                        "tree": lines_of_tree(products, database),
                        "callers": lines_of_callers(products, database, wanted)}.items():
        for (caller, callee), (first, others) in wanted.items():
            # what a copy calls is its host's, and recursion is one call
            if caller in ("copy", callee):
                continue
            if not any((caller, callee, line) in lines for line in first + others):
                yield f"{view} has no line of {caller}'s call of {callee}"


def asked():
    """{(function, line): bytes}"""
    with open(SOURCE, encoding="utf-8") as file:
        told = [re.search(r"//= (\w+) (\d+)$", line) for line in file]
    return {(one[1], number): int(one[2]) for number, one in enumerate(told, 1) if one}


def differences_in_memory(products, database, rounds):
    shown = harness.run([products.analyze, "memory", database, "--format", "json", "--limit",
                         "0"])
    memory = json.loads(shown.stdout)
    sites = {(row["owner"], row["line"]): row["alloc_bytes"] for row in
             memory["allocation_sites"]}
    if len(sites) != len(memory["allocation_sites"]):
        yield "a line has two rows"
    for key, size in asked().items():
        if sites.get(key) != size * rounds:
            yield f"{key[0]}:{key[1]} asks for {sites.get(key)} bytes, not {size * rounds}"
    for key in set(sites) - set(asked()):
        if sites[key] >= 10 * rounds:
            yield f"{key[0]}:{key[1]} asks for {sites[key]} bytes"
    for what in "alloc_bytes", "alloc_count", "free_count":
        total = sum(row[what] for row in memory["allocation_sites"])
        if total != memory["memory"][what]:
            yield f"{what}: {total} in all rows, {memory['memory'][what]} in all"


def check(products, compiler, level):
    wanted = truth()
    with tempfile.TemporaryDirectory(prefix="profshim-calls-") as directory:
        program = harness.compile_program(SOURCE, os.path.join(directory, "program"), compiler,
                                          level, [], True)
        for name, (rounds, settings) in RECORDINGS.items():
            database = os.path.join(directory, f"{name}.db")
            result = harness.run([program, str(rounds)], cwd=directory,
                                 env=products.environment(database, **settings))
            harness.expect(result.returncode == 0, f"ended with {result.returncode}")
            harness.settle(products, database)
            for problem in [*differences(database, wanted, rounds > 1),
                            *differences_in_views(products, database, wanted),
                            *differences_in_time(products, database, wanted),
                            *differences_in_memory(products, database, rounds)]:
                yield f"{name}: {problem}"


def main():
    products, failed = harness.Products(os.path.abspath(sys.argv[1])), False
    for compiler in "gcc", "clang":
        for level in "-O0", "-O2":
            for problem in check(products, compiler, level):
                print(f"{compiler} {level}, {problem}")
                failed = True
    sys.exit(failed)


main()
