#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""prof-record stands between a program and whoever knows only the recorder's PID: each
signal reaches the program once, and what it does with it is seen from outside, too."""
import ctypes
import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import termios

import host
from host import expect, scenario

LATE = 20  # seconds
# Of the others, KILL and STOP cannot be taken, CHLD is about our own child, QUIT ends
# the program, USR2 makes it send one; stop signals have a test of their own.
PASSED_ON = [getattr(signal, "SIG" + name) for name in
             "HUP INT ILL TRAP ABRT BUS FPE USR1 SEGV PIPE ALRM TERM STKFLT CONT URG XCPU "
             "XFSZ VTALRM PROF WINCH IO PWR SYS".split() if hasattr(signal, "SIG" + name)]
PASSED_ON += [signal.SIGRTMIN + 1, signal.SIGRTMAX - 1]


class Listening:
    """listener.c under prof-record; what it prints comes line by line."""

    def __init__(self, case, *arguments, **options):
        self.case = case
        program = case.compile("listener.c")
        options.setdefault("process_group", 0)
        self.process = subprocess.Popen(
            [case.products.record, "-q", "-o", case.database, "--", program, *arguments],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, bufsize=0,
            env=host.harness.plain_environment(), cwd=case.directory, **options)
        self.recorder = self.process.pid
        self.pid = int(self.line().split()[1])

    def line(self):
        """The next line; within LATE seconds."""
        got = b""
        while not got.endswith(b"\n"):
            ready, _, _ = select.select([self.process.stdout], [], [], LATE)
            expect(ready, f"nothing more was printed after {got!r}")
            more = os.read(self.process.stdout.fileno(), 1)
            expect(more, f"the program ended after {got!r}")
            got += more
        return got.decode().strip()

    def expect_line(self, number, sender="process", value=0):
        got, wanted = self.line(), f"{int(number)} {sender} {value}"
        expect(got == wanted, f"the program got {got!r}, not {wanted!r}")

    def send(self, number):
        os.kill(self.recorder, number)

    def finish(self):
        """Ends the program by SIGQUIT; nothing else may have come before."""
        self.send(signal.SIGQUIT)
        self.expect_line(signal.SIGQUIT)
        self.expect_ended(3)

    def expect_ended(self, status):
        rest = self.process.communicate(timeout=LATE)[0]
        expect(self.process.returncode == status and not rest,
               f"ended with {self.process.returncode}, not {status}; then: {rest!r}")
        self.case.settle()
        expect(self.case.value("SELECT complete FROM runs") == 1, "not complete")


@scenario
def every_signal(case):
    """Those, too, that prof-record was started to ignore or with held back."""
    listening = Listening(case)
    for number in PASSED_ON:
        listening.send(number)
        listening.expect_line(number)
    listening.finish()


def ignore_and_hold():
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGCHLD):
        signal.signal(number, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM, signal.SIGUSR1])


@scenario
def ignored_and_held(case):
    """As under nohup, or by a parent that reaps nobody: SIGCHLD ignored must not cost the
    status."""
    listening = Listening(case, preexec_fn=ignore_and_hold, restore_signals=False)
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM, signal.SIGUSR1):
        listening.send(number)
        listening.expect_line(number)
    listening.finish()


@scenario
def program_keeps_its_signals(case):
    """What it starts with is what prof-record was started with."""
    program = ["/bin/grep", "-E", "^Sig(Blk|Ign|Cgt)", "/proc/self/status"]
    options = {"preexec_fn": ignore_and_hold, "restore_signals": False}
    plain = case.run_plain(program, **options)
    recorded = host.harness.run([case.products.record, "-q", "-o", case.database, "--",
                                 *program], env=host.harness.plain_environment(),
                                cwd=case.directory, **options)
    expect(recorded.stdout == plain.stdout,
           f"{recorded.stdout!r} instead of {plain.stdout!r}")


@scenario
def values_of_queued_signals(case):
    listening = Listening(case)
    libc = ctypes.CDLL(None)
    for value in (7, 8, 9):  # real-time signals queue up, in their order
        libc.sigqueue(listening.recorder, signal.SIGRTMIN + 2, ctypes.c_void_p(value))
    for value in (7, 8, 9):
        listening.expect_line(signal.SIGRTMIN + 2, value=value)
    listening.finish()


@scenario
def alarm_set_before_the_start(case):
    """It outlives exec, but not fork: without prof-record the program would get it. It has to
    listen by then, on a busy machine, too."""
    listening = Listening(case, preexec_fn=lambda: signal.setitimer(signal.ITIMER_REAL, 3))
    listening.expect_line(signal.SIGALRM)
    listening.finish()


@scenario
def from_the_program_itself(case):
    """It tells its process group, to which prof-record belongs: that is no reason to tell
    it once more."""
    listening = Listening(case)
    listening.send(signal.SIGUSR2)
    listening.expect_line(signal.SIGUSR2)
    listening.expect_line(signal.SIGUSR1)
    listening.finish()


@scenario
def deadly_ones(case):
    """The program dies of it, and prof-record of the same."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGUSR1):
        case.database = case.path(f"{int(number)}.db")
        with subprocess.Popen([case.products.record, "-q", "-o", case.database, "--",
                               "/bin/sh", "-c", "echo; exec sleep 60"],
                              stdout=subprocess.PIPE, process_group=0,
                              env=host.harness.plain_environment()) as process:
            process.stdout.readline()
            process.send_signal(number)
            process.communicate(timeout=LATE)
        expect(process.returncode == -number, f"{number}: ended with {process.returncode}")
        case.settle()
        expect(case.value("SELECT exit_signal FROM runs") == number, "not in run.db")
    expect(not [name for name in os.listdir(case.directory) if name.startswith("core")],
           "a core file")


