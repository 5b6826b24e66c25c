/* SPDX-License-Identifier: MIT */
/* Constructors run before main, those in .preinit_array even before ours: every call
 * is counted all the same. */
// expect-sql: SELECT calls FROM functions WHERE name = 'step' => 111
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'step' ORDER BY caller
//     => early|10; main|1; very_early|100
// expect-sql: SELECT name, SUM(alloc_bytes), SUM(live_bytes) FROM allocation_sites WHERE
//     name LIKE '%early' GROUP BY name ORDER BY name => early|500|500; very_early|300|0
#include "truth.h"
#include <stdlib.h>

static volatile unsigned sum;
static void *kept;

ALONE static void step(void)
{
	sum++;
}

UNTRACED void steps(int count)
{
	while (count-- > 0)
		step();
}

ALONE static void very_early(void)
{
	kept = malloc(opaque(300));
	steps(100);
}

__attribute__((section(".preinit_array"), used)) static void (*first)(void) = very_early;

__attribute__((constructor)) ALONE static void early(void)
{
	keep(malloc(opaque(500)));
	steps(10);
}

int main(void)
{
	free(kept);
	step();
	return 0;
}
