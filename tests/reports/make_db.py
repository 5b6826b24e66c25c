#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Builds run.db files with known contents, without the recorder.

usage: make_db.py fixture FILE      the small one that the golden reports show
       make_db.py empty FILE        a recording with runs in which nothing was measured
       make_db.py none FILE         a recording without a run
       make_db.py groups FILE       five runs 'before' and five 'after', interleaved, of a
                                    program that was changed and built again
       make_db.py frames FILE       threads, tasks and libraries, see make_frames.py
       make_db.py renames FILE      two builds with other functions, see make_renames.py
       make_db.py snapshots FILE    runs with snapshots, see make_snapshots.py
       make_db.py machine FILE      a run on GPUs, see make_machine.py
       make_db.py unhooked FILE     samples of a program without hooks, see make_unhooked.py
       make_db.py builds FILE       the same and the build with hooks, likewise
       make_db.py io FILE           a run that reads and writes, see make_io.py
       make_db.py inlined FILE      runs without and with inlined copies, see make_inlined.py
       make_db.py marks FILE        a run with regions, steps and counters, see make_marks.py
       make_db.py KIND FILE         runs without labels and jobs of ranks: plain-before,
                                    plain-after, plain-both, plain-mixed, jobs-before,
                                    jobs-after, jobs-lost, jobs-inside; see make_jobs.py
       make_db.py KIND FILE         sweeps: scaling, scaling-threads; see make_scaling.py
       make_db.py KIND FILE         runs whose times are estimates: estimates, ticked, unsampled,
                                    asleep, drowned, fewer, levels, longer, waiting; see
                                    make_estimates.py
       make_db.py wrappers FILE     a run whose blocks all come from two stacked wrappers
       make_db.py big FILE [PATHS]  a large one (default 26000 call paths)
       make_db.py worst FILE [PATHS] one that is dear to judge, see make_worst.py

