#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which finding stands for which: what a rule about memory explains goes into it, what it
does not explain stays beside it. In made databases.

usage: check_explained.py PROF-ANALYZE
"""
import json
import os
import subprocess
import sys
import tempfile

from check_memory_rules import MIB, SECOND, blocks, live, make

MILLION = 1_000_000


def varint(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes(out) + bytes([number])


def bucket(ns):
    """Of a histogram, with one tick for a nanosecond."""
    exponent = ns.bit_length() - 1
    return ns if ns < 8 else (exponent - 2) * 8 + (ns >> exponent - 3 & 7)


def calls(*groups):
    """What the function work has for so many calls of so many ns; half a second, all in
    all."""
    out, last = b"", 0
    for ns, count in groups:
        out += varint(bucket(ns) - last) + varint(count)
        last = bucket(ns)
    return {"calls": sum(count for _, count in groups), "histogram": out,
            "raw_total_ns": sum(ns * count for ns, count in groups)}


CLOCK = {"run": {"ticks_per_second": SECOND}}
BIG = blocks(1050, MIB) | {"peak_bytes": MIB}
CROSSING = blocks(MILLION, 200, cross_thread_free_count=MILLION)
OWN = blocks(MILLION, 200)
FEW = blocks(MILLION, 200, cross_thread_free_count=200_000)
EVEN = calls((500, MILLION))
# 15 per mille of the calls take 20 us: 300 ms
WAITING = calls((20, MILLION - 15_000), (20_000, 15_000))
# a few were interrupted for 5 ms each: 300 ms
INTERRUPTED = calls((20, MILLION - 60), (5_000_000, 60))

# name, the rule that stays, what goes into it, what stays beside it, its saving in ms (from,
# to), site, the rest of make(). T1 is all of the time of the function, half of the run, and saves that.
CASES = [
    ("as many faults as pages", "M8", {"M11", "T1"}, set(), (405, 410), BIG,
     {"faults": 268_800, "cpu": 100, "work": calls((500_000, 1000)), **CLOCK}),
    ("far more faults", "M8", {"T1"}, {"M11"}, (405, 410), BIG,
     {"faults": 600_000, "cpu": 100, "work": calls((500_000, 1000)), **CLOCK}),
    ("calls that wait", "M10", {"T1", "T7"}, set(), (280, 320), CROSSING,
     {"work": WAITING, **CLOCK}),
    ("calls of two kinds", "M10", {"T1", "T8"}, set(), (380, 400), CROSSING,
     {"work": calls((20, 900_000), (4_800, 100_000)), **CLOCK}),
    ("calls that wait, for others", "T7", {"T1"}, set(), (100, 400), OWN,
     {"work": WAITING, **CLOCK}),
    ("more than so few frees can explain", "M10", set(), {"T7"}, (80, 80), FEW,
     {"work": WAITING, **CLOCK}),
    # 20 ns for each
    ("calls that take the same", "M10", set(), {"T1"}, (20, 20), CROSSING,
     {"work": EVEN, **CLOCK}),
    ("calls without a CPU", "M10", set(), {"T1"}, (20, 20), CROSSING,
     {"work": INTERRUPTED, **CLOCK}),
    ("half of it in callees", "M10", {"T7"}, {"T1"}, (140, 160), CROSSING,
     {"work": WAITING | {"self_ns": SECOND // 4}, **CLOCK}),
    # the histogram has nested calls again, and so more than there was
    ("a recursion", "M10", set(), {"T1"}, (20, 20), CROSSING,
     {"work": WAITING | {"raw_total_ns": SECOND // 5}, **CLOCK}),
    ("durations unknown", "M10", set(), {"T1"}, (20, 20), CROSSING, {}),
    # 252 of 500 ms are the cause of most of it, 242 are not
    ("half of the faults", "M8", {"T1", "M11"}, set(), (252, 253), BIG,
     {"faults": 166_600, "cpu": 100, "work": calls((500_000, 1000)), **CLOCK}),
    ("less of the faults", "M8", {"M11"}, {"T1"}, (242, 243), BIG,
     {"faults": 160_000, "cpu": 100, "work": calls((500_000, 1000)), **CLOCK}),
    ("a leak", "M12", {"M6"}, {"T1"}, (0, 0), live(10_000, 2000), {"beside": [blocks(1000, 80)]}),
]
WATCHED = {"M6", "M8", "M10", "M11", "M12", "T1", "T7", "T8"}


def hides(analyze, directory, database, rule, others):
    """What else a suppression of the rule takes out."""
    path = os.path.join(directory, "known.json")
    with open(path, "w", encoding="utf-8") as file:
        json.dump({"suppressions": [{"rule": rule, "reason": "known", "expires": "2999-01-01"}]},
                  file)
    result = subprocess.run([analyze, "bottlenecks", database, "--format", "json",
                             "--suppressions", path],
                            capture_output=True, text=True, check=True, timeout=60)
    left = json.loads(result.stdout)["findings"]
    return others - {one["id"] for finding in left for one in [finding] + finding["also"]}


def look(analyze, directory, case):
    name, stays, goes, beside, (least, most), one, rest = case
    database = os.path.join(directory, name.replace(" ", "-"))
    make(database, one, **rest)
    result = subprocess.run([analyze, "bottlenecks", database, "--format", "json"],
                            capture_output=True, text=True, check=False, timeout=60)
    if result.returncode:
        return [f"{name}: exit {result.returncode}: {result.stderr}"]
    found = {finding["id"]: finding for finding in json.loads(result.stdout)["findings"]}
    if stays not in found:
        return [f"{name}: no {stays} among {sorted(found)}"]
    wrong = []
    also = {other["id"] for other in found[stays]["also"]} & WATCHED
    if also != goes:
        wrong.append(f"{stays} has taken in {also}, not {goes}")
    hidden = hides(analyze, directory, database, stays, goes)
    if hidden:
        wrong.append(f"{hidden} vanish when {stays} is suppressed")
    others = set(found) & WATCHED - {stays}
    if others != beside:
        wrong.append(f"beside {stays} there is {others}, not {beside}")
    saving = (found[stays]["saving"]["time_ns"] or 0) / 1e6
    if not least - 0.5 <= saving <= most + 0.5:
        wrong.append(f"{stays} saves {saving:.1f} ms")
    return [f"{name}: {what}" for what in wrong]


def main():
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-explained-") as directory:
        for case in CASES:
            problems += look(sys.argv[1], directory, case)
    print("\n".join(problems) or f"{len(CASES)} cases")
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
