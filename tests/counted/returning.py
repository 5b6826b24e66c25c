#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that are recorded exactly again, as there is little to do, are counted again when
there is much.

usage: returning.py BUILD_ROOT
"""
import written
from written import harness

CALLS = 40_000_000
# All calls are of functions that lose their frames, in both busy parts.
SOURCE = """
#include <time.h>
__attribute__((noipa)) unsigned leaf(unsigned x) { return x * 2654435761u; }
__attribute__((noipa)) unsigned pair(unsigned x) { return leaf(leaf(x)); }
static __attribute__((no_instrument_function)) unsigned repeat(unsigned count, unsigned x)
{
	for (unsigned i = 0; i < count / 2; i++)
		x = pair(x);
	return x;
}
/* Keeps its frames: it is too long to lose them. */
__attribute__((noipa)) unsigned work(unsigned x)
{
	for (int i = 0; i < 20000; i++)
		x = x * 1664525u + 1013904223u;
	return x;
}
static __attribute__((no_instrument_function)) double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}
__attribute__((no_instrument_function)) int main(void)
{
	unsigned x = repeat(%d, 1);
	double start = now();

	while (now() < start + 1.5)
		x = repeat(2, work(x));
	return repeat(%d, x) == 1;
}
""" % (CALLS, CALLS)


def main():
    with written.recorded(SOURCE, 10) as (database, _):
        calls, counted, rounds = harness.query(
            database, "SELECT f.calls, m.counted_calls, w.calls FROM functions f JOIN mode m "
            "USING (run_id, function_id), functions w WHERE f.name = 'leaf' AND "
            "w.name = 'work'")[0]
        harness.expect(calls == 2 * CALLS + 2 * rounds, f"{calls} calls")
        harness.expect(counted > CALLS * 1.5, f"{counted} of {calls} calls were counted")


main()
