# SPDX-License-Identifier: MIT
"""The case of a program whose work changes: how soon it is back under its budget."""
import collections
import statistics

from table import Row

PERCENT = 10
SLICE_MS = 10
# One slice may be lengthened by somebody else on the machine: of so many the middle one.
TOGETHER = 5


def read_slices(output):
    """{(thread, phase): units of work in each of its slices}"""
    slices = collections.defaultdict(list)
    for line in output.splitlines():
        thread, phase, units = map(int, line.split())
        slices[thread, phase].append(units)
    return slices


def usual_units(runs):
    """{phase: units that a slice of it has, unrecorded}"""
    units = collections.defaultdict(list)
    for run in runs:
        for (_, phase), found in run.items():
            units[phase] += found
    return {phase: statistics.median(found) for phase, found in units.items()}


def slowdowns(run, usual):
    """Of each busy phase: the slowdown in each slice, the mean of the threads."""
    phases = collections.defaultdict(list)
    for (_, phase), found in run.items():
        if phase % 2:
            phases[phase].append([usual[phase] / max(units, 1) for units in found])
    return [[statistics.mean(of_threads) for of_threads in zip(*found)]
            for found in phases.values()]


def ms_until_back(slices):
    """From the start of a phase to where it is under the budget, and stays there for a
    while."""
    for first in range(len(slices) - TOGETHER + 1):
        if statistics.median(slices[first:first + TOGETHER]) <= 1 + PERCENT / 100:
            return first * SLICE_MS
    return len(slices) * SLICE_MS


def take_turns(setting, command):
    """(runs with empty hooks, recorded ones)"""
    empty, recorded = [], []
    hooks = setting.programs.empty_hooks()
    for _ in range(setting.rounds + 1):  # the first one warms up
        empty.append(read_slices(setting.unrecorded(command, LD_PRELOAD=hooks)))
        recorded.append(read_slices(setting.recorded(
            command, PROFSHIM_LEVEL="full", PROFSHIM_OVERHEAD=str(PERCENT))))
    return empty[1:], recorded[1:]


def phase_changes(setting):
    """(k) slowdown by slices of 10 ms after the work has changed, against empty hooks; of
    several kinds of work the one that gets slowest."""
    program = setting.programs.loop("phases")["hooked"]
    for threads in (1, 4):
        empty, recorded = take_turns(setting, [program, str(threads), "300", "6"])
        usual = usual_units(empty)
        runs = [slowdowns(run, usual) for run in recorded]
        label = f"{threads} thread{'s'[:threads > 1]}"
        for text, pick, unit, reach in (
                (f"phase change, {label}: 10 ms", lambda s: s[0], "x", None),
                ("  the second 10 ms", lambda s: s[1], "x", None),
                ("  the fifth", lambda s: s[4], "x", None),
                ("  from 200 ms on, median", lambda s: statistics.median(s[20:]), "x", 1.1),
                ("  back under the budget after", ms_until_back, "ms", 200)):
            worst = [max(pick(slices) for slices in run) for run in runs]
            yield Row("k", text, unit, {"shim": worst}, reach=reach)
