# SPDX-License-Identifier: MIT
"""A program built twice: run 1 'called' with -fno-inline, run 2 'inlined' with copies.

tiny is inlined into work 5,000,000 times and called by others 200,000 times; check is
inlined into tiny there; grow, inlined into work, allocates; fib is inlined into itself. A
second thread does a little of the same. leaf is called 10,000,000 times in both runs.
"""
from make_db import MS, Run, begin, computes, insert, sums, trust

WALL = 650 * MS


def add_paths(run, inlined):
    names = ["main", "work", "tiny", "check", "slow", "grow", "fib", "leaf", "other"]
    main, work, tiny, check, slow, grow, fib, leaf, other = (
        run.function(name, module_id=run.run_id, file="/home/user/src/%s.c" % name, line=7)
        for name in names)

    def lanes(calls, total, self_ns, first=1):
        return {2 * run.run_id - first: (calls, total, self_ns, 0, 0)}

    root = run.path(None, main, 1, 10 * MS, lanes=lanes(1, 592 * MS, 10 * MS))
    middle = run.path(root, work, 1000, 100 * MS, lanes=lanes(1000, 540 * MS, 100 * MS))
    copy = run.path(middle, tiny, 5_000_000, 200 * MS, inlined=inlined,
                    lanes=lanes(5_000_000, 280 * MS, 200 * MS))
    inner = run.path(copy, check, 5_000_000, 50 * MS, inlined=inlined,
                     lanes=lanes(5_000_000, 80 * MS, 50 * MS))
    deep = run.path(inner, slow, 10, 30 * MS, lanes=lanes(10, 30 * MS, 30 * MS))
    near = run.path(middle, slow, 5, 15 * MS, lanes=lanes(5, 15 * MS, 15 * MS))
    vector = run.path(middle, grow, 1000, 5 * MS, inlined=inlined,
                      lanes=lanes(1000, 5 * MS, 5 * MS))
    run.path(middle, leaf, 10_000_000, 140 * MS,
             lanes=lanes(10_000_000, 140 * MS, 140 * MS))
    run.path(root, tiny, 200_000, 8 * MS, lanes=lanes(200_000, 8 * MS, 8 * MS))
    level = run.path(root, fib, 100, 8 * MS, lanes=lanes(100, 34 * MS, 8 * MS))
    level = run.path(level, fib, 400, 16 * MS, inlined=inlined,
                     lanes=lanes(400, 26 * MS, 16 * MS))
    run.path(level, fib, 200, 10 * MS, lanes=lanes(200, 10 * MS, 10 * MS))
    thread = run.path(None, other, 1, 4 * MS, lanes=lanes(1, 6 * MS, 4 * MS, 0))
    run.path(thread, check, 100_000, 2 * MS, inlined=inlined,
             lanes=lanes(100_000, 2 * MS, 2 * MS, 0))
    run.site(vector, "/home/user/src/grow.c", 9, 1000, 64, live=10, at_peak=10)
    run.site(deep, "/home/user/src/slow.c", 11, 10, 1024, live=10, at_peak=10)
    run.site(near, "/home/user/src/slow.c", 11, 5, 1024, live=5, at_peak=5)


def add_half(db, run):
    """A snapshot when half of it all was done."""
    insert(db, "snapshot", snapshot_id=1, run_id=run.run_id, process_id=run.run_id, number=1,
           label="half", taken_by="call", time_ns=WALL // 2, live_count=0, live_bytes=0,
           alloc_count=0, alloc_bytes=0)
    total = run.totals()[0]
    for path, values in run.paths.items():
        insert(db, "snapshot_path", process_id=run.run_id, path_id=path, snapshot_id=1,
               until_id=2 ** 63 - 1, calls=values["calls"] // 2, total_ns=total[path] // 2,
               self_ns=values["self_ns"] // 2)


def add_run(db, run_id, label, inlined):
    begin(db, run_id, "./app", WALL, pid=4000, label=label, cpu_model="Some CPU", clock="tsc",
          inner_cost_ns=8.5, outer_cost_ns=17.5)
    for lane, name in ((2 * run_id - 1, "app"), (2 * run_id, "other")):
        insert(db, "lane", lane_id=lane, run_id=run_id, process_id=run_id)
        insert(db, "thread", thread_id=lane, run_id=run_id, process_id=run_id, lane_id=lane,
               tid=4000 + lane, name=name, started_ns=0, wall_ns=WALL)
    insert(db, "module", module_id=run_id, run_id=run_id, path="/home/user/app",
           symbols="debug")
    run = Run(db, run_id, 1000 * run_id)
    add_paths(run, inlined)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)
    return run


def make(db):
    add_run(db, 1, "called", False)
    add_half(db, add_run(db, 2, "inlined", True))
    computes(db, WALL)
    db.execute("UPDATE resource SET run_id = 2, process_id = 2")
