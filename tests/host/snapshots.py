#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Snapshots that others ask for: a signal, a command, an interval; by processes that fork;
and more than there is room for. What snapshots hold is tested in tests/programs."""
import os
import signal
import time

import host
from host import expect, scenario


def start(case, *arguments, **settings):
    process = case.start([case.compile("snapper.c"), *arguments], settings)
    pid = int(process.stdout.readline())
    return process, pid


def send(pid):
    """The signal, and until it is taken: a second one would be one with it."""
    os.kill(pid, signal.SIGUSR2)
    bit = 1 << signal.SIGUSR2 - 1

    def is_taken():
        with open(f"/proc/{pid}/status", encoding="ascii", errors="replace") as file:
            words = [line.split() for line in file]
        return not any(int(word[1], 16) & bit for word in words
                       if word[0] in ("SigPnd:", "ShdPnd:"))

    host.harness.wait_until(is_taken, 60)


def labels(case):
    return [row[0] for row in host.harness.query(
        case.database, "SELECT taken_by || ' ' || label FROM snapshots "
        "ORDER BY process_id, number")]


def finish(case, process, last):
    output, errors = process.communicate(timeout=60)
    expect(process.returncode == 0 and output == f"handled {last}\n" and not errors,
           f"ended with {process.returncode}: {output!r} {errors!r}")
    case.settle()


@scenario
def by_signal(case):
    process, pid = start(case, "200", "10", "none", PROFSHIM_SNAPSHOT_SIGNAL="SIGUSR2")
    for _ in range(3):
        time.sleep(0.1)
        send(pid)
    finish(case, process, 0)
    expect(labels(case) == ["signal signal"] * 3, f"snapshots: {labels(case)}")
    expect(case.calls("step") == 200, "the signal disturbed the program")


@scenario
def signal_of_the_program(case):
    """Its own handler is the one that is called."""
    process, pid = start(case, "100", "10", "own", PROFSHIM_SNAPSHOT_SIGNAL="USR2")
    time.sleep(0.1)
    send(pid)
    finish(case, process, 1)
    expect(labels(case) == [], f"snapshots: {labels(case)}")


@scenario
def by_interval(case):
    process, _ = start(case, "150", "10", "none", PROFSHIM_SNAPSHOT_EVERY="100ms")
    finish(case, process, 0)
    found = labels(case)
    most = case.value("SELECT wall_ns FROM runs") / 1e8 + 2
    expect(2 <= len(found) <= most and found[0] == "interval interval 1",
           f"snapshots: {found}")
    falls = case.value("SELECT COUNT(*) FROM snapshots a JOIN snapshots b ON "
                       "b.number = a.number + 1 WHERE b.live_count <= a.live_count")
    expect(falls == 0, "a snapshot does not have more than the one before")


@scenario
def by_command(case):
    """With a collector, and when it has been killed; the recording has them all."""
    process, pid = start(case, "300", "20", "none")
    time.sleep(0.3)
    taken = case.analyze("snapshot", str(pid), "one")
    expect(taken.returncode == 0 and 'snapshot 1, "one"' in taken.stdout, f"{taken}")
    for collector in case.collectors():
        os.kill(collector, signal.SIGKILL)
    time.sleep(0.2)
    taken = case.analyze("snapshot", str(pid), "two")
    expect(taken.returncode == 0 and 'snapshot 2, "two"' in taken.stdout, f"{taken}")
    finish(case, process, 0)
    expect(labels(case) == ["command one", "command two"], f"snapshots: {labels(case)}")
    held = case.value("SELECT b.live_count > a.live_count AND b.live_count < 301 "
                      "FROM snapshots a JOIN snapshots b ON b.number = 2 "
                      "WHERE a.number = 1")
    expect(held == 1, "the second has not more than the first")
    delta = case.analyze("delta", case.database, "one", "two")
    expect(delta.returncode == 0 and "hold" in delta.stdout, f"{delta}")


@scenario
def command_refused(case):
    process = case.start(["sleep", "5"], {"LD_PRELOAD": ""})
    for words, sentence in ((["snapshot", str(process.pid), "x"], "is not being recorded"),
                            (["snapshot", "99999999", "x"], "there is no process"),
                            (["snapshot", "x", "x"], "is not a process number"),
                            (["snapshot", "1", ""], "a label has 1 to")):
        result = case.analyze(*words)
        expect(result.returncode in (1, 2) and sentence in result.stderr, f"{result}")
    process.kill()
    process.communicate()


@scenario
def of_children(case):
    """Each process has its own; the child's do not count what the parent holds."""
    process, _ = start(case, "60", "10", "none", "fork", PROFSHIM_SNAPSHOT_EVERY="100ms")
    finish(case, process, 0)
    rows = host.harness.query(case.database, "SELECT process_id, MIN(number), MAX(number), "
                              "COUNT(*), MAX(live_count) FROM snapshots GROUP BY 1")
    expect(len(rows) == 2 and all(row[1] == 1 and row[2] == row[3] for row in rows),
           f"process, first, last, count: {rows}")
    expect(max(row[4] for row in rows) <= 62, f"a process has the other's blocks: {rows}")


