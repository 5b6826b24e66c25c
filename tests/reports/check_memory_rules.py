#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the rules about memory find in made databases: on both sides of each limit, and
what they say when the data is not there.

usage: check_memory_rules.py PROF-ANALYZE
"""
import contextlib
import json
import os
import sqlite3
import subprocess
import sys
import tempfile

from make_db import header, insert, split

HERE = os.path.dirname(os.path.abspath(__file__))
SCHEMA = os.path.join(os.path.dirname(os.path.dirname(HERE)), "common", "schema.sql")
MIB = 1 << 20
SECOND = 1_000_000_000
PEAK = 100 * MIB


def site(**changes):
    """A thousand blocks of 2000 bytes, freed again: no rule finds anything."""
    values = dict(alloc_count=1000, alloc_bytes=2_000_000, free_count=1000,
                  free_bytes=2_000_000, live_count=0, live_bytes=0, peak_bytes=2_000_000,
                  at_peak_bytes=0, at_peak_count=0, temporary_count=0, realloc_count=0,
                  realloc_copied_bytes=0, cross_thread_free_count=0, largest_bytes=4000,
                  realloc_old_bytes=0)
    return {**values, **changes}


def blocks(count, size, **changes):
    """Blocks of one size that are all freed."""
    return site(alloc_count=count, alloc_bytes=count * size, free_count=count,
                free_bytes=count * size, peak_bytes=count * size, largest_bytes=size,
                **changes)


def make(path, one, run=None, snapshots=(), faults=None, work=None, cpu=None,
         major=0, lanes=(), peaks=(), wrapper=False, beside=(), askers=0, programs=()):
    """A run of one second: main calls work, which has the site. snapshots: live bytes;
    work: what is different about the function; cpu: per cent, sampled; lanes: the process of
    each, which share all evenly; peaks: of further processes; wrapper: work asks xmalloc, at
    line 12; beside: further sites of work; askers: so many other functions ask xmalloc for as
    much; programs: allocations of each, the site is of the last."""
    with contextlib.closing(sqlite3.connect(path)) as db, open(SCHEMA, encoding="utf-8") as sql:
        db.execute("PRAGMA synchronous = OFF")
        db.executescript(sql.read())
        db.execute("PRAGMA application_id = 0x70726673")
        db.execute("PRAGMA user_version = %d" % header("RUNDB_SCHEMA_VERSION"))
        insert(db, "run", **{**dict(
            run_id=1, token="t", started_utc="2026-01-01T00:00:00.000Z", wall_ns=SECOND,
            complete=1, level="exact", inner_cost_ns=10, outer_cost_ns=10, peak_bytes=PEAK,
            alloc_count=one["alloc_count"], alloc_bytes=one["alloc_bytes"],
            free_count=one["free_count"], live_bytes_at_exit=one["live_bytes"],
            peak_process_id=1), **(run or {})})
        insert(db, "process", process_id=1, run_id=1, pid=10, wall_ns=SECOND, complete=1)
        for number, peak in enumerate(peaks, 100):
            insert(db, "process", process_id=number, run_id=1, pid=number, wall_ns=SECOND,
                   complete=1, alloc_count=1, peak_bytes=peak)
        insert(db, "lane", lane_id=1, run_id=1, process_id=1)
        insert(db, "thread", thread_id=1, run_id=1, process_id=1, lane_id=1, tid=10,
               name="main", started_ns=0, wall_ns=SECOND)
        for number, name, self_ns in ((1, "main", SECOND // 2), (2, "work", SECOND // 2)):
            times = dict(calls=1, total_ns=self_ns * (3 - number), self_ns=self_ns,
                         raw_total_ns=self_ns, raw_self_ns=self_ns,
                         alloc_count=0, alloc_bytes=0)
            insert(db, "function", function_id=number, run_id=1, name=name,
                   file="/src/work.c", line=number, recording="exact",
                   **{**times, **(work if work and name == "work" else {})})
            insert(db, "path", path_id=number, run_id=1, depth=number, function_id=number,
                   parent_path_id=number - 1 or None, kind=0, live_bytes=0,
                   at_peak_bytes=0, **times)
        for number, count in enumerate(programs, 200):
            insert(db, "process", process_id=number, run_id=1, pid=number, wall_ns=SECOND,
                   complete=1, alloc_count=count, executable="/bin/%d" % number)
            insert(db, "lane", lane_id=number, run_id=1, process_id=number)
        if programs:
            insert(db, "path_lane", path_id=2, lane_id=199 + len(programs), calls=1, total_ns=1,
                   self_ns=1, alloc_count=one["alloc_count"], alloc_bytes=0)
        for number, process_id in enumerate(lanes, 1):
            if number > 1:
                insert(db, "lane", lane_id=number, run_id=1, process_id=process_id)
            if process_id > 1:
                insert(db, "process", process_id=process_id, run_id=1, pid=9 + process_id,
                       wall_ns=SECOND // len(lanes), complete=1)
            for path_id in 1, 2:
                insert(db, "path_lane", path_id=path_id, lane_id=number, calls=1,
                       total_ns=SECOND // path_id // len(lanes),
                       self_ns=SECOND // 2 // len(lanes),
                       alloc_count=one["alloc_count"] // len(lanes) * (path_id - 1),
                       alloc_bytes=0)
        if wrapper:
            own = dict(calls=one["alloc_count"], total_ns=1, self_ns=1, raw_total_ns=1,
                       raw_self_ns=1, alloc_count=one["alloc_count"], alloc_bytes=0)
            insert(db, "function", function_id=30, run_id=1, name="xmalloc", file="/src/x.c",
                   line=1, recording="exact", **own)
            insert(db, "path", path_id=30, run_id=1, depth=3, function_id=30, parent_path_id=2,
                   kind=0, live_bytes=0, at_peak_bytes=0, **own)
        insert(db, "site", site_id=1, run_id=1, path_id=30 if wrapper else 2, file="/src/work.c",
               line=7, call_line=12 if wrapper else None, **one)
        for number, more in enumerate(beside, 2):
            insert(db, "site", site_id=number, run_id=1, path_id=2, file="/src/work.c",
                   line=7 + number, **more)
        for number in range(40, 40 + 2 * askers, 2):
            for path_id, name, parent, calls in ((number, f"ask{number}", 1, 1), (
                    number + 1, "xmalloc", number, one["alloc_count"])):
                times = dict(calls=calls, total_ns=1, self_ns=1, raw_total_ns=1, raw_self_ns=1,
                             alloc_count=0, alloc_bytes=0)
                function_id = 30 if name == "xmalloc" else number
                if function_id != 30:
                    insert(db, "function", function_id=number, run_id=1, name=name,
                           file="/src/work.c", line=number, recording="exact", **times)
                insert(db, "path", path_id=path_id, run_id=1, depth=3, function_id=function_id,
                       parent_path_id=parent, kind=0, live_bytes=0, at_peak_bytes=0, **times)
            insert(db, "site", site_id=number, run_id=1, path_id=number + 1, file="/src/x.c",
                   line=3, call_line=number, **one)
        for number, live in enumerate(snapshots, 1):
            insert(db, "snapshot", snapshot_id=number, run_id=1, process_id=1, number=number,
                   label="s", taken_by="call", time_ns=number * SECOND // 20, live_count=1,
                   live_bytes=live, alloc_count=1, alloc_bytes=live)
            insert(db, "snapshot_site", process_id=1, site_id=1, snapshot_id=number,
                   until_id=number + 1, live_count=1, live_bytes=live, alloc_count=1,
                   alloc_bytes=live)
        if faults is not None:
            insert(db, "resource", run_id=1, process_id=1, time_ns=SECOND,
                   minor_faults=faults, major_faults=major, rss_bytes=PEAK,
                   cpu_percent=cpu)
        else:  # it computed all the time; no more was sampled
            insert(db, "resource", run_id=1, process_id=1, time_ns=SECOND, cpu_percent=100)
        split(db, 1)
        db.commit()


def live(count, size, **changes):
    return site(alloc_count=count, alloc_bytes=count * size, free_count=0, free_bytes=0,
                live_count=count, live_bytes=count * size, peak_bytes=count * size,
                largest_bytes=size, **changes)


def at_peak(count, total, **changes):
    return blocks(count, total // count, at_peak_count=count, at_peak_bytes=total, **changes)


RISING = [MIB * n for n in range(1, 13)]
STEADY = [12 * MIB] * 12
LIMIT = {"rules": {"M13": {"limits": {"peak_bytes": PEAK - 1}}}}
LIMIT_RSS = {"rules": {"M13": {"limits": {"rss_bytes": PEAK - 1}}}}
HIGH = {"rules": {"M13": {"limits": {"peak_bytes": PEAK}}}}
LIMIT_BOTH = {"rules": {"M13": {"limits": {"peak_bytes": PEAK - 1, "rss_bytes": PEAK - 1}}}}
HIGH_AND_RSS = {"rules": {"M13": {"limits": {"peak_bytes": PEAK, "rss_bytes": PEAK}}}}
TEN = {"run": {"peak_bytes": 10 * MIB}, "peaks": [10 * MIB] * 10}
REALLOC = dict(realloc_count=2_000_000, free_count=2_000_000, alloc_count=2_000_000)

# name, rule, outcome, site, the rest of make(), rules file
CASES = [
    ("nothing", None, "passed", site(), {}, None),
    # a shell script's blocks and the program's are not of one whole
    ("by the main program", "M12", "found", live(1000, 80),
     {"beside": [blocks(1000, 80)], "programs": (5, 9)}, None),
    ("by another program", "M12", "passed", live(1000, 80),
     {"beside": [blocks(1000, 80)], "programs": (9, 5)}, None),
    ("of no time", "M1", "not measured", blocks(2_000_000, 40), {"run": {"wall_ns": 0}}, None),
    ("many", "M1", "found", blocks(2_000_000, 40), {}, None),
    ("by two threads at once", "M1", "passed", blocks(2_000_000, 40), {"lanes": (1, 1)}, None),
    ("by two processes in turn", "M1", "found", blocks(2_000_000, 40), {"lanes": (1, 2)}, None),
    ("few a second", "M1", "passed", blocks(2_000_000, 40), {"run": {"wall_ns": 21 * SECOND}},
     None),
    ("recycled", "M2", "found", blocks(5_000_000, 40) | {"peak_bytes": 20_000_000}, {}, None),
    ("not recycled", "M2", "passed", blocks(5_000_000, 40) | {"peak_bytes": 20_000_001}, {},
     None),
    ("temporary", "M3", "found", blocks(4_000_000, 40, temporary_count=2_000_000) |
     {"peak_bytes": 40}, {}, None),
    ("temporary is not churn", "M2", "passed", blocks(4_000_000, 40, temporary_count=2_000_000)
     | {"peak_bytes": 40}, {}, None),
    ("half temporary", "M3", "passed", blocks(4_000_000, 40, temporary_count=1_999_999), {}, None),
    ("small steps", "M4", "found", site(**REALLOC, alloc_bytes=1299 * MIB,
     realloc_old_bytes=1000 * MIB, realloc_copied_bytes=1000 * MIB), {}, None),
    ("a third more", "M4", "passed", site(**REALLOC, alloc_bytes=1300 * MIB,
     realloc_old_bytes=1000 * MIB, realloc_copied_bytes=1000 * MIB), {}, None),
    ("only shrinks", "M4", "passed", site(**REALLOC, alloc_bytes=1000 * MIB,
     realloc_old_bytes=1000 * MIB, realloc_copied_bytes=1000 * MIB), {}, None),
    ("old bytes unknown", "M4", "not measured", site(**REALLOC, alloc_bytes=1200 * MIB) |
     {"realloc_old_bytes": None}, {}, None),
    ("rises", "M5", "found", live(1000, 12_000), {"snapshots": RISING}, None),
    ("steady", "M5", "passed", live(1000, 12_000), {"snapshots": STEADY}, None),
    ("four snapshots", "M5", "not measured", live(1000, 12_000), {"snapshots": RISING[:4]},
     None),
    ("left", "M6", "found", live(100, 120_000), {}, None),
    ("left through one caller of xmalloc", "M6", "found", live(100, 120_000), {"wrapper": True},
     None),
    ("left by ten processes", "M6", "found", live(1600, MIB // 16), TEN, None),
    ("little left by ten processes", "M6", "passed", live(159, MIB // 16), TEN, None),
    ("few blocks left", "M6", "passed", live(99, 120_000), {}, None),
    ("little left", "M6", "passed", live(1000, 10_485), {}, None),
    ("set up once", "M6", "passed", live(1000, 12_000), {"snapshots": STEADY}, None),
    ("killed", "M6", "not measured", live(100, 120_000), {"run": {"complete": 0}}, None),
    ("half of the peak", "M7", "found", at_peak(10, PEAK // 2), {}, None),
    ("less", "M7", "passed", at_peak(10, PEAK // 2 - 10), {}, None),
    ("small peak", "M7", "passed", at_peak(10, 15 * MIB), {"run": {"peak_bytes": 15 * MIB}},
     None),
    ("big blocks", "M8", "found", blocks(1000, MIB) | {"peak_bytes": MIB}, {"faults": 256_000},
     None),
    ("without faults", "M8", "passed", blocks(1000, MIB) | {"peak_bytes": MIB}, {"faults": 900},
     None),
    ("big blocks that grow", "M8", "passed",
     blocks(1000, MIB, realloc_count=999, realloc_old_bytes=999 * (MIB - 42)) | {"peak_bytes": MIB},
     {"faults": 256_000}, None),
    ("faults unknown", "M8", "not measured", blocks(1000, MIB) | {"peak_bytes": MIB}, {}, None),
    # 16 bytes take 32: as much again
    ("small blocks", "M9", "found", at_peak(100_000, 1_600_000), {}, None),
    ("fewer small blocks", "M9", "passed", at_peak(99_999, 16 * 99_999), {}, None),
    ("blocks of no bytes", "M9", "found", at_peak(100_000, 0), {}, None),
    # 40 bytes take 48
    ("larger blocks", "M9", "passed", at_peak(100_000, 4_000_000), {}, None),
    ("crossing", "M10", "found", blocks(4_000_000, 200, cross_thread_free_count=800_000), {},
     None),
    ("less crossing", "M10", "passed", blocks(4_000_000, 200, cross_thread_free_count=799_999),
     {}, None),
    ("only from a disk", "M11", "found", site(), {"faults": 25_600, "cpu": 50, "major": 1000},
     None),
    ("no limit", "M13", "not measured", site(), {}, None),
    ("above the limit", "M13", "found", site(), {}, LIMIT),
    ("at the limit", "M13", "passed", site(), {}, HIGH),
    ("resident above", "M13", "found", site(), {"faults": 0}, LIMIT_RSS),
    ("resident unknown", "M13", "not measured", site(), {}, LIMIT_RSS),
    ("above, resident unknown", "M13", "found", site(), {}, LIMIT_BOTH),
    ("below, resident unknown", "M13", "not measured", site(), {}, HIGH_AND_RSS),
    ("peak unknown", "M13", "not measured", site(alloc_count=0), {"run": {"peak_bytes": 0}},
     HIGH),
    ("peak unknown, resident above", "M13", "found", site(alloc_count=0),
     {"run": {"peak_bytes": 0}, "faults": 0}, LIMIT_BOTH),
]

SAYS_WHERE = {"severity": "medium"}


def left(freed, size=100_000):
    return live(1000 - freed, size) | dict(alloc_count=1000, free_count=freed)


# name, rule, what the finding has, site, the rest of make()
RATED = [
    # of a peak of 100 MiB; what is below 64 MiB counts in proportion
    ("all of it left", "M6", {"impact": 1, "confidence": "medium", **SAYS_WHERE},
     live(1600, MIB // 16), {}),
    ("enough left to matter", "M6", {"impact": 0.64, **SAYS_WHERE}, live(1024, MIB // 16), {}),
    ("at one time a tenth", "M6", {"impact": 10 / 64}, live(1600, MIB // 16), TEN),
    ("half of that", "M6", {"impact": 0.32 / 2, **SAYS_WHERE}, live(512, MIB // 16), {}),
    ("half of a small peak", "M6", {"impact": 0.5 / 32, "severity": "low"}, live(128, MIB // 64),
     {"run": {"peak_bytes": 4 * MIB}}),
    ("some were freed", "M6", {"confidence": "medium"}, left(50), {}),
    ("more were freed", "M6", {"confidence": "low"}, left(51), {}),
    ("all of the peak", "M7", {"impact": 0.5, "confidence": "low", **SAYS_WHERE},
     at_peak(1600, 100 * MIB), {}),
    ("most of the peak", "M7", {"impact": 0.32, **SAYS_WHERE}, at_peak(1024, 64 * MIB), {}),
    ("half of a peak", "M7", {"impact": 0.5 * 0.5 * 50 / 64, **SAYS_WHERE}, at_peak(800, 50 * MIB),
     {}),
    ("all of a small peak", "M7", {"impact": 0.5 / 4, **SAYS_WHERE}, at_peak(256, 16 * MIB),
     {"run": {"peak_bytes": 16 * MIB}}),
    # of 8 ns a pair each asks for too few alone; the one with the largest site is told
    ("few for each who asks", "M3", {"says": "frees 1,600,000 blocks right after malloc, "
     "100.0% of its own, with 1 other caller of xmalloc", "function": "work", "line": 12},
     blocks(800_000, 40, temporary_count=800_000), {"wrapper": True, "askers": 1}),
    ("one buffer", "M8", {"advice": "keep the buffer between calls"},
     blocks(1000, MIB) | {"peak_bytes": MIB}, {"faults": 256_000}),
    ("a buffer that grows", "M8", {"advice": "let one buffer grow"},
     blocks(1000, MIB) | {"peak_bytes": MIB, "largest_bytes": 2 * MIB}, {"faults": 256_000}),
    ("one site is forgotten", "M12", {"severity": "low"}, live(1000, 80),
     {"beside": [blocks(1000, 80)]}),
]


def look(analyze, directory, case):
    name, rule, wanted, one, rest, rules = case
    database = os.path.join(directory, "run.db")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(database)
    make(database, one, **rest)
    command = [analyze, "bottlenecks", database, "--format", "json"]
    if rules:
        with open(os.path.join(directory, "rules.json"), "w", encoding="utf-8") as file:
            json.dump(rules, file)
        command += ["--rules", file.name]
    result = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    if result.returncode:
        return [f"{name}: exit {result.returncode}: {result.stderr}"]
    document = json.loads(result.stdout)
    if isinstance(wanted, dict):
        return [f"{name}: {what}" for what in judge_rating(document, rule, wanted)]
    outcomes = {line["id"]: line["outcome"] for line in document["rules"]}
    wrong = [key for key, outcome in outcomes.items() if key[0] == "M" and outcome == "found"
             and rule is None]
    if rule and outcomes.get(rule) != wanted:
        wrong.append(f"{rule} {outcomes.get(rule)}, not {wanted}")
    with contextlib.closing(sqlite3.connect(database)) as db:
        for finding in document["findings"]:
            if finding["id"][0] == "M" and not db.execute(finding["sql"]).fetchall():
                wrong.append(f"the SQL of {finding['id']} finds nothing")
            if finding["id"] == rule and finding["function"] not in ("work", None):
                wrong.append(f"{rule} names {finding['function']}")
            if finding["id"] == rule and rest.get("wrapper") and finding["line"] != 12:
                wrong.append(f"{rule} is at line {finding['line']}")
            wrong += [f"{finding['id']}: {one['value']} % {one['name']}"
                      for one in finding["evidence"]
                      if one["unit"] == "percent" and not 0 <= (one["value"] or 0) <= 100]
            wrong += [f"{finding['id']}: {one['name']} is no number"
                      for one in finding["evidence"] if one["value"] is None]
            if name == "only from a disk" and "the same memory" in finding["why"]:
                wrong.append("M11 tells of what it did not see")
    return [f"{name}: {what}" for what in wrong]


def judge_rating(document, rule, wanted):
    findings = [one for one in document["findings"] if one["id"] == rule]
    if len(findings) != 1:
        return [f"{len(findings)} findings of {rule}"]
    is_right = {"impact": lambda is_, value: abs(is_ - value) <= 1e-6,
                "advice": lambda is_, value: is_[0].startswith(value)}
    return [f"{key} {findings[0][key]}, not {value}" for key, value in wanted.items()
            if not is_right.get(key, lambda is_, value: is_ == value)(findings[0][key], value)]


def main():
    problems = []
    cases = CASES + [(*one, None) for one in RATED]
    with tempfile.TemporaryDirectory(prefix="profshim-rules-") as directory:
        for case in cases:
            problems += look(sys.argv[1], directory, case)
    print("\n".join(problems) or f"{len(cases)} cases")
    sys.exit(bool(problems))


if __name__ == "__main__":
    main()
