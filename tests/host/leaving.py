#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Handlers that interrupt a hook and never return to it, at instructions all over it."""
import host
from host import expect, scenario

# What is there of the 100 times that nobody disturbs, at least.
LEFT = {
    "blocks": "SELECT MIN(SUM(alloc_count), SUM(free_count)) FROM allocation_sites "
              "WHERE name = 'blocks'",
    "marks": "SELECT step_count FROM step_totals WHERE process_id IS NULL AND "
             "name = 'a step'",
    "calls": "SELECT TOTAL(calls) FROM functions WHERE name = 'leaf'",
    "known": "SELECT TOTAL(calls) FROM functions WHERE name = 'leaf'",
    "writes": "SELECT TOTAL(calls) FROM functions WHERE name = 'write'",
    "naps": "SELECT COUNT(*) FROM stalls",
}


def leave(case, work, how):
    """Nothing is lost but what a hook that was left had in hand."""
    settings = {"PROFSHIM_LEVEL": "exact", "PROFSHIM_SPANS": "1us", "PROFSHIM_WHY": "off",
                "PROFSHIM_WAITS": "on" if work in ("naps", "writes") else "off",
                # of a program that traps at each instruction hooks have many to read
                "PROFSHIM_SAMPLES": "auto" if (work, how) == ("known", "told") else "off"}
    case.database = case.path(f"{work}-{how}.db")
    case.unharmed([case.path("left_hooks"), work, how], settings, timeout=100)
    case.settle()
    for name in ("damaged_segments", "dropped_allocations", "lost_marks", "lost_spans",
                 "lost_stalls", "lost_transfers"):
        expect(case.trust(name) == 0, f"{work}, {how}: {name} is {case.trust(name):.0f}")
    found = case.trust("open_frames")
    expect(found == 1, f"{work}, {how}: {found:.0f} frames are open, not only main's")
    found = case.value(LEFT[work]) or 0
    expect(found >= 99, f"{work}, {how}: {found} of 100 are there")


def leave_all(case, how, works=tuple(LEFT)):
    case.compile("left_hooks.c")
    for work in works:
        leave(case, work, how)


@scenario
def left_by_a_jump(case):
    leave_all(case, "told")


@scenario
def left_unseen(case):
    """As by an exception whose unwinder is a part of the program."""
    leave_all(case, "untold")


@scenario
def left_from_a_signal_stack(case):
    leave_all(case, "alternate", ("blocks", "calls"))


@scenario
def left_by_a_thread(case):
    leave_all(case, "exits", ("blocks", "marks", "writes"))


if __name__ == "__main__":
    host.main()
