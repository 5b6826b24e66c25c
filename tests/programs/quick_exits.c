/* SPDX-License-Identifier: MIT */
/* quick_exit(): functions of at_quick_exit() run, destructors do not. */
// exit: 4
// expect-sql: SELECT name, calls FROM functions ORDER BY name => at_end|1; main|1; step|11
// expect-sql: SELECT exit_code, complete FROM processes => 4|1
#include "truth.h"
#include <stdlib.h>

static volatile unsigned sum;

ALONE static void step(void)
{
	sum++;
}

ALONE static void at_end(void)
{
	step();
}

int main(void)
{
	int i;

	at_quick_exit(at_end);
	for (i = 0; i < 10; i++)
		step();
	quick_exit(4);
}
