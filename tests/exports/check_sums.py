#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What every view of a recording adds up to. usage: check_sums.py BUILD-ROOT

Ten recordings of different kinds: the columns of each table, the bar of where the time went,
the explorer's data, the pictures and the exports have the same sums, to the last unit, or in
the digits that people are shown.
"""
import base64
import json
import os
import re
import sys
import tempfile
import zlib

import readers
import recordings
from recordings import harness

PROGRAMS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs")
# name: source, level, hooks
KINDS = {
    "calls": ("calls.c", "exact", True), "threads": ("threads.c", "exact", True),
    "counted": ("threads.c", "full", True), "recursion": ("recursion.c", "exact", True),
    "waits": ("wait_calls.c", "exact", True), "locks": ("held_locks.c", "full", True),
    "plain": ("no_hooks.c", "exact", False), "inlined": ("inlined.c", "full", True),
    "steps": ("step_waits.c", "basic", True), "objects": ("objects.cpp", "exact", True)}
# metric: its column in tables, its word for --metric
COLUMNS = {
    "calls": ("calls", "calls"), "wall": ("self_ns", "time"), "cpu": ("self_cpu_ns", "cpu"),
    "ready": ("self_ready_ns", "ready"), "blocked": ("self_blocked_ns", "blocked"),
    "allocations": ("alloc_count", "allocs"), "bytes": ("alloc_bytes", "bytes"),
    "live": ("live_bytes", "live"), "at_peak": ("at_peak_bytes", "at-peak")}
UNITS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20,
         "GiB": 1 << 30}
CALLED = 5  # functions of a recording whose callers are added up
SHOWN = 0.006  # three digits
TICK_NS = 4_000_000  # the kernel tells the clock of a running thread so late


def answer(recording, *words):
    """Of prof-analyze; status 4: there is nothing of it."""
    result = harness.run([recording.products.analyze, *words])
    harness.expect(result.returncode in (0, 4), f"{words}: {result.stderr}")
    return result.stdout


def tables(recording, report):
    text = answer(recording, report, recording.database, "-n", "0", "-f", "json")
    return json.loads(text) if text else {}


def add_columns(rows):
    return {metric: sum(row[column] or 0 for row in rows)
            for metric, (column, _) in COLUMNS.items() if rows and column in rows[0]}


class Bytes:
    """Numbers as data.c writes them."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def next(self):
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self):
        value = self.next()
        return -(value + 1) // 2 if value % 2 else value // 2

    def text(self):
        size = self.next()
        self.at += size
        return self.data[self.at - size:self.at].decode()


def explored(page):
    """The sums of the samples that the page's explorer draws."""
    packed = re.search(r'<script type="text/plain" id="data">([^<]*)<', page)
    if not packed:
        return {}
    data = Bytes(zlib.decompress(base64.b64decode(packed[1])))
    head = json.loads(data.text())
    for _ in range(head["nodes"]):
        for _ in range(4):
            data.next()
        for _ in range(3):
            data.signed()
    sums = dict.fromkeys([metric["word"] for metric in head["metrics"]], 0)
    for _ in range(data.next()):
        data.next()
        data.next()
        mask = data.next()
        for i, metric in enumerate([*sums, None, None]):
            if mask >> i & 1:
                value = data.signed()
                if metric:
                    sums[metric] += value
    return sums


def page_table(page, name):
    """The sums of the page's table of that name, by its columns."""
    section = re.search(rf'<section data-name="{name}".*?</section>', page, re.S)
    if not section:
        return {}
    names = re.findall(r'<th scope="col"[^>]* data-name="([^"]*)"', section[0])
    body = section[0].split("<tbody>")[1]
    sums = dict.fromkeys(names, 0)
    unknown = set()
    for row in re.findall(r"<tr.*?</tr>", body, re.S):
        for column, cell in zip(names, re.findall(r"<t[dh][^>]*>[^<]*", row)):
            value = re.search(r'data-v="([^"]*)"', cell)
            sums[column] += float(value[1]) if value else 0
            if ">&lt;" in cell and not column.endswith("percent"):
                unknown.add(column)  # at most so much: nothing to add up
    return {metric: sums[column] for metric, (column, _) in COLUMNS.items()
            if column in sums and column not in unknown}


