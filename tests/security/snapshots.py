#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Processes of a stranger's that wait for root to take a snapshot of them: their recording
lies, is cut short meanwhile, or is not theirs."""
import os
import shutil
import signal
import subprocess

import security
from security import expect, scenario

REFUSED = ("is damaged", "was cut short", "No space left", "is left alone",
           "is not being recorded", "has not been recorded so far", "cannot open",
           "does not come to an end")


class Liar:
    """A stranger's program with a recording of its own making mapped."""

    def __init__(self, case, how, spool, name="1-1.segment"):
        self.path = os.path.join(spool, "0123456789abcdef", name)
        program = security.harness.compile_program(
            os.path.join(security.HERE, "liar.c"), case.path("liar"),
            flags=["-I" + os.path.join(security.HERE, "..", "..")], hooks=False)
        self.process = subprocess.Popen(
            ["timeout", "60", *security.AS_STRANGER, program, how,
             os.path.dirname(self.path), name], cwd="/", stdout=subprocess.PIPE, text=True)
        self.pid = int(self.process.stdout.readline() or 0)
        expect(self.pid, "the stranger's program did not start")

    def __enter__(self):
        return self.pid

    def __exit__(self, *_):
        os.kill(self.pid, signal.SIGKILL)
        self.process.communicate()


def attack(case, how, times=3):
    """Root takes snapshots; they succeed or are refused with a sentence, and end."""
    spool = os.path.join(security.make_strange(case), "run.db-spool")
    with Liar(case, how, spool) as pid:
        for number in range(times):
            taken = case.analyze("snapshot", str(pid), f"label {number}")
            expect(taken.returncode in (0, 1), f"{how}: ended with {taken.returncode}: {taken}")
            expect(taken.returncode == 0 or any(why in taken.stderr for why in REFUSED),
                   f"{how}: {taken.stderr}")
    return taken


@scenario
def sound(case):
    """What the others are changed from can be taken."""
    taken = attack(case, "sound")
    expect(taken.returncode == 0 and 'snapshot 3, "label 2"' in taken.stdout, f"{taken}")


@scenario
def wild_book(case):
    """Offsets, capacities and counts of the history that lead out of the file."""
    for how in ("offset", "capacity", "count", "committed", "lane", "slots", "history-slot"):
        shutil.rmtree(case.path("strange"), ignore_errors=True)
        attack(case, how)


@scenario
def changes_meanwhile(case):
    """Numbers that are right when they are checked and wrong when they are used."""
    attack(case, "flip", 40)


@scenario
def cut_meanwhile(case):
    """The file is cut to nothing and made long again, all the time."""
    attack(case, "cut", 40)


@scenario
def holds_the_lock(case):
    taken = attack(case, "lock", 1)
    expect("does not come to an end" in taken.stderr, f"{taken}")


@scenario
def another_ones_recording(case):
    """A link in place of the recording leads to the file of a victim, by either kind."""
    security.make_victim(case)
    strange = security.make_strange(case)
    directory = os.path.join(strange, "run.db-spool", "0123456789abcdef")
    with Liar(case, "sound", os.path.join(strange, "run.db-spool")) as pid:
        path = os.path.join(directory, "1-1.segment")
        os.rename(path, path + ".kept")
        os.symlink(case.path("victim/1-1.segment"), path)
        taken = case.analyze("snapshot", str(pid), "label")
        expect(taken.returncode == 1, f"the link was followed: {taken}")
    shutil.rmtree(strange)
    strange = security.make_strange(case)
    with Liar(case, "sound", os.path.join(strange, "run.db-spool")) as pid:
        path = os.path.join(directory, "1-1.segment")
        os.chown(path, 0, 0)
        os.chown(directory, 1, 1)
        taken = case.analyze("snapshot", str(pid), "label")
        expect(taken.returncode == 1 and "is left alone" in taken.stderr,
               f"a directory of a third user: {taken}")
    security.expect_unharmed(case)


security.main()
