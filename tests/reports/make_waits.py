# SPDX-License-Identifier: MIT
"""A recording of two threads that compute, wait for a CPU, and sleep; with steps."""
from make_db import MS, Run, begin, insert, sums, trust
from make_marks import series

WALL = 1_000 * MS


def make(db):
    begin(db, 1, "./server", WALL, pid=50, label="waits", executable=None, inner_cost_ns=10,
          outer_cost_ns=10)
    for number, name, ready, blocked in ((1, "server", 60, 580), (2, "worker", 100, 0)):
        insert(db, "lane", lane_id=number, run_id=1, process_id=1)
        insert(db, "thread", thread_id=number, run_id=1, process_id=1, lane_id=number,
               tid=49 + number, name=name, started_ns=0, wall_ns=WALL,
               cpu_ns=WALL - (ready + blocked) * MS, ready_ns=ready * MS,
               blocked_ns=blocked * MS)
    run = Run(db, 1, 0)
    main, answer, fetch, work = (run.function(name, file=f"/home/user/src/{name}.c", line=9)
                                 for name in ("main", "answer", "fetch", "work"))
    nap, read, send = (run.function(name) for name in ("nanosleep", "read", "write"))
    root = run.path(None, main, 1, 60 * MS, lanes={1: (1, WALL, 60 * MS, 0, 0)})
    steps = run.path(root, answer, 100, 340 * MS, lanes={1: (100, 940 * MS, 340 * MS, 0, 0)})
    inner = run.path(steps, fetch, 100, 20 * MS, lanes={1: (100, 600 * MS, 20 * MS, 0, 0)})
    ready, blocked, paths = {steps: 50}, {}, []
    for caller, function, kind, calls, slept in ((inner, nap, 3, 100, 400),
                                                 (inner, read, 4, 20, 170),
                                                 (steps, send, 4, 100, 0)):
        ns = (slept + 10 if slept else 0) * MS
        path = run.path(caller, function, calls, ns, kind=kind,
                        lanes={1: (calls, ns, ns, 0, 0)})
        paths.append(path)
        ready[path], blocked[path] = 10 if slept else 0, slept
    other = run.path(None, work, 1, WALL, lanes={2: (1, WALL, WALL, 0, 0)})
    ready[other] = 100
    trust(db, 1, 1, hook_calls=run.store(), switches_by_rseq=3, switches_by_perf=1)
    for path in run.paths:
        own = {"r": ready.get(path, 0) * MS, "b": blocked.get(path, 0) * MS, "path": path}
        for table in ("path", "path_lane"):
            db.execute(f"UPDATE {table} SET self_ready_ns = :r, self_blocked_ns = :b "
                       "WHERE path_id = :path", own)
        for above in run.chain(path):
            for table in ("path", "path_lane"):
                db.execute(f"UPDATE {table} SET ready_ns = ready_ns + :r, blocked_ns = "
                           "blocked_ns + :b WHERE path_id = :path", {**own, "path": above})
    db.execute("""UPDATE function AS f SET (self_ready_ns, self_blocked_ns, ready_ns,
               blocked_ns) = (SELECT SUM(self_ready_ns), SUM(self_blocked_ns), SUM(ready_ns),
               SUM(blocked_ns) FROM path p WHERE p.function_id = f.function_id)""")
    db.execute("""UPDATE edge AS e SET (ready_ns, blocked_ns) = (SELECT SUM(c.ready_ns),
               SUM(c.blocked_ns) FROM path c JOIN path p ON p.path_id = c.parent_path_id
               WHERE p.function_id = e.caller_id AND c.function_id = e.callee_id)""")
    for table, prefix in (("path", "self_"), ("path", ""), ("path_lane", "self_"),
                          ("path_lane", ""), ("function", "self_"), ("function", ""),
                          ("edge", "")):
        whole = prefix or "total_"
        db.execute(f"UPDATE {table} SET {prefix}cpu_ns = {whole}ns - {prefix}ready_ns - "
                   f"{prefix}blocked_ns")
    for number, (label, time) in enumerate((("warm", 250), ("late", 750)), 1):
        insert(db, "snapshot", snapshot_id=number, run_id=1, process_id=1, number=number,
               label=label, taken_by="call", time_ns=time * MS, live_count=0, live_bytes=0,
               alloc_count=0, alloc_bytes=0)
        db.execute("INSERT INTO snapshot_path SELECT 1, path_id, ?, ?, calls * ? / 1000, 0, "
                   + ", ".join(f"{prefix}{name}_ns * ? / 1000" for prefix, name in (
                       ("", "total"), ("", "self"), ("", "cpu"), ("", "ready"),
                       ("", "blocked"), ("self_", "cpu"), ("self_", "ready"),
                       ("self_", "blocked"))) + " FROM path", [number, number + 1] + 9 * [time])
    for number, process_id in enumerate((1, None), 1):
        series(db, number, process_id, 1, "request", [9 * MS] * 100,
               [(60 + 9 * (i + 1)) * MS for i in range(100)], [1000] * 100)
    db.execute("UPDATE series SET (cpu_ns, ready_ns, blocked_ns) = (270000000, 60000000, "
               "570000000) WHERE kind = 1")
    for table, column in (("series_extreme", "value"), ("step", "duration_ns")):
        db.execute(f"UPDATE {table} SET (cpu_ns, ready_ns, blocked_ns) = ({column} - 6000000, "
                   "1000000, 5000000)")
    for number in (1, 2):
        for rank, wait in ((0, 400), (1, 4), (2, 4)):
            for path, part in ((paths[0], 1), (paths[1], 0.4)):
                insert(db, "series_wait", series_id=number, rank=rank, path_id=path,
                       ready_ns=0, blocked_ns=int(wait * part * MS))
    for time in range(100, 1001, 100):
        insert(db, "resource", run_id=1, process_id=1, time_ns=time * MS, cpu_percent=120,
               rss_bytes=1 << 20, minor_faults=0, major_faults=0, thread_count=2,
               cpu_wait_ns=160_000 * time)
    sums(db, 1)
