/* SPDX-License-Identifier: MIT */
/* Calls that were counted before the program came to where most of them are: they are put
 * below those who have their time, but only below those whose code can have made them,
 * with the functions between that must have. by_pointer() may be called by anybody. What is
 * below main() was timed when early() was not. */
// variants: all
// settings: PROFSHIM_OVERHEAD=10
// tolerate: sampled_functions stopped_functions
// expect-sql: SELECT name, calls FROM functions WHERE name IN ('pick', 'sift', 'step')
//     ORDER BY name => pick|8020000; sift|8020000; step|8000000
// expect-sql: SELECT DISTINCT p.name, c.name FROM call_paths c JOIN call_paths p ON
//     p.path_id = c.parent_path_id WHERE c.kind = 'function' AND c.name <> 'by_pointer'
//     AND p.name || '>' || c.name NOT IN ('main>early', 'main>late', 'main>other',
//     'main>pick', 'main>sift', 'early>pick', 'early>sift', 'late>step', 'late>pick',
//     'step>pick', 'other>sift') =>
#include "truth.h"

static unsigned state = 1, found;

ALONE static void pick(void)
{
	state = state * 1664525 + 1013904223;
}

ALONE static void sift(void)
{
	state ^= state >> 7;
}

ALONE static void by_pointer(void)
{
	found += state & 1;
}

ALONE static void step(void)
{
	pick();
}

/* Both are counted from here on. */
ALONE static void early(void)
{
	pick();
	sift();
}

ALONE static void late(void)
{
	for (int i = 0; i < 4000; i++)
		step();
}

ALONE static void other(void (*call)(void))
{
	for (int i = 0; i < 4000; i++) {
		sift();
		call();
	}
}

int main(void)
{
	for (int i = 0; i < 20000; i++)
		early();
	for (int i = 0; i < 2000; i++) {
		late();
		other(by_pointer);
	}
	return found ? 0 : 1;
}
