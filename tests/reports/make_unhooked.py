# SPDX-License-Identifier: MIT
"""A program without hooks, of which the collector took samples: functions that it has
inlined, a library without names, code that it made as it ran."""
from make_db import MS, Run, begin, insert, sums, trust

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
    begin(db, run_id, command, 640 * MS, label=label, executable=APP, level="full",
          inner_cost_ns=0, outer_cost_ns=0)
    for name, outer, module, file, line, count in SAMPLES:
        insert(db, "sample", run_id=run_id, path_id=None, kind=0, name=name, outer_name=outer,
               module=module, file=file, line=line, count=count, cpu_ns=count * MS * 6 // 10,
               is_plain=1)
    for kind, count in ((1, 12), (3, 2)):
        insert(db, "sample", run_id=run_id, path_id=None, kind=kind, count=count,
               cpu_ns=count * MS * 6 // 10, is_plain=1)
    count = sum(row[-1] for row in SAMPLES) + 14
    trust(db, run_id, None, samples=count, outside_samples=count)


# name, calls, samples of the build with hooks: parse is slower there, is_space a call
HOOKED = [("parse", 12_000, 930), ("is_space", 3_200_000, 900), ("main", 1, 2), ("report", 3, 4)]


def hooked_run(db, run_id):
    """What was inlined in the plain build is called here."""
    begin(db, run_id, "./app --size 10", 1_500 * MS, (1, "app"), second=1, level="full",
          token=f"hooked{run_id}")
    run = Run(db, run_id, 0)
    functions = {name: run.function(name, file="/home/user/src/app.cc", line=7)
                 for name, _, _ in HOOKED}
    root = run.path(None, functions["main"], 1, 10 * MS)
    for name, calls, count in HOOKED:
        if name != "main":
            run.path(root, functions[name], calls, count * MS * 6 // 10)
        insert(db, "sample", run_id=run_id, path_id=root, kind=0, name=name, outer_name=name,
               module="/home/user/app", file="/home/user/src/app.cc", line=7, count=count,
               cpu_ns=count * MS * 6 // 10)
    trust(db, run_id, run_id, hook_calls=run.store(), samples=1836)
    sums(db, run_id)


def make(db, kind):
    plain_run(db, 1)
    if kind == "builds":
        hooked_run(db, 2)
        plain_run(db, 3)
        db.execute("UPDATE run SET plain_of = 'hooked2' WHERE run_id IN (1, 3)")
        # samples saw three parts of four of what its thread computed
        for number in (1, 3):
            insert(db, "lane", lane_id=number, run_id=number, process_id=number)
            insert(db, "thread", thread_id=number, run_id=number, process_id=number,
                   lane_id=number, cpu_ns=801_600_000)
