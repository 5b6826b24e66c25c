#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`prof-analyze set`: what is recorded is changed while the program runs. Calls before and
after are counted exactly; a program that is left alone is recorded as it began."""
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

    def __init__(self, case, program, **settings):
        self.case = case
        self.process = case.start([program], settings, stdin=subprocess.PIPE)

    def tell(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        expect(answer in ("done", "forked"), f"{line}: the program said {answer!r}")

    def set(self, *words, pid=None, line="nudge"):
        """Waits until the process follows; meanwhile it makes calls."""
        command = subprocess.Popen(
            [self.case.products.analyze, "set", str(pid or self.process.pid), *words],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        while command.poll() is None:
            self.tell(line)
        said = " ".join(command.stdout.read().split())
        expect(command.returncode == 0 and "follows" in said,
               f"set {words} ended with {command.returncode}: {said}")
        return said

    def end(self):
        """What the program has counted."""
        said, errors = self.process.communicate("end\n", timeout=60)
        expect(self.process.returncode == 0, f"ended with {self.process.returncode}: {errors}")
        self.case.settle()
        return {line.split()[0]: int(line.split()[1]) for line in said.splitlines()
                if " " in line}


def begin(case, **settings):
    return Told(case, case.compile("adjusted.c", flags=["-pthread"]), **settings)


def recording(case, name):
    return case.value(f"SELECT recording FROM functions WHERE name = '{name}'")


def expect_calls(case, **wanted):
    for name, calls in wanted.items():
        found = case.calls(name)
        expect(found == calls, f"{name}: {found} calls are recorded, not {calls}")


@scenario
def rules_come_and_go(case):
    told = begin(case)
    told.tell("tiny 1000")
    told.tell("other 10")
    said = told.set("skip=tiny")
    expect("skip: tiny" in said and "only: no rules" in said, said)
    told.tell("tiny 500")
    told.tell("other 10")
    told.set("skip=")
    told.tell("tiny 30")
    told.set("only=tiny,nudge")
    told.tell("tiny 7")
    told.tell("other 10")
    told.tell("deep 10")
    told.set("only=")
    told.tell("other 1")
    counted = told.end()
    expect(counted["tiny"] == 1537, f"{counted}")
    expect_calls(case, tiny=1037, other=21, deep=0)
    expect(case.trust("orphan_exits") == 0, "orphans")
    # what was off for a time is said to be so
    expect(recording(case, "nudge") == "exact", "nudge() was never off")
    expect(recording(case, "other") == recording(case, "tiny") == "off", "was it not off?")
    rows = host.harness.query(case.database, "SELECT setting_number, time_ns > 0, "
                              "overhead_percent, only_rules, skip_rules FROM settings")
    expect(rows == [(1, 1, None, "", "tiny"), (2, 1, None, "", ""),
                    (3, 1, None, "tiny,nudge", ""), (4, 1, None, "", "")], f"{rows}")
    expect(case.trust("setting_changes") == 4, "the changes are not counted")


@scenario
def rules_that_fit_nothing_are_told(case):
    told = begin(case)
    told.tell("tiny 10")
    told.tell("other 10")
    said = told.set("skip=tinny,tiny", "only=t*,nudge,odder,module:none.so")
    expect("No function fits" in said and said.endswith("so far: odder, none.so, tinny."),
           said)
    told.set("only=")
    for words in (["skip=file:elsewhere.c,tiny"], ["overhead=5"], ["skip=other"]):
        said = told.set(*words)
        expect("No function fits" not in said, said)
    told.end()


@scenario
def rules_of_the_start_are_lifted(case):
    told = begin(case, PROFSHIM_SKIP="tiny,deep")
    told.tell("tiny 1000")
    told.tell("deep 5")
    told.set("skip=")
    told.tell("tiny 300")
    told.tell("deep 20")
    told.end()
    expect_calls(case, tiny=300, deep=20)


@scenario
def open_calls_are_closed_by_their_exits(case):
    told = begin(case)
    told.tell("other 3")
    told.process.stdin.write("inside 3\nother 5\n")
    told.process.stdin.flush()
    told.process.stdout.readline()
    command = subprocess.Popen(
        [case.products.analyze, "set", str(told.process.pid), "skip=holder"],
        stdout=subprocess.PIPE, text=True)
    told.tell("nudge")
    command.communicate()
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
def a_budget_begins_and_ends(case):
    told = begin(case)
    told.tell("tiny 100000")
    told.set("overhead=1")
    for _ in range(40):
        told.tell("tiny 1000000")
    said = told.set("overhead=off")
    expect("no budget" in said, said)
    told.tell("tiny 1000")
    counted = told.end()
    expect_calls(case, tiny=counted["tiny"])
    expect(recording(case, "tiny") in ("sampled", "counted"), recording(case, "tiny"))
    expect(case.trust("counted_calls") > 10000000, "no budget was held")
    # and it ended: the last calls have a frame each
    expect(case.value("SELECT COUNT(*) FROM trust WHERE name = 'mode_changes' AND "
                      "value >= 2"), "nothing was given back")


@scenario
def a_budget_is_taken_back(case):
    told = begin(case, PROFSHIM_LEVEL="full")
    for _ in range(10):
        told.tell("tiny 1000000")
    told.set("overhead=off")
    told.tell("tiny 5000000")
    counted = told.end()
    expect_calls(case, tiny=counted["tiny"])
    frames = case.trust("hook_calls")
    expect(frames >= 5000000, f"{frames} calls had a frame after the end of the budget")


@scenario
def crowds_are_counted_whatever_comes(case):
    for level in ("exact", "full"):
        told = begin(case, PROFSHIM_LEVEL=level)
        told.tell("tiny 10")
        for word in ("overhead=1", "overhead=off", "overhead=5", "overhead=default") * 2:
            told.process.stdin.write("crowd 500000\n")
            told.process.stdin.flush()
            result = case.analyze("set", str(told.process.pid), word)
            expect(result.returncode == 0, result.stderr)
            expect(told.process.stdout.readline() == "done\n", "it does not go on")
        counted = told.end()
        expect_calls(case, tiny=counted["tiny"], other=counted["other"])
        os.remove(case.database)


@scenario
def code_that_is_not_written_follows(case):
    told = begin(case, PROFSHIM_PATCH="off")
    told.tell("tiny 1000")
    told.set("skip=tiny")
    told.tell("tiny 500")
    told.set("skip=*")
    told.tell("tiny 30")
    told.set("skip=")
    told.tell("tiny 4")
    told.end()
    expect_calls(case, tiny=1004)


@scenario
def children_and_threads_follow(case):
    told = begin(case)
    told.tell("tiny 10")
    told.tell("fork")
    child, = [int(pid) for pid in open(
        f"/proc/{told.process.pid}/task/{told.process.pid}/children").read().split()]
    told.tell("tiny 100")
    told.set("skip=tiny", pid=child)
    told.tell("tiny 1000")
    told.tell("thread 10000")
    told.process.stdin.write("end\n")
    told.process.stdin.flush()
    told.process.stdout.readline()
    told.tell("nudge")  # the parent follows with its first calls
    told.tell("tiny 100000")
    told.set("skip=")
    told.tell("thread 7")
    counted = told.end()
    expect(counted["tiny"] == 111117, f"{counted}")
    expect_calls(case, tiny=117)


@scenario
def later_images_begin_with_it(case):
    program = case.compile("adjusted.c", flags=["-pthread"])
    shell = case.start(["/bin/sh", "-c", f"{program}; {program}"], stdin=subprocess.PIPE)
    told = Told.__new__(Told)
    told.case, told.process = case, shell
    told.tell("tiny 10")
    child, = [int(pid) for pid in open(
        f"/proc/{shell.pid}/task/{shell.pid}/children").read().split()]
    told.set("skip=tiny", pid=child)
    told.tell("tiny 100")
    shell.stdin.write("end\n")
    shell.stdin.flush()
    for _ in range(4):
        shell.stdout.readline()
    told.tell("tiny 1000")
    told.tell("other 3")
    shell.communicate("end\n")
    case.settle()
    expect_calls(case, tiny=10, other=3)


@scenario
def what_is_off_altogether_comes_back(case):
    told = begin(case)
    told.tell("tiny 10")
    told.set("skip=*")
    told.tell("tiny 100")
    told.set("skip=")
    told.tell("tiny 1000")
    told.end()
    expect_calls(case, tiny=1010)


@scenario
def refusals_are_one_sentence(case):
    told = begin(case)
    told.tell("tiny 1")
    pid = str(told.process.pid)
    for words, sentence, status in (
            ([pid, "overheat=5"], "is none of", 2),
            ([pid, "overhead"], "is none of", 2),
            ([pid, "overhead=much"], "per cent", 2),
            ([pid, "overhead=0.01"], "per cent", 2),
            ([pid, "overhead=nan"], "per cent", 2),
            ([pid, "only=a,,b"], "a rule is empty", 2),
            ([pid, "skip=odd:x"], "rules are functions", 2),
            ([pid, "skip=" + "x" * 1024], "longer than", 2),
            ([pid, "only=" + "a," * 39 + "a", "skip=" + "b," * 39 + "b"], "64 rules", 1),
            ([pid], "needs", 2),
            (["x", "overhead=5"], "not a process number", 2),
            ([str(os.getpid()), "overhead=5"], "not being recorded", 1),
            (["999999999", "overhead=5"], "there is no process", 1)):
        result = case.analyze("set", *words)
        expect(result.returncode == status and sentence in result.stderr,
               f"set {words}: {result.returncode} {result.stderr}")
    expect(told.end()["tiny"] == 1, "the program was disturbed")
    expect(case.value("SELECT COUNT(*) FROM settings") == 0, "something was changed")


@scenario
def who_makes_no_calls_is_said(case):
    told = begin(case)
    told.tell("tiny 1")
    result = case.analyze("set", str(told.process.pid), "skip=tiny")
    expect(result.returncode == 0 and "has not followed yet" in result.stdout, result.stdout)
    told.tell("nudge")
    told.tell("tiny 10")
    told.end()
    expect_calls(case, tiny=1)


class Control:
    """The file of a run, written as by a collector, or by somebody hostile."""
    SETTINGS, SETTING_BYTES, LIMIT = 4096, 2080, 64
    TABLES = SETTINGS + SETTING_BYTES * LIMIT
    ANSWERS, FITTINGS = TABLES + 16, TABLES + 16 + 80 * 2048
    TABLE_BYTES = 16 + 80 * 2048 + 16 * (1 << 18)

    def __init__(self, case):
        path, = glob.glob(os.path.join(case.database + "-spool", "*", "control"))
        self.file = open(path, "r+b", buffering=0)
        expect(os.path.getsize(path) == self.TABLES + 2 * self.TABLE_BYTES, "another layout")

    def write(self, at, data):
        self.file.seek(at)
        self.file.write(data)

    def publish(self, at, generation):
        self.write(at, struct.pack("<Q", generation))

    def answer(self, build_id, fittings, generation=1, count=None):
        """fittings: (address, rules) pairs of the object, in a table of its own."""
        at = (generation % 2) * self.TABLE_BYTES
        self.write(at + self.TABLES, struct.pack("<QII", 0, count or 1,
                                                 count or len(fittings)))
        self.write(at + self.ANSWERS, struct.pack(
            "<I36sQQQqII", len(build_id), build_id, 0, 0, 0, 0, 0, count or len(fittings)))
        self.write(at + self.FITTINGS, b"".join(struct.pack("<QQ", *fitting)
                                                for fitting in fittings))
        self.publish(24, generation)


def begin_without_collector(case, **settings):
    program = case.compile("adjusted.c", flags=["-pthread", "-Wl,--build-id=sha1"])
    told = Told(case, program, PROFSHIM_COLLECTOR="/nonexistent", **settings)
    told.tell("nudge")
    notes = host.harness.run(["readelf", "-n", program]).stdout
    symbols = host.harness.run(["nm", program]).stdout.split("\n")
    found = {line.split()[2]: int(line.split()[0], 16) for line in symbols
             if len(line.split()) == 3}
    build_id = bytes.fromhex(re.search("Build ID: ([0-9a-f]+)", notes).group(1))
    return told, Control(case), build_id, found


@scenario
def answers_are_followed(case):
    told, control, build_id, symbols = begin_without_collector(
        case, PROFSHIM_SKIP="component:x,other,file:y.c")
    told.tell("tiny 10")
    told.tell("deep 3")
    told.tell("other 100")
    control.answer(build_id, [(symbols["deep"], 4), (symbols["tiny"], 1)])
    told.tell("nudge")
    told.tell("tiny 1000")
    told.tell("deep 100")
    told.tell("other 100")
    # bits of rules that are not about sources, and other objects, mean nothing
    control.answer(build_id, [(symbols["deep"], 2), (symbols["tiny"], 1)], 2)
    told.tell("nudge")
    told.tell("tiny 1000")
    told.tell("deep 30")
    control.answer(bytes(20), [(symbols["deep"], 4)], 3)
    told.tell("nudge")
    told.tell("tiny 2")
    told.tell("deep 40")
    told.end()
    expect_calls(case, tiny=12, deep=73, other=0)
    expect(case.trust("late_objects") >= 1, "nothing is said of the answers that were late")


@scenario
def sources_without_a_collector(case):
    """Whoever asks for rules about sources applies them, when nobody else does."""
    program = case.compile("adjusted.c", flags=["-pthread", "-g"])
    told = Told(case, program, PROFSHIM_COLLECTOR="/nonexistent")
    told.tell("tiny 10")
    told.set("skip=file:adjusted.c")
    told.tell("tiny 1000")
    told.set("skip=")
    told.tell("tiny 5")
    told.end()
    expect_calls(case, tiny=15)


@scenario
def only_what_answers_name(case):
    told, control, build_id, symbols = begin_without_collector(
        case, PROFSHIM_ONLY="component:x,nudge")
    told.tell("tiny 10")
    control.answer(build_id, [(symbols["deep"], 1)])
    told.tell("nudge")
    told.tell("tiny 1000")
    told.tell("deep 100")
    told.tell("other 100")
    told.end()
    expect_calls(case, tiny=10, deep=100, other=0)


@scenario
def a_hostile_file_harms_nobody(case):
    told, control, build_id, symbols = begin_without_collector(
        case, PROFSHIM_SKIP="component:x", PROFSHIM_LEVEL="full")
    last = (1 << 64) - 1
    said = 0

    def check():
        for line in ("nudge", "tiny 1000", "deep 10", "other 10"):
            told.tell(line)

    for generation in range(1, 6):
        # numbers past the ends, addresses of nothing, bits of no rule
        control.answer(build_id, [(last - 16 * i, last) for i in range(100)], generation,
                       count=(1 << 32) - 1)
        control.write(control.ANSWERS + 72, struct.pack("<II", last >> 32, last >> 32))
        check()
    control.publish(24, last)
    check()
    for text in (b"*" * 2048, b"\xff" * 2048, b"a," * 1024, b"file:\0module:" * 100):
        said += 1
        at = control.SETTINGS + control.SETTING_BYTES * (said % control.LIMIT)
        control.write(at, struct.pack("<QQQd", last, last, last, float("nan")) + text[:2048])
        control.publish(16, said)
        check()
    for _ in range(20):
        control.write(16, random.randbytes(8 + 8))
        control.write(control.SETTINGS, random.randbytes(control.SETTING_BYTES
                                                         * control.LIMIT))
        check()
    control.write(0, bytes(4096))
    check()
    counted = told.end()
    for name in ("tiny", "deep", "other"):
        expect(case.calls(name) <= counted[name], f"{name}: more calls than there were")


@host.need_root
def who_may_is_asked(case):
    told = begin(case)
    told.tell("tiny 1")
    os.chmod(case.directory, 0o755)
    result = host.harness.run(
        ["setpriv", f"--reuid={host.NOBODY}", "--clear-groups", case.products.analyze, "set",
         str(told.process.pid), "skip=*"], cwd="/")
    expect(result.returncode == 1 and "process" in result.stderr, f"{result}")
    told.tell("nudge")
    told.tell("tiny 10")
    told.end()
    expect_calls(case, tiny=11)


if __name__ == "__main__":
    host.main()
