#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pictures show the user's functions: what runs threads is one frame, libraries can be.

usage: frames.py BUILD-ROOT

frames.cpp, with hooks in the headers of the library, too. Whatever is folded, what all
frames have by themselves adds up to the same, and the user's functions have what they had.
"""
import collections
import json
import os
import re
import sys
import tempfile
import xml.etree.ElementTree

import harness

SOURCE = os.path.join(harness.HERE, "frames.cpp")
USER = re.compile(r"main|work|Worker::|plain|late|is_less|packed")
# what runs them; the library of the compiler may be another one
RUNNERS = ("thread of Worker::operator()", "thread of plain", "thread of packed",
           "task of late")
LAMBDA = {"gcc": "thread of main::{lambda#1}"}
# what runs threads; what makes them (their constructors, below main) is a library's as any
MACHINERY = re.compile(r"^std::thread::_State_impl<.*::_M_run$|^std::thread::_Invoker<.*::"
                       r"operator\(\)$|^start_thread|^execute_native|^clone")


def record(products, folder, compiler, level):
    program = harness.compile_program(SOURCE, os.path.join(folder, "frames"), compiler, level,
                                      ["-pthread"])
    database = os.path.join(folder, "run.db")
    result = harness.run([program], cwd=folder, env=products.environment(database))
    harness.expect(result.returncode == 0, f"ended with {result.returncode}")
    harness.settle(products, database)
    return database


def output(products, *arguments):
    result = harness.run([products.analyze, *arguments])
    harness.expect(result.returncode == 0, f"{arguments}: {result.stderr}")
    return result.stdout


def stacks(products, database, metric, *options):
    """{last function: what it has by itself}, and the names of all."""
    own, names = collections.Counter(), set()
    for line in output(products, "export", "folded", database, "--metric", metric,
                       *options).splitlines():
        path, number = line.rsplit(" ", 1)
        own[path.rsplit(";", 1)[-1]] += int(number)
        names.update(path.split(";"))
    return own, names


def check_folded(products, database):
    for metric in ("time", "calls", "bytes", "allocs", "cpu"):
        plain, _ = stacks(products, database, metric)
        folded, names = stacks(products, database, metric, "--fold-library")
        harness.expect(sum(plain.values()) == sum(folded.values()),
                       f"{metric}: {sum(folded.values())}, not {sum(plain.values())}")
        others = {name for name in plain if USER.match(name)}
        harness.expect({name: plain[name] for name in others} ==
                       {name: folded[name] for name in others},
                       f"{metric}: the user's functions have not what they had")
        strange = {name for name in names if name.startswith(("std::", "__gnu_cxx::"))}
        harness.expect(not strange, f"{metric}: not folded are {strange}")


def picture(products, database, *options):
    """{name: class} of the frames, and the share of each."""
    text = output(products, "flamegraph", database, "--metric", "calls", "--min-share", "0",
                  *options)
    space = "{http://www.w3.org/2000/svg}"
    frames = xml.etree.ElementTree.fromstring(text).find(f"{space}g[@id='frames']")
    lines = [(group.find(space + "title").text.split("\n"), group.get("class") or "")
             for group in frames]
    return {title[0]: kind for title, kind in lines}, lines[0][0][-1]


def check_picture(products, database, compiler):
    frames, whole = picture(products, database)
    all_frames, whole_of_all = picture(products, database, "--unfold-threads")
    few, whole_of_few = picture(products, database, "--fold-library")
    harness.expect(whole == whole_of_all == whole_of_few, f"{whole}, {whole_of_all}")
    for name in (*RUNNERS, *filter(None, [LAMBDA.get(compiler)])):
        harness.expect(name in frames and name in few and name not in all_frames,
                       f"no frame '{name}' among {sorted(frames)}")
    shown = [name for name in frames if MACHINERY.match(name)]
    harness.expect(not shown, f"machinery is shown: {shown}")
    harness.expect(any(MACHINERY.match(name) for name in all_frames), "none is there at all")
    harness.expect("library" in few and "library" not in frames, "no frame 'library'")
    for name, kind in frames.items():
        dim = name.startswith(("std::", "__gnu_cxx::", "thread", "task"))
        harness.expect(not dim or "library" in kind, f"'{name}' is not dim")
        harness.expect("library" not in kind or not USER.match(name), f"'{name}' is dim")


def check_tree(products, database):
    def rows(*options):
        return json.loads(output(products, "tree", database, "-f", "json", *options))["call_tree"]

    plain, folded = rows(), rows("--fold-library")
    for metric in ("self_ns", "alloc_bytes"):
        sums = [sum(row[metric] for row in tree) for tree in (plain, folded)]
        harness.expect(sums[0] == sums[1], f"tree: {metric} {sums[1]}, not {sums[0]}")
    # copies that were inlined have no row of their own; in 'library' they count
    calls = [sum(row["calls"] or 0 for row in tree) for tree in (plain, folded)]
    calls.append(harness.value(database, "SELECT SUM(calls) FROM functions"))
    harness.expect(calls == sorted(calls), f"tree: calls {calls}")
    total = sum(row["total_ns"] for row in folded if row["depth"] == 1)
    harness.expect(total == sum(row["total_ns"] for row in plain if row["depth"] == 1),
                   "tree: the roots' totals")
    kinds = {row["name"]: row["kind"] for row in folded}
    harness.expect(kinds["library"] == "folded" and kinds["is_less"] == "function", str(kinds))
    asked = max((row for row in plain if row["name"].startswith("std::")),
                key=lambda row: row["self_ns"])["name"]
    focused = {row["name"] for row in rows("--fold-library", "--focus", asked)}
    harness.expect(asked in focused, f"'{asked}' was asked for and is folded: {focused}")


def main():
    products = harness.Products(sys.argv[1])
    for compiler in harness.COMPILERS:
        for level in ("-O0", "-O2"):
            with tempfile.TemporaryDirectory(prefix="profshim-frames-") as folder:
                database = record(products, folder, compiler, level)
                check_folded(products, database)
                check_picture(products, database, compiler)
                check_tree(products, database)
            print(f"{compiler} {level}: fine")


try:
    main()
except harness.Failure as failure:
    print(failure)
    sys.exit(1)
