# SPDX-License-Identifier: MIT
"""A run with studied functions: handle was slow for every reason that there is, once each;
polish never was; of parse only slow calls are there, all alike; and tick is a step that no call held."""
from make_db import MS, Run, begin, insert, sums, trust

WAIT = 3
# path: parent, kind, calls of one usual call of handle, its self time there in us, allocations
SHAPE = {
    "main": (None, 0, 0, 0, 0), "handle": ("main", 0, 1, 2, 0), "enter": ("handle", 0, 1, 1, 0),
    "pthread_mutex_lock": ("enter", WAIT, 0, 0, 0), "fill": ("handle", 0, 1, 4, 2),
    "rebuild": ("handle", 0, 0, 0, 0), "sort": ("rebuild", 0, 0, 0, 0),
    "answer": ("handle", 0, 1, 1, 0), "look_up": ("answer", 0, 4, 8, 0),
    "print": ("answer", 0, 1, 3, 0), "parse": ("main", 0, 0, 0, 0),
    "polish": ("main", 0, 0, 0, 0),
}
# what a slow call did otherwise: path, calls, self time, blocked, allocations, bytes, first
SLOW = (
    (({"path": "look_up", "calls": 200_000, "self": 400},), {}),
    (({"path": "fill", "calls": 1, "self": 300, "allocs": 20_000, "bytes": 80 << 20},),
     {"ready": 100}),
    (({"path": "pthread_mutex_lock", "calls": 1, "self": 200, "blocked": 199, "first": 1},),
     {"stall": True}),
    (({"path": "rebuild", "calls": 1, "self": 1, "first": 1},
      {"path": "sort", "calls": 1, "self": 150, "first": 1}), {"beside": 3}),
    (({"path": "fill", "calls": 1, "self": 100, "blocked": 95},), {"folded": 2}),
    (({"path": "print", "calls": 1, "self": 80},), {}),
    (({"path": "enter", "calls": 1, "self": 9}, {"path": "fill", "calls": 1, "self": 9},
      {"path": "look_up", "calls": 4, "self": 9}, {"path": "print", "calls": 1, "self": 9}), {}),
)


def part(db, ids, path, calls, self_ns, allocs=0, size=0, blocked=0, ready=0, first=0):
    insert(db, "study_part", **ids, path_id=path, is_first=first, calls=calls,
           total_ns=self_ns, self_ns=self_ns, alloc_count=allocs, alloc_bytes=size,
           ready_ns=ready, blocked_ns=blocked)


def one_case(db, study, number, path, duration, **facts):
    ids = {"run_id": 1, "study_id": study, "case_id": number}
    insert(db, "study_case", **ids, process_id=1, lane_id=1, path_id=path, number=number * 1000,
           started_ns=number * 500 * MS, duration_ns=duration, beside_ns=0,
           **{"is_slow": 1, "ready_ns": 0, "beside_calls": 0, "folded_parts": 0, **facts})
    return ids


def slow_case(db, paths, number, others, facts):
    """The usual call with the others in place of what it does there."""
    done = {other["path"]: other for other in others}
    beside = facts.get("beside", 0)
    ready = facts.get("ready", 0) * MS
    duration = sum(other["self"] for other in others) * MS
    ids = one_case(db, 1, number, paths["handle"], duration + ready, ready_ns=ready,
                   beside_calls=beside, folded_parts=facts.get("folded", 0))
    for name, (_, _, calls, self_us, allocs) in SHAPE.items():
        other = done.get(name)
        if other:
            part(db, ids, paths[name], other["calls"], other["self"] * MS +
                 (ready if name == others[0]["path"] else 0), other.get("allocs", 0),
                 other.get("bytes", 0), other.get("blocked", 0) * MS,
                 ready if name == others[0]["path"] else 0, other.get("first", 0))
        elif calls:
            part(db, ids, paths[name], calls * (1 + beside), self_us * 1000 * (1 + beside),
                 allocs * (1 + beside), 64 * allocs * (1 + beside))
    if facts.get("stall"):
        insert(db, "stall", run_id=1, process_id=1, lane_id=1,
               started_ns=number * 500 * MS + MS, wait_ns=198 * MS, kind="mutex", lock_id=1,
               waiter_path_id=paths["enter"], holder_lane_id=1, holder_path_id=paths["sort"])


def usual_case(db, paths, number):
    ids = one_case(db, 1, number, paths["handle"], 19_000, is_slow=0)
    for name, (_, _, calls, self_us, allocs) in SHAPE.items():
        if calls:
            part(db, ids, paths[name], calls, self_us * 1000, allocs, 64 * allocs)


def study(db, number, path, calls, **facts):
    insert(db, "study", run_id=1, study_id=number, path_id=path, started_ns=MS, calls=calls,
           total_ns=1_500 * MS, alone_calls=900, missed_calls=facts.pop("missed_calls", 0),
           cost_ns=3 * MS, **{"reason": 1, "ready_calls": 0, "ready_ns": 0, "folded_paths": 0,
                              **facts})


def make(db):
    begin(db, 1, "./serve", 5_000 * MS, (500, "serve"), label="why", executable=None)
    run = Run(db, 1, 100)
    paths = {}
    for name, (parent, kind, calls, self_us, _) in SHAPE.items():
        function = run.function(name, file="/home/user/src/serve.c", line=10 * len(paths) + 4)
        paths[name] = run.path(paths.get(parent), function, max(40_000 * calls, 1),
                               max(40_000 * self_us * 1000, MS), kind=kind)
    trust(db, 1, 1, hook_calls=run.store())
    sums(db, 1)
    db.execute("UPDATE function SET p50_ns = 19000 WHERE name = 'handle'")
    db.execute("UPDATE function SET p50_ns = 1000000 WHERE name IN ('parse', 'polish')")
    insert(db, "lock", run_id=1, lock_id=1, process_id=1, name="cache_lock", named_by="variable",
           kind="mutex", address=4096, lock_count=40_000, wait_count=1, wait_ns=198 * MS,
           max_wait_ns=198 * MS, hold_count=0, hold_ns=0, max_hold_ns=0, block_offset=0)
    study(db, 1, paths["handle"], 40_000, ready_calls=17, ready_ns=223 * MS, folded_paths=2)
    for number, (others, facts) in enumerate(SLOW, 1):
        slow_case(db, paths, number, others, facts)
    for number in range(20, 24):
        usual_case(db, paths, number)
    study(db, 2, paths["polish"], 500, reason=2)
    part(db, one_case(db, 2, 1, paths["polish"], MS + MS // 4), paths["polish"], 1, MS)
    study(db, 3, paths["parse"], 9, reason=2, missed_calls=4)
    for number, took in enumerate((30, 28, 26), 1):
        part(db, one_case(db, 3, number, paths["parse"], took * MS), paths["parse"], 1, took * MS)
    study(db, 4, 0, 60, reason=2, step="tick")
    for number in range(1, 7):
        ids = one_case(db, 4, number, 0, (12 if number == 1 else 1) * MS, is_slow=int(number == 1))
        part(db, ids, 0, 1, MS // 2)
        part(db, ids, paths["polish"], 1, (11 * MS if number == 1 else 0) + MS // 2)
