# SPDX-License-Identifier: MIT
"""Runs without labels, and jobs of a launcher: what compare takes for repetitions.

plain-before  six runs of one command and build
plain-after   six of the next build, eight times slower
plain-both    first those, then these
plain-mixed   three of plain-before, then one of another command, one of another build of
              the library, two more of plain-before
jobs-before   three jobs of eight ranks of one command; rank 7 has twice the work
jobs-after    the same, a fifth slower
jobs-lost     jobs-before less rank 3 of its second job
jobs-inside   one run: mpirun, which is recorded, and four ranks, rank 2 with a child
"""
from make_db import MS, Run, insert, sums, trust

NOISE = (0, 7, 3, 11, 5, 2)
RANKS = 8


def add_run(db, run_id, noise, command="./app input", build="aa", library="11", factor=1,
            **values):
    run = Run(db, run_id, 1000 * run_id)
    for number, (path, build_id) in enumerate((("/home/user/app", build),
                                               ("/home/user/libwork.so", library))):
        insert(db, "module", module_id=2 * run_id + number, run_id=run_id, path=path,
               build_id=build_id, symbols="debug")
    main = run.function("main", module_id=2 * run_id, file="/src/main.c", line=10)
    work = run.function("work", module_id=2 * run_id + 1, file="/src/work.c", line=5)
    root = run.path(None, main, 1, 1 * MS + noise)
    middle = run.path(root, work, 1000, int(factor * (40 * MS + noise * 40_000)))
    run.site(middle, "/src/work.c", 7, 1000, 64, at_peak=10)
    wall = int(factor * (50 * MS + noise * 50_000))
    insert(db, "run", run_id=run_id, token="%016x" % run_id, command=command,
           cwd="/home/user", host="build-host", cpu_count=2, cpu_model="Some CPU",
           kernel="6.1.0", level="exact", clock="tsc", exit_code=0, complete=1, wall_ns=wall,
           started_utc="2026-03-01T12:00:%02d.000Z" % run_id, shim_version="0.1.0",
           inner_cost_ns=8.5, outer_cost_ns=17.5, **values)
    insert(db, "process", process_id=run_id, run_id=run_id, pid=run_id, started_ns=0,
           executable="/home/user/app", build_id=build, command=command, wall_ns=wall,
           exit_code=0, complete=1, **{key: values[key] for key in ("job", "rank")
                                       if key in values})
    insert(db, "lane", lane_id=run_id, run_id=run_id, process_id=run_id)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)


def add_jobs(db, factor, build, lost=()):
    """The ranks of a job end in any order."""
    run_id = 0
    for job in range(3):
        for place in range(RANKS):
            rank = (place * 5 + job) % RANKS
            if (job, rank) in lost:
                continue
            run_id += 1
            add_run(db, run_id, NOISE[job] + rank % 3, build=build,
                    factor=factor * (2 if rank == 7 else 1), job="pmix:%d" % (4711 + job),
                    rank=rank, rank_count=RANKS)


def add_inside(db):
    insert(db, "run", run_id=1, token="inside", command="mpirun -n 4 ./app", cwd="/home/user",
           host="build-host", cpu_count=2, level="exact", clock="tsc", exit_code=0, complete=1,
           wall_ns=90 * MS, started_utc="2026-03-01T12:00:00.000Z", shim_version="0.1.0",
           inner_cost_ns=8.5, outer_cost_ns=17.5)
    insert(db, "module", module_id=1, run_id=1, path="/home/user/app", symbols="debug")
    for number, rank in enumerate((None, 0, 1, 2, 3, 2)):
        insert(db, "process", process_id=number + 1, run_id=1, pid=100 + number, started_ns=0,
               parent_process_id=None if rank is None else 1 if number < 5 else 4,
               executable="/usr/bin/mpirun" if rank is None else "/home/user/app",
               wall_ns=90 * MS if rank is None else (50 + number) * MS, exit_code=0,
               complete=1, job=None if rank is None else "pmi:1", rank=rank,
               alloc_count=10 * number, alloc_bytes=640 * number, peak_bytes=64 * number)
        insert(db, "lane", lane_id=number + 1, run_id=1, process_id=number + 1)
        insert(db, "resource", run_id=1, process_id=number + 1, time_ns=40 * MS,
               cpu_percent=50, cpu_wait_ns=number * MS)
    run = Run(db, 1, 100)
    main = run.function("main", module_id=1, file="/src/main.c", line=10)
    run.path(None, main, 5, 200 * MS, lanes={
        lane: (1, 40 * MS, 40 * MS, 0, 0) for lane in range(2, 7)})
    trust(db, 1, 1, hook_calls=run.store())
    sums(db, 1)


def make(db, kind):
    if kind == "jobs-inside":
        add_inside(db)
        return
    which, what = kind.split("-")
    if which == "jobs":
        add_jobs(db, 1.2 if what == "after" else 1, "bb" if what == "after" else "aa",
                 lost=[(1, 3)] if what == "lost" else ())
        insert(db, "run_tag", run_id=1, kind="tag", name="branch", value="main")
        return
    runs = {"before": 6 * [{}], "after": 6 * [{"build": "bb", "factor": 8}],
            "both": 6 * [{}] + 6 * [{"build": "bb", "factor": 8}],
            "mixed": 3 * [{}] + [{"command": "./other"}, {"library": "22"}] + 2 * [{}]}[what]
    for number, values in enumerate(runs):
        add_run(db, number + 1, NOISE[number % 6], **values)
