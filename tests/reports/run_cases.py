# SPDX-License-Identifier: MIT
"""Cases for check_time_rules.py: how calls differ (T7, T8), the shape and the resources of a run
(T11 to T13, M11, R1 to R4), and which finding stands for which.
"""
from check_explained import calls
from make_times import MS, PAGE, SECOND, node, sample
from time_cases import HIGH, LOW, MEDIUM, MILLION, both, case, found, work

NEVER_CALLED = "no calls were counted"
TOO_SHORT = "too short for samples"
BRIEF = "lived too briefly"
NO_SAMPLES = "no samples"
NO_MORE = "less than half of the run"
# A gain of less than 10 ms counts in proportion: for each microsecond.
SHORT = 1e-4


def spread(*groups, self_part=1, hist_by=1, hooks=0, wall=None, tick=1000, cost=0, parts=None,
           ready=0, blocked=0, **rest):
    """The nodes and the run of a function whose calls took so many ticks, half of the run.
    Up to 15 ticks are exact in a histogram. hist_by: what the histogram has more. parts: of
    what is its own, by lane. ready, blocked: ticks that it waited for a CPU, and slept."""
    shape = calls(*groups)
    total = shape["raw_total_ns"] * tick
    own = int(total * self_part)
    values = {key: rest.pop(key) for key in ("alloc_count",) if key in rest}
    one = node("work", own, shape["calls"], hooks=hooks,
               lanes={lane: int(own * part) for lane, part in (parts or {0: 1}).items()},
               histogram=shape["histogram"], raw_total_ns=int(total / hist_by),
               ready=ready * tick, blocked=blocked * tick, **values)
    below = [node("inner", total - own, 1, "work")] if own < total else []
    wall = wall or 2 * total + hooks
    return [one, *below], dict(rest, wall=wall, tick=tick, cost=cost)


def look_at(rule, what, wanted, *groups, limits=None, beside=None, **rest):
    nodes, times = spread(*groups, **rest)
    return case(rule, what, wanted, *nodes, limits=limits, beside=beside, **times)


# p50 1 tick, p90 2, p99 10; the slowest 1 % 150 of 1500 ticks
TAIL = ((1, 638), (2, 351), (10, 1), (15, 10))
CLEAR = ((1, 989), (10, 1), (15, 10))


