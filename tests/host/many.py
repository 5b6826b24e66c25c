#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Several runs in one file: one after the other, at the same time, side by side with
readers."""
import os
import select
import signal
import sqlite3
import struct
import subprocess
import time

import host
from host import expect, scenario


def expect_runs(case, count):
    case.settle()
    rows = host.harness.query(case.database, "SELECT run_id, complete, exit_code FROM runs")
    expect(len(rows) == count, f"{len(rows)} runs, not {count}")
    expect(all(row[1:] == (1, 0) for row in rows), f"not all runs are complete: {rows}")
    calls = host.harness.query(case.database, "SELECT run_id, SUM(calls) FROM functions "
                               "WHERE name = 'tick' GROUP BY run_id")
    expect(len(calls) == count and all(row[1] == 50_000 for row in calls),
           f"calls of the runs: {calls}")
    expect(case.value("PRAGMA integrity_check") == "ok", "the database is damaged")


def command(case, program, i):
    return [program, case.path(f"counts-{i}"), "1", "50000"]


@scenario
def appended(case):
    """Each recording adds a run; commands take the latest or the one that is named."""
    program = case.compile("ticker.c")
    for i in range(3):
        case.unharmed(command(case, program, i), {"PROFSHIM_LABEL": f"run-{i}"})
    expect_runs(case, 3)
    listed = case.analyze("runs", case.database).stdout
    expect(all(f"run-{i}" in listed for i in range(3)), f"prof-analyze runs shows {listed}")
    for chosen in ([], ["--run", "run-1"], ["--run", "1"]):
        result = case.analyze("functions", case.database, *chosen)
        expect(result.returncode == 0 and "tick" in result.stdout, f"{chosen}: {result}")
    result = case.analyze("functions", case.database, "--run", "nonsense")
    expect(result.returncode in (1, 2) and "nonsense" in result.stderr,
           f"an unknown run: {result}")


def file_kilobytes(path):
    try:
        return os.lstat(path).st_blocks / 2
    except FileNotFoundError:
        return 0  # it was packed since it was listed


def spool_kilobytes(case):
    return sum(file_kilobytes(os.path.join(folder, name))
               for folder, _, names in os.walk(case.database + "-spool")
               for name in names)


@scenario
def many_children(case):
    """The spool does not keep what ended children reserved and never used (200 KiB each
    were, before the collector gave it back)."""
    count = 200
    process = case.start([case.compile("brood.c"), str(count)], stdin=subprocess.PIPE)
    expect(process.stdout.readline() == "all\n", "the children have not ended")
    small = host.harness.wait_until(lambda: spool_kilobytes(case) < 80 * count)
    expect(small, f"{spool_kilobytes(case):.0f} KiB in the spool for {count} children")
    process.communicate("", timeout=60)
    expect(process.returncode == 0, f"ended with {process.returncode}")
    case.settle()
    expect(case.calls("hatch") == count, f"{case.calls('hatch'):.0f} calls, not {count}")
    expect(case.value("SELECT SUM(complete) FROM processes") == count + 1,
           "not all children are complete")


def doorbell(case):
    """How often the collector was told that there is something to look at."""
    spool = case.database + "-spool"
    state = os.path.join(spool, os.listdir(spool)[0], "state")
    with open(state, "rb") as file:
        return struct.unpack_from("=QQI", file.read(20))[2]


@scenario
def thousands_of_children(case):
    """Children go on in the slots of those that have ended: the spool does not grow, and
    nobody is woken for each."""
    count, largest = 3000, 0
    process = case.start([case.compile("brood.c"), str(count)], stdin=subprocess.PIPE)
    while not select.select([process.stdout], [], [], 0.01)[0]:
        largest = max(largest, spool_kilobytes(case))
    expect(process.stdout.readline() == "all\n", "the children have not ended")
    expect(largest < 8192, f"{largest:.0f} KiB in the spool for {count} children")
    expect(doorbell(case) < count / 2, f"the collector was woken {doorbell(case)} times")
    process.communicate("", timeout=60)
    case.settle()
    expect_brood(case, count)
    lanes = case.value("SELECT COUNT(DISTINCT lane_id) FROM threads")
    expect(lanes < 100, f"{lanes} lanes")


@scenario
def thousands_of_images(case):
    """What has ended and is in files of its own is packed: the spool has some of them as
    they were (56 KiB each), and a report of the run that goes on has all."""
    count, largest = 600, 0
    process = case.start([case.compile("brood.c"), str(count), "exec"],
                         stdin=subprocess.PIPE)
    while not select.select([process.stdout], [], [], 0.01)[0]:
        largest = max(largest, spool_kilobytes(case))
    expect(process.stdout.readline() == "all\n", "the children have not ended")
    expect(largest < 16384, f"{largest:.0f} KiB in the spool for {count} images")
    result = case.analyze("sql", "SELECT SUM(calls) AS calls FROM functions WHERE "
                          "name = 'hatch'", case.database, "--format", "csv")
    expect(str(count) in result.stdout, f"a look at the run tells {result.stdout}")
    process.communicate("", timeout=60)
    case.settle()
    expect_images(case, count)


def expect_images(case, count):
    """Each child was forked, and is the next image then."""
    expect(case.calls("hatch") == count, f"{case.calls('hatch'):.0f} calls, not {count}")
    for table in ("processes WHERE complete", "threads"):
        rows = case.value(f"SELECT COUNT(*) FROM {table}")
        expect(rows == 2 * count + 1, f"{rows} {table}, not {2 * count + 1}")
    rows = case.value("SELECT COUNT(DISTINCT pid) FROM processes WHERE command LIKE '% 0'")
    expect(rows == count, f"{rows} children that were executed, not {count}")
    expect(case.trust("damaged_segments") == 0, "something is damaged")
    blocks = case.value("SELECT SUM(alloc_count) FROM allocation_sites WHERE name = 'hatch'")
    expect(blocks == count, f"{blocks} allocations")


@scenario
def images_of_an_orphaned_run(case):
    """The collector may die while it packs them."""
    count = 300
    program = case.compile("brood.c")
    for pause in (0.2, 0.6, 1.2):
        process = case.start([program, str(count), "exec"], stdin=subprocess.PIPE)
        time.sleep(pause)
        for pid in case.collectors():
            os.kill(pid, signal.SIGKILL)
        expect(process.stdout.readline() == "all\n", "the children have not ended")
        process.communicate("", timeout=60)
        case.settle()
        expect_images(case, count)
        os.remove(case.database)


def expect_brood(case, count):
    expect(case.calls("hatch") == count, f"{case.calls('hatch'):.0f} calls, not {count}")
    rows = case.value("SELECT COUNT(*) FROM processes WHERE complete")
    expect(rows == count + 1, f"{rows} complete processes, not {count + 1}")
    rows = case.value("SELECT COUNT(*) FROM threads")
    expect(rows == count + 1, f"{rows} threads, not {count + 1}")
    blocks = case.value("SELECT SUM(alloc_count) || ' ' || SUM(free_count) FROM "
                        "allocation_sites WHERE name = 'hatch'")
    expect(blocks == f"{count} {count}", f"{blocks} allocations and frees")


@scenario
def children_of_an_orphaned_run(case):
    """What children did stays in the slots, whoever reads them: the collector may die."""
    count = 1000
    program = case.compile("brood.c")
    for pause in (0, 0.05, 0.2, 0.4):
        process = case.start([program, str(count)], stdin=subprocess.PIPE)
        time.sleep(pause)
        for pid in case.collectors():
            os.kill(pid, signal.SIGKILL)
        expect(process.stdout.readline() == "all\n", "the children have not ended")
        process.communicate("", timeout=60)
        expect(process.returncode == 0, f"ended with {process.returncode}")
        case.settle()
        expect_brood(case, count)
        os.remove(case.database)


@scenario
def at_the_same_time(case):
    program = case.compile("ticker.c")
    for batch in range(3):
        started = [case.start(command(case, program, i)) for i in range(4)]
        for process in started:
            output, errors = process.communicate(timeout=60)
            expect(process.returncode == 0 and output == "done\n" and not errors,
                   f"ended with {process.returncode}: {errors}")
        expect_runs(case, 4 * (batch + 1))
    host.harness.expect_tidy(case.directory,
                             ["ticker", "run.db"] + [f"counts-{i}" for i in range(4)])


@scenario
def while_somebody_reads(case):
    """A reader with an open transaction holds the writer up, not off."""
    program = case.compile("ticker.c")
    case.unharmed(command(case, program, 0))
    case.settle()
    reader = sqlite3.connect(case.database)
    reader.execute("BEGIN")
    reader.execute("SELECT COUNT(*) FROM runs").fetchone()
    process = case.start(command(case, program, 1), {"PROFSHIM_WAIT": "2"})
    output, errors = process.communicate(timeout=60)
    expect(process.returncode == 0 and output == "done\n" and not errors, f"failed: {errors}")
    reader.execute("COMMIT")
    reader.close()
    host.harness.wait_until(lambda: not case.collectors(), 60)
    expect_runs(case, 2)


@scenario
def two_outputs(case):
    """Two recordings side by side in one directory do not meet."""
    program = case.compile("ticker.c")
    databases = [case.path(f"{name}.db") for name in ("one", "two")]
    started = [case.start(command(case, program, i), {"PROFSHIM_OUTPUT": database})
               for i, database in enumerate(databases)]
    for process in started:
        process.communicate(timeout=60)
    for database in databases:
        case.database = database
        expect_runs(case, 1)


@scenario
def moved_elsewhere(case):
    """run.db needs nothing beside it: neither the program nor the spool."""
    program = case.compile("ticker.c")
    case.unharmed(command(case, program, 0))
    case.settle()
    os.remove(program)
    os.mkdir(case.path("elsewhere"))
    os.rename(case.database, case.path("elsewhere/copy.db"))
    result = case.analyze("functions", case.path("elsewhere/copy.db"))
    expect(result.returncode == 0 and "tick" in result.stdout, f"{result}")


host.main()
