/* SPDX-License-Identifier: MIT */
/* abort() two calls deep. */
// signal: 6
// expect-sql: SELECT name, calls FROM functions ORDER BY name => fail|1; main|1; step|1000
// expect-sql: SELECT complete, exit_code FROM processes => 0|
#include "truth.h"
#include <stdlib.h>
#include <sys/resource.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void fail(void)
{
	abort();
}

int main(void)
{
	struct rlimit none = {0, 0};
	int i;

	setrlimit(RLIMIT_CORE, &none);
	for (i = 0; i < 1000; i++)
		step();
	fail();
	return 0;
}
