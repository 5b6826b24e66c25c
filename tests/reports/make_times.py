# SPDX-License-Identifier: MIT
"""Recordings for check_time_rules.py: call paths with times, lanes, samples of /proc. All go
into one database, each as a run of its own.
"""
from make_db import insert

SECOND = 1_000_000_000
MS = 1_000_000
PAGE = 4096
OFF = (("self_ready_ns", "ready"), ("self_blocked_ns", "blocked"), ("ready_ns", "ready_below"),
       ("blocked_ns", "blocked_below"))


def node(name, self_ns, calls=1, under="main", kind=0, hooks=0, lanes=None, error=0, ready=0,
         blocked=0, host=None, call_line=None, way=0, **values):
    """A call path. under: the last path of that name, the number of one, or None. hooks:
    what was subtracted from its own time. error: of what was left. lanes: its own time in
    each, by number from 0. ready, blocked: what of it, in its first lane, was waited for a
    CPU, and slept. host: whose code it is inlined in. call_line: of its call. way: recording
    of a path. values: of the function, module: its path."""
    lanes = lanes or {0: self_ns}
    return dict(name=name, self_ns=sum(lanes.values()), calls=calls, under=under, kind=kind,
                hooks=hooks, error=error, lanes=lanes, values=values, host=host,
                call_line=call_line, way=way,
                ready={min(lanes): ready}, blocked={min(lanes): blocked})


def sample(percent, at=SECOND, waited=0, process=0, **values):
    return dict(cpu_percent=percent, time_ns=at, cpu_wait_ns=waited, process=process,
                **{**dict(rss_bytes=PAGE, minor_faults=0, major_faults=0, thread_count=1),
                   **values})


