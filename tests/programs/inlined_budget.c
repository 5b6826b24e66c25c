/* SPDX-License-Identifier: MIT */
/* Copies in functions whose calls are only counted, so that they have no frame below them;
 * and a clone, whose hooks are not in the code of the function that they name. */
// variants: lto all
// settings: PROFSHIM_OVERHEAD=1
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT name, calls, inlined_calls > 0.99 * calls, inlined_calls = 0 FROM
//     functions WHERE name IN ('host', 'copy', 'deep_copy', 'leaf', 'clone', 'driver') ORDER BY
//     name => clone|400000|0|1; copy|800000|1|0; deep_copy|800000|1|0; driver|4|0|1;
//     host|400000|0|1; leaf|800000|0|1
// expect-sql: SELECT SUM(caller = 'host'), SUM(caller IN ('copy', 'deep_copy')) FROM call_edges
//     WHERE callee = 'leaf' AND calls > 0 => 1|0
#include "truth.h"

#define INLINE static inline __attribute__((always_inline))
#define ROUNDS 4
#define CALLS 100000

static volatile unsigned sum;

ALONE static void leaf(void)
{
	sum++;
}

INLINE void deep_copy(void)
{
	sum += 3;
	leaf();
}

INLINE void copy(void)
{
	sum += 2;
	deep_copy();
}

ALONE static void host(void)
{
	copy();
	copy();
}

__attribute__((noinline)) static unsigned clone(unsigned a, unsigned b)
{
	sum += a;
	return sum * b;
}

ALONE static void driver(void)
{
	for (int i = 0; i < CALLS; i++) {
		host();
		sum += clone(sum, 7);
	}
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++)
		driver();
	return 0;
}
