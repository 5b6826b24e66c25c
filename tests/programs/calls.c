/* SPDX-License-Identifier: MIT */
/* Nested calls: 10 x 100 x 1,000 leaves, and a function that gets inlined. */
// variants: all
// expect-sql: SELECT calls FROM functions WHERE name = 'leaf' => 1000000
// expect-sql: SELECT calls FROM functions WHERE name = 'middle' => 1000
// expect-sql: SELECT calls FROM functions WHERE name = 'outer' => 10
// expect-sql: SELECT calls FROM functions WHERE name = 'main' => 1
// expect-sql: SELECT calls FROM functions WHERE name = 'inlined' => 1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'leaf' =>
//     middle|1000000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'middle' => outer|1000
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'outer' => main|10
// expect-sql: SELECT caller, calls FROM call_edges WHERE callee = 'inlined' =>
//     middle|1000
// expect-sql: SELECT depth, calls, kind FROM call_paths WHERE name = 'leaf' =>
//     4|1000000|function
// expect-sql: SELECT COUNT(*) FROM call_paths WHERE kind = 'function' => 5
// expect-sql: SELECT file LIKE '%/calls.c', line FROM functions WHERE name = 'leaf' =>
//     1|35
// expect-sql: SELECT recording, module LIKE '%/program' FROM functions WHERE name =
//     'leaf' => exact|1
// expect-sql: SELECT COUNT(*) FROM processes WHERE complete = 1 AND exit_code = 0 => 1
// expect-sql: SELECT COUNT(*), MIN(name) FROM threads => 1|program
// expect-sql: SELECT complete, level FROM runs => 1|exact
// expect-sql: SELECT TOTAL(value) FROM trust WHERE name = 'hook_calls' => 1002011
#include "truth.h"

static volatile unsigned sum;

static inline unsigned inlined(unsigned i)
{
	return i * 2;
}

ALONE static void leaf(unsigned i)
{
	sum += i;
}

ALONE static void middle(unsigned i)
{
	unsigned k;

	sum += inlined(i);
	for (k = 0; k < 1000; k++)
		leaf(k);
}

ALONE static void outer(void)
{
	unsigned i;

	for (i = 0; i < 100; i++)
		middle(i);
}

int main(void)
{
	int i;

	for (i = 0; i < 10; i++)
		outer();
	return 0;
}
