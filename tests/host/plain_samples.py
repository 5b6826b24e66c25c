#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A program without hooks is sampled from outside: whatever it does with its descriptors,
limits, children, threads, images and system calls, its shares are known, and it does not
notice. One with hooks is not: it samples itself."""
import glob
import os
import subprocess

import host
from host import expect, need_root, scenario

LEAST_SAMPLES = 10
PLAIN = "program = 'plain' AND kind = 'code'"
PARTS = ("three_parts", "one_part")


def samples_in(case, function):
    return case.value(f"SELECT TOTAL(count) FROM samples WHERE {PLAIN} AND outer_name = "
                      f"'{function}'")


def are_refused(case):
    """Of a kernel that lets nobody sample a recording says that, and has none."""
    if not case.trust("sampling_refused"):
        return False
    expect(case.value("SELECT text FROM trust WHERE name = 'sampling_refused'"),
           "no reason is told why there are no samples")
    expect(case.trust("samples") == 0, "samples of a kernel that refuses them")
    return True


def expect_shares(case, least=LEAST_SAMPLES):
    if are_refused(case):
        return
    three, one = (case.value(f"SELECT TOTAL(cpu_ns) FROM samples WHERE {PLAIN} AND "
                             f"outer_name = '{name}'") for name in PARTS)
    count = sum(samples_in(case, name) for name in PARTS)
    expect(count >= least, f"{count:.0f} samples in the two functions")
    share = three / (three + one)
    deviation = (0.75 * 0.25 / count) ** 0.5
    expect(abs(share - 0.75) < max(5 * deviation, 0.15), f"three parts of four are {share:.2f}")
    expect(case.trust("outside_samples") ==
           case.value("SELECT TOTAL(count) FROM samples WHERE program = 'plain'"),
           "samples have no row")
    expect(case.value("SELECT COUNT(*) FROM samples WHERE program = 'plain' AND path_id "
                      "IS NOT NULL") == 0, "one has a path of its own")


def compile_plain(case, name="sampled.c"):
    return case.compile(name, flags=["-pthread", "-O2"], hooks=False)


def record(case, condition, settings=None):
    program = compile_plain(case)
    result = case.unharmed([program, condition], settings, brief=True, timeout=60)
    expect(result.returncode == 0, f"{condition}: {result}")
    case.settle()


@scenario
def shares_are_told(case):
    record(case, "plain")
    expect_shares(case)
    if not are_refused(case):
        expect(case.value(f"SELECT COUNT(*) FROM samples WHERE {PLAIN} AND name = 'spin' AND "
                          "file LIKE '%sampled.c' AND line > 0") > 0,
               "what was inlined is not told by its lines")
        report = case.analyze(case.database).stdout
        expect("Where the CPU time went" in report, f"the report does not say it:\n{report}")


@scenario
def nothing_else_is_recorded(case):
    record(case, "plain", {"PROFSHIM_SAMPLES": "only"})
    expect_shares(case)
    expect(case.trust("samples_only") == 1, "it is not told that samples are all")
    for what in ("allocation_sites", "io", "call_paths WHERE calls > 0"):
        expect(case.value(f"SELECT COUNT(*) FROM {what}") == 0, f"there are {what}")
    report = case.analyze(case.database).stdout
    expect("not recorded (PROFSHIM_SAMPLES=only)" in " ".join(report.split()), f"it does not say so:\n{report}")
    if not are_refused(case):
        # they begin with the program
        expect(case.value("SELECT TOTAL(cpu_ns) FROM samples") >
               0.7 * case.value("SELECT TOTAL(cpu_ns) FROM threads"), "samples begin late")


def share_of_edges(case, callee):
    """Callers of a function, by their part of its time, of which a stack tells."""
    rows = host.harness.query(case.database, "SELECT caller, total_ns FROM call_edges WHERE "
                              f"callee = '{callee}' AND caller <> '[caller not seen]'")
    return {caller: total / sum(row[1] for row in rows) for caller, total in rows}


def has_few_stacks(case):
    """Of a kernel that gives none, or where nobody had the time to walk them."""
    return are_refused(case) or case.trust("sample_stacks") < 60


def record_stacks(case, condition):
    program = case.compile("stacks.c", flags=["-O2", "-fomit-frame-pointer"], hooks=False)
    result = case.unharmed([program, condition], timeout=60)
    expect(result.returncode == 0, f"{condition}: {result}")
    case.settle()


@scenario
def callers_are_told(case):
    """Whoever called, and a function that is called from two places by its part of each."""
    record_stacks(case, "plain")
    if has_few_stacks(case):
        return
    count = case.trust("sample_stacks")
    share = share_of_edges(case, "work")
    expect(set(share) == {"three_calls", "one_call"}, f"work() is called by {share}")
    # about a third of the stacks are in it
    deviation = (0.75 * 0.25 / (count / 4)) ** 0.5
    expect(abs(share["three_calls"] - 0.75) < 5 * deviation, f"three calls of four have {share}")
    expect(share_of_edges(case, "bottom").keys() == {"descend"}, "bottom() is not descend()'s")
    expect(set(share_of_edges(case, "descend")) <= {"main", "descend"}, "descend() is not main()'s")
    deepest = case.value("WITH RECURSIVE up(id, levels) AS (SELECT path_id, 0 FROM call_paths "
                         "WHERE name = 'bottom' UNION ALL SELECT p.parent_path_id, levels + "
                         "(p.name = 'descend') FROM up JOIN call_paths p ON p.path_id = up.id) "
                         "SELECT MAX(levels) FROM up")
    expect(deepest == 5, f"descend() is {deepest} levels deep")
    expect(not {"main", "sort"} & set(share_of_edges(case, "compare")),
           "compare() is called by nobody's library")
    expect(case.value("SELECT TOTAL(total_ns) FROM call_paths p WHERE name = 'sort' AND "
                      "self_ns < total_ns") > 0, "sort() has nothing below it")


@scenario
def paths_have_what_samples_have(case):
    """The parts of a function are all of it, and the whole is main()'s."""
    record_stacks(case, "plain")
    if has_few_stacks(case):
        return
    sampled = case.value(f"SELECT TOTAL(cpu_ns) FROM samples WHERE {PLAIN}")
    expect(abs(case.value("SELECT TOTAL(self_cpu_ns) FROM path") - sampled) <=
           case.value("SELECT TOTAL(self_cpu_ns) FROM path WHERE kind > 1") + 1,
           "the paths have another time than the samples")
    wrong = case.value(f"""SELECT COUNT(*) FROM functions f JOIN (SELECT name, SUM(cpu_ns) AS ns
        FROM samples WHERE {PLAIN} GROUP BY name) s USING (name)
        WHERE f.calls = 0 AND f.self_cpu_ns <> s.ns""")
    expect(wrong == 0, f"{wrong} functions have another time than their samples")
    whole = case.value("SELECT total_ns FROM functions WHERE name = 'main'")
    expect(whole > 0.9 * sampled, f"main() has {whole / sampled:.2f} of the time")
    for command in (["tree"], ["callers"], ["flamegraph"], ["export", "folded"]):
        words = [*command, case.database, *(["work"] if command == ["callers"] else [])]
        text = case.analyze(*words).stdout
        expect("three_calls" in text, f"{command} does not tell who called:\n{text[:2000]}")


