#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Root records a stranger's program, whose files are made to keep the collector busy."""
import os
import shutil
import subprocess

import security
from security import expect, harness, host, scenario

HOSTILE = os.path.join(security.HERE, "..", "unit", "symbols")


def record(case, command, cwd=None):
    """The run must be stored, and soon."""
    result = case.run(command, cwd=cwd or case.directory)
    expect(result.returncode == 0 and not result.stderr, f"{result}")
    try:
        case.settle()
    except subprocess.TimeoutExpired:
        raise host.Failure("the collector does not end") from None
    expect(harness.wait_until(lambda: not case.collectors()), "a collector is still there")


def compile_hostile(case, source, *flags):
    """A sound program with somebody's debug information linked in."""
    strange = security.make_strange(case)
    program = harness.compile_program(
        os.path.join(host.HERE, "small.c"), os.path.join(strange, "program"),
        flags=["-g0", *flags, os.path.join(HOSTILE, source)])
    os.chown(program, host.NOBODY, host.NOBODY)
    return program


@scenario
def tree_that_does_not_end(case):
    record(case, [compile_hostile(case, "sibling.S")])
    expect(case.calls("main") == 1 and case.calls("repeat") == 2, "names are missing")


def wait_at_fifo(case, kind):
    fifo = case.path("fifo")
    os.mkfifo(fifo, 0o666)
    record(case, [compile_hostile(case, "linked.S", f"-D{kind}", f'-DFIFO="{fifo}"')])
    expect(case.calls("main") == 1 and case.calls("repeat") == 2, "names are missing")


@scenario
def fifo_as_shared_file(case):
    wait_at_fifo(case, "SHARED")


@scenario
def fifo_as_other_half(case):
    wait_at_fifo(case, "SPLIT")


@scenario
def fifo_in_place_of_a_library(case):
    strange = security.make_strange(case)
    library = harness.compile_program(
        os.path.join(host.HERE, "plugin.c"), os.path.join(strange, "plugin.so"),
        flags=["-shared", "-fPIC", "-DWHO=a", "-DSIZE=1000", "-Wl,--build-id=none"])
    os.mkfifo(os.path.join(strange, "fifo"), 0o666)
    program = case.compile("replaces.c")
    record(case, [program, "./plugin.so", "fifo", "plugin.so"], cwd=strange)
    found = harness.query(case.database, "SELECT trouble FROM module WHERE path = "
                          f"'{os.path.realpath(library)}'")
    expect(found == [("unreadable",)], f"{found}")


@scenario
def library_of_the_collectors_directory(case):
    """A relative name of the program's means nothing where the collector is: the file that
    lies there is not looked at."""
    strange = security.make_strange(case)
    os.mkdir(case.path("place"))
    for name, who in ((case.path("place/plugin.so"), "a"),
                      (os.path.join(strange, "plugin.so"), "b")):
        harness.compile_program(
            os.path.join(host.HERE, "plugin.c"), name,
            flags=["-shared", "-fPIC", f"-DWHO={who}", "-DSIZE=1000", "-Wl,--build-id=none"])
    shutil.copy(case.compile("wanders.c"), case.path("place/wanders"))
    record(case, ["sh", "-c", f"cd {case.path('place')} && ./wanders {strange} 3 ./plugin.so"],
           cwd=strange)
    expect(case.calls("make_a") == 3 and case.calls("make_b") == 0, "names of another file")


security.main()
