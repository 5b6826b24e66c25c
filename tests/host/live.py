#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-analyze top on a program that does what it is told: the log, frames, the terminal."""
import fcntl
import json
import os
import pty
import re
import select
import shlex
import signal
import struct
import subprocess
import termios
import time

import host
from host import expect, scenario

PATIENCE = 60


class Watched:
    """The program, and what it is told to do."""

    def __init__(self, case, **settings):
        self.process = case.start([case.compile("watched.c"), case.path("out")], settings,
                                  stdin=subprocess.PIPE)
        self.pid = self.process.pid
        self.read("ready")

    def read(self, word):
        line = self.process.stdout.readline()
        expect(line == word + "\n", f"the program said {line!r}, not {word}")

    def go(self, rounds):
        self.process.stdin.write(f"{rounds}\n")
        self.process.stdin.flush()
        self.read("done")

    def burn_until(self, has_happened):
        """However long it has idled before, computing becomes what the run consists of."""
        end = time.monotonic() + PATIENCE
        while not has_happened() and time.monotonic() < end:
            self.go("burn")
        expect(has_happened(), "nothing came of burning")

    def end(self):
        self.process.stdin.close()
        self.process.stdout.read()
        status = self.process.wait(timeout=PATIENCE)
        errors = self.process.stderr.read()
        expect(status == 3 and not errors, f"the program ended with {status}: {errors}")


def words(line):
    """The kind of a line of the log, and its words."""
    _, kind, *rest = shlex.split(line)
    return kind, dict(word.split("=", 1) for word in rest)


def log_of(case, path):
    with open(path, encoding="utf-8") as file:
        return [words(line) for line in file if line.endswith("\n")]


def start_log(case, target):
    """top, when its first look has been: it has written something then."""
    path = case.path("log")
    process = subprocess.Popen(
        [case.products.analyze, "top", str(target), "--every", "50ms", "--top", "9",
         "-o", path], cwd=case.directory, stderr=subprocess.PIPE, text=True)
    host.harness.wait_until(lambda: os.path.exists(path) and os.path.getsize(path), PATIENCE)
    return process, path


def gained(log, kind, column, **which):
    """Sum of a rate over all looks."""
    total, span = 0, 0
    for found, row in log:
        if found == "look":
            span = float(row["span_s"])
        elif found == kind and all(row.get(name) == value for name, value in which.items()):
            total += float(row[column]) * span
    return total


def has_seen_all(log):
    return (gained(log, "function", "calls_per_s", name="round_of") > 9000 and
            any(row.get("in", "").endswith("pause") for _, row in log))


def check_log(log, rounds):
    looks = sum(kind == "look" for kind, _ in log)
    found = gained(log, "function", "calls_per_s", name="round_of")
    # spans are told to a millisecond, rates to one
    expect(abs(found - rounds) < 0.05 * rounds + looks, f"{found} rounds, not {rounds}")
    found = gained(log, "function", "calls_per_s", name="leaf")
    expect(abs(found - 11 * rounds) < 0.55 * rounds + looks, f"{found} leaves")
    found = gained(log, "io", "written_bytes_per_s")
    expect(abs(found - 10 * rounds) < 0.5 * rounds + looks, f"{found} bytes written")
    found = gained(log, "step", "marks_per_s", name="round")
    expect(abs(found - rounds) < 0.05 * rounds + looks, f"{found} steps")
    sites = [row for kind, row in log if kind == "site" and row["path"].endswith("leaf")]
    live = {row["path"]: int(row["live_count"]) for row in sites}
    expect(sum(live.values()) == 11 * rounds, f"live blocks at the end: {live}")
    kinds = {kind for kind, _ in log}
    expect(kinds == {"look", "function", "path", "thread", "site", "io", "step", "end"},
           f"kinds: {kinds}")
    places = {row.get("in", "") for kind, row in log if kind == "thread"}
    expect(any(place.endswith("pause") for place in places), f"threads were in {places}")
    expect(log[-1][0] == "end", f"the last line is {log[-1]}")


def follow_log(case, target_of):
    program = Watched(case)
    process, path = start_log(case, target_of(program))
    for _ in range(5):
        program.go(2000)
    # what it has done, and who sleeps, is seen before it ends
    host.harness.wait_until(lambda: has_seen_all(log_of(case, path)), PATIENCE)
    program.end()
    _, errors = process.communicate(timeout=PATIENCE)
    expect(process.returncode == 0 and not errors, f"top: {process.returncode} {errors}")
    check_log(log_of(case, path), 10000)
    with open(path, "rb") as file:
        text = file.read()
    expect(b"\x1b" not in text and "\u202e".encode() not in text, "a name steers")
    case.settle()
    expect(case.calls("round_of") == 10000, "the program was disturbed")


