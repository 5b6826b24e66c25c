# SPDX-License-Identifier: MIT
"""What must hold in the record of any program. Each check yields sentences."""
import harness

# Zero unless a program says otherwise with a "// tolerate: NAME..." line.
ZERO_IN_TRUST = ("repaired_frames", "orphan_exits", "unended_regions", "orphan_regions",
                 "folded_paths", "unknown_frees",
                 "lost_frees", "dropped_allocations", "late_events", "stopped_functions",
                 "sampled_functions",
                 "collector_recovered", "refused_snapshots")

EQUAL_SUMS = {
    "self times of the paths add up to the totals of the roots": (
        "SELECT TOTAL(self_ns) FROM call_paths",
        "SELECT TOTAL(total_ns) FROM call_paths WHERE parent_path_id IS NULL"),
    "self times are computing, ready and blocked": (
        "SELECT TOTAL(self_ns) FROM call_paths",
        "SELECT TOTAL(self_cpu_ns + self_ready_ns + self_blocked_ns) FROM call_paths"),
    "totals are computing, ready and blocked": (
        "SELECT TOTAL(total_ns) FROM call_paths",
        "SELECT TOTAL(cpu_ns + ready_ns + blocked_ns) FROM call_paths"),
    "blocked times of the functions are those of their paths": (
        "SELECT TOTAL(self_blocked_ns) FROM functions",
        "SELECT TOTAL(self_blocked_ns) FROM call_paths"),
    "raw self times of the paths add up to the raw totals of the roots": (
        "SELECT TOTAL(raw_self_ns) FROM call_paths",
        "SELECT TOTAL(raw_total_ns) FROM call_paths WHERE parent_path_id IS NULL"),
    "calls of the functions are those of their paths": (
        "SELECT TOTAL(calls) FROM functions", "SELECT TOTAL(calls) FROM call_paths"),
    "unwound calls of the functions are those of their paths": (
        "SELECT TOTAL(unwound_count) FROM functions",
        "SELECT TOTAL(unwound_count) FROM call_paths"),
    "calls of the edges and the roots are those of the functions": (
        "SELECT (SELECT TOTAL(calls) FROM call_edges) + (SELECT TOTAL(calls) "
        "FROM call_paths WHERE parent_path_id IS NULL)",
        "SELECT TOTAL(calls) FROM functions"),
    "self times of the functions are those of their paths": (
        "SELECT TOTAL(self_ns) FROM functions", "SELECT TOTAL(self_ns) FROM call_paths"),
    "allocations of the run are those of the sites": (
        "SELECT alloc_count FROM runs", "SELECT TOTAL(alloc_count) FROM allocation_sites"),
    "allocations of the run are those of the paths": (
        "SELECT alloc_count FROM runs", "SELECT TOTAL(alloc_count) FROM call_paths"),
    "allocations of the run are those of the functions": (
        "SELECT alloc_count FROM runs", "SELECT TOTAL(alloc_count) FROM functions"),
    "bytes of the run are those of the sites": (
        "SELECT alloc_bytes FROM runs", "SELECT TOTAL(alloc_bytes) FROM allocation_sites"),
    "live bytes at exit are those of the sites": (
        "SELECT live_bytes_at_exit FROM runs",
        "SELECT TOTAL(live_bytes) FROM allocation_sites"),
    "live bytes of the sites are those of the paths": (
        "SELECT TOTAL(live_bytes) FROM allocation_sites",
        "SELECT TOTAL(live_bytes) FROM call_paths"),
    "the sites' shares of the peak add up to it": (
        "SELECT peak_bytes FROM runs", "SELECT TOTAL(at_peak_bytes) FROM allocation_sites"),
    "the paths' shares of the peak add up to it": (
        "SELECT peak_bytes FROM runs", "SELECT TOTAL(peak_bytes) FROM call_paths"),
}

