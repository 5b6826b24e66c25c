/* SPDX-License-Identifier: MIT */
/* More long calls than there is room for: the threshold rises, the slowest are kept all the
 * same, and the recording says from where on all are there. */
// variants: once
// settings: PROFSHIM_SPANS=1us
// expect-sql: SELECT COUNT(*), MIN(duration_ns) >= $nap * 0.98 FROM spans WHERE name = 'slow' => 5|1
// expect-sql: SELECT COUNT(*) > 100, COUNT(*) <= 4096, COUNT(*) < $calls FROM spans => 1|1|1
// expect-sql: SELECT c.value > f.value, c.value < $nap FROM trust c JOIN trust f WHERE c.name =
//     'spans_complete_ns' AND f.name = 'span_floor_ns' => 1|1
// expect-sql: SELECT calls FROM functions WHERE name = 'busy' => $calls
// expect-trust: lost_spans => 0
#include "truth.h"
#include <stdio.h>
#include <time.h>

#define NAP_NS 50000000
#define CALLS 60000

UNTRACED long now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000 + now.tv_nsec;
}

ALONE static void busy(void)
{
	long end = now_ns() + 2000;

	while (now_ns() < end)
		;
}

ALONE static void slow(void)
{
	struct timespec time = {0, NAP_NS};

	nanosleep(&time, NULL);
}

int main(void)
{
	for (int i = 0; i < CALLS; i++) {
		busy();
		if (i % (CALLS / 5) == 0)
			slow();
	}
	printf("nap=%d calls=%d\n", NAP_NS, CALLS);
	return 0;
}
