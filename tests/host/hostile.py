#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shim and prof-record quote on stderr steers no terminal."""
import os
import re
import subprocess
import sys

import host
from host import expect, scenario

sys.path.insert(0, os.path.join(host.HERE, "..", "reports"))
import surface  # noqa: E402  (found through the line above)

BAD = "a\x1b]0;x\x07\x1b[31m\u202e\u200b\u009bb\rc\nd"
SETTINGS = ("LEVEL", "FOLLOW", "REPORT", "WAIT", "SNAPSHOT_EVERY", "SNAPSHOT_SIGNAL",
            "SNAPSHOT_AT", "STACK_DEPTH", "MAX_PATHS")


def expect_plain(text, what):
    shown = re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b\u202e]", text)
    expect(not shown, f"{what}: shows {shown and shown.group()!r}: {text[:2000]!r}")


@scenario
def settings(case):
    program = case.compile("ticker.c")
    for name in SETTINGS:
        recorded = case.run([program, case.path("counts"), "1", "10"],
                            {"PROFSHIM_" + name: BAD})
        expect(recorded.stderr.count("\n") == 1, f"{name}: not one line: {recorded.stderr!r}")
        expect_plain(recorded.stderr, name)
        expect("PROFSHIM_" + name in recorded.stderr, f"{name}: {recorded.stderr!r}")


@scenario
def places(case):
    program = case.compile("ticker.c")
    for name in ("OUTPUT", "COLLECTOR"):
        recorded = case.run([program, case.path("counts"), "1", "10"],
                            {"PROFSHIM_" + name: f"/nowhere/{BAD}"})
        expect(recorded.stderr.count("\n") == 1, f"{name}: not one line: {recorded.stderr!r}")
        expect_plain(recorded.stderr, name)


@scenario
def options(case):
    record = case.products.record
    for words in (*([f"--{name}={BAD}"] for name in
                    ("stack-depth", "max-paths", "follow", "level", "spans", "wait", "report", "repeat",
                     "warmup", "against", "input", "label", "output")),
                  ["--repeat=2", f"--label=1,{BAD}"], ["--against=x", "--label", f",{BAD}"],
                  [f"--{BAD}"], [f"--{BAD}={BAD}"], [f"--re={BAD}"], [f"--quiet={BAD}"],
                  [f"-{BAD}"], ["-o"], [f"-q{BAD}"], ["--", f"./{BAD}"], ["--", BAD]):
        result = host.harness.run([record, *words] + ["true"] * ("--" not in words),
                                  cwd=case.directory)
        expect_plain(result.stderr, str(words))
        expect(result.stderr.count("\n") <= 2, f"{words}: {result.stderr!r}")
    expect(os.path.isdir(case.directory), "the directory is gone")


@scenario
def words_of_the_program(case):
    """Options end where the program begins: its words come as they were given."""
    bad = BAD.replace("\r", "")  # which would be read as a newline
    words = [f"-{bad}", f"--{bad}", "--output=x", "-h", "--", "--help"]
    for options in (["-q"], ["-qo", case.database], ["--quiet", "--output", case.database, "--"]):
        result = host.harness.run([case.products.record, *options, "printf", "%s|", *words],
                                  cwd=case.directory)
        expect(result.stdout == "|".join(words) + "|", f"{options}: {result}")


def look_at(case, looks, path, words=()):
    """Everything that can be asked about the file, in the formats that a terminal gets."""
    for command, formats, arguments in looks:
        for form in [form for form in formats if form not in ("json", "csv", "sarif", "junit")]:
            line = surface.command_line(command, form, arguments, path)
            if form or command in ("export", "flamegraph"):
                expect_shown(case, [*line, *words])


def expect_shown(case, line):
    done = case.analyze(*line, "-o", case.path("shown"))
    expect_plain(done.stderr, f"{line}")
    if not os.path.exists(case.path("shown")):
        expect(done.returncode and done.stderr, f"{line}: {done}")
        return
    with open(case.path("shown"), "rb") as file:
        shown = file.read()
    os.remove(case.path("shown"))
    if "pprof" not in line:
        # a page's style and script, which are ours, are indented
        expect_plain(shown.decode("utf-8").replace("\t", ""), f"{line}")


@scenario
def names_of_a_program(case):
    """What a program calls itself, its threads, locks, regions, snapshots, steps, counters and
    files; the directory that it lies in, and what its run is called: while it runs, of a run
    that nobody has stored, and afterwards."""
    looks = surface.looks(case.products.analyze)
    strange = case.path("x\x1b[31m\u202e\nd")
    os.mkdir(strange)
    program = case.compile("named.c", flags=["-pthread", "-rdynamic"])
    os.rename(program, os.path.join(strange, "named"))
    command = [os.path.join(strange, "named"), BAD]
    settings = {"PROFSHIM_LABEL": BAD, "PROFSHIM_SPANS": "1us"}
    running = case.start([*command, "wait"], settings, stdin=subprocess.PIPE)
    expect(running.stdout.readline() == "ready\n", "the program did not start")
    look_at(case, [look for look in looks if look[0] in ("report", "timeline", "locks", "io")],
            case.database, ["--no-wait"])
    for words in (["--count=1"], ["--count=1", "--top=9"]):
        expect_shown(case, ["top", case.database, *words])
    running.communicate()
    case.settle()
    case.run(command, {**settings, "PROFSHIM_COLLECTOR": "/nonexistent"})
    look_at(case, looks, case.database)
    expect(case.value("SELECT COUNT(*) FROM runs") == 2, "a run is missing")


host.main()
