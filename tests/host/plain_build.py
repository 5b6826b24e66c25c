#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-record --plain records two builds of one program in turns: counts of the one with
hooks, times of the one without, joined by function."""
import contextlib
import json
import os
import sqlite3

import host
from host import expect, scenario

PARTS = ("three_parts", "one_part")


def build(case, *flags):
    hooked = case.compile("sampled.c", flags=["-pthread"])
    folder = case.path("plain")
    os.mkdir(folder)
    plain = os.path.join(folder, "sampled")
    source = os.path.join(host.HERE, "sampled.c")
    host.harness.compile_program(source, plain, flags=["-pthread", *flags], hooks=False)
    return hooked, plain


def record(case, *arguments):
    return host.harness.run([case.products.record, "-o", case.database, *arguments],
                            cwd=case.directory, env=host.harness.plain_environment(),
                            timeout=100)


def report(case):
    result = case.analyze(case.database, "-f", "json")
    expect(result.returncode == 0, f"{result}")
    return json.loads(result.stdout)


def rows(case, name):
    return host.harness.query(
        case.database, "SELECT plain_runs, plain_samples, plain_cpu_ns, hooked_samples, calls "
        f"FROM plain_functions WHERE name = '{name}'")


def are_refused(case):
    return case.trust("sampling_refused") > 0


@scenario
def two_builds_are_one_report(case):
    hooked, plain = build(case)
    result = record(case, "--plain", plain, "--", hooked, "plain")
    expect(result.returncode == 0, f"{result}")
    links = host.harness.query(case.database, "SELECT run_id, plain_run_id FROM plain_runs")
    expect(links == [(2, 1)], f"run 1 is the plain build's, run 2 the other's: {links}")
    if are_refused(case):
        return
    # allocations and calls of libc would be time that the build does not take alone
    only = host.harness.query(case.database, "SELECT run_id FROM trust WHERE name = "
                                             "'samples_only' AND value = 1")
    expect(only == [(1,)], f"of the plain build alone samples are all: {only}")
    expect(case.value("SELECT alloc_count FROM runs WHERE run_id = 2") > 0,
           "allocations of the build with hooks are missing")
    # spin is inlined in both: the lines say whose the samples are
    (runs, count, _, hooked_count, calls), = rows(case, "spin")
    expect(runs == 1 and count >= 10 and hooked_count >= 10 and calls is None,
           f"spin: {runs} runs, {count} and {hooked_count} samples, {calls} calls")
    calls = case.value("SELECT calls FROM functions WHERE run_id = 2 AND name = 'both'")
    expect(calls > 0, "the counts of the build with hooks are missing")
    text = case.analyze(case.database).stdout
    expect("Times of the plain build" in text, f"the report does not have them:\n{text}")


@scenario
def slower_code_is_told(case):
    """The build that is called plain is the slow one: what its functions take more is more
    than chance explains."""
    hooked, plain = build(case, "-DWORK=5")
    result = record(case, "--plain", plain, "--repeat", "2", "--", hooked, "counted")
    expect(result.returncode == 0, f"{result}")
    links = host.harness.query(case.database, "SELECT run_id, plain_run_id FROM plain_runs "
                                              "ORDER BY plain_run_id")
    expect(links == [(4, 1), (4, 3)], f"both belong to the last run: {links}")
    if are_refused(case):
        return
    document = report(case)
    found = {row["name"]: row for row in document["plain_functions"]}
    expect(found["spin"]["differs"] == "less", f"spin: {found['spin']}")
    expect(any(note["name"] == "plain_note" and "spin" in note["text"]
               for note in document["notes"]), f"it is not told: {document['notes']}")


def lose_samples(case):
    """As if the sampling of the build with hooks had begun when it was nearly over."""
    with contextlib.closing(sqlite3.connect(case.database)) as database, database:
        database.execute("UPDATE sample SET cpu_ns = cpu_ns / 10, count = (count + 5) / 10"
                         " WHERE NOT is_plain")
        database.execute("DELETE FROM sample WHERE count = 0")


@scenario
def equal_code_does_not_differ(case):
    """Both are the same but for the hooks, which these loops do not notice."""
    hooked, plain = build(case)
    result = record(case, "--plain", plain, "--", hooked, "counted")
    expect(result.returncode == 0, f"{result}")
    if not are_refused(case):
        found = {row["name"]: row for row in report(case)["plain_functions"]}
        shares = [found["spin"][side] for side in ("cpu_ns", "hooked_cpu_ns")]
        expect(0.4 < shares[0] / shares[1] < 2.5, f"the same loops took {shares}")
        lose_samples(case)
        spin, = (row for row in report(case)["plain_functions"] if row["name"] == "spin")
        expect(spin["differs"] is None, f"few samples are not little time: {spin}")


@scenario
def wrong_builds_are_refused(case):
    hooked, plain = build(case)
    for arguments, status, sentence in (
            (["--plain", hooked, "--", hooked, "plain"], 2, "takes the build without"),
            (["--plain", case.path("none"), "--", hooked, "plain"], 127, "was not found"),
            (["--plain", "", "--", hooked, "plain"], 2, "build without hooks"),
            (["--plain", plain, "--against", "x", "--", hooked, "plain"], 2, "one of them")):
        result = record(case, *arguments)
        expect(result.returncode == status and sentence in result.stderr,
               f"{arguments}: {result.returncode}, {result.stderr}")
    expect(not os.path.exists(case.database), "something was recorded")


@scenario
def a_failure_ends_it(case):
    hooked, plain = build(case)
    os.chmod(plain, 0o644)
    result = record(case, "--plain", plain, "--", hooked, "plain")
    expect(result.returncode == 126, f"{result}")


host.main()
