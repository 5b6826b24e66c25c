/* SPDX-License-Identifier: MIT */
/* Without spans there are none, however slow a call is. */
// variants: once
// settings: PROFSHIM_SPANS=off
// expect-sql: SELECT COUNT(*) FROM spans => 0
// expect-sql: SELECT calls FROM functions WHERE name = 'slow' => 2
// expect-trust: span_floor_ns => 0
// expect-trust: spans_complete_ns => 0
#include "truth.h"
#include <time.h>

ALONE static void slow(void)
{
	struct timespec time = {0, 20000000};

	nanosleep(&time, NULL);
}

int main(void)
{
	slow();
	slow();
	return 0;
}
