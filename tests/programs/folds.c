/* SPDX-License-Identifier: MIT */
/* Ten times as many call paths and allocation sites as there may be: what is beyond is
 * counted as folded and belongs to the path that called it. No call and no block is lost, and
 * no memory is taken for more. There is room for main, 2,000 levels and their sites. */
// settings: PROFSHIM_MAX_PATHS=4001
// expect-sql: SELECT SUM(value) FROM trust WHERE name IN ('hook_calls', 'folded_paths')
//     => 20001
// expect-trust: folded_paths => 18000
// expect-sql: SELECT COUNT(*), SUM(calls) FROM call_paths WHERE name = 'descend' =>
//     2000|2000
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_count) FROM
//     allocation_sites => 20000|320000|0
// expect-sql: SELECT SUM(value) < 3000000 FROM trust WHERE name = 'tool_memory_bytes' => 1
#include "truth.h"
#include <stdlib.h>

#define LEVELS 20000

static volatile unsigned sum;

ALONE static void descend(unsigned levels)
{
	void *block = malloc(opaque(16));

	keep(block);
	if (levels > 1)
		descend(levels - 1);
	free(block);
	sum++;
}

int main(void)
{
	descend(LEVELS);
	return sum == LEVELS ? 0 : 1;
}
