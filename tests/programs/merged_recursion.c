/* SPDX-License-Identifier: MIT */
/* Two functions that call each other, deeper than there may be call paths: what is beyond is
 * on the path of the nearest call of the same function, so no call and no block is lost, and
 * what the calls take adds up. The second time all of them are left by a jump. There is room
 * for main, a hundred pairs, what they call, and their sites. */
// settings: PROFSHIM_MAX_PATHS=401
// expect-sql: SELECT SUM(calls) FROM functions WHERE name IN ('even', 'odd', 'leaf') => 60002
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('even', 'odd', 'leaf') ORDER BY
//     name => even|20002; leaf|20000; odd|20000
// expect-trust: folded_paths => 0
// expect-trust: merged_recursion => 19802
// expect-trust: repaired_frames => 20001
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE name IN ('even', 'odd', 'leaf') => 300
// expect-sql: SELECT SUM(alloc_count), SUM(alloc_bytes), SUM(live_count) FROM
//     allocation_sites => 20000|320000|0
// expect-sql: SELECT SUM(raw_self_ns) > 0, MIN(self_ns) >= 0 FROM functions => 1|1
#include "truth.h"
#include <setjmp.h>
#include <stdlib.h>

#define DEPTH 20000

static volatile unsigned sum;
static jmp_buf place;
static int is_jumping;

ALONE static void leaf(void)
{
	void *block = malloc(opaque(16));

	keep(block);
	free(block);
	sum++;
}

static void even(unsigned depth);

ALONE static void odd(unsigned depth)
{
	leaf();
	even(depth - 1);
	sum++;
}

ALONE static void even(unsigned depth)
{
	if (depth)
		odd(depth - 1);
	else if (is_jumping)
		longjmp(place, 1);
	sum++;
}

int main(void)
{
	even(DEPTH);
	is_jumping = 1;
	if (!setjmp(place))
		even(DEPTH);
	return sum == 4 * (DEPTH / 2) + 1 ? 0 : 1;
}
