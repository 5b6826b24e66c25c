#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Exports of three recordings say what run.db says. usage: check_exports.py BUILD-ROOT

Sums and the ten functions with most of each metric, to the last unit, as the readers have
them that Debian has: callgrind_annotate, and for the others readers of the formats. What npm has, and Go: scripts/check-exports.
"""
import decimal
import json
import os
import re
import sys
import tempfile

import readers
import recordings
from recordings import harness

# what folded stacks call them, and pprof
FOLDED = {"time": "wall", "calls": "calls", "bytes": "bytes", "allocs": "allocations",
          "live": "live"}


def check(recording):
    problems = []
    annotated = readers.callgrind_annotate(recording)
    pprof = readers.Pprof(recording.file("pprof"))
    for metric in recordings.METRICS:
        for consumer, answer in (
                ("pprof", pprof.read(metric)),
                ("speedscope", readers.speedscope(recording.file("speedscope"), metric)),
                ("callgrind_annotate", annotated[metric])):
            problems += recordings.problems_of(recording, consumer, metric, *answer)
    for word, metric in FOLDED.items():
        path = os.path.join(recording.folder, f"{recording.name}.{word}.folded")
        recording.export("folded", path, "--metric", word)
        if readers.folded(path) != recording.sums()[metric]:
            problems.append(f"{recording.name}: folded {word}: {readers.folded(path)}, not "
                            f"{recording.sums()[metric]}")
    if not any(comment.startswith("Pruned: nothing") for comment in pprof.comments):
        problems.append(f"{recording.name}: nothing is said of what was pruned")
    return problems


def check_threads(recording):
    """What each thread of the run has, and what --thread leaves of it."""
    lanes = dict(recording.rows(
        "SELECT t.tid, SUM(p.self_ns) FROM path_lane p JOIN thread t USING (lane_id) "
        "GROUP BY lane_id"))
    pprof, told = readers.Pprof(recording.file("pprof")), {}
    at = pprof.types.index("wall")
    for _, values, labels in pprof.samples():
        tid = labels.get("tid")
        told[tid] = told.get(tid, 0) + values[at]
    problems = [f"thread {tid}: {told.get(tid)}, not {lanes[tid]}" for tid in lanes
                if told.get(tid, 0) != lanes[tid]]
    tid = max(lanes)
    path = os.path.join(recording.folder, "thread.pprof")
    recording.export("pprof", path, "--thread", str(tid))
    total = readers.Pprof(path).read("wall")[0]
    if len(lanes) < 4 or total != lanes[tid]:
        problems.append(f"--thread {tid}: {total}, not {lanes[tid]}; {len(lanes)} threads")
    return problems


def check_pruned(recording):
    """What --ignore takes away is told, and is not there."""
    path = os.path.join(recording.folder, "pruned.pprof")
    recording.export("pprof", path, "--ignore", "fibonacci")
    pprof = readers.Pprof(path)
    functions = pprof.read("calls")[1]
    told = [comment for comment in pprof.comments if comment.startswith("Pruned by")]
    if "fibonacci" in functions or "drop" not in functions or not told:
        return [f"--ignore: {sorted(functions)}, {pprof.comments}"]
    return []


def check_timeline(recording):
    """The waits of a track add up to those of the lane, and none reaches into the next; slow
    calls are as run.db has them, each inside of what is around it."""
    recording.export("perfetto", recording.file("perfetto"))
    with open(recording.file("chrome"), encoding="utf-8") as file, \
            open(recording.file("perfetto"), encoding="utf-8") as same:
        text = file.read()
        harness.expect(text == same.read(), "perfetto is not another name of chrome")
    events = json.loads(text, parse_float=decimal.Decimal)["traceEvents"]
    lanes = recording.rows("SELECT MAX(lane_id) FROM lane")[0][0]
    ends, told, calls, steps, problems = {}, {}, {}, {}, []
    for event in events:
        if event["ph"] != "X":
            continue
        track, end = event["tid"], event["ts"] + event["dur"]
        open_ends = ends.setdefault(track, [])
        while open_ends and open_ends[-1] <= event["ts"]:
            open_ends.pop()
        if open_ends and (track > lanes or end > open_ends[-1]):
            problems.append(f"{event} is not inside of the one before it")
        open_ends.append(end)
        sums, key = (calls, event["name"]) if track <= lanes else \
            (told, track - lanes) if track <= 2 * lanes else (steps, event["name"])
        sums[key] = sums.get(key, 0) + (1 if track <= lanes else int(event["dur"] * 1000))
    waited = dict(recording.rows("SELECT lane_id, SUM(wait_ns) FROM stall GROUP BY lane_id"))
    if told != waited or len(waited) < 3:
        problems.append(f"waits of tracks: {told}, not {waited}")
    lasted = dict(recording.rows("SELECT name, SUM(duration_ns) FROM step GROUP BY name"))
    if steps != lasted or len(lasted) < 2:
        problems.append(f"steps of tracks: {steps}, not {lasted}")
    slow = dict(recording.rows("SELECT name, COUNT(*) FROM spans WHERE kind <> 'step' "
                               "GROUP BY name"))
    if calls != slow or len(slow) < 3:
        problems.append(f"slow calls: {calls}, not {slow}")
    return problems


def check_names(recording):
    """What there is not is refused with all that there is, which help tells of."""
    command = [recording.products.analyze, "export"]
    refused = harness.run([*command, "foldde", recording.database])
    names = re.search(r"there is no format 'foldde'; there are: (.*)", refused.stderr)
    help_text = harness.run([*command, "--help"]).stdout
    if refused.returncode != 2 or not names:
        return [f"foldde is refused with {refused.returncode}: {refused.stderr}"]
    return [f"export --help does not tell of {name}" for name in names[1].split(", ")
            if not re.search(rf"\b{name}\b", help_text)]


def check_lines(recording):
    """jsonl: one object, each name once, with the numbers of run.db."""
    recording.export("jsonl", recording.file("jsonl"))
    with open(recording.file("jsonl"), encoding="utf-8") as file:
        pairs, = [json.loads(line, object_pairs_hook=list) for line in file]
    told, problems = dict(pairs), []
    if len(told) != len(pairs):
        problems.append("jsonl has a name twice")
    sums = recording.sums()
    for name, metric in (("calls", "calls"), ("self_ns", "wall"), ("alloc_bytes", "bytes")):
        if told.get(name) != sums[metric]:
            problems.append(f"jsonl: {name} is {told.get(name)}, not {sums[metric]}")
        for function, own in recording.rows(
                f"SELECT full_name, SUM({name}) AS own FROM functions GROUP BY 1 "
                f"HAVING own > 0 AND own >= 0.005 * {sums[metric]} ORDER BY own DESC LIMIT 3"):
            if told.get(f"functions/{function}/{name}") != own:
                problems.append(f"jsonl: {function} has not {own} of {name}")
    steps = dict(recording.rows("SELECT 'steps/' || name || '/count', step_count "
                                "FROM step_totals WHERE process_id IS NULL"))
    if any(told.get(name) != count for name, count in steps.items()):
        problems.append(f"jsonl has not {steps}")
    if any(isinstance(value, (list, dict)) or value is None for value in told.values()):
        problems.append("jsonl has what is no text or number")
    return problems


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-exports-") as folder:
        single, waiting, plugged = recordings.make(products, folder)
        problems = [problem for recording in (single, waiting, plugged)
                    for problem in check(recording)]
        problems += check_threads(waiting) + check_timeline(waiting) + check_pruned(single)
        problems += check_names(single)
        for recording in (single, waiting, plugged):
            problems += check_lines(recording)
        names = {name.split(":")[0].split()[0] for _, name in waiting.in_time()}
        if not names >= {"hold", "waits", "round", "half", "snapshot"}:
            problems.append(f"waiting has too little in time: {names}")
    print("\n".join(problems))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
