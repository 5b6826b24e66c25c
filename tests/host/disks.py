#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Disks that are full, over quota, read only, or gone: the host is unharmed, and the
recording is complete or says what is missing. Mounts are private to this process."""
import contextlib
import glob
import os
import shutil
import signal
import struct
import subprocess
import time

import host
import ticker
import verdict
from host import LeftOut, expect, need_root, scenario


class Disk:
    """A tmpfs; usable without mounting when it cannot be had."""

    def __init__(self, case, options):
        self.directory = case.path("disk")
        self.options = options

    def __enter__(self):
        verdict.expect_mounts()
        os.makedirs(self.directory, exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", self.options, "profshim-test",
                        self.directory], check=True, stderr=subprocess.DEVNULL)
        return self.directory

    def __exit__(self, *unused):
        host.harness.wait_until(lambda: not host.harness.processes_naming(self.directory))
        subprocess.run(["umount", "--lazy", self.directory], check=True)


def sweep(case, options, expected):
    """fault_host.c on disks of several sizes. expected: the answers that must occur."""
    program = case.compile("fault_host.c")
    answers = {}
    for option in options:
        with Disk(case, option) as disk:
            output = os.path.join(disk, "run.db")
            recorded = case.unharmed([program], {"PROFSHIM_OUTPUT": output})
            host.harness.wait_until(lambda: not case.collectors())
            answers[option] = verdict.told(case, output, recorded)
    expect(set(answers.values()) >= set(expected), f"answers: {answers}")


@need_root
def sizes(case):
    sweep(case, [f"size={size}" for size in ("4k", "8k", "16k", "64k", "256k", "512k",
                                             "1m", "1536k", "2m", "3m", "16m", "32m")],
          ("line", "doctor", "complete"))


@need_root
def files(case):
    """No room for another file."""
    sweep(case, [f"nr_inodes={count}" for count in (1, 2, 3, 4, 5, 6, 7, 8, 16)],
          ("line", "complete"))


@need_root
def quota(case):
    """EDQUOT instead of ENOSPC."""
    options = [f"size=64m,usrquota,usrquota_block_hardlimit={size}"
               for size in ("4k", "256k", "1m", "2m", "32m")]
    try:
        with Disk(case, options[0]):
            pass
    except subprocess.CalledProcessError as error:
        raise LeftOut("a tmpfs here has no quota (Linux 6.6)") from error
    sweep(case, options, ("complete",))


def fill(directory):
    """Takes all files there can be: what the collector gives back of processes that have
    ended is blocks."""
    os.mkdir(directory)
    try:
        for number in range(100_000):
            with open(os.path.join(directory, str(number)), "wb"):
                pass
    except OSError:
        return
    raise AssertionError("the disk does not fill up")


@need_root
def full_when_it_is_written(case):
    """There was room for the recording, but none for run.db. Also when runs are there."""
    program = case.compile("ticker.c")
    with Disk(case, "size=24m,nr_inodes=500") as disk:
        case.database = os.path.join(disk, "run.db")
        for runs in (1, 2):
            process = ticker.start(case, program, 1, 20_000_000)
            fill(os.path.join(disk, "filler"))
            output, errors = process.communicate(timeout=60)
            expect(process.returncode == 0 and output == "done\n" and not errors,
                   f"ended with {process.returncode}: {output!r} {errors!r}")
            host.harness.wait_until(lambda: not case.collectors())
            expect(os.path.exists(case.database + "-spool"), "the spool is gone")
            result = case.analyze("functions", case.database)
            expect("cannot recover the run" in result.stderr and "tick" in result.stdout,
                   f"prof-analyze on the full disk: {result}")
            shutil.rmtree(os.path.join(disk, "filler"))
            case.settle()
            ticker.expect_counts(case, 0)
            expect(case.value("SELECT COUNT(*) FROM runs") == runs, "runs are missing")
            expect(case.value("SELECT MIN(complete) FROM runs") == 1, "not complete")


@need_root
def refused_snapshots_take_no_slots(case):
    """A history of snapshots that gets no pages is tried again in the same place: slots are
    what threads and children need, too."""
    with Disk(case, "size=8m") as disk:
        case.database = os.path.join(disk, "run.db")
        process = case.start([case.compile("snapper.c"), "20", "100", "none"],
                             {"PROFSHIM_SNAPSHOT_SIGNAL": "USR2"})
        pid = int(process.stdout.readline())
        with open(os.path.join(disk, "filler"), "wb", buffering=0) as file:
            with contextlib.suppress(OSError):
                while file.write(bytes(4096)) == 4096:
                    pass
        for _ in range(8):
            os.kill(pid, signal.SIGUSR2)
            time.sleep(0.15)
        segment, = glob.glob(case.database + "-spool/*/*.segment")
        with open(segment, "rb") as file:
            slot_count = struct.unpack_from("<I", file.read(64), 32)[0]
        output, errors = process.communicate(timeout=60)
        expect(process.returncode == 0 and output == "handled 0\n" and not errors,
               f"ended with {process.returncode}: {output!r} {errors!r}")
        expect(slot_count <= 5, f"{slot_count} slots for a process of one thread")


@need_root
def read_only(case):
    with Disk(case, "size=16m") as disk:
        subprocess.run(["mount", "-o", "remount,ro", disk], check=True)
        recorded = case.unharmed([case.compile("fault_host.c")],
                                 {"PROFSHIM_OUTPUT": os.path.join(disk, "run.db")})
        expect("Read-only" in recorded.message, f"the user is told {recorded.message!r}")


def lose(case, path, restore):
    """path is removed while the program runs."""
    process = ticker.start(case, case.compile("ticker.c"), 1, 20_000_000,
                           settings={"PROFSHIM_WAIT": "300s"})
    case.wait_for_collector()
    time.sleep(0.15)  # the collector has had a look
    shutil.rmtree(path)
    if restore:
        os.mkdir(path)
    try:
        output, errors = process.communicate(timeout=90)
    except subprocess.TimeoutExpired:
        raise host.Failure("the program was kept waiting") from None
    expect(process.returncode == 0 and output == "done\n" and not errors,
           f"ended with {process.returncode}: {output!r} {errors!r}")
    host.harness.wait_until(lambda: not case.collectors())


@scenario
def spool_removed(case):
    """By somebody who takes it for a leftover: what was recorded is in run.db all the
    same."""
    lose(case, case.database + "-spool", False)
    case.settle()
    ticker.expect_counts(case, 0)


@scenario
def directory_removed(case):
    """The spool, and the place for run.db. There is nowhere to tell anything."""
    os.mkdir(case.path("place"))
    case.database = case.path("place/run.db")
    lose(case, case.path("place"), False)
    expect(not os.path.exists(case.path("place")), "a directory was made up")
    result = case.analyze("report", case.database)
    expect(result.returncode == 1 and case.database in result.stderr, f"{result}")


@scenario
def spool_moved(case):
    """The directory is renamed while the program runs."""
    os.mkdir(case.path("place"))
    case.database = case.path("place/run.db")
    process = ticker.start(case, case.compile("ticker.c"), 1, 20_000_000)
    case.wait_for_collector()
    os.rename(case.path("place"), case.path("moved"))
    output, errors = process.communicate(timeout=60)
    expect(process.returncode == 0 and output == "done\n" and not errors,
           f"ended with {process.returncode}: {output!r} {errors!r}")
    host.harness.wait_until(lambda: not case.collectors())
    case.database = case.path("moved/run.db")
    case.settle()
    ticker.expect_counts(case, 0)


if __name__ == "__main__":
    verdict.mount_privately()
    host.main()
