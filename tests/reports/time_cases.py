# SPDX-License-Identifier: MIT
"""Cases for check_time_rules.py: what functions take, T0 to T3, T9; waits, W1 to W3; and how a case is written.
"""
import collections

from make_times import MS, SECOND, node

MILLION = 1_000_000

Case = collections.namedtuple("Case", "rule what wanted times limits beside")


def found(saves=None, **wanted):
    """saves: ms, to a microsecond. Else impact, confidence, severity, function, says (part of why),
    starts (part of what it says first; starts_at_end: and its end),
    advises (part of an advice),
    verify (part of it), shows (evidence), crosses (the evidence with a limit), bound (one
    that is none of the rule's), also (rules that it has taken in)."""
    return dict(wanted, saves=saves)


def case(rule, what, wanted, *nodes, limits=None, beside=None, **times):
    """what: the limit of the rule that it is about, or a text. wanted: found(), None: the
    rule does not speak of another function than main, or why it has not measured. beside:
    the other rules that stay; without it only this one is asked."""
    return Case(rule, what, wanted, dict(times, nodes=nodes), limits, beside)


def both(rule, what, wanted, other, make, one, two, **rest):
    """The same recording but for one number."""
    return [case(rule, what, wanted, *make(one), **rest),
            case(rule, what, other, *make(two), **rest)]


LOW, MEDIUM, HIGH = ({"confidence": word} for word in ("low", "medium", "high"))


def work(self_ns, count=1000, **values):
    return [node("work", self_ns, count, **values)]


def slow_calls():
    """T0"""
    def one(self_ns, count=2):
        return work(self_ns, count)
    wall = {"wall": 10 * SECOND}
    yield from both("T0", "low_ns", found(severity="low", **LOW), None, one,
                    100 * MS + 2, 100 * MS, **wall)
    yield from both("T0", "medium_ns", found(severity="medium"), found(severity="low"), one,
                    200 * MS + 2, 200 * MS, **wall)
    yield from both("T0", "high_ns", found(severity="high"), found(severity="medium"), one,
                    SECOND + 2, SECOND, **wall)
    yield case("T0", "however little it is", found(severity="high", saves=501, shows={
        "mean per call": 501e6, "calls": 1, "p50 with hooks": 500e6, "longest with hooks": 502e6,
        "computed itself, share of the run": 0.0501}),
               *work(501 * MS, 1, p50_ns=500 * MS, max_ns=502 * MS), wall=1000 * SECOND)
    yield case("T0", "however much it is", found(severity="low", saves=999),
               *work(999 * MS, 19))
    yield from both("T0", "self_share", found(saves=20), None,
                    lambda below: work(20 * MS, 1) + [node("inner", below, 100, "work")],
                    80 * MS, 80 * MS + 100)
    yield case("T0", "a thread's root", None, node("root", 900 * MS, under=None))
    yield case("T0", "a root that is called, too", found(function="root"),
               node("root", 100 * MS, under=None), node("root", 300 * MS))
    yield case("T0", "side by side", found(saves=100),
               *work(0, 2, lanes={0: 80 * MS, 1: 100 * MS}), lanes=(0, 0))