def picture(recording, metric):
    """What the frame `all` of the flame graph has (None: it is not known), and how far what
    stands on it is from its width; None: nothing is drawn."""
    svg = answer(recording, "flamegraph", recording.database, "--metric", COLUMNS[metric][1],
                 "--min-share", "0", "-o", "/dev/stdout")
    frames = re.findall(r'<title>([^<]*)</title><rect x="\S+" y="(\S+)" width="(\S+)"', svg)
    if not frames:
        return None
    amount = re.search(r"\n([\d.,]+)(\w*)", frames[0][0])
    harness.expect(amount or "\n&lt;" in frames[0][0], f"a title is: {frames[0][0]}")
    rows = sorted({float(y) for _, y, _ in frames})
    roots = sum(float(width) for _, y, width in frames if len(rows) > 1 and float(y) == rows[1])
    return (float(amount[1].replace(",", "")) * UNITS.get(amount[2], 1) if amount else None,
            abs(roots / float(frames[0][2]) - 1))


def exports(recording, metric):
    yield "pprof", readers.Pprof(recording.file("pprof")).read(metric)[0]
    yield "speedscope", readers.speedscope(recording.file("speedscope"), metric)[0]
    with open(recording.file("callgrind"), encoding="utf-8") as file:
        totals = re.search(r"^totals: (.*)$", file.read(), re.M)[1].split()
    yield "callgrind", int(totals[list(recordings.METRICS).index(metric)])
    path = recording.file("folded")
    text = answer(recording, "export", "folded", recording.database, "--metric",
                  COLUMNS[metric][1])
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    yield "folded", readers.folded(path)


def untimed(recording, metric):
    """What the tables of functions do not tell: a function that was only counted, most of
    the time, has no time there, and what was timed of it is little."""
    column = COLUMNS[metric][0]
    return 0 if not column.endswith("_ns") else recording.rows(
        f"SELECT TOTAL({column}) FROM functions WHERE recording IN ('counted', 'off')")[0][0]


def check_metric(recording, metric, expected, views):
    problems, untold = [], untimed(recording, metric)
    if untold > SHOWN * expected + TICK_NS:
        problems.append(f"tables of functions leave out {untold:.0f} of {expected}")
    for view, sums in views.items():
        if metric in sums and round(sums[metric]) not in (
                expected, expected - untold * view.endswith("functions")):
            problems.append(f"{view} has {sums[metric]:.0f}, not {expected}")
    for kind, told in exports(recording, metric):
        if told != expected:
            problems.append(f"{kind} has {told}, not {expected}")
    drawn = picture(recording, metric)
    if drawn and drawn[0] is not None and abs(drawn[0] - expected) > SHOWN * expected + 1:
        problems.append(f"the picture has {drawn[0]:.0f}, not {expected}")
    if drawn and expected and drawn[1] > 1e-3:
        problems.append(f"what stands on the picture's frame `all` is not as wide: {drawn[1]}")
    return problems


def without(sums, *metrics):
    return {metric: amount for metric, amount in sums.items() if metric not in metrics}


def not_inlined(rows):
    """Of the code as it was built, which the tree has."""
    return sum((row["calls"] or 0) - row["inlined_calls"] for row in rows)


def check_bar(report, sums):
    """No table has more of a kind of time than the threads did, beyond its error."""
    where = report.get("where", {})
    parts = {"cpu": where.get("program_ns"), "ready": where.get("ready_ns"),
             "blocked": where.get("blocked_ns")}
    error = where.get("program_error_ns") or 0
    # a thread that never slept was ready without its call paths knowing when: they computed then
    unbooked = max((parts["ready"] or 0) - sums["ready"], 0)
    return [f"the bar has {part} of {metric}, the tables {sums[metric]}"
            for metric, part in parts.items()
            if part is not None and sums[metric] > part * (1 + SHOWN) + error + unbooked + TICK_NS]


