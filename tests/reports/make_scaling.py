# SPDX-License-Identifier: MIT
"""Sweeps of prof-record.

scaling          n = 1000 to 8000, each twice: functions of known laws; then a run at another
                 level, one of another build and one that was labelled
scaling-threads  threads = 1 to 8, each three times: a tenth of the work is serial
scaling-untimed  n = 1000 to 8000, twice: one function is only counted in the runs of 1000, whose
                 main() has its time; another in all runs
"""
import math

from make_db import MS, Run, insert, sums, trust

LAWS = {"start": (lambda n: 1, 3_000_000), "find_slot": (lambda n: n.bit_length(), 40_000),
        "append": (lambda n: n, 9_000), "compare_keys": (lambda n: int(n * math.log2(n)), 500),
        "remove_duplicates": (lambda n: n * (n - 1) // 400, 200)}
NOISE = (0, 12, -9, 5, -3, 8, -11, 2)


def add_run(db, run_id, parameters, wall_ns, laws, **values):
    run = Run(db, run_id, 1000 * run_id)
    insert(db, "module", module_id=run_id, run_id=run_id, path="/home/user/app", symbols="debug")
    untimed = values.pop("untimed", ())
    root = run.path(None, run.function("main", module_id=run_id, file="/src/main.c", line=9), 1,
                    MS // 10 + sum(laws[name][1] for name in untimed))
    for line, (name, (calls, self_ns)) in enumerate(laws.items(), 20):
        function = run.function(name, module_id=run_id, file="/src/app.c", line=line)
        path = run.path(root, function, calls, 0 if name in untimed else self_ns)
        if name in untimed:
            run.functions[function]["recording"] = "counted"
        if name == "append":
            run.site(path, "/src/app.c", line + 1, calls, 32, at_peak=calls)
    command = "./app " + " ".join(map(str, parameters.values()))
    build = values.pop("build", "aa")
    insert(db, "run", **{**dict(
        run_id=run_id, token="%016x" % run_id, command=command, cwd="/home/user",
        host="build-host", cpu_count=4, cpu_model="Some CPU", kernel="6.1.0", level="exact",
        clock="tsc", exit_code=0, complete=1, wall_ns=wall_ns, shim_version="0.1.0",
        started_utc="2026-03-01T12:00:%02d.000Z" % run_id, inner_cost_ns=8.5,
        outer_cost_ns=17.5), **values})
    insert(db, "process", process_id=run_id, run_id=run_id, pid=run_id, started_ns=0,
           executable="/home/user/app", build_id=build, command=command, wall_ns=wall_ns,
           exit_code=0, complete=1)
    insert(db, "lane", lane_id=run_id, run_id=run_id, process_id=run_id)
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)
    template = "./app " + " ".join("{%s}" % name for name in parameters)
    for kind, name, value in [("sweep", "command", template)] + [
            ("parameter", name, str(value)) for name, value in parameters.items()]:
        insert(db, "run_tag", run_id=run_id, kind=kind, name=name, value=value)


def make(db, kind):
    if kind == "scaling-threads":
        for number in range(12):
            threads = 1 << number % 4
            wall_ns = int((80 * MS + 720 * MS / threads) * (1 + NOISE[number % 8] / 2000))
            add_run(db, number + 1, {"threads": threads}, wall_ns,
                    {"work": (1000, 800 * MS + threads * MS)})
        return
    if kind == "scaling-untimed":
        for number in range(8):
            n = 1000 << number % 4
            add_run(db, number + 1, {"n": n}, n * n * 200, {
                "find": (n, n * n * 100), "compare": (2 * n, n * 900)},
                    untimed=("compare",) if number % 4 else ("compare", "find"))
        return
    for number in range(11):
        n = 1000 << number % 4
        other = max(0, number - 7)
        noise = 1 + NOISE[number % 8] / 1000
        laws = {name: (law(n), int(law(n) * ns * noise)) for name, (law, ns) in LAWS.items()}
        add_run(db, [1, 2, 3, 4, 8, 9, 10, 11, 5, 6, 7][number], {"n": n},
                sum(ns for _, ns in laws.values()) + MS, laws,
                **({}, {"level": "basic", "overhead_percent": 1}, {"build": "bb"},
                   {"label": "mine"})[other])
