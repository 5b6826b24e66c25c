/* SPDX-License-Identifier: MIT */
/* More call paths, and allocation sites, than there may be, none of them by recursion: what
 * is beyond is counted as folded and belongs to the path that called it. No call and no block
 * is lost, and no memory is taken for more. Each of the functions calls both of the next
 * level, 8,191 calls with main: of 7,521 there is no path, and of 3,765 blocks no site. */
// settings: PROFSHIM_MAX_PATHS=1001
// expect-sql: SELECT value FROM trust WHERE name = 'hook_calls' => 670
// expect-trust: folded_paths => 11286
// expect-sql: SELECT COUNT(*) <= 1001 FROM call_paths => 1
// expect-trust: merged_recursion => 0
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_count) FROM
//     allocation_sites => 4096|65536|0
// expect-sql: SELECT SUM(value) < 3000000 FROM trust WHERE name = 'tool_memory_bytes' => 1
// expect-sql: SELECT self_error_ns >= self_ns FROM functions WHERE name = 'main' => 1
#include "truth.h"
#include <stdlib.h>

static volatile unsigned sum;

ALONE static void left12(void)
{
	void *block = malloc(opaque(16));

	keep(block);
	free(block);
	sum++;
}

ALONE static void right12(void)
{
	void *block = malloc(opaque(16));

	keep(block);
	free(block);
	sum++;
}

#define FUNCTION(name, left, right)                                                      \
	ALONE static void name(void)                                                     \
	{                                                                                \
		left();                                                                  \
		right();                                                                 \
		sum += 0;                                                                \
	}
#define LEVEL(number, next)                                                              \
	FUNCTION(left##number, left##next, right##next)                                  \
	FUNCTION(right##number, left##next, right##next)

LEVEL(11, 12)
LEVEL(10, 11)
LEVEL(9, 10)
LEVEL(8, 9)
LEVEL(7, 8)
LEVEL(6, 7)
LEVEL(5, 6)
LEVEL(4, 5)
LEVEL(3, 4)
LEVEL(2, 3)
LEVEL(1, 2)

int main(void)
{
	left1();
	right1();
	return sum == 1u << 12 ? 0 : 1;
}
