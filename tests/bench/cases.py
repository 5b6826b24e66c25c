# SPDX-License-Identifier: MIT
"""The cases of the benchmark. Each yields rows; see Row in table.py."""
import contextlib
import os
import shutil
import sys
import threading

import measure
from looks import looks
from measure import Missing, in_turn, middle, printed_ns
from phases import phase_changes
from servers import servers
from table import Row
from waits import waits

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.join(ROOT, "tests", "programs"))
import harness  # noqa: E402  (found through the line above)


class Setting:
    """What all cases need: the tools, the programs, how thorough to be."""

    def __init__(self, folder, products, programs, rounds, quick):
        self.folder = folder
        self.products = products
        self.programs = programs
        self.rounds = rounds
        self.quick = quick
        self.database = os.path.join(folder, "run.db")
        self.trace = os.path.join(folder, "uftrace.data")

    def count(self, number):
        return str(number // 10 if self.quick else number)

    def recorded(self, command, measured=measure.run, **environment):
        """A run under the shim into a file of its own."""
        measure.remove(self.database, self.database + "-spool")
        return measured(command, self.products.environment(self.database, **environment),
                        cwd=self.folder)

    def unrecorded(self, command, measured=measure.run, **environment):
        return measured(command, {**harness.plain_environment(), **environment},
                        cwd=self.folder)

    def uftraced(self, command, measured=measure.run):
        measure.remove(self.trace, self.trace + ".old")
        return self.unrecorded(["uftrace", "record", "-d", self.trace, "--no-libcall",
                                *command], measured)

    def heaptracked(self, command, measured=measure.run, **environment):
        output = os.path.join(self.folder, "heaptrack")
        measure.remove(output + ".zst", output + ".gz")
        return self.unrecorded(["heaptrack", "-o", output, *command], measured,
                               **environment)


def peer(name, function):
    return function if shutil.which(name) else Missing(f"{name} is not installed")


def over_floor(case, samples, unit, reach):
    """What recording costs beyond two clock reads and the calls of the hooks."""
    floor = {"plain": samples["floor"], "shim": samples["shim"]}
    return Row(case, "  over two clock reads", unit, floor, added=True, reach=reach,
               note="plain: hooks that read the clock and do nothing else")


def pair(setting):
    """(a) one call of an empty function: enter hook and exit hook."""
    program, floor = setting.programs.loop("leaf"), setting.programs.floor()
    hooked = [program["hooked"], setting.count(20_000_000)]
    traced = [program["hooked"], setting.count(5_000_000)]
    samples = in_turn({
        "plain": lambda: printed_ns(setting.unrecorded([program["plain"], hooked[1]])),
        "hooks": lambda: printed_ns(setting.unrecorded(hooked)),
        "floor": lambda: printed_ns(setting.unrecorded(hooked, LD_PRELOAD=floor)),
        "shim": lambda: printed_ns(setting.recorded(hooked, PROFSHIM_LEVEL="exact")),
        "peer": peer("uftrace", lambda: printed_ns(setting.uftraced(traced))),
    }, setting.rounds)
    yield Row("a", "call, leaf loop", "ns", samples, "uftrace", added=True, reach=27)
    yield over_floor("a", samples, "ns", 7)


def real_program(setting, name, program, arguments):
    commands = {kind: [path, *arguments] for kind, path in program.items()}
    wall, floor = measure.wall_seconds, setting.programs.floor()
    samples = in_turn({
        "plain": lambda: setting.unrecorded(commands["plain"], wall),
        "hooks": lambda: setting.unrecorded(commands["hooked"], wall),
        "floor": lambda: setting.unrecorded(commands["hooked"], wall, LD_PRELOAD=floor),
        "shim": lambda: setting.recorded(commands["hooked"], wall,
                                         PROFSHIM_LEVEL="exact"),
        "peer": peer("uftrace", lambda: setting.uftraced(commands["hooked"], wall)),
    }, setting.rounds)
    harness.settle(setting.products, setting.database)
    calls = harness.value(setting.database, "SELECT SUM(calls) FROM functions")
    yield Row("b", name, "s", samples, "uftrace")
    of_call = {key: sample if isinstance(sample, Missing) else
               [number * 1e9 / calls for number in sample]
               for key, sample in samples.items()}
    yield Row("b", f"  a call of {calls / 1e6:.1f} M", "ns", of_call, "uftrace",
              added=True, reach=30,
              note="whole wall time, start and end of the tool included")
    yield over_floor("b", of_call, "ns", 12)


def lua(setting):
    program = setting.programs.lua()
    script = os.path.join(HERE, "mixed.lua")
    yield from real_program(setting, "Lua", program,
                            [script, "5" if setting.quick else "20"])


def sqlite(setting):
    """(b) and what was left behind: (e) bytes, (f) time and memory of the report."""
    program = setting.programs.sqlite()
    yield from real_program(setting, "SQLite speedtest1", program,
                            ["--size", "3" if setting.quick else "10"])
    traced = [measure.folder_bytes(setting.trace)] if os.path.exists(setting.trace) \
        else Missing("uftrace left nothing")
    yield Row("e", "data left behind", "MiB",
              {"shim": [measure.folder_bytes(setting.database) / 2**20],
               "peer": traced if isinstance(traced, Missing) else [traced[0] / 2**20]},
              "uftrace", reach=8)
    runs = [measure.wall_and_memory([setting.products.analyze, "report", setting.database])
            for _ in range(setting.rounds)]
    yield Row("f", "prof-analyze report", "ms", {"shim": [run[0] * 1e3 for run in runs]},
              reach=200)
    yield Row("f", "  its memory", "MiB", {"shim": [run[1] / 2**20 for run in runs]},
              reach=64)


def exports(setting):
    """(m) time and memory of an export of 100,000 call paths."""
    database, output = (os.path.join(setting.folder, "paths" + end) for end in (".db", ".pb.gz"))
    measure.run([sys.executable, os.path.join(ROOT, "tests", "reports", "make_db.py"), "big",
                 database, "100000"])
    command = [setting.products.analyze, "export", "pprof", database, "-o", output]
    runs = [measure.wall_and_memory(command) for _ in range(setting.rounds)]
    yield Row("m", "export pprof, 100,000 paths", "ms", {"shim": [run[0] * 1e3 for run in runs]},
              reach=1000)
    yield Row("m", "  its memory", "MiB", {"shim": [run[1] / 2**20 for run in runs]},
              reach=64)


def real_programs(setting):
    yield from lua(setting)
    yield from sqlite(setting)


def allocations(setting):
    """(c) malloc and free, and a program that lives on them."""
    program = setting.programs.loop("allocate", ["chain"])
    for how, text, reach, count in (
            ("direct", "malloc+free, from hooked code", 20, 10_000_000),
            ("chain", "malloc+free, 10 plain frames", 60, 2_000_000)):
        # main and the loop have hooks, one call each: the loop itself is plain code.
        command = [program["hooked"], setting.count(count), how]
        samples = in_turn({
            "plain": lambda c=command: printed_ns(setting.unrecorded(c)),
            "shim": lambda c=command: printed_ns(setting.recorded(c)),
            "peer": peer("heaptrack", lambda c=command: printed_ns(setting.heaptracked(c))),
        }, setting.rounds)
        yield Row("c", text, "ns", samples, "heaptrack", added=True, reach=reach)
    command = ["/usr/bin/python3", os.path.join(HERE, "json_blocks.py")]
    malloc, wall = {"PYTHONMALLOC": "malloc"}, measure.wall_seconds
    samples = in_turn({
        "plain": lambda: setting.unrecorded(command, wall, **malloc),
        "shim": lambda: setting.recorded(command, wall, **malloc),
        "peer": peer("heaptrack", lambda: setting.heaptracked(command, wall, **malloc)),
    }, setting.rounds)
    harness.settle(setting.products, setting.database)
    count = harness.value(setting.database, "SELECT alloc_count FROM runs")
    yield Row("c", f"Python JSON, {count / 1e6:.1f} M allocations", "s", samples,
              "heaptrack", slower=True, reach=2.2)


def threads(setting):
    """(d) the leaf loop in 1 to 8 threads, CPU time per call."""
    program = setting.programs.loop("threads")
    counts = (1, 2, 4, 8)
    variants = {}
    for count in counts:
        for kind in ("plain", "hooked"):
            command = [program[kind], setting.count(5_000_000), str(count)]
            measured = setting.unrecorded if kind == "plain" else setting.recorded
            variants[kind, count] = lambda c=command, m=measured: printed_ns(m(c))
    samples = in_turn(variants, setting.rounds)
    single = middle(samples["hooked", 1]) - middle(samples["plain", 1])
    for count in counts:
        yield Row("d", f"call, {count} thread{'s'[:count > 1]}", "ns",
                  {"plain": samples["plain", count], "shim": samples["hooked", count]},
                  added=True, reach=single * 1.3 if count == 8 else None)


def start_up(setting):
    """(g) /bin/true, alone and as the hundred children of one shell."""
    wall = measure.wall_seconds
    children = 20 if setting.quick else 100
    loop = ["/bin/sh", "-c", f"i=0; while [ $i -lt {children} ]; do /bin/true; "
            "i=$((i + 1)); done"]
    samples = in_turn({
        "plain": lambda: setting.unrecorded(["/bin/true"], wall) * 1e3,
        "shim": lambda: setting.recorded(["/bin/true"], wall) * 1e3,
        "plain children": lambda: setting.unrecorded(loop, wall) * 1e3,
        "shim children": lambda: setting.recorded(loop, wall) * 1e3,
    }, setting.rounds * 3)
    yield Row("g", "first process", "ms", samples, added=True, reach=15)
    first = {name: middle(samples[name]) for name in ("plain", "shim")}
    yield Row("g", "each child", "ms", {
        name: [(number - first[name]) / children for number in samples[name + " children"]]
        for name in ("plain", "shim")}, added=True, reach=2)


def snapshots(setting):
    """(h) CPU time of the thread that takes a snapshot of 111,110 allocation sites."""
    program = setting.programs.loop("snapshots")["hooked"]
    samples = in_turn({kind: lambda k=kind: printed_ns(setting.recorded([program, k])) / 1e6
                       for kind in ("first", "next")}, setting.rounds)
    yield Row("h", "first snapshot, 111,110 sites", "ms", {"shim": samples["first"]}, reach=5)
    yield Row("h", "further ones", "ms", {"shim": samples["next"]}, reach=5)


def marks(setting):
    """(i) CPU time of a step, a counter, and a region's begin and end."""
    program = setting.programs.loop("marks")
    for name, label, reach in (("step", "step", 40), ("counter", "counter", 40),
                               ("region", "region, begin and end", None)):
        command = [name, setting.count(20_000_000)]
        samples = in_turn({
            "plain": lambda c=command: printed_ns(
                setting.unrecorded([program["plain"], *c])),
            "shim": lambda c=command: printed_ns(
                setting.recorded([program["plain"], *c])),
        }, setting.rounds)
        yield Row("i", label, "ns", samples, added=True, reach=reach)


class SpoolWatch:
    """The most that a spool takes on disk while something runs."""

    def __init__(self, database):
        self.spool, self.most, self.stop = database + "-spool", 0, threading.Event()
        self.thread = threading.Thread(target=self.look)

    def look(self):
        while not self.stop.wait(0.005):
            blocks = 0
            for folder, _, names in os.walk(self.spool):
                for name in names:
                    with contextlib.suppress(OSError):
                        blocks += os.lstat(os.path.join(folder, name)).st_blocks
            self.most = max(self.most, blocks * 512)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *unused):
        self.stop.set()
        self.thread.join()