def tails():
    """T7"""
    yield look_at("T7", "least_calls", found(**MEDIUM, shows={
        "p99 over p50": 10, "slowest 1 % of the calls, share of its time": 100 * 150 / 1149, "p50": 1000,
        "p99": 10_000, "calls": 1000, "share of the run": 50}), *CLEAR)
    yield look_at("T7", "least_calls", None, (1, 988), *CLEAR[1:])
    yield look_at("T7", "p99_by_p50", found(), *CLEAR)
    yield look_at("T7", "p99_by_p50", None, *CLEAR[:1], (9, 1), (15, 10))
    # 10 us by 1.02 us
    yield look_at("T7", "hooks in the durations", None, *CLEAR, cost=20)
    yield look_at("T7", "tail_share", found(), *TAIL)
    yield look_at("T7", "tail_share", None, (1, 637), (2, 352), *TAIL[2:])
    # 150 of 1149 ticks are the tail's, 149 beyond the median
    total = 1149
    yield look_at("T7", "run_share", found(saves=149 / 1000), *CLEAR, wall=total * 20_000)
    yield look_at("T7", "run_share", None, *CLEAR, wall=total * 20_000 + 100)
    for weight in (0.4, 0.2):
        yield look_at("T7", "weight", found(saves=149 / 1000, impact=149 * weight / total * SHORT * 149), *CLEAR,
                      wall=total * 1000, limits={"weight": weight})
    yield look_at("T7", "as far as it is its own", found(saves=149 / 1000), *CLEAR,
                  self_part=0.5, tick=2000)
    yield look_at("T7", "broad", found(**MEDIUM), (1, 899), (4, 90), (10, 1), (30, 10))
    yield look_at("T7", "broad", found(**LOW), (1, 899), (5, 90), (10, 1), (30, 10))
    # 49.5 by 10 ticks
    yield look_at("T7", "broad", found(**MEDIUM), (10, 899), (48, 90), (500, 11))
    yield look_at("T7", "broad", found(**MEDIUM), (1, 899), (5, 90), (15, 1), (30, 10), cost=20)
    for below, p50 in ((500, 1000), (499, 2000)):
        yield look_at("T7", "the median", found(shows={"p50": p50}), (1, below),
                      (2, 989 - below), (300, 11))
    for wall, one in ((total * 10_000, found(saves=149 / 2000)), (total * 10_000 + 100, None)):
        yield look_at("T7", "run_share", one, *CLEAR, wall=wall, lanes=(0, 0),
                      parts={0: .5, 1: .5})
    yield look_at("T7", "least_by_hooks", found(), *CLEAR, hooks=total * 1000)
    yield look_at("T7", "least_by_hooks", None, *CLEAR, hooks=total * 1000 + 1)
    yield look_at("T7", "allocs_per_call", found(), *CLEAR, alloc_count=249)
    yield look_at("T7", "allocs_per_call", None, *CLEAR, alloc_count=250)
    yield look_at("T7", "a recursion", None, *CLEAR, hist_by=1.16)
    yield look_at("T7", "hardly a recursion", found(), *CLEAR, hist_by=1.14)
    # 50 slow calls of 1000 are a mode, 49 are not
    yield look_at("T7", "two kinds", None, (1, 950), (15, 40), (30, 10))
    yield look_at("T7", "not two kinds", found(), (1, 951), (15, 39), (30, 10))
    # (149 - 37) / (1149 - 37)
    for ready, one in ((37, found()), (38, None)):
        yield look_at("T7", "tail_share, less waits for a CPU", one, *CLEAR, ready=ready)
        yield look_at("T7", "tail_share, less waits", one, *CLEAR, blocked=ready)
    # the slowest 10 calls took some 1000 ticks: waits may be all of that
    for ready, one in ((800, found(**MEDIUM)), (1100, found(says="unless they", **LOW))):
        yield look_at("T7", "slow, or without a CPU", one, (1, 638), (2, 351), (100, 11), ready=ready)
    yield case("T7", "no durations", "no durations of single calls", *work(SECOND // 2))


def modes():
    """T8"""
    few, total = ((1, 70), (10, 30)), 370
    yield look_at("T8", "least_calls", found(**MEDIUM, shows={
        "slow over fast": 10, "slow calls, share of its time": 100 * 300 / 370,
        "slow calls, share of its calls": 30, "mean of the fast ones": 1000, "mean of the slow ones": 10_000,
        "calls": 100}), *few)
    yield look_at("T8", "least_calls", None, (1, 70), (10, 29))
    yield look_at("T8", "mode_ratio", found(), *few)
    yield look_at("T8", "mode_ratio", None, (1, 70), (9, 30))
    yield look_at("T8", "hooks in the durations", None, *few, cost=1)
    yield look_at("T8", "most_calls", found(), (1, 700), (10, 300))
    yield look_at("T8", "most_calls", None, (1, 699), (10, 301))
    yield look_at("T8", "least_part", found(), (1, 9_500), (10, 500))
    yield look_at("T8", "least_part", None, (1, 9_501), (10, 499))
    yield look_at("T8", "run_share", found(saves=270 / 1000), *few, wall=total * 20_000)
    yield look_at("T8", "run_share", None, *few, wall=total * 20_000 + 100)
    for weight in (0.4, 0.2):
        yield look_at("T8", "weight", found(saves=270 / 1000, impact=270 * weight / total * SHORT * 270), *few,
                      wall=total * 1000, limits={"weight": weight})
    yield look_at("T8", "least_by_hooks", found(), *few, hooks=total * 1000)
    yield look_at("T8", "least_by_hooks", None, *few, hooks=total * 1000 + 1)
    yield look_at("T8", "allocs_per_call", found(), *few, alloc_count=24)
    yield look_at("T8", "allocs_per_call", None, *few, alloc_count=25)
    # 5 % of 2000; the steps of 8, 11 and 15 ticks are too near for a gap of their own
    near = {"limits": {"mode_ratio": 1.5, "slow_share": 0.1}}
    yield look_at("T8", "valley", found(), (8, 7000), (11, 100), (15, 2000), **near)
    yield look_at("T8", "valley", None, (8, 7000), (11, 101), (15, 2000), **near)
    yield look_at("T8", "a recursion", None, *few, hist_by=1.16)
    # (45 - 20) / (145 - 20)
    for ready, one in ((20, found()), (21, None)):
        yield look_at("T8", "slow_share", one, (1, 95), (10, 5), ready=ready)
        yield look_at("T8", "slow_share, less waits", one, (1, 95), (10, 5), blocked=ready)
    yield look_at("T8", "side by side", found(saves=270 / 2000), *few, lanes=(0, 0),
                  parts={0: .5, 1: .5})
    yield case("T8", "no durations", "no durations of single calls", *work(SECOND // 2))


def threads():
    """T11"""
    def three(*busy, under=None, **values):
        return [node("worker", 0, len(busy), under,
                     lanes={lane: ns * MS for lane, ns in enumerate(busy, 1)}, **values)]
    four = {"lanes": (0, 0, 0, 0), "cpus": 4}
    worker = {"function": "worker"}
    yield from both("T11", "longest_by_mean", found(saves=100, **worker, **HIGH, shows={
        "longest over mean": 1.5, "longest thread, share of the run": 30, "longest": 300e6,
        "mean": 200e6, "threads": 3, "CPUs": 4}), None,
                    lambda longest: three(longest, 150, 150), 300, 299, **four)
    yield from both("T11", "run_share", found(**worker), None,
                    lambda longest: three(longest, 50, 50), 200, 199, **four)
    # 600 ms of work take 300 on two CPUs, 299 fit
    for cpus, busy, one in ((2, (300, 150, 150), None), (2, (302, 150, 150), found(saves=1)),
                            (1, (900, 0, 0), None), (3, (400, 100, 100), found(saves=200)),
                            (8, (400, 100, 100), found(saves=200))):
        yield case("T11", "%d CPUs" % cpus, one, *three(*busy), lanes=four["lanes"], cpus=cpus)
    # 300 of 1000 ms in the first one
    for off in ("ready", "blocked"):
        yield case("T11", "waits are no work", found(saves=100), *three(600, 150, 150, **{off: 300 * MS}),
                   **four)
    yield case("T11", "each in its process", None, *three(300, 10, 10), lanes=(0, 1, 2, 3), cpus=4)
    yield case("T11", "of one process", found(saves=145), *three(300, 10, 10), lanes=(0, 1, 1, 2),
               cpus=4)
    yield case("T11", "no roots", None, *three(300, 10, 10, under="main"), **four)
    yield case("T11", "one thread", None, *three(300), lanes=(0, 0), cpus=4)


def shapes():
    """T12, T13"""
    def deep(depth):
        return [node("walk", 0, 10_000, under=level) for level in range(depth - 1)]
    yield from both("T12", "depth", found(
        severity="medium", saves=9.99 * 1.8, **HIGH, shows={
            "depth of the call stack": 1000, "activations of the function at once": 999,
            "calls on such paths": 9_990_000}), None,
                    deep, 1000, 999)
    yield case("T12", "call_ns", found(severity="critical", saves=9.99 * 50), *deep(1000),
               limits={"call_ns": 50})
    yield case("T12", "call_ns", found(saves=9.99 * 1.8), *deep(1000))
    yield case("T12", "no path", "no call path", has_main=False)
    yield case("T12", "of a library", found(function="main", starts="calls walk, which recurses"),
               *(dict(one, values={"is_library": 1}) for one in deep(1000)))

    def before(ns, name="main", **values):
        return [node("init", ns, 1, None, **values), node(name, MS, 1, None)]
    start = {"has_main": False}
    init = found(saves=200, function="init", says="constructors", **HIGH, shows={
        "start-up": 300e6, "share of the run": 30, "before main()": 300e6})
    yield from both("T13", "run_share", init, None, before, 300 * MS, 300 * MS - 1, **start)
    yield from both("T13", "least_ns", found(function="init"), None, before, 500 * MS,
                    500 * MS - 1, wall=4 * SECOND, **start)
    yield from both("T13", "never_ns", found(saves=17.9), None, before, 20 * MS, 20 * MS - 1,
                    wall=20 * MS, **start)
    yield case("T13", "usual_share", found(saves=200), *before(300 * MS), **start)
    yield case("T13", "usual_share", found(saves=100), *before(300 * MS),
               limits={"usual_share": 0.2}, **start)
    # who has half of it is named
    for first, name in ((150, "early"), (149, "load")):
        yield case("T13", "several constructors", found(saves=200, function=name),
                   node("early", first * MS, 1, None), node("load", (300 - first) * MS, 1, None),
                   *before(0), **start)
    yield case("T13", "many constructors", found(saves=200, function="main"),
               *(node("init%d" % number, 100 * MS, 1, None) for number in range(3)),
               node("main", MS, 1, None), **start)
    loaded = found(saves=200, function="main", says="the first step 'frame'", **MEDIUM, shows={
        "start-up": 300e6, "before main()": 0})
    yield case("T13", "before the first step", loaded, *before(0)[1:], step_ns=300 * MS, **start)
    # half of the run was the hooks', so also half of its start
    hooked = [*before(0)[1:], node("work", 0, 1, hooks=500 * MS)]
    yield case("T13", "hooks before the first step", found(
        saves=100, function="main", shows={"start-up": 150e6, "share of the run": 30}),
               *hooked, step_ns=300 * MS, **start)
    yield case("T13", "hooks before the first step", None, *hooked, step_ns=299 * MS, **start)
    yield case("T13", "constructors, then steps", init, *before(300 * MS), step_ns=299 * MS,
               **start)
    yield case("T13", "no main", "main() is not instrumented", *before(300 * MS, "run"), **start)
    yield case("T13", "after main", None, *reversed(before(300 * MS)), **start)
    yield case("T13", "in another thread", None, node("init", 0, 1, None, lanes={1: 300 * MS}),
               node("main", MS, 1, None), lanes=(0, 0), **start)
    yield case("T13", "in the thread of main", init,
               node("init", 0, 1, None, lanes={0: 300 * MS}), node("main", MS, 1, None),
               lanes=(0, 0), **start)


def faults():
    """M11"""
    def storm(**values):
        return [sample(100, **{**dict(minor_faults=10_000), **values})]
    run = {"function": None}
    yield case("M11", "minor_per_s", found(
        saves=14.9985, crosses={"page faults"}, **run, **HIGH, shows={
            "page faults": 10_000, "beyond the largest RSS": 9_999, "cost of a fault": 1500,
            "faults that read from a disk": 0}), samples=storm())
    yield case("M11", "minor_per_s", None, samples=storm(minor_faults=9_999))
    yield case("M11", "repeated_part", found(saves=7.5), samples=storm(rss_bytes=5_000 * PAGE))
    yield case("M11", "repeated_part", None, samples=storm(rss_bytes=5_001 * PAGE))
    yield case("M11", "minor_ns", found(saves=99.99), samples=storm(),
               limits={"minor_ns": 10_000})
    yield case("M11", "minor_ns", found(saves=14.9985), samples=storm())
    for count, one in ((1_000, found(saves=0, crosses={"faults that read from a disk"})), (999, None)):
        yield case("M11", "major_count", one,
                   samples=storm(minor_faults=count, rss_bytes=count * PAGE, major_faults=count))
    yield case("M11", "major_ns", found(saves=0),
               samples=storm(minor_faults=1000, rss_bytes=1000 * PAGE, major_faults=1000))
    yield case("M11", "major_ns", found(saves=100), limits={"major_ns": 100_000},
               samples=storm(minor_faults=1000, rss_bytes=1000 * PAGE, major_faults=1000))
    # no more than was computed, and by so many threads at once
    yield case("M11", "little computed", found(saves=5),
               samples=[sample(.5, minor_faults=10_000)])
    yield case("M11", "a busy machine", found(saves=14.9985, impact=14.9985 / 500),
               samples=[sample(50, minor_faults=10_000)], ready=500 * MS)
    yield case("M11", "side by side", found(saves=14.9985 / 2),
               samples=[sample(200, minor_faults=10_000)])
    yield case("M11", "two processes", found(saves=29.997), node("main", 1, 1, None, lanes={1: 1}),
               lanes=(0, 1), samples=[sample(50, minor_faults=10_000),
                                      sample(50, minor_faults=10_000, process=1)])
    # a shell that waits for the program
    yield case("M11", "a process without calls", found(saves=14.9985), lanes=(0, 1),
               samples=[sample(100, minor_faults=10_000),
                        sample(0, minor_faults=0, process=1)])
    yield case("M11", "the smaller RSS", None, samples=[
        sample(100, at=SECOND // 2, minor_faults=5_000, rss_bytes=9_000 * PAGE),
        sample(100, minor_faults=10_000)])
    yield case("M11", "no samples", NO_SAMPLES, samples=())
    # what was held when the later faults were seen is not known
    yield case("M11", "an early RSS", None, samples=[
        sample(100, at=SECOND // 2, minor_faults=900, rss_bytes=900 * PAGE),
        sample(100, minor_faults=10_000, rss_bytes=None)])
    for span, one in ((50 * MS, found()), (50 * MS - 1, TOO_SHORT)):
        yield case("M11", "a short look", one, samples=storm(at=span), wall=100 * MS)


def cpus():
    """R1 to R4"""
    run, two = {"function": None}, {"lanes": (0, 0)}
    for blocked, one in ((500 * MS, found(saves=500, function="main", **MEDIUM, shows={
            "CPU used, without CPU wait": 50, "computed": 500e6, "CPU wait": 0,
            "blocked": 500e6, "threads": 1})), (500 * MS - 10_000, None)):
        yield case("R1", "cpu", one, blocked=blocked)
    # 400 ms of 800 in which no CPU was waited for
    for ready, one in ((200, found(saves=400, impact=0.5, function="main", shows={
            "CPU used, without CPU wait": 50, "CPU wait": 200e6})), (200.01, None)):
        yield case("R1", "waits for a CPU", one, blocked=(600 * MS - int(ready * MS)),
                   ready=int(ready * MS))
    # the recorder's start, on a busy machine, is not the program's
    for blocked, one in ((300, found(saves=300, function="main")), (299, None)):
        yield case("R1", "a late start", one, blocked=blocked * MS, late=400 * MS)
    for rule in ("R1", "R2", "R3", "R4"):
        yield case(rule, "least_ns", BRIEF, wall=100 * MS - 1, **two)
        yield case(rule, "not told apart", "not told apart", split=False)
    yield case("R1", "least_ns", found(), blocked=90 * MS, wall=100 * MS, **two)
    # 700 ms slept, by whom half of it
    for ns, one in ((350, "work"), (349, None)):
        yield case("R1", "who waited", found(function=one), node("work", ns * MS, blocked=ns * MS),
                   *(node("other%d" % i, (700 - ns) // 2 * MS, blocked=(700 - ns) * MS // 2)
                     for i in range(2)))
    for name, one in (("epoll_wait", None), ("pthread_cond_wait", None), ("read", found())):
        yield case("R1", "waits for work: " + name, one and found(function="work"),
                   node("work", MS), node(name, 900 * MS, 9, "work", 3, blocked=900 * MS))
    # who holds the lock is told, not who waits for it
    yield case("R1", "waits for a lock", found(function=None), node("work", MS),
               node("pthread_mutex_lock", 900 * MS, 9, "work", 3, blocked=900 * MS))
    yield case("R1", "its call of libc waited", found(function="work"), node("work", MS),
               node("read", 900 * MS, 9, "work", 4, blocked=900 * MS))

    # each process waits for another one, or is looked at while another computes
    pair = {"lanes": (0, 1)}
    read = dict(path="read", kind="pipe", calls=9, bytes=9, total_ns=900 * MS, small_calls=0,
                sequential_calls=0)

    def beside(name, kind, ns=900, other=900):
        return [node("driver", 0), node(name, ns * MS, 9, "driver", kind, blocked=ns * MS),
                node("work", 0, 1, None, lanes={1: SECOND}, blocked=(1000 - other) * MS)]
    yield case("R1", "waits for a child", None, *beside("waitpid", 3), **pair)
    yield case("R1", "a child that sleeps", found(function="work", saves=800),
               *beside("waitpid", 3, 900, 200), **pair)
    yield case("R1", "waits on a pipe", None, *beside("read", 4), transfers=[read], **pair)
    yield case("R1", "waits for a file", found(function=None, saves=900), *beside(
        "read", 4, 900, 100), transfers=[dict(read, kind="file")], **pair)
    yield case("R1", "a pipe from elsewhere", found(function="main"),
               node("read", 900 * MS, 9, "main", 4, blocked=900 * MS), transfers=[read])
    yield case("R1", "both sleep", found(function=None, saves=800),
               *beside("nanosleep", 3, 800, 200), **pair)
    for ns, one in ((500, found(saves=500, function="main")), (501, None)):
        yield case("R1", "children nobody looked at", one, blocked=900 * MS, children=ns * MS)

    def both_busy(first=900, second=900, **values):
        """Two threads that wish for so many ms of a second each."""
        return [node("main", SECOND, 1, None, blocked=(1000 - first) * MS, **values),
                node("work", 0, 1, None, lanes={1: SECOND}, blocked=(1000 - second) * MS)]

    def busy(rule, what, one, first=900, second=900, ready=0, **values):
        return case(rule, what, one, *both_busy(first, second, ready=ready * MS),
                    has_main=False, **two, **values)
    wished = "CPU of the machine, used or wanted"
    machine = found(severity="low", saves=0, crosses={wished}, **run, **HIGH,
                    shows={wished: 90, "CPUs": 2})
    yield busy("R2", "machine", machine)
    yield busy("R2", "machine", None, 899)
    for had, one in ((0.9, machine), (0.91, None)):
        yield busy("R2", "had", one, limits={"had": had})
    yield busy("R2", "least_ns", found(**run))
    yield busy("R2", "one thread", None, 499, 1000, cpus=1)
    yield busy("R2", "two threads", found(**run), 500, 1000, cpus=1)
    yield busy("R2", "no CPUs", "the number of CPUs", cpus=None)
    yield busy("R2", "four CPUs", None, 1000, 1000, cpus=4)
    starved = "runnable but not running"
    for ready, one in ((1000, found(severity="low", crosses={starved}, shows={
            starved: 50, "CPUs": 4}, **run, **HIGH)), (999, None)):
        yield busy("R3", "ready", one, 1000, 1000, ready, cpus=4)
    # of the one CPU 500 ms
    for had, one in ((0.51, found(**run)), (0.5, None)):
        yield busy("R3", "had", one, 1000, 500, 1000, cpus=1, limits={"had": had})
    yield busy("R3", "least_ns", found(**run), 1000, 1000, 1000)
    yield busy("R3", "its own threads", None, 1000, 1000, 1000, cpus=1)
    yield busy("R3", "no CPUs", "the number of CPUs", cpus=None)
    for ready, one in ((600, found(severity="medium", **run)), (599, None)):
        yield busy("R4", "ready", one, 1000, 1000, ready, cpus=1)
    for had, one in ((0.9, found(**run)), (0.91, None)):
        yield busy("R4", "had", one, 1000, 500, 600, cpus=1, limits={"had": had})
    yield busy("R4", "least_ns", found(**run), 1000, 1000, 600, cpus=1)
    yield busy("R4", "threads_by_cpus", None, 1000, 1000, 600)
    yield busy("R4", "threads_by_cpus", found(**run), 1000, 1000, 600, cpus=1)
    yield busy("R4", "machine", found(**run), 500, 500, 400, cpus=1)
    yield busy("R4", "machine", None, 400, 400, 300, cpus=1, started=200 * MS)
    yield busy("R4", "no CPUs", "the number of CPUs", cpus=None)

    def follow(rule, one, count, **values):
        """As many processes that wish for a CPU all the time, one after the other."""
        return case(rule, "sequential", one, has_main=False, in_turns=True,
                    lanes=tuple(range(count)), cpus=1, *[
                        node("main", 0, 1, None, lanes={lane: SECOND // count},
                             ready=SECOND // count // 2) for lane in range(count)], **values)
    for count in (1, 8):
        yield follow("R2", None, count)
        yield follow("R3", found(severity="low", shows={
            "threads that wanted a CPU most of the time": 1}, **run), count)
        yield follow("R4", None, count)


def never_called():
    for rule in ("T0", "T1", "T2", "T3", "T9", "T11", "W1", "W2"):
        yield case(rule, "no calls", NEVER_CALLED, has_main=False)


def merged():
    """Which stands for which. main is T9's or nobody's."""
    tiny = node("work", 480 * MS, 8 * MILLION)
    yield case("T1", "tiny calls that hold half", found(also={"T2"}), tiny, beside=set())
    yield case("T2", "tiny calls that T1 does not see", found(also=set()),
               node("work", 8 * MILLION * 39, 8 * MILLION), beside=set())
    # of its own T2 explains too little
    yield case("T2", "switched off", found(also=set()), tiny, beside=set(),
               limits={"T1": {"enabled": False}})
    # T1 is half of its own time, T7 four fifths of its tail
    for slow, also, others in ((200, {"T1"}, set()), (80, set(), {"T1"})):
        yield look_at("T7", "a tail of much", found(also=also), (1, 900), (2, 89), (10, 1),
                      (slow, 10), beside=others, tick=20_000)
    yield look_at("T8", "two kinds", found(also={"T1"}), (1, 70), (10, 30), beside=set(),
                  tick=20_000)
    yield look_at("T1", "more than a tail", found(also=set()), (1, 69), (10, 31), beside=set(),
                  tick=20_000)
    # no more than T1: the higher score stays
    yield look_at("T1", "a broad tail", found(also={"T7"}), (1, 899), (5, 90), (10, 1), (50, 10),
                  beside=set(), tick=20_000)
    one = work(300 * MS, 1, max_ns=300 * MS)
    yield case("T9", "one call that computed", found(also={"T0"}), *one, beside=set())
    yield case("W1", "one call that waited", found(also={"R1"}), beside=set(),
               *work(800 * MS, 1, max_ns=800 * MS, blocked=800 * MS))
    yield case("T3", "the leaf of a chat", found(also={"T1"}, function="ask"),
               node("load", MS, 100), node("ask", 400 * MS, 10_000, "load"), beside=set())


RUN_CASES = (tails, modes, threads, shapes, faults, cpus, never_called, merged)
