/* SPDX-License-Identifier: MIT */
/* Recursion: fib(20) makes 2 * F(21) - 1 calls; two functions that call each other. */
// variants: lto
// expect-sql: SELECT calls FROM functions WHERE name = 'fib' => 21891
// expect-sql: SELECT calls FROM call_edges WHERE caller = 'fib' AND callee = 'fib' =>
//     21890
// expect-sql: SELECT calls FROM call_edges WHERE caller = 'main' AND callee = 'fib' => 1
// expect-sql: SELECT COUNT(*), MAX(depth) FROM call_paths WHERE name = 'fib' => 20|21
// expect-sql: SELECT calls FROM functions WHERE name = 'is_even' => 501
// expect-sql: SELECT calls FROM functions WHERE name = 'is_odd' => 500
// expect-sql: SELECT calls FROM call_edges WHERE caller = 'is_even' AND callee =
//     'is_odd' => 500
// expect-sql: SELECT f.total_ns <= m.total_ns AND f.total_ns > 0 FROM functions f,
//     functions m WHERE f.name = 'fib' AND m.name = 'main' => 1
// expect-sql: SELECT e.total_ns <= m.total_ns FROM call_edges e, functions m WHERE
//     e.callee = 'fib' AND e.caller = 'fib' AND m.name = 'main' => 1
#include "truth.h"

ALONE static unsigned fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned is_odd(unsigned n);

ALONE static unsigned is_even(unsigned n)
{
	return n == 0 ? 1 : is_odd(n - 1);
}

ALONE static unsigned is_odd(unsigned n)
{
	return n == 0 ? 0 : is_even(n - 1);
}

int main(void)
{
	return fib(20) == 6765 && is_even(1000) == 1 ? 0 : 1;
}
