#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does scripts/test count right? usage: check_counts.py SOURCE-ROOT

Tests of each kind are summed up by scripts/summarize_tests.py: one with cases counts as so
many, and who does not tell of a case that was planned has not passed it.
"""
import json
import os
import subprocess
import sys
import tempfile

# Result, standard output, what it counts for: passed, failed; what is told of it.
TESTS = [
    ("OK", "fine\n", (1, 0), ""),
    ("FAIL", "1 is not 2\n", (0, 1), "1 is not 2"),
    ("TIMEOUT", "", (0, 1), "TIMEOUT"),
    ("SKIP", "", (0, 0), "skipped"),
    ("OK", "1..2\nok 1 - a\nok 2 - b\n", (2, 0), ""),
    ("ERROR", "1..3\nok 1 - a\nnot ok 2 - b\n# because\nok 3 - c\n", (2, 1), "failed: b\n# because"),
    ("ERROR", "1..9\nok 1 - a\nnot ok 2 - b\n", (1, 8), "7 cases did not run"),
    ("ERROR", "1..2\nok 1 - a\nok 2 - b\n", (2, 1), "ERROR"),
]


def summarize(script, tests):
    with tempfile.TemporaryDirectory(prefix="profshim-counts-") as build:
        os.mkdir(os.path.join(build, "meson-logs"))
        with open(os.path.join(build, "meson-logs", "testlog.json"), "w",
                  encoding="utf-8") as file:
            for result, output, *_ in tests:
                json.dump({"name": "one", "result": result, "stdout": output, "duration": 1},
                          file)
                file.write("\n")
        return subprocess.run([script, build], capture_output=True, text=True, check=False)


def main():
    script = os.path.join(sys.argv[1], "scripts", "summarize_tests.py")
    wrong = []
    for tests in [[one] for one in TESTS] + [TESTS]:
        passed, failed = (sum(counts[i] for _, _, counts, _ in tests) for i in (0, 1))
        done = summarize(script, tests)
        if done.stdout != f"{passed} passed, {failed} failed\n":
            wrong.append(f"{tests}: {done.stdout}{done.stderr}")
        if done.returncode == (passed > 0 and failed == 0):
            wrong.append(f"{tests}: ended with {done.returncode}")
        wrong += [f"not told: {words}" for *_, words in tests if words not in done.stderr]
    print("\n".join(wrong))
    return bool(wrong)


sys.exit(main())
