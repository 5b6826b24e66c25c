# SPDX-License-Identifier: MIT
"""What Perfetto's own reader, trace_processor_shell, makes of exports for chrome: slices of
each thread, counters, the names of threads and processes, and what it complains about."""
import collections
import math
import os
import subprocess

import recordings
from recordings import harness

SLICES = """SELECT IFNULL(t.tid, 0), hex(s.name), COUNT(*), SUM(s.dur) FROM slice s
LEFT JOIN thread_track k ON k.id = s.track_id LEFT JOIN thread t USING (utid) GROUP BY 1, 2"""
# "!": SQLite keeps 16 digits otherwise; of %g it counts the zeros behind the point, too
COUNTERS = """SELECT hex(t.name), c.ts, printf('%!.20e', c.value) FROM counter c
JOIN track t ON t.id = c.track_id"""
THREADS = """SELECT t.tid, hex(t.name) FROM thread t JOIN process p USING (upid)
WHERE t.name IS NOT NULL"""
PROCESSES = "SELECT pid, hex(name) FROM process WHERE name IS NOT NULL"
COMPLAINTS = """SELECT hex(name), value FROM stats WHERE value <> 0 AND severity <> 'info'"""


def text(digits):
    return bytes.fromhex(digits).decode()


class TraceProcessor:
    """The program at a path; each question reads the trace anew."""

    def __init__(self, program, trace):
        self.program, self.trace = program, trace

    def rows(self, sql):
        query = self.trace + ".sql"
        with open(query, "w", encoding="utf-8") as file:
            file.write(sql + ";")
        result = subprocess.run([self.program, "-q", query, self.trace], capture_output=True,
                                encoding="utf-8", check=False)
        harness.expect(result.returncode == 0 and result.stdout,
                       f"{self.program}: {result.stderr[-500:]}")
        lines = result.stdout.splitlines()[1:]
        return [[field.strip('"') for field in line.split(",")] for line in lines if line]


def check_program(program):
    harness.expect(os.path.isfile(program) and os.access(program, os.X_OK),
                   f"{program}: there is no such program")
    result = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    harness.expect(result.returncode == 0 and "Trace Processor" in result.stdout,
                   f"{program} does not say that it is a trace processor: {result.stdout[:200]}")


def slices(reader, recording):
    """As Recording.in_time(): tracks of waits and steps are numbered behind the lanes."""
    lanes = recording.rows("SELECT MAX(lane_id) FROM lane")[0][0]
    tids = dict(recording.rows("SELECT lane_id, MIN(tid) FROM thread GROUP BY lane_id"))
    found = {}
    for track, name, count, total in reader.rows(SLICES):
        key = tids[(int(track) - 1) % lanes + 1] if int(track) else 0, text(name)
        entry = found.setdefault(key, [0, 0])
        entry[0] += int(count)
        entry[1] += int(total)
    return found


def counters(recording):
    """{name: [(ns, value)]}, sorted."""
    found = collections.defaultdict(list)
    for name, time_ns, value in recording.rows("""
            SELECT 'counter ' || name, time_ns, value FROM counter
            UNION ALL SELECT 'live bytes', time_ns, live_bytes FROM snapshot
            UNION ALL SELECT 'resident bytes', time_ns, rss_bytes FROM resource
            WHERE rss_bytes IS NOT NULL
            UNION ALL SELECT 'CPU %', time_ns, cpu_percent FROM resource
            WHERE cpu_percent IS NOT NULL
            UNION ALL SELECT 'threads', time_ns, thread_count FROM resource
            WHERE thread_count IS NOT NULL"""):
        found[name + " value"].append((time_ns, float(value)))
    return {name: sorted(values) for name, values in found.items()}


def is_same(told, expected):
    """To the last unit; of fractions its own reader of decimals loses the last bit (of one in
    seventy random ones, whatever asks it and however)."""
    return len(told) == len(expected) and all(
        one[0] == other[0] and (one[1] == other[1] or not other[1].is_integer() and
                                abs(one[1] - other[1]) <= math.ulp(other[1]))
        for one, other in zip(told, expected))


def names(recording):
    """Of threads and their tracks, and of processes."""
    threads = recording.rows("SELECT DISTINCT IFNULL(name, 'thread') FROM thread")
    waits = recording.rows("SELECT DISTINCT 'waits of ' || IFNULL(t.name, 'thread') FROM thread t "
                           "WHERE lane_id IN (SELECT lane_id FROM stall)")
    steps = recording.rows("SELECT DISTINCT 'steps ' || name FROM step")
    processes = recording.rows("SELECT CAST(pid AS TEXT), executable FROM process")
    return {name for name, in threads + waits + steps}, dict(processes)


def problems_of(program, recording):
    reader = TraceProcessor(program, recording.file("chrome"))
    told, where = slices(reader, recording), f"{recording.name}, trace_processor"
    problems = recordings.problems_in_time(recording, "trace_processor", told)
    points = collections.defaultdict(list)
    for name, time_ns, value in reader.rows(COUNTERS):
        points[text(name)].append((int(time_ns), float(value)))
    points = {name: sorted(values) for name, values in points.items()}
    expected = counters(recording)
    problems += [f"{where}: {name} is {points.get(name)}, not {expected.get(name)}"
                 for name in sorted(points.keys() | expected.keys())
                 if not is_same(points.get(name, []), expected.get(name, []))]
    threads, processes = names(recording)
    told_threads = {text(name) for _, name in reader.rows(THREADS)}
    told_processes = {pid: text(name) for pid, name in reader.rows(PROCESSES)}
    if (told_threads, told_processes) != (threads, processes):
        problems.append(f"{where}: {told_threads} of {told_processes}, not {threads} of {processes}")
    problems += [f"{where}: it complains: {text(name)} {value}"
                 for name, value in reader.rows(COMPLAINTS)]
    sums = [sum(value[1] for value in values) for values in
            (told.values(), recording.in_time().values())]
    print(f"{recording.name:8} chrome       trace_processor {sums[0]:>15} run.db {sums[1]:>16} in "
          f"{sum(value[0] for value in told.values())} slices; "
          f"{sum(map(len, points.values()))} values of {len(points)} counters")
    return problems
