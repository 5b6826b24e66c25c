# SPDX-License-Identifier: MIT
"""What `prof-analyze top` costs, and the program that it looks at."""
import os
import subprocess
import time

import measure
from measure import in_turn, printed_ns
from table import Row

VIEWS = ("function", "path")
LOOKS = 4
FEW = 1


def cpu_seconds(command):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise measure.BenchError(f"{' '.join(command)} ended with {process.returncode}")
    return usage.ru_utime + usage.ru_stime


def look_ms(setting, pid, view):
    """Of one look that is shown, without what it takes to begin."""
    command = [setting.products.analyze, "top", str(pid), "--view", view, "--every", "50ms",
               "--count"]
    few, many = (cpu_seconds(command + [str(count)]) for count in (FEW, LOOKS))
    return (many - few) / (LOOKS - FEW) * 1e3


class Watched:
    """tests/bench/paths.c while it runs under the shim."""

    def __init__(self, setting):
        measure.remove(setting.database, setting.database + "-spool")
        self.process = subprocess.Popen(
            [setting.programs.loop("paths")["hooked"]], cwd=setting.folder, text=True,
            env=setting.products.environment(setting.database, PROFSHIM_LEVEL="exact"),
            stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.process.stdout.readline()

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        self.process.stdin.close()
        self.process.wait()

    def round_us(self):
        """Since the last time it was asked."""
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        return printed_ns(self.process.stdout.readline()) / 1e3


def round_us(setting, watched, is_looked_at, seconds):
    command = [setting.products.analyze, "top", str(watched.process.pid), "--every", "100ms"]
    top = subprocess.Popen(command, stdin=subprocess.DEVNULL,
                           stdout=subprocess.DEVNULL) if is_looked_at else None
    time.sleep(0.5)
    watched.round_us()
    time.sleep(seconds)
    taken = watched.round_us()
    if top:
        top.terminate()
        top.wait()
    return taken


def looks(setting):
    """(n) CPU time of a look of top at 8 threads with 103,496 paths, and the program's."""
    with Watched(setting) as watched:
        samples = in_turn({view: lambda v=view: look_ms(setting, watched.process.pid, v)
                           for view in VIEWS}, setting.rounds)
        for view in VIEWS:
            yield Row("n", f"top, a look at {view}s", "ms", {"shim": samples[view]}, reach=5)
        seconds = 1 if setting.quick else 3
        samples = in_turn({name: lambda n=name: round_us(setting, watched, n == "shim", seconds)
                           for name in ("plain", "shim")}, setting.rounds)
        yield Row("n", "a round of the program, with top", "us", samples, added=True)
