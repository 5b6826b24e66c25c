# SPDX-License-Identifier: MIT
"""Cases for check_time_rules.py: no rule about time speaks inside the error of a time."""
from make_times import MS, SECOND, node
from run_cases import CLEAR, look_at
from time_cases import MILLION, both, case, found, work


def inside():
    """The same time, whose error reaches the limit, or goes beyond it."""
    yield from both("T0", "error of a mean", found(severity="low"), None,
                    lambda error: work(200 * MS, 2, error=error), 100 * MS - 2, 100 * MS,
                    wall=10 * SECOND)
    yield from both("T0", "error and severity", found(severity="high"), found(severity="medium"),
                    lambda error: work(2 * SECOND, 2, error=error), SECOND - 2, SECOND,
                    wall=10 * SECOND)
    yield from both("T1", "error of own time", found(), None,
                    lambda error: work(100 * MS, error=error), 50 * MS, 50 * MS + 1)
    # own time per call is 40 ns at least, twice the cost of its hooks, or less
    yield from both("T1", "error by hooks", found(), None,
                    lambda error: work(300 * MS, 5 * MILLION, error=error), 100 * MS, 100 * MS + 1)
    yield case("T1", "not known", None, *work(400 * MS, error=400 * MS))

    def tiny(ns, error):
        return work(ns * MILLION, MILLION, error=error * MILLION)
    yield from both("T2", "not known", found(shows={"computed per call": 10}), None,
                    lambda error: tiny(10, error), 9, 10, wall=110 * MS)
    yield from both("T2", "perhaps not tiny", found(), None,
                    lambda error: tiny(60, error), 40, 41, wall=110 * MS)
    yield from both("T3", "error of total time", found(function="ask"), None,
                    lambda error: [node("load", MS, 100),
                                   node("ask", 100 * MS, 10_000, "load", error=error)],
                    50 * MS, 50 * MS + 1)
    yield from both("T7", "error of own time", found(), None,
                    lambda error: [dict(CLEAR_NODES[0], error=error)],
                    CLEAR_NODES[0]["self_ns"] // 3, CLEAR_NODES[0]["self_ns"], **CLEAR_TIMES)
    yield from both("T9", "error of own time", found(), None,
                    lambda error: work(400 * MS, 1, max_ns=400 * MS, error=error), 300 * MS,
                    300 * MS + 1)
    # a path's error is shared by its three threads
    yield from both("T11", "error of the longest", found(function="worker"), None,
                    lambda error: [node("worker", 0, 3, None, lanes={1: 400 * MS, 2: 150 * MS,
                                                                     3: 50 * MS}, error=error)],
                    300 * MS, 300 * MS + 3, lanes=(0, 0, 0, 0), cpus=4)


def ways():
    """What was not timed call by call."""
    yield case("T1", "an estimate", found(says="an estimate"),
               *work(100 * MS, recording="counted"))
    yield case("T1", "measured", found(says="not in what it calls"), *work(100 * MS))
    for recording, one in (("exact", found()), ("sampled", None), ("counted", None)):
        yield case("T7", "timed: " + recording, one,
                   dict(CLEAR_NODES[0], values=dict(CLEAR_NODES[0]["values"],
                                                    recording=recording)), **CLEAR_TIMES)


CLEAR_CASE = look_at("T7", "", None, *CLEAR)
CLEAR_NODES = CLEAR_CASE.times["nodes"]
CLEAR_TIMES = {key: value for key, value in CLEAR_CASE.times.items() if key != "nodes"}
ERROR_CASES = (inside, ways)
