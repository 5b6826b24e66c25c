/* SPDX-License-Identifier: MIT */
/* Looks, and how often they are allowed. */
#include "analyzer/live/live.h"

#include <time.h>

#include "collector/processes/ticks.h"

#define MOST_OF_CPU 20 /* looking takes at most one part in this many of the time */

uint64_t top_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int top_look(struct top *top)
{
	uint64_t began_ns = top_cpu_ns();
	int result;

	top->began_ns = ticks_monotonic_ns();
	result = live_look(&top->live);
	top->cost_ns = 0;
	top_add_cost(top, began_ns);
	return result;
}

void top_add_cost(struct top *top, uint64_t began_ns)
{
	top->cost_ns += top_cpu_ns() - began_ns;
}

unsigned top_pause_ms(const struct top *top)
{
	uint64_t every_ns = top->every_ms * 1000000ull;
	uint64_t least_ns = top->cost_ns * MOST_OF_CPU;
	uint64_t now_ns = ticks_monotonic_ns(), next_ns;

	next_ns = top->began_ns + (least_ns > every_ns ? least_ns : every_ns);
	return next_ns > now_ns ? (unsigned)((next_ns - now_ns + 999999) / 1000000) : 0;
}
