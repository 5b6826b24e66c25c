#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rules about sources whose answers come while the program runs: calls before and after
are counted exactly. Here a test is the collector, or somebody hostile."""
import glob
import os
import random
import re
import struct
import subprocess

import host
from host import expect, scenario


class Told:
    """The program, which does what it is told by lines."""

    def __init__(self, case, **settings):
        self.case = case
        program = case.compile("adjusted.c", flags=["-pthread", "-Wl,--build-id=sha1"])
        self.process = case.start([program], {"PROFSHIM_COLLECTOR": "/nonexistent", **settings},
                                  stdin=subprocess.PIPE)
        self.tell("nudge")
        notes = host.harness.run(["readelf", "-n", program]).stdout
        symbols = [line.split() for line in
                   host.harness.run(["nm", program]).stdout.splitlines()]
        self.build_id = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", notes).group(1))
        self.symbols = {words[2]: int(words[0], 16) for words in symbols if len(words) == 3}

    def tell(self, *lines):
        for line in lines:
            self.process.stdin.write(line + "\n")
            self.process.stdin.flush()
            answer = self.process.stdout.readline().strip()
            expect(answer in ("done", "forked"), f"{line}: the program said {answer!r}")

    def end(self):
        """What the program has counted."""
        said, errors = self.process.communicate("end\n", timeout=60)
        expect(self.process.returncode == 0, f"ended with {self.process.returncode}: {errors}")
        self.case.settle()
        return {line.split()[0]: int(line.split()[1]) for line in said.splitlines()
                if " " in line}


class Control:
    """The file of a run, see common/segment_control.h."""
    COUNT, ANSWERS, FITTINGS = 16, 4096, 4096 + 80 * 2048
    BYTES = FITTINGS + 16 * (1 << 18)

    def __init__(self, case):
        path, = glob.glob(os.path.join(case.database + "-spool", "*", "control"))
        self.file = open(path, "r+b", buffering=0)
        expect(os.path.getsize(path) == self.BYTES, "another layout")
        self.count = self.fitting_count = 0

    def write(self, at, data):
        self.file.seek(at)
        self.file.write(data)

    def answer(self, build_id, fittings):
        """fittings: (address, rules) pairs of the object."""
        self.write(self.FITTINGS + 16 * self.fitting_count,
                   b"".join(struct.pack("<QQ", *fitting) for fitting in fittings))
        self.write(self.ANSWERS + 80 * self.count, struct.pack(
            "<I36sQQQqII", len(build_id), build_id, 0, 0, 0, 0, self.fitting_count,
            len(fittings)))
        self.count += 1
        self.fitting_count += len(fittings)
        self.write(self.COUNT, struct.pack("<I", self.count))


def expect_calls(case, **wanted):
    for name, calls in wanted.items():
        found = case.calls(name)
        expect(found == calls, f"{name}: {found} calls are recorded, not {calls}")


def check_answers(case, **settings):
    told = Told(case, PROFSHIM_SKIP="file:x.c,other,file:y.c", **settings)
    control = Control(case)
    told.tell("tiny 10", "deep 3", "other 100")
    control.answer(bytes(20), [(told.symbols["tiny"], 4)])  # another object
    told.tell("nudge", "tiny 1000", "deep 20")
    # bits of rules that are not about sources mean nothing
    control.answer(told.build_id, [(told.symbols["deep"], 4), (told.symbols["tiny"], 2)])
    told.tell("nudge", "tiny 100", "deep 40", "other 100")
    told.end()
    expect_calls(case, tiny=1110, deep=23, other=0)
    expect(case.trust("late_objects") >= 1, "nothing is said of the answers that were late")
    expect(case.trust("orphan_exits") == 0, "orphans")
    recording = case.value("SELECT recording FROM functions WHERE name = 'deep'")
    expect(recording == "off", f"deep() was off for a time, and is said to be {recording}")


@scenario
def answers_are_followed(case):
    check_answers(case)


@scenario
def code_that_is_not_written_follows(case):
    check_answers(case, PROFSHIM_PATCH="off")


@scenario
def counted_functions_follow(case):
    told = Told(case, PROFSHIM_SKIP="file:y.c", PROFSHIM_OVERHEAD="1")
    control = Control(case)
    for _ in range(40):
        told.tell("tiny 1000000")
    control.answer(told.build_id, [(told.symbols["tiny"], 1)])
    told.tell("nudge")
    # a thread looks at its next pulse, some thousand calls later
    told.tell("tiny 1000000", "nudge", "tiny 1000000")
    told.end()
    expect(case.trust("counted_calls") > 10000000, "no budget was held")
    calls = case.calls("tiny")
    expect(40000000 <= calls < 41500000, f"{calls} calls of tiny() are recorded")


@scenario
def only_what_answers_name(case):
    told = Told(case, PROFSHIM_ONLY="file:x.c,nudge")
    told.tell("tiny 10")
    Control(case).answer(told.build_id, [(told.symbols["deep"], 1)])
    told.tell("nudge", "tiny 1000", "deep 100", "other 100")
    told.end()
    expect_calls(case, tiny=10, deep=100, other=0)


@scenario
def open_calls_are_closed_by_their_exits(case):
    told = Told(case, PROFSHIM_SKIP="file:y.c")
    told.tell("other 3")
    told.process.stdin.write("inside 3\nother 5\n")
    told.process.stdin.flush()
    told.process.stdout.readline()
    Control(case).answer(told.build_id, [(told.symbols["holder"], 1)])
    told.tell("nudge")
    told.process.stdin.write("other 7\n")
    told.process.stdin.flush()
    for _ in range(2):
        told.process.stdout.readline()
    told.tell("other 11")
    told.end()
    below = case.value("SELECT TOTAL(calls) FROM call_paths WHERE name = 'other' AND "
                       "parent_path_id IN (SELECT path_id FROM call_paths WHERE name = "
                       "'holder')")
    expect(below == 12, f"{below} calls of other() are below holder()")
    expect_calls(case, other=26, holder=1)
    expect(case.trust("repaired_frames") == 0, "holder() was not closed by its exit")


@scenario
def children_and_threads_follow(case):
    told = Told(case, PROFSHIM_SKIP="file:y.c")
    told.tell("tiny 10", "fork", "tiny 100")
    Control(case).answer(told.build_id, [(told.symbols["tiny"], 1)])
    told.tell("nudge", "tiny 1000", "thread 10000")
    told.process.stdin.write("end\n")
    told.process.stdin.flush()
    told.process.stdout.readline()
    told.tell("nudge", "tiny 100000")  # the parent follows with its first calls
    counted = told.end()
    expect(counted["tiny"] == 111110, f"{counted}")
    expect_calls(case, tiny=110)


@scenario
def a_hostile_file_harms_nobody(case):
    told = Told(case, PROFSHIM_SKIP="file:x.c", PROFSHIM_LEVEL="full")
    control = Control(case)
    last = (1 << 64) - 1

    def check():
        told.tell("nudge", "tiny 1000", "deep 10", "other 10")

    for number in range(1, 6):
        # numbers past the ends, addresses of nothing, bits of no rule
        control.answer(told.build_id, [(last - 16 * i, last) for i in range(100)])
        control.write(control.ANSWERS + 80 * (number - 1) + 72,
                      struct.pack("<II", last >> 32 >> number, last >> 32))
        control.write(control.COUNT, struct.pack("<I", (last >> 32) - number))
        check()
    for number in range(20):
        control.write(control.ANSWERS, random.randbytes(80 * 2048))
        control.write(control.COUNT, struct.pack("<I", 100 + number))
        check()
    control.write(0, bytes(4096))
    check()
    counted = told.end()
    for name in ("tiny", "deep", "other"):
        expect(case.calls(name) <= counted[name], f"{name}: more calls than there were")


if __name__ == "__main__":
    host.main()
