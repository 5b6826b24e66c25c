# SPDX-License-Identifier: MIT
"""A run of three threads whose critical path is known: main prepares, a reader and a packer
go on, and main joins both. The packer waits for the reader once and once until its time is
over; the reader waits for a lock that the packer has. Run 2 had more waits than are kept."""
from make_db import MS, Run, begin, insert, sums, trust

WAIT, IO = 3, 4
SPLIT = "self_cpu_ns", "self_ready_ns", "self_blocked_ns"


def paths_of(run, lanes):
    """The paths by name, and what each lane was on: (lane, path, computing, ready, asleep)."""
    names = ("main", "prepare", "pthread_join", "read_items", "fread", "pthread_mutex_lock",
             "pack_items", "pack", "pthread_cond_timedwait")
    functions = {name: run.function(name, file="/home/user/src/pack.c", line=10 * number + 4)
                 for number, name in enumerate(names)}
    shape = {"main": (None, 0, 0, 20, 0, 0), "prepare": ("main", 0, 0, 70, 10, 0),
             "pthread_join": ("main", WAIT, 0, 0, 0, 890), "read_items": (None, 0, 1, 150, 0, 0),
             "fread": ("read_items", IO, 1, 1, 0, 249),
             "pthread_mutex_lock": ("read_items", WAIT, 1, 0, 0, 200),
             "pack_items": (None, 0, 2, 5, 0, 0), "pack": ("pack_items", 0, 2, 600, 30, 0),
             "pthread_cond_timedwait": ("pack_items", WAIT, 2, 0, 0, 250)}
    paths = {}
    for name, (parent, kind, lane, *split) in shape.items():
        self_ns = sum(split) * MS
        paths[name] = run.path(paths.get(parent), functions[name], 2, self_ns, kind=kind,
                               lanes={lanes[lane]: (2, self_ns, self_ns, 0, 0)})
    return paths, {paths[name]: values[3:] for name, values in shape.items()}


def one_run(db, run_id, first_id):
    lanes = [10 * run_id + number for number in range(3)]
    begin(db, run_id, "./pack", 1_000 * MS, pid=500, label=f"critical {run_id}", executable=None)
    for lane, tid, name, start, wall, cpu in ((0, 500, "pack", 0, 1_000, 90),
                                              (1, 501, "reader", 100, 600, 151),
                                              (2, 502, "packer", 101, 889, 605)):
        insert(db, "lane", lane_id=lanes[lane], run_id=run_id, process_id=run_id)
        insert(db, "thread", thread_id=lanes[lane], run_id=run_id, process_id=run_id,
               lane_id=lanes[lane], tid=tid, name=name, started_ns=start * MS,
               wall_ns=wall * MS, cpu_ns=cpu * MS)
    run = Run(db, run_id, first_id)
    paths, splits = paths_of(run, lanes)
    trust(db, run_id, run_id, hook_calls=run.store())
    trust(db, run_id, None, switches_by_rseq=1)
    sums(db, run_id)
    for path, split in splits.items():
        for table in ("path", "path_lane"):
            db.execute(f"UPDATE {table} SET " + ", ".join(f"{name} = ?" for name in SPLIT) +
                       " WHERE path_id = ?", [value * MS for value in split] + [path])
    for number, (lane, since, end, kind, waiter, holder_lane, holder) in enumerate((
            (0, 102, 701, "thread", "main", 1, "read_items"),
            (0, 701, 991, "thread", "main", 2, "pack_items"),
            (1, 300, 500, "mutex", "read_items", 2, "pack"),
            (2, 120, 170, "condition", "pack_items", 1, "read_items"),
            (2, 600, 800, "condition", "pack_items", None, None))):
        insert(db, "stall", run_id=run_id, process_id=run_id, lane_id=lanes[lane],
               started_ns=since * MS, wait_ns=(end - since) * MS, kind=kind,
               lock_id=number + 1, waiter_path_id=paths[waiter],
               holder_lane_id=None if holder_lane is None else lanes[holder_lane],
               holder_path_id=paths.get(holder))


def make(db):
    one_run(db, 1, 100)
    one_run(db, 2, 200)
    insert(db, "stall_window", run_id=2, first_ns=-2.5 * MS, window_ns=1 * MS,
           period_ns=8 * MS)
