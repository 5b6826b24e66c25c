# SPDX-License-Identifier: MIT
"""Cases for check_time_rules.py: locks (L1 to L3), threads that take turns (L4), and what
calls of libc moved (I1 to I3).
"""
from make_times import MS, SECOND, node
from time_cases import HIGH, LOW, MEDIUM, case, found

NOT_APART = "not told apart"
LANES = {"lanes": (0, 0, 0), "cpus": 8}


def locked(ns=200 * MS, count=100, threads=3, holder="compute", ready=0, blocked=0, known=True,
           late=0, library=None, **lock):
    """Threads that wait in work() for a lock, ns each; who held it was in compute(), or in a
    call of libc. ready, blocked: of 100 ns there. late: what the waiters then waited for a
    CPU. library: a function that locks for work(). Returns nodes and the lock."""
    kind = 0 if holder == "compute" else 3
    nodes = [node("work", 0, 1000, lanes={lane: 0 for lane in range(threads)}),
             *[node(library, 0, count, "work", is_library=1)] * bool(library),
             node("pthread_mutex_lock", 0, count, library or "work", 3, ready=late,
                  lanes={lane: ns for lane in range(threads)}),
             node(holder, 100, 1, "work", kind, ready=ready, blocked=blocked)]
    one = dict(name="table", waiter=library or "work", holder=holder if known else None,
               taken=(library or "work") if known else None, wait_count=count, wait_ns=threads * ns,
               threads=threads,
               **lock)
    return dict(nodes=nodes, locks=[one])


def look(rule, what, wanted, limits=None, times=None, beside=(), **values):
    made = locked(**values)
    return case(rule, what, wanted, *made["nodes"], *beside, limits=limits, locks=made["locks"],
                **{**LANES, **(times or {})})


# What is held for long is no convoy.
LONG = {"hold_count": 100, "hold_ns": 100 * MS}
SHORT = {"hold_count": 100, "hold_ns": 100 * 50_000}


def contended():
    """L1"""
    said = "threads wait for table in main > work while its holder computed in main > work > compute"
    yield look("L1", "run_share", found(saves=50, says=said, **HIGH, shows={
        "longest waiter, share of the run": 5, "waits": 100, "threads that waited": 3,
        "its holder computed": 100, "held for": MS}), ns=50 * MS, **LONG)
    yield look("L1", "run_share", None, ns=50 * MS - 1, **LONG)
    for count, one in ((10, found()), (9, None)):
        yield look("L1", "least_waits", one, count=count, **LONG)
    # its holder waited for a CPU for a half: 200 ms of 400
    yield look("L1", "without a CPU", found(saves=100, says="had no CPU"), ready=50, **LONG)
    # of what it and the functions that it calls without frames took: 50 ns of 200
    yield look("L1", "without a CPU, with what is counted", found(saves=150, says="computed"),
               ready=50, beside=[node("parse", 100, 9, "compute", way=4)], **LONG)
    yield look("L1", "the lock of who used it first", found(
        starts="holds the lock of work while 3 threads wait"), named_by="path", **LONG)
    # 400 ms of the run the thread wished for a CPU, in no function: the waits are as long
    # by the clock, and so is the run that they are a share of
    yield look("L1", "a CPU is waited for elsewhere", found(shows={
        "longest waiter, share of the run": 90}), ns=900 * MS, times={"unseen": 400 * MS}, **LONG)
    # a fifth of what all three waited
    yield look("L1", "a lock that is free", found(saves=160, starts="while 3 threads wait 480ms", shows={
        "waited": 480e6, "CPU wait after it was free": 120e6}), late=120 * MS, **LONG)
    yield look("L1", "by a library", found(), library="std::mutex::lock", **LONG)
    yield look("L1", "nobody known", found(**MEDIUM, says="is not known"), known=False, **LONG)
    # another thread computes: 100 ms of the only CPU are free, then 49
    for ms, one in ((900, found(saves=100)), (951, None)):
        yield look("L1", "no CPU free", one, times={"cpus": 1, "lanes": (0, 0, 0, 0)}, **LONG,
                   beside=[node("other", 0, 1, None, lanes={3: ms * MS})])
    yield look("L1", "not told apart", NOT_APART, times={"split": False}, **LONG)
    yield look("L1", "a condition", None, kind="condition", **LONG)