def hot_leaves():
    """T1. Of one thread; hook pairs of 20 ns."""
    yield from both("T1", "self_share", found(saves=50, **MEDIUM), None, work,
                    50 * MS, 50 * MS - 1)
    # of 400 ms: without the recorder's start, or what was waited for a CPU in no function
    for less in ("late", "unseen"):
        yield from both("T1", less, found(saves=20), None, work, 20 * MS, 20 * MS - 1,
                        **{less: 600 * MS})
    yield from both("T1", "self_part", found(shows={
        "share of the wall time": 10, "computed itself": 100e6, "own share of its total time": 50,
        "calls": 1000, "computed per call": 100e3}), None,
                    lambda below: work(100 * MS) + [node("inner", below, 5 * MILLION, "work")],
                    100 * MS, 100 * MS + 1)
    yield from both("T1", "least_hooks", found(**LOW), None,
                    lambda ns: work(ns, 5 * MILLION), 200 * MS, 200 * MS - 1)
    yield from both("T1", "sure_hooks", found(**MEDIUM), found(**LOW),
                    lambda ns: work(ns, 5 * MILLION), 400 * MS, 400 * MS - 1)
    # 300 ns an allocation, what recording it took subtracted
    yield from both("T1", "alloc_ns", found(says="not in what it calls", saves=300, **MEDIUM),
                    found(says="malloc", **LOW),
                    lambda count: work(300 * MS, alloc_count=count), MILLION, MILLION + 1)
    # what recording its allocations took is not in its time any more
    yield from both("T1", "self_share of who allocates", found(saves=50, **LOW), None,
                    lambda ns: work(ns, alloc_count=MILLION), 50 * MS, 50 * MS - 1)
    yield from both("T1", "least_by_hooks", found(), None,
                    lambda hooks: work(100 * MS, hooks=hooks), 200 * MS, 200 * MS + 4)
    yield case("T1", "weight", found(saves=400, impact=0.04), *work(400 * MS),
               limits={"weight": 0.1})
    yield case("T1", "weight", found(saves=400, impact=0.2), *work(400 * MS))
    # counted: most of what it took is in the raw time of its caller
    yield case("T1", "least_by_hooks of an estimate", found(saves=400),
               node("caller", 100 * MS, 10, hooks=390 * MS),
               *work(400 * MS, under="caller", hooks=-380 * MS))
    # samples tell it, whatever the hooks took
    yield from both("T1", "lent_error of its own", found(**MEDIUM), None,
                    lambda error: work(100 * MS, 5 * MILLION, recording="sampled", error=error,
                                       hooks=500 * MS), 20 * MS, 20 * MS + 1)
    # half of it in one call is T9's
    yield from both("T1", "many calls", found(), None,
                    lambda longest: work(200 * MS, 2, max_ns=longest), 100 * MS - 1, 100 * MS)
    # what was waited is not computed
    yield case("T1", "waited", found(saves=100, shows={"waited": 300e6}),
               *work(400 * MS, blocked=300 * MS))
    yield from both("T1", "self_share, less waits", found(), None,
                    lambda blocked: work(400 * MS, blocked=blocked), 350 * MS, 350 * MS + 1)
    yield from both("T1", "a busy machine", found(saves=32), None,
                    lambda ready: work(400 * MS, ready=ready), 368 * MS, 369 * MS)
    # calls that are long enough to wait
    for count, one in ((20_000, "not told apart"), (20_001, found(**MEDIUM))):
        yield case("T1", "not told apart", one, *work(400 * MS, count), split=False)
    yield case("T1", "a call of libc", None, *work(400 * MS, kind=3))
    yield from waits_that_compute()
    yield from lent()
    yield from places()
    yield from lanes_of_hot_leaves()


