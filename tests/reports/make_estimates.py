# SPDX-License-Identifier: MIT
"""Runs whose times are estimates, with their errors.

estimates  an interpreter with a budget of 5 %: what is called often is counted and timed by
           samples, one function is off
ticked     the same where the kernel gave no samples, and a timer did
unsampled  the same without samples: what was counted has no times
drowned    the same without a budget: nearly all of the time was the hooks'
waiting    a run on a busy machine, in which hooks and program waited for a CPU
fewer      four runs a side: a function is called less often, so its hooks went away, and
           nothing else did ('before', 'after'); and one that is truly faster ('better')
levels     the same work four times with every call timed ('exact'), four times with a budget
           ('budget'): there what is counted stands on no path, and its time is off
longer     five runs a side with a budget ('before', 'after'): execute() computes 12 ms more,
           of which the recorder cannot say whether they are its own or those of get_slot()
"""
from make_db import MS, Run, begin, insert, sums, tell_apart, trust

INNER, OUTER, ERROR = 18.0, 22.0, 5.0
MODES = {"exact": 0, "counted": 2, "off": 3, "sampled": 4}
REASONS = ("budget", None, "asked")


def open_run(db, run_id, label, wall_ns, overhead=None):
    begin(db, run_id, "./interpreter sort.txt", wall_ns, (4000 + run_id, "interpreter"),
          label=label, executable="/home/user/interpreter", cpu_model="Some CPU", kernel="6.1.0",
          clock="tsc", second=run_id, level="detailed" if overhead else "exact",
          inner_cost_ns=INNER, outer_cost_ns=OUTER, hook_cost_error_ns=ERROR, counted_cost_ns=1.5,
          counted_cost_error_ns=0.2, overhead_percent=overhead)
    insert(db, "module", module_id=run_id, run_id=run_id, path="/home/user/interpreter",
           symbols="debug")
    return Run(db, run_id, 1000 * run_id)


def set_errors(db, run, errors, modes=None):
    """errors: of a path's self time; those of the paths below are in its total, too. What
    the hooks took is in the raw times: of calls with a frame."""
    modes = modes or {}
    raw_self, raw_total, below, hooked = {}, {}, {}, {}
    for path, values in run.paths.items():
        recording, _reason, timed = modes.get(values["function"], ("exact", "budget", 0))
        hooked[path] = values["calls"] if recording == "exact" else timed
        raw_self[path] = values["self_ns"] + int(INNER * hooked[path])
        below[path] = errors.get(path, 0)
    for path, values in run.paths.items():
        if values["parent"]:
            raw_self[values["parent"]] += int(OUTER * hooked[path])
    raw_total.update(raw_self)
    for path, values in reversed(run.paths.items()):
        if values["parent"]:
            raw_total[values["parent"]] += raw_total[path]
            below[values["parent"]] += below[path]
    for path, values in run.paths.items():
        mode = modes.get(values["function"], ("exact",))[0]
        db.execute("UPDATE path SET raw_self_ns = ?, raw_total_ns = ?, self_error_ns = ?, "
                   "total_error_ns = ?, recording = ? WHERE path_id = ?",
                   (raw_self[path], raw_total[path], errors.get(path, 0), below[path],
                    MODES[mode], path))
    db.execute("""UPDATE function SET (raw_self_ns, raw_total_ns, self_error_ns,
        total_error_ns) = (SELECT SUM(raw_self_ns), SUM(raw_total_ns), SUM(self_error_ns),
        SUM(total_error_ns) FROM path WHERE path.function_id = function.function_id)
        WHERE run_id = ?""", [run.run_id])
    for number, (function, (mode, reason, timed)) in enumerate(modes.items()):
        calls, name = run.functions[function]["calls"], run.functions[function]["name"]
        of_hooks = "counted" if mode == "sampled" else mode
        db.execute("UPDATE function SET recording = ? WHERE function_id = ?", (mode, function))
        insert(db, "mode", run_id=run.run_id, process_id=run.run_id, function_id=function,
               name=name, recording=MODES[of_hooks], least=MODES[of_hooks],
               reason=REASONS.index(reason), since_ns=None if reason == "asked" else
               (120 + 40 * number) * MS, changes=1 + number, counted_calls=calls - timed,
               site_count=3, early_site_count=number % 2)


