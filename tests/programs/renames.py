#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions of one name are found again, and those that somebody says are one.

usage: renames.py BUILD-ROOT

renames.cpp, before and after, by both compilers at three levels: what has another name is
one new and one gone, or with --rename one row that a gate knows by both names.
"""
import json
import os
import re
import sys
import tempfile

import harness

SOURCE = os.path.join(harness.HERE, "renames.cpp")
SAME = {"main", "run", "store", "weigh"}
RENAMED = {
    "parse_line": "read_record", "checksum": "util::checksum", "scale": "scale",
    "plain_buffer::plain_buffer": "ring_buffer::ring_buffer",
    "plain_buffer::fill": "ring_buffer::fill", "measure": "measure",
}
GONE = {"process", "north::mix", "south::mix", "legacy"}
NEW = {"process_head", "process_tail", "mix", "fresh"}
SAID = [word for pair in {**RENAMED, "scale": None, "scale<int>": "scale<long>"}.items()
        if pair[1] for word in ("--rename", "=".join(pair))]


def bare(name):
    return re.sub(r"[<(].*", "", name)


class Sides:
    """The program before and after, and what compare says of recordings of both."""

    def __init__(self, products, folder, compiler, level):
        self.products, self.folder = products, folder
        self.programs = {
            side: harness.compile_program(SOURCE, os.path.join(folder, side), compiler,
                                          level, flags)
            for side, flags in (("before", []), ("after", ["-DAFTER"]))}

    def database(self, side):
        return os.path.join(self.folder, side + ".db")

    def record(self, side):
        result = harness.run([self.programs[side]], cwd=self.folder,
                             env=self.products.environment(self.database(side)))
        harness.expect(result.returncode == 0, f"{side} ended with {result.returncode}")
        harness.settle(self.products, self.database(side))

    def compare(self, status, *arguments):
        result = harness.run([self.products.analyze, "compare", self.database("before"),
                              self.database("after"), *arguments])
        harness.expect(result.returncode == status,
                       f"{arguments}: {result.returncode}, not {status}:\n"
                       f"{result.stdout}{result.stderr}")
        return result.stdout

    def document(self, *arguments):
        return json.loads(self.compare(0, "--format", "json", *arguments))


def check_partners(document, renamed):
    rows = [row for row in document["functions"] if row["file"]]  # the program's

    def names(column, status):
        return sorted(bare(row[column]) for row in rows if row["status"] == status)
    pairs = {bare(row["before_name"]): bare(row["name"]) for row in rows
             if row["status"] == "matched"}
    wanted = {name: name for name in SAME} | renamed
    left = {old: new for old, new in RENAMED.items() if old not in renamed}
    harness.expect(pairs == wanted, f"not these partners: {pairs.items() ^ wanted.items()}")
    harness.expect(names("before_name", "gone") == sorted([*GONE, *left]), "other ones are gone")
    harness.expect(names("name", "new") == sorted([*NEW, *left.values()]), "other ones are new")


def check_sums(document):
    for row in document["balance"]:
        parts = row["matched"] + row["new"] + row["gone"]
        harness.expect(parts == row["difference"], f"parts that do not add up: {row}")


def check_sites(document):
    """Nothing is allocated elsewhere now, nor are its call paths others than before."""
    sites = [(row["owner"], row["status"]) for row in document["allocation_sites"]]
    harness.expect(sites == [], f"other allocation sites: {sites}")
    names = {bare(row["path"][-1]) for row in document["call_paths"]
             if row["status"] != "matched"}
    harness.expect(names <= NEW | GONE, f"new or gone paths to {names}")


def check_gates(sides):
    for name in ("read_record", "parse_line", "util::checksum", "checksum", "measure",
                 "ring_buffer::fill", "plain_buffer::fill"):
        sides.compare(0, "--gate", f"func:{name}.calls=0%", *SAID)
    sides.compare(4, "--gate", "func:parse_line.calls=0%")
    for name in ("process", "legacy", "process_tail"):
        sides.compare(4, "--gate", f"func:{name}.calls=0%")


def check_text(sides):
    """By either name; and what did not change is counted, not shown."""
    text = sides.compare(0, *SAID)
    harness.expect(re.search(r"\d\s+unchanged", text), text)
    text = sides.compare(0, "--limit", "0", *SAID)
    harness.expect(re.search(r" read_record\n +renamed from \w+", text), text)
    focused = sides.compare(0, "--focus", "parse_line", "--limit", "0", *SAID)
    harness.expect("read_record" in focused and "legacy" not in focused, focused)


def check(products, folder, compiler, level):
    sides = Sides(products, folder, compiler, level)
    for side in sides.programs:
        sides.record(side)
    document = sides.document()
    check_partners(document, {})
    check_sums(document)
    document = sides.document(*SAID)
    check_partners(document, RENAMED)
    check_sums(document)
    check_sites(document)
    check_gates(sides)
    check_text(sides)
    return sides


def check_groups(sides):
    """Runs without labels are a group, and matching goes over all of them."""
    for side in sides.programs:
        command = [sides.products.record, "--repeat", "2", "--append", "-o",
                   sides.database(side), "--", sides.programs[side]]
        result = harness.run(command, cwd=sides.folder, env=harness.plain_environment())
        harness.expect(result.returncode == 0, f"{command}: {result.stderr}")
    document = sides.document()
    counts = [document["sides"][side + "_run_count"] for side in sides.programs]
    harness.expect(counts == [3, 3], f"{counts} runs are compared, not 3 and 3")
    check_partners(document, {})


def main():
    products = harness.Products(sys.argv[1])
    for compiler in harness.COMPILERS:
        for level in ("-O0", "-O2", "-O3 -flto"):
            with tempfile.TemporaryDirectory(prefix="profshim-renames-") as folder:
                sides = check(products, folder, compiler, level)
                if level == "-O0":
                    check_groups(sides)
            print(f"{compiler} {level}: fine")


try:
    main()
except harness.Failure as failure:
    print(failure)
    sys.exit(1)
