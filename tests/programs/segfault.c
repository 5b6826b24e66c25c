/* SPDX-License-Identifier: MIT */
/* A crash in the middle: the record is complete up to there. */
// signal: 11
// expect-sql: SELECT name, calls FROM functions ORDER BY name => crash|1; main|1; step|1000
// expect-sql: SELECT SUM(live_bytes) FROM allocation_sites WHERE name = 'main' => 77
// expect-sql: SELECT complete, exit_code FROM processes => 0|
#include "truth.h"
#include <stdlib.h>
#include <sys/resource.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void crash(volatile int *nowhere)
{
	*nowhere = 1;
}

int main(void)
{
	struct rlimit none = {0, 0};
	int i;

	setrlimit(RLIMIT_CORE, &none);
	keep(malloc(opaque(77)));
	for (i = 0; i < 1000; i++)
		step();
	crash((volatile int *)opaque(8));
	return 0;
}
