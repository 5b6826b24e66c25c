#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What functions are called where the system has no debug symbols, and what is said of it."""
import os

import host
from host import expect, need_root, scenario

# In a mount namespace of its own nothing lies below /usr/lib/debug.
BARE = ["unshare", "-m", "sh", "-c",
        'if [ -d /usr/lib/debug ]; then mount --bind "$0" /usr/lib/debug || exit 99; fi; '
        'exec "$@"']


def bare(case, command, settings=None):
    """Runs where the debug symbols are out of sight, of the collector, too."""
    nothing = case.path("nothing")
    os.makedirs(nothing, exist_ok=True)
    result = case.run([*BARE, nothing, "env", f"LD_PRELOAD={case.products.library}", *command],
                      {"LD_PRELOAD": "", **(settings or {})})
    if result.returncode == 99 or result.stderr.startswith("unshare:"):
        raise host.LeftOut("no private mounts here")
    return result


@need_root
def a_first_report(case):
    """A small program on a machine without libc6-dbg: nothing to worry about."""
    program = case.compile("small.c")
    result = bare(case, [program])
    expect(result.returncode == 0 and result.stdout == "aaaaa\nbbb\nc\n", f"{result}")
    case.settle()
    report = case.analyze(case.database).stdout
    line = " ".join(report.partition("\nRun ")[0].split())
    expect(line.startswith("trust: counts and allocations exact, nothing lost; times"), line)
    expect(case.trust("unresolved_functions") == 0, "functions without a name")
    near = case.trust("system_functions")
    expect(near > 0, "libc has symbols all the same: this tests nothing")
    doctor = " ".join(case.analyze("doctor", case.database).stdout.split())
    expect(f"{near:.0f} function" in doctor and "libc.so.6" in doctor and
           "libc6-dbg" in doctor, f"doctor: {doctor}")
    expect("Nothing is wrong with this recording." in doctor, f"doctor: {doctor}")
    wrong = host.harness.query(
        case.database, "SELECT name FROM functions WHERE naming = 'near' AND "
        "(linkage_name NOT NULL OR name NOT GLOB '[[]*]' OR file NOT NULL)")
    expect(not wrong, f"hints that look like names: {wrong}")


@need_root
def hints_are_true(case):
    """A hint names a function beside the one that is really there."""
    program = case.compile("small.c")
    bare(case, [program])
    case.settle()
    hints = host.harness.query(case.database, "SELECT name, module FROM functions WHERE "
                               "naming = 'near' AND name GLOB '[[]near *'")
    for name, module in hints:
        exported = name.split()[1]
        table = host.harness.run(["nm", "-D", "--defined-only", module]).stdout
        expect(any(line.split()[-1].split("@")[0] == exported for line in table.splitlines()),
               f"{name}: {module} exports no such function")


@scenario
def stripped_program(case):
    """One's own functions keep their addresses, and count as without a name."""
    program = case.compile("small.c", flags=["-s"])
    case.unharmed([program])
    case.settle()
    expect(case.trust("unresolved_functions") >= 3, "three functions are without a name")
    doctor = " ".join(case.analyze("doctor", case.database).stdout.split())
    expect(f"have no name: in {program}; it is stripped." in doctor, f"doctor: {doctor}")


host.main()
