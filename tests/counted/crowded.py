#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""On a processor that others want, too: with a budget, functions compute no longer than
their thread does, and the time that it waited for the processor is on its paths.

usage: crowded.py BUILD_ROOT
"""
import os
import subprocess
import sys

import written
from written import harness

# Counted functions, windows in them, and new paths all the time: so that the thread loses
# the processor in calls without a frame, in windows, and in the recorder's own work.
SOURCE = """
#define FORKS 12
static volatile unsigned int sum;
__attribute__((noipa)) unsigned int tiny(unsigned int number)
{
	for (int i = 0; i < 20; i++)
		number = number * 3 + 1;
	return number;
}
__attribute__((noipa)) void small(unsigned int number)
{
	for (int i = 0; i < 8; i++)
		sum += tiny(number + i);
}
__attribute__((noipa)) void left(unsigned int way, int depth);
__attribute__((noipa)) void right(unsigned int way, int depth)
{
	small(way);
	if (depth)
		(way & 1 ? left : right)(way >> 1, depth - 1);
}
__attribute__((noipa)) void left(unsigned int way, int depth)
{
	small(way);
	if (depth)
		(way & 1 ? right : left)(way >> 1, depth - 1);
}
int main(void)
{
	for (unsigned int i = 0; i < 100000; i++)
		left(i, FORKS);
	return 0;
}
"""
SPINNERS = 2
PATHS = "SELECT TOTAL(self_cpu_ns), TOTAL(self_ready_ns + self_blocked_ns) FROM call_paths"
THREADS = "SELECT TOTAL(cpu_ns), TOTAL(ready_ns + blocked_ns) FROM threads"
# What is outside of main().
OUTSIDE_NS = 10_000_000


class Crowd:
    """Processes that compute all the time on the processor of this one."""

    def __enter__(self):
        self.spinners = [subprocess.Popen([sys.executable, "-c", "while True: pass"])
                         for _ in range(SPINNERS)]

    def __exit__(self, *_):
        for spinner in self.spinners:
            spinner.kill()
            spinner.wait()


class Recording:
    """The program's times: of its functions and of its thread."""

    def __init__(self, database):
        self.database = database
        self.cpu, self.waited = harness.query(self.database, PATHS)[0]
        self.thread_cpu, self.thread_waited = harness.query(self.database, THREADS)[0]

    def __str__(self):
        return f"functions {self.cpu / 1e6:.1f} + {self.waited / 1e6:.1f} ms, thread " \
               f"{self.thread_cpu / 1e6:.1f} + {self.thread_waited / 1e6:.1f} ms"

    def tells_switches(self):
        return harness.query(self.database, "SELECT TOTAL(value) FROM trust WHERE name IN "
                             "('switches_by_rseq', 'switches_by_perf')") != [(0,)]


def check(run, functions):
    print(run)
    if not run.tells_switches():
        print("nobody tells of switches here")
        sys.exit(77)
    harness.expect(any(recording != "exact" for _, recording in functions.values()),
                   "each call was timed")
    harness.expect(run.thread_waited > run.thread_cpu / 2, f"the processor was free: {run}")
    harness.expect(run.cpu <= run.thread_cpu, f"more than the thread's: {run}")
    harness.expect(run.waited <= run.thread_waited + OUTSIDE_NS,
                   f"it did not wait so long: {run}")
    harness.expect(run.waited >= 0.8 * run.thread_waited - OUTSIDE_NS,
                   f"waits are lost: {run}")


def main():
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    with Crowd(), written.recorded(SOURCE, 10) as (database, functions):
        check(Recording(database), functions)


main()
