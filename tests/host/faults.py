#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every system call of the shim fails in turn: the host notices nothing, and the recording
is complete or says what is missing.

FAULTS_STEP=1 in the environment tries each call instead of every few.
"""
import os
import tempfile
import time

import host
from host import expect, scenario
from verdict import BLOCKS, GROWS, STEPS

STEP = int(os.environ.get("FAULTS_STEP", "4"))
WAIT = 6  # seconds; a run that waits for a collector in vain takes as long

# Rows of trust that say that numbers are missing.
LOSSES = ("folded_paths", "dropped_allocations", "late_events", "lost_processes",
          "damaged_segments", "orphan_exits", "repaired_frames")


class Sweep:
    """fault_host.c under fail_calls.c, once per failing call. Each of its stops is a switch
    of the program, whose number changes from run to run: waits are asked for only where
    calls fail by name."""

    def __init__(self, case, waits="off"):
        self.case, self.waits = case, waits
        self.program = case.compile("fault_host.c")
        self.failer = case.compile("fail_calls.c", hooks=False)
        self.plain = self.normal(case.run_plain([self.program]))
        self.faults = []
        self.told = self.complete = 0

    def normal(self, result):
        return (result.returncode, result.stdout, result.stderr)

    def run(self, names, error, first, count):
        """One run in a directory of its own. (result, report, output, seconds)"""
        # its own: a collector of the run before may still be at work
        directory = tempfile.mkdtemp(prefix="run-", dir=self.case.directory)
        output = os.path.join(directory, "run.db")
        report = self.case.path("report")
        failer = [self.failer, names, str(error), str(first), str(count), report]
        settings = [f"LD_PRELOAD={self.case.products.library}",
                    f"PROFSHIM_OUTPUT={output}", f"PROFSHIM_WAIT={WAIT}",
                    f"PROFSHIM_WAITS={self.waits}"]
        if first == 0:  # the program itself may behave otherwise, too
            self.plain = self.normal(self.case.run_plain([*failer, self.program]))
        started = time.monotonic()
        result = self.case.run_plain([*failer, *settings, self.program])
        seconds = time.monotonic() - started
        with open(report, encoding="utf-8") as file:
            failed, seen = (file.read() + "\n0").split("\n")[:2]
        return result, failed.strip(), int(seen), output, seconds

    def count(self, names):
        _, _, seen, output, _ = self.run(names, 0, 1_000_000, 1)
        self.wait_for_collector(output)
        return seen

    def wait_for_collector(self, output):
        spool = output + "-spool/"
        host.harness.wait_until(lambda: not host.harness.processes_naming(spool), 30)

    def try_one(self, names, error, first, count):
        result, failed, _, output, seconds = self.run(names, error, first, count)
        what = f"{names} from {first}, {count or 'all'} fail ({failed[:200]})"
        try:
            self.wait_for_collector(output)
            self.check_host(result, seconds)
            self.check_recording(result, output)
        except host.Failure as failure:
            self.faults.append(f"{what}: {failure}")

    def check_host(self, result, seconds):
        code, stdout, stderr = self.normal(result)
        expect(code == self.plain[0], f"ended with {code}: {stderr}")
        expect(stdout == self.plain[1], f"printed {stdout!r}")
        lines = stderr.splitlines()
        ours = [line for line in lines if line.startswith("profshim: ")]
        expect([line for line in lines if line not in ours] == self.plain[2].splitlines(),
               f"wrote {stderr!r}")
        expect(len(ours) <= 1, f"more than one line: {stderr!r}")
        result.message = ours[0] if ours else ""
        expect(seconds < WAIT - 1, f"took {seconds:.1f} s")

    def check_recording(self, result, output):
        """Complete, or something says that it is not."""
        analyze = self.case.analyze("doctor", output, timeout=60)
        if "unrecorded" in result.message:
            self.told += 1
            expect(analyze.returncode == 1, f"doctor: {analyze}")
            return
        expect(analyze.returncode == 0, f"doctor: {analyze} after {result.message!r}")
        expect(os.path.exists(output), f"no run.db; doctor: {analyze.stdout}")
        lost = self.losses(output)
        if not lost and not self.missing(output):
            self.complete += 1
            return
        expect("Nothing is wrong with this recording" not in analyze.stdout,
               f"missing {self.missing(output)}, and doctor finds nothing wrong")
        self.told += 1

    def losses(self, output):
        names = ", ".join(f"'{name}'" for name in LOSSES)
        rows = host.harness.query(
            output, "SELECT name, value FROM trust WHERE value <> 0 AND "
            f"(name IN ({names}) OR name LIKE 'note_%')")
        if host.harness.value(output, "SELECT COUNT(*) FROM runs WHERE complete = 0"):
            rows.append(("incomplete", 1))
        return rows

    def missing(self, output):
        """What differs from what the program is known to do."""
        found = {}
        for name, column, count in (("step", "calls", STEPS), ("grow", "calls", GROWS),
                                    ("block", "alloc_count", BLOCKS)):
            value = host.harness.value(output, f"SELECT TOTAL({column}) FROM functions "
                                       f"WHERE name = '{name}'")
            if value != count:
                found[name] = value
        runs = host.harness.query(output, "SELECT token, pid, executable FROM run "
                                  "JOIN process USING (run_id)")
        if found and len(runs) != 2:
            found["processes"] = runs
        return found

    def end(self):
        expect(not self.faults, f"{len(self.faults)} faults:\n" + "\n".join(self.faults))
        print(f"    {self.complete} runs complete, {self.told} told what is missing")


@scenario
def each_call_fails(case):
    sweep = Sweep(case)
    total = sweep.count("all")
    expect(total > 100, f"only {total} calls seen: the window of fail_calls.c is wrong")
    for first in range(1, total + 1, STEP):
        sweep.try_one("all", 0, first, 1)
    sweep.end()


@scenario
def all_further_calls_fail(case):
    sweep = Sweep(case)
    total = sweep.count("all")
    for first in range(1, total + 1, 2 * STEP):
        sweep.try_one("all", 0, first, 0)
    sweep.end()


def refused(case, names, error=0):
    """On a kernel that lacks these calls, for the collector as well. How many runs were
    complete."""
    sweep = Sweep(case, "on")
    for name in names:
        sweep.try_one(name, error, 0, 0)
    sweep.end()
    return sweep.complete


@scenario
def older_kernels(case):
    """Nothing is missing without what came with Linux 5.14, 5.9, 5.3 and 3.17."""
    names = ("close_range", "pidfd_open", "getrandom", "close_range,pidfd_open,getrandom")
    expect(refused(case, names) == len(names), "a recording is not complete")
    EINVAL = 22
    names = ("populate", "populate,random")
    expect(refused(case, names, EINVAL) == len(names), "a recording is not complete")


@scenario
def no_wiping_on_fork(case):
    """Before Linux 4.14 a forked child could not be told from its parent: off."""
    expect(refused(case, ("wipe_on_fork",)) == 0, "children may write into their parents")
    result = Sweep(case).run("wipe_on_fork", 0, 0, 0)[0]
    expect("MADV_WIPEONFORK" in result.stderr, f"does not say why: {result.stderr}")


@scenario
def sandboxed_from_outside(case):
    """Calls that a sandbox may refuse for good."""
    names = ("getrusage", "prctl", "uname", "getcwd", "readlink", "setsid", "chdir",
             "mremap", "ftruncate", "kill", "lseek", "prlimit64", "access",
             "clock_gettime", "nanosleep", "perf_event_open",
             "clock_gettime,getrusage,nanosleep")
    refused(case, names)


host.main()
