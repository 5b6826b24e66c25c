#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that allocate are counted like others, and have their allocations on their paths:
those that call malloc themselves, by way of code without hooks, or in an inlined copy.

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
static inline __attribute__((always_inline)) void *copied(size_t size) { return malloc(size); }
__attribute__((noipa)) void *host(size_t size) { return copied(size + 1); }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < %d; i++) {
		void *block = take(16), *other = fetch(16), *third = host(16);
		char *text = copy("text");

		sum = next(sum);
		free(block);
		free(text);
		free(other);
		free(third);
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


def expect_counted(functions, name, count):
    calls, recording = functions[name]
    harness.expect(calls == count and recording != "exact", f"{name}: {calls}, {recording}")


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        database, functions = record(products, folder, "allocating", SOURCE)
        for name, count in (("take", 2 * CALLS), ("fetch", CALLS), ("next", CALLS),
                            ("copy", CALLS), ("host", CALLS), ("copied", CALLS)):
            expect_counted(functions, name, count)
        sites = harness.query(database, SITES)
        harness.expect(sites == [("main copy strdup", CALLS), ("main fetch take", CALLS),
                                 ("main host copied", CALLS), ("main take", CALLS)],
                       f"allocations: {sites}")


main()
