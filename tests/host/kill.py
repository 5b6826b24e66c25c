#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""SIGKILL of the program, of the collector, and of both, at random moments."""
import os
import random
import resource
import signal
import subprocess
import time

import host
import ticker
from host import expect, scenario

ROUNDS = 5
LEVELS = 100_000


def random_pause():
    time.sleep(random.uniform(0.001, 0.25))


def expect_ended_by(case, number):
    ended = host.harness.query(case.database, "SELECT complete, exit_signal FROM runs "
                               "ORDER BY run_id DESC LIMIT 1")[0]
    expect(ended == (0, number) or
           ended == (0, None) and not host.harness.signals_are_told(),
           f"complete, exit_signal is {ended}, not {(0, int(number))}")


def expect_killed(case, threads):
    case.settle()
    expect_ended_by(case, signal.SIGKILL)
    ticker.expect_counts(case, threads)
    # as the clock said: of such short calls nothing may be left without the hooks
    opened = case.value("SELECT COUNT(*) FROM functions WHERE name = 'main' "
                        "AND raw_total_ns > 0")
    expect(opened, "the open frames have no time")


@scenario
def program_killed(case):
    program = case.compile("ticker.c")
    for threads in (1, 4):
        for _ in range(ROUNDS):
            process = ticker.start(case, program, threads)
            random_pause()
            process.kill()
            process.communicate()
            expect_killed(case, threads)
            expect(case.trust("collector_recovered") == 0, "the collector did not finish")
    expect(case.value("SELECT COUNT(*) FROM runs") == 2 * ROUNDS, "runs are missing")
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


@scenario
def collector_killed(case):
    """The program runs on to its end; prof-analyze ingests."""
    program = case.compile("ticker.c")
    for _ in range(ROUNDS):
        process = ticker.start(case, program, 2, 20_000_000)
        collector = case.wait_for_collector()
        random_pause()
        os.kill(collector, signal.SIGKILL)
        output, errors = process.communicate(timeout=60)
        expect(process.returncode == 0 and output == "done\n" and not errors,
               f"the program ended with {process.returncode}, {output!r}, {errors!r}")
        case.settle()
        ticker.expect_counts(case, 0)
        recovered = case.value("SELECT value FROM trust WHERE name = 'collector_recovered' "
                               "ORDER BY run_id DESC LIMIT 1")
        expect(recovered == 1, "trust does not say that the collector was replaced")
    expect(case.value("SELECT COUNT(*) FROM runs") == ROUNDS, "runs are missing")
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


@scenario
def both_killed(case):
    program = case.compile("ticker.c")
    for threads in (1, 4):
        for _ in range(ROUNDS):
            process = ticker.start(case, program, threads)
            collector = case.wait_for_collector()
            random_pause()
            for pid in random.sample([process.pid, collector], 2):
                os.kill(pid, signal.SIGKILL)
            process.communicate()
            host.harness.wait_until(lambda: not case.collectors())
            case.settle()
            ticker.expect_counts(case, threads)
            complete = case.value("SELECT complete FROM runs ORDER BY run_id DESC LIMIT 1")
            expect(complete == 0, "a killed run is called complete")
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


@scenario
def collector_killed_while_it_writes(case):
    """Killed at some moment around the end of the program: the run is there once."""
    program = case.compile("ticker.c")
    for i in range(2 * ROUNDS):
        process = ticker.start(case, program, 1, 200_000)
        collectors = case.collectors()
        time.sleep(random.uniform(0, 0.03))
        for collector in collectors:
            try:
                os.kill(collector, signal.SIGKILL)
            except ProcessLookupError:
                pass  # it was faster
        process.communicate(timeout=60)
        host.harness.wait_until(lambda: not case.collectors())
        case.settle()
        ticker.expect_counts(case, 0)
        expect(case.value("SELECT COUNT(*) FROM runs") == i + 1, "runs are missing or double")
        expect(case.value("PRAGMA integrity_check") == "ok", "the database is damaged")


@scenario
def program_interrupted(case):
    """Control-C reaches the program's process group; the collector is not in it."""
    program = case.compile("ticker.c")
    process = ticker.start(case, program, 1, start_new_session=True)
    collector = case.wait_for_collector()
    expect(os.getpgid(collector) != process.pid, "the collector is in the process group")
    expect(os.getsid(collector) != process.pid, "the collector is in the session")
    os.killpg(process.pid, signal.SIGINT)
    process.communicate()
    expect(process.returncode == -signal.SIGINT, f"ended with {process.returncode}")
    case.settle()
    ticker.expect_counts(case, 1)
    expect_ended_by(case, signal.SIGINT)
    expect(case.trust("collector_recovered") == 0, "the collector was interrupted too")


def limit_memory(kib):
    return lambda: resource.setrlimit(resource.RLIMIT_DATA, (kib * 1024, kib * 1024))


@scenario
def no_memory(case):
    """Who runs out of memory leaves the run where it is, and says so; with enough of it the
    run is stored, once."""
    program = case.compile("deep_and_waiting.c", flags=["-O0"])
    process = case.start([program, str(LEVELS)])
    expect(process.stdout.readline() == f"{LEVELS}\n", "the program does not start")
    os.kill(case.wait_for_collector(), signal.SIGKILL)
    process.kill()
    process.communicate()
    expect(host.harness.wait_until(lambda: not case.collectors()), "the collector lives on")
    spool = case.database + "-spool"
    run, = os.listdir(spool)
    said = set()
    for kib in range(2048, 32768, 4096):
        collector = subprocess.run(
            [case.products.collector, os.path.join(spool, run)], env={}, check=False,
            preexec_fn=limit_memory(kib), capture_output=True, text=True, timeout=60)
        expect(os.path.exists(os.path.join(spool, run, "run")), "the spool is gone")
        said.add(collector.stderr)
        expect(collector.returncode == 1, f"the collector: {collector}")
    expect("profshim-collect: out of memory\n" in said, f"the collector said {said}")
    with open(os.path.join(spool, run, "error"), encoding="utf-8") as file:
        expect(file.read() == "out of memory\n", "the reason is another one")
    analyzer = case.analyze("runs", case.database, preexec_fn=limit_memory(16384))
    expect(analyzer.returncode == 1 and analyzer.stderr.startswith(
        "prof-analyze: out of memory\nprof-analyze: the run stays in "), analyzer.stderr)
    expect(os.path.exists(os.path.join(spool, run, "run")), "the spool is gone")
    case.settle()
    expect(case.calls("descend") == LEVELS + 1, "calls are missing")
    expect(case.value("SELECT COUNT(*) FROM runs") == 1, "the run is there twice")


host.main()