def interpreter(run):
    """The paths by name, and the functions."""
    def function(name, line, **more):
        return run.function(name, module_id=run.run_id, file="/src/interpreter.c", line=line,
                            **more)

    functions = {name: function(name, line) for line, name in enumerate(
        ("main", "parse", "execute", "get_slot", "to_value", "compare", "log_event"), 10)}
    paths = {"main": run.path(None, functions["main"], 1, 4 * MS)}
    paths["parse"] = run.path(paths["main"], functions["parse"], 900, 30 * MS)
    paths["execute"] = run.path(paths["main"], functions["execute"], 12, 60 * MS)
    paths["get_slot"] = run.path(paths["execute"], functions["get_slot"], 30_000_000, 52 * MS)
    paths["to_value"] = run.path(paths["get_slot"], functions["to_value"], 28_000_000, 6 * MS)
    paths["compare"] = run.path(paths["execute"], functions["compare"], 1_500_000, 45 * MS)
    paths["log_event"] = run.path(paths["parse"], functions["log_event"], 9_000, 0)
    return paths, functions


def make_estimates(db):
    run = open_run(db, 1, "budget", 230 * MS, overhead=5.0)
    paths, functions = interpreter(run)
    trust(db, 1, 1, hook_calls=run.store(), sampled_functions=3, off_functions=1,
          stopped_functions=1, samples=350, sampled_ns=212 * MS, sample_tick_ns=12_100)
    set_errors(db, run, {paths["execute"]: 9 * MS, paths["get_slot"]: 7 * MS,
                         paths["to_value"]: 8 * MS, paths["compare"]: 1 * MS},
               {functions["get_slot"]: ("sampled", "budget", 40_000),
                functions["to_value"]: ("sampled", "budget", 0),
                functions["compare"]: ("sampled", "budget", 200_000),
                functions["log_event"]: ("off", "asked", 0)})
    sums(db, 1)


def make_ticked(db):
    make_estimates(db)
    db.execute("DELETE FROM trust WHERE name = 'sample_tick_ns'")
    trust(db, 1, 1, timer_samples=350)
    db.execute("UPDATE trust SET text = 'Permission denied' WHERE name = 'timer_samples'")


def make_unsampled(db):
    """Who called it has the time of what was counted, which may be any part of it."""
    run = open_run(db, 1, "budget", 230 * MS, overhead=5.0)
    paths, functions = interpreter(run)
    counted = [paths[name] for name in ("get_slot", "to_value", "compare")]
    for path in counted:
        run.paths[paths["execute"]]["self_ns"] += run.paths[path]["self_ns"]
        run.paths[path]["self_ns"] = 0
    trust(db, 1, 1, hook_calls=run.store(), counted_functions=3, stopped_functions=3,
          sampling_refused=1)
    db.execute("UPDATE trust SET text = 'Permission denied' WHERE name = 'sampling_refused'")
    set_errors(db, run, {}, {functions["get_slot"]: ("counted", "budget", 0),
                             functions["to_value"]: ("counted", "budget", 0),
                             functions["compare"]: ("counted", "budget", 0)})
    db.executemany("UPDATE path SET self_error_ns = 163000000, total_error_ns = 163000000 "
                   "WHERE path_id = ?", [[path] for path in counted])
    db.execute("UPDATE function SET self_error_ns = 163000000, total_error_ns = 163000000 "
               "WHERE recording = 'counted'")
    sums(db, 1)


def make_drowned(db):
    run = open_run(db, 1, "exact", 2_600 * MS)
    paths, _ = interpreter(run)
    trust(db, 1, 1, hook_calls=run.store())
    set_errors(db, run, {paths["execute"]: 90 * MS, paths["get_slot"]: 130 * MS,
                         paths["to_value"]: 60 * MS, paths["compare"]: 9 * MS})
    sums(db, 1)


def program(db, run_id, label, calls, noise, work_us):
    """What the hooks took is in the wall time."""
    hooks_ns = int(calls * (INNER + OUTER))
    run = open_run(db, run_id, label, 20 * MS + (10_000 + work_us) * noise + calls + hooks_ns)

    def function(name, line):
        return run.function(name, module_id=run_id, file="/src/app.c", line=line)

    root = run.path(None, function("main", 10), 1, 10_000 * noise)
    work = run.path(root, function("work", 20), 500, work_us * noise)
    check = run.path(work, function("check", 30), calls, calls)
    trust(db, run_id, run_id, hook_calls=run.store())
    set_errors(db, run, {work: int(calls * ERROR / 2), check: int(calls * ERROR / 2)})
    sums(db, run_id)


