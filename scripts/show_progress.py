#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Show how far `meson test` is. usage: meson test | show_progress.py LOG

Every ten seconds a line on stderr, and one for each test that failed; on a terminal the
line is renewed in place. All that meson prints goes to LOG.
"""
import re
import sys
import time

PAUSE_S = 10.0
RESULT = re.compile(r"^ *(\d+)/(\d+) (\S+ / \S+) +([A-Z]+)")


def main():
    in_place = sys.stderr.isatty()
    started, shown, failed, is_open = time.monotonic(), 0.0, 0, False
    with open(sys.argv[1], "w", encoding="utf-8") as log:
        for line in sys.stdin:
            log.write(line)
            found = RESULT.match(line)
            if not found:
                continue
            done, count, name, result = found.groups()
            taken = time.monotonic() - started
            if result not in ("OK", "SKIP", "EXPECTEDFAIL"):
                failed += 1
                print("\r" * is_open + f"{name}: {result}\033[K" if in_place else
                      f"{name}: {result}", file=sys.stderr)
                is_open = False
            if taken - shown < (0.2 if in_place else PAUSE_S) and done != count:
                continue
            shown = taken
            print("\r" * in_place + f"  {done} of {count}, {failed} failed, {taken:.0f} s" +
                  "\033[K" * in_place, end="" if in_place else "\n", file=sys.stderr,
                  flush=True)
            is_open = in_place
    if is_open:
        print(file=sys.stderr)


main()
