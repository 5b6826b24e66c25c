#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Record programs with a defect each and look at what 'prof-analyze bottlenecks' says.

usage: run_defects.py BUILD-ROOT [SOURCE...]

Without sources: all in defects/. Of a program with a defect the rule must rank first that
its source names; a program without one must have no finding of medium or above. Lines in
the source:

    // expect: ID SLUG [FUNCTION]   what ranks first; without the line: no defect
    // mild: ID...                  rules that find nothing of medium or above beside it
    // starved: ID...               rules that may rank before it when others had the CPUs
    // flags: -pthread              for the compiler
    // cpus: N                      nothing to be seen on a machine with fewer
    // settings: NAME=VALUE...      for the environment, such as another level than exact
    // rules: JSON                  limits of rules, as a file for --rules
"""
import glob
import json
import os
import re
import sys
import tempfile

import harness

FOLDER = os.path.join(harness.HERE, "defects")
SEVERE = ("medium", "high", "critical")
KEYS = ("id", "rule", "severity", "score", "confidence", "function", "path", "evidence",
        "saving", "advice")


class Source:
    def __init__(self, path):
        self.path, self.name = path, os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            self.lines = dict(re.findall(r"^// ([a-z]+): (.*)$", file.read(),
                                         flags=re.MULTILINE))
        self.expected = self.lines.get("expect", "").split()

    def words(self, name):
        return self.lines.get(name, "").split()

    def settings(self):
        return dict(word.split("=", 1) for word in self.words("settings"))


class Bench:
    def __init__(self, products, folder):
        self.products, self.folder = products, folder

    def record(self, source):
        program = harness.compile_program(source.path, os.path.join(self.folder, source.name),
                                          flags=source.words("flags"))
        database = program + ".db"
        result = harness.run([program], cwd=self.folder,
                             env=self.products.environment(database, **source.settings()))
        harness.expect(result.returncode == 0,
                       f"{source.name} ended with {result.returncode}: {result.stderr}")
        harness.settle(self.products, database)
        return database

    def bottlenecks(self, database, source, *arguments):
        if "rules" in source.lines:
            rules = database + ".json"
            with open(rules, "w", encoding="utf-8") as file:
                file.write(source.lines["rules"])
            arguments += ("--rules", rules)
        return harness.run([self.products.analyze, "bottlenecks", database, *arguments])

    def document(self, database, source):
        result = self.bottlenecks(database, source, "--format", "json")
        harness.expect(result.returncode == 0,
                       f"bottlenecks ended with {result.returncode}: {result.stderr}")
        return json.loads(result.stdout)


def severe(findings, rules=None):
    return [finding for finding in findings if finding["severity"] in SEVERE
            and (rules is None or finding["id"] in rules)]


def told(findings):
    return ", ".join("{id} {function} {severity} {score:.0f}".format(**finding)
                     for finding in findings[:4]) or "nothing"


def without_machine(source, findings):
    """The findings, and whether one of them says that other programs had the CPUs: then the
    program's defect weighs less, and is its worst one still."""
    others = [finding for finding in findings
              if finding["id"] != "R3" or finding["id"] in source.expected]
    return others, len(others) < len(findings)


def check_first(bench, database, source, findings):
    findings, is_starved = without_machine(source, findings)
    if is_starved:
        findings = [finding for finding in findings
                    if finding["id"] not in source.words("starved")]
    harness.expect(findings, "nothing was found")
    first = findings[0]
    found = [first["id"], first["rule"]] + [first["function"]] * (len(source.expected) > 2)
    harness.expect(found == source.expected,
                   f"{' '.join(source.expected)} does not rank first: {told(findings)}")
    missing = [key for key in KEYS if key not in first]
    harness.expect(not missing, f"a finding without {', '.join(missing)}")
    harness.expect(first["evidence"] and first["advice"], f"nothing is behind {first}")
    scores = [finding["score"] for finding in findings]
    harness.expect(not severe(findings, source.words("mild")),
                   f"beside it: {told(severe(findings, source.words('mild')))}")
    harness.expect(scores == sorted(scores, reverse=True), f"not worst first: {scores}")
    # These tell of a limit, not of a defect: they may be low.
    if first["id"] not in ("R2", "R3") and not is_starved:
        harness.expect(first["severity"] in SEVERE, f"only {first['severity']}: {first}")
    result = bench.bottlenecks(database, source, "--fail-on", first["severity"])
    harness.expect(result.returncode == 3, f"--fail-on ended with {result.returncode}")
    result = harness.run([bench.products.analyze, "sql", database, first["sql"],
                          "--format", "csv"])
    harness.expect(result.returncode == 0 and len(result.stdout.splitlines()) > 1,
                   f"its query proves nothing: {first['sql']}\n{result.stderr}")


def check_clean(bench, database, source, findings):
    harness.expect(not severe(findings),
                   f"a defect that is none: {json.dumps(severe(findings), indent=1)}")
    result = bench.bottlenecks(database, source, "--fail-on", "medium")
    harness.expect(result.returncode == 0, f"--fail-on ended with {result.returncode}")


def record_and_check(bench, source):
    cpus = int((source.words("cpus") or ["1"])[0])
    if len(os.sched_getaffinity(0)) < cpus:
        return f"needs {cpus} CPUs"
    database = bench.record(source)
    document = bench.document(database, source)
    findings = document["findings"]
    for finding in findings:
        harness.expect(
            (finding["saving"]["time_ns"] or 0) <= document["run"]["wall_ns"],
            f"saves more than the run took, {document['run']['wall_ns']} ns: {finding}")
    check = check_first if source.expected else check_clean
    check(bench, database, source, findings)
    return told(findings)


def main():
    # with it malloc writes to each page
    os.environ.pop("MALLOC_PERTURB_", None)
    sources = sys.argv[2:] or sorted(glob.glob(os.path.join(FOLDER, "*.c")))
    failed = False
    with tempfile.TemporaryDirectory(prefix="profshim-defects-") as folder:
        bench = Bench(harness.Products(os.path.abspath(sys.argv[1])), folder)
        for path in sources:
            source = Source(path)
            try:
                print(f"{source.name}: {record_and_check(bench, source)}", flush=True)
            except harness.Failure as failure:
                print(f"{source.name}: FAILED: {failure}", flush=True)
                failed = True
    return failed


if __name__ == "__main__":
    sys.exit(main())