def make_fewer(db):
    for number in range(15):
        label = ("before", "after", "better")[number % 3]
        noise = 1000 + (3, 0, 4, 1, 5)[number // 3]
        program(db, number + 1, label, 4_000_000 if label == "before" else 1_000_000, noise,
                60_000 if label == "better" else 150_000)


def one_of_levels(db, run_id, is_budget, noise):
    run = open_run(db, run_id, "budget" if is_budget else "exact", (160 + noise) * MS,
                   overhead=5.0 if is_budget else None)

    def function(name, line):
        return run.function(name, module_id=run_id, file="/src/interpreter.c", line=line)

    names = ("main", "execute", "get_slot", "keep", "write")
    functions = {name: function(name, 10 * line) for line, name in enumerate(names, 1)}
    root = run.path(None, functions["main"], 1, 4 * MS)
    execute = run.path(root, functions["execute"], 12, (35 if is_budget else 60 + noise) * MS)
    slot = run.path(execute, functions["get_slot"], 300_000, (52 if is_budget else 31) * MS)
    keep = run.path(execute if is_budget else slot, functions["keep"], 900, 2 * MS)
    run.path(root, functions["write"], 5, (20 + noise) * MS)
    run.site(keep, "/src/interpreter.c", 43, 900, 64, live=3)
    trust(db, run_id, run_id, hook_calls=run.store())
    set_errors(db, run, {execute: 2 * MS, slot: 2 * MS},
               {functions["get_slot"]: ("sampled", "budget", 4_000)} if is_budget else {})
    sums(db, run_id)
    if run_id == 2:
        # half of the work; calls that have a frame, and time that is still their callers'
        insert(db, "snapshot", snapshot_id=1, run_id=2, process_id=2, number=1, label="half",
               taken_by="call", time_ns=80 * MS, live_count=0, live_bytes=0, alloc_count=450,
               alloc_bytes=450 * 64)
        for path, calls, total, own in (
                (root, 1, 60 * MS, 2 * MS), (execute, 6, 45 * MS, 43 * MS),
                (slot, 2_000, 1 * MS, 1 * MS), (keep, 450, 1 * MS, 1 * MS)):
            insert(db, "snapshot_path", process_id=2, path_id=path, snapshot_id=1, until_id=2,
                   calls=calls, total_ns=total, self_ns=own)


def make_levels(db):
    for number in range(8):
        one_of_levels(db, number + 1, number % 2 == 1, (3, 0, 4, 1)[number // 2])


def one_longer(db, run_id, label, noise):
    more_us = 12_000 if label == "after" else 0
    run = open_run(db, run_id, label, 100 * MS + (more_us + 400 * noise) * 1000, overhead=5.0)

    def function(name, line):
        return run.function(name, module_id=run_id, file="/src/interpreter.c", line=line)

    names = ("main", "execute", "get_slot")
    functions = {name: function(name, 10 * line) for line, name in enumerate(names, 1)}
    root = run.path(None, functions["main"], 1, 4 * MS)
    execute = run.path(root, functions["execute"], 12, (45_000 + more_us + 400 * noise) * 1000)
    slot = run.path(execute, functions["get_slot"], 300_000, 40 * MS)
    trust(db, run_id, run_id, hook_calls=run.store())
    set_errors(db, run, {execute: 20 * MS, slot: 20 * MS},
               {functions["get_slot"]: ("sampled", "budget", 4_000)})
    sums(db, run_id)


def make_longer(db):
    for number in range(10):
        one_longer(db, number + 1, ("before", "after")[number % 2],
                   (3, 0, 4, 1, 5)[number // 2])


def make_waiting(db):
    program(db, 1, "busy", 4_000_000, 1000, 300_000)
    insert(db, "resource", run_id=1, process_id=1, time_ns=400 * MS, cpu_percent=50,
           rss_bytes=1 << 20, minor_faults=0, major_faults=0, thread_count=1,
           cpu_wait_ns=200 * MS)


def make_asleep(db):
    """The same program, which sleeps for nine tenths of ten times as long."""
    make_estimates(db)
    more = 9 * 230 * MS
    db.execute("UPDATE run SET wall_ns = wall_ns + ?", [more])
    db.execute("UPDATE thread SET wall_ns = wall_ns + ?", [more])
    for table, where in (("path", "parent_path_id IS NULL"), ("function", "name = 'main'")):
        db.execute(f"""UPDATE {table} SET (self_ns, total_ns, raw_self_ns, raw_total_ns,
            self_blocked_ns, blocked_ns) = (self_ns + :more, total_ns + :more,
            raw_self_ns + :more, raw_total_ns + :more, :more, :more) WHERE {where}""",
                   {"more": more})
    tell_apart(db, 0, 90)


def make(db, kind):
    {"estimates": make_estimates, "asleep": make_asleep, "drowned": make_drowned, "fewer": make_fewer,
     "levels": make_levels, "longer": make_longer, "waiting": make_waiting,
     "ticked": make_ticked, "unsampled": make_unsampled}[kind](db)