@scenario
def log_of_a_process(case):
    follow_log(case, lambda program: program.pid)


@scenario
def log_of_a_run(case):
    follow_log(case, lambda program: case.database)


@scenario
def frames(case):
    """On a pipe; they end with the program."""
    program = Watched(case)
    process = subprocess.Popen(
        [case.products.analyze, "top", str(program.pid), "--every", "100ms"],
        cwd=case.directory, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "60"})
    text = b""
    while text.count(b"Functions of the last") < 2:
        text += os.read(process.stdout.fileno(), 65536)
        program.go(100)
    program.end()
    rest, errors = process.communicate(timeout=PATIENCE)
    text += rest
    expect(process.returncode == 0 and not errors, f"{process.returncode} {errors}")
    expect(b"has ended" in text and b"round_of" in text, "no last frame")
    expect(b"\x1b" not in text and "\u202e".encode() not in text, "a name steers")
    wide = [line for line in text.decode().splitlines() if len(line) > 60]
    expect(not wide, f"wider than 60: {wide[:1]}")


@scenario
def a_number_of_looks(case):
    program = Watched(case)
    result = case.analyze("top", str(program.pid), "--count", "2", "--every", "10ms",
                          "--view", "thread")
    expect(result.returncode == 0 and result.stdout.count("Threads of the last") == 2, f"{result}")
    program.end()


class Terminal:
    """top on a terminal of its own, and what it has shown."""

    def __init__(self, case, target, columns=100, lines=24, term="xterm", locale="C.UTF-8",
                 *options):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(TERM=term, LC_ALL=locale)
            os.environ.pop("COLUMNS", None)
            os.environ.pop("LINES", None)
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
            os.execv(case.products.analyze, ["prof-analyze", "top", str(target), *options])
        self.shown = b""

    def read(self, seconds=0.2):
        ready, _, _ = select.select([self.fd], [], [], seconds)
        if ready:
            try:
                self.shown += os.read(self.fd, 65536)
            except OSError:
                return False
        return True

    def wait_for(self, text):
        """Shown from now on."""
        end = time.monotonic() + PATIENCE
        begin = len(self.shown)
        while text not in self.plain(begin):
            expect(time.monotonic() < end and self.read(),
                   f"{text!r} is not shown: {self.plain(begin)[-800:]!r}")

    def plain(self, begin=0):
        text = self.shown[begin:].decode("utf-8", "replace")
        return re.sub(r"\x1b(\[[0-9;?]*[A-Za-z]|[()][A-Z0-9]|[=>])", "", text)

    def press(self, keys, then):
        """All of it is drawn anew: else only what has changed would be."""
        os.write(self.fd, keys.encode() + b"\x0c")
        self.wait_for(then)

    def resize(self, columns, lines):
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def end(self, keys="q"):
        os.write(self.fd, keys.encode())
        while self.read():
            pass
        _, status = os.waitpid(self.pid, 0)
        os.close(self.fd)
        expect(os.waitstatus_to_exitcode(status) == 0, f"top ended with {status}")
        raw = self.shown
        expect(b"\x1b[31m" not in raw and b"\x1b]0;" not in raw and
               "\u202e".encode() not in raw, "a name steers the terminal")


@scenario
def keys_of_the_terminal(case):
    program = Watched(case)
    terminal = Terminal(case, program.pid)
    terminal.wait_for("Functions")
    program.go(500)
    terminal.press("p", "Call paths")
    terminal.press("t", "Threads")
    terminal.press("a", "Allocation sites")
    terminal.press("i", "Reading and")
    terminal.press("s", "Steps and")
    terminal.press("f", "Functions")
    terminal.press("z", "zero point set")
    program.go(500)
    terminal.press("/leaf\rp", "with 'leaf'")
    terminal.press("\x1b", "? has the keys")
    terminal.press("f", "Functions")
    terminal.press("n", "snapshot 1 of process")
    terminal.press(" ", "FROZEN")
    terminal.press("?", "take a snapshot")
    terminal.end("xq")
    program.end()
    case.settle()
    expect(case.value("SELECT label LIKE 'top %' FROM snapshots") == 1, "no snapshot")


