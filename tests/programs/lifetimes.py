#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Constructors and destructors count once for each object, however the compiler made them.

usage: lifetimes.py BUILD-ROOT

lifetimes.cpp with other options than usual, recorded with each call and with a budget, by
which most entries are only counted: the calls of each function, and what reports, pictures
and exports say of it.
"""
import json
import os
import sys
import tempfile

import harness

SOURCE = os.path.join(harness.HERE, "lifetimes.cpp")
BUILDS = (("gcc", "-O2", ()), ("gcc", "-Os", ("-g0",)), ("clang", "-O2", ()),
          ("clang", "-O0", ("-g0",)))
ROUNDS = 3000
# calls in each round, of the constructor and of the destructor
TRUTH = {"Shape": 90, "Circle": 90, "Top": 75, "Left": 70, "Right": 50, "Both": 50,
         "List": 40, "Nest": 12, "Box<int>": 5}


def names(of):
    last = of.split("<")[0]
    return f"{of}::{last}", f"{of}::~{last}"


class Recording:
    def __init__(self, products, program, rounds, level):
        folder = os.path.dirname(program)
        self.products, self.rounds = products, rounds
        self.database = os.path.join(folder, level + ".db")
        environment = products.environment(self.database, PROFSHIM_LEVEL=level)
        result = harness.run([program, str(rounds)], cwd=folder, env=environment)
        harness.expect(result.returncode == 0, f"{level}: ended with {result.returncode}")
        harness.settle(products, self.database)

    def output(self, *arguments):
        result = harness.run([self.products.analyze, *arguments])
        harness.expect(result.returncode == 0, f"{arguments}: {result.stderr}")
        return result.stdout

    def trust(self, name):
        return harness.value(self.database,
                             f"SELECT TOTAL(value) FROM trust WHERE name = '{name}'")

    def nested(self):
        return self.trust("nested_entries") + self.trust("nested_counted")

    def check_calls(self):
        found = dict(harness.query(self.database, "SELECT name, calls FROM functions "
                                   "WHERE calls > 0"))
        wanted = {name: calls * self.rounds for of, calls in TRUTH.items()
                  for name in names(of)}
        differ = {name: (found.get(name), calls) for name, calls in wanted.items()
                  if found.get(name) != calls}
        harness.expect(not differ, f"found and expected calls: {differ}")
        entries = self.trust("hook_calls") + self.trust("counted_calls")
        harness.expect(entries == sum(found.values()) + self.nested(),
                       "entries are not calls and nested ones")
        lost = harness.query(self.database, "SELECT f.name FROM functions f JOIN recordings "
                             "USING (function_id) WHERE counted_calls > f.calls")
        harness.expect(not lost, f"more calls were counted than there were: {lost}")

    def check_histograms(self):
        """Durations of all calls with frames and of no other."""
        strange = harness.query(self.database, "SELECT name, min_ns, p50_ns, max_ns FROM "
                                "functions WHERE name LIKE '%::%' AND calls > 0 AND NOT "
                                "(p50_ns BETWEEN min_ns AND max_ns)")
        harness.expect(not strange, f"no durations: {strange}")

    def check_reports(self):
        callers = json.loads(self.output("callers", "Both::~Both", self.database, "-f", "json"))
        found = {row["name"]: row["calls"] for row in callers["callers"]}
        harness.expect(found == {"deleted": 35 * self.rounds, "whole": 15 * self.rounds},
                       f"callers of Both::~Both: {found}")
        folded = self.output("export", "folded", self.database, "--metric", "calls",
                             "--focus", "Both::~Both").splitlines()
        found = {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) // self.rounds
                 for line in folded}
        wanted = {f"main;{by};Both::~Both{below}": calls
                  for by, calls in (("deleted", 35), ("whole", 15))
                  for below in ("", ";Top::~Top", ";Left::~Left", ";Right::~Right")}
        harness.expect(found == wanted, f"folded: {found}")


def check_build(products, compiler, level, flags):
    with tempfile.TemporaryDirectory(prefix="profshim-lifetimes-") as folder:
        program = harness.compile_program(SOURCE, os.path.join(folder, "lifetimes"), compiler,
                                          level, flags)
        exact = Recording(products, program, 1, "exact")
        budget = Recording(products, program, ROUNDS, "full")
        for recording in (exact, budget):
            recording.check_calls()
            recording.check_histograms()
        exact.check_reports()  # who called those that were only counted is not known
        harness.expect(budget.trust("counted_calls") > 0, "nothing was only counted")
        harness.expect(budget.nested() == ROUNDS * exact.nested(),
                       "other entries are nested when they are counted")


def main():
    products = harness.Products(sys.argv[1])
    for compiler, level, flags in BUILDS:
        try:
            check_build(products, compiler, level, flags)
        except harness.Failure as failure:
            sys.exit(f"{compiler} {level} {' '.join(flags)}: {failure}")


main()