def check_shares(report, name, column, untold=0.0):
    shares = [row[column] or 0 for row in report.get(name, []) if column in row]
    whole = sum(shares)
    return [f"{column} of {name} adds up to {whole:.2f}"] if whole and \
        abs(whole - 100) > 100 * (SHOWN + untold) else []


def check_callers(recording, functions):
    """The callers of a function have its total, and its callees with its own time; its share is
    that of all tables. One that calls itself is left out: its callers overlap."""
    once = recording.rows(
        "SELECT f.function_id, f.name FROM functions f JOIN call_paths p USING (function_id) "
        "GROUP BY f.function_id HAVING SUM(p.total_ns) = f.total_ns ORDER BY f.total_ns DESC "
        f"LIMIT {CALLED}")
    shares = {row["function_id"]: row["self_percent"] for row in functions}
    for function_id, name in once:
        told = json.loads(answer(recording, "callers", recording.database, f"#{function_id}",
                                 "-f", "json", "-n", "0"))
        total, share = told["function"]["total_ns"], told["function"]["self_percent"]
        for table in ("callers", "callees"):
            rows = told.get(table, [])
            summed = sum(row["total_ns"] for row in rows)
            if abs(summed - total) > len(rows) + 1:
                yield f"{table} of {name} have {summed}, not {total}"
        if function_id in shares and abs(share - shares[function_id]) > SHOWN:
            yield f"{name} has {share} % among callers, {shares[function_id]} % among functions"


def check(recording):
    sums = {metric: amount or 0 for metric, amount in recording.sums().items()}
    page = answer(recording, "report", recording.database, "--format", "html", "-n", "0")
    functions, report = tables(recording, "functions"), tables(recording, "report")
    memory, tree = tables(recording, "memory"), tables(recording, "tree")
    inlined = answer(recording, "tree", recording.database, "-f", "json", "--inlined")
    # of a run with samples the report and its page leave out what took no time, with its calls
    hot = report.get("functions", [])
    untold = ["calls"] if len(hot) < len(functions.get("functions", [])) else []
    views = {
        "functions": add_columns(functions.get("functions", [])),
        "tree": add_columns(json.loads(inlined)["call_tree"] if inlined else []),
        "components": add_columns(tables(recording, "components").get("components", [])),
        "memory": add_columns(memory.get("allocation_sites", [])),
        # none that only allocates is hot
        "report's functions": without(add_columns(hot), "allocations", "bytes", *untold),
        "report's sites": add_columns(report.get("allocation_sites", [])),
        "page's functions": without(page_table(page, "functions"), *untold),
        "page's sites": page_table(page, "allocation_sites"), "explorer": explored(page)}
    problems = check_bar(report, sums) + check_shares(
        functions, "functions", "self_percent",
        untimed(recording, "cpu") / max(sums["cpu"], 1)) + \
        check_shares(memory, "allocation_sites", "alloc_bytes_percent")
    if not_inlined(tree.get("call_tree", [])) != not_inlined(functions.get("functions", [])):
        problems.append("calls: the tree has not those that were not inlined")
    for metric, expected in sums.items():
        problems += [f"{metric}: {problem}" for problem in
                     check_metric(recording, metric, expected, views)]
    problems += check_callers(recording, functions.get("functions", []))
    if not views["explorer"]:
        problems.append("the page has no explorer")
    return [f"{recording.name}: {problem}" for problem in problems]


def record(products, folder, name):
    source, level, hooks = KINDS[name]
    source = os.path.join(PROGRAMS, source)
    with open(source, encoding="utf-8") as file:
        flags = re.search(r"^ ?(?:\*|//) flags: (.*)$", file.read(), re.M)
    program = harness.compile_program(source, os.path.join(folder, name), hooks=hooks,
                                      flags=flags[1].split() if flags else [])
    return recordings.Recording(products, folder, name, [program], PROFSHIM_LEVEL=level)


def main():
    products = harness.Products(sys.argv[1])
    problems = []
    with tempfile.TemporaryDirectory(prefix="profshim-sums-") as folder:
        for name in sys.argv[2:] or KINDS:
            problems += check(record(products, folder, name))
    print("\n".join(problems))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
