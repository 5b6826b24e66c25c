#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A collector that fails, dies or is kept from its work: the program is not kept waiting,
and its run is stored once, by whoever comes next."""
import errno
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import time

import host
import ticker
from host import NOBODY, expect, need_root, scenario

TICKS = 50_000


def ticker_command(case):
    return [case.compile("ticker.c"), case.path("counts"), "1", str(TICKS)]


def in_time(case, command, settings, seconds=50):
    """Unharmed, and not kept waiting: that would take a minute, or with a limit that is not
    heeded ten seconds. A busy machine takes some, too."""
    started = time.monotonic()
    recorded = case.unharmed(command, {"PROFSHIM_WAIT": "60s", **settings})
    waited = time.monotonic() - started
    expect(waited < seconds, f"the program took {waited:.1f} s")
    return recorded


def expect_stored(case, runs, recovered):
    case.settle()
    ticker.expect_counts(case, 0)
    expect(case.value("SELECT COUNT(*) FROM runs") == runs, "runs are missing or double")
    expect(case.value("SELECT MIN(complete) FROM runs") == 1, "a run is not complete")
    expect(case.value("PRAGMA integrity_check") == "ok", "the database is damaged")
    expect(case.value("SELECT value FROM trust WHERE name = 'collector_recovered' "
                      "ORDER BY run_id DESC LIMIT 1") == recovered,
           f"collector_recovered is not {recovered}")


def script(case, name, text):
    path = case.path(name)
    with open(path, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n" + text + "\n")
    os.chmod(path, 0o755)
    return path


@scenario
def dies_at_once(case):
    """Before it can say that it is there."""
    for i, text in enumerate(("exit 1", "kill -SEGV $$", "kill -KILL $$")):
        collector = script(case, "collector", text)
        in_time(case, ticker_command(case), {"PROFSHIM_COLLECTOR": collector})
        expect_stored(case, i + 1, 1)
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db", "collector"])


class FailingCollector:
    """The collector with fail_writes.c in it."""

    def __init__(self, case):
        self.case = case
        library = case.compile("fail_writes.c", hooks=False, flags=["-shared", "-fPIC"])
        self.path = case.path("failing")
        self.text = f"LD_PRELOAD={library} exec {case.products.collector} \"$@\""

    def command(self, at, how, count=""):
        return script(self.case, "failing", f"FAIL_AT={at} FAIL_HOW={how} "
                      + (f"FAIL_COUNT={count} " if count else "") + self.text)

    def writes(self):
        """How often it writes for the run of a ticker."""
        count = self.case.path("count")
        in_time(self.case, ticker_command(self.case),
                {"PROFSHIM_COLLECTOR": self.command(1_000_000, "kill", count)})
        self.case.settle()
        number = os.path.getsize(count)
        os.remove(count)
        expect(number > 8, f"only {number} writes are seen")
        return number - 2  # a run that takes longer or shorter has some more or fewer


@scenario
def killed_at_every_write(case):
    """First into a new database, then into one with a run: rolled back, stored once."""
    failing = FailingCollector(case)
    for existing in (0, 1):
        number = failing.writes()
        for at in range(1, number + 1, max(1, number // 6)):
            if not existing:
                os.remove(case.database)
            before = case.value("SELECT COUNT(*) FROM runs") if existing else 0
            in_time(case, ticker_command(case),
                    {"PROFSHIM_COLLECTOR": failing.command(at, "kill")})
            host.harness.wait_until(lambda: not case.collectors())
            expect_stored(case, before + 1, 1)


@scenario
def every_write_fails(case):
    """The disk is full or broken from some write on: the spool stays, and is stored later;
    the runs that were there before are unharmed."""
    failing = FailingCollector(case)
    failing.writes()
    number = failing.writes()  # into a database that has a run: fewer
    for error in (errno.ENOSPC, errno.EIO, errno.EDQUOT):
        for at in range(1, number + 1, max(1, number // 3)):
            before = case.value("SELECT COUNT(*) FROM runs")
            in_time(case, ticker_command(case),
                    {"PROFSHIM_COLLECTOR": failing.command(at, error)})
            host.harness.wait_until(lambda: not case.collectors())
            expect_stored(case, before + 1, 1)


@scenario
def stopped_while_it_writes(case):
    """Whoever looks meanwhile is told; the run is whole once it goes on."""
    failing = FailingCollector(case)
    in_time(case, ticker_command(case), {"PROFSHIM_WAIT": "500ms", "PROFSHIM_COLLECTOR":
                                         failing.command(9, "stop")})
    collector = case.wait_for_collector()
    os.kill(collector, signal.SIGCONT)
    expect_stored(case, 1, 0)


@scenario
def not_stored_yet(case):
    """The program was killed, and its collector has only just made the file: whoever looks
    sees the run, and not that nothing was recorded."""
    process = ticker.start(case, case.compile("ticker.c"))
    collector = case.wait_for_collector()
    os.kill(collector, signal.SIGSTOP)
    process.kill()
    process.communicate()
    with open(case.database, "x", encoding="utf-8"):
        pass
    result = case.analyze("runs", case.database)
    expect(result.returncode == 0 and "running" in result.stdout and
           not result.stderr,
           f"{result}")
    os.kill(collector, signal.SIGCONT)
    case.settle()
    ticker.expect_counts(case, 1)


@scenario
def killed_together(case):
    """Program and collector: the run lasted as long as the collector attended it, and what
    came after that is said to be unknown, with no finding made of it."""
    process = ticker.start(case, case.compile("ticker.c"), 1, 500_000_000)
    collector = case.wait_for_collector()
    started = time.monotonic()
    time.sleep(1.5)
    attended = time.monotonic() - started
    os.kill(collector, signal.SIGKILL)
    process.kill()
    process.communicate()
    case.settle()
    wall = case.value("SELECT wall_ns FROM runs") / 1e9
    expect(wall >= 0.3 * attended, f"{wall:.2f} s of {attended:.2f} are stored")
    expect(case.trust("unseen_ends") == 1, "it is not told that nobody saw the end")
    seen = case.value("SELECT MAX(time_ns) FROM resources") or 0
    expect(0.3 * attended <= seen / 1e9 <= wall, f"samples end at {seen} ns")
    expect(case.trust("damaged_samples") == 0, "samples are damaged")
    result = case.analyze("bottlenecks", case.database, "--format", "json")
    rules = {rule["id"]: rule for rule in json.loads(result.stdout)["rules"]}
    for name in ("T1", "T9", "T13", "R1", "M3"):
        expect(rules[name]["outcome"] == "not measured", f"{rules[name]}")


@scenario
def child_killed_before_both(case):
    """What the collector saw before it was killed is not forgotten: a child's death."""
    process = case.start([case.compile("outlived.c")], stdout=subprocess.PIPE)
    child = int(process.stdout.readline())
    collector = case.wait_for_collector()
    time.sleep(0.5)
    os.kill(child, signal.SIGKILL)
    time.sleep(1.2)
    os.kill(collector, signal.SIGKILL)
    process.kill()
    process.communicate()
    case.settle()
    ends = "SELECT MAX(started_ns + wall_ns) - MIN(started_ns + wall_ns) FROM processes"
    expect(case.value(ends) > 0.3e9, f"the child lived on: {case.value(ends)} ns")
    expect(case.value(f"SELECT exit_signal FROM processes WHERE pid = {child}")
           in (signal.SIGKILL, None), "how it ended is not known")
    expect(case.trust("unseen_ends") == 1, "the child's end was seen, the program's not")