def forks(setting):
    """(j) children that make a few calls and one allocation and end, one after the other."""
    program = setting.programs.loop("forks")
    for number in (1000, 10_000):
        count, most = setting.count(number), []

        def recorded(count=count, most=most):
            with SpoolWatch(setting.database) as watch:
                ns = printed_ns(setting.recorded([program["hooked"], count]))
            most.append(watch.most / 2**20)
            return ns / 1e3

        samples = in_turn({
            "plain": lambda c=count: printed_ns(
                setting.unrecorded([program["plain"], c])) / 1e3,
            "hooks": lambda c=count: printed_ns(
                setting.unrecorded([program["hooked"], c])) / 1e3,
            "shim": recorded,
        }, setting.rounds)
        limit = 1.5 * middle(samples["plain"]) + 100
        yield Row("j", f"each of {int(count):,} children", "us", samples, reach=limit)
        yield Row("j", "  their spool at most", "MiB", {"shim": most[1:]}, reach=8)


CASES = {"a": pair, "b": real_programs, "c": allocations, "d": threads, "g": start_up,
         "h": snapshots, "i": marks, "j": forks, "k": phase_changes,
         "l": waits, "m": exports, "n": looks, "o": servers}
# (e) and (f) look at what (b) has recorded.
SAME_CASE = {"e": "b", "f": "b"}
