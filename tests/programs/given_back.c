/* SPDX-License-Identifier: MIT */
/* A function that is called often at first, and seldom afterwards, while counting another
 * one takes more than the budget: it is not what that costs, and is recorded exactly
 * again. */
// variants: once
// settings: PROFSHIM_OVERHEAD=10
// tolerate: sampled_functions counted_functions stopped_functions
// expect-sql: SELECT name, recording > 0, least > 0 FROM mode WHERE name IN ('busy_first',
//     'always_busy') ORDER BY name => always_busy|1|1; busy_first|0|1
// expect-sql: SELECT name, calls FROM functions WHERE name LIKE '%busy%' ORDER BY name =>
//     always_busy|400000000; busy_first|204000
#include <stdlib.h>
#include <time.h>

#include "truth.h"

/* Of CPU time: the first second of counting is too soon for a trial. */
#define BLOCKS 4000
#define BLOCK_NS 750000ll

static volatile unsigned sum;

ALONE static void busy_first(void)
{
	sum += 2;
}

ALONE static void always_busy(void)
{
	sum++;
}

UNTRACED void compute_until(long long cpu_ns)
{
	struct timespec now;

	do {
		clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	} while (now.tv_sec * 1000000000ll + now.tv_nsec < cpu_ns);
}

int main(void)
{
	for (int i = 0; i < 200000; i++)
		busy_first();
	for (int i = 0; i < (getenv("BRIEF") ? BLOCKS / 20 : BLOCKS); i++) {
		for (int call = 0; call < 100000; call++)
			always_busy();
		busy_first();
		compute_until(i * BLOCK_NS);
	}
	return 0;
}
