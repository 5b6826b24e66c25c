#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function whose calls wait in libc keeps its frames, whatever the budget: what it waits
for is on its path. Where one of thousands waits, it is counted: its waits are its caller's.

usage: waiting.py BUILD_ROOT
"""
import written
from written import harness

CALLS = 400_000
SELDOM = 5_000
TAKES = 800 * SELDOM
# The sleep is refused at once, or its function would be too long to be counted anyway.
SOURCE = """
#include <time.h>
__attribute__((noipa)) int doze(void)
{
	struct timespec wrong = {0, -1};

	return nanosleep(&wrong, NULL);
}
__attribute__((noipa)) int next(int number) { return number + 1; }
__attribute__((noipa)) int take(int number)
{
	struct timespec wrong = {0, -1};

	return number %% %d ? 0 : nanosleep(&wrong, NULL) == 0;
}
int main(void)
{
	int sum = 0;

	for (int i = 0; i < %d; i++)
		sum = next(sum) + (doze() == 0);
	for (int i = 0; i < %d; i++)
		sum += take(i);
	return sum != %d;
}
""" % (SELDOM, CALLS, TAKES, CALLS)
PARENTS = """
SELECT c.name, p.kind, SUM(p.calls) FROM call_paths p JOIN call_paths c
ON c.run_id = p.run_id AND c.path_id = p.parent_path_id WHERE p.name = 'nanosleep'
GROUP BY 1, 2
"""


def main():
    with written.recorded(SOURCE, 1) as (database, functions):
        harness.expect(functions["doze"] == (CALLS, "exact"), f"doze: {functions['doze']}")
        written.expect_counted(functions, "next", CALLS)
        written.expect_counted(functions, "take", TAKES)
        parents = {name: calls for name, _, calls in harness.query(database, PARENTS)}
        harness.expect(parents.pop("doze") == CALLS, f"nanosleep: {parents}")
        harness.expect(set(parents) <= {"take", "main"} and sum(parents.values()) == 800,
                       f"seldom: {parents}")


main()
