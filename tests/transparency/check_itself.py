#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Does scripts/transparency see differences? usage: check_itself.py BUILD_DIRECTORY"""
import os
import sys
import tempfile

import runner
import sandbox
import table

HERE = os.path.dirname(os.path.abspath(__file__))
# Of each case: words of the one sentence that tells what differs; nothing for "same".
EXPECTED = {
    "agrees": "", "changes-by-itself": "", "hidden": "", "no-recording": "",
    "unrecorded": "", "absent": "",
    "one-line-changes": "stdout differs", "status": "ended with 1, not 0",
    "stdout": "stdout differs", "stderr": "stderr differs",
    "new-file": "more was written", "missing-file": "less was not written",
    "mode": "a is a file with mode 700", "contents": "a differs",
    "stray": "left running: sleep 60", "hangs": "ended with timed out",
}


def main():
    sandbox.PATIENCE_SECONDS = 2
    cases = table.read_all(os.path.join(HERE, "itself"))
    problems = []
    with tempfile.TemporaryDirectory(prefix="transparency-") as base:
        setting = runner.set_up(base, sys.argv[1], 20, None, {})
        verdicts = {verdict.case.name: verdict
                    for verdict in runner.judge_all(cases, setting, 2)}
    if set(verdicts) != set(EXPECTED):
        problems.append(f"other cases: {set(verdicts) ^ set(EXPECTED)}")
    for name, words in EXPECTED.items():
        found = verdicts[name].differences
        if len(found) != bool(words) or (words and not found[0].startswith(words)):
            problems.append(f"{name}: expected {words!r}, got {found}")
    for name, is_varying in (("changes-by-itself", True), ("agrees", False)):
        if bool(verdicts[name].varying) != is_varying:
            problems.append(f"{name}: varying {verdicts[name].varying}")
    if verdicts["absent"].is_installed or verdicts["absent"].is_passed:
        problems.append("absent: counted although its package is not installed")
    if verdicts["agrees"].books:
        problems.append(f"agrees: books {verdicts['agrees'].books}")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
