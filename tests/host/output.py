#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Nowhere to write, nobody to write, no room to write: the host program is unharmed, and
the user learns why."""
import os
import resource
import signal
import subprocess

import host
import ticker
from host import NOBODY, expect, need_root, scenario

TICKS = 100_000


def ticker_command(case, threads=1, calls=TICKS):
    return [case.compile("ticker.c"), case.path("counts"), str(threads), str(calls)]


def expect_told(recorded, *words):
    """The one line on stderr names the thing."""
    expect(recorded.message, "nothing on stderr says that nothing is recorded")
    for word in words:
        expect(word in recorded.message, f"the message does not name {word}: "
               f"{recorded.message}")


@scenario
def collector_missing(case):
    recorded = case.unharmed(ticker_command(case), {"PROFSHIM_COLLECTOR": "/nonexistent/x"})
    expect_told(recorded, "/nonexistent/x")
    case.settle()
    ticker.expect_counts(case, 0)
    expect(case.trust("collector_recovered") == 1, "trust does not say who ingested")
    host.harness.expect_tidy(case.directory, ["ticker", "counts", "run.db"])


@scenario
def removed_at_once(case):
    """Who removes the recording when the program has ended does not find it again."""
    for _ in range(6):
        case.unharmed(ticker_command(case, 1, 1000))
        subprocess.run(f"rm -rf {case.path('run.db')}*", shell=True, check=True)
        host.harness.wait_until(lambda: not case.collectors())
        expect(not os.path.exists(case.path("run.db")), "run.db came back")
        expect(not os.path.exists(case.path("run.db-spool")), "the spool came back")


@scenario
def collector_is_no_program(case):
    with open(case.path("collector"), "w", encoding="utf-8") as file:
        file.write("not a program\n")
    os.chmod(case.path("collector"), 0o755)
    case.unharmed(ticker_command(case), {"PROFSHIM_COLLECTOR": case.path("collector")})
    case.settle()
    ticker.expect_counts(case, 0)


@scenario
def exec_forbidden(case):
    """A seccomp filter that is there before the shim's constructor forbids exec."""
    program = case.compile("no_exec.c")
    case.unharmed([program])
    case.settle()
    expect(case.calls("step") == 1000, f"{case.calls('step'):.0f} calls, not 1000")


@need_root
def no_process_allowed(case):
    """The user may have no further process, so there is no collector."""
    os.chown(case.directory, NOBODY, NOBODY)

    def drop():
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
        resource.setrlimit(resource.RLIMIT_NPROC, (0, 0))

    case.unharmed(ticker_command(case), preexec_fn=drop)
    case.settle(user=NOBODY, group=NOBODY, extra_groups=[])
    ticker.expect_counts(case, 0)


@scenario
def directory_missing(case):
    output = case.path("missing/run.db")
    recorded = case.unharmed(ticker_command(case), {"PROFSHIM_OUTPUT": output})
    expect_told(recorded, "missing")
    expect(not os.path.exists(case.path("missing")), "a directory was made up")


@scenario
def output_is_a_directory(case):
    os.mkdir(case.path("folder"))
    case.unharmed(ticker_command(case), {"PROFSHIM_OUTPUT": case.path("folder")})
    expect(not os.listdir(case.path("folder")), "files were put into the directory")


@scenario
def output_is_somebody_elses(case):
    """A file that is no database of ours stays as it is."""
    with open(case.database, "w", encoding="utf-8") as file:
        file.write("my only copy\n" * 1000)
    with open(case.database, "rb") as file:
        before = file.read()
    case.unharmed(ticker_command(case))
    host.harness.wait_until(lambda: not case.collectors())
    with open(case.database, "rb") as file:
        expect(file.read() == before, "a file that is not ours was overwritten")
    # The run is still in the spool and may be shown, with what to do about it.
    result = case.analyze(case.database)
    expect(case.database in result.stderr, f"prof-analyze says {result.stderr!r}")


@need_root
def directory_not_writable(case):
    command = ticker_command(case)
    os.mkdir(case.path("theirs"))
    os.chmod(case.path("theirs"), 0o755)
    with open(case.path("counts"), "w", encoding="utf-8"):
        pass
    os.chown(case.path("counts"), NOBODY, NOBODY)
    host.share_with_nobody(case.directory)
    recorded = case.unharmed(command, {"PROFSHIM_OUTPUT": case.path("theirs/run.db")},
                             user=NOBODY, group=NOBODY, extra_groups=[])
    expect_told(recorded, case.path("theirs"))


class SmallDisk:
    """A tmpfs with room for size bytes."""

    def __init__(self, case, size):
        self.directory = case.path("disk")
        self.size = size

    def __enter__(self):
        os.makedirs(self.directory, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={self.size}", "profshim-test",
                        self.directory], check=True)
        return self.directory

    def __exit__(self, *unused):
        host.harness.wait_until(lambda: not host.harness.processes_naming(self.directory))
        subprocess.run(["umount", "--lazy", self.directory], check=True)


