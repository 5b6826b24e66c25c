#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""GPUs, by a stand-in for NVIDIA's library: which process gets which numbers, without a
word where there is none, and no wait for a driver that hangs."""
import os
import shlex
import subprocess
import time

import host
from host import expect, scenario

STAND_IN = os.path.join(host.HERE, "stand_in_nvml.c")
MIB = 1 << 20


class Gpus:
    """A collector that finds the stand-in, and the file that tells the stand-in."""

    def __init__(self, case, version=2, **settings):
        self.case = case
        os.mkdir(case.path("gpu"))
        host.harness.compile_program(STAND_IN, case.path("gpu/libnvidia-ml.so.1"), hooks=False,
                                     flags=["-shared", "-fPIC", f"-DVERSION={version}"])
        settings = {"LD_LIBRARY_PATH": case.path("gpu"),
                    "STAND_IN_FILE": case.path("gpus"), **settings}
        words = " ".join(f"{name}={shlex.quote(value)}" for name, value in settings.items())
        with open(case.path("collector"), "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\n{words} exec {shlex.quote(case.products.collector)} "$@"\n')
        os.chmod(case.path("collector"), 0o755)

    def tell(self, lines):
        with open(self.case.path("new"), "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        os.rename(self.case.path("new"), self.case.path("gpus"))

    def start(self, command):
        return self.case.start(command, {"PROFSHIM_COLLECTOR": self.case.path("collector")},
                               stdin=subprocess.PIPE)

    def finish(self, process, seconds=10):
        output = process.communicate("", timeout=seconds)
        expect(process.returncode == 0 and not any(output),
               f"ended with {process.returncode} and {output}")
        self.case.settle()

    def rows(self, columns, clauses=""):
        return host.harness.query(self.case.database, f"SELECT {columns} FROM gpu {clauses}")


def child_of(process):
    """The only child, once it has become cat."""
    def find():
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="ascii") as file:
            children = file.read().split()
        if not children:
            return 0
        with open(f"/proc/{children[0]}/comm", encoding="ascii") as file:
            return int(children[0]) if file.read() == "cat\n" else 0

    return host.harness.wait_until(find)


@scenario
def per_process(case):
    """Two processes on two GPUs: memory, lists, divided GPUs, strangers."""
    gpus = Gpus(case)
    process = gpus.start(["sh", "-c", "cat; exit 0"])
    child = child_of(process)
    gpus.tell([f"0 {process.pid} c {100 * MIB} 40",  # computes and draws: one process
               f"0 {process.pid} g {100 * MIB} -1",
               f"1 {child} c {30 * MIB} 0",  # in two parts of a divided GPU
               f"1 {child} c {12 * MIB} 0",
               f"1 {process.pid} g -1 -1",
               "0 1 c 77 99"])
    started = time.monotonic()
    time.sleep(1.6)
    gpus.tell([f"0 {process.pid} c {300 * MIB} 80", f"1 {child} c {5 * MIB} -1"])
    time.sleep(1.2)
    gpus.finish(process)
    seconds = time.monotonic() - started
    own, other = (case.value(f"SELECT MAX(process_id) FROM processes WHERE pid = {pid}")
                  for pid in (process.pid, child))
    peaks = gpus.rows("process_id, device, MAX(memory_bytes), MAX(utilisation_percent)",
                      "GROUP BY process_id, device ORDER BY process_id, device")
    expect(peaks == [(own, 0, 300 * MIB, 80.0), (own, 1, None, 0.0), (other, 1, 42 * MIB, 0.0)],
           f"the peaks are {peaks}, processes {own} and {other}")
    least = gpus.rows("MIN(utilisation_percent), COUNT(*), COUNT(utilisation_percent)",
                      f"WHERE process_id = {own} AND device = 0")[0]
    expect(least[0] == 40.0, f"the least utilisation is {least[0]}")
    expect(3 <= least[1] <= 5 * seconds and 2 <= least[2] <= 1.5 * seconds,
           f"{least[1]} samples in {seconds:.1f} s, {least[2]} of utilisation")
    wall = case.value("SELECT wall_ns FROM runs")
    outside = gpus.rows("COUNT(*)", f"WHERE time_ns < 0 OR time_ns > {wall + 10_000_000}")
    expect(outside == [(0,)], f"{outside} samples outside of the run")


@scenario
def versions(case):
    """The other layouts of the driver's process lists."""
    for version in (1, 3):
        gpus = Gpus(case, version)
        process = gpus.start(["cat"])
        gpus.tell([f"0 {process.pid} c {100 * MIB} 40", f"1 {process.pid} c {7 * MIB} 2"])
        time.sleep(0.7)
        gpus.finish(process)
        run = case.value("SELECT MAX(run_id) FROM runs")
        peaks = gpus.rows("device, MAX(memory_bytes), MAX(utilisation_percent)",
                          f"WHERE run_id = {run} GROUP BY device ORDER BY device")
        expect(peaks == [(0, 100 * MIB, 40.0), (1, 7 * MIB, 2.0)],
               f"version {version}: the peaks are {peaks}")
        subprocess.run(["rm", "-r", case.path("gpu")], check=True)


@scenario
def hangs(case):
    """A driver that never answers: program and collector end as always."""
    gpus = Gpus(case, STAND_IN_HANG="1")
    process = gpus.start(["cat"])
    time.sleep(0.4)
    gpus.finish(process, seconds=60)  # who waits for the driver does so for ever
    expect(not case.collectors(), "the collector is still there")
    expect(case.value("SELECT complete FROM runs") == 1, "the run is not complete")
    expect(gpus.rows("COUNT(*)") == [(0,)], "samples from nowhere")


@scenario
def slow(case):
    """A driver that takes 40 ms for a look is asked each two seconds, not four times in one."""
    gpus = Gpus(case, STAND_IN_SLOW="10")
    started = time.monotonic()
    process = gpus.start(["cat"])
    gpus.tell([f"0 {process.pid} c {MIB} 40"])
    time.sleep(1.6)
    gpus.finish(process)
    looks, most = gpus.rows("COUNT(*)")[0][0], 1 + int((time.monotonic() - started) / 2)
    expect(1 <= looks <= most, f"looks at {gpus.rows('time_ns')}, {most} at most")


@scenario
def without(case):
    """No library: no rows, no word."""
    process = case.start(["cat"], stdin=subprocess.PIPE)
    time.sleep(0.4)
    output = process.communicate("", timeout=10)
    expect(not any(output), f"something was said: {output}")
    case.settle()
    expect(case.value("SELECT COUNT(*) FROM gpu") == 0, "samples without a library")
    result = case.analyze("resources", case.database)
    expect("GPU" not in result.stdout + result.stderr, f"the report says {result.stdout}")


host.main()
