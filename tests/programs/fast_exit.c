/* SPDX-License-Identifier: MIT */
/* _exit(3) from the middle: no destructor of ours runs, nothing is lost. */
// exit: 3
// expect-sql: SELECT name, calls FROM functions ORDER BY name => leave|1; main|1; step|1000
// expect-sql: SELECT SUM(alloc_bytes), SUM(live_bytes) FROM allocation_sites WHERE name =
//     'leave' => 123|123
// expect-sql: SELECT exit_code, complete FROM processes => 3|1
#include "truth.h"
#include <stdlib.h>
#include <unistd.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void leave(void)
{
	keep(malloc(opaque(123)));
	_exit(3);
}

int main(void)
{
	int i;

	for (i = 0; i < 1000; i++)
		step();
	leave();
	return 0;
}
