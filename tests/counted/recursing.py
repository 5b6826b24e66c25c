#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that call themselves are counted, as others are whose calls are short: their
calls last from nothing to the whole, and one is open all the time.

usage: recursing.py BUILD_ROOT
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402

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


CALLS = "SELECT name, calls, recording FROM functions WHERE calls > 1"
COUNTED = "SELECT f.name, TOTAL(m.counted_calls) FROM functions f JOIN mode m " \
          "USING (run_id, function_id) GROUP BY f.name"
TOTALS = "SELECT COUNT(*) FROM functions f, runs r WHERE f.total_ns > r.wall_ns OR " \
         "f.self_ns > f.total_ns OR f.total_ns < 0"


def main():
    products = harness.Products(sys.argv[1])
    expected = expected_calls()
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        source = os.path.join(folder, "recursing.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        program = harness.compile_program(source, os.path.join(folder, "program"))
        database = os.path.join(folder, "run.db")
        result = harness.run([program], cwd=folder, env=products.environment(
            database, PROFSHIM_OVERHEAD=10))
        harness.expect(result.returncode == 0, f"it ended with {result.returncode}")
        harness.settle(products, database)
        found = {name: (calls, recording)
                 for name, calls, recording in harness.query(database, CALLS)}
        counted = dict(harness.query(database, COUNTED))
        for name, calls in expected.items():
            harness.expect(found.get(name, (0, ""))[0] == calls,
                           f"{name} was called {calls} times: {found}")
            harness.expect(found[name][1] != "exact" and counted.get(name, 0) > calls / 2,
                           f"{name} was not counted: {found[name]}, {counted.get(name)}")
        wrong = harness.value(database, TOTALS)
        harness.expect(not wrong, f"{wrong} functions took longer than the run")


main()