@scenario
def second_collector(case):
    """Somebody starts another one for the same spool: it refuses."""
    program = case.compile("ticker.c")
    process = ticker.start(case, program, 1, 3_000_000)
    case.wait_for_collector()
    spool = case.database + "-spool"
    directory = os.path.join(spool, os.listdir(spool)[0])
    result = host.harness.run([case.products.collector, directory])
    expect(result.returncode == 1 and "somebody else" in result.stderr, f"{result}")
    process.communicate(timeout=60)
    expect_stored(case, 1, 0)


class Lock:
    """Another program's transaction on run.db."""

    def __init__(self, case):
        self.connection = sqlite3.connect(case.database, isolation_level=None)

    def __enter__(self):
        self.connection.execute("BEGIN EXCLUSIVE")

    def __exit__(self, *unused):
        self.connection.execute("COMMIT")
        self.connection.close()


@scenario
def database_locked(case):
    """A long transaction of somebody else: the program waits no longer than it is told,
    the collector waits for the lock."""
    command = ticker_command(case)
    case.unharmed(command)
    case.settle()
    with Lock(case):
        in_time(case, command, {"PROFSHIM_WAIT": "300ms"}, 9)
    expect_stored(case, 2, 0)
    with Lock(case):
        in_time(case, command, {"PROFSHIM_WAIT": "300ms"}, 9)
        os.kill(case.wait_for_collector(), signal.SIGKILL)
    expect_stored(case, 3, 1)


