/* SPDX-License-Identifier: MIT */
/* exit(7) from three calls deep: open frames are closed, not repaired. */
// exit: 7
// expect-sql: SELECT name, calls FROM functions ORDER BY name => inner|1; main|1; outer|1;
//     usleep|1
// expect-sql: SELECT depth FROM call_paths WHERE name = 'inner' => 3
// expect-sql: SELECT MIN(total_ns) >= 20000000 FROM functions => 1
// expect-sql: SELECT exit_code, complete FROM processes => 7|1
#include "truth.h"
#include <stdlib.h>
#include <unistd.h>

ALONE static void inner(void)
{
	usleep(20000);
	exit(7);
}

ALONE static void outer(void)
{
	inner();
	keep(&inner);
}

int main(void)
{
	outer();
	return 0;
}
