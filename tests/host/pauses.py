#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Pauses of the recording: nothing is counted in them, no time is theirs, and what is
live stays right."""
import os

import host
from host import expect, scenario


def record(case, *arguments, **settings):
    program = case.compile("pausing.c")
    if os.path.exists(case.database):
        os.remove(case.database)
    ran = case.run([program, *arguments], settings)
    case.settle()
    return ran


def total_ms(case, name):
    """Without what it waited for a CPU on a busy machine."""
    return case.value("SELECT (raw_total_ns - ready_ns) / 1e6 FROM functions "
                      f"WHERE name = '{name}'")


@scenario
def counts(case):
    ran = record(case)
    expect(ran.returncode == 0 and ran.stdout == "3109\n", f"{ran}")
    expect(case.calls("calls") == 3 and case.trust("pauses") == 3,
           f"{case.calls('calls')} and {case.trust('pauses')} pauses")
    # six on the way down, nine on the way back, from depth 8 on
    expect(case.calls("descend") == 6, f"{case.calls('descend')} of descend")
    expect(case.calls("leaf") == 3000 + 6 + 9, f"{case.calls('leaf')} of leaf")
    expect(case.calls("sleep_paused") == 1 and case.calls("main") == 1, "main or sleep")
    expect(case.calls("allocate") == 1 and case.calls("release") == 1, "allocate")
    expect(case.value("SELECT COUNT(*) FROM functions WHERE name LIKE '%unseen%'") == 0,
           "a region of the pause is there")


@scenario
def times(case):
    """The sleep is in no function, whether it returned or not."""
    record(case)
    expect(total_ms(case, "main") < 250 and total_ms(case, "sleep_paused") < 250,
           f"main {total_ms(case, 'main')} ms")
    expect(case.value("SELECT wall_ns FROM runs") > 3e8, "the run was shorter")


@scenario
def death_in_a_pause(case):
    ran = record(case, "die")
    expect(ran.returncode == -6, f"{ran}")
    expect(total_ms(case, "main") < 250, f"main {total_ms(case, 'main')} ms")


@scenario
def allocations(case):
    record(case)
    rows = host.harness.query(
        case.database, "SELECT name, alloc_count, free_count, live_count FROM "
        "allocation_sites WHERE name IN ('[paused]', 'allocate') ORDER BY name")
    expect(rows == [("[paused]", 50, 30, 20), ("allocate", 50, 50, 0)], f"{rows}")
    expect(case.trust("unknown_frees") == 0, f"{case.trust('unknown_frees')} unknown")


@scenario
def many_threads(case):
    """Switched on and off under threads that call: each call is recorded or not."""
    for level in ("exact", "full"):
        ran = record(case, "threads", PROFSHIM_LEVEL=level)
        expect(ran.returncode == 0, f"{ran}")
        expect(0 < case.calls("leaf") <= 600000, f"{case.calls('leaf')} calls")
        expect(case.calls("work") <= 3 and case.calls("calls") == 0, "main's were recorded")
        expect(case.trust("pauses") == 500, f"{case.trust('pauses')} pauses")
        expect(case.trust("late_events") == 0, f"{case.trust('late_events')} late")


CONDITIONS = [  # settings; calls of serve, leaf, end_all, main
    ({"FROM": "serve"}, (40, 440, 0, 0)),
    ({"FROM": "serve:11"}, (30, 330, 0, 0)),
    ({"UNTIL": "serve"}, (0, 100, 0, 1)),
    ({"FROM": "serve:39", "UNTIL": "end_all"}, (2, 22 + 1 + 1 + 1 + 5 + 1, 0, 0)),
    ({"FROM": "begin_all", "UNTIL": "serve"}, (0, 100, 0, 0)),
    ({"WHILE_STEP": "frame"}, (0, 5, 0, 0)),
    ({"FROM": "no_such"}, (0, 0, 0, 0)),
]


@scenario
def conditions(case):
    program = case.compile("phases.c")
    for settings, expected in CONDITIONS:
        if os.path.exists(case.database):
            os.remove(case.database)
        ran = case.run([program], {"PROFSHIM_" + key: value
                                   for key, value in settings.items()})
        case.settle()
        expect(ran.returncode == 0 and ran.stdout == "1568\n", f"{ran}")
        found = tuple(case.calls(name) for name in ("serve", "leaf", "end_all", "main"))
        expect(found == expected, f"{settings}: {found}, not {expected}")


@scenario
def conditions_by_command(case):
    program = case.compile("phases.c")
    ran = case.run_plain([case.products.record, "-q", "-o", case.database, "--from", "serve",
                          "--until", "end_all", program])
    expect(ran.returncode == 0, f"{ran}")
    expect(case.calls("serve") == 40 and case.calls("begin_all") == 0, "not as asked")
    ran = case.run([program], {"PROFSHIM_FROM": "serve:x"})
    expect("PROFSHIM_FROM=serve:x is not understood" in ran.stderr, f"{ran}")


if __name__ == "__main__":
    host.main()
