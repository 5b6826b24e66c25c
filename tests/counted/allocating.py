#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Functions that allocate are counted like others, and have their allocations on their paths:
those that call malloc themselves, by way of code without hooks, or in an inlined copy.

usage: allocating.py BUILD_ROOT
"""
import written
from written import harness

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


def main():
    with written.recorded(SOURCE, 1) as (database, functions):
        for name, count in (("take", 2 * CALLS), ("fetch", CALLS), ("next", CALLS),
                            ("copy", CALLS), ("host", CALLS), ("copied", CALLS)):
            written.expect_counted(functions, name, count)
        sites = harness.query(database, SITES)
        harness.expect(sites == [("main copy strdup", CALLS), ("main fetch take", CALLS),
                                 ("main host copied", CALLS), ("main take", CALLS)],
                       f"allocations: {sites}")


main()
