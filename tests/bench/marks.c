/* SPDX-License-Identifier: MIT */
/* What this is:  a step, a counter or a pair of region begin and end, again and again.
 *                usage: marks step|counter|region COUNT */
#include "profshim.h"
#include "loop.h"
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
	unsigned long count = argc > 2 ? strtoul(argv[2], NULL, 10) : 0, i;
	const char *what = argc > 1 ? argv[1] : "";
	double start = seconds_of(CLOCK_THREAD_CPUTIME_ID);

	if (!strcmp(what, "step")) {
		for (i = 0; i < count; i++)
			profshim_step("iteration");
	} else if (!strcmp(what, "counter")) {
		for (i = 0; i < count; i++)
			profshim_counter("queue length", (double)(i & 1023));
	} else {
		for (i = 0; i < count; i++) {
			profshim_region_begin("bench", "region");
			profshim_region_end("bench", "region");
		}
	}
	print_cost(seconds_of(CLOCK_THREAD_CPUTIME_ID) - start, count);
	return 0;
}