@scenario
def no_table_tells_the_caller(case):
    """Nobody guesses."""
    record_stacks(case, "strays")
    if has_few_stacks(case):
        return
    share = share_of_edges(case, "stray")
    expect(not share, f"stray() is called by {share}")


@need_root
def the_kernel_is_told(case):
    """What the kernel does for a function is in its time, as it is in that of one with hooks."""
    program = compile_plain(case, "touches.c")
    result = case.unharmed([program], timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle()
    if are_refused(case):
        return
    touch, compute = (samples_in(case, name) for name in ("touch", "compute"))
    expect(touch + compute >= LEAST_SAMPLES, f"{touch:.0f} and {compute:.0f} samples")
    expect(touch / (touch + compute) > 0.35, f"half of the time has {touch:.0f} samples of "
           f"{touch + compute:.0f}")


@scenario
def children_are_told(case):
    record(case, "forks")
    expect_shares(case)


@scenario
def threads_are_told(case):
    record(case, "threads")
    expect_shares(case)


@scenario
def descriptors_are_closed(case):
    record(case, "closed")
    expect_shares(case)


@scenario
def no_descriptor_is_free(case):
    record(case, "full")
    expect_shares(case)


@scenario
def no_memory_may_be_locked(case):
    record(case, "locked")
    if not case.trust("sampling_refused"):
        expect_shares(case)


@scenario
def a_filter_kills_who_asks(case):
    """It is the program's, and the collector asks."""
    record(case, "filtered")
    expect_shares(case)


@scenario
def what_is_executed_is_told(case):
    program = compile_plain(case)
    result = case.unharmed(["/bin/sh", "-c", f"'{program}' plain; exec '{program}' plain"],
                           brief=True, timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle()
    expect_shares(case)


@scenario
def hooks_tell_more(case):
    """Below a shell, which has none, a program with hooks is not sampled twice."""
    program = case.compile("sampled.c", flags=["-pthread", "-O2"])
    result = case.unharmed(["/bin/sh", "-c", f"'{program}' plain; true"], brief=True, timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle()
    expect(sum(samples_in(case, name) for name in PARTS) == 0, "it was sampled from outside")
    if not are_refused(case):
        expect(case.value("SELECT TOTAL(count) FROM samples WHERE program = 'hooked'") > 0,
               "it has no samples of its own")


@scenario
def turns_are_not_paid_for(case):
    """A timer that is set anew at each switch costs more than samples may."""
    record(case, "switched")
    if not are_refused(case):
        expect(case.trust("declined_sample_rings") > 0 or
               case.trust("sample_longest_period_us") == 10000, "it was sampled all the time")


@scenario
def nobody_wants_them(case):
    record(case, "plain", {"PROFSHIM_SAMPLES": "off"})
    expect(case.trust("samples") == 0, "samples were taken")
    expect(case.trust("sampling_refused") == 0, "they were asked for")


@scenario
def a_rate_is_asked_for(case):
    record(case, "plain", {"PROFSHIM_SAMPLES": "100"})
    if not are_refused(case):
        expect(case.trust("sample_period_us") == 10000,
               f"a period of {case.trust('sample_period_us'):.0f} us")


@scenario
def a_killed_collector_leaves_them(case):
    program = compile_plain(case)
    process = case.start([program, "told"], stdin=subprocess.PIPE)
    collector = case.wait_for_collector()
    host.harness.wait_until(lambda: glob.glob(case.database + "-spool/*/cpu"), seconds=60)
    os.kill(collector, 9)
    process.communicate(timeout=60)
    case.settle()
    expect_shares(case)


@need_root
def another_user_is_sampled(case):
    """Who records need not be root."""
    program = compile_plain(case)
    os.chown(case.directory, host.NOBODY, host.NOBODY)
    result = case.run([program, "plain"], user=host.NOBODY, group=host.NOBODY,
                      extra_groups=[], timeout=60)
    expect(result.returncode == 0, f"{result}")
    case.settle(user=host.NOBODY, group=host.NOBODY, extra_groups=[])
    expect_shares(case)


host.main()
