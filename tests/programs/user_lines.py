#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Allocations are told by the user's line, however the library's headers were compiled.

usage: user_lines.py BUILD-ROOT

The program's lines say what they allocate (user_lines.cpp). It is built by both compilers
at two levels: with hooks in the headers of the library, too, with hooks in the user's sources
only, after inlining where there are such, with the library in the program, and without any. It
is recorded with all functions, without some that lie between the user's and those that
allocate, and, doing all this many times, at the default level, which counts most of them
instead; and with a rule that makes the user's header a library, and one that takes that back.
What is recorded of each line must be what it says, and nothing may be on other lines
of the user.
"""
import os
import re
import shutil
import sys
import tempfile

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCES = ("user_lines.h", "user_lines.cpp")
HEADERS = "-finstrument-functions-exclude-file-list=/usr/include,/usr/lib"
BUILDS = {
    "gcc": {"headers": ["-finstrument-functions"],
            "no headers": ["-finstrument-functions", HEADERS],
            "library in it": ["-finstrument-functions", "-static-libstdc++", "-static-libgcc"],
            "no hooks": []},
    "clang": {"headers": ["-finstrument-functions", "-DWITHOUT_SUMS"],
              "after inlining": ["-finstrument-functions-after-inlining"],
              "no hooks": []},
}


BETWEEN = ",".join(f"*{word}*" for word in (
    "push_back", "emplace", "_M_realloc_insert", "reserve", "_M_create_storage", "Vector_base",
    "_M_get_node", "_M_create_node", "_M_default_append", "make_unique", "make_shared", "filled",
    "StackI", "append", "_M_construct", "operator[]", "ixE"))
RECORDINGS = {
    "all": (1, {}),
    "without those between": (1, {"PROFSHIM_SKIP": BETWEEN}),
    "counted": (300, {"PROFSHIM_LEVEL": "full"}),
    "library asked for": (1, {"PROFSHIM_LIBRARY": r"/user_lines\.h$"}),
    "and taken back": (1, {"PROFSHIM_LIBRARY": "user_lines\n!user_lines"}),
}


def truth(rounds, flags, is_asked_for):
    """{(file, line): bytes}"""
    counts = {None: 0 if is_asked_for else rounds, "once": 1, "sums": rounds,
              "asked": rounds if is_asked_for else 0}
    if "-DWITHOUT_SUMS" in flags:
        counts["sums"] = 0
    lines = {}
    for name in SOURCES:
        if not name.endswith(".h"):
            counts[None] = rounds
        with open(os.path.join(HERE, name), encoding="utf-8") as file:
            for number, line in enumerate(file, 1):
                told = re.search(r"//@(once|sums|asked)? ([0-9 +]+)$", line)
                if told and counts[told[1]]:
                    lines[name, number] = sum(map(int, told[2].split("+"))) * counts[told[1]]
    return lines


OWNED = """SELECT SUM(owned_alloc_bytes), TOTAL(is_library * owned_alloc_bytes),
    SUM(alloc_bytes) FROM functions"""


def differences(database, wanted):
    """Between what is recorded and what the lines say, in words."""
    with harness.reading(database) as connection:
        rows = harness.query(connection,
                             "SELECT file, line, SUM(alloc_bytes) FROM allocation_sites "
                             "GROUP BY file, line")
        owned, own, made = harness.query(connection, OWNED)[0]
    lines = {(os.path.basename(file), line): size for file, line, size in rows if file}
    unknown = sum(size for file, _, size in rows if not file)
    # what nobody else is on the path of is the libraries' own, and has no line
    if owned != made or own != unknown:
        yield f"{owned} bytes are owned of {made}, by libraries {own} of {unknown} without line"
    for key in sorted(set(wanted) | set(lines)):
        if wanted.get(key) != lines.get(key):
            yield f"{key[0]}:{key[1]}: {lines.get(key)} bytes, not {wanted.get(key)}"


def record(products, program, name, rounds, settings):
    database = os.path.join(os.path.dirname(program), f"{name}.db")
    result = harness.run([program, str(rounds)], cwd=os.path.dirname(program),
                         env=products.environment(database, **settings))
    harness.expect(result.returncode == 0, f"ended with {result.returncode}")
    harness.settle(products, database)
    return database


def make_headers(build_root):
    """A library's directory, which stays: what was compiled with its name is kept."""
    headers = os.path.join(build_root, "tests", "headers", "include", "c++")
    os.makedirs(headers, exist_ok=True)
    shutil.copy(os.path.join(HERE, "user_lines_library.h"),
                os.path.join(headers, "static_template.h"))
    return headers


def check(products, headers, compiler, level, flags):
    with tempfile.TemporaryDirectory(prefix="profshim-lines-") as directory:
        program = harness.compile_program(os.path.join(HERE, SOURCES[1]),
                                          os.path.join(directory, "program"), compiler, level,
                                          [*flags, "-I" + headers], False)
        for name, (rounds, settings) in RECORDINGS.items():
            if rounds > 1 and not flags:
                continue  # without hooks nothing is counted
            database = record(products, program, name, rounds, settings)
            wanted = truth(rounds, flags, name == "library asked for")
            for problem in differences(database, wanted):
                yield f"{name}: {problem}"


def main():
    build_root, failed = os.path.abspath(sys.argv[1]), False
    products, headers = harness.Products(build_root), make_headers(build_root)
    for compiler, builds in BUILDS.items():
        for level, names in ("-O0", ["headers"]), ("-O2", builds):
            for name in names:
                flags = builds[name]
                for problem in check(products, headers, compiler, level, flags):
                    print(f"{compiler} {level}, {name}: {problem}")
                    failed = True
    sys.exit(failed)


main()
