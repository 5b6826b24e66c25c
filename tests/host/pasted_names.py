#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a report prints of a function is told apart from all others, and can be pasted into
callers, --focus and --skip: each of the names of a generated program."""
import json
import os
import re
import string

import host
from host import expect, scenario

HEAD = string.Template("""
#include <cstdio>
namespace warehouse { namespace inventory {
template <typename T, int N> struct shelf { T things[2]; long count(T) { return N; }
  long count(T, char) { return N + 1; } };
template <typename A, typename B> struct pairing { A a; B b;
  template <typename C> long matches(C) { return sizeof(A) + sizeof(C); } };
template <int N> struct tag {};
struct box { box() {} virtual ~box() {} bool operator<(box const &) const { return true; }
  long operator()(int, int) { return 3; } };
struct crate : box { ~crate() {} };
long an_operation_with_a_name_that_no_column_has_room_for_$file() { return 1; }
} }
using namespace warehouse::inventory;
static long helper(int) { return 1; }
static long helper(char) { return 2; }
""")


def source(number):
    lines = [HEAD.substitute(file=number), f"long part_{number}() {{", "  long sum = 0;"]
    for i in range(12):
        inner = f"pairing<tag<{10 * number + i}>, shelf<int, {i}>>"
        lines += [f"  sum += shelf<{inner}, {i}>().count({{}});",
                  f"  sum += shelf<{inner}, {i}>().count({{}}, 'c');",
                  f"  sum += pairing<{inner}, {inner}>().matches(tag<{i}>());"]
    lines += ["  { crate c; sum += box()(1, 2) + (box() < c); }",
              "  sum += helper(1) + helper('c');",
              "  sum += [](int, int) { return 5; }(1, 2) + [](int) { return 6; }(1);",
              f"  sum += an_operation_with_a_name_that_no_column_has_room_for_{number}();",
              "  return sum;", "}"]
    if number == 1:
        lines += ["long part_2();", "int main() { printf(\"%ld\\n\", part_1() + part_2()); }"]
    return "\n".join(lines)


def build(case):
    paths = []
    for number in (1, 2):
        paths.append(case.path(f"part_{number}.cpp"))
        with open(paths[-1], "w", encoding="utf-8") as out:
            out.write(source(number))
    program = case.path("pasted")
    built = case.run_plain(["g++", "-g", "-O0", "-finstrument-functions", *paths,
                            "-o", program])
    expect(built.returncode == 0, built.stderr)
    return program


def functions(case, *options):
    shown = case.analyze("functions", case.database, "--limit", "0", "-f", "json", *options)
    expect(shown.returncode == 0, f"{options}: {shown.stderr}")
    return json.loads(shown.stdout)["functions"]


def printed(case, width, count):
    """The names of the table in the order of the rows; no line is too long."""
    text = case.analyze("functions", case.database, "--limit", "0",
                        env={**os.environ, "COLUMNS": str(width), "LC_ALL": "C"}).stdout
    lines = text.splitlines()
    expect(max(map(len, lines)) <= width, f"longer than {width}: {max(lines, key=len)}")
    head = next(i for i, line in enumerate(lines) if re.match(" *self .*v ", line))
    stacked = "function" not in lines[head]
    at = 0 if stacked else lines[head].index("function")
    if stacked:
        rows = lines[head + 1:head + 1 + count * 2:2]
        return [re.split("  +", row)[0] for row in rows]
    names = []
    for line in lines[head + 1:]:
        if re.match("    [^ ]", line) and not line.startswith("    inlined into ") and \
                not re.match(" *(-|<?[0-9.]+[num]?s)( |$)", line):
            names[-1] = line.strip()  # in full below its row
        else:
            names.append(re.split("  +", line[at:])[0])
    return names[:count]


def record(case, program, skip=""):
    if os.path.exists(case.database):
        os.remove(case.database)
    case.unharmed([program], {"PROFSHIM_SKIP": skip})
    case.settle()
    return functions(case)


def batches(names):
    """Lists of rules as long as they may be."""
    batch = []
    for name in names:
        if len(batch) == 60 or len(",".join([*batch, name])) > 1000:
            yield batch
            batch = []
        batch.append(name)
    yield batch


@scenario
def every_name_is_taken(case):
    program = build(case)
    rows = record(case, program)
    expect(len(rows) > 90, f"{len(rows)} functions: this tests little")
    for width in (60, 80):
        names = printed(case, width, len(rows))
        twice = {name for name in names if names.count(name) > 1}
        expect(len(names) == len(rows) and not twice, f"at {width}: the same: {twice}")
    for name, row in zip(names, rows):
        found = case.analyze("callers", case.database, name, "-f", "json")
        expect(found.returncode == 0 and json.loads(found.stdout)["function"]
               ["function_id"] == row["function_id"], f"{name}, {row['name']}: {found}")
        if ".." in name or "(" in name:
            focused = functions(case, "--focus", name)
            expect(row["function_id"] in [one["function_id"] for one in focused],
                   f"--focus {name}, {row['name']}: {[one['name'] for one in focused]}")


@scenario
def every_name_is_skipped(case):
    """Names are pasted as they are; what they name is off, and nothing else."""
    program = build(case)
    rows = record(case, program)
    shown = printed(case, 80, len(rows))
    names = dict(zip(shown, [row["name"] for row in rows]))
    hooked = {one for one, row in zip(shown, rows) if row["module"] == program}
    mine = {shown: name for shown, name in names.items()
            if shown in hooked and name not in ("main", "part_1")}
    for batch in batches(mine):
        left = {row["name"] for row in record(case, program, ",".join(batch))
                if row["calls"]}
        still = [shown for shown in batch if mine[shown] in left]
        expect(not still, f"recorded all the same: {still}")
        gone = {name for shown, name in mine.items()
                if shown not in batch} - left
        expect(not gone, f"left out by {batch}: {gone}")


host.main()