def lent():
    """What libraries compute is told of who calls them."""
    def find(self_ns, **values):
        return work(MS) + [node("std::find<int*, int>(int*)", self_ns, 1000, "work",
                                is_library=1, **values)]
    erase = [node("std::vector<std::pair<int, int>>::erase", MS, 1000, "work", is_library=1),
             node("std::move<int*>", 300 * MS, 1000, "std::vector<std::pair<int, int>>::erase",
                  is_library=1)]
    yield case("T1", "of libraries", found(
        saves=401, says="library code that it calls", advises="another algorithm or container",
        starts="spends 40.1% of the CPU in std::vector::erase, std::find",
        shows={"computed in libraries": 401e6, "calls": 1000}), *find(100 * MS), *erase)
    yield case("T1", "of a little more of libraries", found(starts="in std::vector::erase"),
               *find(20 * MS), *erase)
    yield from both("T1", "self_share of libraries", found(saves=50), None, find,
                    50 * MS, 50 * MS - 1)
    # a library's function whose calls nobody counted is known by samples alone
    yield case("T1", "of libraries without hooks", found(starts="in strcmp", saves=100),
               *work(MS), node("strcmp", 100 * MS, 0, "work", 1, is_library=1))
    yield case("T1", "without calls", found(starts="itself", saves=100), *work(100 * MS, 0))
    # who allocated is known: not malloc() is called too often, but what calls it
    matches = [node("regexec", MS, 0, "work", 1, is_library=1, alloc_count=9000),
               node("regcomp", MS, 0, "work", 1, is_library=1, alloc_count=1000)]
    for every, start, advice in ((11_000, "libraries, mostly malloc and free for regexec and regcomp",
                                  "call regexec and regcomp less often"),
                                 (12_000, "malloc and free, build", "allocate less")):
        yield case("T1", "of malloc", found(starts="in " + start, advises=advice),
                   *work(MS, owned_alloc_count=every), *matches,
                   node("_int_malloc", 70 * MS, 0, "work", 1, is_library=1),
                   node("build", 40 * MS, 0, "work", 1, is_library=1))
    # what a call of libc computes
    yield case("T1", "of putc", found(starts="spends 30.0% of the CPU in putc",
                                      advises="buffer it", saves=300), *work(MS),
               node("putc", 300 * MS, 10_000, "work", 4))
    for rule, self_ns, count in (("T9", 200 * MS, 1), ("T0", 200 * MS, 1),
                                 ("T2", 4_000_000 * 80, 4_000_000)):
        yield case(rule, "of libraries", None, *work(MS),
                   node("std::sort<int*>", self_ns, count, "work", is_library=1,
                        max_ns=self_ns // count))
    yield case("T1", "one call of libraries", found(saves=200), *work(MS),
               node("std::sort<int*>", 200 * MS, 1, "work", is_library=1, max_ns=200 * MS))
    yield from both("T1", "lent_error", found(), None,
                    lambda error: find(100 * MS, hooks=800 * MS, error=error),
                    20 * MS, 20 * MS + 1)


def places():
    """Where in a function's code its samples are."""
    libc = "/lib/libc.so.6"

    def line(number, ms, path="work", **values):
        return path, None, ms * MS, dict(file="/src/work.c", line=number, **values)

    def told(starts, *code, inlined=(), **values):
        return case("T1", "its place", found(starts=starts, **values), *work(400 * MS), *inlined,
                    code=code)
    # 61 of 100 are more than half by two standard errors, 60 are not; nor are they more than 40
    yield told("1,000 calls, mostly at line 35", line(35, 61), line(36, 39))
    yield told("1,000 calls, most at line 35", line(35, 50), line(36, 25), line(37, 25))
    yield told("1,000 calls", line(35, 60), line(36, 40), starts_at_end=True)
    yield told("1,000 calls", *(line(number, 20 if number else 24) for number in range(5)),
               starts_at_end=True)
    yield told("mostly at lines.h:7",
               ("work", None, 61 * MS, dict(file="/src/lines.h", line=7)), line(36, 39))
    copies = [node("step", 0, 9, "work", host="work"),
              node("std::find<int>", 0, 9, "step", host="work", is_library=1, call_line=12)]
    yield told("mostly in step (line 35)", line(35, 61, "step"), line(36, 39), inlined=copies)
    yield told("mostly in step", line(35, 41, "step"), line(37, 40, "step"), inlined=copies,
               starts_at_end=True)
    yield told("mostly in strlen, called by step", inlined=copies, *[
        ("step", libc, 61 * MS, dict(name="__strlen_avx2", outer_name="__strlen_avx2"))])
    yield told("mostly in std::find, called by step (line 12)", inlined=copies, *[
        ("std::find<int>", None, 61 * MS)])
    yield told("mostly in malloc and free", *[
        ("work", libc, 20 * MS, dict(name=name, outer_name=name))
        for name in ("_int_malloc", "_int_free")])
    # code of the program without hooks, whatever is inlined in it
    yield told("mostly in std::_Hashtable::_M_find", *[
        ("work", None, 31 * MS, dict(name=name, file="/usr/include/c++/hashtable.h", line=9,
                                     outer_name="std::_Hashtable<int>::_M_find(int) const"))
        for name in ("std::_Hashtable<int>::_M_find(int) const", "Cell::operator==(Cell const&)")],
        starts_at_end=True)
    yield told("mostly in strtol_l", *[
        ("work", libc, 61 * MS, dict(name=name, outer_name=name))
        for name in ("__GI_____strtol_l_internal",)])
    yield told("mostly in clamp (line 7)", *[
        line(7, 61, name="int clamp<int>(int)", outer_name="work")])


def waits_that_compute():
    """What MPI and OpenMP wait for by polling is no work of the program's."""
    def code(waits):
        return (("work", "/usr/lib/libmpi.so.40", waits), ("work", "/usr/lib/mca_btl_sm.so", MS),
                ("work", "/src/a.out", 101 * MS))
    computes = found(says="in its own code", advises="a better algorithm")
    for waits, one in ((100 * MS, found(says="waits for other ranks", advises="which rank", shows={
            "of its samples, waiting for others": 50})), (99 * MS, computes)):
        yield case("T1", "spun_part", one, *work(400 * MS), code=code(waits))
    yield case("T1", "spun_part of threads",
               found(says="waits for other threads", advises="which thread"),
               *work(400 * MS), code=[("work", "/lib/libgomp.so.1", 9 * MS)])
    yield case("T1", "spun_part of the library itself",
               found(says="waits for other threads", advises="which thread"),
               *work(400 * MS, 0, module="/lib/libgomp.so.1", recording="sampled"),
               code=[("main", "/lib/libgomp.so.1", 9 * MS)])
    yield case("T1", "spun_part of another function", computes, *work(400 * MS),
               code=[("main", "/lib/libgomp.so.1", 9 * MS)])
    yield case("T1", "spun_part of a library that works", computes, *work(400 * MS),
               code=[("work", "/lib/libz.so.1", 9 * MS)])


def lanes_of_hot_leaves():
    two, four = {"lanes": (0, 0)}, {"lanes": (0, 0, 1, 1)}

    def even(longest, **values):
        return work(0, lanes={0: longest - MS, 1: longest}, **values)
    yield from both("T1", "side by side", found(saves=50), None, even, 50 * MS, 50 * MS - 1, **two)
    yield case("T1", "in two processes", found(saves=55),
               *work(0, lanes={0: 35 * MS, 1: 5 * MS, 2: 10 * MS, 3: 20 * MS}), **four)
    yield case("T1", "in one of two processes", None,
               *work(0, lanes={0: 29 * MS, 1: 5 * MS, 2: 10 * MS, 3: 20 * MS}), **four)

    # of 200 ms of hooks the longer thread, with 150 of 200 ms, had 150
    for wall, one in ((1150 * MS, found()), (1150 * MS + 100, None)):
        yield case("T1", "the hooks of one thread", one, node("main", 100 * MS, under=None),
                   *work(50 * MS), node("other", 0, 1, None, lanes={1: 50 * MS},
                                        hooks=200 * MS, max_ns=50 * MS),
                   wall=wall, has_main=False, **two)


def tiny_calls():
    """T2. A million calls cost 1.8 ms."""
    def tiny(ns, count=MILLION, **values):
        return work(ns * count, count, **values)
    short, fitting = {"wall": 10 * MS}, {"wall": 110 * MS}
    yield from both("T2", "least_calls", found(saves=0.18), None,
                    lambda count: work(MS, count), 100_000, 99_999, **short)
    yield from both("T2", "tiny_ns", found(saves=1.8), None, tiny, 100, 101, **fitting)
    yield from both("T2", "tiny_hooks", found(), None, tiny, 150, 151, wall=152 * MS, cost=50)
    # of 200 ns half was waited
    yield from both("T2", "waits", found(), None, lambda ready: tiny(200, ready=ready, blocked=50 * MS),
                    50 * MS, 50 * MS - MILLION, wall=202 * MS)
    yield case("T2", "call_ns", found(saves=5), *tiny(10), limits={"call_ns": 5}, **fitting)
    yield case("T2", "call_ns", found(saves=1.8, shows={
        "calls": MILLION, "computed per call": 10, "cost of a call": 1.8,
        "share of the run": 100 * 1.8 / (90 + 1.000001), "hooks, already subtracted": 20e6}),
               *tiny(10, hooks=20 * MS), **fitting)
    for wall, one in ((180 * MS, found()), (180 * MS + 100, None)):
        yield case("T2", "least_share", one, *tiny(10), wall=wall, cost=0)
    # a million hook pairs and one of 20 ns: 5 % of them are 1 ms
    for wall, one in ((179 * MS - 100, found()), (179 * MS + 100, None)):
        yield case("T2", "hooks_error", one, *tiny(10), wall=wall)
    two = {"lanes": (0, 0)}
    yield case("T2", "side by side", found(saves=1.2),
               *work(0, MILLION, lanes={0: 4 * MS, 1: 8 * MS}), **fitting, **two)
    # half of the hooks' cost is in each of two threads
    for wall, one in ((179.5 * MS - 100, found()), (179.5 * MS + 100, None)):
        yield case("T2", "hooks in two threads", one,
                   *work(0, MILLION, lanes={1: 10 * MS}), wall=int(wall), **two)
    for file in ("a.h", "a.hh", "a.hpp", "a.hxx", "a.H", "a.inl", "a.ipp", "a.tcc"):
        yield case("T2", "in " + file, None, *tiny(10, file="/src/" + file), **fitting)
    for name, file, one in (("std::size", None, None), ("std::size", "/a.cc", found()),
                            ("size", None, found()), ("h", "/src.h/a", found())):
        yield case("T2", "%s in %s" % (name, file), one and dict(one, function=name),
                   node(name, 10 * MS, MILLION, file=file), **fitting)
    yield case("T2", "a region", None, *tiny(10, kind=2), **fitting)
    yield case("T2", "a call of libc", None, *tiny(10, kind=4), **fitting)
    yield case("T2", "to verify", found(verify="both built without hooks", **MEDIUM), *tiny(10),
               **fitting)


def chatty_edges():
    """T3"""
    def edge(count, total, above=100, above_ns=MS, kind=0, name="ask", **values):
        return [node("load", above_ns, above, kind=kind),
                node(name, total, count, "load", **values)]
    ask = {"function": "ask"}
    yield from both("T3", "calls_per_call", found(saves=100, **ask, **MEDIUM, shows={
        "calls for each call of its caller": 100, "share of its caller's time": 100 * 100 / 101,
        "share of the run": 10, "calls": 10_000, "time per call": 10_000,
        "calls of its caller": 100}), None,
                    lambda count: edge(count, 100 * MS), 10_000, 9_999)
    yield from both("T3", "least_caller_calls", found(**ask), None,
                    lambda above: edge(10_000, 100 * MS, above), 100, 99)
    yield from both("T3", "tiny_ns", found(**ask), None,
                    lambda ns: edge(MILLION, ns), 100 * MS + 1, 100 * MS)
    yield case("T3", "tiny, by samples", found(**ask), *edge(MILLION, 100 * MS, way=4))
    yield from both("T3", "tiny_hooks", found(**ask), None,
                    lambda ns: edge(MILLION, ns), 150 * MS + 1, 150 * MS, cost=50)
    yield from both("T3", "caller_share", found(**ask), None,
                    lambda above: edge(10_000, 60 * MS, above_ns=above), 140 * MS, 140 * MS + 10)
    # waits for a CPU in the callee are the caller's, too
    yield case("T3", "caller_share, less waits", found(saves=60, **ask),
               node("load", 140 * MS, 100),
               node("ask", 560 * MS, 10_000, "load", ready=500 * MS))
    yield from both("T3", "run_share", found(**ask), None,
                    lambda ns: edge(10_000, ns), 50 * MS, 50 * MS - 1)
    yield case("T3", "weight", found(saves=100, impact=0.08, **ask), *edge(10_000, 100 * MS),
               limits={"weight": 0.8})
    yield case("T3", "weight", found(saves=100, impact=0.05, **ask), *edge(10_000, 100 * MS))
    yield from both("T3", "side by side", found(saves=50, **ask), None,
                    lambda ns: edge(10_000, 0, lanes={0: ns - MS, 1: ns}), 50 * MS, 50 * MS - 1,
                    lanes=(0, 0))
    yield case("T3", "a recursion", None, *edge(10_000, 100 * MS, name="load"))
    yield case("T3", "a frame", None, *edge(10_000, 100 * MS)[:1],
               node("ask", 100 * MS, 10_000, "load", kind=1))
    yield case("T3", "called by a frame", None, *edge(10_000, 100 * MS, kind=1))
    yield case("T3", "a region is no callee", None, *edge(10_000, 100 * MS)[:1],
               node("ask", 100 * MS, 10_000, "load", kind=2))
    around = (node("load", MS, 100), node("part", 0, 10_000, "load", kind=2),
              node("ask", 100 * MS, 10_000, "part"))
    yield case("T3", "within a region", found(says="each call of load", **ask), *around)
    yield case("T3", "of the loop in a region", None, *edge(10_000, 100 * MS, kind=2))
    # what a path was taken is estimated where only calls in all were counted
    counted = edge(10_000, 100 * MS, way=2)
    yield case("T3", "counted", found(starts="called about 100 times by each call", **ask), *counted)
    yield case("T3", "counted, with its edge", found(starts="called 130 times by each", **ask),
               *counted, edges=[("load", "ask", 13_000)])
    yield case("T3", "exact, with its edge", found(starts="called 100 times by each", **ask),
               *edge(10_000, 100 * MS), edges=[("load", "ask", 13_000)])
    yield case("T3", "a library's function", None, *edge(10_000, 100 * MS, is_library=1))
    yield case("T3", "called by a library", found(says="each call of load", **ask),
               node("load", MS, 100), node("std::for_each", 0, 1, "load", is_library=1),
               node("ask", 100 * MS, 10_000, "std::for_each"))


def long_calls():
    """T9"""
    def long(longest, count=1, self_ns=None, **values):
        return work(longest if self_ns is None else self_ns, count, max_ns=longest, **values)
    computed = found(says="computed for a long time", saves=100, **MEDIUM, shows={
        "computed by one call itself": 100e6, "calls": 1})
    yield from both("T9", "least_ns", computed, None, long, 100 * MS, 100 * MS - 1)
    for wall, one in ((2 * SECOND, computed), (2 * SECOND + 100, None)):
        yield case("T9", "run_share", one, *long(100 * MS), wall=wall)
    yield from both("T9", "least_ns, less waits", computed, None,
                    lambda ready: long(200 * MS, ready=ready, blocked=50 * MS), 50 * MS,
                    50 * MS + 1)
    yield case("T9", "weight", found(saves=200, impact=0.1), *long(200 * MS))
    yield case("T9", "weight", found(saves=200, impact=0.02), *long(200 * MS),
               limits={"weight": 0.1})
    yield case("T9", "not told apart", "not told apart", *long(200 * MS), split=False)
    yield case("T9", "a call of libc", None, *long(200 * MS, kind=3))
    yield from both("T9", "half of it in one call", found(shows={"p50 of its calls": 7}), None,
                    lambda self_ns: long(100 * MS, 5, self_ns, p50_ns=7), 200 * MS, 200 * MS + 2)
    for waits, one in ((9 * MS, found(says="waits for other ranks", advises="which rank")),
                       (9 * MS - 1, computed)):
        yield case("T9", "spun_part", one, *long(100 * MS),
                   code=[("work", "/lib/libmpi.so.12", waits), ("work", "/a.out", 9 * MS)])
    # what is below it, with its hooks, is not its own
    yield from both("T9", "own time", found(saves=100), None,
                    lambda longest: long(longest, self_ns=200 * MS) +
                    [node("inner", 100 * MS, 1000, "work", hooks=100 * MS)],
                    300 * MS, 300 * MS - 1)
    # 5 % of 4 s; of the other calls 100 ms
    for longest, one in ((200 * MS, found()), (200 * MS - 1, None)):
        yield case("T9", "run_share", one, *long(longest, 2, 300 * MS), wall=4 * SECOND)


def long_waits():
    """W1"""
    def waits(ns, count=1, name="usleep", longest=None, **values):
        return [node("work", MS), node(name, ns, count, "work", 3, blocked=ns,
                                       max_ns=ns if longest is None else longest, **values)]
    slept = found(saves=100, severity="medium", **HIGH, says="usleep()", shows={
        "slept in long waits": 100e6, "share of the run": 10, "waits": 1, "longest": 100e6})
    yield from both("W1", "least_ns", slept, None, waits, 100 * MS, 100 * MS - 1)
    yield from both("W1", "the mean of many", found(saves=300), None,
                    lambda ns: waits(ns, 3, longest=0), 300 * MS, 300 * MS - 1)
    yield case("W1", "one of many", found(saves=100), *waits(100 * MS, 50))
    for wall, one in ((2 * SECOND, found()), (2 * SECOND + 100, None)):
        yield case("W1", "run_share", one, *waits(100 * MS), wall=wall)
    for name in ("pthread_join", "waitpid", "epoll_wait", "sem_wait"):
        yield case("W1", "waits for others: " + name, None, *waits(500 * MS, name=name))
    yield case("W1", "its own code", found(saves=400, says="not recorded by name", **MEDIUM),
               *work(500 * MS, 1, blocked=400 * MS))
    yield case("W1", "its own code, with threads", None, *work(500 * MS, 1, blocked=400 * MS),
               lanes=(0, 0))
    yield case("W1", "another thread", None, *waits(500 * MS, lanes={1: 500 * MS}),
               lanes=(0, 0))
    yield case("W1", "not told apart", "not told apart", *waits(500 * MS), split=False)


def polling():
    """W2"""
    def polls(ns, count=100, name="usleep", **values):
        return [node("work", MS), node(name, ns, count, "work", 3, blocked=ns, **values)]
    yield from both("W2", "least_calls", found(saves=100, says="usleep()", severity="medium"),
                    None, lambda count: polls(100 * MS, count), 50, 49)
    yield from both("W2", "mean_ns", found(), None, lambda ns: polls(ns, 10), 500 * MS,
                    500 * MS + 10, limits={"least_calls": 10})
    yield from both("W2", "run_share", found(), None, polls, 50 * MS, 50 * MS - 1)
    yield case("W2", "weight", found(saves=100, impact=0.01), *polls(100 * MS),
               limits={"weight": 0.1})
    yield case("W2", "weight", found(saves=100, impact=0.05), *polls(100 * MS))
    yield case("W2", "no sleep", None, *polls(100 * MS, name="read"))
    yield case("W2", "another thread", found(saves=0), *polls(100 * MS, lanes={1: 100 * MS}),
               lanes=(0, 0))


def sleeping_steps():
    """W3. A hundred steps hold the whole run."""
    def sleeps(ns=200 * MS, count=100, name="usleep", **values):
        return [node("work", MS), node(name, ns, count, "work", 3, blocked=ns, **values)]
    frames = {"steps": {"frame": (100, SECOND)}}
    for count, one in ((10, found(says="step 'frame' sleeps in usleep()", saves=200)), (9, None)):
        yield case("W3", "least_steps", one, *sleeps(), steps={"frame": (count, SECOND)})
    yield from both("W3", "by_step", found(shows={
        "sleeps for each step": 0.5, "slept, share of the steps' time": 20, "slept": 200e6, "steps": 100}),
                    None, lambda count: sleeps(count=count), 50, 49, **frames)
    yield from both("W3", "steps_share", found(saves=100), None, sleeps, 100 * MS, 100 * MS - 1,
                    **frames)
    # of the steps, not of the run
    for took, one in ((2 * SECOND, found()), (2 * SECOND + 100, None)):
        yield case("W3", "short steps of a long run", one, *sleeps(), wall=100 * SECOND,
                   steps={"frame": (100, took)})
    for waited, one in ((500 * MS, found()), (500 * MS - 100, None)):
        yield case("W3", "steps that waited for a CPU", one, *sleeps(), wall=100 * SECOND,
                   steps={"frame": (100, 2500 * MS, waited)})
    yield case("W3", "no sleep", None, *sleeps(name="read"), **frames)
    yield case("W3", "waits for others", None, *sleeps(name="epoll_wait"), **frames)
    yield case("W3", "its own code", None, *work(500 * MS, 100, blocked=400 * MS), **frames)
    yield case("W3", "another thread", None, *sleeps(lanes={1: 200 * MS}), lanes=(0, 0), **frames)
    yield case("W3", "two kinds of steps", found(says="step 'frame'"), *sleeps(),
               steps={"start": (9, SECOND), "frame": (100, SECOND)})
    yield case("W3", "no steps", "no steps", *sleeps())
    yield case("W3", "not told apart", "not told apart", *sleeps(), split=False, **frames)


TIME_CASES = (slow_calls, hot_leaves, tiny_calls, chatty_edges, long_calls, long_waits, polling,
              sleeping_steps)
