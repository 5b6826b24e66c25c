# SPDX-License-Identifier: MIT
"""A run that is dear to judge: all rules find something, at nearly every place.

Threads share all call paths, every path has allocation sites of each kind, durations are
in two groups, and a recursion is deep.
"""
import random

from make_db import MS, begin, insert, trust

FUNCTIONS, LANES, DEPTH = 2000, 4, 60
WALL = 20_000 * MS


def varint(value):
    out = bytearray()
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytearray([value]))


def histogram(calls):
    """Two groups of durations, far apart."""
    return b"".join(varint(number) for number in (40, calls - calls // 3, 90, calls // 3))


def shape(wanted):
    """Parent, function and depth of each path; the last 1,500 are one recursion."""
    random.seed(7)
    paths, depths = [(0, 1)], [1]
    while len(paths) < wanted - 1500:
        parent = int(len(paths) * random.random() ** 0.5)
        if depths[parent] > DEPTH:
            continue
        paths.append((parent + 1, int(FUNCTIONS * random.random()) + 1))
        depths.append(depths[parent] + 1)
    while len(paths) < wanted:
        paths.append((len(paths) if depths[-1] > DEPTH else 1, 2))
        depths.append(depths[-1] + 1 if depths[-1] > DEPTH else DEPTH + 1)
    return paths, depths


def site(path, number):
    """Temporary, recycled, others, grown by realloc, big, small, and freed elsewhere."""
    count = 2_000
    one = dict(run_id=1, path_id=path, file="/src/%d.cc" % (path % 50), line=number,
               alloc_count=count, alloc_bytes=24 * count, free_count=count,
               free_bytes=24 * count, live_count=0, live_bytes=0, peak_bytes=24 * count,
               at_peak_bytes=2400, at_peak_count=100, temporary_count=0, realloc_count=0,
               realloc_copied_bytes=0, cross_thread_free_count=0, largest_bytes=24,
               realloc_old_bytes=0)
    changes = (dict(temporary_count=count), dict(peak_bytes=240), {},
               dict(realloc_count=count, realloc_old_bytes=23 * count,
                    realloc_copied_bytes=20 * count),
               dict(alloc_bytes=200_000 * count, peak_bytes=200_000),
               dict(free_count=0, live_count=count, live_bytes=24 * count),
               dict(cross_thread_free_count=count))
    return {**one, **changes[path % len(changes)]}


def insert_all(db, table, rows):
    db.executemany("INSERT INTO %s (%s) VALUES (%s)" % (
        table, ", ".join(rows[0]), ", ".join("?" * len(rows[0]))),
        [list(row.values()) for row in rows])


def fill_paths(db, wanted):
    paths, depths = shape(wanted)
    self_ns, calls = WALL * LANES // wanted * 8 // 10, 400
    totals = [self_ns] * wanted
    for number in range(wanted - 1, 0, -1):
        if paths[number][0]:
            totals[paths[number][0] - 1] += totals[number]
    insert_all(db, "path", [dict(
        path_id=n + 1, run_id=1, parent_path_id=parent or None, depth=depths[n],
        function_id=function, kind=0, calls=calls, total_ns=totals[n], self_ns=self_ns,
        raw_total_ns=totals[n], raw_self_ns=self_ns, alloc_count=2000, alloc_bytes=48_000,
        live_bytes=0, at_peak_bytes=2400) for n, (parent, function) in enumerate(paths)])
    insert_all(db, "path_lane", [dict(
        path_id=n + 1, lane_id=lane + 1, calls=calls // LANES, total_ns=totals[n] // LANES,
        self_ns=self_ns // LANES, alloc_count=500, alloc_bytes=12_000)
        for n in range(wanted) for lane in range(LANES)])
    insert_all(db, "site", [site(n + 1, 10) for n in range(wanted)])
    edges = {}
    for n, (parent, function) in enumerate(paths):
        if parent:
            key = (paths[parent - 1][1], function)
            edges[key] = edges.get(key, 0) + totals[n]
    insert_all(db, "edge", [dict(run_id=1, caller_id=caller, callee_id=callee, calls=40_000,
                                 total_ns=total) for (caller, callee), total in edges.items()])
    return [function for _, function in paths], totals, self_ns, calls


def fill_functions(db, functions, totals, self_ns, calls):
    counts, sums = [0] * FUNCTIONS, [0] * FUNCTIONS
    for function, total in zip(functions, totals):
        counts[function - 1] += 1
        sums[function - 1] += total
    insert_all(db, "function", [dict(
        function_id=n + 1, run_id=1, name="module_%d::function_%d(int)" % (n % 40, n),
        file="/src/%d.cc" % (n % 40), line=n, calls=max(counts[n] * calls, 1),
        total_ns=min(sums[n], WALL * LANES), self_ns=counts[n] * self_ns,
        raw_total_ns=min(sums[n], WALL * LANES), raw_self_ns=counts[n] * self_ns,
        min_ns=10, p50_ns=1000, p90_ns=10**6, p95_ns=10**6, p99_ns=10**7, max_ns=10**9,
        alloc_count=0, alloc_bytes=0, recording="exact",
        histogram=histogram(max(counts[n] * calls, 3))) for n in range(FUNCTIONS)])


def make(db, wanted):
    begin(db, 1, "./worst", WALL, *((lane, "worker") for lane in range(1, LANES + 1)),
          label="worst", inner_cost_ns=8.0, outer_cost_ns=18.0, alloc_count=2000 * wanted,
          alloc_bytes=48_000 * wanted, free_count=1900 * wanted, peak_bytes=2400 * wanted,
          live_bytes_at_exit=6000 * wanted, ticks_per_second=1e9)
    fill_functions(db, *fill_paths(db, wanted))
    for number in range(100):
        insert(db, "resource", run_id=1, process_id=1, time_ns=WALL // 100 * number,
               cpu_percent=150, rss_bytes=300 << 20, minor_faults=10**6 * number,
               major_faults=0, thread_count=LANES, cpu_wait_ns=10**7 * number)
    trust(db, 1, 1, hook_calls=400 * wanted)
