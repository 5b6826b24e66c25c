# SPDX-License-Identifier: MIT
"""A run that reads and writes: a log that is synced after each line, a table that is read
at random, a connection, pipes with names that are not the same twice."""
from make_db import MS, Run, begin, insert, sums, trust

FILE, DEVICE, PIPE, SOCKET, PATHS = 1, 2, 3, 4, 6
TARGETS = [(0, "[not known]"), (FILE, "/var/lib/store/2026-03-01/journal.log"),
           (FILE, "/var/lib/store/table"), (SOCKET, "tcp :6379 from 127.0.0.1"),
           (PIPE, "pipe:[4711]"), (PATHS, "[paths]"), (DEVICE, "/dev/pts/0")]

# function that calls: call, target, calls, bytes, ms, small, sequential, failed, largest
CALLS = [("append", "write", 1, 2000, 128_000, 6, 2000, 2000, 0, 64),
         ("append", "fsync", 1, 2000, 0, 900, 0, 0, 0, 0),
         ("lookup", "pread", 2, 50_000, 50_000 * 4096, 250, 0, 311, 0, 4096),
         ("lookup", "open", 2, 1, 0, 1, 0, 0, 0, 0),
         ("lookup", "open", 5, 12, 0, 1, 0, 0, 12, 0),
         ("serve", "recv", 3, 40_000, 1_200_000, 300, 39_990, 39_990, 10, 512),
         ("serve", "send", 3, 39_990, 4_400_000, 80, 39_990, 39_990, 0, 2_000),
         ("serve", "close", 0, 1, 0, 0, 0, 0, 1, 0),
         ("main", "read", 4, 3, 12, 500, 3, 3, 0, 4),
         ("main", "write", 6, 9, 700, 1, 9, 9, 0, 100)]


def make(db):
    begin(db, 1, "./store", 2_500 * MS, (1, "store"), label="io", executable="/home/user/store")
    for number, (kind, name) in enumerate(TARGETS):
        insert(db, "target", run_id=1, target_id=number, kind=kind, name=name)
    run = Run(db, 1, 0)
    functions = {name: run.function(name) for name in ("main", "append", "lookup", "serve")}
    paths = {"main": run.path(None, functions["main"], 1, 10 * MS)}
    for name in ("append", "lookup", "serve"):
        paths[name] = run.path(paths["main"], functions[name], 2000, 5 * MS)
    for caller, call, target, calls, moved, ms, small, sequential, failed, largest in CALLS:
        if (caller, call) not in paths:
            function = functions.setdefault(call, None) or run.function(call)
            functions[call] = function
            paths[caller, call] = run.path(paths[caller], function, calls, ms * MS, kind=4)
        else:
            run.paths[paths[caller, call]]["calls"] += calls
            run.paths[paths[caller, call]]["self_ns"] += ms * MS
        insert(db, "transfer", run_id=1, process_id=1, path_id=paths[caller, call],
               target_id=target, calls=calls, bytes=moved, total_ns=ms * MS,
               small_calls=small, sequential_calls=sequential, failed_calls=failed,
               largest_bytes=largest)
    trust(db, 1, 1, hook_calls=run.store(), lost_transfers=2,
          kernel_read_bytes=206_000_612, unseen_read_bytes=1_200_600,
          kernel_write_bytes=128_700, unseen_write_bytes=0, uncompared_processes=1)
    sums(db, 1)
