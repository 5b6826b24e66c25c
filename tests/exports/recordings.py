# SPDX-License-Identifier: MIT
"""Three recordings, and what run.db itself says of them: one thread; threads that wait;
C++ with recursion by turns and a library loaded late."""
import contextlib
import os
import sqlite3
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "programs"))
import harness  # noqa: E402  (found through the line above)

FORMATS = ("pprof", "speedscope", "callgrind", "chrome")
# each metric with its columns of path: its own, and of function: with what it calls
METRICS = {
    "calls": ("calls", None), "wall": ("self_ns", "total_ns"),
    "cpu": ("self_cpu_ns", "cpu_ns"), "ready": ("self_ready_ns", "ready_ns"),
    "blocked": ("self_blocked_ns", "blocked_ns"), "allocations": ("alloc_count", None),
    "bytes": ("alloc_bytes", None), "live": ("live_bytes", None),
    "at_peak": ("at_peak_bytes", None)}


class Recording:
    """A database and its exports."""

    def __init__(self, products, folder, name, command, **settings):
        self.name, self.database = name, os.path.join(folder, name + ".db")
        self.folder, self.products = folder, products
        result = harness.run(command, cwd=folder, 
                             env=products.environment(self.database, **settings))
        harness.expect(result.returncode == 0, f"{name} ended with {result.returncode}")
        harness.settle(products, self.database)
        for kind in FORMATS:
            self.export(kind, self.file(kind))

    def file(self, kind):
        return os.path.join(self.folder, f"{self.name}.{kind}")

    def export(self, kind, path, *arguments):
        result = harness.run([self.products.analyze, "export", kind, self.database, "-o", path,
                              *arguments])
        harness.expect(result.returncode == 0, f"export {kind}: {result.stderr}")

    def rows(self, sql):
        with contextlib.closing(sqlite3.connect(self.database)) as database:
            return database.execute(sql).fetchall()

    def sums(self):
        """{metric: sum over all call paths}"""
        row = self.rows("SELECT " + ", ".join(
            f"SUM({own})" for own, _ in METRICS.values()) + " FROM path")[0]
        return dict(zip(METRICS, row))

    def functions(self, metric):
        """{name: (itself, with all that it calls or None)}, functions as they were built."""
        own, whole = METRICS[metric]
        if metric in ("live", "at_peak"):
            return dict((name, (amount, None)) for name, amount in self.rows(
                f"SELECT f.name, SUM(p.{own}) FROM path p JOIN function f USING (function_id) "
                "GROUP BY function_id"))
        return {name: (amount, total) for name, amount, total in self.rows(
            f"SELECT name, {own}, {whole or 'NULL'} FROM function")}

    def in_time(self):
        """{(thread's number, name): [how many, ns together]} of slow calls, waits and steps,
        as exports name them; snapshots are of no thread and last no time."""
        return {(tid, name): [count, total] for tid, name, count, total in self.rows("""
            WITH named AS (
                SELECT lane_id, name, duration_ns FROM spans WHERE kind <> 'step'
                UNION ALL SELECT lane_id, name, duration_ns FROM step
                UNION ALL SELECT s.lane_id, 'waits: ' || IFNULL(l.name, s.kind), s.wait_ns
                FROM stall s LEFT JOIN lock l USING (run_id, lock_id))
            SELECT t.tid, n.name, COUNT(*), SUM(n.duration_ns) FROM named n
            JOIN (SELECT lane_id, MIN(tid) AS tid FROM thread GROUP BY lane_id) t USING (lane_id)
            GROUP BY 1, 2
            UNION ALL SELECT 0, 'snapshot ' || label, COUNT(*), 0 FROM snapshot GROUP BY 2""")}

    def top(self, metric, count=10):
        """The functions with most of a metric by themselves."""
        functions = self.functions(metric)
        names = sorted((name for name in functions if functions[name][0]),
                       key=lambda name: -functions[name][0])
        return {name: functions[name] for name in names[:count]}


def make(products, folder):
    """The three."""
    def source(name):
        return os.path.join(HERE, name)

    single = harness.compile_program(source("single.c"), os.path.join(folder, "single"))
    waiting = harness.compile_program(source("waiting.c"), os.path.join(folder, "waiting"),
                                      flags=["-pthread"])
    plug = harness.compile_program(source("plug.cpp"), os.path.join(folder, "plug.so"),
                                   flags=["-shared", "-fPIC"])
    plugged = harness.compile_program(source("plugged.cpp"), os.path.join(folder, "plugged"),
                                      flags=["-ldl"])
    return [Recording(products, folder, "single", [single],
                      PROFSHIM_SNAPSHOT_AT="halt:enter"),
            Recording(products, folder, "waiting", [waiting]),
            Recording(products, folder, "plugged", [plugged, plug])]


def problems_of(recording, consumer, metric, total, functions):
    """What a consumer told, against ours: total, and {name: (itself, with callees)}, where a
    number that it does not tell is None."""
    problems = []
    where = f"{recording.name}, {consumer}, {metric}"
    expected = recording.sums()[metric]
    if total is not None and total != expected:
        problems.append(f"{where}: all is {total}, not {expected}")
    for name, (own, whole) in recording.top(metric).items():
        told_own, told_whole = functions.get(name, (None, None))
        if name not in functions:
            problems.append(f"{where}: no {name}")
        if told_own is not None and told_own != own:
            problems.append(f"{where}: {name} has {told_own} itself, not {own}")
        if None not in (told_whole, whole) and told_whole != whole:
            problems.append(f"{where}: {name} has {told_whole} with callees, not {whole}")
    return problems


def problems_in_time(recording, consumer, told):
    """What a consumer told of what has a place in time, as in_time() has it."""
    expected = recording.in_time()
    return [f"{recording.name}, {consumer}: {key} is {told.get(key)}, not {expected.get(key)}"
            for key in sorted(expected.keys() | told.keys()) if told.get(key) != expected.get(key)]