def asleep():
    """L2"""
    for blocked, one in ((50, found(saves=200, says="its holder slept", **HIGH, shows={
            "its holder slept or did I/O": 50})), (49, None)):
        yield look("L2", "asleep", one, blocked=blocked, **LONG)
    yield look("L2", "in a call", found(
        says="was in usleep()", starts="sleeps in usleep() while it holds table; 3 threads wait 600ms",
        advises="release table before usleep()"), holder="usleep", **LONG)
    yield look("L2", "in a call, without a CPU", found(
        saves=100, starts="sleeps in usleep()", shows={"its holder slept or did I/O": 100}),
        holder="usleep", ready=50, **LONG)
    yield look("L2", "moving data", found(
        says="was in write()", starts="is in write() while it holds table; 3 threads wait 600ms"),
        holder="write", **LONG)
    # it gives the lock up there, or has just got it
    for name in ("pthread_cond_wait", "pthread_mutex_lock"):
        yield look("L2", "a call that is none", None, holder=name, blocked=100, **LONG)
    for ns, one in ((50 * MS, found()), (50 * MS - 1, None)):
        yield look("L2", "run_share", one, ns=ns, holder="usleep", **LONG)
    for count, one in ((10, found()), (9, None)):
        yield look("L2", "least_waits", one, count=count, holder="usleep", **LONG)


def convoys():
    """L3"""
    yield look("L3", "hold_ns", found(saves=200, says="3 threads queue for table", **HIGH),
               hold_count=1, hold_ns=100_000)
    yield look("L3", "hold_ns", None, hold_count=1, hold_ns=100_001)
    # its holder waited for a CPU for a half
    for ns, one in ((200_000, found(shows={"held for": 100_000})), (200_002, None)):
        yield look("L3", "hold_ns, without a CPU", one, hold_count=1, hold_ns=ns, ready=50)
    for threads, one in ((3, found()), (2, None)):
        yield look("L3", "threads", one, threads=threads, **SHORT)
    for count, one in ((50, found()), (49, None)):
        yield look("L3", "least_waits", one, count=count, **SHORT)
    # 600 ms by 3000: 200 us
    for ns, one in ((66_666, found()), (66_668, None)):
        yield look("L3", "queue", one, count=3000, hold_count=1, hold_ns=ns)
    # half of the run's second
    for count, one in ((10_000, found()), (10_001, None)):
        yield look("L3", "busy", one, lock_count=count, **SHORT)
    for ns, one in ((50 * MS, found()), (50 * MS - 1, None)):
        yield look("L3", "run_share", one, ns=ns, **SHORT)
    yield look("L3", "how long it was held is not known", None)


def turns():
    """L4"""
    def two(first, second, met=1.0, **times):
        """Threads that compute so many ms of a second, and sleep for each other else."""
        return case("L4", what, one, *(
            node("thread%d" % lane, work * MS, 1, None, lanes={lane: work * MS})
            for lane, work in enumerate((first, second))), *(
                node(name, 0, 9, "thread%d" % lane, 3,
                     lanes={lane: int((1000 - work) * part) * MS},
                     blocked=int((1000 - work) * part) * MS)
                for lane, work in enumerate((first, second))
                for name, part in (("pthread_cond_wait", met), ("read", 1 - met))),
            has_main=False, **{"lanes": (0, 0), **times})
    anywhere = found(function=None)
    for what, values, one in (
            ("cpus_most", (700, 700), found(function=None, saves=300, **MEDIUM, shows={
                "threads that work": 2, "CPUs used by all": 1.4,
                "blocked on one another, of their blocked time": 100, "CPUs": 2})),
            ("cpus_most", (701, 700), None),
            ("cpus_least", (250, 250), anywhere), ("cpus_least", (250, 249), None),
            ("workers", (700, 100), anywhere), ("workers", (700, 99), None),
            ("busiest", (800, 150), anywhere), ("busiest", (801, 150), None),
            ("thread_share", (600, 100), anywhere), ("thread_share", (600, 99), None),
            ("met", (500, 500, 0.6), anywhere), ("met", (500, 500, 0.59), None)):
        yield two(*values)
    for share, one in ((0.3, anywhere), (0.31, None)):
        yield two_limited(two, share, one)


def two_limited(two, share, one):
    made = two(700, 700)
    return made._replace(what="run_share", wanted=one, limits={"run_share": share})


