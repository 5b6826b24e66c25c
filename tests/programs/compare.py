#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Record a real program before and after a change and compare.

usage: compare.py BUILD-ROOT

The changed function must stand first and the gate must fail for the change; it must pass
without one; and what compare says must add up to what the databases hold.
"""
import json
import os
import sys
import tempfile

import harness

SUMS = {"self_ns": "SUM(self_ns)", "calls": "SUM(calls)", "alloc_count": "SUM(alloc_count)",
        "alloc_bytes": "SUM(alloc_bytes)"}
EXACT = "alloc_count=0%,alloc_bytes=0%,peak=0%,calls=0%"


class Bench:
    def __init__(self, products, folder):
        self.products, self.folder = products, folder
        source = os.path.join(harness.HERE, "words.c")
        self.programs = {}
        for name, flags in (("plain", []), ("copies", ["-DCOPIES"]), ("linear", ["-DLINEAR"])):
            os.mkdir(os.path.join(folder, name))
            self.programs[name] = harness.compile_program(
                source, os.path.join(folder, name, "words"), flags=flags)

    def record(self, name, database, **settings):
        database = os.path.join(self.folder, database)
        result = harness.run([self.programs[name]], cwd=self.folder,
                             env=self.products.environment(database, **settings))
        harness.expect(result.returncode == 0, f"{name} ended with {result.returncode}")
        harness.settle(self.products, database)
        return database

    def compare(self, *arguments):
        result = harness.run([self.products.analyze, "compare", *arguments])
        return result.returncode, result.stdout + result.stderr

    def status(self, wanted, *arguments):
        status, text = self.compare(*arguments)
        harness.expect(status == wanted,
                       f"compare {' '.join(arguments)} ended with {status}, not {wanted}:\n{text}")

    def document(self, *arguments):
        status, text = self.compare("--format", "json", *arguments)
        harness.expect(status == 0, f"compare ended with {status}:\n{text}")
        return json.loads(text)


def check_balance(document, before, after):
    """The parts add up, and to what the databases hold."""
    for row in document["balance"]:
        sql = f"SELECT {SUMS[row['name']]} FROM functions"
        difference = harness.value(after, sql) - harness.value(before, sql)
        harness.expect(row["matched"] + row["new"] + row["gone"] == row["difference"],
                       f"parts that do not add up: {row}")
        harness.expect(row["difference"] == difference,
                       f"{row['name']} differs by {difference}, not {row['difference']}")
    for table, metric in (("functions", "self_ns"), ("call_paths", "self_ns"),
                          ("allocation_sites", "alloc_bytes")):
        rows = document[table]
        part = sum(row["after_" + metric] - row["before_" + metric] for row in rows)
        total = next(row["difference"] for row in document["balance"] if row["name"] == metric)
        harness.expect(part == total, f"{table}: {metric} adds up to {part}, not {total}")


def first(document, table):
    return document[table][0]["owner" if table == "allocation_sites" else "name"]


def test_pairs(bench):
    plain = bench.record("plain", "plain.db")
    copies = bench.record("copies", "copies.db")
    linear = bench.record("linear", "linear.db")

    document = bench.document(plain, copies)
    check_balance(document, plain, copies)
    harness.expect(first(document, "functions") == "count_word", document["functions"][:3])
    harness.expect(first(document, "allocation_sites") == "count_word",
                   document["allocation_sites"][:3])
    bench.status(3, plain, copies, "--gate", "alloc_count=0%")
    bench.status(3, plain, copies, "--fail-on", "regression")
    bench.status(0, plain, copies, "--gate", "alloc_count=40000,alloc_bytes=1MiB")

    document = bench.document(plain, linear)
    check_balance(document, plain, linear)
    harness.expect(first(document, "functions") == "lookup", document["functions"][:3])
    status = {row["name"]: row["status"] for row in document["functions"]}
    harness.expect(status["hash"] == "gone", f"hash is {status['hash']}")
    # one run a side: a time cannot be judged
    bench.status(4, plain, linear, "--gate", "func:lookup.self=50%")
    bench.status(4, plain, linear, "--gate", "func:hash.calls=0%")


def test_unchanged(bench):
    one = bench.record("plain", "one.db")
    for number in range(3):
        other = bench.record("plain", f"other{number}.db")
        bench.status(0, one, other, "--gate", EXACT)
        bench.status(4, one, other, "--gate", EXACT, "--fail-on", "regression")


def test_groups(bench):
    for _ in range(5):
        bench.record("plain", "groups.db", PROFSHIM_LABEL="before")
        database = bench.record("linear", "groups.db", PROFSHIM_LABEL="after")
    document = bench.document(database)
    lookup = document["functions"][0]
    harness.expect(lookup["name"] == "lookup" and lookup["verdict"] == "regressed", str(lookup))
    bench.status(3, database, "--gate", "func:lookup.self=50%")
    bench.status(3, database, "--fail-on", "regression")


def main():
    bench_root = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(harness.Products(bench_root), folder)
        for test in (test_pairs, test_unchanged, test_groups):
            test(bench)
            print(f"{test.__name__}: fine")


try:
    main()
except harness.Failure as failure:
    print(failure)
    sys.exit(1)
