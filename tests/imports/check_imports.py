#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Profiles of other programs become runs that say what they know, and no more; what is no
profile, or would cost without end, is refused in a sentence. usage: check_imports.py
PROF_ANALYZE"""
import contextlib
import gzip
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from profiles import Pprof, message, number

CPU = [("samples", "count"), ("cpu", "nanoseconds")]
FOLDED = """# of perf script
app;main;parse;std::vector<int, std::allocator<int> >::push_back(int const&) 120
app;main;parse 30
app;main;walk;walk;walk 10

app;main;server.(*conn).serve 7
app;main;[unknown] 3
"""


class Imports:
    def __init__(self, analyze, folder):
        self.analyze, self.folder, self.count, self.problems = analyze, folder, 0, []

    def run(self, kind, data, *arguments, stdin=False):
        """The database, and what the command said."""
        self.count += 1
        path = os.path.join(self.folder, f"{self.count}.profile")
        database = os.path.join(self.folder, f"{self.count}.db")
        data = data.encode() if isinstance(data, str) else data
        with open(path, "wb") as file:
            file.write(data)
        result = subprocess.run(
            [self.analyze, "import", kind, "-" if stdin else path, "-o", database, *arguments],
            input=data if stdin else None, capture_output=True, check=False, timeout=100)
        return database, result

    def stored(self, *arguments, **options):
        database, result = self.run(*arguments, **options)
        if result.returncode:
            self.problems.append(f"{arguments[0]}: refused: {result.stderr.decode()}")
        return database

    def expect(self, what, got, wanted):
        if got != wanted:
            self.problems.append(f"{what}: {got}, not {wanted}")

    def refuse(self, what, kind, data, sentence, *arguments, status=1):
        """One sentence, the status, and no file."""
        database, result = self.run(kind, data, *arguments)
        told = result.stderr.decode()
        self.expect(f"{what}: status", result.returncode, status)
        if sentence not in told or told.count("\n") != 1:
            self.problems.append(f"{what}: {told!r}, not {sentence!r}")
        self.expect(f"{what}: a file", os.path.exists(database), False)


def rows(database, sql):
    with contextlib.closing(sqlite3.connect(database)) as connection:
        return connection.execute(sql).fetchall()


def shown(imports, *arguments):
    return subprocess.run([imports.analyze, *arguments], capture_output=True, check=False,
                          text=True).stdout


def check_folded(imports):
    database = imports.stored("folded", FOLDED, "--unit", "10ms")
    imports.expect("folded: self", dict(rows(
        database, "SELECT name, self_ns / 10000000 FROM functions WHERE self_ns")),
        {"std::vector<int>::push_back": 120, "parse": 30, "walk": 10,
         "server.(*conn).serve": 7, "[unknown]": 3})
    # n samples are sqrt(n) more or less; recursion is in a total once
    imports.expect("folded: errors", dict(
        (name, (total, round(error / total * 100))) for name, total, error in rows(
            database, "SELECT name, total_ns, total_error_ns FROM functions WHERE name "
            "IN ('main', 'walk')")),
        {"main": (1_700_000_000, 15), "walk": (100_000_000, 62)})
    imports.expect("folded: what is known", rows(
        database, "SELECT DISTINCT recording, calls FROM call_paths"), [("sampled", 0)])
    imports.expect("folded: the run", rows(
        database, "SELECT wall_ns, started_utc, label FROM runs"), [(None, None, "1.profile")])
    text = shown(imports, "functions", database)
    for words in ("trust: sampled: calls are not known", "5 stacks of another program's"):
        if words not in " ".join(text.split()):
            imports.problems.append(f"functions does not say '{words}': {text}")
    if " calls " in text.split("\n\n")[1].split("\n")[0]:
        imports.problems.append("functions shows calls of a sampled run")
    again = imports.stored("folded", FOLDED, "--unit", "ns", "--label", "mine", stdin=True)
    imports.expect("folded: time", rows(
        again, "SELECT SUM(self_ns), MAX(self_error_ns), label FROM functions, runs"),
        [(170, 0, "mine")])


def check_appended(imports):
    """Two profiles in one file, compared with their errors."""
    database = imports.stored("folded", FOLDED, "--unit", "10ms", "--label", "before")
    path = os.path.join(imports.folder, "more.folded")
    with open(path, "w", encoding="utf-8") as file:
        file.write(FOLDED.replace(" 120", " 1200"))
    subprocess.run([imports.analyze, "import", "folded", path, "-o", database, "--unit",
                    "10ms"], check=True, capture_output=True)
    text = shown(imports, "compare", database)
    line = next((line for line in text.splitlines() if "push_back" in line), "")
    if "1.20s" not in line or "+10.8s" not in line:
        imports.problems.append(f"compare: {text}")
    if "Nothing was measured" in text:
        imports.problems.append(f"compare has nothing: {text}")
    calls = next((line.split() for line in text.splitlines() if line.startswith("calls ")), [])
    if calls[1:] != ["-", "-", "-", "-", "not", "known"] or "has no calls" not in text or \
            "by calls" in text or "wall less hooks" in text:
        imports.problems.append(f"compare tells of calls that nobody counted: {text}")
    told = json.loads(shown(imports, "compare", database, "--format", "json"))
    known = [total for total in told["totals"] if total["name"] == "calls"] + [
        {key: value for key, value in function.items()
         if key in ("before_calls", "after_calls", "by_calls_ns", "by_cost_ns")}
        for function in told["functions"]]
    if len(known) < 2 or any(one.get(key) is not None for one in known for key in
                             ("before", "after", "before_calls", "after_calls", "by_calls_ns")):
        imports.problems.append(f"compare tells of calls in JSON: {known}")
    delta = shown(imports, "delta", database, "start", "exit")
    if "12.0s" not in delta:
        imports.problems.append(f"delta: {delta}")


def go_profile():
    profile = Pprof(*CPU)
    inner, outer = profile.function("inline"), profile.function("main.(*T).outer", "m.go", 7)
    profile.put(3, message((1, 1), (5, profile.text("/bin/app")), (6, profile.text("beef"))))
    both = profile.location((inner, 3), (outer, 9), mapping=1)
    bare = profile.location(mapping=1, address=0x1234)
    root = profile.location((profile.function("_ZN2ns4mainEv"), 1), mapping=1)
    profile.sample([both, root], [3, 30_000_000], [("thread", "a"), ("x", "y")])
    profile.sample([root], [1, 10_000_000])
    profile.sample([bare, root], [2, 20_000_000])
    profile.put(9, 1_700_000_000_000_000_000)
    profile.put(10, 5_000_000_000)
    return profile


def check_pprof(imports):
    for packed in (True, False):
        database = imports.stored("pprof", go_profile().bytes(packed))
        imports.expect("pprof: paths", rows(
            database, "SELECT depth, name, self_ns FROM call_paths ORDER BY depth, name"),
            [(1, "ns::main", 10_000_000), (2, "0x1234 (app)", 20_000_000),
             (2, "main.(*T).outer", 0), (3, "inline", 30_000_000)])
        imports.expect("pprof: places", rows(
            database, "SELECT module, file, line, linkage_name FROM functions WHERE name "
            "LIKE 'main%' OR name = 'ns::main' ORDER BY name"),
            [("/bin/app", "m.go", 7, None), ("/bin/app", None, None, "_ZN2ns4mainEv")])
        imports.expect("pprof: the run", rows(
            database, "SELECT wall_ns, started_utc FROM runs"),
            [(5_000_000_000, "2023-11-14T22:13:20.000Z")])
        imports.expect("pprof: labels", rows(
            database, "SELECT value FROM trust WHERE name = 'imported_labels'"), [(2,)])


def check_heap(imports):
    profile = Pprof(("alloc_objects", "count"), ("alloc_space", "bytes"),
                    ("inuse_objects", "count"), ("inuse_space", "bytes"), ("odd", "apples"))
    stack = profile.stack("main", "make")
    profile.sample(stack, [10, 1000, 4, 400, 1])
    profile.sample(profile.stack("main"), [1, 64, 0, 0, 1])
    database = imports.stored("pprof", profile.bytes())
    imports.expect("heap: sites", rows(
        database, "SELECT name, alloc_count, alloc_bytes, free_count, live_count, live_bytes "
        "FROM allocation_sites ORDER BY name"),
        [("main", 1, 64, 1, 0, 0), ("make", 10, 1000, 6, 4, 400)])
    imports.expect("heap: left out", rows(
        database, "SELECT text FROM trust WHERE name = 'imported_types'"), [("odd",)])
    if "make" not in shown(imports, "leaks", database):
        imports.problems.append("leaks does not show what is live")


def wrong_pprofs():
    """What is wrong, the profile, the sentence."""
    profile = Pprof(*CPU)
    profile.sample([99], [1, 1])
    yield "a location that is not there", profile.bytes(), "a location that is not there"
    profile = Pprof(*CPU)
    profile.sample([profile.location((7, 1))], [1, 1])
    yield "a function that is not there", profile.bytes(), "a function that is not there"
    profile = Pprof(*CPU)
    profile.put(5, message((1, 1), (2, 1 << 62)))
    yield "a string that is not there", profile.bytes(), "a string that is not there"
    profile = Pprof(*CPU)
    profile.put(1, message((1, 1 << 40), (2, 0)))
    yield "a type without a string", profile.bytes(), "a string that is not there"
    profile = Pprof(*CPU)
    profile.sample(profile.stack("f"), [1])
    yield "a value too few", profile.bytes(), "lacks values"
    profile = Pprof(*CPU)
    profile.sample(profile.stack("f"), [1, 2, 3])
    yield "a value too many", profile.bytes(), "more values than there are types"
    profile = Pprof(*CPU)
    profile.sample(profile.stack("f"), [1, -5])
    yield "a negative value", profile.bytes(), "negative numbers"
    profile = Pprof(*CPU)
    for _ in range(3):
        profile.sample(profile.stack("f"), [1, 1 << 62])
    yield "too large a sum", profile.bytes(), "more than can be"
    profile = Pprof(("cpu", "seconds"))
    profile.sample(profile.stack("f"), [1 << 50])
    yield "too large a time", profile.bytes(), "too large a number"
    profile = Pprof(("apples", "pears"))
    profile.sample(profile.stack("f"), [1])
    yield "nothing that is known", profile.bytes(), "a kind that is known here, but apples"
    yield "no samples", Pprof(*CPU).bytes(), "has no stacks"
    sound = go_profile().bytes(packed=False)
    yield "nothing", b"", "is no pprof profile"
    yield "text", b"app;main 12\n", "is no pprof profile"
    yield "half of it", sound[:len(sound) // 2 + 1], "is no pprof profile, or cut"
    yield "a cut archive", go_profile().bytes()[:-20], "gzip archive"
    yield "a damaged archive", go_profile().bytes()[:30] + b"x" * 90, "gzip archive"
    yield "a number without an end", b"\x08" + b"\xff" * 40, "is no pprof profile"
    yield "a size beyond the end", b"\x32" + number(1 << 63) + b"abc", "is no pprof profile"
    yield "a group", b"\x0b\x0c", "is no pprof profile"
    # 640 MiB of empty strings in 600 KB; and one location of which all is made
    yield "a bomb", gzip.compress(b"\x32\x00" * (8 << 20)) * 40, "the limit"
    profile = Pprof(*CPU)
    function = profile.function("f")
    location = profile.location(*((function, line) for line in range(60000)))
    profile.sample([location] * 4000, [1, 1])
    yield "stacks without end", profile.bytes(), "134 million frames"


def check_hostile(imports):
    for what, data, sentence in wrong_pprofs():
        imports.refuse(what, "pprof", data, sentence)
    unit = ("--unit", "10ms")
    for what, data, sentence in (
            ("no number", "a;b\n", "line 1: has no number"),
            ("a float", "a;b 1\na;b 1.5\n", "line 2: has something else"),
            ("a negative one", "a;b -1\n", "negative"),
            ("a large one", "a 99999999999999999999\n", "too large"),
            ("a large time", f"a {1 << 61}\n", "too large"),
            ("a large sum", "a 100000000000\n" * 3, "more than can be"),
            ("no text", b"a\0b 1\n", "is no text"),
            ("nothing", "\n# nothing\n", "has no stacks")):
        imports.refuse(what, "folded", data, sentence, *unit)
    imports.refuse("no unit", "folded", FOLDED, "--unit", status=2)
    imports.refuse("no such unit", "folded", FOLDED, "--unit takes", "--unit", "3apples",
                   status=2)
    imports.refuse("a unit too many", "pprof", go_profile().bytes(), "no --unit", *unit,
                   status=2)
    imports.refuse("no such format", "perf", FOLDED, "there are: folded, pprof", status=2)


def check_output(imports):
    """What is not ours is not written into, and it is not the request that is wrong."""
    with open(os.path.join(imports.folder, "foreign.db"), "w", encoding="ascii") as file:
        file.write("nobody's database" * 100)
    os.mkdir(os.path.join(imports.folder, "folder.db"))
    for name, sentence in (("foreign.db", "name another output (-o, "),
                           ("folder.db", "is not a file"), ("no/where.db", "cannot open")):
        path = os.path.join(imports.folder, name)
        _, result = imports.run("folded", FOLDED, "--unit", "10ms", "-o", path)
        told = result.stderr.decode()
        imports.expect(f"{name}: status", result.returncode, 1)
        if sentence not in told or told.count("\n") != 1:
            imports.problems.append(f"{name}: {told!r}, not {sentence!r}")


def check_strange(imports):
    """What can be stored, though nobody meant it."""
    profile = Pprof(*CPU)
    profile.strings.append(b"\xff\xfe<b>\x1b[31m")
    profile.put(5, message((1, 1), (2, len(profile.strings) - 1)))
    profile.functions[None] = 1
    profile.sample([profile.location((1, -5))], [1, 1000])
    profile.sample([], [1, 1000])
    database = imports.stored("pprof", profile.bytes())
    imports.expect("names", rows(database, "SELECT name FROM functions ORDER BY name"),
                   [("[no stack]",), ("\ufffd\ufffd<b>\x1b[31m",)])
    if "\x1b" in shown(imports, "functions", database):
        imports.problems.append("a name steers the terminal")
    deep = imports.stored("folded", ";".join(["f"] * 100_000) + " 5\r\n;;x 1\n", "--unit",
                          "1ms")
    imports.expect("deep", rows(
        deep, "SELECT MAX(depth), SUM(self_ns) FROM call_paths"), [(100_000, 6_000_000)])
    imports.expect("deep functions", rows(
        deep, "SELECT name, total_ns FROM functions ORDER BY name"),
        [("?", 1_000_000), ("f", 5_000_000), ("x", 1_000_000)])


def main():
    with tempfile.TemporaryDirectory(prefix="profshim-imports-") as folder:
        imports = Imports(sys.argv[1], folder)
        for check in (check_folded, check_appended, check_pprof, check_heap, check_hostile,
                      check_output, check_strange):
            check(imports)
    print("\n".join(imports.problems))
    sys.exit(f"{len(imports.problems)} problems" if imports.problems else 0)


if __name__ == "__main__":
    main()