@scenario
def too_many(case):
    """4,095 are the most; those that are refused are counted."""
    program = case.compile("snapshot_crowd.c")
    case.unharmed([program, "5000"])
    case.settle()
    expect(case.value("SELECT COUNT(*) FROM snapshots") == 4095, "not 4,095 snapshots")
    expect(case.value("SELECT SUM(value) FROM trust WHERE name = 'refused_snapshots'") == 905,
           "what was refused is not counted")
    expect(case.value("SELECT live_count FROM snapshots WHERE number = 4095") == 4095,
           "the last one does not have what was live")


@scenario
def what_still_runs(case):
    """runs says that a run goes on, beside stored ones too; delta says now, not exit."""
    process, pid = start(case, "250", "5", "none", PROFSHIM_SNAPSHOT_EVERY="100ms")
    host.harness.wait_until(lambda: "interval 1" in case.analyze(
        "delta", case.database).stdout)
    listed = case.analyze("runs", case.database)
    expect("running" in listed.stdout and "incomplete" not in listed.stdout,
           f"runs does not say that it runs: {listed.stdout}")
    for words in (("interval 1", "now"), ("start", "exit")):
        delta = case.analyze("delta", case.database, *words)
        expect(delta.returncode == 0 and " now" in delta.stdout and
               "exit" not in delta.stdout, f"delta {words}: {delta}")
    machine = case.analyze("delta", case.database, "start", "now", "--format", "json")
    expect('"b": "now"' in machine.stdout, f"delta: {machine.stdout[:600]}")
    finish(case, process, 0)
    process, pid = start(case, "250", "5", "none")
    host.harness.wait_until(lambda: str(pid) in case.analyze("runs", case.database).stdout)
    listed = case.analyze("runs", case.database).stdout
    expect("being recorded" in listed and "exit 0" in listed, f"runs: {listed}")
    delta = case.analyze("delta", case.database, "start", "now", "--run", "1")
    expect(delta.returncode == 0 and "the exit" in delta.stdout, f"delta: {delta}")
    finish(case, process, 0)
    expect("being recorded" not in case.analyze("runs", case.database).stdout, "it goes on")


@scenario
def counted_calls(case):
    """No snapshot has calls that were only counted, and a delta says so: those with a frame
    grow from snapshot to snapshot up to no more than the total."""
    program = case.compile("inlined_budget.c")
    case.run([program], {"PROFSHIM_OVERHEAD": "1", "PROFSHIM_SNAPSHOT_EVERY": "5ms",
                         "PROFSHIM_SNAPSHOT_AT": "driver:exit"})
    case.settle()
    counted = case.trust("counted_calls")
    expect(counted > 1_000_000, f"{counted:.0f} calls were counted")
    expect(case.calls("leaf") == 800_000, f"{case.calls('leaf'):.0f} calls of leaf")
    expect(not case.value("SELECT COUNT(*) FROM snapshot_paths s JOIN call_paths p "
                          "USING (run_id, path_id) WHERE s.calls > p.calls"),
           "a snapshot has more calls than the run")
    for moments, word in ((("start", "driver:exit#4"), "without"),
                          (("driver:exit#4", "exit"), "with")):
        result = case.analyze("delta", case.database, *moments)
        expect(f"{word} {counted:,.0f}" in " ".join(result.stdout.split()),
               f"{moments}: {result.stdout}{result.stderr}")


if __name__ == "__main__":
    host.main()
