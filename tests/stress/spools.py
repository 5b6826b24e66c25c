#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Real programs whose segment files are checked before anybody has ingested them.

usage: spools.py BUILD-ROOT CHECK_SEGMENTS

Each program runs without a collector, so its spool stays. The invariants must hold in
every file; then prof-analyze takes the recording over. Threads that come and go must not
make the file grow.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "programs")
sys.path.insert(0, PROGRAMS)
import harness  # noqa: E402  (found through the line above)
from harness import expect  # noqa: E402

# Quiet: when they exit, no thread of theirs runs.
QUIET = ["calls.c", "cross_free.c", "exchange.c", "fork_storm.c", "forks.c", "huge_blocks.c",
         "life_of_blocks.cpp", "longjmps.c", "realloc_corners.c", "thread_values.c"]
THREADS = 20_000
AT_ONCE = 10


class Recorded:
    """A program run under the shim without a collector."""

    def __init__(self, products, source, directory, arguments=(), optimisation="-O2"):
        name = os.path.splitext(os.path.basename(source))[0]
        self.products = products
        self.database = os.path.join(directory, name + ".db")
        program = harness.compile_program(source, os.path.join(directory, name),
                                          optimisation=optimisation, flags=["-pthread"])
        environment = products.environment(self.database,
                                           PROFSHIM_COLLECTOR="/nonexistent/collector")
        self.result = harness.run([program, *arguments], env=environment, cwd=directory)

    def check(self, checker, how):
        """The invariants; the number of slots of each file."""
        files = glob.glob(self.database + "-spool/*/*.segment")
        expect(files, "no segment file is left")
        result = harness.run([checker, how, *files])
        expect(result.returncode == 0, f"{result.stdout}{result.stderr}")
        return [int(slots) for slots in re.findall(r"^(\d+) slots", result.stdout,
                                                   re.MULTILINE)]

    def value(self, sql):
        if not os.path.exists(self.database):
            harness.settle(self.products, self.database)
        return harness.value(self.database, sql)

    def trust(self, name):
        return self.value(f"SELECT TOTAL(value) FROM trust WHERE name = '{name}'")


def quiet_programs(products, checker, directory):
    for name in QUIET:
        arguments = ["0.25"] if name == "exchange.c" else []
        recorded = Recorded(products, os.path.join(PROGRAMS, name), directory, arguments)
        try:
            recorded.check(checker, "quiet")
            expect(recorded.trust("damaged_segments") == 0, "a segment is damaged")
        except harness.Failure as failure:
            raise harness.Failure(f"{name}: {failure}") from failure


def busy_program(products, checker, directory):
    """Ended in the middle of everything: the structure is whole all the same."""
    for i in range(5):
        recorded = Recorded(products, os.path.join(HERE, "racer.c"), directory,
                            ["_exit", str(3000 * i + 500)])
        expect(recorded.result.returncode == 6, f"{recorded.result}")
        recorded.check(checker, "busy")
        expect(recorded.trust("damaged_segments") == 0, "a segment is damaged")
        os.remove(recorded.database)


def many_threads(products, checker, directory):
    """The file holds a lane for each thread of one moment, and a row for each thread."""
    tool_bytes = []
    for count in (THREADS // 20, THREADS):
        recorded = Recorded(products, os.path.join(HERE, "churn.c"), directory, [str(count)])
        expect(recorded.result.returncode == 0, f"{recorded.result}")
        # the header, the process, main's lane; one more batch may overlap a little
        slots = recorded.check(checker, "quiet")
        expect(slots and max(slots) <= 3 + 2 * AT_ONCE, f"{slots} slots for {AT_ONCE} threads")
        calls = recorded.value("SELECT calls FROM functions WHERE name = 'step'")
        expect(calls == 7 * count, f"{calls} calls of {count} threads")
        rows = recorded.value("SELECT COUNT(*) FROM threads")
        expect(rows == count + 1, f"{rows} threads, not {count + 1}")
        live = recorded.value("SELECT SUM(live_count) FROM allocation_sites "
                              "WHERE name = 'work'")
        expect(live == 1, f"{live} blocks live, not 1")
        tool_bytes.append(recorded.trust("tool_memory_bytes"))
        os.remove(recorded.database)
    # 64 bytes for a thread's row, and some lanes more or less
    grown = tool_bytes[1] - tool_bytes[0]
    expect(grown < 64 * THREADS + AT_ONCE * 500_000, f"{grown} bytes for {THREADS} threads")


def main():
    products, checker, failed = harness.Products(sys.argv[1]), sys.argv[2], False
    for check in (quiet_programs, busy_program, many_threads):
        with tempfile.TemporaryDirectory(prefix="profshim-spools-") as directory:
            try:
                check(products, checker, directory)
                print(f"ok: {check.__name__}", flush=True)
            except (harness.Failure, subprocess.TimeoutExpired) as error:
                print(f"FAILED: {check.__name__}: {error}", flush=True)
                failed = True
    sys.exit(failed)


main()