@need_root
def disk_full(case):
    """From no room at all to nearly enough: the program grows 100,000 call paths."""
    program = case.compile("deep.c")
    told = 0
    for size in ("4k", "64k", "512k", "2m", "6m", "12m", "24m"):
        with SmallDisk(case, size) as disk:
            output = os.path.join(disk, "run.db")
            recorded = case.unharmed([program], {"PROFSHIM_OUTPUT": output})
            result = case.analyze("doctor", output)
            expect(result.returncode >= 0, f"prof-analyze doctor crashed at {size}")
            told += bool(recorded.message) or "space" in result.stdout + result.stderr
    expect(told, "nobody ever said that there is no space")


@need_root
def disk_fills_up(case):
    """The program itself takes the last room, then goes on calling and growing."""
    program = case.compile("fill_disk.c")
    with SmallDisk(case, "32m") as disk:
        output = os.path.join(disk, "run.db")
        recorded = case.run([program, os.path.join(disk, "filler")],
                            {"PROFSHIM_OUTPUT": output})
        expect(recorded.returncode == 0 and recorded.stdout.endswith("done\n"),
               f"ended with {recorded.returncode}: {recorded.stdout}{recorded.stderr}")
        os.remove(os.path.join(disk, "filler"))
        case.database = output
        case.settle()
        # Paths that were there before have the calls that came after.
        expect(case.calls("step") == 2000, f"{case.calls('step'):.0f} calls, not 2000")
        grown = case.calls("grow")
        folded = case.trust("folded_paths")
        expect(grown + folded >= 50000 or grown == 50000,
               f"{grown:.0f} calls and {folded:.0f} folded paths do not make 50000")


@scenario
def file_size_limited(case):
    """RLIMIT_FSIZE: growth would raise SIGXFSZ, which kills."""
    program = case.compile("deep.c")
    for limit in (0, 4096, 65536, 1 << 20, 8 << 20, 64 << 20):
        def restrict(limit=limit):
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

        case.unharmed([program], preexec_fn=restrict)


@scenario
def memory_limited(case):
    """RLIMIT_AS: there is no room for the shadow map."""
    program = case.compile("allocations.c")
    for megabytes in (32, 128, 1024, 16384):
        def restrict(limit=megabytes << 20):
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

        case.unharmed([program], preexec_fn=restrict)


@scenario
def setting_ignored(case):
    """A value that makes no sense is told once, kept in trust, and the program runs."""
    for name in ("PROFSHIM_STACK_DEPTH", "PROFSHIM_MAX_PATHS", "PROFSHIM_FOLLOW"):
        recorded = case.unharmed(ticker_command(case), {name: "abc!"})
        expect_told(recorded, name, "abc!")
        case.settle()
        text = case.value("SELECT COUNT(*) FROM trust WHERE IFNULL(text, '') LIKE "
                          f"'%{name}%' AND run_id = (SELECT MAX(run_id) FROM runs)")
        expect(text, f"trust does not name {name}")
        ticker.expect_counts(case, 0)


@scenario
def relative_output(case):
    """A relative output counts from where the program was started."""
    program = case.compile("daemon.c")
    result = case.run([program, "wander", case.path("marker")], {"PROFSHIM_OUTPUT": "run.db"})
    expect(result.returncode == 0, f"ended with {result.returncode}: {result.stderr}")
    expect(os.path.exists(case.database), "run.db is not where the program was started")
    case.settle()
    expect(case.calls("step") == 3000, f"{case.calls('step'):.0f} calls, not 3000")


@scenario
def children_not_followed(case):
    program = case.compile("forks.c")
    case.unharmed([program], {"PROFSHIM_FOLLOW": "none"})
    case.settle()
    expect(case.value("SELECT COUNT(*) FROM processes") == 1, "children were recorded")
    expect(case.calls("step") == 100, f"{case.calls('step'):.0f} calls, not the parent's 100")


@scenario
def labelled(case):
    case.unharmed(ticker_command(case), {"PROFSHIM_LABEL": "before 'the' change"})
    case.settle()
    expect(case.value("SELECT label FROM runs") == "before 'the' change", "label is lost")


@scenario
def default_output(case):
    """Without PROFSHIM_OUTPUT the file is run.db where the program was started."""
    command = ticker_command(case)
    environment = case.environment()
    del environment["PROFSHIM_OUTPUT"]
    result = host.harness.run(command, env=environment, cwd=case.directory)
    expect(result.returncode == 0 and not result.stderr, f"failed: {result.stderr}")
    case.settle()
    ticker.expect_counts(case, 0)


@scenario
def broken_pipe_signal(case):
    """A host that dies of SIGPIPE dies of it under the shim as well."""
    command = ticker_command(case, 1, 1000)

    def close_reader():
        reader, writer = os.pipe()
        os.close(reader)
        os.dup2(writer, 1)
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)

    plain = subprocess.run(command, preexec_fn=close_reader, check=False,
                           env=host.harness.plain_environment())
    recorded = subprocess.run(command, preexec_fn=close_reader, check=False,
                              env=case.environment())
    expect(plain.returncode == recorded.returncode == -signal.SIGPIPE,
           f"ended with {recorded.returncode} instead of {plain.returncode}")
    case.settle()
    ticker.expect_counts(case, 0)


host.main()
