#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Workers that gave up their privileges and turn on root's collector and on their parent."""
import os

import security
from security import expect, scenario

LABEL = "the label that was asked for"


def attack(case, how):
    os.chmod(case.directory, 0o755)
    program = security.harness.compile_program(os.path.join(security.HERE, "turncoat.c"),
                                               case.path("turncoat"))
    wanted = case.path("stolen.db")
    recorded = case.run([program, how, case.database, LABEL, wanted],
                        {"PROFSHIM_LABEL": LABEL, "PROFSHIM_WAIT": "2"})
    expect(recorded.returncode == 0, f"the server ended with {recorded.returncode}")
    case.settle()
    left = [name for name in os.listdir(case.directory) if name.startswith("stolen")]
    expect(not left, f"root's collector has written {left}")
    expect(case.value("SELECT label FROM runs") == LABEL, "the label is another")


@scenario
def steers_the_collector(case):
    """Where to, under which label and with which report is not the worker's to say."""
    attack(case, "steer")
    expect("run-report.json" not in os.listdir(case.directory), "there is a report")
    expect(case.trust("note_gave_up_privileges") == 1, "trust does not say that it changed users")
    expect(case.trust("note_not_apart") == 0, "it shares memory with the server")
    expect(case.calls("work") == 3500, f"calls of work: {case.calls('work'):.0f}")


@scenario
def writes_over_its_parent(case):
    """What the worker can reach of the recording's files is its own: the server, whose
    hooks follow what is written there, goes on, and so do its numbers."""
    attack(case, "fill")
    expect(case.value("SELECT TOTAL(calls) FROM call_paths WHERE name = 'work_often'") >= 2,
           "the server's calls are lost")
    server = case.value("SELECT MIN(process_id) FROM processes")
    expect(case.value(f"SELECT complete FROM processes WHERE process_id = {server}") == 1,
           "the server's process is not complete")
    expect(case.calls("work") >= 3000, f"calls of work: {case.calls('work'):.0f}")


@scenario
def becomes_another_user(case):
    """However it is done, the worker is recorded on, and nothing is lost or counted twice."""
    os.chmod(case.directory, 0o755)
    program = security.harness.compile_program(os.path.join(security.HERE, "server.c"),
                                               case.path("server"), flags=["-pthread"])
    # how: does it give up root, and does it share memory with who has not
    for number, (how, gives_up, shares) in enumerate((
            ("plain", 1, 0), ("jail", 1, 0), ("syscall", 1, 0), ("reuid", 1, 0),
            ("busy", 1, 1), ("vfork", 0, 0), ("temporary", 0, 0), ("unseen", 1, 1)), 1):
        recorded = case.unharmed([program, how], {"PROFSHIM_SNAPSHOT_EVERY": "500ms"})
        expect(recorded.returncode == 0 and not recorded.message, f"{how}: {recorded}")
        case.settle()
        told = [case.value(f"SELECT TOTAL(value) FROM trust WHERE run_id = {number} AND name = "
                           f"'{name}'") for name in ("note_gave_up_privileges", "note_not_apart")]
        expect(told == [gives_up, shares], f"{how}: trust has {told}")
        for sql, wanted in (
                ("SELECT calls FROM functions WHERE name = 'work' AND {}", 4500),
                ("SELECT COUNT(*) FROM processes WHERE complete AND {}", 3),
                ("SELECT COUNT(*) FROM snapshots WHERE taken_by != 'interval' AND {}", 2),
                ("SELECT COUNT(*) FROM trust WHERE name = 'damaged_records' AND value AND {}", 0),
                ("SELECT TOTAL(calls) FROM call_paths WHERE name = 'request' AND {}", 1)):
            found = case.value(sql.format(f"run_id = {number}"))
            expect(found == wanted, f"{how}: {found} instead of {wanted}: {sql}")


security.main()
