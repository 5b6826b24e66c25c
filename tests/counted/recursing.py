#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that call themselves are counted, as others are whose calls are short: their
calls last from nothing to the whole, and one is open all the time.

usage: recursing.py BUILD_ROOT
"""
import written
from written import harness

FIBONACCI = 30
DEPTH = 20
# Each of the three is entered once from outside.
SOURCE = """
__attribute__((noinline)) static unsigned fibonacci(unsigned n)
{
	return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__attribute__((noinline)) static unsigned right(unsigned way, int depth);
__attribute__((noinline)) static unsigned left(unsigned way, int depth)
{
	return depth ? right(way * 3, depth - 1) + right(way, depth - 1) : way;
}
__attribute__((noinline)) static unsigned right(unsigned way, int depth)
{
	return depth ? left(way * 7, depth - 1) + left(way, depth - 1) : way;
}
/* A child is visited by way of another function. */
struct branch { int depth; unsigned sum; };
__attribute__((noinline)) static void visit(struct branch *branch);
__attribute__((noinline)) static void each(struct branch *branch, void (*what)(struct branch *))
{
	for (int i = 0; i < 2; i++)
		what(branch);
}
__attribute__((noinline)) static void visit(struct branch *branch)
{
	branch->sum += (unsigned)branch->depth;
	if (branch->depth) {
		branch->depth--;
		each(branch, visit);
		branch->depth++;
	}
}
int main(void)
{
	struct branch branch = {%d, 0};
	unsigned sum = fibonacci(%d) + left(1, %d);

	visit(&branch);
	return sum + branch.sum == 1;
}
""" % (DEPTH, FIBONACCI, DEPTH)


def expected_calls():
    """fibonacci(n) takes 2 * F(n + 1) - 1 calls; the others are binary trees, two of them
    each other's layers."""
    low, high = 0, 1
    for _ in range(FIBONACCI):
        low, high = high, low + high
    return {"fibonacci": 2 * high - 1,
            "left": sum(2 ** depth for depth in range(0, DEPTH + 1, 2)),
            "right": sum(2 ** depth for depth in range(1, DEPTH + 1, 2)),
            "visit": 2 ** (DEPTH + 1) - 1, "each": 2 ** DEPTH - 1}


COUNTED = "SELECT f.name, TOTAL(m.counted_calls) FROM functions f JOIN mode m " \
          "USING (run_id, function_id) GROUP BY f.name"
TOTALS = "SELECT COUNT(*) FROM functions f, runs r WHERE f.total_ns > r.wall_ns OR " \
         "f.self_ns > f.total_ns OR f.total_ns < 0"


def main():
    with written.recorded(SOURCE, 10) as (database, functions):
        counted = dict(harness.query(database, COUNTED))
        for name, calls in expected_calls().items():
            written.expect_counted(functions, name, calls)
            harness.expect(counted.get(name, 0) > calls / 2,
                           f"{name} was not counted: {counted.get(name)}")
        wrong = harness.value(database, TOTALS)
        harness.expect(not wrong, f"{wrong} functions took longer than the run")


main()
