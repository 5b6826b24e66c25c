#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Threads of real time: one interrupts another of lower priority on its CPU, wherever that
is, and asks for what it has. The run ends, and nothing is missing."""
import host
from host import expect, scenario

NO_RIGHTS = 3


def record(case, *arguments):
    program = case.compile("priorities.c")
    if case.run_plain([program, *arguments]).returncode == NO_RIGHTS:
        raise host.LeftOut("no right to threads of real time")
    result = case.unharmed([program, *arguments], timeout=60)
    expect(result.returncode == 0, f"{arguments}: {result}")
    case.settle()
    expect(case.calls(arguments[0]) >= int(arguments[1]),
           f"{arguments}: {case.calls(arguments[0]):.0f} calls")


@scenario
def lock_of_the_process(case):
    record(case, "stacks", "10000")


@scenario
def books_of_a_site(case):
    record(case, "blocks", "10000")
    allocated, freed, live = case.value(
        "SELECT alloc_count || ' ' || free_count || ' ' || live_count FROM "
        "allocation_sites WHERE name = 'blocks'").split()
    dropped = case.trust("dropped_allocations")
    expect(dropped == 0 and int(live) <= 1 and int(allocated) == int(freed) + int(live),
           f"{allocated} allocated, {freed} freed, {live} live, {dropped:.0f} dropped")


@scenario
def history(case):
    record(case, "snapshots", "1400")
    expect(case.trust("refused_snapshots") == 0,
           f"{case.trust('refused_snapshots'):.0f} snapshots refused")


@scenario
def table_of_names(case):
    record(case, "in_regions", "10000")
    names = case.value("SELECT COUNT(*) FROM functions WHERE name LIKE 'name_%'")
    expect(names == 600, f"{names} names, not 600")


host.main()
