/* SPDX-License-Identifier: MIT */
/* Three functions that call each other make more paths than a thread keeps. A recursive call
 * may join the path of an outer one, but only of one by the same caller: how often who called
 * whom stays exact. */
// settings: PROFSHIM_LEVEL=exact
// expect-trust: folded_paths => 0
// expect-sql: SELECT value > 10000 FROM trust WHERE name = 'merged_recursion' => 1
// expect-sql: SELECT caller || '>' || callee, calls FROM call_edges WHERE calls > 0
//     ORDER BY 1 => factor>sum|28656; factor>term|28656; main>term|1;
//     sum>term|46367; term>factor|46368; term>sum|46368
#include "truth.h"

#define DEPTH 23

static volatile unsigned count;

static void factor(unsigned depth);
static void sum(unsigned depth);

ALONE static void term(unsigned depth)
{
	if (depth) {
		factor(depth - 1);
		sum(depth - 1);
	}
	count++;
}

ALONE static void factor(unsigned depth)
{
	if (depth) {
		sum(depth - 1);
		term(depth - 1);
	}
	count++;
}

ALONE static void sum(unsigned depth)
{
	if (depth)
		term(depth - 1);
	count++;
}

int main(void)
{
	term(DEPTH);
	return count ? 0 : 1;
}