@scenario
def nobody_waits_for_a_lock(case):
    """The program is let go long before what it would wait at most; prof-analyze says what
    it waits for, and need not."""
    command = ticker_command(case)
    case.unharmed(command)
    case.settle()
    with Lock(case):
        in_time(case, command, {"PROFSHIM_WAIT": "60s"})
        os.kill(case.wait_for_collector(), signal.SIGKILL)
        host.harness.wait_until(lambda: not case.collectors())
        result = case.analyze("functions", "--no-wait", case.database, timeout=20)
        expect(result.returncode == 0 and "tick" in result.stdout and
               "locked" in result.stderr, f"--no-wait: {result}")
        waiting = host.harness.subprocess.Popen(
            [case.products.analyze, "functions", case.database], stdout=-1, stderr=-1,
            text=True)
        told = waiting.stderr.readline()
    out, _ = waiting.communicate(timeout=60)
    expect("--no-wait" in told and "locked" in told, f"told: {told!r}")
    expect(waiting.returncode == 0 and "tick" in out, f"after the lock: {out!r}")
    expect_stored(case, 2, 1)


@need_root
def database_read_only(case):
    """The user may not write the database: the spool stays, the run can be shown."""
    command = ticker_command(case)
    case.unharmed(command)
    case.settle()
    os.chmod(case.database, 0o444)
    os.chown(case.database, NOBODY, NOBODY)
    os.chmod(case.path("counts"), 0o666)
    os.chmod(case.directory, 0o777)
    nobody = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    case.unharmed(command, **nobody)
    host.harness.wait_until(lambda: not case.collectors())
    result = case.analyze("functions", case.database, **nobody)
    expect(result.returncode == 0 and "tick" in result.stdout and
           "cannot recover" in result.stderr and "writable" in result.stderr, f"{result}")
    os.chmod(case.database, 0o666)
    case.settle(**nobody)
    expect_stored(case, 2, 1)


@scenario
def database_replaced(case):
    """Moved away while a run is recorded, and another one put in its place."""
    program = case.compile("ticker.c")
    case.unharmed(ticker_command(case))
    case.settle()
    shutil.copy(case.database, case.path("copy.db"))
    for replace in (os.remove, lambda path: os.rename(case.path("copy.db"), path)):
        process = ticker.start(case, program, 1, 2_000_000)
        replace(case.database)
        output, errors = process.communicate(timeout=60)
        expect(process.returncode == 0 and output == "done\n" and not errors,
               f"ended with {process.returncode}: {output!r} {errors!r}")
        case.settle()
        ticker.expect_counts(case, 0)
    expect(case.value("SELECT COUNT(*) FROM runs") == 2, "runs are missing")


host.main()
