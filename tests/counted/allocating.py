#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A function that allocates keeps its frames, whatever the budget.

usage: allocating.py BUILD_ROOT
"""
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs"))
import harness  # noqa: E402

CALLS = 3_000_000
SOURCE = """
#include <stdlib.h>
__attribute__((noipa)) void *take(size_t size) { return malloc(size); }
__attribute__((noipa)) int next(int number) { return number + 1; }
int main(void)
{
	int sum = 0;

	for (int i = 0; i < %d; i++) {
		void *block = take(16);

		sum = next(sum);
		free(block);
	}
	return sum != %d;
}
""" % (CALLS, CALLS)


def main():
    products = harness.Products(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="profshim-test-") as folder:
        source = os.path.join(folder, "allocating.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write(SOURCE)
        program = harness.compile_program(source, os.path.join(folder, "program"))
        database = os.path.join(folder, "run.db")
        result = harness.run([program], cwd=folder, env=products.environment(
            database, PROFSHIM_OVERHEAD=1))
        harness.expect(result.returncode == 0, f"it ended with {result.returncode}")
        harness.settle(products, database)
        for name, recording in (("take", "exact"), ("next", "windows")):
            row = harness.query(database, "SELECT calls, recording != 'exact' FROM functions "
                                f"WHERE name = '{name}'")[0]
            harness.expect(row == (CALLS, int(recording != "exact")), f"{name}: {row}")


main()