@scenario
def the_end_is_told(case):
    program = Watched(case)
    terminal = Terminal(case, program.pid)
    terminal.wait_for("Functions")
    # or a look between the rounds and the end would leave a last picture without them
    terminal.press("z", "zero point set")
    program.go(500)
    program.end()
    terminal.wait_for("has ended")
    # the last picture stays
    terminal.press("z", "no zero point: the program has ended")
    terminal.press(" ", "round_of")
    terminal.end()


@scenario
def the_next_run_is_shown(case):
    """On a terminal, to who looks at a run.db; of a process there is no next one."""
    program = Watched(case)
    terminal = Terminal(case, case.database)
    of_process = Terminal(case, program.pid)
    terminal.wait_for("Functions")
    terminal.press("p/round_of\r", "with 'round_of'")
    of_process.wait_for("Functions")
    program.end()
    terminal.wait_for("has ended")
    program = Watched(case)
    terminal.wait_for("a new run has begun")
    program.go(500)
    terminal.press("z", "zero point set")
    terminal.press("r", f"process {program.pid}")
    terminal.press("r", "Call paths of the last")  # as before
    terminal.press("r", "with 'round_of'")
    of_process.press("r", "has ended")
    terminal.end()
    of_process.end()
    program.end()


@scenario
def the_next_run_is_named(case):
    """On a pipe, where what is read ends with its run."""
    program = Watched(case)
    log, _ = start_log(case, case.database)
    other = Watched(case)
    program.end()
    _, errors = log.communicate(timeout=PATIENCE)
    expect(log.returncode == 0 and "the run has ended; another one is being" in errors,
           f"{log.returncode} {errors}")
    other.end()


@scenario
def a_program_that_execs_has_its_name(case):
    program = case.start(["sh", "-c", "exec sleep 60"], {})

    def is_named():
        result = case.analyze("top", str(program.pid), "--count", "1", "--every", "10ms")
        return f"process {program.pid} sleep" in result.stdout

    host.harness.wait_until(is_named, PATIENCE)  # and not by the shell's name for ever
    program.kill()
    program.communicate()


@scenario
def poor_terminals(case):
    """Without colour or movement, narrow, resized, without UTF-8, or none at all."""
    program = Watched(case)
    for term, columns, lines, locale in (("vt100", 40, 10, "C"), ("vt52", 80, 24, "C.UTF-8"),
                                         ("xterm-mono", 40, 3, "C.UTF-8")):
        terminal = Terminal(case, program.pid, columns, lines, term, locale)
        terminal.wait_for("process")
        program.go(50)
        terminal.resize(20, 2)
        terminal.read()
        terminal.resize(120, 30)
        terminal.press("t", "Threads")
        terminal.end()
    for term in ("no-such-terminal", "dumb"):
        plain = Terminal(case, program.pid, 80, 24, term, "C", "--count", "1")
        plain.wait_for("Functions of the last")
        plain.end("")
    program.end()


@scenario
def a_closed_terminal(case):
    """It does not go on without one."""
    program = Watched(case)
    terminal = Terminal(case, program.pid)
    terminal.wait_for("Functions")
    os.close(terminal.fd)
    _, status = os.waitpid(terminal.pid, 0)
    expect(os.waitstatus_to_exitcode(status) in (0, -signal.SIGHUP), f"ended with {status}")
    program.end()


@scenario
def nothing_to_watch(case):
    idle = case.start(["sleep", "60"], {"LD_PRELOAD": ""})
    with open(case.path("empty.db"), "wb"):
        pass
    for target, status, sentence in (
            (str(idle.pid), 1, "is not being recorded"),
            ("99999999", 1, "there is no process"),
            ("lost.db", 1, "there is no such file"),
            ("empty.db", 4, "nothing is being recorded into empty.db now"),
            ("empty.db\x1b[31m", 1, "there is no such file")):
        result = case.analyze("top", target, "--count", "1")
        expect(result.returncode == status and sentence in result.stderr and
               "\x1b" not in result.stderr, f"{result}")
    for words_, sentence in ((["top"], "needs a PID|DB"),
                             (["top", "1", "2"], "is one too many"),
                             (["top", "1", "--every", "0"], "is not a time"),
                             (["top", "1", "--top", "x"], "is not a number"),
                             (["top", "1", "--view", "x"], "there is no view"),
                             (["functions", "run.db", "--top", "1"], "takes no --top")):
        result = case.analyze(*words_)
        expect(result.returncode == 2 and sentence in result.stderr, f"{result}")
    idle.kill()
    idle.communicate()


if __name__ == "__main__":
    host.main()
