#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Count what `meson test` did in some build directories.

Prints the logs of the tests that failed, the names of those that were skipped, and what
tests say that they have left out to stderr, and `N passed, N failed` to stdout. A build that could not be tested at all is a
failure. Exit status 0 only when something passed and nothing failed; a skipped test is
neither passed nor failed. A test that tells of its cases in the lines of the Test Anything
Protocol counts as so many tests: a case that was planned and not told of has failed.
"""
import argparse
import json
import os
import re
import sys

LOG_LINES = 80


def read_log(build):
    path = os.path.join(build, "meson-logs", "testlog.json")
    if not os.path.exists(path):
        return []
    with open(path, encoding="utf-8", errors="replace") as file:
        return [json.loads(line) for line in file if line.strip()]


class Cases:
    """What a test says of its cases; planned is 0 when it has none."""

    def __init__(self, text):
        plan = re.match(r"1\.\.(\d+)\n", text)
        self.planned = int(plan.group(1)) if plan else 0
        told = re.findall(r"^(not ok|ok) \d+ - (.*\n(?:#.*\n)*)", text, flags=re.MULTILINE)
        self.passed = sum(word == "ok" for word, _ in told)
        self.failures = [case for word, case in told if word == "not ok"]
        if len(told) < self.planned:
            self.failures += [f"{self.planned - len(told)} cases did not run"]

    def failed(self):
        return self.planned - self.passed


def show_failure(build, test, cases):
    print(f"\n---- {os.path.basename(build)}: {test['name']}: {test['result']} "
          f"after {test['duration']:.1f} s", file=sys.stderr)
    for case in cases.failures:
        print(f"failed: {case}", file=sys.stderr)
    for stream in ("stderr",) if cases.planned else ("stdout", "stderr"):
        lines = test.get(stream, "").rstrip().splitlines()
        if len(lines) > LOG_LINES:
            print(f"({len(lines) - LOG_LINES} lines left out)", file=sys.stderr)
        print("\n".join(lines[-LOG_LINES:]), file=sys.stderr)


def show_left_out(test):
    for line in test.get("stdout", "").splitlines():
        if line.startswith("left out"):
            print(f"{test['name']}: {line}", file=sys.stderr)


def main():
    parser = argparse.ArgumentParser(description="count the results of meson test")
    parser.add_argument("--broken-builds", type=int, default=0,
                        help="builds that could not be tested")
    parser.add_argument("builds", nargs="+")
    arguments = parser.parse_args()

    passed, failed = 0, arguments.broken_builds
    for build in arguments.builds:
        for test in read_log(build):
            cases = Cases(test.get("stdout", ""))
            if test["result"] in ("OK", "EXPECTEDFAIL"):
                passed += cases.planned or 1
                show_left_out(test)
            elif test["result"] == "SKIP":
                print(f"skipped: {test['name']}", file=sys.stderr)
            else:
                passed += cases.passed
                failed += max(1, cases.failed())
                show_failure(build, test, cases)
    print(f"{passed} passed, {failed} failed")
    return 0 if passed and not failed else 1


sys.exit(main())
