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
    expect(case.calls("work") == 3500, f"calls of work: {case.calls('work'):.0f}")


security.main()