The fixture has two runs: 1 'before', complete, one thread; 2 'after', killed, two
processes, three threads on two lanes, recursion, C++ and UTF-8 names, unknown values.
"""
import importlib
import os
import random
import re
import sqlite3
import sys

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
MS = 1_000_000
NEVER = 2 ** 63 - 1
INNER, OUTER = 4, 6  # of the hooks of a call, in ns

# Kinds that modules beside this one make: one each, or several by one.
ALONE = ("critical", "frames", "inlined", "io", "machine", "marks", "names", "renames",
         "snapshots", "timeline", "waits", "why")
SEVERAL = {kind: module for module, kinds in {
    "estimates": "asleep estimates ticked unsampled drowned fewer levels longer waiting",
    "jobs": "plain-before plain-after plain-both plain-mixed jobs-before jobs-after jobs-lost "
            "jobs-inside",
    "scaling": "scaling scaling-threads scaling-untimed",
    "unhooked": "unhooked builds"}.items() for kind in kinds.split()}

LIBRARY = ("std::", "operator new")
LONG_NAME = ("std::_Rb_tree<std::__cxx11::basic_string<char, std::char_traits<char>, "
             "std::allocator<char> >, std::pair<std::__cxx11::basic_string<char> const, "
             "std::vector<int, std::allocator<int> > >, std::_Select1st<int> >::"
             "_M_get_insert_hint_unique_pos(std::_Rb_tree_const_iterator<int>, "
             "std::__cxx11::basic_string<char> const&)")


def header(name):
    with open(os.path.join(ROOT, "common", "schema.h"), encoding="utf-8") as file:
        return int(re.search(r"#define %s\s+(\w+)" % name, file.read()).group(1), 0)


def create(path):
    if os.path.exists(path):
        os.unlink(path)
    db = sqlite3.connect(path)
    db.execute("PRAGMA synchronous = OFF")
    with open(os.path.join(ROOT, "common", "schema.sql"), encoding="utf-8") as file:
        db.executescript(file.read())
    db.execute("PRAGMA application_id = %d" % header("RUNDB_APPLICATION_ID"))
    db.execute("PRAGMA user_version = %d" % header("RUNDB_SCHEMA_VERSION"))
    return db


def insert(db, table, **values):
    if table == "function":
        for name in ("alloc_count", "alloc_bytes"):
            values.setdefault("owned_" + name, values.get(name, 0))
    db.execute("INSERT INTO %s (%s) VALUES (%s)" % (
        table, ", ".join(values), ", ".join("?" * len(values))), list(values.values()))


class Run:
    """Call paths of a run; everything that can be summed up is summed up here."""

    def __init__(self, db, run_id, first_id):
        self.db, self.run_id, self.next_id = db, run_id, first_id
        self.functions, self.paths, self.sites = {}, {}, []

    def number(self):
        self.next_id += 1
        return self.next_id

    def function(self, name, **values):
        function_id = self.number()
        values.setdefault("is_library", int(name.startswith(LIBRARY)))
        self.functions[function_id] = dict(
            name=name, recording="exact", calls=0, inlined_calls=0, self_ns=0,
            hooked_self_ns=0, hooked_raw_self_ns=0, alloc_count=0, alloc_bytes=0,
            owned_alloc_count=0, owned_alloc_bytes=0, **values)
        return function_id

    def path(self, parent, function, calls, self_ns, kind=0, lanes=None, minimum=None,
             inlined=False):
        """inlined: its calls are of an inlined copy, in the code of the path above."""
        path_id = self.number()
        self.paths[path_id] = dict(
            depth=1 + (self.paths[parent]["depth"] if parent else 0),
            parent=parent, function=function, calls=calls, self_ns=self_ns, kind=kind,
            lanes=lanes or {}, alloc_count=0, alloc_bytes=0, live_bytes=0, at_peak_bytes=0,
            min_ns=minimum, inlined=inlined)
        return path_id

    def site(self, path, file, line, count, size, live=0, at_peak=0, temporary=0, reallocs=0):
        self.sites.append((path, file, line, count, size, live, at_peak, temporary, reallocs))

    def chain(self, path):
        while path:
            yield path
            path = self.paths[path]["parent"]

    def owner(self, path):
        functions = [self.paths[above]["function"] for above in self.chain(path)]
        own = [number for number in functions if not self.functions[number]["is_library"]]
        return (own or functions)[0]

    def host(self, path):
        while self.paths[path]["inlined"]:
            path = self.paths[path]["parent"]
        return path

    def sum_functions(self, total, hooked):
        """{function: total_ns} of the outermost; hooked: of inlined copies, too."""
        functions = {}
        for path, values in self.paths.items():
            functions.setdefault(values["function"], 0)
            above = [p for p in self.chain(path) if hooked or not self.paths[p]["inlined"]]
            if path in above and values["function"] not in [
                    self.paths[p]["function"] for p in above[1:]]:
                functions[values["function"]] += total[path]
        return functions

    def totals(self):
        """total_ns of paths, functions and edges from the selves; functions also with
        inlined copies as calls of their own, all else as built."""
        total = {path: values["self_ns"] for path, values in self.paths.items()}
        for path, values in reversed(self.paths.items()):  # callers come first
            if values["parent"]:
                total[values["parent"]] += total[path]
        edges = {}
        for path, values in self.paths.items():
            above = [self.paths[p]["function"] for p in self.chain(path)
                     if p == path or not self.paths[p]["inlined"]][1:]
            if not above or values["kind"] in (1, 2):
                continue
            edge = (above[0], values["function"])
            calls, inlined, time = edges.get(edge, (0, 0, 0))
            pairs = list(zip(above[1:], above))
            if values["inlined"]:
                inlined += values["calls"]
            elif edge not in pairs:
                time += total[path]
            edges[edge] = (calls + values["calls"], inlined, time)
        return (total, self.sum_functions(total, False), self.sum_functions(total, True),
                edges)

    def store_sites(self):
        for path, file, line, count, size, live, at_peak, temporary, reallocs in self.sites:
            values = self.paths[path]
            values["alloc_count"] += count
            values["alloc_bytes"] += count * size
            owner = self.functions[self.owner(path)]
            owner["owned_alloc_count"] += count
            owner["owned_alloc_bytes"] += count * size
            values["live_bytes"] += live * size
            values["at_peak_bytes"] += at_peak * size
            insert(self.db, "site", run_id=self.run_id, path_id=path, file=file, line=line,
                   alloc_count=count, alloc_bytes=count * size, free_count=count - live,
                   free_bytes=(count - live) * size, live_count=live, live_bytes=live * size,
                   peak_bytes=max(live, at_peak) * size, at_peak_bytes=at_peak * size,
                   at_peak_count=at_peak, temporary_count=temporary, realloc_count=reallocs,
                   realloc_copied_bytes=reallocs * size, cross_thread_free_count=0,
                   largest_bytes=size)

    def raw(self):
        """What the clock said of paths, and of functions: with the hooks."""
        own = {path: v["self_ns"] + INNER * v["calls"] for path, v in self.paths.items()}
        for v in self.paths.values():
            if v["parent"]:
                own[v["parent"]] += OUTER * v["calls"]
        whole, selves = dict(own), {}
        for path, v in reversed(self.paths.items()):
            if v["parent"]:
                whole[v["parent"]] += whole[path]
        for path in self.paths:
            host = self.paths[self.host(path)]["function"]
            selves[host] = selves.get(host, 0) + own[path]
        return own, whole, selves

    def store_paths(self, total, raw_own, raw_whole):
        for path, v in self.paths.items():
            insert(self.db, "path", path_id=path, run_id=self.run_id,
                   parent_path_id=v["parent"], depth=v["depth"],
                   function_id=v["function"], kind=v["kind"], calls=v["calls"],
                   inlined_calls=v["calls"] if v["inlined"] else 0,
                   host_path_id=self.host(path) if v["inlined"] else None,
                   total_ns=total[path], self_ns=v["self_ns"],
                   raw_total_ns=raw_whole[path], raw_self_ns=raw_own[path],
                   min_ns=v["min_ns"],
                   max_ns=None, alloc_count=v["alloc_count"], alloc_bytes=v["alloc_bytes"],
                   live_bytes=v["live_bytes"], at_peak_bytes=v["at_peak_bytes"])
            for lane, (calls, total_ns, self_ns, count, size) in v["lanes"].items():
                insert(self.db, "path_lane", path_id=path, lane_id=lane, calls=calls,
                       inlined_calls=calls if v["inlined"] else 0,
                       total_ns=total_ns, self_ns=self_ns, alloc_count=count,
                       alloc_bytes=size)
            function = self.functions[v["function"]]
            for name in ("calls", "alloc_count", "alloc_bytes"):
                function[name] += v[name]
            function["inlined_calls"] += v["calls"] if v["inlined"] else 0
            function["hooked_self_ns"] += v["self_ns"]
            function["hooked_raw_self_ns"] += raw_own[path]
            host = self.functions[self.paths[self.host(path)]["function"]]
            host["self_ns"] += v["self_ns"]

    def store(self):
        total, functions, hooked, edges = self.totals()
        raw_own, raw_whole, raw_selves = self.raw()
        raw_totals = self.sum_functions(raw_whole, False)
        raw_hooked = self.sum_functions(raw_whole, True)
        self.store_sites()
        self.store_paths(total, raw_own, raw_whole)
        for function_id, values in self.functions.items():
            calls = values["calls"]
            average = hooked.get(function_id, 0) // calls if calls else None
            times = {} if not calls else dict(
                min_ns=average // 2, p50_ns=average, p90_ns=average * 2, p95_ns=average * 3,
                p99_ns=average * 4, max_ns=average * 10)
            insert(self.db, "function", function_id=function_id, run_id=self.run_id,
                   total_ns=functions.get(function_id, 0),
                   raw_total_ns=raw_totals.get(function_id, 0),
                   raw_self_ns=raw_selves.get(function_id, 0),
                   hooked_total_ns=hooked.get(function_id, 0),
                   hooked_raw_total_ns=raw_hooked.get(function_id, 0), **times, **values)
        for (caller, callee), (calls, inlined, time) in edges.items():
            insert(self.db, "edge", run_id=self.run_id, caller_id=caller, callee_id=callee,
                   calls=calls, inlined_calls=inlined, total_ns=time)
        return sum(f["calls"] for f in self.functions.values())


def begin(db, run_id, command, wall_ns, *threads, pid=None, second=0, executable="/home/user/app",
          **values):
    """A run that ended by itself, of one process, both with this number, and its threads: (tid,
    name) or (tid, name, wall_ns), each with a lane of its own from this number on."""
    ended = {"wall_ns": wall_ns, "exit_code": 0, "complete": 1}
    usual = {"token": f"{run_id:016x}", "cwd": "/home/user", "host": "build-host", "cpu_count": 2,
             "level": "exact", "shim_version": "0.1.0", "inner_cost_ns": INNER,
             "outer_cost_ns": OUTER, "started_utc": f"2026-03-01T12:00:{second:02}.000Z"}
    insert(db, "run", run_id=run_id, command=command, **{**ended, **usual, **values})
    insert(db, "process", process_id=run_id, run_id=run_id, executable=executable,
           pid=pid or (threads[0][0] if threads else run_id), command=command, started_ns=0,
           **ended)
    for lane, (tid, name, *wall) in enumerate(threads, run_id):
        insert(db, "lane", lane_id=lane, run_id=run_id, process_id=run_id)
        insert(db, "thread", thread_id=lane, run_id=run_id, process_id=run_id, lane_id=lane,
               tid=tid, name=name, started_ns=0, wall_ns=wall[0] if wall else wall_ns)


def trust(db, run_id, process_id, **values):
    for name, value in values.items():
        insert(db, "trust", run_id=run_id, process_id=process_id, name=name, value=value)


def sums(db, run_id):
    db.execute("""UPDATE run SET
        alloc_count = (SELECT TOTAL(alloc_count) FROM site WHERE run_id = :run),
        alloc_bytes = (SELECT TOTAL(alloc_bytes) FROM site WHERE run_id = :run),
        free_count = (SELECT TOTAL(free_count) FROM site WHERE run_id = :run),
        free_bytes = (SELECT TOTAL(free_bytes) FROM site WHERE run_id = :run),
        peak_bytes = (SELECT TOTAL(at_peak_bytes) FROM site WHERE run_id = :run),
        live_bytes_at_exit = (SELECT TOTAL(live_bytes) FROM site WHERE run_id = :run)
        WHERE run_id = :run""", {"run": run_id})


def first_run(db):
    begin(db, 1, "./app --size 10", 250 * MS, (4000, "app"), label="before", clock="tsc")
    insert(db, "module", module_id=1, run_id=1, path="/home/user/app", symbols="debug")
    run = Run(db, 1, 100)
    main = run.function("main", module_id=1, file="/home/user/src/main.c", line=10)
    work = run.function("work", module_id=1, file="/home/user/src/work.c", line=20)
    leaf = run.function("leaf", module_id=1, file="/home/user/src/work.c", line=5)
    root = run.path(None, main, 1, 10 * MS)
    middle = run.path(root, work, 1000, 90 * MS)
    run.path(middle, leaf, 1_000_000, 140 * MS)
    run.site(middle, "/home/user/src/work.c", 22, 1000, 64, live=0, at_peak=1,
             temporary=990)
    trust(db, 1, 1, hook_calls=run.store(), tool_memory_bytes=1 << 20)
    sums(db, 1)


def second_run_paths(run):
    main = run.function("main", module_id=2, file="/home/user/src/main.cc", line=12,
                        linkage_name="main")
    parse = run.function("ns::Parser::parse(std::istream&)", module_id=2,
                         file="/home/user/src/parser.cc", line=40,
                         linkage_name="_ZN2ns6Parser5parseERSi")
    hint = run.function(LONG_NAME, module_id=2, file=None, line=None)
    fib = run.function("fib", module_id=2, file="/home/user/src/fib.c", line=3)
    utf8 = run.function("größe_berechnen<日本語>(int)", module_id=2,
                        file="/home/user/src/größe.cc", line=7)
    even = run.function("is_even(unsigned int)", module_id=2, file="fib.c", line=30)
    odd = run.function("is_odd(unsigned int)", module_id=2, file="fib.c", line=36)
    worker = run.function("worker", module_id=2, file="/home/user/src/worker.c", line=9)
    twin_a = run.function("helper", module_id=2, file="/home/user/src/a.c", line=1)
    twin_b = run.function("helper", module_id=2, file="/home/user/src/b.c", line=1)
    nameless = run.function("0x1234 (libmystery.so)", module_id=3, file=None, line=None,
                            naming="none")
    grow = run.function("std::vector<int>::_M_realloc_insert(int const&)", module_id=2,
                        file="/usr/include/c++/12/bits/vector.tcc", line=440)
    run.functions[grow]["recording"] = "unwound"
    idle = run.function("idle", module_id=2, file="/home/user/src/main.cc", line=90)

    root = run.path(None, main, 1, 3 * MS, minimum=1_210 * MS)
    parser = run.path(root, parse, 2_000, 412_345_678,
                      lanes={2: (2_000, 760 * MS, 412_345_678, 0, 0)})
    deep = run.path(parser, hint, 38_204_113, 250 * MS)
    frame = run.path(parser, grow, 0, 0, kind=1)
    run.path(parser, utf8, 12_000, 95_500_000)
    run.path(root, idle, 1, 90)
    above = root
    for level in range(12):
        above = run.path(above, fib, 2 ** level, 2 ** level * 9_000)
    above = run.path(root, even, 10, 1 * MS)
    for level in range(3):
        above = run.path(above, odd if level % 2 == 0 else even, 10, 1 * MS)
    run.path(root, twin_a, 7, 400_000)
    run.path(root, twin_b, 70, 300_000)
    run.path(root, nameless, 3, 45_678)
    thread = run.path(None, worker, 2, 20 * MS, lanes={3: (2, 140 * MS, 20 * MS, 4, 4096)})
    run.path(thread, parse, 500, 120 * MS, lanes={3: (500, 120 * MS, 120 * MS, 0, 0)})
    run.site(frame, "/home/user/src/parser.cc", 57, 40_000, 1024, live=12, at_peak=9_000,
             temporary=26_500, reallocs=13_000)
    run.site(parser, "/home/user/src/parser.cc", 44, 2_000, 96, live=2_000, at_peak=2_000)
    run.site(deep, None, None, 150, 48, live=0, at_peak=0, temporary=150)
    run.site(thread, "/home/user/src/worker.c", 14, 4, 1024, live=1, at_peak=4)
    run.site(root, "/home/user/src/main.cc", 20, 1, 1 << 22, live=0, at_peak=1)
    locks(run.db, root, parser, thread, deep)


def locks(db, root, parser, worker, deep):
    """One that is waited for on several paths, one that is not, and one without an owner."""
    for lock_id, name, named_by, kind, counts, times in (
            (1, "cache_lock", "variable", "mutex", (2_000_000, 4_100, 3_800),
             (812 * MS, 90_000, 31 * MS)),
            (2, "[block of ns::Parser::parse(std::istream&)] + 40", "block", "rwlock",
             (90, 12, 0), (3 * MS, 200_000, 0)),
            (3, "[first used by main]", "path", "spin", (7, 0, 0), (0, None, 0)),
            (4, "work_ready", "variable", "condition", (0, 600, 0), (470 * MS, 700_000, 0)),
            (5, "slots + 32", "variable", "semaphore", (0, 8, 0), (2 * MS, 250_000, 0)),
            (6, "round_done", "variable", "barrier", (0, 7, 0), (4 * MS, 350_000, 0)),
            (7, "[end of a thread]", "kind", "thread", (0, 2, 0), (6 * MS, 3 * MS, 0))):
        wait_ns, median, held = times
        insert(db, "lock", run_id=2, lock_id=lock_id, process_id=2, name=name,
               named_by=named_by, kind=kind, address=0x55550000 + lock_id * 64,
               module="/home/user/app" if named_by == "variable" else None,
               lock_count=counts[0], wait_count=counts[1], hold_count=counts[2],
               wait_ns=wait_ns, p50_wait_ns=median, p95_wait_ns=median and median * 3,
               p99_wait_ns=median and median * 5, max_wait_ns=(median or 0) * 9,
               hold_ns=held * 40, max_hold_ns=held, first_path_id=root,
               block_path_id=parser if named_by == "block" else None,
               block_offset=40 if named_by == "block" else 0)
    for lock_id, waiter, taken, holder, count, wait_ns in (
            (1, parser, worker, deep, 4_000, 800 * MS), (1, worker, parser, parser, 99, 11 * MS),
            (1, root, None, None, 1, 1 * MS), (2, parser, None, None, 12, 3 * MS),
            (4, worker, None, parser, 590, 465 * MS), (4, worker, None, None, 10, 5 * MS),
            (5, parser, None, deep, 8, 2 * MS), (6, worker, None, parser, 7, 4 * MS),
            (7, root, None, worker, 2, 6 * MS)):
        insert(db, "lock_wait", run_id=2, lock_id=lock_id, waiter_lane_id=3,
               holder_lane_id=2 if holder else None, waiter_path_id=waiter,
               taken_path_id=taken, holder_path_id=holder, wait_count=count,
               wait_ns=wait_ns, max_wait_ns=min(wait_ns, wait_ns // count * 3))


def second_run(db):
    insert(db, "run", run_id=2, token="0000000000000002", label="after",
           command="./app --size 10 --input 'a file with a long name.txt' --threads 2 "
                   "--output /home/user/results/2026-03-01/after.json",
           cwd="/home/user", host="build-host", cpu_count=2,
           started_utc="2026-03-01T13:30:00.250Z", wall_ns=1_210 * MS, exit_code=None,
           exit_signal=9, complete=0, level="exact", shim_version="0.1.0", clock="tsc",
           inner_cost_ns=INNER, outer_cost_ns=OUTER)
    insert(db, "process", process_id=2, run_id=2, pid=4100, executable="/home/user/app",
           command="./app", started_ns=0, wall_ns=1_210 * MS, exit_signal=9, complete=0,
           live_bytes_at_exit=204_288)
    insert(db, "process", process_id=3, run_id=2, parent_process_id=2, pid=4101,
           executable="/usr/bin/true", command="true", started_ns=500 * MS, wall_ns=2 * MS,
           exit_code=0, complete=1, live_bytes_at_exit=0)
    for lane in (2, 3):
        insert(db, "lane", lane_id=lane, run_id=2, process_id=2)
    for thread, lane, tid, name, start in ((2, 2, 4100, "app", 0),
                                           (3, 3, 4102, "worker", 10),
                                           (4, 3, 4103, None, 700)):
        insert(db, "thread", thread_id=thread, run_id=2, process_id=2, lane_id=lane,
               tid=tid, name=name, started_ns=start * MS, wall_ns=500 * MS)
    insert(db, "module", module_id=2, run_id=2, path="/home/user/app", symbols="debug")
    insert(db, "module", module_id=3, run_id=2, path="/opt/libmystery.so", symbols="none")
    insert(db, "sample", run_id=2, path_id=None, kind=0, name="grow", outer_name="main",
           module="/home/user/app", file="/src/grow.cc", line=12, count=3, cpu_ns=3 * MS)
    run = Run(db, 2, 1000)
    second_run_paths(run)
    trust(db, 2, 2, hook_calls=run.store(), repaired_frames=12, orphan_exits=0,
          folded_paths=0, dropped_allocations=0, unknown_frees=3, unresolved_functions=1,
          tool_memory_bytes=3 << 20)
    trust(db, 2, None, collector_recovered=1)
    for step in range(13):
        insert(db, "resource", run_id=2, process_id=2, time_ns=step * 100 * MS,
               cpu_percent=[0, 40, 95, 100, 100, 180, 199.5, 190, 120, 100, 80, 20, 5][step],
               rss_bytes=(4 + 3 * step - (step > 9) * 12) << 20, minor_faults=100 * step,
               major_faults=step // 6, read_bytes=4096 * step, write_bytes=512 * step,
               thread_count=1 + (step > 4))
    insert(db, "resource", run_id=2, process_id=3, time_ns=500 * MS, cpu_percent=150,
           rss_bytes=1 << 20, minor_faults=90, major_faults=0, read_bytes=0, write_bytes=0,
           thread_count=1)
    sums(db, 2)


def make_fixture(db):
    first_run(db)
    second_run(db)


def make_unwound(db):
    """The fixture, in whose second run some calls ended without their exit."""
    make_fixture(db)
    for table in ("function", "path"):
        db.execute(f"UPDATE {table} SET unwound_count = calls / 2 WHERE run_id = 2 AND "
                   "function_id IN (SELECT function_id FROM function WHERE name LIKE "
                   "'%parse%' OR name = 'worker')")


def make_empty(db):
    for run_id, wall in ((1, 40 * MS), (2, 5_000 * MS)):
        begin(db, run_id, "./silent", wall, cwd="/", pid=1, executable=None, alloc_count=0,
              alloc_bytes=0, free_count=0, peak_bytes=0, live_bytes_at_exit=0)
    trust(db, 2, 2, hook_calls=0, note_own_allocator=1, note_no_collector=1)


def group_run(db, run_id, is_after, noise):
    """Slower by 20 %: lookup; the same: parse, hash (a copy of it); new and gone: four
    each; an allocation more in each call of parse; the log is as long as the time."""
    label = "after" if is_after else "before"
    run = Run(db, run_id, 1000 * run_id)
    program = "/home/user/%s/app" % label
    insert(db, "module", module_id=run_id, run_id=run_id, path=program, symbols="debug",
           build_id="%02x" % is_after)

    def function(name, linkage, file, line, old_line=None):
        return run.function(name, module_id=run_id, linkage_name=linkage, file="/src/" + file,
                            line=line if is_after or old_line is None else old_line)

    main = function("main", None, "main.c", 10)
    parse = function("parse", None, "parse.c", 24, 20)
    lookup = function("lookup(std::string const&)", "_Z6lookupRKSs", "table.cc", 5)
    if is_after:
        names = [function("hash", "hash.constprop.0", "table.cc", 50),
                 function("std::vector<int>::size() const", "_ZNKSt6vectorIiE4sizeEv",
                          "vector.h", 1),
                 function("long grow<long>(long)", "_Z4growIlET_S0_", "grow.cc", 7),
                 function("trim(char const*)", "_Z4trimPKc", "trim.cc", 12),
                 function("audit", None, "check.c", 3)]
    else:
        names = [function("hash", "hash", "table.cc", 50),
                 function("std::__1::vector<int>::size() const",
                          "_ZNKSt3__16vectorIiE4sizeEv", "vector.h", 1),
                 function("int grow<int>(int)", "_Z4growIiET_S0_", "grow.cc", 7),
                 function("trim(char*)", "_Z4trimPc", "trim.cc", 10),
                 function("slow_check", None, "check.c", 40)]
    noisy = 1000 + noise
    root = run.path(None, main, 1, 10 * noisy)
    middle = run.path(root, parse, 1000, 20_000 * noisy)
    run.path(middle, lookup, 50_000, (60_000 if is_after else 50_000) * noisy)
    for name, calls, self_us in zip(names, (50_000, 3_000, 400, 70, 9),
                                    (5_000, 400, 300, 200, 100)):
        run.path(middle, name, calls, self_us * noisy)
    run.site(middle, "/src/parse.c", 30 if is_after else 26, 1000, 64, at_peak=10)
    if is_after:
        run.site(middle, "/src/parse.c", 61, 1000, 16, live=1000, at_peak=1000)
    run.site(root, "/src/main.c", 15, 20 + noise, 100)
    wall_ns = (95 if is_after else 80) * MS + 20 * 1000 * noisy
    begin(db, run_id, "./app input", (95 if is_after else 80) * 1000 * noisy,
          (run_id, "app", wall_ns), label=label, executable=program, clock="tsc", second=run_id,
          cpu_model="Some CPU", kernel="6.1.0")
    trust(db, run_id, run_id, hook_calls=run.store())
    sums(db, run_id)


def make_groups(db):
    for number in range(10):
        group_run(db, number + 1, number % 2, (0, 7, 3, 11, 5, 2, 9, 4, 1, 8)[number])


def split(db, run_id, ready=0, blocked=0):
    """What its threads computed and waited was told apart; of these they waited so much."""
    trust(db, run_id, None, switches_by_rseq=1)
    db.execute("""UPDATE thread SET cpu_ns = wall_ns - :off, ready_ns = :ready,
               blocked_ns = :off - :ready WHERE run_id = :run""",
               {"run": run_id, "off": ready + blocked, "ready": ready})


def tell_apart(db, ready=0, blocked=0):
    """In all runs: paths computed all the time, threads for what these percent leave."""
    for table in ("path", "path_lane", "function"):
        db.execute(f"""UPDATE {table} SET
                   self_cpu_ns = self_ns - self_ready_ns - self_blocked_ns,
                   cpu_ns = total_ns - ready_ns - blocked_ns""")
    db.execute("""UPDATE thread SET ready_ns = wall_ns * :ready / 100,
               blocked_ns = wall_ns * :blocked / 100 WHERE cpu_ns IS NULL""",
               {"ready": ready, "blocked": blocked})
    db.execute("UPDATE thread SET cpu_ns = wall_ns - ready_ns - blocked_ns")
    for run_id, in db.execute("""SELECT run_id FROM run EXCEPT SELECT run_id FROM trust
                              WHERE name = 'switches_by_rseq'""").fetchall():
        trust(db, run_id, None, switches_by_rseq=1)


def computes(db, wall_ns):
    """The process computed all the time."""
    split(db, 1)
    insert(db, "resource", run_id=1, process_id=1, time_ns=wall_ns, cpu_percent=100,
           rss_bytes=1 << 20, minor_faults=0, major_faults=0, thread_count=1, cpu_wait_ns=0)


def make_findings(db):
    """Slow calls: of a leaf below a driver, of a C++ name too long for a line, of a
    recursion, and of a caller whose time is that of its callees."""
    begin(db, 1, "./slow", 4_000 * MS, (1, "slow"), label="findings")
    run = Run(db, 1, 0)
    names = ["main", "drive", "load_größe(char const*)", LONG_NAME, "descend", "check"]
    main, drive, load, insert_hint, descend, check = (
        run.function(name, file="/home/user/my src/slow.cc", line=10 * i + 3)
        for i, name in enumerate(names))
    root = run.path(None, main, 1, 5 * MS)
    driver = run.path(root, drive, 2, 1 * MS)
    run.path(driver, load, 2, 1_240 * MS)
    run.path(driver, insert_hint, 7, 1_260 * MS)
    level = run.path(driver, descend, 1, 80 * MS)
    for _ in range(40):
        level = run.path(level, descend, 1, 30 * MS)
    run.path(level, check, 3, 180 * MS)
    computes(db, 4_000 * MS)
    trust(db, 1, 1, hook_calls=run.store())
    sums(db, 1)


def make_wrappers(db):
    """Temporary blocks of load, blocks of keep that stay, others of four sizes; all through
    xmalloc and checked_malloc."""
    # nobody knows how it was recorded, which a comparison says
    begin(db, 1, "./app", 1_000 * MS, (1, "app"), label="wrappers", level=None, cpu_count=None,
          shim_version=None)
    run = Run(db, 1, 0)
    insert(db, "module", module_id=1, run_id=1, path="/home/user/app", symbols="debug")

    def function(name, file, line):
        return run.function(name, module_id=1, file="/home/user/src/" + file, line=line)

    main, xmalloc, checked = (function("main", "main.c", 10),
                              function("xmalloc", "alloc.c", 12),
                              function("checked_malloc", "alloc.c", 4))
    root = run.path(None, main, 1, 400 * MS)
    for number, (name, count, size, live) in enumerate((
            ("load", 1_500_000, 40, 0), ("keep", 40_000, 1000, 40_000),
            ("read_settings", 900, 70, 0), ("open_log", 700, 4000, 0))):
        user = run.path(root, function(name, "app.c", 10 * number + 5), 100, 100 * MS)
        middle = run.path(user, xmalloc, count, 10 * MS)
        inner = run.path(middle, checked, count, 10 * MS)
        run.site(inner, "/home/user/src/alloc.c", 6, count, size, live=live, at_peak=live,
                 temporary=0 if live else count)
    trust(db, 1, 1, hook_calls=run.store())
    sums(db, 1)


def make_big(db, wanted):
    random.seed(1)
    begin(db, 1, "./big", 2_000 * MS, (1, "big"), label="big")
    run = Run(db, 1, 0)
    functions = [run.function("module_%d::function_%d(int, char const*)" % (i % 40, i),
                              file="/src/module_%d.cc" % (i % 40), line=i)
                 for i in range(1200)]
    paths = [run.path(None, functions[0], 1, 1000)]
    depths = {paths[0]: 1}
    while len(paths) < wanted:
        parent = paths[int(len(paths) * random.random() ** 0.5)]
        if depths[parent] > 60:
            continue
        path = run.path(parent, functions[int(1200 * random.random() ** 2)],
                        random.randrange(1, 3000), random.randrange(100, 100_000))
        depths[path] = depths[parent] + 1
        paths.append(path)
    for path in paths[::8]:
        run.site(path, "/src/x.cc", path % 1000, random.randrange(1, 500),
                 random.randrange(8, 4000), live=random.randrange(2),
                 at_peak=random.randrange(1, 3), temporary=0)
    trust(db, 1, 1, hook_calls=run.store())
    sums(db, 1)


def make(kind, path, paths=26000):
    db = create(path)
    if kind == "fixture":
        make_fixture(db)
    elif kind == "unwound":
        make_unwound(db)
    elif kind == "empty":
        make_empty(db)
    elif kind == "findings":
        make_findings(db)
    elif kind == "wrappers":
        make_wrappers(db)
    elif kind == "groups":
        make_groups(db)
    elif kind == "big":
        make_big(db, paths)
    elif kind in SEVERAL:
        importlib.import_module("make_" + SEVERAL[kind]).make(db, kind)
    elif kind in ALONE:
        importlib.import_module("make_" + kind).make(db)
    elif kind == "worst":
        importlib.import_module("make_worst").make(db, paths)
    elif kind != "none":
        sys.exit(__doc__)
    if kind in ("fixture", "findings", "marks", "wrappers", "groups", "estimates", "ticked", "unsampled", "machine",
                "inlined", "waits", "renames", "longer", "frames"):
        tell_apart(db, *((10, 20) if kind == "fixture" else ()))
    db.commit()
    db.execute("VACUUM")
    db.close()


if __name__ == "__main__":
    make(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:4]))
