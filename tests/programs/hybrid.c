/* SPDX-License-Identifier: MIT */
/* A library without hooks in between: its frames are named in allocation stacks. */
// variants: all
// plugin: hybrid_library.c no-hooks
// expect-sql: SELECT calls FROM functions WHERE name = 'callback' => 1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'callback' => main|1000
// expect-sql: SELECT p.name, SUM(c.alloc_count), SUM(c.alloc_bytes), SUM(c.live_bytes),
//     c.kind FROM call_paths c JOIN call_paths p ON p.path_id = c.parent_path_id WHERE
//     c.name = 'plain_inner' => plain_outer|1010|32500|10000|frame
// expect-sql: SELECT p.name, p.kind, c.depth FROM call_paths c JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE c.name = 'plain_outer' ORDER BY 1 =>
//     callback|function|3; main|function|2
// expect-below: callback alloc_count => 1500
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes) FROM allocation_sites WHERE name =
//     'callback' => 500|5000
// expect-sql: SELECT file LIKE '%/hybrid_library.c' FROM allocation_sites WHERE name =
//     'plain_inner' GROUP BY 1 => 1
// expect-sql: SELECT recording, calls FROM functions WHERE name = 'plain_inner' => unwound|
#include "truth.h"
#include <stdlib.h>

void *plain_outer(size_t size);
void plain_each(int count, void (*callback)(int));

/* Every time through the library, every other time directly. */
ALONE static void callback(int i)
{
	void *block;

	free(plain_outer(opaque(i % 2 ? 25 : 20)));
	if (i % 2) {
		block = malloc(opaque(10));
		keep(block);
		free(block);
	}
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++)
		keep(plain_outer(1000));
	plain_each(1000, callback);
	return 0;
}
