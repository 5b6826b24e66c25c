# SPDX-License-Identifier: MIT
"""What the recordings are held against: exact counts, and where the program spends its time,
by perf's samples of the recorded program, of the build with hooks that do nothing, and of the
plain one.

Recorders by hooks see functions of the program only: what libc or the kernel does for one
of them is its own time. So samples go to the innermost frame that has hooks in the recorded
build. The hooks' own are left out.
"""
import collections
import os
import re
import shutil

import measure

CLONE = re.compile(r"\.(constprop|isra|part|cold|lto_priv|localalias|llvm)\b.*|@.*")
SAMPLES_PER_SECOND = 1499
# Of perf, for five seconds of samples with 8 KiB of stack each.
BUFFER = "64M"
MOST_LOST = 0.01
# Hooks, and the code beside the program that only counts.
HOOKS = re.compile(r"(.*/)?(empty_hooks\.so|libprofshim\.so|perf-\d+\.map|//anon|\[unknown\])")


def base_name(symbol):
    """A clone's time is that of the function it was made of."""
    return CLONE.sub("", symbol)


class Names:
    """One name for each function of a program: the same in all accounts of it."""

    def __init__(self, program):
        at = collections.defaultdict(set)
        for line in measure.run(["nm", "--defined-only", program]).splitlines():
            address, kind, name = line.split(" ", 2)
            if kind in "tTwW":
                at[int(address, 16)].add(base_name(name))
        # A constructor has two names for one address.
        self.first = {offset: min(names) for offset, names in at.items()}
        self.same = {name: self.first[offset] for offset, names in at.items()
                     for name in names}

    def of(self, symbol):
        name = base_name(symbol)
        return self.same.get(name, name)

    def at(self, offset):
        return self.first.get(offset, hex(offset))


def counts_of(lines, names):
    """{name: entries} of exact_counter's lines. Functions of one name count together."""
    counts = collections.Counter()
    for line in lines:
        if line.endswith(" lost"):
            raise measure.BenchError("the exact counter has too few slots")
        entries, offset, _ = line.split(" ", 2)
        counts[names.at(int(offset, 16))] += int(entries)
    return counts


class Samples:
    """Of runs of one build. chains: [{(function, its caller, ...): number}], of each run,
    those that the compiler inlined, too; all of functions that have hooks."""

    def __init__(self):
        self.runs = []

    def total(self):
        return sum(sum(run.values()) for run in self.runs)

    def as_built(self, inlined_pairs, runs=None):
        """Of those that it is in the recorded build. inlined_pairs: (function, caller) of
        the copies that the compiler put into their callers there. runs: some of them."""
        samples = collections.Counter()
        for run in self.runs if runs is None else runs:
            for chain, count in run.items():
                apart = (pair[0] for pair in zip(chain, chain[1:])
                         if pair not in inlined_pairs)
                samples[next(apart, chain[-1])] += count
        return samples

    def halves(self, inlined_pairs):
        """Two accounts of the same: every second run; None where there is only one."""
        if len(self.runs) < 2:
            return None
        return [self.as_built(inlined_pairs, self.runs[half::2]) for half in (0, 1)]


FRAME = re.compile(r"\s*[0-9a-f]+ (.*) \((.*)\)")


def chains_in(text, program, instrumented, names):
    """The call chains that `perf script` prints, innermost first: of the functions in
    instrumented, those that have any. Without samples of the hooks."""
    for lines in text.split("\n\n"):
        frames = [FRAME.fullmatch(line) for line in lines.splitlines()]
        frames = [frame.groups() for frame in frames if frame]
        if HOOKS.fullmatch(next((module for _, module in frames if module != "inlined"
                                 and "kernel" not in module), "")):
            continue
        chain = tuple(name for name in (names.of(symbol) for symbol, module in frames
                                        if module in (program, "inlined"))
                      if name in instrumented)
        if chain:
            yield chain


def lost_share(folder, data, environment):
    """Of the samples in perf's data. They are lost in bursts: those that are left are of some
    phases of the program only."""
    text = measure.run(["perf", "report", "-i", data, "--stats"], environment, cwd=folder)
    events = dict(re.findall(r"^ *(SAMPLE|LOST|LOST_SAMPLES) events: +(\d+)$", text,
                             re.MULTILINE))
    kept, lost = int(events.get("SAMPLE", 0)), int(events.get("LOST_SAMPLES", 0))
    if "LOST events" in text and not lost:
        return 1.0  # an old perf or kernel does not know how many
    return lost / (kept + lost) if kept + lost else 0.0


def record_samples(folder, command, environment, fix):
    """Into perf.data; returns its path. At real-time priority perf has no turn while the
    program runs, and what does not fit in its buffer is lost: 82 % of bzip2's samples with
    the usual half MiB."""
    data = os.path.join(folder, "perf.data")
    measure.run(["perf", "record", "-q", "-m", BUFFER, "-o", data, "-e", "cpu-clock", "-F",
                 str(SAMPLES_PER_SECOND), "--call-graph", "dwarf", "--", *command],
                environment, cwd=folder, preexec_fn=fix)
    lost = lost_share(folder, data, environment)
    if lost > MOST_LOST:
        raise measure.BenchError(f"perf lost {lost * 100:.0f} % of its samples")
    return data


def perf_samples(folder, command, program, environment, instrumented, names, fix):
    """{chain: number} of one run of a command that runs the program."""
    if not shutil.which("perf"):
        raise measure.BenchError("perf is not installed")
    data = record_samples(folder, command, environment, fix)
    text = measure.run(["perf", "script", "-i", data, "--inline", "--no-demangle", "-F",
                        "ip,sym,dso"], environment, cwd=folder)
    measure.remove(data, data + ".old")
    return collections.Counter(chains_in(text, program, instrumented, names))
