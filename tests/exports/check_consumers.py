#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What Go's pprof, profiler.firefox.com's command line and speedscope make of exports.

usage: check_consumers.py BUILD-ROOT NODE-MODULES [TRACE-PROCESSOR-SHELL]

Prints a line for each metric that a consumer tells: its sum and ours. scripts/check-exports
fetches the consumers and runs this.
"""
import base64
import json
import os
import re
import sys
import tempfile
import time

import recordings
import trace_processor
from recordings import harness

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "pictures"))
import browser  # noqa: E402  (found through the line above)

UNITS = {"count": [], "nanoseconds": ["-unit=ns"], "bytes": ["-unit=B"]}
VALIDATE = """
const Ajv = require(process.argv[1] + '/ajv'), fs = require('fs');
const read = path => JSON.parse(fs.readFileSync(path));
const check = new Ajv({strict: false}).compile(read(process.argv[2]));
if (!check(read(process.argv[3]))) { console.log(check.errors); process.exit(1); }
"""


def run(*command, **options):
    result = harness.run(list(command), **options)
    harness.expect(result.returncode == 0,
                   f"{' '.join(command)[:200]}: {result.stdout[-500:]}{result.stderr[-500:]}")
    return result.stdout


def go_pprof(recording, metric):
    """What -top says, without leaving out anything."""
    unit = "count" if metric in ("calls", "allocations") else \
        "bytes" if metric in ("bytes", "live", "at_peak") else "nanoseconds"
    text = run("go", "tool", "pprof", "-top", *UNITS[unit], "-sample_index=" + metric,
               "-nodecount=100000", "-nodefraction=0", "-edgefraction=0",
               recording.file("pprof"), env={**os.environ, "PPROF_TMPDIR": recording.folder})
    total = re.search(r"of (-?[\d.]+)[a-zA-Z]* total", text)
    functions = {}
    for line in text.splitlines():
        match = re.match(r"\s*(-?\d+)\w*\s+\S+%\s+\S+%\s+(-?\d+)\w*\s+\S+% (.*)", line)
        if match:
            functions[match.group(3).strip()] = (int(match.group(1)), int(match.group(2)))
    return int(total.group(1)) if total else 0, functions


class Firefox:
    """The command line of profiler.firefox.com, which keeps a profile loaded."""

    def __init__(self, modules, recording):
        self.command = [os.path.join(modules, ".bin", "node"),
                        os.path.join(modules, ".bin", "profiler-cli")]
        self.environment = {**os.environ, "HOME": recording.folder}
        # it waits half a second only for its own daemon, and a busy machine takes longer
        load = [*self.command, "load", recording.file("chrome")]
        loaded = harness.wait_until(
            lambda: harness.run(load, env=self.environment).returncode == 0, 60, 0.5)
        harness.expect(loaded, "profiler-cli does not load the profile")
        info = json.loads(self.ask("profile", "info", "--all", "--json"))
        self.threads = [thread for process in info["processes"] for thread in process["threads"]]

    def markers(self):
        """{(thread's number, name): [how many, ns together]} of what has a place in time."""
        found = {}
        for thread in self.threads:
            told = json.loads(self.ask("thread", "markers", "--json", "--limit", "0", "--thread",
                                       thread["threadHandle"]))
            tid = str(thread["tid"])  # it is made up: "4700:3"
            for kind in told["byType"]:
                # in ms, and their mean
                mean = kind["durationStats"]["avg"] if "durationStats" in kind else 0
                entry = found.setdefault((int(tid) if tid.isdigit() else tid,
                                          kind["markerName"]), [0, 0])
                entry[0] += kind["count"]
                entry[1] += round(mean * kind["count"] * 1e6)
        return found

    def ask(self, *words):
        return run(*self.command, *words, env=self.environment)

    def close(self):
        self.ask("stop", "--all")


def load_into_speedscope(page, modules, recording):
    """Its own page takes the file, by the way its command line goes, without a complaint."""
    release = os.path.join(modules, "speedscope", "dist", "release")
    run("node", "-e", VALIDATE, modules, os.path.join(release, "file-format-schema.json"),
        recording.file("speedscope"))
    script = os.path.join(recording.folder, "speedscope.js")
    with open(recording.file("speedscope"), "rb") as file:
        data = base64.b64encode(file.read()).decode()
    with open(script, "w", encoding="utf-8") as file:
        file.write(f'speedscope.loadFileFromBase64("run.speedscope", "{data}")')
    # from one place to another of the same page nothing would be loaded
    page.call("Page.navigate", url="about:blank")
    page.open(os.path.join(release, "index.html") + "#localProfilePath=" + script)
    until = time.time() + browser.PATIENCE_S
    shown = "document.body ? document.body.innerText : ''"
    while "Sandwich" not in page.run(shown) and time.time() < until:
        time.sleep(0.1)
    told = str([event for event in page.events
                if event.get("method") == "Runtime.consoleAPICalled"])
    refused = [event for event in page.events if event.get("method") in (
        "Runtime.exceptionThrown", "Page.javascriptDialogOpening")]
    harness.expect("Importing as speedscope json file" in told and not refused,
                   f"speedscope: {told[-300:]} {refused}")
    with open(recording.file("speedscope"), encoding="utf-8") as file:
        first = json.load(file)["profiles"][0]["name"]
    harness.expect(first in page.run(shown), f"it shows no {first}")


def check_trace(recording, modules):
    """What profiler.firefox.com makes of the spans of a trace, whose threads have other numbers
    there."""
    firefox = Firefox(modules, recording)
    try:
        told = firefox.markers().values()
    finally:
        firefox.close()
    expected = [value for (_, name), value in recording.in_time().items()
                if not name.startswith("snapshot ")]
    told = [value for value in told if value[1]]
    return problems_in_sum(recording, "chrome", told, expected)


def problems_in_sum(recording, kind, told, expected):
    sums = [[sum(value[at] for value in values) for at in (0, 1)] for values in (told, expected)]
    print(f"{recording.name:8} {kind:12} profiler-cli   {sums[0][1]:>16} run.db {sums[1][1]:>16}"
          f" in {sums[0][0]} of {sums[1][0]} slices")
    return [] if sums[0] == sums[1] else [f"{recording.name}, {kind}: {sums[0]}, not {sums[1]}"]


def check_pprof(recording):
    problems = []
    for metric in recordings.METRICS:
        total, functions = go_pprof(recording, metric)
        print(f"{recording.name:8} {metric:12} go tool pprof  {total:>16}"
              f" run.db {recording.sums()[metric]:>16}")
        problems += recordings.problems_of(recording, "go tool pprof", metric, total, functions)
    return problems


def main():
    products, modules = harness.Products(sys.argv[1]), os.path.abspath(sys.argv[2])
    perfetto = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
    if perfetto:
        trace_processor.check_program(perfetto)
    with tempfile.TemporaryDirectory(prefix="profshim-exports-") as folder:
        made = recordings.make(products, folder)
        problems = [problem for recording in made for problem in check_pprof(recording)]
        problems += [problem for recording in made for problem in check_trace(recording, modules)]
        for recording in made if perfetto else []:
            problems += trace_processor.problems_of(perfetto, recording)
        page = browser.Browser("chromium")
        try:
            for recording in made:
                load_into_speedscope(page, modules, recording)
                print(f"{recording.name:8} speedscope: fits its schema, and it is shown")
        finally:
            page.close()
    print("\n".join(problems))
    sys.exit(f"{len(problems)} problems" if problems else 0)


main()
