#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that allocate have their allocations on their paths, whatever the budget: one that
calls malloc itself without its frames, too, one by way of code without hooks with them.

usage: allocating.py BUILD_ROOT
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402

CALLS = 2_000_000
SOURCE = """
#include <stdlib.h>
#include <string.h>
__attribute__((noipa)) void *take(size_t size) { return malloc(size); }
__attribute__((noipa)) char *copy(const char *text) { return strdup(text); }
__attribute__((noipa)) int next(int number) { return number + 1; }
__attribute__((noipa)) void *fetch(size_t size) { return take(size); }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < %d; i++) {
		void *block = take(16), *other = fetch(16);
		char *text = copy("text");

		sum = next(sum);
		free(block);
		free(text);
		free(other);
	}
	return sum != %d;
}
""" % (CALLS, CALLS)
# The way of each from main, which is outermost.
SITES = """
WITH RECURSIVE way(site, alloc_count, path, names) AS (
	SELECT s.site_id, s.alloc_count, p.parent_path_id, p.name
	FROM allocation_sites s JOIN call_paths p USING (run_id, path_id)
	UNION ALL
	SELECT site, way.alloc_count, p.parent_path_id, p.name || ' ' || names
	FROM way JOIN call_paths p ON p.path_id = way.path)
SELECT names, sum(alloc_count) FROM way
WHERE names LIKE 'main %' GROUP BY 1 HAVING sum(alloc_count) >= 100 ORDER BY 1
"""


# Most of its children go on in the slots of former ones, where the paths have their sites.
CHILDREN, CHILD_CALLS = 120, 50_000
OFFSPRING = """
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
__attribute__((noipa)) char *copy(const char *text) { return strdup(text); }
__attribute__((noipa)) int next(int number) { return number + 1; }
int main(void)
{
	for (int child = 0; child < %d; child++) {
		if (fork() == 0) {
			int sum = 0;

			for (int i = 0; i < %d; i++) {
				char *text = copy("text");

				sum = next(sum);
				free(text);
			}
			_exit(0);
		}
		wait(NULL);
	}
	return 0;
}
""" % (CHILDREN, CHILD_CALLS)


def record(products, folder, name, text):
    """Runs a program with a small budget. Returns its run.db, and its functions: name ->
    (calls, recording)."""
    source = os.path.join(folder, name + ".c")
    with open(source, "w", encoding="utf-8") as file:
        file.write(text)
    program = harness.compile_program(source, os.path.join(folder, name))
    database = os.path.join(folder, name + ".db")
    result = harness.run([program], cwd=folder, env=products.environment(
        database, PROFSHIM_OVERHEAD=1))
    harness.expect(result.returncode == 0, f"it ended with {result.returncode}")
    harness.settle(products, database)
    rows = harness.query(database, "SELECT name, calls, recording FROM functions")
    return database, {name: (calls, recording) for name, calls, recording in rows}


def expect_calls(functions, name, count, is_exact):
    calls, recording = functions[name]
    harness.expect(calls == count and (recording == "exact") == is_exact,
                   f"{name}: {calls}, {recording}")


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        database, functions = record(products, folder, "allocating", SOURCE)
        for name, count in (("take", 2 * CALLS), ("fetch", CALLS), ("next", CALLS)):
            expect_calls(functions, name, count, False)
        expect_calls(functions, "copy", CALLS, True)
        sites = harness.query(database, SITES)
        harness.expect(sites == [("main copy strdup", CALLS), ("main fetch take", CALLS),
                                 ("main take", CALLS)], f"allocations: {sites}")
        _, functions = record(products, folder, "offspring", OFFSPRING)
        expect_calls(functions, "copy", CHILDREN * CHILD_CALLS, True)
        expect_calls(functions, "next", CHILDREN * CHILD_CALLS, False)


main()
