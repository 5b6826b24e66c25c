# SPDX-License-Identifier: MIT
"""The run of make_critical.py with its slow calls, steps and a snapshot; the packer's shorter
calls are not all there, and one of main's was open. Run 2 kept no calls."""
import make_critical
from make_db import MS, insert, trust

# lane, kind, path or name, from, to, computing, ready (ms); the rest was blocked
SPANS = (
    (0, 4, "main", 0, 1000, None, None), (0, 1, "prepare", 5, 90, 75, 10),
    (0, 1, "pthread_join", 101, 701, 0, 0), (0, 1, "pthread_join", 701, 991, 0, 0),
    (0, 3, "phase", 0, 95, 75, 10), (0, 3, "phase", 95, 991, 10, 0),
    (1, 1, "read_items", 100, 700, 150, 1), (1, 1, "fread", 110, 290, 1, 0),
    (1, 1, "pthread_mutex_lock", 300, 500, 0, 0), (1, 1, "fread", 510, 580, 0, 1),
    (2, 1, "pack_items", 101, 990, 605, 30), (2, 1, "pack", 175, 600, 405, 20),
    (2, 2, "pack", 801, 985, 174, 10),
)


def make(db):
    make_critical.make(db)
    paths = dict(db.execute("SELECT f.name, p.path_id FROM path p JOIN function f "
                            "USING (function_id) WHERE p.run_id = 1"))
    for lane, kind, name, begin, end, cpu, ready in SPANS:
        length = (end - begin) * MS
        split = None if cpu is None else (cpu * MS, ready * MS, length - (cpu + ready) * MS)
        insert(db, "span", run_id=1, process_id=1, lane_id=10 + lane, thread_id=10 + lane,
               kind=kind, name=name if kind == 3 else None,
               path_id=paths.get(name, paths["main"]), started_ns=begin * MS,
               duration_ns=length, call_ns=length,
               cpu_ns=split and split[0], ready_ns=split and split[1],
               blocked_ns=split and split[2])
    insert(db, "snapshot", snapshot_id=1, run_id=1, process_id=1, number=1, label="loaded",
           taken_by="call", time_ns=95 * MS, live_count=1, live_bytes=1, alloc_count=1,
           alloc_bytes=1)
    trust(db, 1, None, span_floor_ns=10_000, spans_complete_ns=40 * MS, thinned_spans=1_234)
