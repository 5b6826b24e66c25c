#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that were renamed, moved or made from other templates are found again.

usage: renames.py BUILD-ROOT

renames.cpp, before and after, by both compilers at three levels: what belongs together is
one row, what was split or could be either stays two, and a gate knows both names.
"""
import json
import os
import re
import sys
import tempfile

import harness

SOURCE = os.path.join(harness.HERE, "renames.cpp")
# what each function is now; None: gone, or nobody can tell
TRUTH = {
    "main": "main", "run": "run", "store": "store", "measure": "measure",
    "parse_line": "read_record", "checksum": "util::checksum", "scale": "scale",
    "plain_buffer::plain_buffer": "ring_buffer::ring_buffer",
    "plain_buffer::fill": "ring_buffer::fill",
    "process": None, "north::mix": None, "south::mix": None, "legacy": None,
}
NEW = {"process_head", "process_tail", "mix", "fresh"}
RENAMED = {"read_record", "ring_buffer::ring_buffer"}


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

    def document(self):
        return json.loads(self.compare(0, "--format", "json"))


def check_partners(document):
    rows = [row for row in document["functions"] if row["file"]]  # the program's
    found = {bare(row["before_name"]): bare(row["name"]) if row["status"] == "matched" else None
             for row in rows if row["status"] != "new"}
    new = {bare(row["name"]) for row in rows if row["status"] == "new"}
    harness.expect(found == TRUTH, f"not these partners: {sorted(found.items() ^ TRUTH.items())}")
    harness.expect(new == NEW, f"new are {new}")
    renamed = {bare(row["name"]) for row in document["functions"]
               if row["matched_by"] == "renamed"}
    harness.expect(renamed == RENAMED, f"renamed are {renamed}")


def check_notes(document):
    """Said once, with both names."""
    notes = {note["name"]: note["text"] for note in document["notes"]}
    harness.expect("'read_record' was 'parse_line'" in notes.get("renamed", ""), str(notes))
    harness.expect(notes.get("uncertain", "").startswith("3 functions"), str(notes))


def check_sums(document):
    for row in document["balance"]:
        parts = row["matched"] + row["new"] + row["gone"]
        harness.expect(parts == row["difference"], f"parts that do not add up: {row}")
    sites = [(row["owner"], row["status"]) for row in document["allocation_sites"]]
    harness.expect(sites == [], f"nothing is allocated elsewhere now: {sites}")
    # nor are its call paths others than before
    names = {bare(row["path"][-1]) for row in document["call_paths"]
             if row["status"] != "matched"}
    gone = {name for name, now in TRUTH.items() if now is None}
    harness.expect(names <= NEW | gone, f"new or gone paths to {names}")


def check_gates(sides):
    for name in ("read_record", "parse_line", "util::checksum", "checksum", "measure",
                 "ring_buffer::fill", "plain_buffer::fill"):
        sides.compare(0, "--gate", f"func:{name}.calls=0%")
    for name in ("process", "legacy", "process_tail"):
        sides.compare(4, "--gate", f"func:{name}.calls=0%")


def check_text(sides):
    """No tiers; by either name; and what did not change is counted, not shown."""
    text = sides.compare(0)
    harness.expect("tier" not in text and re.search(r"\d\s+unchanged", text), text)
    text = sides.compare(0, "--limit", "0")
    harness.expect(re.search(r"renamed +read_record$", text, re.MULTILINE), text)
    focused = sides.compare(0, "--focus", "parse_line")
    harness.expect("read_record" in focused and "legacy" not in focused, focused)


def check(products, folder, compiler, level):
    sides = Sides(products, folder, compiler, level)
    for side in sides.programs:
        sides.record(side)
    document = sides.document()
    check_partners(document)
    check_notes(document)
    check_sums(document)
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
    check_partners(document)


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
