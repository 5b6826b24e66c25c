#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function that is only counted, and recorded in windows, sleeps now and then where nobody
sees the call. What it slept in a window is on its path, and not in what its calls are said to
take; the rest is its caller's, measured, and no estimate is made of it.

usage: sleeping.py BUILD_ROOT
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402

WARM_UP = 20_000_000
CALLS = 60_000_000
# A call takes about 1 ns, and one of 10,000 sleeps for 20 us: in a window there is one of
# them now and then, and there are still enough calls to be counted.
SOURCE = """
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
static unsigned is_warm;
__attribute__((noipa)) unsigned next(unsigned number)
{
	struct timespec moment = {0, 20000};
	long result = SYS_nanosleep;

	if (__builtin_expect(number %% 10000 == 0 && is_warm, 0))
		__asm__ volatile("syscall" : "+a"(result) : "D"(&moment), "S"(0)
				 : "rcx", "r11", "memory");
	return number + 1;
}
int main(void)
{
	unsigned sum = 0;

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	while (sum < %du)
		sum = next(sum);
	is_warm = 1;
	while (sum < %du)
		sum = next(sum);
	return 0;
}
""" % (WARM_UP, CALLS)


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        source = os.path.join(folder, "sleeping.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        program = harness.compile_program(source, os.path.join(folder, "program"))
        database = os.path.join(folder, "run.db")
        result = harness.run([program], cwd=folder, env=products.environment(
            database, PROFSHIM_OVERHEAD=5))
        harness.expect(result.returncode == 0, f"it ended with {result.returncode}")
        harness.settle(products, database)
        calls, recording, window_calls = harness.query(
            database, "SELECT f.calls, f.recording, m.window_calls FROM functions f JOIN "
            "recordings m USING (function_id) WHERE f.name = 'next'")[0]
        harness.expect((calls, recording) == (CALLS, "windows"), f"next: {calls} {recording}")
        rows = dict((name, rest) for name, *rest in harness.query(
            database, "SELECT name, self_blocked_ns, self_ready_ns, self_ns FROM call_paths"))
        in_windows, elsewhere = rows["next"][0], rows["main"][0]
        harness.expect(in_windows > 60_000, f"{in_windows} ns were slept in windows, of "
                       f"{window_calls} calls in them")
        harness.expect(elsewhere > in_windows, f"{elsewhere} ns in others")


main()
