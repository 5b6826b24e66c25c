#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Programs that end while their threads call, allocate, fork and create threads.

usage: races.py BUILD-ROOT [COUNT]

Each way to end is tried COUNT times, at other moments each time. The status must be the
one that the way has, nothing may hang, nothing may be said, and run.db must be readable
and sound after each. Plain runs, one in ten, keep the program honest.
"""
import os
import random
import resource
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
import harness  # noqa: E402  (found through the line above)
from harness import expect  # noqa: E402

WAYS = {"exit": 5, "return": 3, "_exit": 6, "quick": 8, "handler": 41, "storm": 3,
        "leave": 7, "abort": -6, "kill": -9, "crash": -11}
# A child that forked or executed when its parent ended may end later than it.
SECONDS = 60


def run_once(command, environment, directory):
    result = harness.run(command, env=environment, cwd=directory, timeout=SECONDS)
    return result.returncode, result.stdout + result.stderr


def check_database(products, database, runs):
    harness.settle(products, database)
    check = harness.value(database, "PRAGMA integrity_check")
    expect(check == "ok", f"the database is damaged: {check}")
    # A child that is forked while its parent ends may be heard of only when it executes
    # something, after the run is complete: that becomes a run of its own.
    count = harness.value(database, "SELECT COUNT(*) FROM runs WHERE command <> 'true'")
    expect(count == runs, f"{count} runs are recorded, not {runs}")
    lost = harness.value(database, "SELECT TOTAL(value) FROM trust WHERE name IN "
                         "('damaged_segments', 'lost_processes', 'lost_frees')")
    expect(lost == 0, f"damaged or lost: {lost}")
    wrong = harness.value(database, "SELECT COUNT(*) FROM allocation_sites WHERE "
                          "alloc_count < free_count OR alloc_bytes < free_bytes")
    expect(wrong == 0, f"{wrong} sites have freed what they never allocated")


def race(products, program, way, status, count, directory):
    database = os.path.join(directory, way + ".db")
    recorded, plain = products.environment(database), harness.plain_environment()
    moments = random.Random(way)
    for i in range(count):
        command = [program, way, str(moments.randrange(100, 15000))]
        if i % 10 == 0:
            found, said = run_once(command, plain, directory)
            expect((found, said) == (status, ""), f"without the shim: {found} {said}")
        found, said = run_once(command, recorded, directory)
        expect((found, said) == (status, ""),
               f"run {i}, {' '.join(command[1:])}: ended with {found}, not {status}: {said}")
        check_database(products, database, i + 1)


def main():
    products, count = harness.Products(sys.argv[1]), int((sys.argv[2:] or ["4"])[0])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    failed = False
    with tempfile.TemporaryDirectory(prefix="profshim-races-") as directory:
        program = harness.compile_program(os.path.join(HERE, "racer.c"),
                                          os.path.join(directory, "racer"),
                                          flags=["-pthread"])
        for way, status in WAYS.items():
            try:
                race(products, program, way, status, count, directory)
                print(f"ok: {way}", flush=True)
            except (harness.Failure, subprocess.TimeoutExpired) as error:
                print(f"FAILED: {way}: {error}", flush=True)
                failed = True
        harness.expect_tidy(directory, os.listdir(directory))
    sys.exit(failed)


main()
