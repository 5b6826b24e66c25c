#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Regions, steps and counters where processes, libraries, names and room come to an end."""
import os
import subprocess

import host
from host import LeftOut, expect, need_root, scenario


def rows(case, sql):
    return host.harness.query(case.database, sql)


def record(case, *arguments, settings=None):
    result = case.unharmed([case.compile("marks.c"), *arguments], settings)
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stdout}")
    case.settle()
    return result


def expect_trust(case, **expected):
    for name in ("repaired_frames", "orphan_exits", "lost_marks", "lost_processes",
                 "damaged_entries"):
        value = case.trust(name)
        expect(value == expected.get(name, 0), f"trust: {name} is {value:.0f}")


def region_calls(case, pattern):
    return case.value("SELECT TOTAL(calls) FROM call_paths WHERE kind = 'region' AND "
                      f"name LIKE '{pattern}'")


def expect_marks(case, pattern, count, names):
    """Of all three kinds."""
    found = (region_calls(case, pattern),
             case.value("SELECT COUNT(*) FROM functions WHERE recording = 'exact' AND module "
                        f"IS NULL AND name LIKE '{pattern}' AND component = 'app'"),
             *rows(case, "SELECT TOTAL(step_count), COUNT(*) FROM step_totals WHERE "
                   f"process_id IS NULL AND name LIKE '{pattern}'")[0],
             *rows(case, "SELECT TOTAL(sum), COUNT(*) FROM counter_totals WHERE "
                   f"process_id IS NULL AND name LIKE '{pattern}'")[0])
    expect(found == (count, names) * 3, f"{pattern}: calls and names of regions, steps and "
           f"counters {found}, not {count} and {names}")


@scenario
def executed_inside_a_region(case):
    record(case, "exec")
    expect_trust(case)
    expect_marks(case, "before", 2, 1)
    expect_marks(case, "after", 1, 1)
    expect(region_calls(case, "executing") == 1, "the region that never ended")
    found = rows(case, "SELECT step_count FROM step_totals WHERE name = 'before' "
                 "AND process_id IS NOT NULL")
    expect(found == [(1,), (1,)], f"steps of the two images: {found}")


@scenario
def children_name_the_same(case):
    """32 threads of 8 processes add names to one table at the same time, in all ways of
    beginning it. Each name is there once."""
    for _ in range(3):
        record(case, "children")
        expect_trust(case)
        expect_marks(case, "own %", 32 * 20, 32 * 20)
        expect_marks(case, "shared %", 32 * 20, 20)
        expect(case.calls("work") == 32 * 40, f"{case.calls('work'):.0f} calls of work")
        expect(region_calls(case, "[%") == 0, "names that had no room")
        os.remove(case.database)


@scenario
def more_names_than_room(case):
    """1,022 regions have their names, the rest share one; nothing is lost of any."""
    record(case, "full")
    expect_trust(case)
    total = 32 * 60
    expect(region_calls(case, "%") == total, f"{region_calls(case, '%'):.0f} calls")
    expect(region_calls(case, "name %") == 1022, f"{region_calls(case, 'name %'):.0f} named")
    expect(region_calls(case, "[more regions]") == total - 1022, "not the rest")
    expect(case.calls("work") == total, f"{case.calls('work'):.0f} calls of work")
    found = rows(case, "SELECT SUM(step_count), COUNT(*) FROM step_totals WHERE process_id "
                 "IS NULL")
    expect(found == [(total, total)], f"steps: {found}")


@scenario
def killed_inside_a_region(case):
    record(case, "killed")
    expect_trust(case)
    expect_marks(case, "turn", 2, 1)
    expect(region_calls(case, "killed") == 1, "the region that never ended")


@scenario
def child_that_borrows_memory(case):
    record(case, "vfork")
    expect_trust(case)
    expect_marks(case, "turn", 20, 1)
    expect(region_calls(case, "borrowed") == 10, "regions of the children")
    found = rows(case, "SELECT caller, calls FROM call_edges WHERE callee = 'work' ORDER BY 1")
    expect(found == [("run_vfork", 10), ("turn", 20)], f"callers of work: {found}")


@scenario
def names_of_closed_libraries(case):
    libraries = []
    for who in ("one", "two"):
        libraries.append(host.harness.compile_program(
            os.path.join(host.HERE, "marking_plugin.c"), case.path(f"{who}.so"),
            flags=["-shared", "-fPIC", f'-DWHO="{who}"']))
    result = record(case, "libraries", *libraries)
    expect("used again" in result.stdout, "the libraries do not share addresses")
    expect_trust(case)
    for who in ("one", "two"):
        found = (region_calls(case, who),
                 case.value("SELECT SUM(step_count) FROM step_totals WHERE process_id IS NULL "
                            f"AND name = 'step of {who}'"),
                 case.value("SELECT SUM(sum) FROM counter_totals WHERE process_id IS NULL AND "
                            f"name = 'counter of {who}'"))
        expect(found == (100, 100, 200), f"marks of {who}: {found}")


def expect_rest_told(case, known):
    """No more room after `known` turns of main(): what was known goes on, the names of the
    rest do not come, and each of their marks is told. 10 times 1 known and 40 new names."""
    marks = case.value("SELECT (SELECT TOTAL(step_count) FROM step_totals WHERE process_id "
                       "IS NULL) + (SELECT TOTAL(counter_count) FROM counter_totals WHERE "
                       "process_id IS NULL)")
    all_turns, kept = known + 410, known + 10 if known else 0
    expect(marks == 2 * kept, f"{marks:.0f} marks, not {2 * kept}")
    expect_trust(case, lost_marks=2 * (all_turns - kept))
    found = rows(case, "SELECT name, SUM(calls) FROM call_paths WHERE kind = 'region' "
                 "GROUP BY 1 ORDER BY 1")
    expected = [("[more regions]", all_turns - kept)] + [("known", kept)] * (kept > 0)
    expect(found == expected, f"regions {found}, not {expected}")
    for name, calls in (("turn", all_turns), ("work", all_turns + 1)):
        expect(case.calls(name) == calls, f"{case.calls(name):.0f} calls of {name}")
    expect(case.trust("folded_paths") == 0, "paths were folded")


@scenario
def forbidden_to_grow(case):
    for way, known in (("sealed", 1), ("sealed-early", 0)):
        record(case, way)
        expect_rest_told(case, known)
        expect(case.trust("note_sealed") == 1, "the note is missing")
        os.remove(case.database)


@need_root
def filled_disk(case):
    disk, program = case.path("disk"), case.compile("marks.c")
    os.makedirs(disk)
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "profshim-test", disk],
                             check=False, stderr=subprocess.DEVNULL)
    if mounted.returncode:
        raise LeftOut("a tmpfs cannot be mounted")
    try:
        case.database = os.path.join(disk, "run.db")
        result = case.run([program, "filled", os.path.join(disk, "filler")])
        expect(result.returncode == 0 and not result.stderr, f"{result}")
        os.remove(os.path.join(disk, "filler"))
        case.settle()
        expect_trust(case, lost_marks=800)
        for name in ("turn", "work"):
            expect(case.calls(name) == 411, f"{case.calls(name):.0f} calls of {name}")
        expect_marks(case, "known", 11, 1)
        found = region_calls(case, "%") + case.trust("folded_paths")
        expect(found == 411, f"{found:.0f} regions and folded ones, not 411")
        expect(case.trust("note_no_space") == 1, "the note is missing")
    finally:
        subprocess.run(["umount", "--lazy", disk], check=True)


if __name__ == "__main__":
    host.main()