def state(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rsplit(")", 1)[1].split()[0]


def expect_state(pids, wanted, when):
    host.harness.wait_until(lambda: [state(pid) for pid in pids] == [wanted] * len(pids))
    states = [state(pid) for pid in pids]
    expect(states == [wanted] * len(pids), f"{when}: the states are {states}")


@scenario
def stop_and_continue(case):
    """A stop signal stops both, SIGCONT continues both; SIGCONT comes once, whether it was
    sent to prof-record or, as by a shell's fg, to both."""
    listening = Listening(case)
    both = [listening.pid, listening.recorder]
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        for go_on in (os.kill, os.killpg):
            listening.send(number)
            expect_state(both, "T", f"signal {number}")
            info = os.waitid(os.P_PID, listening.recorder,
                             os.WSTOPPED | os.WNOHANG | os.WNOWAIT)
            expect(info and info.si_status == number, f"the parent sees {info}")
            go_on(listening.recorder, signal.SIGCONT)
            listening.expect_line(signal.SIGCONT)
            expect_state(both, "S", "continued")
    listening.finish()


@scenario
def program_that_does_not_stop(case):
    """A program that takes SIGTSTP, or is stopped by SIGSTOP by somebody who will continue
    it, does not stop prof-record."""
    listening = Listening(case, "hold-stops")
    for number in (signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU):
        listening.send(number)
        listening.expect_line(number)
    os.kill(listening.pid, signal.SIGSTOP)
    expect_state([listening.pid], "T", "SIGSTOP")
    os.kill(listening.pid, signal.SIGCONT)
    listening.expect_line(signal.SIGCONT)
    expect_state([listening.pid, listening.recorder], "S", "continued")
    listening.finish()


# A shell with job control for one job on the terminal: "stopped SIGNAL" and "ended STATUS"
# on the terminal; a stopped job goes on at once.
SHELL = """
import os, signal, sys
signal.signal(signal.SIGTTOU, signal.SIG_IGN)
job = os.fork()
if job == 0:
    os.setpgid(0, 0)
    os.tcsetpgrp(0, os.getpid())
    signal.signal(signal.SIGTTOU, signal.SIG_DFL)
    os.execv(sys.argv[1], sys.argv[1:])
while True:
    _, status = os.waitpid(job, os.WUNTRACED)
    if not os.WIFSTOPPED(status):
        print("ended", os.waitstatus_to_exitcode(status), flush=True)
        break
    print("stopped", os.WSTOPSIG(status), flush=True)
    os.killpg(job, signal.SIGCONT)
"""


class Terminal:
    """prof-record and listener.c in the foreground of a terminal."""

    def __init__(self, case):
        program = case.compile("listener.c")
        command = ["/usr/bin/python3", "-c", SHELL, case.products.record, "-q", "-o",
                   case.database, "--", program]
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            os.environ.clear()
            os.environ["PATH"] = "/usr/bin:/bin"
            os.execv(command[0], command)
        self.text = b""

    def type(self, keys):
        os.write(self.master, keys)

    def expect_line(self, wanted):
        """The next line that is no echo of a key."""
        while True:
            while b"\n" not in self.text:
                ready, _, _ = select.select([self.master], [], [], LATE)
                expect(ready, f"waited for {wanted!r}, there is only {self.text!r}")
                self.text += os.read(self.master, 4096)
            line, self.text = self.text.split(b"\n", 1)
            got = line.decode().strip()
            for echo in ("^C", "^\\", "^Z"):
                got = got.replace(echo, "")
            if got:
                expect(got == wanted or wanted == "ready" and got.startswith(wanted),
                       f"the terminal shows {got!r}, not {wanted!r}")
                return


@scenario
def terminal(case):
    """Keys and a new size of the window reach the whole foreground group: none comes
    twice, and Ctrl-Z gives the terminal back."""
    shown = Terminal(case)
    try:
        shown.expect_line("ready")
        for _ in range(3):
            shown.type(b"\x03")
            shown.expect_line(f"{int(signal.SIGINT)} kernel 0")
        for rows in (30, 40):
            fcntl.ioctl(shown.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, 80, 0, 0))
            shown.expect_line(f"{int(signal.SIGWINCH)} kernel 0")
        for _ in range(2):
            shown.type(b"\x1a")
            shown.expect_line(f"stopped {int(signal.SIGTSTP)}")
            shown.expect_line(f"{int(signal.SIGCONT)} process 0")
        shown.type(b"\x1c")
        shown.expect_line(f"{int(signal.SIGQUIT)} kernel 0")
        shown.expect_line("ended 3")
    finally:
        os.close(shown.master)
        os.waitpid(shown.pid, 0)
    case.settle()
    expect(case.value("SELECT complete FROM runs") == 1, "not complete")


host.main()
