#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Allocations are told by the user's line, however the library's headers were compiled.

usage: user_lines.py BUILD-ROOT

The program's lines say what they allocate (user_lines.cpp). It is built by both compilers
at two levels: with hooks in the headers of the library, too, with hooks in the user's sources
only, after inlining where there are such, and without any. What is recorded of each line must be what it says,
and nothing may be on other lines of the user.
"""
import os
import re
import sys
import tempfile

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("user_lines.cpp", "user_lines.h")
HEADERS = "-finstrument-functions-exclude-file-list=/usr/include,/usr/lib"
BUILDS = {
    "gcc": {"headers": ["-finstrument-functions"],
            "no headers": ["-finstrument-functions", HEADERS],
            "no hooks": []},
    "clang": {"headers": ["-finstrument-functions"],
              "after inlining": ["-finstrument-functions-after-inlining"],
              "no hooks": []},
}


def truth():
    """{(file, line): bytes}"""
    lines = {}
    for name in SOURCES:
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                counted = re.search(r"//@ ([0-9 +]+)$", line)
                if counted:
                    lines[name, number] = sum(map(int, counted[1].split("+")))
    return lines


OWNED = """SELECT SUM(owned_alloc_bytes), TOTAL(is_library * owned_alloc_bytes),
    SUM(alloc_bytes) FROM functions"""


def found(database):
    with harness.reading(database) as connection:
        # what nobody else is on the path of is the libraries' own, and has no line
        runtime = harness.query(connection, "SELECT TOTAL(alloc_bytes) FROM allocation_sites "
                                "WHERE file IS NULL")[0][0]
        owned, own, made = harness.query(connection, OWNED)[0]
        harness.expect(owned == made and own == runtime,
                       f"{owned} bytes are owned of {made}, by libraries {own} of {runtime}")
        rows = harness.query(connection,
                             "SELECT file, line, SUM(alloc_bytes) FROM allocation_sites "
                             "WHERE file IS NOT NULL GROUP BY file, line")
    return {(os.path.basename(file), line): size for file, line, size in rows}


def record(products, directory, compiler, level, flags):
    program = harness.compile_program(os.path.join(HERE, SOURCES[0]),
                                      os.path.join(directory, "program"), compiler, level,
                                      flags, False)
    database = os.path.join(directory, "run.db")
    result = harness.run([program], env=products.environment(database), cwd=directory)
    harness.expect(result.returncode == 0, f"ended with {result.returncode}")
    harness.settle(products, database)
    return database


def check(products, compiler, level, flags):
    with tempfile.TemporaryDirectory(prefix="profshim-lines-") as directory:
        lines = found(record(products, directory, compiler, level, flags))
    wanted = truth()
    for key in sorted(set(wanted) | set(lines)):
        if wanted.get(key) != lines.get(key):
            yield f"{key[0]}:{key[1]}: {lines.get(key)} bytes, not {wanted.get(key)}"


def main():
    products, failed = harness.Products(os.path.abspath(sys.argv[1])), False
    for compiler, builds in BUILDS.items():
        for level in ("-O0", "-O2"):
            for name, flags in builds.items():
                for problem in check(products, compiler, level, flags):
                    print(f"{compiler} {level}, {name}: {problem}")
                    failed = True
    sys.exit(failed)


main()
