#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the shim and prof-record quote on stderr steers no terminal."""
import os

import host
from host import expect, scenario

BAD = "a\x1b]0;x\x07\x1b[31m\u202e\u200b\u009bb\rc\nd"
SETTINGS = ("LEVEL", "FOLLOW", "REPORT", "WAIT", "SNAPSHOT_EVERY", "SNAPSHOT_SIGNAL",
            "SNAPSHOT_AT", "STACK_DEPTH", "MAX_PATHS")


def expect_plain(text, what):
    for character in text.replace("\n", ""):
        expect(ord(character) >= 32 and not 0x7f <= ord(character) < 0xa0 and
               ord(character) not in (0x202e, 0x200b), f"{what}: shows {character!r}: {text!r}")


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


host.main()