# Queries that must return no row.
NOWHERE = {
    "a frame of the recorder's own is on a path":
        "SELECT p.path_id FROM call_paths p JOIN functions f USING (run_id, function_id) "
        "WHERE p.kind = 'frame' AND f.module LIKE '%/libprofshim.so'",
    "a path can be longer by itself than with all that it calls":
        "SELECT path_id FROM call_paths WHERE self_error_ns > "
        "MAX(self_ns, total_ns + total_error_ns - self_ns)",
    "a path can be longer than the one that called it":
        "SELECT c.path_id FROM call_paths c JOIN call_paths p ON "
        "p.path_id = c.parent_path_id WHERE c.total_error_ns > "
        "MAX(c.total_ns, p.total_ns + p.total_error_ns - c.total_ns)",
    "a function can be longer by itself than with all that it calls":
        "SELECT function_id FROM functions WHERE self_error_ns > "
        "MAX(self_ns, total_ns + total_error_ns - self_ns)",
    "an edge is not computing, ready and blocked, or more so than what is called":
        "SELECT e.caller, e.callee FROM call_edges e JOIN functions f ON f.function_id = "
        "e.callee_id WHERE e.cpu_ns + e.ready_ns + e.blocked_ns <> e.total_ns OR e.cpu_ns < 0 "
        "OR e.total_ns > f.total_ns OR e.ready_ns > f.ready_ns OR e.blocked_ns > f.blocked_ns",
    "a snapshot does not have what its sites have":
        "SELECT n.number FROM snapshots n LEFT JOIN (SELECT snapshot_id, "
        "SUM(live_count) AS a, SUM(live_bytes) AS b, SUM(alloc_count) AS c, "
        "SUM(alloc_bytes) AS d FROM snapshot_sites GROUP BY 1) s USING (snapshot_id) "
        "WHERE (n.live_count, n.live_bytes, n.alloc_count, n.alloc_bytes) <> "
        "(IFNULL(s.a, 0), IFNULL(s.b, 0), IFNULL(s.c, 0), IFNULL(s.d, 0))",
    "a site has allocated or freed less than at the snapshot before":
        "SELECT a.site_id FROM snapshot_site a JOIN snapshot_site b ON "
        "b.process_id = a.process_id AND b.site_id = a.site_id AND "
        "b.snapshot_id = a.until_id WHERE b.alloc_count < a.alloc_count OR "
        "b.alloc_bytes < a.alloc_bytes OR "
        "b.alloc_count - b.live_count < a.alloc_count - a.live_count OR "
        "b.alloc_bytes - b.live_bytes < a.alloc_bytes - a.live_bytes",
    "a path has less calls or time than at the snapshot before":
        "SELECT a.path_id FROM snapshot_path a JOIN snapshot_path b ON "
        "b.process_id = a.process_id AND b.path_id = a.path_id AND "
        "b.snapshot_id = a.until_id WHERE b.calls < a.calls OR "
        "b.total_ns < a.total_ns OR b.self_ns < a.self_ns",
    "a path has been ready and blocked for less time than at the snapshot before":
        "SELECT a.path_id FROM snapshot_path a JOIN snapshot_path b ON "
        "b.process_id = a.process_id AND b.path_id = a.path_id AND "
        "b.snapshot_id = a.until_id WHERE b.ready_ns < a.ready_ns OR "
        "b.blocked_ns < a.blocked_ns OR b.self_ready_ns < a.self_ready_ns OR "
        "b.self_blocked_ns < a.self_blocked_ns",
    "a path at a snapshot is not computing, ready and blocked":
        "SELECT path_id FROM snapshot_path WHERE cpu_ns + ready_ns + blocked_ns <> total_ns OR "
        "self_cpu_ns + self_ready_ns + self_blocked_ns <> self_ns OR MIN(cpu_ns, ready_ns, "
        "blocked_ns, self_cpu_ns, self_ready_ns, self_blocked_ns) < 0",
    "a path was ready or blocked for longer at a snapshot than in the end":
        "SELECT s.path_id FROM snapshot_paths s JOIN call_paths p USING (path_id) WHERE "
        "s.ready_ns > p.ready_ns OR s.blocked_ns > p.blocked_ns OR "
        "s.self_ready_ns > p.self_ready_ns OR s.self_blocked_ns > p.self_blocked_ns",
    "a path of a thread is not computing, ready and blocked":
        "SELECT path_id FROM path_lane WHERE cpu_ns + ready_ns + blocked_ns <> total_ns OR "
        "self_cpu_ns + self_ready_ns + self_blocked_ns <> self_ns",
    "a step is not computing, ready and blocked":
        "SELECT name, step_index FROM steps WHERE cpu_ns + ready_ns + blocked_ns <> duration_ns "
        "OR MIN(cpu_ns, ready_ns, blocked_ns) < 0",
    "steps of a name are not computing, ready and blocked":
        "SELECT name FROM step_totals WHERE ABS(cpu_ns + ready_ns + blocked_ns - total_ns) > 1 "
        "OR MIN(cpu_ns, ready_ns, blocked_ns) < 0",
    "paths of steps waited for longer than these did":
        "SELECT w.name, w.rank FROM step_waits w JOIN step_totals s USING (series_id) WHERE "
        "w.rank = 0 GROUP BY w.series_id HAVING SUM(w.blocked_ns) > s.blocked_ns + 64",
    "a thread is not computing, ready and blocked":
        "SELECT tid FROM threads WHERE cpu_ns + ready_ns + blocked_ns <> wall_ns",
    # What a switch of less than a millisecond at the end of a thread was is not asked; and
    # threads go on when the first one has said that it exits, until it does.
    "the paths of a lane were without a CPU for longer than its threads":
        "SELECT p.lane_id, p.off_ns, t.off_ns FROM (SELECT lane_id, SUM(self_ready_ns + "
        "self_blocked_ns) AS off_ns FROM path_lane GROUP BY 1) p JOIN (SELECT lane_id, "
        "SUM(ready_ns + blocked_ns) AS off_ns, COUNT(*) AS threads, COUNT(cpu_ns) AS known "
        "FROM threads GROUP BY 1) t USING (lane_id) WHERE t.known = t.threads AND "
        "p.off_ns > t.off_ns * 1.01 + 1000000 * t.threads AND NOT EXISTS (SELECT 1 FROM "
        "threads u JOIN processes q USING (process_id) WHERE u.lane_id = p.lane_id AND "
        "u.tid <> q.pid AND u.started_ns + u.wall_ns + 1000 > q.started_ns + q.wall_ns)",
    "more old blocks were freed after a snapshot than there were":
        "SELECT f.site_id FROM (SELECT process_id, site_id, freed_id, "
        "SUM(free_count) AS c, SUM(free_bytes) AS b FROM snapshot_free "
        "GROUP BY 1, 2, 3) f LEFT JOIN snapshot_site n ON "
        "n.process_id = f.process_id AND n.site_id = f.site_id AND "
        "n.snapshot_id <= f.freed_id AND n.until_id > f.freed_id "
        "WHERE f.c > IFNULL(n.live_count, 0) OR f.b > IFNULL(n.live_bytes, 0)",
    "more blocks of an interval between snapshots were freed later than were born":
        "SELECT f.site_id FROM (SELECT process_id, site_id, born_id, "
        "SUM(free_count) AS c FROM snapshot_free WHERE born_id > 0 GROUP BY 1, 2, 3) f "
        "LEFT JOIN snapshot_site a ON a.process_id = f.process_id AND "
        "a.site_id = f.site_id AND a.snapshot_id <= f.born_id AND a.until_id > f.born_id "
        "JOIN snapshot_site b ON b.process_id = f.process_id AND "
        "b.site_id = f.site_id AND b.snapshot_id <= f.born_id + 1 AND "
        "b.until_id > f.born_id + 1 WHERE f.c > b.alloc_count - IFNULL(a.alloc_count, 0)",
    "a site has freed or holds what it never allocated":
        "SELECT name FROM allocation_sites WHERE alloc_count <> free_count + live_count "
        "OR alloc_bytes <> free_bytes + live_bytes OR peak_bytes < live_bytes "
        "OR peak_bytes < at_peak_bytes",
    "a function's calls are not those of its own paths":
        "SELECT f.name FROM functions f LEFT JOIN (SELECT function_id, SUM(calls) AS calls "
        "FROM call_paths GROUP BY function_id) p USING (function_id) "
        "WHERE f.calls <> IFNULL(p.calls, 0)",
    "a function has less total than self time":
        "SELECT name FROM functions WHERE total_ns < self_ns OR self_ns < 0",
    "a path's total is not its self time and the totals of its children":
        "SELECT p.name FROM call_paths p LEFT JOIN (SELECT parent_path_id, SUM(total_ns) "
        "AS total_ns FROM call_paths GROUP BY parent_path_id) c "
        "ON c.parent_path_id = p.path_id "
        "WHERE p.total_ns <> p.self_ns + IFNULL(c.total_ns, 0)",
    "a path is not one deeper than its parent":
        "SELECT c.name FROM call_paths c LEFT JOIN call_paths p "
        "ON p.path_id = c.parent_path_id WHERE c.depth <> IFNULL(p.depth, 0) + 1",
    "percentiles are out of order":
        "SELECT name FROM functions WHERE NOT (p50_ns <= p90_ns AND p90_ns <= p95_ns "
        "AND p95_ns <= p99_ns AND p99_ns <= max_ns AND min_ns <= p50_ns)",
    "a function took longer than all threads together":
        "SELECT name, total_ns FROM functions f, runs r WHERE f.total_ns > r.wall_ns * 1.01 "
        "* (SELECT COUNT(*) FROM threads t WHERE t.run_id = r.run_id) + 1000000",
    "a frame without hooks has calls, or time that nobody sampled":
        "SELECT name FROM call_paths WHERE kind = 'frame' AND (calls <> 0 OR (self_ns <> 0 "
        "AND NOT EXISTS (SELECT 1 FROM samples)))",
    "a process lasted longer than the run":
        "SELECT pid FROM processes p, runs r WHERE p.started_ns < 0 "
        "OR p.started_ns + p.wall_ns > r.wall_ns * 1.01 + 1000000",
}


def broken(database, tolerated):
    """Sentences; tolerated holds names of trust counters, or "memory" when several
    processes make the sums over live blocks and peaks differ."""
    for name in ZERO_IN_TRUST:
        if name in tolerated:
            continue
        count = harness.value(database, "SELECT TOTAL(value) FROM trust "
                              f"WHERE name = '{name}'")
        if count:
            yield f"trust: {name} is {count:.0f}, not 0"
    for sentence, (left, right) in EQUAL_SUMS.items():
        if "memory" in tolerated and ("live" in sentence or "peak" in sentence):
            continue
        values = harness.value(database, left), harness.value(database, right)
        if values[0] != values[1]:
            yield f"not true that {sentence}: {values[0]} and {values[1]}"
    for sentence, sql in NOWHERE.items():
        rows = harness.query(database, sql)
        if rows:
            yield f"{sentence}: {rows[:5]}"
    check = harness.value(database, "PRAGMA integrity_check")
    if check != "ok":
        yield f"the database is damaged: {check}"
