# SPDX-License-Identifier: MIT
"""A program without hooks, of which the collector took samples: functions that it has
inlined, a library without names, code that it made as it ran."""
from make_db import MS, insert, trust

APP, LIBC = "/home/user/app-plain", "/usr/lib/x86_64-linux-gnu/libc.so.6"

# name, outer_name, module, file, line, samples
SAMPLES = [("parse", "parse", APP, "/home/user/src/parser.cc", 44, 610),
           ("parse", "parse", APP, "/home/user/src/parser.cc", 47, 52),
           ("is_space", "parse", APP, "/home/user/src/chars.h", 9, 201),
           ("is_space", "main", APP, "/home/user/src/chars.h", 9, 3),
           ("main", "main", APP, "/home/user/src/main.cc", 20, 1),
           ("[in libc.so.6]", "[in libc.so.6]", LIBC, None, None, 90),
           ("memchr", "memchr", LIBC, None, None, 31)]


def plain_run(db, run_id, command="./app-plain --size 10", label=None):
    insert(db, "run", run_id=run_id, token=f"unhooked{run_id}", label=label, command=command,
           cwd="/home/user", host="build-host", cpu_count=2, complete=1, exit_code=0,
           wall_ns=640 * MS, started_utc="2026-03-01T12:00:00.000Z", level="full",
           inner_cost_ns=0, outer_cost_ns=0)
    insert(db, "process", process_id=run_id, run_id=run_id, pid=run_id, executable=APP,
           command=command, complete=1, exit_code=0, started_ns=0, wall_ns=640 * MS)
    for name, outer, module, file, line, count in SAMPLES:
        insert(db, "sample", run_id=run_id, path_id=None, kind=0, name=name, outer_name=outer,
               module=module, file=file, line=line, count=count, cpu_ns=count * MS * 6 // 10,
               is_plain=1)
    for kind, count in ((1, 12), (3, 2)):
        insert(db, "sample", run_id=run_id, path_id=None, kind=kind, count=count,
               cpu_ns=count * MS * 6 // 10, is_plain=1)
    count = sum(row[-1] for row in SAMPLES) + 14
    trust(db, run_id, None, samples=count, outside_samples=count)


def make(db):
    plain_run(db, 1)