def moved(rule, name, count, ns, what, one, limits=None, bytes_each=1, sequential=None,
          kind="file", operation=None, **values):
    """Calls of libc in work() that took ns of a second."""
    names = (name, *(("close",) if operation == "open" else ()))
    return case(rule, what, one, node("work", MS, 100),
                *(node(name, ns // len(names), count, "work", 4) for name in names),
                transfers=[dict(path=name, kind=kind, calls=count, bytes=count * bytes_each,
                                total_ns=ns // len(names), small_calls=count,
                                sequential_calls=count if sequential is None else sequential)
                           for name in names], limits=limits, **values)


def by_two_paths():
    """How often by each path is an estimate; together they are exact, and one finding."""
    calls = {"one": 600, "other": 400}
    nodes = [node("main", 0, 0, None)]
    for place, (above, count) in enumerate(calls.items()):
        nodes += [node(above, 0, 1, 0), node("work", MS, 100, 3 * place + 1),
                  node("read", 25 * MS, count, 3 * place + 2, 4)]
    return case("I1", "two paths", found(shows={"calls": 1000, "share of the run": 5},
                                         starts="calls read() 1,000 times for 1B each"),
                *nodes[1:], transfers=[dict(path=number, kind="file", calls=count, bytes=count,
                                        total_ns=25 * MS, small_calls=count, sequential_calls=count)
                                   for number, count in ((3, 600), (6, 400))])


def small():
    """I1"""
    def reads(what, one, count=1000, ns=50 * MS, **values):
        return moved("I1", values.pop("name", "read"), count, ns, what, one, **values)
    told = {"calls": 1000, "mean size": 512, "sequential": 50, "share of the run": 5,
            "time per call": 50_000}
    yield reads("mean_bytes", found(saves=43.75, shows=told, **HIGH,
                                    says="it calls read() for each small piece of /var/data"),
                bytes_each=512, sequential=500)
    yield reads("mean_bytes", None, bytes_each=513)
    yield reads("least_calls", found())
    yield reads("least_calls", None, 999)
    yield reads("sequential", found(), sequential=500)
    yield reads("sequential", None, sequential=499)
    yield reads("run_share", found())
    yield reads("run_share", None, ns=50 * MS - 1000)
    yield reads("page_bytes", found(saves=50 * 4095 / 4096))
    yield reads("page_bytes", found(saves=25), limits={"page_bytes": 2})
    yield by_two_paths()
    yield reads("a message", None, kind="pipe")
    yield reads("a stream, which libc fills", None, name="fgets")


def syncs():
    """I2"""
    def synced(what, one, count=20, ns=50 * MS, **values):
        return moved("I2", "fsync", count, ns, what, one, bytes_each=0, **values)
    yield synced("least_calls", found(saves=50, says="fsync() for the disk each time, for /var/data",
                                      **HIGH, shows={"syncs": 20, "share of the run": 5,
                                                     "time per sync": 2.5 * MS}))
    yield synced("least_calls", None, 19)
    yield synced("run_share", found())
    yield synced("run_share", None, ns=50 * MS - 20)
    yield synced("weight", found(saves=50, impact=0.025))
    yield synced("weight", found(saves=50, impact=0.01), limits={"weight": 0.2})


def opens():
    """I3"""
    def opened(what, one, count=100, ns=30 * MS, **values):
        return moved("I3", "open", count, ns, what, one, bytes_each=0, operation="open", **values)
    yield opened("least_opens", found(saves=29.7, says="it opens /var/data anew each time", **HIGH, shows={
        "openings": 100, "opening and closing, share of the run": 3, "each time": 300_000},
        starts="opens data 100 times", advises="keep it open"))
    yield opened("least_opens", None, 99)
    yield opened("run_share", found())
    yield opened("run_share", None, ns=30 * MS - 200)
    yield opened("another's socket", None, kind="socket")
    for name, operation, advice in (("write", 2, "fflush()"), ("read", 1, "lseek()")):
        yield case("I3", "what is moved: " + name, found(advises=advice),
                   node("work", MS, 100), node("open", 60 * MS, 100, "work", 4),
                   node(name, MS, 100, "work", 4), transfers=[
                       dict(path=path, kind="file", calls=100, bytes=size, total_ns=ns,
                            small_calls=0, sequential_calls=0)
                       for path, size, ns in (("open", 0, 60 * MS), (name, 100 * operation, MS))])


def by_libraries():
    """What a library calls is told of the user's function that calls the library."""
    below = [node("work", MS, 100), node("std::flush", MS, 1000, "work", is_library=1)]
    yield case("I1", "by a library", found(starts="calls write() 1,000 times"), *below,
               node("write", 50 * MS, 1000, "std::flush", 4), transfers=[
                   dict(path="write", kind="file", calls=1000, bytes=1000, total_ns=50 * MS,
                        small_calls=1000, sequential_calls=1000)])
    yield case("W1", "by a library", found(), *below,
               node("usleep", 200 * MS, 1, "std::flush", 3, blocked=200 * MS, max_ns=200 * MS))
    yield case("R1", "by a library", found(function="work", advises="wait for the event"), *below,
               node("usleep", 800 * MS, 9, "std::flush", 3, blocked=800 * MS))


LOCK_CASES = (contended, asleep, convoys, turns, small, syncs, opens,
              by_libraries)