class Times:
    """A run. lanes: the process of each, from 0, in each of them a thread. tick: ns of the
    histograms' clock. samples: of /proc; without, one of each process, which computed all
    the time in all of its threads; none: (). step_ns: when the first step began; started:
    the processes. ready, blocked: of main() itself. split: whether these were told apart.
    locks, transfers: rows, paths by the names of nodes. steps: of the run, by name how many,
    what all of them took, and what of it they waited for a CPU. late: what the recorder took
    before the first threads; unseen: what the first one waited for a CPU in no function.
    children: what those computed that were waited for. in_turns: each process lives for
    its part of the run, behind the one before. code: samples within calls, each the name of
    a path, a module, how long, and what else is known of them. edges: a function, one that
    it calls, and how often."""

    def __init__(self, db, run_id, nodes, wall=SECOND, cost=20, cpus=2, tick=1, lanes=(0,),
                 samples=None, step_ns=None, started=0, has_main=True, ready=0, blocked=0,
                 split=True, locks=(), transfers=(), steps=None,
                 late=0, unseen=0, children=0, in_turns=False, code=(), edges=()):
        self.db, self.run_id = db, run_id
        # Ids of one kind are unique in a file: each run has a thousand and more of its own.
        self.first = run_id * 10_000
        if has_main:
            rest = wall - late - unseen - sum(one["self_ns"] + one["hooks"] for one in nodes)
            nodes = [node("main", max(0, rest), under=None, ready=ready, blocked=blocked), *nodes]
        self.nodes = [dict(one) for one in nodes]
        insert(db, "run", run_id=run_id, token="t%d" % run_id, wall_ns=wall, complete=1,
               started_utc="2026-01-01T00:00:00.000Z", level="exact", cpu_count=cpus,
               inner_cost_ns=cost / 2, outer_cost_ns=cost / 2, ticks_per_second=SECOND / tick,
               peak_bytes=9, alloc_count=1, alloc_bytes=9, free_count=1, live_bytes_at_exit=0)
        self.store_lanes(lanes, started, wall - started, late, unseen, in_turns)
        if split:
            insert(db, "trust", run_id=run_id, name="switches_by_rseq", value=1)
        if children:
            insert(db, "trust", run_id=run_id, name="children_cpu_ns", value=children)
        if samples is None:
            samples = [sample(100 * lanes.count(process), at=max(wall, 60 * MS), process=process)
                       for process in sorted(set(lanes))]
        for one in samples:
            values = {**one, "process_id": self.first + one["process"]}
            del values["process"]
            insert(db, "resource", run_id=run_id, **values)
        if step_ns is not None:
            insert(db, "series", series_id=self.first, run_id=run_id, process_id=self.first,
                   kind=1, name="frame", mark_count=2, value_count=1, sum=1, first_ns=step_ns,
                   last_ns=step_ns + 1, growth_bytes=0)
        for number, (name, (count, sum_ns, *waited)) in enumerate((steps or {}).items(), 1):
            insert(db, "series", series_id=self.first + number, run_id=run_id, process_id=None,
                   kind=1, name=name, mark_count=count + 1, value_count=count, sum=sum_ns,
                   first_ns=0, last_ns=sum_ns, growth_bytes=0, ready_ns=sum(waited))
        self.find_parents()
        self.store_functions()
        self.store_paths(len(lanes))
        for one in locks:
            self.store_lock(dict(one))
        for one in transfers:
            self.store_transfer(dict(one))
        for caller, callee, count in edges:
            insert(db, "edge", run_id=run_id, calls=count, total_ns=0,
                   caller_id=self.functions[caller]["function_id"],
                   callee_id=self.functions[callee]["function_id"])
        for name, module, cpu_ns, *known in code:
            insert(db, "sample", run_id=run_id, path_id=self.path_of(name), kind=0, **{
                **dict.fromkeys(("name", "outer_name"), "f" if module else self.code_of(name)),
                **dict(module=module, count=cpu_ns // MS, cpu_ns=cpu_ns), **dict(*known)})

    def code_of(self, name):
        """The function that has its code."""
        one = next((one for one in self.nodes if one["name"] == name), {})
        return self.code_of(one["host"]) if one.get("host") else one.get("name", name)

    def path_of(self, name):
        if isinstance(name, int):
            return self.first + name
        return next((self.first + number for number, one in enumerate(self.nodes)
                     if one["name"] == name), None)

    def store_lock(self, one):
        ids = {"run_id": self.run_id, "lock_id": 1}
        paths = {key + "_path_id": self.path_of(one.pop(key))
                 for key in ("waiter", "holder", "taken")}
        waits = {key: one.pop(key) for key in ("wait_count", "wait_ns")}
        threads = one.pop("threads")
        for lane in range(threads):
            insert(self.db, "lock_wait", waiter_lane_id=self.first + lane, **ids, **paths,
                   wait_count=waits["wait_count"] // threads + (
                       lane < waits["wait_count"] % threads),
                   wait_ns=waits["wait_ns"] // threads, max_wait_ns=1)
        insert(self.db, "lock", process_id=self.first, **ids, **waits, **{
            **dict(named_by="variable", kind="mutex", address=1, lock_count=1000,
                   max_wait_ns=1, hold_count=0, hold_ns=0, max_hold_ns=0, block_offset=0,
                   first_path_id=paths["waiter_path_id"]),
            **one})

    def store_transfer(self, one):
        kind = ("unknown", "file", "device", "pipe", "socket").index(one.pop("kind"))
        self.db.execute("INSERT OR IGNORE INTO target VALUES (?, 1, ?, '/var/data')",
                        (self.run_id, kind))
        insert(self.db, "transfer", run_id=self.run_id, process_id=self.first,
               path_id=self.path_of(one.pop("path")), target_id=1, failed_calls=0,
               largest_bytes=1, **one)

    def store_lanes(self, lanes, started, wall, late, unseen, in_turns):
        processes = sorted(set(lanes))
        wall //= len(processes) if in_turns else 1
        starts = {process: started + number * wall * in_turns
                  for number, process in enumerate(processes)}
        for process in processes:
            insert(self.db, "process", process_id=self.first + process, run_id=self.run_id,
                   pid=10 + process, started_ns=starts[process], wall_ns=wall, complete=1,
                   parent_process_id=self.first if process else None)
        wall -= late
        for number, process in enumerate(lanes):
            ids = dict(run_id=self.run_id, process_id=self.first + process,
                       lane_id=self.first + number)
            insert(self.db, "lane", **ids)
            sums = {key: sum(one[key].get(number, 0) for one in self.nodes)
                    for key in ("lanes", "ready", "blocked")}
            sums["ready"] += 0 if number else unseen
            hooks = sum(one["hooks"] for one in self.nodes if min(one["lanes"]) == number)
            cpu = sums["lanes"] + hooks - sums["ready"] - sums["blocked"] + (0 if number else unseen)
            cpu = min(wall, cpu)
            insert(self.db, "thread", thread_id=self.first + number, tid=10 + number,
                   name="t", started_ns=starts[process] + late, wall_ns=wall, cpu_ns=cpu,
                   ready_ns=sums["ready"], blocked_ns=wall - cpu - sums["ready"], **ids)

    def find_parents(self):
        numbers = {}
        for number, one in enumerate(self.nodes):
            under = one["under"]
            one["parent"] = numbers[under] if isinstance(under, str) else under
            numbers[one["name"]] = number
            one["depth"] = 1 if one["parent"] is None else \
                self.nodes[one["parent"]]["depth"] + 1
        for one in self.nodes:
            for whole, own in (("below", "lanes"), ("ready_below", "ready"),
                               ("blocked_below", "blocked")):
                one[whole] = dict(one[own])
            one["hooks_below"], one["error_below"] = one["hooks"], one["error"]
        # A callee stands behind its caller.
        for one in reversed(self.nodes):
            if one["parent"] is None:
                continue
            above = self.nodes[one["parent"]]
            above["hooks_below"] += one["hooks_below"]
            above["error_below"] += one["error_below"]
            for key in ("below", "ready_below", "blocked_below"):
                for lane, ns in one[key].items():
                    above[key][lane] = above[key].get(lane, 0) + ns

    def is_outermost(self, one):
        above = one
        while above["parent"] is not None:
            above = self.nodes[above["parent"]]
            if above["name"] == one["name"]:
                return False
        return True

    def store_functions(self):
        self.functions = {}
        for one in self.nodes:
            function = self.functions.setdefault(one["name"], dict(
                function_id=self.first + len(self.functions), calls=0, total_ns=0, self_ns=0,
                raw_total_ns=0, raw_self_ns=0, self_error_ns=0, total_error_ns=0, ready_ns=0,
                blocked_ns=0, self_ready_ns=0, self_blocked_ns=0))
            function["calls"] += one["calls"]
            function["self_ns"] += one["self_ns"]
            function["raw_self_ns"] += one["self_ns"] + one["hooks"]
            function["self_error_ns"] += one["error"]
            function["total_error_ns"] += one["error_below"]
            for key in ("ready", "blocked"):
                function[f"self_{key}_ns"] += sum(one[key].values())
                if self.is_outermost(one):
                    function[f"{key}_ns"] += sum(one[key + "_below"].values())
            if self.is_outermost(one):
                function["total_ns"] += sum(one["below"].values())
                function["raw_total_ns"] += sum(one["below"].values()) + one["hooks_below"]
            function.update(one["values"])
        for name, function in self.functions.items():
            if "module" in function:
                function["module_id"] = function["function_id"]
                insert(self.db, "module", run_id=self.run_id, module_id=function["module_id"],
                       path=function.pop("module"), symbols="symtab")
            insert(self.db, "function", run_id=self.run_id, name=name,
                   **{**dict(file="/src/work.c", line=7, alloc_count=0, alloc_bytes=0,
                             recording="exact"), **function})

    def store_paths(self, lane_count):
        for number, one in enumerate(self.nodes):
            total = sum(one["below"].values())
            parent = one["parent"]
            insert(self.db, "path", path_id=self.first + number, run_id=self.run_id,
                   parent_path_id=None if parent is None else self.first + parent,
                   depth=one["depth"], function_id=self.functions[one["name"]]["function_id"],
                   kind=one["kind"], calls=one["calls"], total_ns=total,
                   self_ns=one["self_ns"], raw_total_ns=total + one["hooks_below"],
                   self_cpu_ns=one["self_ns"] - sum(
                       sum(one[key].values()) for name, key in OFF if name.startswith("self")),
                   raw_self_ns=one["self_ns"] + one["hooks"], self_error_ns=one["error"],
                   total_error_ns=one["error_below"], alloc_bytes=0, live_bytes=0,
                   alloc_count=one["values"].get("alloc_count", 0),
                   at_peak_bytes=0, max_ns=one["values"].get("max_ns"),
                   call_line=one["call_line"], recording=one["way"],
                   host_path_id=None if one["host"] is None else self.path_of(one["host"]),
                   **{name: sum(one[key].values()) for name, key in OFF})
            for lane, ns in one["below"].items() if lane_count > 1 else ():
                insert(self.db, "path_lane", path_id=self.first + number,
                       lane_id=self.first + lane,
                       calls=max(1, one["calls"] // len(one["below"])), total_ns=ns,
                       self_ns=one["lanes"].get(lane, 0), alloc_count=0, alloc_bytes=0,
                       total_error_ns=one["error_below"] // len(one["below"]),
                       **{name: one[key].get(lane, 0) for name, key in OFF})
